"""Tables that arrive through a pipe, CSV or JSON lines: whole records as soon as they are there.

All bytes of a record stay as they were but for the values that are replaced; lines end with a line feed. What
is written never depends on how the bytes happened to arrive.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import SourceError
from noiseless.tables.csv_grammar import NOT_UTF8
from noiseless.tables.feeds import LABEL, Feed, Mark, count_lines
from noiseless.tables.text_files import Bounds

Columns = dict[str, pa.Array]


@dataclass(frozen=True, eq=False)
class PipeBatch(ABC):
    """Some records, one after the other.

    Attributes:
        data: their bytes.
        begin: where in the stream they begin.
        bounds: where each one begins and ends in the bytes, and more.
    """

    data: bytes
    begin: Mark
    bounds: Bounds

    def __len__(self) -> int:
        return len(self.bounds)

    @property
    def end(self) -> Mark:
        """Where in the stream they end."""
        return self.begin.after(self.data)

    def head(self, size: int) -> "PipeBatch":
        """The first `size` of them."""
        if size == len(self):
            return self
        return replace(self, data=self.data[: int(self.bounds[size, 0])], bounds=self.bounds[:size])

    def row(self, number: int) -> "PipeBatch":
        """One of them, by itself."""
        return replace(self, bounds=self.bounds[number : number + 1])

    def line(self, number: int) -> int:
        """The number, from 1, of the line in which a record begins."""
        return self.begin.lines + count_lines(self.data[: int(self.bounds[number, 0])]) + 1

    @abstractmethod
    def given(self) -> Columns:
        """The columns that were asked for, as texts; None where nothing stands."""

    @abstractmethod
    def written(self, released: Mapping[str, pa.Array], kept: object = None) -> bytes:
        """The records with some columns replaced, without those that are not kept."""

    def slices(self, begins: npt.NDArray[Any], ends: npt.NDArray[Any]) -> pa.StringArray:
        """Parts of the bytes, ascending, as texts."""
        offsets = np.empty(2 * len(begins), np.int32)
        offsets[::2], offsets[1::2] = begins, ends
        return self._every(offsets, 0, 2, len(begins))

    def joined(
        self, begins: npt.NDArray[Any], ends: npt.NDArray[Any], told: Sequence[pa.Array], kept: object
    ) -> bytes:
        """Each record with parts of it replaced: an array of places a part, from left to right."""
        size, count = begins.shape
        offsets = np.empty((size, 2 * count + 2), np.int32)
        offsets[:, 0], offsets[:, -1] = self.bounds[:, 0], self.bounds[:, 1]
        offsets[:, 1:-1:2], offsets[:, 2:-1:2] = begins, ends
        flat, step = offsets.reshape(-1), 2 * count + 2
        pieces = [self._every(flat, 2 * place, step, size) for place in range(count + 1)]
        parts = [part for pair in zip(pieces, told, strict=False) for part in pair]
        lines = pc.binary_join_element_wise(*parts, pieces[-1], "\n", "")
        if kept is not None:
            lines = lines.filter(pa.array(kept))
        _, places, text = lines.buffers()
        if not len(lines):
            return b""
        ends_at = np.frombuffer(places, np.int32)[lines.offset : lines.offset + len(lines) + 1]
        return bytes(text[int(ends_at[0]) : int(ends_at[-1])])

    def _every(self, offsets: npt.NDArray[np.int32], first: int, step: int, size: int) -> pa.StringArray:
        """From the parts between offsets, each `step`-th."""
        if not size:
            return pa.array([], pa.string())
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        parts = pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
        return parts.take(pa.array(np.arange(first, len(offsets) - 1, step)))


Scan = tuple[PipeBatch, int, str | None]
"""Records, how many bytes they take, and what is wrong with the one after them."""


class Pipe(ABC):
    """A table that arrives in batches.

    Attributes:
        feed: where from.
        is_text: whether values are written as texts; otherwise as JSON.
    """

    feed: Feed
    is_text: bool

    @property
    @abstractmethod
    def preamble(self) -> bytes:
        """What is written before all records."""

    @abstractmethod
    def check(self, columns: Sequence[str]) -> None:
        """Look for columns before anything is read of them.

        Raises:
            UnknownColumnError: one is not there.
        """

    @abstractmethod
    def scan(self, data: bytes, columns: Sequence[str], *, final: bool) -> Scan:
        """The whole records at the beginning of some bytes."""

    def batches(self, columns: Sequence[str], start: Mark | None = None) -> Iterator[PipeBatch]:
        """All records, as they come; those before a problem come before it is raised.

        Args:
            columns: the columns that batches give.
            start: where to begin, when what stands before was read in another run.

        Raises:
            SourceError: a record is not well-formed, or the stream is another one than before.
        """
        self.check(columns)
        if start is not None:
            self.feed.skip_to(start)
        while True:
            feed = self.feed
            found, used, problem = self.scan(feed.pending, columns, final=feed.ended)
            if not feed.pending.isascii() and (whole := _valid(feed.pending[:used])) < used:
                found, used, problem = self.scan(feed.pending[:whole], columns, final=False)
                problem = problem or NOT_UTF8
            found = replace(found, data=feed.pending[:used], begin=feed.mark)
            feed.advance(used)
            if len(found):
                yield found
            if problem is not None:
                raise SourceError(LABEL, f"line {self._bad_line():,} {problem}")
            if feed.ended:
                return
            feed.more()

    def _bad_line(self) -> int:
        """The number of the next line that is not blank."""
        pending = self.feed.pending
        blank = len(pending) - len(pending.lstrip(b"\r\n"))
        return self.feed.mark.lines + count_lines(pending[:blank]) + 1


def one_place(labels: pa.Array, write: Callable[[Any], str]) -> pa.Array:
    """Values as the texts that are written for them; each different one is written once."""
    coded = labels.dictionary_encode(null_encoding="encode")
    return pa.array([write(value) for value in coded.dictionary.to_pylist()], pa.string()).take(coded.indices)


def _valid(data: bytes) -> int:
    """How many bytes are whole lines of UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data.rfind(b"\n", 0, error.start) + 1
    return len(data)
