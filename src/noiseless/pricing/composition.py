"""The rules of composition: bounds on the number of joint answers that one person can cause.

Each rule is a pure function of whole numbers. `pricing.mixtures` looks for the mixture of them, of products,
and of steps within the atoms of partitions (`DomainPartition.spread`) with the smallest bound; docs/prices.md
says in plain words why each holds.
"""

from collections.abc import Iterable, Sequence
from heapq import nlargest
from math import comb, prod
from typing import NamedTuple

from noiseless.work import spend

_MOST_WORK = 10**6
"""Parallel hyperplanes are told apart while classes times dimensions are at most so many."""


class OutputBound(NamedTuple):
    """At most so many joint outputs, and the rule that says so."""

    outputs: int
    rule: str


def hyperplanes(classes: Sequence[int], dimensions: int) -> OutputBound:
    """The cells into which classes of parallel hyperplanes cut a space of so many dimensions.

    They are at most the sets of up to `dimensions` hyperplanes that meet, and of a parallel class only one is
    in such a set (the no-broken-circuit sets of the arrangement). Sharper than sum_{i<=d} C(m,i) over all
    m hyperplanes; with one dimension it is the rule of cuts, with as many dimensions as classes the product.
    Boundary points belong to one side; finitely many points allow to shift each hyperplane past them.

    >>> hyperplanes([1, 1, 1], 2), hyperplanes([3, 3, 3], 1)
    (OutputBound(outputs=7, rule='hyperplanes'), OutputBound(outputs=10, rule='hyperplanes'))
    """
    useful = [size for size in classes if size]
    if dimensions >= len(useful):
        return OutputBound(prod(size + 1 for size in useful), "hyperplanes")
    if len(useful) * dimensions > _MOST_WORK:
        total = sum(useful)
        return OutputBound(sum(comb(total, i) for i in range(dimensions + 1)), "hyperplanes")
    spend(len(useful) * dimensions)
    meeting = [1] + [0] * dimensions  # how many sets of i hyperplanes of different classes
    for size in useful:
        for i in range(dimensions, 0, -1):
            meeting[i] += meeting[i - 1] * size
    return OutputBound(sum(meeting), "hyperplanes")


def grouped(reaches: Iterable[int]) -> OutputBound:
    """GROUP BY a private column: 1 + sum of (N_g - 1), N_g counting "absent".

    A person is in one group; all other groups answer as if the person were absent.
    """
    return OutputBound(1 + sum(reach - 1 for reach in reaches), "groups")


def several_rows(outputs: Iterable[int], rows: int) -> OutputBound:
    """A person with so many rows is in at most as many public groups: the product of the largest bounds."""
    return OutputBound(prod(nlargest(rows, outputs)), "rows")


def equal_rows(blocks: int, rows: int) -> OutputBound:
    """Counts over all rows tell how many of a person's rows are in each block, not which."""
    return OutputBound(comb(blocks + rows - 1, rows), "partition")


def capped(bound: OutputBound, values: int | None) -> OutputBound:
    """Never more outputs than the record has values: then it may be fully disclosed."""
    return bound if values is None or bound.outputs < values else OutputBound(values, "record")
