"""Exact counts: how many rows are in each block of the values of one private column."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from noiseless.curator.blocks import outputs_of
from noiseless.curator.memory import once
from noiseless.curator.snapshot import Snapshot
from noiseless.curator.tellings import (
    Alike,
    Earlier,
    Stored,
    Telling,
    read_partition,
    representatives,
    write_partition,
)
from noiseless.pricing.events import ExactCounts
from noiseless.pricing.partition import Partition

_PAIR = 2


@dataclass(frozen=True, eq=False)
class CountsTelling(Telling):
    """The counts of all blocks of a partition.

    Attributes:
        partition: the blocks.
        shared: what it has in common with what is told of other groups, if that was made before.
    """

    partition: Partition
    shared: Alike | None = field(default=None, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return self.partition.names

    @cached_property
    def event(self) -> ExactCounts:
        """A person's block."""
        return ExactCounts(self.partition, self.people.cells)

    @property
    def weight(self) -> int:
        """As heavy as its runs."""
        return len(self.partition.starts)

    @once
    def alike(self) -> Alike:
        """The blocks."""
        return self.shared or Alike(write_partition(self.partition))

    @property
    def findable(self) -> str | None:
        """A count of one condition is found by itself; what follows from more is found by who takes part."""
        telling = self.partition.blocks > _PAIR or self.partition.blocks == self.partition.size
        return self.around if telling else None

    @property
    def constant(self) -> Stored | None:
        """One block holds everybody."""
        return {"counts": [self.people.size]} if self.partition.blocks == 1 else None

    def compute(self, snapshot: Snapshot) -> Stored:
        """Count the rows of each run of a block."""
        in_runs = snapshot.count(self.columns, self.people.cells).in_runs(self.partition.starts)
        return {"counts": self._gathered(zip(self.partition.labels, in_runs, strict=True))}

    def is_implied(self, earlier: Sequence[Earlier]) -> bool:
        """Whether finer blocks were counted."""
        return next(self._finer(earlier), None) is not None

    def derive(self, earlier: Sequence[Earlier]) -> Stored | None:
        """Add up finer blocks."""
        for blocks, answer in self._finer(earlier):
            if answer is not None:
                labels = (self.partition.label_at(number) for number in representatives(blocks))
                return {"counts": self._gathered(zip(labels, answer["counts"], strict=True))}
        return None

    def _finer(self, earlier: Sequence[Earlier]) -> Iterator[tuple[Partition, Stored | None]]:
        for told in earlier:
            blocks = read_partition(told.body)
            if blocks is not None and self.event.follows_from(blocks):
                yield blocks, told.answer

    def _gathered(self, parts: Iterable[tuple[int, int]]) -> list[int]:
        found = [0] * self.partition.blocks
        for label, count in parts:
            found[label] += count
        return found

    @property
    def outputs_of_each(self) -> int:
        """How many outputs one person could cause if each value were counted by itself."""
        rows = min(self.what[-1], self.people.size)
        return outputs_of(self.partition.size, rows, alike=self.people.cells is None)

    @cached_property
    def block_sizes(self) -> list[int]:
        """How many values each block has."""
        ends = (*self.partition.starts[1:], self.partition.size)
        parts = zip(self.partition.labels, self.partition.starts, ends, strict=True)
        return self._gathered((label, end - start) for label, start, end in parts)
