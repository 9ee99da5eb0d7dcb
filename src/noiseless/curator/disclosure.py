"""What is told about the people of one public group: how it is priced, computed, stored and found again.

Everything that leaves the data is one of two things: how many rows are in each block of a private column's
values, exactly; or the cell that a number lies in. All else is computed from those and is free.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

from noiseless.curator.snapshot import Cells, Snapshot
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.event import Event
from noiseless.pricing.events import ExactCounts
from noiseless.pricing.partition import DomainPartition
from noiseless.questions.filters import Runs, as_runs

StoredAnswer = Mapping[str, Any]
"""An answer as it is kept in the ledger: {"counts": [...]}, or {"cell": number}, null for "too few"."""


@dataclass(frozen=True)
class Participants:
    """Who takes part.

    Attributes:
        cells: the public cells, None for everybody.
        size: how many rows they have.
        name: what tells them apart in fingerprints.
    """

    cells: Cells
    size: int
    name: str

    @cached_property
    def runs(self) -> Runs | None:
        """The public cells as runs of their places; None for everybody."""
        return None if self.cells is None else as_runs(self.cells)


class OutputSpace:
    """What is the same for all groups that the same is told of: made once, for groups may be many.

    Attributes:
        told: the blocks or cells that are told apart, as plain JSON.
        text: the same as canonical JSON.
        weight: how much memory they take, in numbers.
    """

    def __init__(self, told: dict[str, Any], weight: int) -> None:
        self.told, self.weight = told, weight
        self.text = written(told)


@dataclass(frozen=True, eq=False)
class Disclosure(ABC):
    """Something that is told about some people.

    Attributes:
        people: who takes part.
        what: what is asked, cells apart; plain JSON.
        version: the number of the dataset's version.
        alike: what it has in common with what is told of other groups: the blocks or cells told apart.
        columns: the private columns that it is computed of, the one that filters last.
    """

    people: Participants
    what: tuple[Any, ...]
    version: int
    alike: OutputSpace
    columns: tuple[str, ...]

    @property
    @abstractmethod
    def event(self) -> Event:
        """What its price depends on."""

    @property
    @abstractmethod
    def constant(self) -> StoredAnswer | None:
        """The answer, where nobody's record can change it: it costs nothing and needs no data."""

    @abstractmethod
    def compute(self, snapshot: Snapshot) -> StoredAnswer:
        """The answer. This looks at the data."""

    @abstractmethod
    def derived(self, earlier: Sequence[ChargedQuestion]) -> Iterator[StoredAnswer | None]:
        """The answer for each way in which it follows from questions that were charged for.

        None where it follows and the answers that it is computed from were never stored.
        """

    @cached_property
    def grid(self) -> str:
        """The fingerprint of what is asked of whom, whatever the cells of the answer."""
        return fingerprint([self.version, self.what, self.people.name])

    @cached_property
    def question(self) -> str:
        """The fingerprint with the cells."""
        return _hashed(f'["{self.grid}",{self.alike.text}]')

    @property
    def body(self) -> dict[str, Any]:
        """What the ledger keeps of it: later questions may follow from it, and exposure does."""
        return {"what": self.what, "people": self.people.runs, **self.alike.told}

    @cached_property
    def around(self) -> str | None:
        """The fingerprint under which counts of the same column and people are found."""
        if len(self.columns) != 1:
            return None
        return fingerprint([self.version, "counts", self.columns[0], self.people.name])

    @property
    def findable(self) -> str | None:
        """The same, for counts from which other answers may follow."""
        return None


def fingerprint(value: object) -> str:
    """SHA-256 of canonical JSON.

    >>> fingerprint(["count", 1])[:8]
    '35f40b1f'
    """
    return _hashed(written(value))


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def written(value: object) -> str:
    """The one way to write a JSON value: sorted keys, no spaces."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def told_blocks(partition: DomainPartition) -> OutputSpace:
    """The counts of a partition's blocks, as heavy as its runs."""
    return OutputSpace(write_partition(partition), len(partition.starts))


def write_partition(blocks: DomainPartition) -> dict[str, Any]:
    """The blocks of a column as plain JSON; a block for each value is written shortly."""
    if blocks.blocks == blocks.size:
        return {"each": blocks.names[0], "size": blocks.size}
    runs = {"starts": list(blocks.starts), "labels": list(blocks.labels)}
    return {"blocks": blocks.names[0], "size": blocks.size, **runs}


def read_partition(body: Mapping[str, Any]) -> DomainPartition | None:
    """The blocks that were counted, if it is about counts."""
    if "each" in body:
        return DomainPartition.each(body["each"], body["size"])
    if "blocks" in body:
        return DomainPartition(
            (body["blocks"],), (body["size"],), tuple(body["starts"]), tuple(body["labels"])
        )
    return None


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


@dataclass(frozen=True, eq=False)
class CountsDisclosure(Disclosure):
    """The counts of all blocks of a partition.

    Attributes:
        partition: the blocks.
    """

    partition: DomainPartition

    @cached_property
    def event(self) -> ExactCounts:
        """A person's block."""
        return ExactCounts(self.partition, self.people.cells)

    @property
    def findable(self) -> str | None:
        """A count of one condition is found by itself; what follows from more is found by who takes part."""
        blocks, size = self.partition.blocks, self.partition.size
        return self.around if blocks > 2 or blocks == size else None  # noqa: PLR2004 - a condition has two

    @property
    def constant(self) -> StoredAnswer | None:
        """One block holds everybody."""
        return {"counts": [self.people.size]} if self.partition.blocks == 1 else None

    def compute(self, snapshot: Snapshot) -> StoredAnswer:
        """Count the rows of each run of a block."""
        in_runs = snapshot.count(self.columns, self.people.cells).in_runs(self.partition.starts)
        return {"counts": self._gathered(zip(self.partition.labels, in_runs, strict=True))}

    def derived(self, earlier: Sequence[ChargedQuestion]) -> Iterator[StoredAnswer | None]:
        """Add up finer blocks that were counted."""
        for told in earlier:
            blocks = read_partition(told.body)
            if blocks is None or not self.event.follows_from(blocks):
                continue
            if told.answer is None:
                yield None
            else:
                labels = (self.partition.label_at(number) for number in blocks.representatives)
                yield {"counts": self._gathered(zip(labels, told.answer["counts"], strict=True))}

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
