"""What a session remembers, within bounds: who may only ask what something costs may ask without end."""

import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from noiseless.work import itemised, spend

ItemT = TypeVar("ItemT")
MadeT = TypeVar("MadeT")

NUMBER = 100
"""The most bytes that a number takes, in a set or as an object of its own."""
_EACH = 2_000
"""The most bytes that anything takes besides."""

MOST_BYTES = 2**29
"""The most bytes that all memories of a process take together, as they are estimated."""


class Cache(Generic[ItemT]):
    """Things by their keys; all are forgotten when they become too heavy together.

    What is heavy is estimated from above. When all memories of a process become too heavy together, the
    heaviest are forgotten.

    >>> memory = Cache[str](most=5_000)
    >>> memory.keep("a", "first"), memory.keep("b", "second"), memory.keep("c", "third")
    ('first', 'second', 'third')
    >>> memory.get("a"), memory.get("c")
    (None, 'third')
    """

    def __init__(self, most: int) -> None:
        """Nothing is remembered yet.

        Args:
            most: the most bytes.
        """
        self._most = most
        self._things: dict[Hashable, ItemT] = {}
        self.size = 0
        """How many bytes it takes."""
        self.get: Callable[[Hashable], ItemT | None] = self._things.get
        """What is remembered under a key."""
        _all.add(self)

    def keep(self, key: Hashable, thing: ItemT, weight: int = 1) -> ItemT:
        """Remember something; it is returned. What is too heavy by itself is not remembered.

        Args:
            key: what it is found by.
            thing: what is remembered.
            weight: how many numbers it holds, or as much as they take.
        """
        size = _EACH + NUMBER * weight
        if size > self._most:
            return thing
        with _all.lock:
            if self.size + size > self._most:
                self.forget()
            self._things[key] = thing
            self.size += size
            _all.make_room(size)
        return thing

    def made(
        self: "Cache[Any]", key: Hashable, make: Callable[[], MadeT], weigh: Callable[[MadeT], int]
    ) -> MadeT:
        """Something that is made once, and kept with the steps that it took: a batch takes them each time.

        Otherwise a refusal would depend on what was asked before.

        Args:
            key: what it is found by.
            make: make it, spending steps.
            weigh: how heavy it is.
        """
        found: tuple[MadeT, int] | None = self.get(key)
        if found is None:
            with itemised((self, key)) as items:
                made = make()
            found = self.keep(key, (made, sum(items.values())), weigh(made))
        elif found[1]:
            spend(found[1], (self, key))
        return found[0]

    def forget(self) -> None:
        """Forget everything."""
        self._things.clear()
        self.size = 0


class _All:
    """All memories of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._memories: weakref.WeakSet[Cache[Any]] = weakref.WeakSet()
        self._grown = 0

    def add(self, memory: Cache[Any]) -> None:
        with self.lock:
            self._memories.add(memory)

    def make_room(self, size: int) -> None:
        """Forget the heaviest if something new makes all of them too heavy; they are seldom counted."""
        self._grown += size
        if self._grown <= MOST_BYTES:
            return
        heaviest = sorted(self._memories, key=lambda memory: memory.size)
        self._grown = sum(memory.size for memory in heaviest)
        while self._grown > MOST_BYTES // 2:
            last = heaviest.pop()
            self._grown -= last.size
            last.forget()


_all = _All()
