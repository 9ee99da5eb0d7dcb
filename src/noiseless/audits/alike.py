"""What to bear in mind when values left are counted: values that are nearly the same count as different."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.display import counted, verb
from noiseless.tables import Tally


def near_notes(tally: Tally, sensitive: Sequence[str]) -> Iterator[str]:
    """A note on each sensitive column of numbers or dates: near ones are different.

    >>> import pyarrow as pa
    >>> tally = Tally.from_arrow(pa.table({"pay": [41.5, 41.6], "n": [1, 2]}), "n")
    >>> list(near_notes(tally, ["pay"]))
    ['pay holds numbers, and near ones count as different: 41 and 42 are two values']
    """
    for column in sensitive:
        coding = tally.coding(column)
        kind = coding.decode(np.arange(1, 1, dtype=np.int64)).type
        if not coding.ordered or pt.is_boolean(kind):
            continue
        what = "dates or times" if pt.is_temporal(kind) else "numbers"
        example = "" if pt.is_temporal(kind) else ": 41 and 42 are two values"
        yield f"{column} holds {what}, and near ones count as different{example}"


def spelling_notes(tally: Tally, sensitive: Sequence[str]) -> Iterator[str]:
    """A note on each sensitive column of texts of which some differ in capitals or spaces only.

    >>> import pyarrow as pa
    >>> tally = Tally.from_arrow(pa.table({"ill": ["Flu", "flu", " flu", "cold"], "n": [1, 1, 1, 1]}), "n")
    >>> list(spelling_notes(tally, ["ill"]))
    ['2 values of ill differ from another one in capitals or spaces only, and count as values of their own']
    """
    for column in sensitive:
        coding = tally.coding(column)
        values = coding.decode(np.arange(1, coding.size if not coding.ordered else 1, dtype=np.int64))
        if not (pt.is_string(values.type) or pt.is_large_string(values.type)):
            continue
        plain = pc.utf8_lower(pc.utf8_trim_whitespace(values))
        if spare := len(values) - len(plain.unique()):
            owns = "a value of its own" if spare == 1 else "values of their own"
            yield (
                f"{counted(spare, 'values')} of {column} {verb(spare, 'differ')} from another one in "
                f"capitals or spaces only, and {verb(spare, 'count')} as {owns}"
            )
