"""The risk of each record, as a table beside the data: no value of the data is in it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.errors import RequestError
from noiseless.exact import Bits

if TYPE_CHECKING:
    from noiseless.audits.result import Audit

MARKS = ("group_size", "posterior_size", "leaked_bits", "homogeneous")
"""The columns of the export, after the row's number (and the unit, where there is one)."""


def write_records(audit: "Audit", out: Path) -> int:
    """Write for each row of the table how exposed it is, for the sensitive column that fares worst.

    Rows that were left out because of missing values have empty marks.

    Args:
        audit: the audit.
        out: a CSV, TSV, Parquet or JSON-lines file, by its ending.

    Returns:
        How many records were written.
    """
    clash = {"row", *MARKS} & {name.casefold() for name in (*audit.seen, audit.unit or "")}
    if clash:
        raise RequestError(f"a column is named {clash.pop()!r}, like one of the export; rename it first")
    census = audit.worst.census
    sizes = census.joint.posterior_sizes
    leaked = np.zeros(int(sizes.max()) + 1)
    for size in np.unique(sizes).tolist():
        leaked[size] = (audit.worst.entropy - Bits(size)).upper
    marks: Sequence[npt.NDArray[Any]] = (census.group_sizes, sizes, leaked[sizes], sizes == 1)
    groups = audit.tally.project(audit.seen)
    if audit.ruling is not None:  # a row is found by what it holds, and marked as the group it is told as
        groups = audit.ruling.behind.raw
        marks = [mark[audit.ruling.behind.groups] for mark in marks]
    columns = {column: groups.decode(column) for column in audit.seen}
    keep = () if audit.unit is None else (audit.unit,)
    table = pa.table(columns | dict(zip(MARKS, marks, strict=True)))
    return audit.table.annotate(audit.seen, table, out, keep=keep, present=audit.needed)
