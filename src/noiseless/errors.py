"""Every error the package raises on purpose.

One root, typed attributes, a message that says what is wrong and how to mend it. No message ever holds a
cell's value: counts, column names and file names only.
"""

import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from unicodedata import normalize

_FEW = 2
"""Letters that say too little of a name which begins with them."""


def printable(line: str) -> str:
    r"""A line of what others wrote, with nothing in it that a terminal would take for a command.

    >>> printable("SELECT 1\n\x1b[2J")
    'SELECT 1 \\x1b[2J'
    """
    if line.isprintable():
        return line
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else ascii(letter)[1:-1]
        for letter in line
    )


class NoiselessError(Exception):
    """The root of all errors that a caller can mend; a message is one line, whatever names it holds."""

    def __str__(self) -> str:
        return printable(super().__str__())


class SourceError(NoiselessError):
    """A table could not be found, opened or read."""

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{source}: {problem}")
        self.source = source
        self.problem = problem


class OutputError(NoiselessError):
    """A file cannot be written."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class ColumnError(NoiselessError):
    """A column is asked for that cannot be used that way."""

    def __init__(self, column: str, problem: str) -> None:
        super().__init__(f"column {column!r} {problem}")
        self.column = column
        self.problem = problem


class UnknownColumnError(ColumnError):
    """A column is asked for that the table does not have.

    The names of a text file are not listed: without a header line they would be somebody's data.
    """

    SHOWN = 20

    def __init__(self, column: str, available: Sequence[str], *, from_text: bool = False) -> None:
        super().__init__(column, f"is not in the table; {self._hint(column, available, from_text)}")
        self.available = tuple(available)

    def _hint(self, column: str, available: Sequence[str], from_text: bool) -> str:
        parts = [part.strip() for part in column.split(",")]
        if len(parts) > 1 and set(parts) <= set(available):
            return "name them one by one: repeat the option, or give a list"
        folded: dict[str, list[str]] = {}
        for name in available:
            folded.setdefault(name.casefold(), []).append(name)
        cutoff = 0.75 if from_text else 0.6
        begun = [name for name in folded if name.startswith(column.casefold()) and len(column) > _FEW]
        if close := get_close_matches(column.casefold(), folded, n=3, cutoff=cutoff) or begun[:3]:
            return self._meant(column, [name for one in close for name in folded[one]])
        if from_text:
            return "see its columns with `noiseless schema`; a file without a header line takes --names A,B,C"
        return f"it has {self.listed(available)}"

    @staticmethod
    def _meant(column: str, names: Sequence[str]) -> str:
        """The names that were meant; how to write one that looks the same, or holds a comma."""
        for name in names:
            if normalize("NFKC", name) == normalize("NFKC", column):
                signs = {unicodedata.name(sign, "another sign") for sign in set(name) - set(column)}
                held = f" with {' and '.join(sorted(signs))}" * bool(signs)
                return f"the table has one that looks the same, written{held}: copy the name from there"
        asked = f"did you mean {' or '.join(map(repr, names))}?"
        if "," not in column and any("," in name for name in names):
            return f"{asked} In a list a name with a comma stands in double quotes"
        return asked

    @classmethod
    def listed(cls, available: Sequence[str]) -> str:
        """The first names of columns, and how many there are."""
        more = f", ... ({len(available):,} in all)" if len(available) > cls.SHOWN else ""
        return f"{', '.join(map(repr, available[: cls.SHOWN]))}{more}"


class MissingValuesError(ColumnError):
    """A column holds missing values where none are allowed."""

    def __init__(self, column: str, count: int, remedy: str) -> None:
        super().__init__(column, f"has {count:,} missing value{'s' * (count != 1)}; {remedy}")
        self.count = count


class DomainError(ColumnError):
    """A column holds values outside its declared domain."""

    def __init__(self, column: str, count: int, domain: str, remedy: str) -> None:
        values = "value is" if count == 1 else "values are"
        problem = f"{count:,} {values} outside {domain}; {remedy}"
        NoiselessError.__init__(self, f"column {column!r}: {problem}")
        self.column = column
        self.problem = problem
        self.count = count
        self.domain = domain


class EmptyTableError(NoiselessError):
    """There is no row to say anything about."""


class SchemaError(NoiselessError):
    """A schema, or one of its columns, is not well formed."""


class PolicyError(NoiselessError):
    """A policy file is not well formed."""


class RequestError(NoiselessError):
    """A combination of arguments that makes no sense."""


class NoColumnError(RequestError):
    """A role has no column; the columns that it could be are named where a table has names."""

    def __init__(self, role: str, available: Sequence[str] = ()) -> None:
        listed = f", one of {UnknownColumnError.listed(available)}"
        choice = listed if available else " (`noiseless schema` lists the columns)"
        super().__init__(f"no {role} column is named; add --{role} COLUMN{choice}")


class ChannelError(NoiselessError):
    """A matrix is not a channel: a row for each input, probabilities that sum to 1."""


class ExpressionError(NoiselessError):
    """A hypothesis or an expression cannot be read.

    Attributes:
        text: what was given.
        problem: what is wrong with it and how to mend it.
    """

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(f"{text!r}: {problem}")
        self.text = text
        self.problem = problem
