"""Turns: so many at the same time, and one token's requests never take all of them."""

import asyncio
from collections import Counter, deque


class Turns:
    """At most so many pieces of work at once, and so many of each token; others wait in their order."""

    def __init__(self, most: int, of_each: int) -> None:
        self._most, self._of_each = max(1, most), max(1, of_each)
        self._busy: Counter[str] = Counter()
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()

    def take(self, token: str) -> bool:
        """Take a turn, which must be given back; false if one must wait for it."""
        if self._busy[token] >= self._of_each or self._busy.total() >= self._most:
            return False
        self._busy[token] += 1
        return True

    async def wait(self, token: str) -> None:
        """Wait for a turn, which must be given back."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((token, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just now
                self.give_back(token)
            raise

    def give_back(self, token: str) -> None:
        """Let the next one have the turn whose token may have it."""
        self._busy[token] -= 1
        self._busy += Counter()  # without those that are not busy
        waiting, self._waiting = self._waiting, deque()
        for whose, turn in waiting:
            if turn.done():
                continue
            if self.take(whose):
                turn.set_result(None)
            else:
                self._waiting.append((whose, turn))
