"""What is released for each cell of a partition, column by column, and how far that is from its members."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.releases.columns import PublicColumn
from noiseless.search.generalisation import SUPPRESSED
from noiseless.search.loss import Codeword
from noiseless.tables.canonical import decimal_texts
from noiseless.tables.coding import narrow
from noiseless.tables.kernels import distinct_values, order_by_code

_MORE_PLACES = 3
"""A centroid is written with this many decimals more than the values have."""

_ROOM, _FEW = 2**62, 2**16

_CELLS = 2**16
"""The categories of this many cells are listed at a time."""

_ODD = rf'\A{re.escape(SUPPRESSED)}?\z|\A"|\|'
"""Categories that are put in quotes: none, what reads as suppressed or quoted, and what reads as a set."""


@dataclass(frozen=True, eq=False)
class CellLayout:
    """The members of each cell, side by side.

    Attributes:
        cell_of: the cell of each public tuple, as codes 0, 1, 2, ...
        count: how many cells there are.
    """

    cell_of: IntArray
    count: int

    @cached_property
    def _grouped(self) -> tuple[IntArray, IntArray]:
        return order_by_code(self.cell_of, self.count)

    @property
    def order(self) -> IntArray:
        """The public tuples, cell by cell, ascending within each."""
        return self._grouped[0]

    @property
    def starts(self) -> IntArray:
        """Where the members of each cell begin."""
        return self._grouped[1]

    @cached_property
    def sizes(self) -> IntArray:
        """How many public tuples each cell holds."""
        return np.diff(self.starts, append=len(self.cell_of))

    @property
    def firsts(self) -> IntArray:
        """The first member of each cell."""
        return self.order[self.starts]

    def ends(
        self, values: npt.NDArray[Any], codes: npt.NDArray[Any] | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The smallest and the largest value of a member, for each cell.

        Args:
            values: the value of each public tuple, or of each code.
            codes: the code of each public tuple, if they have some.
        """
        along = values[self.order if codes is None else codes[self.order]]
        return np.minimum.reduceat(along, self.starts), np.maximum.reduceat(along, self.starts)

    def members(self, cell: int) -> IntArray:
        """The public tuples of a cell."""
        start = int(self.starts[cell])
        return self.order[start : start + int(self.sizes[cell])]


@dataclass(frozen=True, eq=False)
class Codewords:
    """What one column reads in each cell.

    Attributes:
        texts: the canonical text of each cell; null for a missing value.
        rank: where each cell stands when they are sorted by this column; equal texts have equal ranks.
        gaps: how far each public tuple is from its cell's text, in whole units; both as narrow as can be.
        unit: what 1 counts among the gaps; the column's weight is not in it.
    """

    texts: pa.Array
    rank: IntArray
    gaps: npt.NDArray[Any]
    unit: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rank", _narrow(self.rank))
        object.__setattr__(self, "gaps", _narrow(self.gaps))


