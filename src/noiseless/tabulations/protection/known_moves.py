"""The moves that were found for requirements: one that a pattern leaves possible spares a look at it."""

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.tabulations.protection.attacker import NOTHING, TableMove

_KEPT = 6
"""Moves of one requirement that are kept, the latest."""


class KnownMoves:
    """Moves with the numbers of their requirements, all held against a pattern at once."""

    def __init__(self) -> None:
        self.moves, self.owners = list[TableMove](), list[int]()
        self.requirements = 0
        self._clear()

    def _clear(self) -> None:
        self._cells, self._shares = np.zeros(0, np.int64), np.zeros(0)
        self._starts, self._owners, self._many = np.zeros(0, np.int64), np.zeros(0, np.int64), 0

    def add(self, number: int, move: TableMove) -> None:
        """Remember a move of a requirement."""
        self.moves.append(move)
        self.owners.append(number)
        if len(self.moves) > 2 * _KEPT * (self.requirements + _KEPT):
            self._forget()

    def _forget(self) -> None:
        seen, kept = np.zeros(self.requirements, np.int64), list[int]()
        for place in range(len(self.moves) - 1, -1, -1):
            seen[self.owners[place]] += 1
            if seen[self.owners[place]] <= _KEPT:
                kept.append(place)
        self.moves = [self.moves[place] for place in reversed(kept)]
        self.owners = [self.owners[place] for place in reversed(kept)]
        self._clear()

    def possible(self, withheld: FloatArray) -> IntArray:
        """The places of the moves that a pattern, or a mixture of patterns, leaves possible."""
        if more := self.moves[self._many :]:  # each ends with an entry that always holds
            sizes = [len(move.cells) + 1 for move in more]
            cells = [part for move in more for part in (move.cells, _NONE)]
            shares = [part for move in more for part in (move.shares, -_ALL)]
            self._starts = np.r_[self._starts, len(self._cells) + np.cumsum([0, *sizes[:-1]])]
            self._cells, self._shares = np.r_[self._cells, *cells], np.r_[self._shares, *shares]
            self._owners = np.r_[self._owners, self.owners[self._many :]]
            self._many = len(self.moves)
        if not self.moves:
            return np.zeros(0, np.int64)
        fits = withheld[self._cells] >= self._shares - NOTHING
        return np.flatnonzero(np.logical_and.reduceat(fits, self._starts))

    def met(self, withheld: FloatArray) -> BoolArray:
        """Which requirements a pattern, or a mixture of patterns, meets by a move that is known."""
        found, places = np.zeros(self.requirements, bool), self.possible(withheld)
        found[self._owners[places]] = True
        return found


_NONE, _ALL = np.zeros(1, np.int64), np.ones(1)
