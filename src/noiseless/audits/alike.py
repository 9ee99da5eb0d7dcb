"""What to bear in mind when values left are counted: values that are nearly the same count as different."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow.types as pt

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
