"""Which cells of a certificate cover public values that are no members of them.

A cell covers a tuple if it covers every part of it: a number or day between the least and the largest of its
members, a category of theirs, a leaf below the node that is released for them (with a medoid, below the
lowest node above them), and in columns of numbers or days, of other texts the one that its members have.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from noiseless.arrays import BoolArray, IntArray
from noiseless.tables.canonical import decimal_units
from noiseless.verification.certificate import Cell, CertifiedRelease
from noiseless.verification.codebook import CertifiedCodebook
from noiseless.verification.generalisation import GeneralisationTree
from noiseless.verification.quantities import is_number, point_in_time

_ROOM, _LEAST = 2**24, 2**6
"""How many pairs of a tuple and a cell are looked at together, and how many tuples at least."""

_NOBODY = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class ColumnCover:
    """What each cell covers of one public column, and the values that are looked for in it.

    Attributes:
        low: the rank of the least number or day of each cell; above `high` where it has none.
        high: the rank of the largest one.
        holders: the cells that hold a key: a category, a text that is no number, a node of a hierarchy.
        ranks: the rank of each value that is a number or day, -1 for others.
        keys: the keys of each value: a cell that holds one of them covers it.
    """

    low: IntArray
    high: IntArray
    holders: Mapping[Hashable, IntArray]
    ranks: IntArray
    keys: Sequence[Sequence[Hashable]]

    @classmethod
    def of(
        cls, certificate: CertifiedRelease, place: int, cells: Sequence[Cell], values: Sequence[str | None]
    ) -> "ColumnCover":
        """One column of some cells.

        Args:
            certificate: where kinds and hierarchies are stated.
            place: the column's place among the public ones.
            cells: the cells.
            values: what is looked for.
        """
        name = certificate.columns.public[place]
        kind, parts = certificate.options.kinds[name], [{m[place] for m in cell.members} for cell in cells]
        held: list[Iterable[Hashable]] = list(parts)
        keys: list[Sequence[Hashable]] = [(value,) for value in values]
        ranks: Mapping[str | None, int] = {}
        if kind in ("number", "date"):
            ranks = _ranks({*values}.union(*parts), days=kind == "date")
            held = [[text for text in part if text not in ranks] for part in parts]
            keys = [() if value in ranks else (value,) for value in values]
        elif kind == "hierarchy":
            tree = GeneralisationTree.grow(
                certificate.hierarchies[name], set().union(*parts), certificate.options.hierarchy_cost
            )
            if tree is None:  # as has been seen before, all members are in it
                raise ValueError
            words = [
                None if certificate.options.codeword == "medoid" else (c.released[place],) for c in cells
            ]
            held = [_nodes(tree, part, word) for part, word in zip(parts, words, strict=True)]
            keys = [tree.paths.get(value, ()) for value in values]
        numbers = [[ranks[text] for text in part if text in ranks] for part in parts]
        return cls(
            np.array([min(some, default=1) for some in numbers], np.int64),
            np.array([max(some, default=0) for some in numbers], np.int64),
            _holders(held),
            np.array([ranks.get(value, -1) for value in values], np.int64),
            keys,
        )

    def meets(self, values: IntArray) -> BoolArray:
        """Which cells may cover one of some values; those that are left out cover none."""
        found = np.zeros(len(self.low), bool)
        numbers = self.ranks[values]
        numbers = numbers[numbers >= 0]
        if len(numbers):
            found = (self.low <= numbers.max()) & (numbers.min() <= self.high)
        for value in values.tolist():
            for key in self.keys[value]:
                found[self.holders.get(key, _NOBODY)] = True
        return found

    def covered(self, values: IntArray, cells: IntArray) -> BoolArray:
        """For each of some values, a row, which of some cells cover it."""
        numbers = self.ranks[values][:, None]
        found = (self.low[cells] <= numbers) & (numbers <= self.high[cells])
        places = np.full(len(self.low), -1)
        places[cells] = np.arange(len(cells))
        for row, value in enumerate(values.tolist()):
            for key in self.keys[value]:
                at = places[self.holders.get(key, _NOBODY)]
                found[row, at[at >= 0]] = True
        return np.asarray(found)


def _ranks(texts: Iterable[str | None], *, days: bool) -> dict[str | None, int]:
    """The rank of each text that is a day or moment, or a number."""
    said: dict[str, Fraction | int]
    if days:
        said = {
            text: point for text in texts if text is not None and (point := point_in_time(text)) is not None
        }
    else:
        plain = [text for text in texts if text is not None and is_number(text)]
        said = dict(zip(plain, decimal_units(pa.array(plain, pa.string()))[0].tolist(), strict=True))
    ranks = {number: rank for rank, number in enumerate(sorted(set(said.values())))}
    return {text: ranks[number] for text, number in said.items()}


def _nodes(
    tree: GeneralisationTree, values: Iterable[str | None], word: tuple[str | None] | None
) -> set[int]:
    """The nodes below which a cell covers everything: one, or of a name that several have one for each."""
    paths = [
        [node for node in tree.paths[value] if word is None or tree.names[node] == word[0]]
        for value in values
    ]
    common = set(paths[0]).intersection(*paths[1:])
    return {max(common)} if common else {path[0] for path in paths}  # a lower node has a higher number


def _holders(held: Sequence[Iterable[Hashable]]) -> dict[Hashable, IntArray]:
    found: dict[Hashable, list[int]] = {}
    for cell, keys in enumerate(held):
        for key in keys:
            found.setdefault(key, []).append(cell)
    return {key: np.array(cells, np.int64) for key, cells in found.items()}


def cheapest_cells(
    certificate: CertifiedRelease, values: Sequence[Sequence[str | None]], codes: Sequence[IntArray]
) -> IntArray:
    """For each tuple the cell that covers it, of several the cheapest, of these the first; -1 if none does.

    A cell costs the largest distance of a member to what is released for it. Suppressed cells cover nothing.

    Args:
        certificate: one whose released tuples cover their cells.
        values: for each public column the values that tuples have.
        codes: which of them each tuple has.
    """
    shown = np.array([i for i, cell in enumerate(certificate.cells) if not cell.suppressed], np.int64)
    cells, found = [certificate.cells[i] for i in shown], np.full(len(codes[0]), -1)
    if not cells:
        return found
    columns = [ColumnCover.of(certificate, place, cells, texts) for place, texts in enumerate(values)]
    order = np.array(_by_cost(certificate, cells), np.int64)
    step = max(_LEAST, _ROOM // len(cells))
    for start in range(0, len(found), step):
        place = _first([code[start : start + step] for code in codes], columns, order)
        found[start : start + step] = np.where(place >= 0, shown[place], -1)
    return found


def _by_cost(certificate: CertifiedRelease, cells: Sequence[Cell]) -> list[int]:
    """The cells, the cheapest first."""
    if certificate.options.distance is None:
        return list(range(len(cells)))
    book = CertifiedCodebook(certificate)
    costs = [max(book.distances(cell)) for cell in cells]
    return sorted(range(len(cells)), key=lambda cell: (costs[cell], cell))


def _first(codes: Sequence[IntArray], columns: Sequence[ColumnCover], order: IntArray) -> IntArray:
    """For each tuple the first cell of an order that covers it in every column; -1 where none does.

    After a column, `fits` says of each tuple and each cell left whether the cell covers it in all columns so
    far; cells that meet none of the tuples were left out before, in their order.
    """
    distinct = [np.unique(code, return_inverse=True) for code in codes]
    for column, (values, _) in zip(columns, distinct, strict=True):
        order = order[column.meets(values)[order]]
    if not len(order):
        return np.full(len(codes[0]), -1)
    fits = np.ones((len(codes[0]), len(order)), bool)
    for column, (values, places) in zip(columns, distinct, strict=True):
        fits &= column.covered(values, order)[places.reshape(-1)]
    return np.where(fits.any(axis=1), order[fits.argmax(axis=1)], -1)
