"""Populations that change: who is in one and not in the other.

Of two populations, one after the other, some people are in both, some left and some joined. These are
categories of one more dimension, so that tables of both are tables of all: the earlier population is those
who stayed and those who left, the later one those who stayed and those who joined. A person who moved to
another base cell left one and joined another. Nothing follows from one population about the other unless it
is known how many joined or left: without that they are not comparable.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from noiseless.errors import RequestError
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.published_table import Classification, PublishedTable, Told

POPULATION = "population"
"""The dimension that says which populations somebody is in."""
MOST_WAVES = 5
_JOINED, _LEFT = "joined", "left"


@dataclass(frozen=True)
class PopulationChange:
    """How a population differs from the one before it.

    Attributes:
        before: the earlier one.
        after: the later one.
        joined: how many are in the later one and not, or elsewhere, in the earlier one; None if not known.
        left: the same the other way round.
    """

    before: str
    after: str
    joined: Told | None
    left: Told | None

    @classmethod
    def of(cls, before: str, after: str, joined: Any, left: Any) -> "PopulationChange":  # noqa: ANN401 - JSON
        """From numbers, or pairs of them."""
        return cls(before, after, _told(joined), _told(left))

    def to_json(self) -> dict[str, Any]:
        """As the ledger has it."""
        ends = [None if told is None else [told.lower, told.upper] for told in (self.joined, self.left)]
        return {"before": self.before, "after": self.after, "joined": ends[0], "left": ends[1]}

    @property
    def is_comparable(self) -> bool:
        """Whether anything follows from one population about the other."""
        return self.joined is not None or self.left is not None


def _told(said: Any) -> Told | None:  # noqa: ANN401 - JSON
    if said is None:
        return None
    low, high = (said, said) if isinstance(said, int) else said
    if low < 0:
        raise RequestError("population: how many joined or left is 0 or more")
    return Told(low, high)


def linked(name: str, changes: Iterable[PopulationChange]) -> list[str]:
    """The populations that can be compared with one, itself among them, directly or through others."""
    found, pending = {name}, list(changes)
    while more := [each for each in pending if each.is_comparable and {each.before, each.after} & found]:
        found |= {one for each in more for one in (each.before, each.after)}
        pending = [each for each in pending if each not in more]
    if len(found) > MOST_WAVES:
        raise RequestError(
            f"{len(found)} populations follow each other, and {MOST_WAVES} is the most that are compared; "
            "begin anew with a population that names none before it"
        )
    return sorted(found)


class Waves:
    """Several populations as one: everybody by the populations that they are in.

    Args:
        names: the populations.
        changes: how they follow each other.
    """

    def __init__(self, names: Sequence[str], changes: Iterable[PopulationChange]) -> None:
        self.names = tuple(names)
        self.changes = tuple(each for each in changes if each.is_comparable and each.after in names)
        members = [chosen for chosen in product((True, False), repeat=len(names)) if any(chosen)]
        groups = {name: _where(members, {place: True}) for place, name in enumerate(names)}
        for each in self.changes:
            before, after = names.index(each.before), names.index(each.after)
            groups[f"{_JOINED} {each.after}"] = _where(members, {before: False, after: True})
            groups[f"{_LEFT} {each.before}"] = _where(members, {before: True, after: False})
        called = [
            "in " + " and ".join(n for n, inside in zip(names, chosen, strict=True) if inside)
            for chosen in members
        ]
        self.classification = Classification(POPULATION, tuple(called), groups)

    def placed(self, publication: Publication, population: str) -> Publication:
        """Tables of one population as tables of all."""
        if publication.kind != "count":
            raise RequestError(
                "amounts of two populations are not comparable: they change for those who stay; leave "
                "population.after out"
            )
        if any(each.name == POPULATION for each in publication.used):
            raise RequestError(
                f"a dimension is called {POPULATION!r}; rename it, populations are compared by it"
            )
        return replace(
            publication,
            classifications=(*publication.used, self.classification),
            tables=tuple(_fixed(table, population) for table in publication.tables),
        )

    def known(self) -> Publication | None:
        """How many joined and left, as a publication of its own."""
        rows: Mapping[str, Told | None] = {
            label: told
            for each in self.changes
            for label, told in (
                (f"{_JOINED} {each.after}", each.joined),
                (f"{_LEFT} {each.before}", each.left),
            )
        }
        cells = [((label,), told) for label, told in rows.items() if told is not None]
        if not cells:
            return None
        table = PublishedTable.of("who joined and left", (POPULATION,), cells)
        return Publication((self.classification,), (table,))


def _where(members: Sequence[Sequence[bool]], wanted: Mapping[int, bool]) -> tuple[int, ...]:
    return tuple(
        number
        for number, chosen in enumerate(members)
        if all(chosen[place] is inside for place, inside in wanted.items())
    )


def _fixed(table: PublishedTable, population: str) -> PublishedTable:
    return replace(
        table,
        dimensions=(*table.dimensions, POPULATION),
        labels=(*table.labels, (population,)),
        codes=np.hstack([table.codes, np.zeros((len(table), 1), np.int32)]),
    )
