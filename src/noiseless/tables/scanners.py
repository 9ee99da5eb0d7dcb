"""Where fields stand in the bytes of CSV: a strict grammar, one pass, no copies.

The functions run as they are over a few `bytes`, and as machine code over many in a numpy array.
"""

# Arguments are bytes or arrays, and numbers; numba ships no types.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,untyped-decorator"
# ruff: noqa: ANN001, ANN202, PLR0917, C901, PLR0912 - grammars, one function a rule
# ruff: noqa: PLR2004 - numbers are bytes

from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from noiseless.tables.feeds import count_lines
from noiseless.tables.kernels import compiled

FINE, MALFORMED, RAGGED, TWICE, ESCAPED = range(5)
"""How a scan ended: at the last whole record, or at one with a problem."""

_LARGE = 2**14
"""So many bytes are worth loading machine code for."""

Bounds = npt.NDArray[np.int32]


def scan_csv(
    data: bytes, separator: int, width: int, columns: list[int], *, spaced: bool, final: bool
) -> tuple[Bounds, int, int, int]:
    """The rows of some CSV.

    Args:
        data: bytes that begin with a record.
        separator: what separates fields.
        width: how many fields a record has.
        columns: the places, ascending, of the fields whose bounds are wanted.
        spaced: whether spaces after a separator belong to it.
        final: whether the last record may end without a line end.

    Returns:
        For each row where it begins and ends and where each wanted field does; how many bytes they take; how
        the scan ended; and how many fields a ragged row has.
    """
    bounds = np.empty((count_lines(data) + 1, 2 + 2 * len(columns)), np.int32)
    place = np.full(width, -1, np.int64)
    place[columns] = np.arange(len(columns))
    numbers = (separator, width, place, spaced, final, bounds)
    rows, used, status, fields = run(_scan_csv, data, *numbers)
    return bounds[:rows], used, status, fields


def run(function: Any, data: bytes, *arguments: Any) -> Any:  # noqa: ANN401 - a kernel's
    """Run a kernel: as it is over few bytes, as machine code over many."""
    if len(data) < _LARGE:
        return function(data, *arguments)
    return compiled(function)(np.frombuffer(data, np.uint8), *arguments)


def _scan_csv(data, separator, width, place, spaced, final, bounds):
    size, at, rows, used = len(data), 0, 0, 0
    while at < size:
        begin, field = at, 0
        while True:
            if spaced:
                while at < size and data[at] == 32:
                    at += 1
            start = at
            if at < size and data[at] == 34:
                at = _quoted(data, at, final)
                if at < 0:
                    return rows, used, FINE if at == -1 else MALFORMED, 0
            else:
                while at < size:
                    byte = data[at]
                    if byte == separator or byte == 10 or byte == 13 or byte == 34:  # noqa: PLR1714 - faster
                        break
                    at += 1
            column = place[field] if field < width else -1
            if column >= 0:
                bounds[rows, 2 + 2 * column] = start
                bounds[rows, 3 + 2 * column] = at
            field += 1
            if at >= size or data[at] != separator:
                break
            at += 1
        end = at
        if at < size and data[at] == 13:
            at += 1
        if at >= size:
            if not final:
                return rows, used, FINE, 0
        elif data[at] != 10:
            return rows, used, MALFORMED, 0
        at += 1
        if end > begin:
            if field != width:
                return rows, used, RAGGED, field
            bounds[rows, 0] = begin
            bounds[rows, 1] = end
            rows += 1
        used = min(at, size)
    return rows, used, FINE, 0


@register_jitable
def _quoted(data, at, final):
    """The end of a quoted field; -1: it is not there yet, -2: it is never closed."""
    at += 1
    while at < len(data):
        if data[at] == 34:
            if at + 1 < len(data) and data[at + 1] == 34:
                at += 1
            elif at + 1 == len(data) and not final:
                return -1
            else:
                return at + 1
        at += 1
    return -2 if final else -1
