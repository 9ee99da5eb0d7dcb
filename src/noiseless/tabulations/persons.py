"""Persons whose group is public and whose secret is not: what the tables leave possible for them.

In a group, a secret is possible for somebody if its count can be above 0, and at least one person has it for
certain if its count cannot be 0. If one secret alone is possible, everyone in the group has it: group
disclosure, whatever the size of the group.
"""

import numpy as np

from noiseless.errors import RequestError
from noiseless.tabulations.publication import Classification, Publication, PublishedTable, Targets
from noiseless.tabulations.ranges import Range, SumRanges
from noiseless.tabulations.result import PersonFinding

ANY = "*"
"""Stands for the secret in the labels of a group."""


def person_findings(publication: Publication, ranges: SumRanges, secret: str) -> tuple[PersonFinding, ...]:
    """A finding for each group of each table that has the secret as a dimension."""
    if publication.kind != "count":
        raise RequestError("secrets of persons are read from counts, and these tables are of magnitudes")
    chosen = next((each for each in publication.used if each.name == secret), None)
    if chosen is None:
        raise RequestError(f"no table has the secret {secret!r} as a dimension")
    targets: dict[str, dict[str, list[str]]] = {}
    places: list[tuple[PublishedTable, tuple[str, ...]]] = []
    for table in publication.tables:
        if secret in table.dimensions:
            for labels in _groups(table, secret):
                places.append((table, labels))
                targets |= _asked(len(places), table, labels, chosen)
    asked: Targets = targets
    sums = SumRanges(ranges.found, publication.sums(asked), sharp=ranges.sharp)
    width = len(chosen.categories) + 1
    return tuple(
        _finding(table, labels, chosen, [sums[number * width + place] for place in range(width)])
        for number, (table, labels) in enumerate(places)
    )


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
    table: PublishedTable, labels: tuple[str, ...], secret: Classification, found: list[Range]
) -> PersonFinding:
    *counts, everyone = found
    possible = tuple(s for s, count in zip(secret.categories, counts, strict=True) if count.upper != 0)
    certain = tuple(s for s, count in zip(secret.categories, counts, strict=True) if count.lower >= 1)
    members = everyone.lower >= 1
    only = [s for s, count in zip(secret.categories, counts, strict=True) if count.upper == 1]
    to_members = tuple(s for s in possible if s in only) if len(possible) == 2 else ()  # noqa: PLR2004
    alone = len(possible) == 1 and (everyone.upper is None or everyone.upper > 0)
    return PersonFinding(
        (table.name, labels),
        possible,
        certain,
        members,
        alone,
        to_members,
        all(count.sharp or count.upper == 0 or count.least > 0 for count in counts),
    )
