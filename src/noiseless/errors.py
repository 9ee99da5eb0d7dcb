"""Every error the package raises on purpose.

One root, typed attributes, a message that says what is wrong and how to mend it. No message ever holds a
cell's value: counts, column names and file names only.
"""

from collections.abc import Sequence
from difflib import get_close_matches


class NoiselessError(Exception):
    """The root of all errors that a caller can mend."""


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
    """A column is asked for that the table does not have."""

    SHOWN = 8

    def __init__(self, column: str, available: Sequence[str]) -> None:
        close = get_close_matches(column, available, n=3)
        if close:
            hint = f"did you mean {' or '.join(map(repr, close))}?"
        else:
            more = f", ... ({len(available):,} in all)" if len(available) > self.SHOWN else ""
            hint = f"it has {', '.join(map(repr, available[: self.SHOWN]))}{more}"
        super().__init__(column, f"is not in the table; {hint}")
        self.available = tuple(available)


class MissingValuesError(ColumnError):
    """A column holds missing values where none are allowed."""

    def __init__(self, column: str, count: int, remedy: str) -> None:
        super().__init__(column, f"has {count:,} missing value{'s' * (count != 1)}; {remedy}")
        self.count = count


class DomainError(ColumnError):
    """A column holds values outside its declared domain."""

    def __init__(self, column: str, count: int, domain: str, remedy: str) -> None:
        values = "value is" if count == 1 else "values are"
        super().__init__(column, f"{count:,} {values} outside {domain}; {remedy}")
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
