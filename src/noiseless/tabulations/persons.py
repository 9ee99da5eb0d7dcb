"""Persons whose group is public and whose secret is not: what the tables leave possible for them.

In a group, a secret is possible for somebody if its count can be above 0, and at least one person has it for
certain if its count cannot be 0. If one secret alone is possible, everyone in the group has it: group
disclosure, whatever the size of the group. Members know their own secret, so its count is at least 1, and
subtract themselves: if one secret alone is then possible for the others, they learn it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.inference import ContradictionError, infer
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.propagation import BoundHistory, declared_bounds
from noiseless.tabulations.publication import Classification, Publication, PublishedTable, RowName, Told
from noiseless.tabulations.ranges import Range, SumRanges
from noiseless.tabulations.result import PersonFinding
from noiseless.tabulations.witnesses import witness_tables

ANY = "*"
"""Stands for the secret in the labels of a group."""
MAX_RUNS = 1_000
"""Members who need an inference of their own; what more of them learn is not decided."""

_Groups = list[tuple[PublishedTable, tuple[str, ...]]]


def person_findings(publication: Publication, ranges: SumRanges, secret: str) -> tuple[PersonFinding, ...]:
    """A finding for each group of each table that has the secret as a dimension."""
    if publication.kind != "count":
        raise RequestError("secrets of persons are read from counts, and these tables are of magnitudes")
    if np.any(publication.atom_lower < 0):
        raise RequestError(
            "secrets of persons are read from counts, which are not below 0; declare such bounds"
        )
    chosen = next((each for each in publication.used if each.name == secret), None)
    if chosen is None:
        named = ", ".join(repr(each.name) for each in publication.used)
        raise RequestError(f"no table has the secret {secret!r} as a dimension; there are {named}")
    groups: _Groups = []
    targets: dict[str, dict[str, list[str]]] = {}
    for table in publication.tables:
        if secret in table.dimensions:
            for labels in _groups(table, secret):
                targets |= _asked(len(groups), table, labels, chosen)
                groups.append((table, labels))
    sums = SumRanges(ranges.found, publication.sums(targets), sharp=ranges.sharp)
    learned, open_ones = _Members(publication, sums, chosen, groups).learned()
    width = len(chosen.categories) + 1
    return tuple(
        _finding(
            group,
            chosen,
            [sums.ends(number * width + place) for place in range(width)],
            learned.get(number, ()),
            number not in open_ones,
        )
        for number, group in enumerate(groups)
    )


def member_rows(
    publication: Publication, ranges: SumRanges, secret: str, of: RowName, own: str
) -> tuple[int, ...]:
    """The figures from which a member of a group, who has one secret, learns that of all others."""
    chosen = next(each for each in publication.used if each.name == secret)
    table = next(each for each in publication.tables if each.name == of[0])
    targets = _asked(0, table, of[1], chosen)
    sums = SumRanges(ranges.found, publication.sums(targets), sharp=ranges.sharp)
    member = _Members(publication, sums, chosen, [(table, of[1])])
    place = chosen.categories.index(own)
    known = member.publication_for(0, place)
    counts = SumRanges(
        infer(known, declared_bounds(known), ranges.found.deadline), sums.sums[: len(chosen.categories)]
    )
    writer = ProofWriter(known, counts.found.history)
    for number in range(len(chosen.categories)):
        if number == place or counts[number].upper == 0:
            counts.prove(number, writer)
    return tuple(row for row in writer.rows_used() if row < len(publication.told_lower))


def _groups(table: PublishedTable, secret: str) -> list[tuple[str, ...]]:
    """The groups of a table: its labels, with the secret's left open."""
    own = table.dimensions.index(secret)
    codes = table.codes.copy()
    codes[:, own] = 0
    found = []
    for row in np.unique(codes, axis=0):
        labels = [known[code] for known, code in zip(table.labels, row, strict=True)]
        labels[own] = ANY
        found.append(tuple(labels))
    return found


def _asked(
    number: int, table: PublishedTable, labels: tuple[str, ...], secret: Classification
) -> dict[str, dict[str, list[str]]]:
    """The sums of one group: each secret by itself, and everyone."""
    group = {
        name: [label] for name, label in zip(table.dimensions, labels, strict=True) if name != secret.name
    }
    each = {
        f"{number}:{place}": {**group, secret.name: [label]} for place, label in enumerate(secret.categories)
    }
    return {**each, f"{number}:all": group}


