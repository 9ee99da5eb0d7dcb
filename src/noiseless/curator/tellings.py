"""What is told about the people of one public group: how it is priced, computed, stored and found again.

Everything that leaves the data is one of two things: how many rows are in each block of a private column's
values, exactly; or the cell that a number lies in. All else is computed from those and is free.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from noiseless.curator.memory import Memory, once
from noiseless.curator.snapshot import Cells, Snapshot
from noiseless.pricing.event import Event
from noiseless.pricing.partition import Partition
from noiseless.questions.runs import Runs, as_runs

Stored = Mapping[str, Any]
"""An answer as it is kept in the ledger: {"counts": [...]}, or {"cell": number}, null for "too few"."""


@dataclass(frozen=True)
class Earlier:
    """A question that was charged for, as far as others may follow from it.

    Attributes:
        question: its fingerprint.
        body: what was told.
        answer: its answer; None if it was never computed.
    """

    question: str
    body: Mapping[str, Any]
    answer: Stored | None


@dataclass(frozen=True)
class People:
    """Who takes part.

    Attributes:
        cells: the public cells, None for everybody.
        size: how many rows they have.
        name: what tells them apart in fingerprints.
    """

    cells: Cells
    size: int
    name: str

    @once
    def runs(self) -> Runs | None:
        """The public cells as runs of their places; None for everybody."""
        return None if self.cells is None else as_runs(self.cells)


class Alike:
    """What is the same for all groups that the same is told of: made once, for groups may be many.

    Attributes:
        told: the blocks or cells that are told apart, as plain JSON.
        text: the same as canonical JSON.
        alone: what one person pays when nothing else is known; see `pricing`, which keeps it here.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self.told = told
        self.text = written(told)
        self.alone: Any = None


@dataclass(frozen=True, eq=False)
class Telling(ABC):
    """Something that is told about some people.

    Attributes:
        people: who takes part.
        what: what is asked, cells apart; plain JSON.
        version: the number of the dataset's version.
    """

    people: People
    what: tuple[Any, ...]
    version: int

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The private columns that it is computed of."""

    @property
    @abstractmethod
    def event(self) -> Event:
        """What its price depends on."""

    @property
    @abstractmethod
    def alike(self) -> Alike:
        """What it has in common with what is told of other groups: the blocks or cells told apart."""

    @property
    @abstractmethod
    def constant(self) -> Stored | None:
        """The answer, where nobody's record can change it: it costs nothing and needs no data."""

    @property
    @abstractmethod
    def weight(self) -> int:
        """How much memory it takes, in numbers."""

    @abstractmethod
    def compute(self, snapshot: Snapshot) -> Stored:
        """The answer. This looks at the data."""

    @abstractmethod
    def is_implied(self, earlier: Sequence[Earlier]) -> bool:
        """Whether it follows from questions that were charged for."""

    @abstractmethod
    def derive(self, earlier: Sequence[Earlier]) -> Stored | None:
        """The answer, if it is implied and the answers that it follows from are known."""

    @once
    def grid(self) -> str:
        """The fingerprint of what is asked of whom, whatever the cells of the answer."""
        return _hashed(f"[{self.version},{self.written},{_quoted(self.people.name)}]")

    @once
    def written(self) -> str:
        """What is asked as canonical JSON; that of all groups is one text."""
        found = _written.get(self.what)
        if found is None:
            made = written(self.what)
            found = _written.keep(self.what, made, len(made))
        return found

    @once
    def question(self) -> str:
        """The fingerprint with the cells."""
        return _hashed(f'["{self.grid}",{self.alike.text}]')

    @property
    def body(self) -> dict[str, Any]:
        """What the ledger keeps of it: later questions may follow from it, and exposure does."""
        return {"what": self.what, "people": self.people.runs, **self.alike.told}

    @once
    def around(self) -> str | None:
        """The fingerprint under which counts of the same column and people are found."""
        if len(self.columns) != 1:
            return None
        column, people = _quoted(self.columns[0]), _quoted(self.people.name)
        return _hashed(f'[{self.version},"counts",{column},{people}]')

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


_quoted = encode_basestring
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False)
# `encode` makes this for every text anew, which takes longer than to write a short one.
_MAKE = getattr(json.encoder, "c_make_encoder", None)
_WRITE: Callable[[Any, int], Iterable[str]] | None = _MAKE and _MAKE(
    None, _ENCODER.default, _quoted, None, ":", ",", True, False, True
)


def written(value: object) -> str:
    """The one way to write a JSON value: sorted keys, no spaces."""
    return _ENCODER.encode(value) if _WRITE is None else "".join(_WRITE(value, 0))


_written = Memory[str](2**25)


def write_partition(blocks: Partition) -> dict[str, Any]:
    """The blocks of a column as plain JSON; a block for each value is written shortly."""
    if blocks.blocks == blocks.size:
        return {"each": blocks.names[0], "size": blocks.size}
    runs = {"starts": list(blocks.starts), "labels": list(blocks.labels)}
    return {"blocks": blocks.names[0], "size": blocks.size, **runs}


def read_partition(body: Mapping[str, Any]) -> Partition | None:
    """The blocks that were counted, if it is about counts."""
    if "each" in body:
        return Partition.each(body["each"], body["size"])
    if "blocks" in body:
        return Partition((body["blocks"],), (body["size"],), tuple(body["starts"]), tuple(body["labels"]))
    return None


def representatives(blocks: Partition) -> list[int]:
    """The first number of each block."""
    found: dict[int, int] = {}
    for start, label in zip(blocks.starts, blocks.labels, strict=True):
        found.setdefault(label, start)
    return [found[label] for label in range(blocks.blocks)]
