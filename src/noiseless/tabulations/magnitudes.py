"""Rules of statistical offices for figures: which are sensitive, and what must stay possible for them.

For a figure y with contributions v1 >= v2 >= ..., against a coalition of m contributors, the rest is what is
left without v1 and the m largest others.

* p %: sensitive if rest < p/100 v1. The holder of v2 knows v1 <= hi - v2, so hi must be at least y + UPL with
  UPL = p/100 v1 - rest.
* (p, q): the same where everybody knows everybody to q % beforehand: q rest < p v1, UPL = p/q v1 - rest.
* (n, k): sensitive if the n largest are more than k % of y; UPL = 100/k times these - y.

The lower level LPL is the same below. A threshold names figures and no width. With the records behind it, a
count from 1 to below the threshold must leave 0 and the threshold possible, as far as the figure itself does;
without them, a count that is withheld must not be certain to be that small. A magnitude of fewer contributors
than the threshold must not be known exactly; those who gave 0 do not count, and who is alone with a 0 is
protected as well. (Hundepool et al., Statistical Disclosure Control, 2012.)
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, Self

import numpy as np
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import as_fraction
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.ranges import Range, SumRanges
from noiseless.tabulations.result import RequirementFinding

_KEYS = {"threshold", "p_percent", "q_percent", "dominance", "coalition", "sliding_percent"}


@dataclass(frozen=True, eq=False)
class ContributorAmounts:
    """Who contributed how much to which base cell. Secret: nothing of it enters what is public.

    Attributes:
        names: the contributors.
        who: the contributor of each record.
        atoms: its base cell.
        amounts: its amount, in steps.
    """

    names: tuple[str, ...]
    who: IntArray
    atoms: IntArray
    amounts: IntArray

    @classmethod
    def of(cls, publication: Publication, records: Iterable[tuple[str, Sequence[str], int]]) -> Self:
        """From records: the contributor, a category for each classification used, and the amount in steps."""
        places = [{label: place for place, label in enumerate(each.categories)} for each in publication.used]
        known: dict[str, int] = {}
        who, cells, amounts = list[int](), list[list[int]](), list[int]()
        for name, labels, amount in records:
            if len(labels) != len(places) or any(
                label not in place for label, place in zip(labels, places, strict=True)
            ):
                raise RequestError("a contribution names a category that no classification has")
            who.append(known.setdefault(name, len(known)))
            cells.append([place[label] for place, label in zip(places, labels, strict=True)])
            amounts.append(amount)
        places_of = tuple(np.array(cells, np.int64).reshape(-1, len(places)).T)
        atoms: IntArray = np.asarray(np.ravel_multi_index(places_of, publication.shape), np.int64)
        return cls(tuple(known), np.array(who, np.int64), atoms, np.array(amounts, np.int64))

    def matrix(self, publication: Publication) -> csr_array:
        """Atoms x contributors: what each contributed."""
        shape = publication.size, len(self.names)
        return csr_array((self.amounts, (self.atoms, self.who)), shape=shape)

    def truth(self, publication: Publication) -> IntArray:
        """What all contributed to each base cell."""
        found = np.zeros(publication.size, np.int64)
        np.add.at(found, self.atoms, self.amounts)
        return found

    def check(self, publication: Publication) -> None:
        """Refuse contributions that do not add up to the published figures."""
        sums = publication.rows.astype(np.int64) @ self.truth(publication)
        if np.any((sums < publication.told_lower) | (sums > publication.told_upper)):
            raise RequestError("the contributions do not add up to the published figures")


@dataclass(frozen=True)
class Rules:
    """What is wanted of a publication.

    Attributes:
        threshold: the fewest persons or contributors of a figure that needs no protection.
        p_percent: p of the p % and (p, q) rules.
        q_percent: q of the (p, q) rule; 100 is the p % rule.
        dominance: n and k of the (n, k) rule.
        coalition: how many contributors work together.
        sliding_percent: the least width of an interval, in percent of the figure.
    """

    threshold: int | None = None
    p_percent: Fraction | None = None
    q_percent: Fraction = Fraction(100)
    dominance: tuple[int, Fraction] | None = None
    coalition: int = 1
    sliding_percent: Fraction = Fraction(0)

    @classmethod
    def of(
        cls,
        rules: Mapping[str, Any] | None,
        publication: Publication,
        contributions: ContributorAmounts | None,
    ) -> Self:
        """Rules as a file has them."""
        given = dict(rules or {})
        if unknown := set(given) - _KEYS:
            raise RequestError(f"there is no rule {min(unknown)!r}; there are {', '.join(sorted(_KEYS))}")
        for name in ("p_percent", "q_percent", "sliding_percent"):
            if name in given:
                given[name] = as_fraction(given[name])
        if "dominance" in given:
            n, k = given["dominance"]
            given["dominance"] = int(n), as_fraction(k)
        made = cls(**given)
        if made.coalition < 1 or made.q_percent <= 0 or (made.p_percent or 1) <= 0:
            raise RequestError("a coalition has at least one member, and percentages are above 0")
        if made.dominance is not None and (made.dominance[0] < 1 or not 0 < made.dominance[1] <= 100):  # noqa: PLR2004
            raise RequestError("dominance needs n of at least 1, and k above 0 and at most 100")
        if (made.p_percent or made.dominance) and contributions is None:
            raise RequestError(
                "p_percent and dominance need the contributions: give them, or leave the rules out"
            )
        if contributions is not None:
            contributions.check(publication)
        return made

    def level(self, amounts: Sequence[int]) -> Fraction | None:
        """The protection level of a figure by its contributions; None if no rule calls it sensitive.

        >>> str(Rules(p_percent=Fraction(10)).level([558, 70, 17]))
        '194/5'
        """
        ordered = sorted(amounts, reverse=True)
        total, levels = sum(ordered), list[Fraction]()
        if self.p_percent is not None and ordered:
            rest = sum(ordered[1 + self.coalition :])
            wanted = self.p_percent / self.q_percent * ordered[0]
            if rest < wanted:
                levels.append(wanted - rest)
        if self.dominance is not None and ordered:
            n, k = self.dominance
            if sum(ordered[:n]) * 100 > k * total:
                levels.append(100 / k * sum(ordered[:n]) - total)
        return max(levels, default=None)

    def estimate_level(self, own: Sequence[int], other: int, total: int) -> Fraction:
        """How far from a figure values must stay possible for a coalition that estimates another's amount.

        Args:
            own: what its members gave to the figure.
            other: the largest amount of somebody else.
            total: the figure.

        >>> str(Rules(p_percent=Fraction(10)).estimate_level([70], 558, 645))
        '194/5'
        """
        levels = [Fraction(0)]
        if self.p_percent is not None:
            levels.append(self.p_percent / self.q_percent * other - (total - sum(own) - other))
        if self.dominance is not None:
            n, k = self.dominance
            levels.append(100 / k * (sum(sorted(own, reverse=True)[: n - 1]) + other) - total)
        return max(levels) if other > 0 else Fraction(0)

    def __str__(self) -> str:
        parts = []
        if self.p_percent is not None and self.q_percent == 100:  # noqa: PLR2004
            parts.append(f"p={self.p_percent} %")
        elif self.p_percent is not None:
            parts.append(f"({self.p_percent}, {self.q_percent})")
        if self.dominance is not None:
            parts.append(f"dominance ({self.dominance[0]}, {self.dominance[1]})")
        return " and ".join(parts)


@dataclass(frozen=True)
class ProtectionLevel:
    """What must stay possible for a figure that a rule calls sensitive.

    Attributes:
        row: the figure's place among the rows of its publication.
        rule: the rule, as text.
        lower: the value that must stay possible below; None if none.
        upper: the value that must stay possible above; None if none.
        width: the least distance of the ends.
    """

    row: int
    rule: str
    lower: int | None
    upper: int | None
    width: int

    def finding(self, publication: Publication, found: Range) -> RequirementFinding:
        """Whether a range of values leaves this."""
        wanted = self.lower, self.upper, self.width
        return RequirementFinding(
            publication.row_name(self.row), self.rule, *wanted, left_open(found, *wanted)
        )


def protection_levels(
    publication: Publication, rules: Rules, contributions: ContributorAmounts | None
) -> tuple[ProtectionLevel, ...]:
    """What the rules want of each figure of a publication that they call sensitive.

    Counts are judged by their true values: those of the contributions, or else the published ones.
    """
    if publication.kind == "magnitude":
        return () if contributions is None else tuple(_magnitudes(publication, rules, contributions))
    if rules.threshold is None:
        return ()
    truth = publication.told_lower
    if contributions is not None:
        truth = publication.rows.astype(np.int64) @ contributions.truth(publication)
    return tuple(
        ProtectionLevel(int(row), f"threshold {rules.threshold}", 0, rules.threshold, 0)
        for row in np.flatnonzero((truth > 0) & (truth < rules.threshold))
    )


def requirement_findings(
    publication: Publication, ranges: SumRanges, rules: Rules, contributions: ContributorAmounts | None
) -> tuple[RequirementFinding, ...]:
    """What the rules want of each figure that they call sensitive, and whether it is left."""
    if publication.kind == "count":
        return tuple(_counts(publication, ranges, rules, contributions))
    levels = protection_levels(publication, rules, contributions)
    return tuple(level.finding(publication, ranges.ends(level.row)) for level in levels)


def _counts(
    publication: Publication, ranges: SumRanges, rules: Rules, contributions: ContributorAmounts | None
) -> Iterable[RequirementFinding]:
    if rules.threshold is None:
        return
    limit, truth = rules.threshold, None
    if contributions is not None:
        truth = publication.rows.astype(np.int64) @ contributions.truth(publication)
    for row in range(len(publication.told_lower)):
        low, high = int(publication.told_lower[row]), int(publication.told_upper[row])
        small = 0 < low <= high < limit  # the figure says so itself
        if (not small and low == high) or not (small or truth is None or 0 < truth[row] < limit):
            continue
        found = ranges.ends(row)
        wanted: tuple[int | None, int | None] = (max(0, low), min(limit, high))
        if low == high:
            wanted = 0, limit
        elif truth is None and not small:  # one of the two is enough: it may be no small group
            wanted = (0, None) if found.least <= 0 else (None, limit)
        yield RequirementFinding(
            publication.row_name(row), f"threshold {limit}", *wanted, 0, left_open(found, *wanted, 0)
        )


def _magnitudes(
    publication: Publication, rules: Rules, contributions: ContributorAmounts
) -> Iterable[ProtectionLevel]:
    rows = publication.rows.astype(np.int64)
    shares = csc_array((rows @ contributions.matrix(publication)).T)
    records = rows @ np.bincount(contributions.atoms, minlength=publication.size)
    for row in range(len(publication.told_lower)):
        amounts = [int(v) for v in shares.data[shares.indptr[row] : shares.indptr[row + 1]] if v]
        level, total = rules.level(amounts), sum(amounts)
        few = rules.threshold is not None and records[row] > 0 and len(amounts) < rules.threshold
        if level is None and not few:
            continue
        width = max(1, ceil(rules.sliding_percent * total / 100))
        if level is None:
            yield ProtectionLevel(row, f"threshold {rules.threshold}", None, None, width)
            continue
        least = int(publication.atom_lower[_row_atoms(publication, row)].sum())
        yield ProtectionLevel(row, str(rules), max(least, floor(total - level)), ceil(total + level), width)


def _row_atoms(publication: Publication, row: int) -> IntArray:
    matrix = publication.rows
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].astype(np.int64)


def left_open(found: Range, low: int | None, high: int | None, width: int) -> bool | None:
    """Whether values as low, as high, and as far apart stay possible; None if that is not decided."""
    shown = (
        (low is None or found.least <= low)
        and (high is None or found.most is None or found.most >= high)
        and (found.most is None or found.most - found.least >= width)
    )
    if shown:
        return True
    excluded = (
        (low is not None and found.lower > low)
        or (high is not None and found.upper is not None and found.upper < high)
        or (found.upper is not None and found.upper - found.lower < width)
    )
    return False if excluded or found.sharp else None
