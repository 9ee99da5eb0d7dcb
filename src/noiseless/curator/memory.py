"""What a session remembers, within bounds: whoever may only ask what something costs asks without end."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Memory(Generic[Found]):
    """Things by their keys; all are forgotten when they become too heavy together.

    >>> memory = Memory[str](most=2)
    >>> memory.keep("a", "first"), memory.keep("b", "second"), memory.keep("c", "third")
    ('first', 'second', 'third')
    >>> memory.get("a"), memory.get("c")
    (None, 'third')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: dict[Hashable, Found] = {}
        self._weight = 0

    def get(self, key: Hashable) -> Found | None:
        """What is remembered under a key."""
        return self._things.get(key)

    def keep(self, key: Hashable, thing: Found, weight: int = 1) -> Found:
        """Remember something; it is returned. What is too heavy by itself is not remembered."""
        if weight > self._most:
            return thing
        if self._weight + weight > self._most:
            self._things, self._weight = {}, 0
        self._things[key] = thing
        self._weight += weight
        return thing
