"""Finite channels: the probability of each output given each input."""

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.errors import ChannelError, SourceError
from noiseless.examples import not_opened
from noiseless.ranges import JointRange

_ROUNDING = 1e-9
"""How far a row may be from 1: decimals that were rounded when they were written."""


@dataclass(frozen=True, eq=False, repr=False)
class Channel:
    """P(y|x): a row for each input, a column for each output, rows that sum to 1.

    `Channel.of` checks what a user gives; the constructor trusts its caller.

    Attributes:
        matrix: the probabilities.
    """

    matrix: FloatArray

    @classmethod
    def of(cls, matrix: "npt.ArrayLike | Channel") -> Self:
        """Check a matrix and divide each row by its sum, which must be 1 but for rounding.

        Raises:
            ChannelError: it is no matrix of at least two rows, an entry is negative or no finite number, a
                row does not sum to 1, or a column is 0 throughout (an output that never occurs).

        >>> Channel.of([[0.5, 0.5], [0, 1]])
        Channel(2 inputs, 2 outputs)
        """
        if isinstance(matrix, Channel):
            return cls(matrix.matrix)
        try:
            entries = np.asarray(matrix, np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ChannelError("a channel is a matrix of probabilities, all rows equally long") from None
        _check(entries)
        return cls(np.ascontiguousarray(entries / entries.sum(axis=1, keepdims=True)))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a CSV file without a header, a row an input.

        Raises:
            SourceError: the file cannot be read or holds something else than numbers.
            ChannelError: the numbers are no channel.
        """
        try:
            text = Path(path).read_text("utf-8-sig")
        except OSError as error:
            raise SourceError(str(path), not_opened(path, error)) from None
        except UnicodeDecodeError:
            raise SourceError(str(path), "is not text; give a CSV file of numbers") from None
        if not text.strip():
            raise SourceError(str(path), "is empty; give a row of probabilities for each input")
        try:
            entries = np.loadtxt(text.splitlines(), delimiter=",", comments=None, ndmin=2)
        except ValueError:
            raise SourceError(str(path), _misread(text)) from None
        if _TINY.search(text) and any(_vanishes(entry) for entry in re.split(r"[,\s]+", text)):
            raise ChannelError("an entry is positive but below 1e-300; leave it out, or write 0")
        return cls.of(entries)

    def __repr__(self) -> str:
        return f"Channel({self.inputs} inputs, {self.outputs} outputs)"

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return len(self.matrix)

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return len(self.matrix.T)

    def support(self) -> JointRange:
        """[[X, Y]]: which outputs each input can cause, whatever the probabilities."""
        return JointRange.from_matrix(self.matrix > 0)


_TINY = re.compile(r"e-0*[1-9]\d{2}|0{100}", re.IGNORECASE)
"""What an entry has that is so small that a float may be 0, though it can occur."""


def _vanishes(entry: str) -> bool:
    return bool(entry) and 0 < abs(Decimal(entry)) < Decimal("1e-300")


def _misread(text: str) -> str:
    """What is wrong with a text that is no matrix of numbers."""
    rows = [line.split(",") for line in text.splitlines() if line.strip()]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            return f"row {number} has {len(row)} entries where the first has {len(rows[0])}; fill it up"
    return "holds something else than numbers; a channel file has no header"


def _check(entries: FloatArray) -> None:
    if entries.ndim != 2 or not entries.size:  # noqa: PLR2004 - a matrix
        raise ChannelError("a channel is a matrix with a row for each input and a column for each output")
    if len(entries) == 1:
        raise ChannelError(
            "a channel with one input reveals nothing; give a row for each of at least two inputs"
        )
    if not np.isfinite(entries).all():
        raise ChannelError(f"row {_first_row(~np.isfinite(entries))} holds an entry that is no finite number")
    if (entries < 0).any():
        raise ChannelError(f"row {_first_row(entries < 0)} holds a negative entry; probabilities lie in 0..1")
    off = (
        np.abs(np.minimum(entries, 2).sum(axis=1) - 1) > _ROUNDING
    )  # huge entries are wrong whatever their sum
    if off.any():
        raise ChannelError(
            f"row {int(np.argmax(off)) + 1} does not sum to 1 ({int(off.sum()):,} of {len(off):,} do not); "
            "divide each row by its sum"
        )
    unused = ~entries.any(axis=0)
    if unused.any():
        raise ChannelError(
            f"column {int(np.argmax(unused)) + 1} is 0 throughout: that output never occurs; leave it out"
        )


def _first_row(wrong: npt.NDArray[np.bool_]) -> int:
    return int(np.argmax(wrong.any(axis=1))) + 1
