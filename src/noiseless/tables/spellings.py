"""Which values count as one: all spellings of a text do, near numbers do not; and how readers are told so."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.display import counted, verb
from noiseless.tables.coding import DictionaryCoding
from noiseless.tables.plain_spelling import plain_spelling
from noiseless.tables.tally import Tally


def merge_spellings(tally: Tally, columns: Sequence[str]) -> tuple[Tally, dict[str, int]]:
    """The tally in which all spellings of a value count as one, in some columns.

    >>> ill = pa.table({"ill": ["Flu", "flu", " flu", "cold"], "n": [1, 1, 1, 1]})
    >>> tally, spare = merge_spellings(Tally.from_arrow(ill, "n"), ["ill"])
    >>> tally.decode("ill").to_pylist(), tally.counts.tolist(), spare
    ([' flu', 'cold'], [3, 1], {'ill': 2})

    Returns:
        The tally, in which the first spelling stands for the others; and for each column that has any, how
        many spellings count with another one.
    """
    merged = {column: found for column in columns if (found := _merged(tally, column)) is not None}
    if not merged:
        return tally, {}
    codings = [merged[c][0] if c in merged else tally.coding(c) for c in tally.columns]
    codes = (merged[c][1][tally.codes(c)] if c in merged else tally.codes(c) for c in tally.columns)
    spare = {column: tally.coding(column).size - coding.size for column, (coding, _) in merged.items()}
    return Tally.from_codes(codings, codes, tally.counts), spare


def merged_codes(tally: Tally, column: str) -> IntArray:
    """The codes of a column, all spellings of a value having one."""
    found = _merged(tally, column)
    return tally.codes(column) if found is None else found[1][tally.codes(column)]


def _merged(tally: Tally, column: str) -> tuple[DictionaryCoding, IntArray] | None:
    """The values that are left of a column, and the new code for each old one; None where all are."""
    coding = tally.coding(column)
    if not isinstance(coding, DictionaryCoding) or not is_text(coding.values.type):
        return None
    texts = coding.values.to_pylist()
    plain = [plain_spelling(text) for text in texts]
    if len(set(plain)) == len(plain) and "" not in plain:
        return None
    code_of = {"": 0} if "" in plain and not tally.codes(column).all() else {}  # a blank says nothing either
    values: list[str] = []
    for text, value in zip(plain, texts, strict=True):
        if text not in code_of:
            values.append(value)
            code_of[text] = len(values)
    if len(values) == len(texts):
        return None
    codes = np.array([0, *(code_of[text] for text in plain)], np.int64)
    return DictionaryCoding(column, pa.array(values, coding.values.type)), codes


def is_text(kind: pa.DataType) -> bool:
    """Whether values are texts."""
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))


def spelling_texts(spellings: Mapping[str, int]) -> list[str]:
    """For each column of which spellings count with another one, how many do.

    >>> spelling_texts({"illness": 2})
    ['2 values of illness differ from another one in spelling only, and count with it']
    """
    return [
        f"{counted(spare, 'values')} of {column} {verb(spare, 'differ')} from another one in spelling only, "
        f"and {verb(spare, 'count')} with it"
        for column, spare in spellings.items()
    ]


def kinds_of(tally: Tally, columns: Sequence[str]) -> dict[str, pa.DataType]:
    """What some columns of a tally hold."""
    nobody = np.empty(0, np.int64)
    return {column: tally.coding(column).decode(nobody).type for column in columns}


def near_notes(kinds: Mapping[str, pa.DataType]) -> Iterator[str]:
    """A note on each sensitive column of numbers or dates: near ones are different.

    >>> list(near_notes({"pay": pa.float64(), "ward": pa.string()}))
    ['pay holds numbers, and near ones count as different: 41 and 42 are two values']
    """
    for column, kind in kinds.items():
        if pt.is_temporal(kind):
            yield f"{column} holds dates or times, and near ones count as different"
        elif pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
            yield f"{column} holds numbers, and near ones count as different: 41 and 42 are two values"
