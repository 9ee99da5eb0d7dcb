"""A time limit."""

import math
import time
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Clock:
    """Rings at a given moment."""

    moment: float

    @classmethod
    def after(cls, seconds: float | None) -> Self:
        """A clock that rings after so many seconds from now, or never."""
        return cls(math.inf if seconds is None else time.monotonic() + seconds)

    @property
    def is_set(self) -> bool:
        """Whether it will ever ring."""
        return self.moment < math.inf

    def has_rung(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.moment
