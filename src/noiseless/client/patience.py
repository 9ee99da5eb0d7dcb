"""When to try again: a schedule that is fixed once its seed is."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256


@dataclass(frozen=True)
class Patience:
    """How long to go on trying, and how often.

    Attributes:
        total: seconds for a call with all its tries.
        first: seconds before the second try, at most; each later one waits up to twice as long.
        most: seconds that are never exceeded, unless the server asks for more.
        clock: tells seconds.
        sleep: waits.
    """

    total: float = 180.0
    first: float = 0.2
    most: float = 5.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self, seed: str, attempt: int) -> float:
        """Seconds before the next try, after `attempt` that failed.

        Between half of the full wait and all of it: where clients are cut off at the same time, they do not
        come back at the same time, because their seeds differ. The same seed waits the same.

        >>> patience = Patience()
        >>> [patience.wait("a", 1) == patience.wait("a", 1), patience.wait("a", 1) == patience.wait("b", 1)]
        [True, False]
        """
        full = min(self.most, self.first * 2.0 ** min(attempt - 1, 30))
        share = int.from_bytes(sha256(f"{seed}/{attempt}".encode()).digest()[:4]) / 2**32
        return full * (1 + share) / 2


def seconds_after(text: str | None) -> float | None:
    """Seconds that a `Retry-After` asks for: a number, or a date.

    >>> seconds_after("3"), seconds_after(None), seconds_after("soon"), seconds_after("-1")
    (3.0, None, None, None)
    """
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return None
        now = datetime.now(UTC)
        return max((until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now.timestamp(), 0.0)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
