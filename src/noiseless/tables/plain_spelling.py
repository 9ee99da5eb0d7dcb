"""Which texts a reader takes for the same value.

As secrets, two spellings of one value are one: who is left with `Flu` and `flu` knows the illness. In what is
published they stay two, because a reader can tell them apart. Merging the former and not the latter never
makes more values seem left than there are.
"""

import re
import unicodedata

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

_DECIMAL_NUMBER = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,9}))?")
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
    found = _DECIMAL_NUMBER.fullmatch(text)
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