def _narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same whole numbers, none of them negative, in few bytes."""
    return values if values.dtype == object else narrow(values, int(values.max(initial=0)) + 1)


def words(column: PublicColumn, layout: CellLayout, codeword: Codeword, chosen: IntArray | None) -> Codewords:
    """What a column reads in each cell.

    Args:
        column: the column.
        layout: the cells.
        codeword: what is released for numbers that are merged.
        chosen: the member that stands for each cell, for medoids.
    """
    if column.kind == "category":
        return _categories(column, layout, chosen)
    if column.kind == "hierarchy":
        return _nodes(column, layout, chosen)
    return _numbers(column, layout, codeword, chosen)


def _numbers(
    column: PublicColumn, layout: CellLayout, codeword: Codeword, chosen: IntArray | None
) -> Codewords:
    mark = column.marks[column.codes[layout.firsts]]
    low, high = layout.ends(column.units, column.codes)
    day = column.kind == "date"
    places = column.places
    if codeword == "interval" and chosen is None:
        texts, rank, unit = _intervals(column, low, high), _rank(mark, low, high), column.unit / 2
        gaps = _narrow(high - low)[layout.cell_of]
        return _marked(column, layout, mark, Codewords(texts, rank, gaps, unit))
    units = column.units[column.codes]
    if chosen is not None:
        middle = units[chosen]
    elif codeword == "centroid":
        places += 0 if day else _MORE_PLACES
        middle = _centroids(units, layout, 10 ** (places - column.places))
    elif day:
        middle = (low + high) // 2
    else:
        places, middle = places + 1, (low + high) * 5
    factor = 10 ** (places - column.places)
    gaps = np.abs(_roomy(units, factor) * factor - middle[layout.cell_of])
    texts, rank = _line_texts(column, middle, places), _rank(mark, middle)
    return _marked(column, layout, mark, Codewords(texts, rank, gaps, column.unit / factor))


def _marked(column: PublicColumn, layout: CellLayout, mark: IntArray, found: Codewords) -> Codewords:
    """The same, with what is no number released as it is."""
    if not mark.any():
        return found
    first = column.codes[layout.firsts]
    plain = pa.array(mark == 0)
    texts = pc.if_else(plain, found.texts, column.texts.take(pa.array(first)))
    gaps = np.where(mark[layout.cell_of] == 0, found.gaps, 0)
    return replace(found, texts=texts, gaps=gaps)


def _centroids(units: npt.NDArray[Any], layout: CellLayout, factor: int) -> npt.NDArray[Any]:
    """Means, rounded half to even; a mean of one value is that value."""
    wide = _roomy(units, factor * len(units))
    sums = np.add.reduceat(wide[layout.order], layout.starts)
    means = [round(Fraction(int(s) * factor, int(n))) for s, n in zip(sums, layout.sizes, strict=True)]
    small = all(-_ROOM < mean < _ROOM for mean in means)
    return np.array(means, np.int64 if small else object)


def _line_texts(column: PublicColumn, units: npt.NDArray[Any], places: int) -> pa.Array:
    if column.moments is not None:
        return column.moments.texts(units)
    if column.kind == "date":
        return pa.array(units.astype(np.int32)).cast(pa.date32()).cast(pa.string())
    return decimal_texts(units, places)


def _intervals(column: PublicColumn, low: npt.NDArray[Any], high: npt.NDArray[Any]) -> pa.Array:
    """Intervals: "35-39" for whole numbers from 0 on, "-3 to 5", "0.5 to 1.25", and "37" for one number."""
    ends = [_line_texts(column, end, column.places) for end in (low, high)]
    scale = 10**column.places
    whole = (low >= 0) & (low % scale == 0) & (high % scale == 0)
    dashed = pa.array((whole & (column.kind == "number")).astype(bool))
    between = pc.if_else(dashed, pa.scalar("-"), pa.scalar(" to "))
    joined = pc.binary_join_element_wise(ends[0], between, ends[1], "")
    return pc.if_else(pa.array((low == high).astype(bool)), ends[0], joined)


def _categories(column: PublicColumn, layout: CellLayout, chosen: IntArray | None) -> Codewords:
    if chosen is not None:
        shown = column.codes[chosen]
        texts = quoted(column.texts).take(pa.array(shown))
        gaps = (column.codes != shown[layout.cell_of]).astype(np.int8)
    else:
        many, texts = _sets(column, layout)
        gaps = (many > 1).astype(np.int8)[layout.cell_of]
    return Codewords(texts, _text_ranks(texts), gaps, Fraction(1))


def _sets(column: PublicColumn, layout: CellLayout) -> tuple[IntArray, pa.Array]:
    """How many categories each cell holds, and what it reads: one, or the set of them in their order."""
    names, by_text = quoted(column.texts), _text_ranks(column.texts)
    filled, back = pc.fill_null(names, ""), np.argsort(by_text)  # the value of each rank
    bounds, many = np.append(layout.starts, len(layout.order)), len(by_text)
    counts, texts = [], []
    for begin in range(0, layout.count, _CELLS):  # some at a time: all pairs take more room than the table
        ends = bounds[begin : begin + _CELLS + 1]
        owners = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        codes = column.codes[layout.order[ends[0] : ends[-1]]]
        keys = distinct_values(owners * many + by_text[codes])
        values, sizes = back[keys % many], np.bincount(keys // many)
        offsets = np.append(0, np.cumsum(sizes))
        lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), filled.take(pa.array(values)))
        single = names.take(pa.array(values[offsets[:-1]]))
        texts.append(pc.if_else(pa.array(sizes == 1), single, pc.binary_join(lists, "|")))
        counts.append(sizes)
    return np.concatenate(counts), pa.concat_arrays(texts)


def quoted(texts: pa.Array) -> pa.Array:
    """Categories so that no two sets of categories read alike, and none reads as suppressed.

    >>> quoted(pa.array(["a", "a|b", "*", '"a"', None])).to_pylist()
    ['a', '"a|b"', '"*"', '\"\"\"a\"\"\"', None]
    """
    odd = pc.fill_null(pc.match_substring_regex(texts, _ODD), False)
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(odd, pc.binary_join_element_wise('"', doubled, '"', ""), texts)


def _nodes(column: PublicColumn, layout: CellLayout, chosen: IntArray | None) -> Codewords:
    nodes, costs = column.nodes, column.costs
    first = column.codes[layout.firsts]
    if chosen is not None:
        words_of = column.codes[chosen]
        levels = np.argmax(nodes[column.codes] == nodes[words_of][layout.cell_of], axis=1)
        gaps = costs[column.codes, levels]
        texts = column.texts.take(pa.array(words_of))
        return Codewords(texts, _text_ranks(texts), gaps, Fraction(1))
    names = _names(column)
    level = np.full(layout.count, nodes.shape[1] - 1 if column.level is None else column.level)
    alike = np.ones((layout.count, nodes.shape[1]), bool)
    if column.level is not None:  # of nodes that are called alike the lowest is meant
        alike = np.array([[name == path[column.level] for name in path] for path in names])[first]
    lowest = level.copy()
    for number in range(int(level.max()) - 1, -1, -1):
        here = nodes[column.codes, number]
        lowest[np.equal(*layout.ends(here)) & alike[:, number]] = number
    named = (lowest if column.level is None else level).tolist()
    texts = pa.array([names[code][at] for code, at in zip(first.tolist(), named, strict=True)], pa.string())
    return Codewords(texts, _text_ranks(texts), costs[first, lowest][layout.cell_of], Fraction(1))


def _names(column: PublicColumn) -> list[tuple[str | None, ...]]:
    """What each value is called on each level."""
    if column.tree is None:
        raise ValueError("the column has no hierarchy")
    paths = column.tree.paths
    return [(text, *paths[text]) for text in column.texts.to_pylist()]


def medoids(
    columns: Sequence[PublicColumn],
    layout: CellLayout,
    combined: Callable[[Sequence[npt.NDArray[Any]]], npt.NDArray[Any]],
) -> IntArray:
    """The member of each cell whose largest distance to the others is least.

    Of several the one with the fewest missing values, then the first: a column of text whose values are all
    equally far from each other would otherwise read as missing wherever a cell has a missing value.
    """
    chosen = layout.firsts
    missing = np.sum([np.asarray(column.texts.is_null())[column.codes] for column in columns], axis=0)
    for cell in np.flatnonzero(layout.sizes > 1).tolist():
        members = layout.members(cell)
        best = None
        for member in members.tolist():
            gaps = [_between(column, member, members) for column in columns]
            key = combined(gaps).max(), missing[member]
            if best is None or key < best:
                best, chosen[cell] = key, member
    return chosen


def _between(column: PublicColumn, member: int, others: IntArray) -> npt.NDArray[Any]:
    """How far a member is from others, in whole units of the column."""
    code, codes = int(column.codes[member]), column.codes[others]
    if column.kind == "category":
        return np.asarray(codes != code, np.int64)
    if column.kind == "hierarchy":
        levels = np.argmax(column.nodes[codes] == column.nodes[code], axis=1)
        return np.asarray(column.costs[codes, levels])
    return np.asarray(np.abs(column.units[codes] - column.units[code]))


def _text_ranks(texts: pa.Array) -> IntArray:
    """The rank of each text by code points, missing ones first; equal texts have equal ranks."""
    encoded = texts.dictionary_encode()
    ranks = np.empty(len(encoded.dictionary) + 1, np.int64)
    ranks[pc.array_sort_indices(encoded.dictionary).to_numpy()] = np.arange(1, len(encoded.dictionary) + 1)
    ranks[-1] = 0
    return dense(ranks[pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)])


def _rank(*keys: npt.NDArray[Any]) -> IntArray:
    """The rank of each cell by several keys, the first one first."""
    found = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        codes = dense(key)
        found = dense(found * (int(codes.max(initial=0)) + 1) + codes)
    return found


def dense(values: npt.NDArray[Any]) -> IntArray:
    """Values renumbered 0, 1, 2, ... in their order."""
    if values.dtype != object and len(values):
        low, span = int(values.min()), int(values.max()) - int(values.min()) + 1
        if span <= max(_FEW, 4 * len(values)):
            present, places = np.zeros(span, bool), values - low if low else values
            present[places] = True
            return np.asarray((np.cumsum(present) - 1)[places])
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _roomy(units: npt.NDArray[Any], factor: int) -> npt.NDArray[Any]:
    """The same numbers, as Python's own where 64 bits would be too few after multiplying."""
    if units.dtype == object or max(-int(units.min()), int(units.max()), 1) * factor < _ROOM:
        return units
    return units.astype(object)
