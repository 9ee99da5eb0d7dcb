"""Values that are no numbers in columns of numbers: they merge with nothing else, but can be suppressed."""

from noiseless.errors import RequestError
from noiseless.releases.columns import PublicColumn, PublicColumns


def explained(error: RequestError, public: PublicColumns, *, suppresses: bool) -> RequestError:
    """A refusal, with what can be done about values that are no numbers."""
    missing = any(column.texts.null_count for column in _with_marks(public))
    drop = "leave their rows out (--missing drop), " if missing else ""
    more = "allow more suppression" if suppresses else "allow suppression"
    return RequestError(
        f"{error}; {never_merged(public)}: {drop}{more} (--suppress), "
        "or take such a column as categories (--categorical)"
    )


def never_merged(public: PublicColumns) -> str:
    """Which values of which columns are no numbers, and what that means."""
    columns = _with_marks(public)
    names = ", ".join(repr(column.name) for column in columns)
    missing = any(column.texts.null_count for column in columns)
    which = "missing values" if missing else "texts that are no numbers"
    return f"{which} of {names} are never merged with numbers"


def _with_marks(public: PublicColumns) -> list[PublicColumn]:
    return [column for column in public.columns if column.marks.any()]
