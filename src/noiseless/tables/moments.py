"""Moments of the day as whole numbers of ticks, and ticks as the texts that a column writes them in."""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray

_DATE, _CLOCK = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "([01][0-9]|2[0-3]):[0-5][0-9]"
_TICKS: Final = {0: "s", 3: "ms", 6: "us", 9: "ns"}
_MINUTES, _SECONDS = 24 * 60, 24 * 60 * 60


@dataclass(frozen=True)
class MomentForm:
    """How all moments of a column are written, such as 2020-12-31 23:59 or 2020-12-31T23:59:07.25.

    Attributes:
        separator: what stands between the day and the time.
        places: the decimals of a second that ticks have: 0, 3, 6 or 9; -1 where a tick is a minute.
        zone: `+00` where the moments are those of UTC.

    >>> texts = pa.array(["2020-12-31 23:59:07.5", "2021-01-01 00:00:00"])
    >>> form = MomentForm.of(texts)
    >>> form.texts(form.ticks(texts)).equals(texts), form.tick
    (True, Fraction(1, 86400000))
    """

    separator: str
    places: int
    zone: str

    @classmethod
    def of(cls, texts: pa.Array) -> "MomentForm | None":
        """The form of all texts that are there; None if they have none in common."""
        present = texts.drop_null()
        if not len(present):
            return None
        first = present[0].as_py()
        separator, zone = ("T" if "T" in first else " "), ("+00" if first.endswith("+00") else "")
        for seconds in ("", r":[0-5][0-9](\.[0-9]{0,8}[1-9])?"):
            pattern = f"^{_DATE}{separator}{_CLOCK}{seconds}{zone.replace('+', '[+]')}$"
            if pc.match_substring_regex(present.slice(0, 1), pattern)[0].as_py():
                break
        else:
            return None
        if not pc.all(pc.match_substring_regex(present, pattern)).as_py():
            return None
        points = pc.find_substring(present, ".")
        ends = pc.subtract(pc.binary_length(present), len(zone) + 1)
        decimals = pc.max(pc.if_else(pc.less(points, 0), 0, pc.subtract(ends, points))).as_py()
        found = cls(separator, -(-decimals // 3) * 3 if seconds else -1, zone)
        with suppress(pa.ArrowInvalid):  # no day of the calendar, or out of reach for nanoseconds
            found.ticks(present)
            return found
        return None

    @property
    def tick(self) -> Fraction:
        """What 1 stands for, in days."""
        return Fraction(1, _MINUTES if self.places < 0 else _SECONDS * 10**self.places)

    def ticks(self, texts: pa.Array) -> IntArray:
        """Texts as whole numbers of ticks since 1970; 0 for a missing one."""
        plain = pc.utf8_slice_codeunits(texts, 0, -len(self.zone)) if self.zone else texts
        moments = plain.cast(pa.timestamp(_TICKS[max(0, self.places)])).cast(pa.int64())
        found = pc.fill_null(moments, 0).to_numpy().copy()
        return np.asarray(found // 60 if self.places < 0 else found)

    def texts(self, ticks: IntArray) -> pa.Array:
        """Whole numbers of ticks as texts."""
        unit = "m" if self.places < 0 else _TICKS[self.places]
        texts = pa.array(
            np.datetime_as_string(ticks.astype(np.int64).view(f"datetime64[{unit}]")), pa.string()
        )
        if self.places > 0:
            texts = pc.replace_substring_regex(texts, r"\.?0+$", "")
        if self.separator == " ":
            texts = pc.replace_substring(texts, "T", " ")
        return pc.binary_join_element_wise(texts, self.zone, "") if self.zone else texts
