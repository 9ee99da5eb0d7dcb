"""What is said to somebody whose SQL cannot be read, priced or evaluated."""

from functools import partial
from typing import NamedTuple

from noiseless.errors import RequestError

_SHOWN = 40
"""This many characters of what somebody wrote are shown back to them."""


class Position(NamedTuple):
    """A place in a text, counted from 1."""

    line: int
    column: int


class SqlError(RequestError):
    """A statement is refused: why, and the nearest thing that can be asked.

    Attributes:
        problem: why; `{}` stands for what the analyst wrote.
        remedy: what to ask instead.
        written: what the analyst wrote, if it is shown.
        position: where, if that is known.

    >>> error = SqlError("no column is called {}", "it has kwh", written="kwhh", position=Position(1, 12))
    >>> str(error)
    "no column is called 'kwhh'; it has kwh (line 1, column 12)"
    >>> error.bare
    'no column is called ...'
    """

    def __init__(
        self, problem: str, remedy: str, *, written: str | None = None, position: Position | None = None
    ) -> None:
        shown = problem if written is None else problem.replace("{}", quoted(written))
        place = "" if position is None else f" (line {position.line}, column {position.column})"
        super().__init__(f"{shown}; {remedy}{place}")
        self.problem = problem
        self.remedy = remedy
        self.written = written
        self.position = position

    @property
    def bare(self) -> str:
        """What is wrong, without anything that the analyst wrote: what a log may hold."""
        return self.problem.replace("{}", "...")

    def __reduce__(self) -> tuple[object, ...]:
        again = partial(SqlError, written=self.written, position=self.position)
        return again, (self.problem, self.remedy)


def quoted(written: str) -> str:
    """What somebody wrote, shortened, on one line, with nothing in it that is not printable."""
    text = written if len(written) <= _SHOWN else f"{written[: _SHOWN - 3]}..."
    return repr(text.encode("utf-8", "backslashreplace").decode())
