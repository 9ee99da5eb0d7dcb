"""Which texts a reader takes for the same value.

As secrets, two spellings of one value are one: who is left with `Flu` and `flu` knows the illness. In what is
published they stay two, because a reader can tell them apart. Merging the former and not the latter never
makes more values seem left than there are.
"""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.tables.coding import DictionaryCoding
from noiseless.tables.tally import Tally

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Characters of which nothing is seen: controls, marks of direction, joiners, selectors of variants."""

_TYPED = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02b9\u02bc\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
"""Quotes and dashes of print, as keyboards have them."""

_NUMBER = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,9}))?")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[t ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?")


def plain_spelling(text: str) -> str:
    r"""What all spellings of a value have in common; texts of which this differs are different values.

    Capitals, white space, invisible characters, quotes around it, and forms of a character are left aside
    (the compatibility caseless match of Unicode); numbers are what they amount to, and moments too.

    >>> {plain_spelling(text) for text in ("Flu", " flu", "FLU\u200b", '"flu"')}
    {'flu'}
    >>> {plain_spelling(text) for text in ("41", "41.0", "+041", "4.1e1")}
    {'41e0'}
    >>> plain_spelling("cafe\u0301") == plain_spelling("caf\u00e9") != plain_spelling("cafe")
    True
    """
    if text.isascii():
        folded = text.lower()
        if not folded.isprintable():
            folded = _INVISIBLE.sub("", folded)
    else:
        folded = _INVISIBLE.sub("", unicodedata.normalize("NFD", text)).casefold()
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", folded).casefold())
        folded = folded.translate(_TYPED)
    plain = " ".join(folded.split())
    while len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1].strip()
    if not plain[-1:].isdigit() and plain[-1:] != ".":
        return plain
    return _plain_number(plain) or _plain_moment(plain) or plain


def _plain_number(text: str) -> str | None:
    """A decimal number as its digits and an exponent, without a zero that says nothing."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, whole, part, exponent = found[1], found[2], found[3] or "", int(found[4] or 0)
    digits = (whole + part).lstrip("0")
    short = digits.rstrip("0")
    if not short:
        return "0e0"
    return f"{sign.strip('+')}{short}e{exponent - len(part) + len(digits) - len(short)}"


def _plain_moment(text: str) -> str | None:
    """A moment without seconds that say nothing; midnight is the day."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    day, time, seconds, part = found[1], found[2], found[3] or "00", (found[4] or "").rstrip("0")
    if (time, seconds, part) == ("00:00", "00", ""):
        return day
    return f"{day} {time}:{seconds}.{part}"


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
    return DictionaryCoding(column, pa.array(values, coding.values.type), coding.ordered), codes


def is_text(kind: pa.DataType) -> bool:
    """Whether values are texts."""
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))
