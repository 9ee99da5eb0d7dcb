"""The least that a table must withhold so that every promise holds: an implicit hitting set.

The figures that tell a breach are a clause: as long as all of them are published it stands, so that one of
those of the new table must be withheld. A figure that is withheld falls under the promise itself; a breach of
that is a clause for the case that it is withheld. The cheapest choice that meets all clauses is tried; if it
breaks a promise, that is one more clause, and otherwise nothing is cheaper. (Cf. Moreno-Centeno and Karp, The
implicit hitting set approach to solve combinatorial optimization problems, 2013.)
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from noiseless.tabulations.publication import MAX_VALUE, UNBOUNDED, Publication, RowName
from noiseless.tabulations.published_table import PublishedTable

MOST_ROUNDS = 60
"""Choices that are tried."""
_MOST_NODES = 100_000


class Clause(NamedTuple):
    """At least one of some figures must be withheld; if `given` is one, only where that is withheld."""

    one_of: frozenset[int]
    given: int | None = None

    def broken(self, chosen: Collection[int]) -> bool:
        """Whether a choice does not meet it."""
        return (self.given is None or self.given in chosen) and self.one_of.isdisjoint(chosen)


@dataclass(frozen=True)
class TableCoarsening:
    """What a table must withhold.

    Attributes:
        withheld: the figures; empty if no choice helps.
        least: whether it is proved that no fewer are enough, or that no choice helps.
        dimensions: dimensions of the table that it could leave out instead, publishing their totals alone.
    """

    withheld: tuple[RowName, ...]
    least: bool
    dimensions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "withheld": [{"table": table, "labels": list(labels)} for table, labels in self.withheld],
            "least": self.least,
            "dimensions": list(self.dimensions),
        }


def withholding(publication: Publication, rows: Collection[int]) -> Publication:
    """The same tables with some figures withheld: nothing is published of them."""
    chosen = np.zeros(len(publication.told_lower), bool)
    chosen[list(rows)] = True
    floor = np.maximum(publication.rows.astype(np.float64) @ publication.atom_lower, -MAX_VALUE)
    tables, begin = list[PublishedTable](), 0
    for table in publication.tables:
        of, begin = slice(begin, begin + len(table)), begin + len(table)
        lower = np.where(chosen[of], floor[of].astype(np.int64), table.lower)
        tables.append(replace(table, lower=lower, upper=np.where(chosen[of], UNBOUNDED, table.upper)))
    return replace(publication, tables=tuple(tables))


def withholdable(publication: Publication) -> frozenset[int]:
    """The figures of which something is published."""
    return frozenset(np.flatnonzero(publication.told_upper < UNBOUNDED).tolist())


def without(publication: Publication, dimension: str) -> Publication | None:
    """The same tables without a dimension, as far as they have its totals; None if nothing is left."""
    known = next(each for each in publication.used if each.name == dimension)
    totals = {name for name, members in known.groups.items() if len(members) == len(known.categories)}
    tables = list[PublishedTable]()
    for table in publication.tables:
        if dimension not in table.dimensions:
            tables.append(table)
            continue
        axis = table.dimensions.index(dimension)
        place = [number for number, label in enumerate(table.labels[axis]) if label in totals]
        keep = np.isin(table.codes[:, axis], place)
        if keep.any():
            tables.append(
                replace(table, codes=table.codes[keep], lower=table.lower[keep], upper=table.upper[keep])
            )
    return replace(publication, tables=tuple(tables)) if tables else None


def cheapest(
    clauses: Sequence[Clause], cost: Callable[[int], tuple[int, int]]
) -> tuple[frozenset[int] | None, bool]:
    """The choice of least cost that meets all clauses, and whether that is proved; None if there is none.

    Costs add up, place by place. Every choice that meets a clause has one of its figures: the search branches
    over them, and one that was tried is left out of those after it.
    """
    nodes, best, best_cost = _MOST_NODES, None, (1 << 60, 0)
    stack = [(frozenset[int](), frozenset[int](), (0, 0))]
    while stack and nodes:
        chosen, out, spent = stack.pop()
        nodes -= 1
        if spent >= best_cost:
            continue
        broken = [sorted(clause.one_of - out) for clause in clauses if clause.broken(chosen)]
        if not broken:
            best, best_cost = chosen, spent
            continue
        branches, tried = list[tuple[frozenset[int], frozenset[int], tuple[int, int]]](), set[int]()
        shortest = min(broken, key=_length)
        for each in sorted(shortest, key=lambda row: (cost(row), row)):
            more = cost(each)
            branches.append((chosen | {each}, out | tried, (spent[0] + more[0], spent[1] + more[1])))
            tried.add(each)
        stack += reversed(branches)
    return best, nodes > 0


def _length(rows: list[int]) -> tuple[int, list[int]]:
    return len(rows), rows
