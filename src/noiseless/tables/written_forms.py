"""Texts that were to be read otherwise: numbers, dates, and letters of another encoding."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

ALMOST_NUMBER = r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$"
"""A number in any spelling with a decimal point."""
DECIMAL_COMMA = r"^\s*[-+]?([0-9]{1,3}([. '\x{00a0}\x{202f}][0-9]{3})+|[0-9]+),[0-9]+\s*$"
"""A number with a decimal comma."""
_CELL = r"^(\*|[-+]?[0-9.]+(-| to |[|])[-+]?[0-9.]+.*)$"
"""What a merged or suppressed number reads in a release."""
DAY = "[0-9]{1,2}[./-][0-9]{1,2}"
"""A day and a month, in either order."""
ALMOST_DATE = rf"^\s*({DAY}[./-]([0-9]{{2}}|[0-9]{{4}})|[0-9]{{4}}[./-]{DAY})([ T].*)?$"
"""A date in any order, with a time or without."""

_FORMS = {
    DECIMAL_COMMA: ("numbers with a decimal comma", "--decimal ,"),
    rf"^{DAY}[.][0-9]{{4}}$": ("dates like 17.08.1971", "--date-format DD.MM.YYYY"),
    r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$": ("dates with slashes", "--date-format DD/MM/YYYY or MM/DD/YYYY"),
    r"^[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}$": ("dates like 17-08-1971", "--date-format DD-MM-YYYY"),
    rf"^{DAY}[.][0-9]{{4}}[ T][0-9]+:[0-9]+$": ("dates with times", "--date-format 'DD.MM.YYYY hh:mm'"),
    rf"^{DAY}[.][0-9]{{4}}[ T][0-9:]+$": ("dates with times", "--date-format 'DD.MM.YYYY hh:mm:ss'"),
}
"""Numbers and dates as text files hold them, and how to have them read."""
_STRAY = r"\pL[\x{80}-\x{9f}\x{a1}-\x{a9}\x{ac}\x{ae}\x{af}\x{b1}\x{b3}\x{b6}\x{b8}\x{b9}\x{bc}-\x{bf}]\pL"
"""Signs between letters that no language writes there: no apostrophe, middle dot, ordinal or soft hyphen."""


_MOST_CLASSES = 20
"""Up to this many different texts may be names of classes (1, 2, 3+)."""


class WrittenForm(NamedTuple):
    """How all texts of a column are written.

    Attributes:
        what: what they are.
        options: how to have them read.
    """

    what: str
    options: str


def written_form(texts: pa.Array) -> WrittenForm | None:
    """As which numbers or dates all texts are written; None where they are not.

    >>> written_form(pa.array(["1,5", None, "1.168,00", "1 168,00"]))
    WrittenForm(what='numbers with a decimal comma', options='--decimal ,')
    """
    if not (pt.is_string(texts.type) or pt.is_large_string(texts.type)):
        return None
    present = len(texts) - int(texts.null_count)
    for pattern, form in _FORMS.items():
        if pc.sum(pc.match_substring_regex(texts, pattern)).as_py() == present:
            return WrittenForm(*form)
    return None


def mostly_numbers(texts: pa.Array) -> bool:
    """Whether more than half of many different texts, and not all, are numbers; a few may name classes.

    Not where numbers were merged, as in a release: there nothing strays.

    >>> mostly_numbers(pa.array([*map(str, range(30)), "n.a."])), mostly_numbers(pa.array(["1", "2", "3+"]))
    (True, False)
    >>> mostly_numbers(pa.array([*map(str, range(30)), "30-33", "*"]))
    False
    """
    if not (pt.is_string(texts.type) or pt.is_large_string(texts.type)) or len(texts) <= _MOST_CLASSES:
        return False
    number = pc.match_substring_regex(texts, f"{ALMOST_NUMBER}|{DECIMAL_COMMA}")
    found = pc.sum(number).as_py() or 0
    if pc.any(pc.match_substring_regex(texts, _CELL)).as_py():
        return False
    return bool(len(texts) < 2 * found < 2 * (len(texts) - texts.null_count))


def mostly_dates(texts: pa.Array) -> bool:
    """Whether more than half of many different texts look like dates, as far as signs and digits tell.

    >>> mostly_dates(pa.array([f"{day}.8.1951" for day in range(1, 31)] + ["17.O8.1951"]))
    True
    """
    if not (pt.is_string(texts.type) or pt.is_large_string(texts.type)) or len(texts) <= _MOST_CLASSES:
        return False
    return bool(2 * (pc.sum(pc.match_substring_regex(texts, ALMOST_DATE)).as_py() or 0) > len(texts))


def misread_letters(texts: pa.Array) -> str:
    """What to say where words hold signs that stand for letters in another encoding; empty where none does.

    >>> misread_letters(pa.array(["Nowy S±cz", None]))
    'has signs like ± and ³ within words, as text read in a wrong encoding has: check --encoding'
    >>> misread_letters(pa.array(["Nowy Sącz", "col·lecció", "±1"]))
    ''
    """
    if not (pt.is_string(texts.type) or pt.is_large_string(texts.type)):
        return ""
    if not pc.any(pc.match_substring_regex(texts, _STRAY)).as_py():
        return ""
    return "has signs like ± and ³ within words, as text read in a wrong encoding has: check --encoding"
