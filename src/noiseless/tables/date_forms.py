"""How dates are written: DD.MM.YYYY as a pattern and as the engine's format."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from noiseless.errors import RequestError
from noiseless.tables.engine import literal

VALUE = "noiseless_value"
"""What stands for a column in SQL that is the same for all."""

_PARTS = {
    "YYYY": ("[0-9]{4}", "%Y"),
    "YY": ("[0-9]{2}", "%y"),
    "MM": ("[0-9]{1,2}", "%m"),
    "DD": ("[0-9]{1,2}", "%d"),
    "hh": ("[0-9]{1,2}", "%H"),
    "mm": ("[0-9]{1,2}", "%M"),
    "ss": ("[0-9]{1,2}", "%S"),
}
"""The parts of a date: what each looks like, and what the engine calls it."""
_TOKENS = re.compile("YYYY|YY|MM|DD|hh|mm|ss|[^A-Za-z0-9]|T")
_DIRECTIVES = {"%" + what[1:]: part for part, (_, what) in _PARTS.items()}
"""The same parts as programs name them."""
_LONGEST_FORMAT = 32
ISO = "YYYY-MM-DD"
ORDERS = ("DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "YYYY/MM/DD", "YYYY.MM.DD")
TIMES = (" hh:mm", " hh:mm:ss", "Thh:mm", "Thh:mm:ss")
"""How dates and times are mostly written, besides the first."""


class DateForm(NamedTuple):
    """A way of writing dates.

    Attributes:
        pattern: what such dates look like, as a regular expression.
        engine_format: the same as the engine's format.
    """

    pattern: str
    engine_format: str

    @classmethod
    def of(cls, asked: str) -> "DateForm":
        """The way that a user writes as days, months and years.

        >>> DateForm.of("DD/MM/YYYY")
        DateForm(pattern='[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}', engine_format='%d/%m/%Y')

        Raises:
            RequestError: it names no day, month and year, or something else.
        """
        spelt = _spelt(asked)
        parts: Sequence[str] = _TOKENS.findall(spelt)
        year = {"YYYY", "YY"} & set(parts)
        once = len(asked) <= _LONGEST_FORMAT and all(parts.count(part) <= 1 for part in _PARTS)
        if "".join(parts) != spelt or not {"DD", "MM"} <= set(parts) or len(year) != 1 or not once:
            raise RequestError(
                f"--date-format {asked[:_LONGEST_FORMAT]!r} has no day, month and year, each once; write it "
                "as DD.MM.YYYY, MM/DD/YYYY or 'YYYY-MM-DD hh:mm:ss'"
            )
        pattern = "".join(_PARTS[part][0] if part in _PARTS else re.escape(part) for part in parts)
        return cls(pattern, "".join(_PARTS[part][1] if part in _PARTS else part for part in parts))

    @property
    def is_timed(self) -> bool:
        """Whether there is a time too."""
        return "%H" in self.engine_format

    @property
    def test(self) -> str:
        """Whether a value is such a date, as SQL over `VALUE`."""
        return f"regexp_full_match({VALUE}, {literal(self.pattern)}) AND {self._moment} IS NOT NULL"

    @property
    def day(self) -> str:
        """The day that a value names, in the same way; null for what is no such date."""
        return f"CASE WHEN {self.test} THEN {self._moment}::DATE END"

    @property
    def _moment(self) -> str:
        return f"try_strptime({VALUE}, {literal(self.engine_format)})"


def usual_forms() -> tuple[str, ...]:
    """How dates are mostly written, without and with times."""
    orders = (ISO, *ORDERS)
    return (*orders, *(f"{order}{time}" for order in (*ORDERS, ISO) for time in TIMES))


def _spelt(asked: str) -> str:
    """A format as we spell it: days, months and years in capitals, times in small letters.

    >>> [_spelt(asked) for asked in ("dd.mm.yyyy", "%m/%d/%y", "YYYY-MM-DDTHH:MM:SS")]
    ['DD.MM.YYYY', 'MM/DD/YY', 'YYYY-MM-DDThh:mm:ss']
    """
    for directive, part in _DIRECTIVES.items():
        asked = asked.replace(directive, part)
    day, hour, rest = re.split("(hh|$)", asked, maxsplit=1, flags=re.IGNORECASE)
    return day.upper() + (hour + rest).lower()
