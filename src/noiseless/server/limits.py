"""Limits of what one token may ask for, and of what is worked on at the same time."""

import time
from collections import OrderedDict

from noiseless.server.errors import too_many

_MOST_BUCKETS = 10_000


class Rates:
    """How many requests each token has left: so many at once, and so many a second from then on."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(max(burst, 1))
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, token: str, at: float | None = None) -> None:
        """One more request.

        Raises:
            ApiError: too many were made.
        """
        if self._rate <= 0:
            return
        now = time.monotonic() if at is None else at
        left, since = self._buckets.pop(token, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        taken = left >= 1
        self._buckets[token] = (left - 1 if taken else left, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if not taken:
            raise too_many((1 - left) / self._rate)
