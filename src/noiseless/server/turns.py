"""Turns: one token's requests never take all threads, and those that wait take none."""

import asyncio
from collections import deque


class Turns:
    """At most so many pieces of work of each token at the same time; the others wait in their order."""

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._busy: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def take(self, token: str) -> bool:
        """Take a turn, which must be given back; false if one must wait for it."""
        busy = self._busy.get(token, 0)
        if busy >= self._most:
            return False
        self._busy[token] = busy + 1
        return True

    async def wait(self, token: str) -> None:
        """Wait for a turn, which must be given back."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(token, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just now
                self.give_back(token)
            raise

    def give_back(self, token: str) -> None:
        """Let the next one have the turn."""
        waiting = self._waiting.get(token)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting.pop(token, None)
        left = self._busy[token] - 1
        if left:
            self._busy[token] = left
        else:
            del self._busy[token]
