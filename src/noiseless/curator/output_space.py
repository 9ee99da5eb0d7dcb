"""The outputs of what is published: blocks of a column's values, as they are written, read and priced."""

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from noiseless.curator.fingerprints import write_partition, written
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.questions.derived import DerivedColumn, Domain
from noiseless.questions.filters import Among


class OutputSpace:
    """What is the same for all groups that the same is told of: made once, for groups may be many.

    Attributes:
        told: the blocks or cells that are told apart, as plain JSON.
        text: the same as canonical JSON.
        weight: how much memory they take, in numbers.
        priced: blocks of a derived attribute as blocks of the declared ones, for prices.
    """

    def __init__(self, told: dict[str, Any], weight: int, priced: DomainPartition | None = None) -> None:
        self.told, self.weight, self.priced = told, weight, priced
        self.text = written(told)


def told_blocks(partition: DomainPartition, domain: Domain | None = None) -> OutputSpace:
    """The counts of a partition's blocks, as heavy as its runs."""
    priced = None if domain is None else lifted(partition, domain)
    return OutputSpace(write_partition(partition), len((priced or partition).starts), priced)


_MOST_LIFTED = 2**14
"""Level sets of more combinations are priced as an attribute of their own."""


def lifted(partition: DomainPartition, domain: Domain, axis: str | None = None) -> DomainPartition | None:
    """Blocks of a derived attribute as blocks of the private columns that it is of: its level sets.

    Then they meet conditions on these columns in one partition. None where that is not so, or not worth it.

    Args:
        partition: the blocks.
        domain: the attribute.
        axis: a column that the blocks must leave out.
    """
    if not isinstance(domain, DerivedColumn) or domain.codes is None or axis in domain.inputs:
        return None
    public = any(column.role == "public" for column in domain.inputs.values())
    if public or not domain.inputs or len(domain.codes) > _MOST_LIFTED:
        return None
    ends = np.diff([*partition.starts, partition.size])
    labels = np.repeat(np.array(partition.labels), ends)[domain.codes]
    sizes = {name: column.size for name, column in domain.inputs.items()}
    names = tuple(sorted(sizes))
    order = [list(sizes).index(name) for name in names]
    dense = labels.reshape(tuple(sizes.values())).transpose(order).ravel()
    return DomainPartition.of(names, dense.tolist(), [sizes[name] for name in names])


@lru_cache(256)
def predicate(passing: Among, domain: Domain, axis: str) -> Predicate:
    """The condition that a filter is; `domain` tells filters with one name apart."""
    found = Predicate.of_runs(passing.column, domain.size, passing.runs)
    blocks = lifted(found.partition, domain, axis)
    if blocks is None:
        return found
    first = np.searchsorted(found.partition.starts, _codes_of(domain, blocks), side="right") - 1
    chosen = {
        label for label, run in enumerate(first.tolist()) if found.partition.labels[run] in found.chosen
    }
    return Predicate(blocks, frozenset(chosen))


def _codes_of(domain: Domain, blocks: DomainPartition) -> list[int]:
    """The derived attribute's number in each of its level sets."""
    assert isinstance(domain, DerivedColumn)  # noqa: S101 - it was lifted
    places = np.unravel_index(blocks.representatives, blocks.sizes)
    numbers = dict(zip(blocks.names, places, strict=True))
    return list(domain.numbers(numbers.__getitem__))


def outputs_of(blocks: int, rows: int, *, alike: bool) -> int:
    """How many outputs of the exact counts of this many blocks one person with this many rows can cause.

    >>> outputs_of(6, 1, alike=True), outputs_of(2, 24, alike=True), outputs_of(2, 24, alike=False)
    (6, 25, 16777216)
    """
    return comb(blocks + rows - 1, rows) if alike else blocks**rows


def most_blocks(size: int, rows: int, outputs: int, *, alike: bool) -> int:
    """The most blocks whose exact counts let one person with this many rows cause at most this many outputs.

    Args:
        size: how many values there are.
        rows: how many rows a person has.
        outputs: how many outputs are allowed.
        alike: whether all rows of a person are counted together.
    """
    low, high = 1, size
    while low < high:
        blocks = (low + high + 1) // 2
        told = outputs_of(blocks, rows, alike=alike)
        low, high = (blocks, high) if told <= outputs else (low, blocks - 1)
    return low
