"""Identities of questions: compared by what they are made of, hashed once."""

from collections.abc import Hashable
from functools import cached_property


class Key:
    """Some parts that together say what a question is.

    Hashing exact numbers is slow and a ledger looks the same question up many times, so the hash is kept.

    >>> Key("count", 3) == Key("count", 3), Key("count", 3) == Key("count", 4)
    (True, False)
    """

    def __init__(self, *parts: Hashable) -> None:
        self.parts = parts

    @cached_property
    def _hash(self) -> int:
        return hash(self.parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        return self is other or (self._hash == other._hash and self.parts == other.parts)

    def __repr__(self) -> str:
        return f"Key{self.parts!r}"