def _finding(
    group: tuple[PublishedTable, tuple[str, ...]],
    secret: Classification,
    found: Sequence[Range],
    to_members: tuple[str, ...],
    members_decided: bool,
) -> PersonFinding:
    *counts, everyone = found
    possible = tuple(s for s, count in zip(secret.categories, counts, strict=True) if count.upper != 0)
    certain = tuple(s for s, count in zip(secret.categories, counts, strict=True) if count.lower >= 1)
    known = all(count.sharp or count.upper == 0 or count.lower > 0 for count in counts)
    return PersonFinding(
        (group[0].name, group[1]),
        possible,
        certain,
        everyone.lower >= 1,
        len(possible) == 1,
        to_members,
        known and members_decided,
    )


class _Members:
    """What members of a group learn about the others: each knows that his own secret's count is not 0."""

    def __init__(
        self, publication: Publication, sums: SumRanges, secret: Classification, groups: _Groups
    ) -> None:
        self.publication, self.sums, self.secret, self.groups = publication, sums, secret, groups
        self.many = len(secret.categories)

    def learned(self) -> tuple[dict[int, tuple[str, ...]], set[int]]:
        """For each group the secrets whose holders learn the others', and the groups that are not decided."""
        learned, open_ones, runs = dict[int, tuple[str, ...]](), set[int](), 0
        every = [self._counts(self.sums, group) for group in range(len(self.groups))]
        if not all(len(program.tables) for program in self.sums.found.programs.values()):
            return {}, set(range(len(self.groups)))  # out of time before any table was found
        shown = self._shown()
        for group, counts in enumerate(every):
            found = list[str]()
            for own, count in enumerate(counts):
                if count.upper == 0 or len(shown.get((group, own), ())) > 1:
                    continue
                inside: list[Range] | None = counts
                open_ends = len(_others(counts, own)) > 1 and not all(each.sharp for each in counts)
                if count.lower < 1 or open_ends:
                    runs += 1
                    inside = self._given(group, own) if runs <= MAX_RUNS else None
                if inside is None:
                    open_ones.add(group)
                elif _others(inside, own) not in (set(), {own}) and len(_others(inside, own)) == 1:
                    found.append(self.secret.categories[own])
            learned[group] = tuple(found)
        return learned, open_ones

    def _counts(self, sums: SumRanges, group: int) -> list[Range]:
        begin = group * (self.many + 1)
        return [sums.ends(begin + place) for place in range(self.many)]

    def _shown(self) -> dict[tuple[int, int], set[int]]:
        """Secrets of others that tables show beside a member's own: two of them, and he learns nothing."""
        width = self.many + 1
        numbers = [n for n in range(len(self.groups) * width) if n % width < self.many]
        tables = np.array(witness_tables(self.sums, numbers), np.int64).reshape(-1, self.publication.size)
        values = (self.sums.sums.astype(np.int64) @ tables.T).T
        shown = dict[tuple[int, int], set[int]]()
        for table in values:
            for group in range(len(self.groups)):
                counts = table[group * width : group * width + self.many]
                held = np.flatnonzero(counts > 0)
                for own in held.tolist():
                    others = {other for other in held.tolist() if other != own or counts[own] > 1}
                    shown.setdefault((group, own), set()).update(others)
        return shown

    def _given(self, group: int, own: int) -> list[Range] | None:
        """The counts of a group's secrets for a member who has one of them; None if that is not decided."""
        begin = group * (self.many + 1)
        found, publication = self.sums.found, self.publication
        history = BoundHistory(found.history.lower.copy(), found.history.upper.copy())
        atoms: IntArray = self.sums.atoms(begin + own)
        free = atoms[history.lower[atoms] < history.upper[atoms]]
        if len(free) == 1:
            history.lower[free] = np.maximum(history.lower[free], 1 - int(self.sums.known[begin + own]))
        else:
            publication = self.publication_for(group, own)
        try:
            inferred = infer(publication, history, found.deadline)
            rows = self.sums.sums[begin : begin + self.many]
            counts = [SumRanges(inferred, rows)[place] for place in range(self.many)]
        except ContradictionError:  # nobody has it
            return [Range.solid(0, 0)] * self.many
        return counts if all(count.sharp for count in counts) else None

    def publication_for(self, group: int, own: int) -> Publication:
        """The tables, and a figure besides: at least one person of the group has the secret."""
        table, labels = self.groups[group]
        place = table.dimensions.index(self.secret.name)
        named = [*labels[:place], self.secret.categories[own], *labels[place + 1 :]]
        name = "member of " + ", ".join(each.name for each in self.publication.tables)
        known = PublishedTable.of(name, table.dimensions, [(named, Told(1, None))])
        return replace(self.publication, tables=(*self.publication.tables, known))


def _others(counts: Sequence[Range], own: int) -> set[int]:
    """The secrets that are possible for others than one member who has a secret."""
    return {
        place
        for place, count in enumerate(counts)
        if count.upper is None or count.upper > (1 if place == own else 0)
    }
