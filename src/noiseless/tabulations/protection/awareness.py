"""Adversaries who know the rules and the optimiser: tables count for which the same would be published.

[[X|P, R]] are the tables x that fit the publication P and for which R, rules and method together, publishes P
as well. It is found by running R again on each table that fits; where there are too many, or R is no function
of the table alone, nothing is claimed.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from scipy.sparse import csc_array

from noiseless.arrays import IntArray
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.propagation import declared_bounds, propagate
from noiseless.tabulations.protection.core import protect
from noiseless.tabulations.protection.method import ProtectionMethod
from noiseless.tabulations.protection.outcome import AwarenessFinding, ProtectionOutcome
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import Publication

MAX_TABLES = 2_000
"""Tables that the rule is run on again."""
_MAX_STEPS = 500_000


def awareness(
    outcome: ProtectionOutcome, method: ProtectionMethod, weights: str, deadline: Deadline
) -> AwarenessFinding:
    """What is left of a safe outcome for an adversary who knows how it came about.

    Args:
        outcome: what one method found, with nothing cut short by a time limit.
        method: that method.
        weights: `count`, `value`, or something else that does not depend on the table.
        deadline: when to give up.
    """
    tables, published = outcome.tables, outcome.publication
    if published is None or outcome.proposal is None:
        return _open("nothing safe was found")
    if not tables.sensitive.any():
        return AwarenessFinding(None, None, None, True, "no figure is sensitive")
    if why := _not_a_function(tables):
        return _open(why)
    found = fitting_tables(published)
    if found is None or len(found) > MAX_TABLES:
        return _open(f"more than {MAX_TABLES:,} tables fit, too many to run the rule on each")
    left = list[IntArray]()
    for cells in found:
        if deadline.over:
            return _open("the time limit came before the rule was run on every table that fits")
        again = _rerun(tables, cells, method, weights)
        if again is not None and _same(again, published):
            left.append(cells)
    rows = tables.matrix[np.flatnonzero(tables.sensitive)].astype(np.int64)
    values = rows @ np.array(left).T if left else np.zeros((rows.shape[0], 0), np.int64)
    fewest = min((len(set(row.tolist())) for row in values), default=0)
    words = (
        f"{len(found):,} tables fit, and the rule publishes the same for {len(left):,} of them; these leave "
        f"every sensitive figure at least {fewest:,} possible values"
    )
    return AwarenessFinding(len(found), len(left), fewest, True, words)


def _open(why: str) -> AwarenessFinding:
    return AwarenessFinding(None, None, None, False, f"nothing is claimed: {why}")


def _not_a_function(tables: TrueTables) -> str:
    """Why what is published does not follow from the base cells alone; empty if it does."""
    if tables.base_cells is None:
        return "the tables do not show all base cells"
    given = tables.contributions
    if tables.publication.kind != "count":
        return "what is published depends on who contributed what, and not on the sums alone"
    if given is not None and (np.any(given.amounts != 1) or len(np.unique(given.who)) < len(given.who)):
        return "what is published depends on who is in several cells, and not on the counts alone"
    return ""


def _rerun(tables: TrueTables, cells: IntArray, method: ProtectionMethod, weights: str) -> Publication | None:
    """What the rule publishes for another table."""
    sums = tables.matrix.astype(np.int64) @ cells
    costs = np.abs(sums).astype(float) if weights == "value" else tables.costs
    other = TrueTables(tables.told(sums, sums), tables.rules, None, tables.secret, costs)
    return protect(other, [method]).outcomes[0].publication


def _same(one: Publication, other: Publication) -> bool:
    return (
        one.rows.shape == other.rows.shape
        and np.array_equal(one.told_lower, other.told_lower)
        and np.array_equal(one.told_upper, other.told_upper)
        and np.array_equal(one.rows.indptr, other.rows.indptr)
        and np.array_equal(one.rows.indices, other.rows.indices)
    )


def fitting_tables(publication: Publication) -> list[IntArray] | None:
    """Every table of integers that fits a publication; None if there are too many, or too much to try."""
    history = declared_bounds(publication)
    propagate(publication, history)
    if np.any(history.upper - history.lower > _MAX_STEPS):
        return None
    search = _Enumeration(publication, history.lower, history.upper)
    try:
        return list(islice(search.extended(0), MAX_TABLES + 1))
    except _TooManyStepsError:
        return None


class _TooManyStepsError(Exception):
    """The search is given up."""


class _Enumeration:
    """Base cell after base cell; a value is tried if every figure alone can still be met."""

    def __init__(self, publication: Publication, lower: IntArray, upper: IntArray) -> None:
        self.low, self.high = publication.told_lower, publication.told_upper
        matrix = publication.rows.astype(np.int64)
        self.cells, self.lower, self.width = lower.copy(), lower, upper - lower
        self.free: list[int] = np.flatnonzero(self.width).tolist()
        self.uses = csc_array(matrix)
        self.sums, self.room = matrix @ lower, matrix @ self.width
        self.steps = _MAX_STEPS

    def extended(self, place: int) -> Iterator[IntArray]:
        """The tables that begin as the cells do now."""
        self.steps -= 1
        if self.steps < 0:
            raise _TooManyStepsError
        if place == len(self.free):
            yield self.cells.copy()
            return
        atom = self.free[place]
        rows = self.uses.indices[self.uses.indptr[atom] : self.uses.indptr[atom + 1]]
        self.room[rows] -= self.width[atom]
        for more in range(int(self.width[atom]) + 1):
            self.cells[atom] = self.lower[atom] + more
            if np.all(self.sums[rows] <= self.high[rows]) and np.all(
                self.sums[rows] + self.room[rows] >= self.low[rows]
            ):
                yield from self.extended(place + 1)
            self.sums[rows] += 1
        self.sums[rows] -= self.width[atom] + 1
        self.room[rows] += self.width[atom]
        self.cells[atom] = self.lower[atom]
