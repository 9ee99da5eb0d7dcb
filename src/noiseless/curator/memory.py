"""What a session remembers, within bounds: whoever may only ask what something costs asks without end."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class once(Generic[Found]):  # noqa: N801 - used as a decorator
    """A property that is computed when it is first asked for.

    As `functools.cached_property` without the lock that Python 3.11 takes there: what is computed depends
    on nothing that changes, and several are computed for every question.
    """

    def __init__(self, make: Callable[[Any], Found]) -> None:
        self._make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, thing: object, owner: type | None = None) -> Found:
        found = self._make(thing)
        thing.__dict__[self._name] = found
        return found


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
        self.get: Callable[[Hashable], Found | None] = self._things.get
        """What is remembered under a key."""

    def keep(self, key: Hashable, thing: Found, weight: int = 1) -> Found:
        """Remember something; it is returned. What is too heavy by itself is not remembered."""
        if weight > self._most:
            return thing
        if self._weight + weight > self._most:
            self._things.clear()
            self._weight = 0
        self._things[key] = thing
        self._weight += weight
        return thing
