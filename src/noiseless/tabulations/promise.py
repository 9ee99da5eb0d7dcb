"""What a publication promises of its figures, and where everything that is published breaks it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.contributors import contributor_findings, learned_rows
from noiseless.tabulations.inference import infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts, Rules, requirement_findings
from noiseless.tabulations.persons import member_rows, person_findings
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.propagation import declared_bounds
from noiseless.tabulations.publication import MAX_VALUE, UNBOUNDED, Publication, RowName, Told
from noiseless.tabulations.ranges import SumRanges

NOT_KNOWN = 2
"""The values that a figure has left if it is not known."""
_MOST_SHRUNK = 60
"""Proofs of no more figures than that are made as short as can be."""
_TRIED = 2_000
"""Values of a figure that are looked for one by one."""


@dataclass(frozen=True)
class PublicationPromise:
    """What must stay true of a publication's figures, whatever else is published of the same people.

    Attributes:
        at_least: how many values every figure leaves possible, or all that the figure itself leaves.
        secret: the dimension of which no group, and no member of one, learns what all others have.
        rules: `threshold`, `p_percent`, `q_percent`, `dominance`, `coalition`, as an audit takes them.
    """

    at_least: int = NOT_KNOWN
    secret: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.at_least < NOT_KNOWN:
            raise RequestError("at_least: a promise leaves every figure at least 2 values")

    @classmethod
    def of_json(cls, said: Mapping[str, Any]) -> Self:
        """As the ledger has it."""
        rules = {name: _read(value) for name, value in said["rules"].items()}
        return cls(said["at_least"], said["secret"], rules)

    def to_json(self) -> dict[str, Any]:
        """As the ledger has it: numbers of rules as texts."""
        rules = {name: _written(value) for name, value in sorted(self.rules.items())}
        return {"at_least": self.at_least, "secret": self.secret, "rules": rules}

    @property
    def needs_ends(self) -> bool:
        """Whether more must be known than which figures vary."""
        return self.at_least > NOT_KNOWN or self.secret is not None or bool(self.rules)

    @property
    def needs_records(self) -> bool:
        """Whether levels come from the records behind the figures."""
        return not {"p_percent", "q_percent", "dominance"}.isdisjoint(self.rules)

    def __str__(self) -> str:
        """In words.

        >>> str(PublicationPromise(at_least=3, rules={"threshold": 5}))
        'at least 3 values for every figure withheld or rounded; threshold = 5'
        """
        words = [f"at least {self.at_least} values for every figure withheld or rounded"]
        words += [f"{self.secret} is secret"] if self.secret is not None else []
        words += [f"{name} = {_shown(value)}" for name, value in sorted(self.rules.items())]
        return "; ".join(words)


def _written(value: Any) -> Any:  # noqa: ANN401 - JSON
    return [str(each) for each in value] if isinstance(value, list | tuple) else str(value)


def _read(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return tuple(map(_read, value))
    number = Fraction(value)
    return number.numerator if number.denominator == 1 else number


def _shown(value: Any) -> str:  # noqa: ANN401 - a number, or two
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True)
class Breach:
    """A promise that does not hold.

    Attributes:
        of: the figure, or the group of people, that it is about.
        says: what does not hold, in words.
        rows: the figures that tell it together, by their numbers.
        because: the same by their names.
        stays: whether it is certain to stand as long as these are published. What a group has in common is
            none if more figures show that nobody is in it.
        row: the number of the figure, where it is about the bounds of one.
    """

    of: RowName
    says: str
    rows: tuple[int, ...]
    because: tuple[RowName, ...]
    stays: bool = True
    row: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "of": {"table": self.of[0], "labels": list(self.of[1])},
            "says": self.says,
            "because": [{"table": table, "labels": list(labels)} for table, labels in self.because],
        }


@dataclass(frozen=True)
class PromiseStanding:
    """How a promise stands.

    Attributes:
        breaches: where it is broken, proved.
        decided: whether that is all.
    """

    breaches: tuple[Breach, ...]
    decided: bool


def standing(
    audit: TabulationAudit,
    promise: PublicationPromise,
    tables: Collection[str],
    records: ContributorAmounts | None,
) -> PromiseStanding:
    """How the promise of some tables stands in the audit of all.

    Args:
        audit: of everything that is published, with a table that fits.
        promise: what was promised.
        tables: the names of the tables that it was promised of.
        records: who contributes what to the base cells, where that is known.

    Raises:
        RequestError: the promise needs records, and there are none; or it does not fit the tables.
    """
    assert audit.ranges is not None  # noqa: S101 - a table fits
    if promise.needs_records and records is None:
        raise RequestError(
            f"{min(tables)} promises {promise}: name the records behind all tables (--microdata), from which "
            "levels are computed"
        )
    checks = (_values, _requirements, _persons, _contributors)
    asked = _Asked(audit.publication, audit.ranges, promise, frozenset(tables), records)
    found = [check(asked) for check in checks]
    return PromiseStanding(
        tuple(b for breaches, _ in found for b in breaches), all(known for _, known in found)
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    publication: Publication
    ranges: SumRanges
    promise: PublicationPromise
    tables: frozenset[str]
    records: ContributorAmounts | None

    def breach(self, of: RowName, says: str, rows: Iterable[int], *, stays: bool = True) -> Breach:
        used = tuple(sorted(set(rows)))
        return Breach(of, says, used, tuple(map(self.publication.row_name, used)), stays)

    def bounded(self, row: int, says: str) -> Breach:
        """A breach by the bounds of a figure."""
        name = self.publication.row_name(row)
        return replace(self.breach(name, says, self.told_by(row)), row=row)

    def rows(self) -> Iterable[int]:
        """The figures of the tables."""
        begin = 0
        for table in self.publication.tables:
            if table.name in self.tables:
                yield from range(begin, begin + len(table))
            begin += len(table)

    def told_by(self, row: int) -> tuple[int, ...]:
        """The figures that the bounds of a figure follow from."""
        if self.publication.told_lower[row] == self.publication.told_upper[row]:
            return (row,)
        return proof_rows(self.ranges, [row])


def shortened(audit: TabulationAudit, breach: Breach) -> Breach:
    """A breach with as few figures as tell it, none of which can be left out."""
    if audit.ranges is None or breach.row is None or not 1 < len(breach.rows) <= _MOST_SHRUNK:
        return breach
    found = audit.ranges[breach.row]
    ends = found.lower, found.upper
    rows = fewest_rows(audit.publication, audit.ranges.atoms(breach.row), breach.rows, ends)
    return replace(breach, rows=rows, because=tuple(map(audit.publication.row_name, rows)))


def fewest_rows(
    publication: Publication, atoms: IntArray, rows: Sequence[int], ends: tuple[int, int | None]
) -> tuple[int, ...]:
    """Figures among some that bound a sum as all of them do, none of which can be left out.

    Base cells that are in the same figures are one.
    """
    chosen = csr_array(publication.rows[list(rows)]).tocsc()
    asked = np.zeros(publication.size, bool)
    asked[atoms] = True
    used = np.flatnonzero((np.diff(chosen.indptr) > 0) | asked)
    inside = np.vstack([chosen[:, used].toarray().astype(bool), asked[used]])
    kinds, kind = np.unique(inside, axis=1, return_inverse=True)
    lower, upper = np.zeros((2, kinds.shape[1]), np.int64)
    np.add.at(lower, kind.ravel(), publication.atom_lower[used])
    np.add.at(upper, kind.ravel(), np.minimum(publication.atom_upper[used], MAX_VALUE))
    names = [str(each) for each in range(kinds.shape[1])]
    bounds = [
        (low, None if high >= MAX_VALUE else high)
        for low, high in zip(lower.tolist(), upper.tolist(), strict=True)
    ]
    told = [
        (
            [names[place] for place in np.flatnonzero(members).tolist()],
            Told(low, None if high >= UNBOUNDED else high),
        )
        for members, low, high in zip(
            kinds,
            publication.told_lower[list(rows)].tolist(),
            publication.told_upper[list(rows)].tolist(),
            strict=False,
        )
    ]

    def tells(some: Sequence[int]) -> bool:
        if not some:
            return False
        small = Publication.of_rows(names, bounds, [told[place] for place in some])
        found = SumRanges(
            infer(small, declared_bounds(small), Deadline()), csr_array(kinds[-1:].astype(np.int8))
        )[0]
        above = ends[1] is None or (found.upper is not None and found.upper <= ends[1])
        return found.lower >= ends[0] and above

    kept = list(range(len(rows)))
    if tells(kept):  # holes between the ends are not looked at
        for place in sorted(kept, key=lambda each: -len(told[each][0])):
            fewer = [each for each in kept if each != place]
            kept = fewer if tells(fewer) else kept
    return tuple(rows[place] for place in kept)


def proof_rows(ranges: SumRanges, numbers: Iterable[int]) -> tuple[int, ...]:
    """The figures that the bounds and holes of some sums follow from."""
    writer = ProofWriter(ranges.found.publication, ranges.found.history)
    for number in numbers:
        ranges.prove(number, writer)
    return writer.rows_used()


_Found = tuple[list[Breach], bool]


def _values(asked: _Asked) -> _Found:
    """Figures that leave fewer values than promised."""
    publication, ranges, wanted = asked.publication, asked.ranges, asked.promise.at_least
    found, decided = list[Breach](), True
    mine = np.zeros(len(publication.told_lower), bool)
    mine[list(asked.rows())] = True
    mine &= publication.told_lower < publication.told_upper
    known = ranges.known_sums()[: len(mine)]
    for row in np.flatnonzero(mine & known).tolist():
        says = f"is {ranges[row].lower * publication.step}: 1 possible value, {wanted} promised"
        found.append(asked.bounded(row, says))
    if wanted == NOT_KNOWN and not ranges.sharp:
        return found, not ranges.undecided(
            np.r_[mine & ~known, np.zeros(ranges.sums.shape[0] - len(mine), bool)]
        )
    for row in np.flatnonzero(mine & ~known).tolist():
        own = int(publication.told_upper[row]) - int(publication.told_lower[row]) + 1
        enough, left = _has_values(ranges, row, min(wanted, own))
        decided &= enough is not None
        if enough is False:
            says = f"has {left} possible values, {min(wanted, own)} promised"
            found.append(asked.bounded(row, says))
    return found, decided


def _has_values(ranges: SumRanges, row: int, wanted: int) -> tuple[bool | None, int]:
    """Whether a figure has that many values, and how many there are where it has fewer.

    Of independent pieces with m and n values the sum has at least m + n - 1.
    """
    found = ranges[row]
    if found.most is None or (found.values is not None and found.values >= wanted):
        return True, wanted
    if found.values is not None:
        return False, found.values
    if found.upper is not None and found.upper - found.lower + 1 < wanted:
        return False, found.upper - found.lower + 1
    shown = 1 + sum(0 if most is None else most - least for _, least, most in ranges.arc_ends(row))
    forms = [(ranges.found.program(part), form) for part, form, _ in ranges.form_values(row)]
    for program, form in forms:
        if len(forms) == 1 and found.upper is not None:
            for value in range(found.lower, min(found.upper, found.lower + _TRIED) + 1):
                inside = value - int(ranges.known[row])
                seen = set(program.values(form).tolist())
                if shown + len(seen) - 1 >= wanted or ranges.found.deadline.over:
                    break
                if inside not in seen:
                    program.find(form, inside, inside, ranges.found.deadline)
        shown += len(set(program.values(form).tolist())) - 1
    return (True, wanted) if shown >= wanted else (None, shown)


def _requirements(asked: _Asked) -> _Found:
    """Rules that figures of the tables do not keep."""
    rules = {name: value for name, value in asked.promise.rules.items() if name != "secret"}
    if not rules:
        return [], True
    publication, found, decided = asked.publication, list[Breach](), True
    made = Rules.of(rules, publication, asked.records)
    number = dict[RowName, int]()
    for row in asked.rows():
        number.setdefault(publication.row_name(row), row)
    for each in requirement_findings(publication, asked.ranges, made, asked.records):
        if each.of[0] in asked.tables:
            decided &= each.holds is not None
            if each.holds is False:
                says = f"does not keep {each.rule}"
                found.append(asked.bounded(number[each.of], says))
    return found, decided


def _persons(asked: _Asked) -> _Found:
    """Groups whose secret, and members to whom that of others, is known."""
    secret = asked.promise.secret
    if secret is None:
        return [], True
    found, decided = list[Breach](), True
    for each in person_findings(asked.publication, asked.ranges, secret):
        if each.of[0] not in asked.tables:
            continue
        decided &= each.decided
        if each.group_disclosure:
            says = f"all have {secret} {each.possible[0]}"
            rows = _group_rows(asked, each.of, each.possible[0])
            found.append(asked.breach(each.of, says, rows, stays=each.members))
        for own in each.to_members:
            says = f"somebody with {secret} {own} learns what all others have"
            rows = member_rows(asked.publication, asked.ranges, secret, each.of, own)
            stays = own in each.certain and len(each.certain) > 1
            found.append(asked.breach(each.of, says, rows, stays=stays))
    return found, decided


def _group_rows(asked: _Asked, of: RowName, only: str) -> tuple[int, ...]:
    """The figures that leave a group one secret."""
    publication, secret = asked.publication, asked.promise.secret
    table = next(each for each in publication.tables if each.name == of[0])
    chosen = next(each for each in publication.used if each.name == secret)
    group = {name: [label] for name, label in zip(table.dimensions, of[1], strict=True) if name != secret}
    others = [label for label in chosen.categories if label != only]
    sums = SumRanges(
        asked.ranges.found,
        publication.sums({label: {**group, chosen.name: [label]} for label in others}),
        sharp=asked.ranges.sharp,
    )
    return proof_rows(sums, range(len(others)))


def _contributors(asked: _Asked) -> _Found:
    """Contributors who learn a figure of the tables."""
    if asked.records is None or not asked.promise.rules:
        return [], True
    publication, ranges = asked.publication, asked.ranges
    rules = Rules.of(asked.promise.rules, publication, asked.records)
    found, decided = list[Breach](), True
    for each in contributor_findings(publication, ranges, rules, asked.records, ranges.found.deadline):
        decided &= each.decided
        breaches = [(of, "learns it") for of in each.learns]
        breaches += [(one.of, "estimates another's amount in it too well") for one in each.estimates]
        for of, does in breaches:
            if of[0] in asked.tables:
                says = f"contributor {' and '.join(each.who)} {does}"
                found.append(asked.breach(of, says, learned_rows(publication, each.who, of, asked.records)))
    return found, decided
