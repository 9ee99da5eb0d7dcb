"""The rules of composition: bounds on the number of joint answers that one person can cause.

Each rule is a pure function of whole numbers and partitions. `accounting.mixtures` looks for the mixture of
rules with the smallest bound; docs/prices.md says in plain words why each holds.
"""

from collections.abc import Iterable, Sequence
from heapq import nlargest
from math import comb, prod
from typing import NamedTuple

from noiseless.pricing.partition import DomainPartition, refined
from noiseless.work import spend

_MOST_WORK = 10**6
"""Parallel hyperplanes are told apart while classes times dimensions are at most so many."""


class OutputBound(NamedTuple):
    """At most so many joint outputs, and the rule that says so."""

    outputs: int
    rule: str


def product(outputs: Iterable[int]) -> OutputBound:
    """The product of the reaches (Theorem 6 of [P1]): always valid."""
    return OutputBound(prod(outputs), "product")


def cuts(steps: Iterable[int]) -> OutputBound:
    """1 + the sum of cuts, for step functions of one ordered attribute.

    >>> cuts([3, 3, 3])
    OutputBound(outputs=10, rule='cuts')
    """
    return OutputBound(1 + sum(steps), "cuts")


def cuts_of(reaches: Iterable[int], pieces: Iterable[int]) -> OutputBound:
    """1 + the sum of pieces * (reach - 1), for answers with so many monotone pieces along one attribute.

    Within a monotone piece an answer with `reach` outputs changes at most reach - 1 times, and neighbouring
    pieces share their turning point.
    """
    return cuts(number * (reach - 1) for reach, number in zip(reaches, pieces, strict=True))


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


def atoms(partitions: Sequence[DomainPartition]) -> OutputBound:
    """Exact counts tell of a record only the atom of the partition that they generate together."""
    return OutputBound(refined(partitions).blocks, "partition")


def cuts_and_atoms(partitions: Sequence[DomainPartition], steps: Iterable[int]) -> OutputBound:
    """Atoms, and step functions along the same attribute: a cut adds one for each atom that it parts.

    >>> parity = DomainPartition.of("x", [0, 1] * 5)
    >>> cuts_and_atoms([parity], [1, 1]), cuts_and_atoms([parity], [100])
    (OutputBound(outputs=6, rule='cuts and partition'), OutputBound(outputs=10, rule='cuts and partition'))
    """
    return OutputBound(refined(partitions).spread(sum(steps)), "cuts and partition")


def filtered(steps_by_atom: Iterable[int]) -> OutputBound:
    """Sums filtered on another private attribute: for each atom of the filters, 1 + the cuts seen there."""
    return OutputBound(sum(1 + steps for steps in steps_by_atom), "filter")


def grouped(reaches: Iterable[int]) -> OutputBound:
    """GROUP BY a private column: 1 + sum of (N_g - 1), N_g counting "absent".

    A person is in one group; all other groups answer as if the person were absent.
    """
    return OutputBound(1 + sum(reach - 1 for reach in reaches), "groups")


def public_groups(bounds: Iterable[OutputBound]) -> OutputBound:
    """People in different public groups are different people: the largest of the groups' bounds."""
    return max(bounds, key=lambda bound: bound.outputs)


def several_rows(outputs: Iterable[int], rows: int) -> OutputBound:
    """A person with so many rows is in at most as many public groups: the product of the largest bounds."""
    return OutputBound(prod(nlargest(rows, outputs)), "rows")


def equal_rows(blocks: int, rows: int) -> OutputBound:
    """Counts over all rows tell how many of a person's rows are in each block, not which."""
    return OutputBound(comb(blocks + rows - 1, rows), "partition")


def capped(bound: OutputBound, values: int | None) -> OutputBound:
    """Never more outputs than the record has values: then it may be fully disclosed."""
    return bound if values is None or bound.outputs < values else OutputBound(values, "record")
