"""Runs of numbers as conditions and as blocks of a column's values."""

from math import comb

from noiseless.pricing.partition import Partition
from noiseless.pricing.predicate import Predicate
from noiseless.questions.runs import Runs


def condition(name: str, size: int, runs: Runs) -> Predicate:
    """The condition that a value's number is in one of the runs.

    >>> two = condition("age", 100, ((10, 20), (90, 100)))
    >>> two == Predicate.of("age", 100, [*range(10, 20), *range(90, 100)])
    True
    """
    starts = sorted({0, *(edge for run in runs for edge in run if edge < size)})
    begins = {start for start, _ in runs}
    inside = [start in begins for start in starts]  # runs do not touch: where one ends none begins
    partition = Partition.of_runs((name,), (size,), starts, inside)
    return Predicate(partition, frozenset({int(not inside[0])} if any(inside) else ()))


def with_number(runs: Runs, number: int) -> Runs:
    """The runs with one more number.

    >>> with_number(((1, 3), (4, 6)), 3), with_number(((1, 3),), 2)
    (((1, 6),), ((1, 3),))
    """
    found: list[tuple[int, int]] = []
    for start, stop in sorted((*runs, (number, number + 1))):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return tuple(found)


def neighbouring(name: str, size: int, blocks: int) -> Partition:
    """So many blocks of neighbouring values, as equal as can be.

    >>> neighbouring("age", 10, 4).starts
    (0, 2, 5, 7)
    """
    return Partition.intervals(name, size, (size * block // blocks for block in range(blocks)))


def most_blocks(size: int, rows: int, outputs: int, *, alike: bool) -> int:
    """The most blocks whose exact counts let one person with so many rows cause at most so many outputs.

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


def outputs_of(blocks: int, rows: int, *, alike: bool) -> int:
    """How many outputs of the exact counts of so many blocks one person with so many rows can cause.

    >>> outputs_of(6, 1, alike=True), outputs_of(2, 24, alike=True), outputs_of(2, 24, alike=False)
    (6, 25, 16777216)
    """
    return comb(blocks + rows - 1, rows) if alike else blocks**rows
