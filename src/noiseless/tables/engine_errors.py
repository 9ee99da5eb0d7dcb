"""Turning the engine's errors, which quote the data, into one line that does not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from noiseless.errors import NoiselessError, SourceError

_RAGGED = re.compile(r"on Line: (\d+).*?Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
_LINE = re.compile(r"on Line: (\d+)")


@contextmanager
def readable_errors(label: str) -> Iterator[None]:
    """Re-raise what DuckDB says about a source as a `SourceError` that holds no value of the data."""
    try:
        yield
    except duckdb.Error as error:
        raise _explained(label, error) from None
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except UnicodeDecodeError:
        raise SourceError(label, NOT_UTF8) from None


NOT_UTF8 = "is not UTF-8 text; convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT"


def _explained(label: str, error: duckdb.Error) -> NoiselessError:
    """What is wrong, without the engine's own words."""
    text = str(error)
    problem = f"could not be read ({type(error).__name__}); is it really of this format?"
    if found := _RAGGED.search(text):
        line, expected, fields = (int(g) for g in found.groups())
        problem = f"line {line} has {fields} fields where the header has {expected}; mend that line"
    elif re.search(r"unicode|utf-?8|invalid byte", text, re.IGNORECASE):
        problem = NOT_UTF8
    elif found := _LINE.search(text):
        problem = f"line {found[1]} is not well-formed; mend its quotes and separators"
    elif isinstance(error, duckdb.OutOfMemoryException):
        problem = "does not fit into memory and temporary space; free some disk space"
    elif re.search(r"permission denied|read-?only file", text, re.IGNORECASE):
        problem = "may not be read or written; check its permissions"
    elif isinstance(error, duckdb.InvalidInputException):
        problem = (
            "could not be read; is it really of this format? Lines that end in different ways are mended by"
            r" sed -i 's/\r$//' FILE"
        )
    return SourceError(label, problem)
