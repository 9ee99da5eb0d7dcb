"""A partition as its reader sees it: what reads alike is one cell; and what it then gives away and keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import BoolArray, IntArray
from noiseless.audits.census import Census, GroupSizes
from noiseless.audits.odds import Odds, odds
from noiseless.releases.codewords import CellLayout, Codewords, dense, medoids, words
from noiseless.releases.columns import PublicColumn, PublicColumns
from noiseless.releases.risks import MINIMA, AnswerRisks, Found
from noiseless.releases.source import ReleaseSource
from noiseless.search.codebook import common_scale
from noiseless.search.generalisation import SUPPRESSED
from noiseless.search.loss import Codeword, Length
from noiseless.search.measures import Measures, measure
from noiseless.search.problem import Cells, Problem
from noiseless.tables.engine import give_back
from noiseless.tables.kernels import add_by_code, distinct_values

MANY = 2**16
"""With more cells than this memory that is held free is missed."""

_ROOM = 2**62

_AT_ONCE = 2**18
"""The distances of this many public tuples are computed at a time."""


@dataclass(frozen=True, eq=False)
class DistanceScale:
    """How the columns' differences make one number.

    Attributes:
        factors: what 1 counts in each column, as whole multiples of `unit`.
        unit: what 1 counts in the result (its square, if these are squares).
        combine: `sum`, `max` or `squares`.
        root: whether the root of it is the distance.
    """

    factors: tuple[int, ...]
    unit: Fraction
    combine: str
    root: bool

    @classmethod
    def of(cls, public: PublicColumns, units: Sequence[Fraction]) -> "DistanceScale":
        """For differences given in whole units."""
        share = Fraction(1, len(units)) if public.distance == "gower" else Fraction(1)
        pairs = zip(public.columns, units, strict=True)
        factors, unit = common_scale(
            [_counts(column, public.distance) * one * share for column, one in pairs]
        )
        kinds = {"max": "max", "discrete": "max", "euclidean": "squares", "squared": "squares"}
        return cls(tuple(factors), unit, kinds.get(public.distance, "sum"), public.distance == "euclidean")

    def combined(self, gaps: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Differences of several columns as one number, in whole units (of the square, for squares)."""
        power = 2 if self.combine == "squares" else 1
        pairs = list(zip(self.factors, gaps, strict=True))
        bound = sum(max(factor, factor * int(gap.max(initial=0))) ** power for factor, gap in pairs)
        exact = bound < _ROOM and all(gap.dtype != object for gap in gaps)
        total: npt.NDArray[Any] | None = None
        for factor, gap in pairs:
            part = gap.astype(np.int64 if exact else object)
            part *= factor
            if power > 1:
                part *= part
            joined = np.maximum if self.combine == "max" else np.add
            total = part if total is None else joined(total, part, out=total)
        if total is None:
            raise ValueError("there is no column")
        return total

    def length(self, total: int) -> Length:
        """A combined number as a length."""
        if self.combine == "squares":
            return Length(total * self.unit**2, root=self.root)
        return Length(total * self.unit)


def _counts(column: PublicColumn, distance: str) -> Fraction:
    """What a difference of 1 in a column counts before it is shared."""
    if distance != "gower" or column.kind == "category":
        return column.weight
    if column.kind == "hierarchy":
        return column.weight / max(1, column.largest_cost)
    low, high = column.span or (Fraction(0), Fraction(1))
    return column.weight / (high - low)


@dataclass(frozen=True, eq=False)
class ReadCells:
    """A partition whose cells all read differently.

    Cells are numbered as they are sorted by what is released, the suppressed one last.

    Attributes:
        public: the public columns.
        layout: the members of each cell.
        words: what each column reads.
        suppressed: the number of the suppressed cell, if there is one.
    """

    public: PublicColumns
    layout: CellLayout
    words: tuple[Codewords, ...]
    suppressed: int | None

    @classmethod
    def of(
        cls, public: PublicColumns, cell_of: IntArray, suppressed: BoolArray, codeword: Codeword
    ) -> "ReadCells":
        """Merge the cells that read alike, until none do.

        Args:
            public: the public columns.
            cell_of: the cell of each public tuple.
            suppressed: which public tuples are suppressed; they become one cell, whatever theirs are.
            codeword: what is released for numbers that are merged.
        """
        hidden, labels = (
            suppressed,
            dense(np.where(suppressed, 0, cell_of + 1)) if suppressed.any() else cell_of,
        )
        while True:
            count = int(labels.max()) + 1
            gone = int(labels[np.argmax(hidden)]) if hidden.any() else None
            read = _written(public, CellLayout(labels, count), codeword, gone)
            order, alike = _sorted(read, count, gone)
            if count > MANY:  # what their texts were sorted by
                give_back()
            if alike.max() + 1 == count:
                return cls(public, *_renumbered(labels, read, order, gone))
            labels = alike[labels]
            if gone is not None and np.count_nonzero(alike == alike[gone]) > 1:
                hidden = np.zeros(
                    len(labels), bool
                )  # an ordinary cell reads so: it is one, with all its members

    def __len__(self) -> int:
        return self.layout.count

    @property
    def cell_of(self) -> IntArray:
        """The cell of each public tuple."""
        return self.layout.cell_of

    @cached_property
    def hidden(self) -> BoolArray:
        """Which public tuples are suppressed."""
        if self.suppressed is None:
            return np.zeros(len(self.cell_of), bool)
        return np.asarray(self.cell_of == self.suppressed)

    @property
    def mixes_groups(self) -> bool:
        """Whether a cell that is not suppressed holds values that are never merged, as they read alike."""
        groups = self.public.groups
        if groups is None:
            return False
        firsts = groups[self.layout.firsts]
        return bool(np.any((firsts[self.cell_of] != groups) & ~self.hidden))

    @cached_property
    def largest_cell(self) -> int:
        """The cell that holds the most public tuples and is not suppressed, the first of several."""
        sizes = self.layout.sizes.copy()
        if self.suppressed is not None:
            sizes[self.suppressed] = 0
        return int(np.argmax(sizes))

    @cached_property
    def _furthest(self) -> tuple[Length, int]:
        scale = DistanceScale.of(self.public, [word.unit for word in self.words])
        most, first = -1, 0
        for begin in range(0, len(self.cell_of), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            found = scale.combined([word.gaps[part] for word in self.words])
            found[self.hidden[part]] = 0
            here = int(found.max())
            far = begin + np.flatnonzero(found == here)
            one = int(far[np.argmin(self.cell_of[far])])
            if here > most or (here == most and self.cell_of[one] < self.cell_of[first]):
                most, first = here, one
        return scale.length(most), first

    @property
    def distortion(self) -> Length:
        """The largest distance of a public tuple to what is released for it."""
        return self._furthest[0]

    @property
    def furthest(self) -> int:
        """The first public tuple that is so far away, cell by cell."""
        return self._furthest[1]


def _written(
    public: PublicColumns, layout: CellLayout, codeword: Codeword, gone: int | None
) -> list[Codewords]:
    chosen = None
    if codeword == "medoid":
        units = [column.unit if column.is_line else Fraction(1) for column in public.columns]
        chosen = medoids(public.columns, layout, DistanceScale.of(public, units).combined)
    read = [words(column, layout, codeword, chosen) for column in public.columns]
    if gone is None:
        return read
    shown, hidden = pa.array(np.arange(layout.count) != gone), pa.scalar(SUPPRESSED)
    return [replace(word, texts=pc.if_else(shown, word.texts, hidden)) for word in read]


def _sorted(read: Sequence[Codewords], count: int, gone: int | None) -> tuple[IntArray, IntArray]:
    """The cells in order, the suppressed one last; and for each cell the number of what it reads."""
    last = np.zeros(count, np.int64)
    if gone is not None:
        last[gone] = 1
    order = np.lexsort([*(word.rank for word in reversed(read)), last])
    alike = np.zeros(count, np.int64)
    for word in read:
        codes = pc.fill_null(word.texts.dictionary_encode().indices, -1).to_numpy(zero_copy_only=False) + 1
        alike = dense(alike * (int(codes.max()) + 1) + codes)
    return order, alike


def _renumbered(
    cell_of: IntArray, read: list[Codewords], order: IntArray, gone: int | None
) -> tuple[CellLayout, tuple[Codewords, ...], int | None]:
    """The same cells, numbered by their order."""
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    moved, taken = list[Codewords](), pa.array(order)
    while read:  # each column's texts make room for the next one's
        word = read.pop(0)
        moved.append(replace(word, texts=word.texts.take(taken), rank=word.rank[order]))
    found = CellLayout(number[cell_of], len(order))
    return found, tuple(moved), None if gone is None else int(number[gone])


@dataclass(frozen=True, eq=False)
class MeasuredPartition:
    """A partition of a table's public tuples, measured.

    An adversary sees the cell and the kept columns, and knows the given ones: an *answer*.

    Attributes:
        source: the table.
        read: the cells as they read.
        measures: what they give away and keep.
    """

    source: ReleaseSource
    read: ReadCells
    measures: Measures

    @cached_property
    def posteriors(self) -> IntArray:
        """How few sensitive values each cell leaves, whatever is kept or given with it."""
        source, shown = self.source, self.source.shown_of_seen
        many = int(shown.max()) + 1
        answers = self.read.cell_of[source.public_of_seen] * many + shown
        sizes = source.joint.merged(dense(answers)).posterior_sizes
        found = np.full(len(self.read), source.joint.size_x)
        np.minimum.at(found, distinct_values(answers) // many, sizes)
        return found

    @cached_property
    def fewest_of_each(self) -> Mapping[str, tuple[int, int]]:
        """Of several sensitive columns how few values of each an answer leaves, and of how many."""
        if len(self.source.request.sensitive) == 1:
            return {}
        fewest = AnswerRisks(self.source).fewest_of_each(self._counted[0].joint)
        many = (int(codes.max()) + 1 for codes in self.source.values_of_each.values())
        return dict(zip(self.source.request.sensitive, zip(fewest, many, strict=True), strict=True))

    @cached_property
    def rows_of_cells(self) -> IntArray:
        """How many rows each cell has."""
        return add_by_code(self.read.cell_of, self.source.public.counts, len(self.read))

    @cached_property
    def _counted(self) -> tuple[Census, Odds]:
        """The rows behind each answer, and what a bettor wins."""
        census, known = self.source.census(self.read.cell_of)
        return census, odds(census, known)

    @property
    def odds(self) -> Odds:
        """What a bettor wins with the release."""
        return self._counted[1]

    @property
    def sizes(self) -> GroupSizes:
        """How many rows (persons, where a unit names them) look alike, answer by answer."""
        if self.source.request.unit is None:
            return GroupSizes.of(self._counted[0].group_sizes)
        seen, persons = self.source.members
        shown, many = self.source.shown_of_seen, int(persons.max()) + 1
        cells = self.read.cell_of[self.source.public_of_seen] * (int(shown.max()) + 1) + shown
        return GroupSizes.of(np.bincount(distinct_values(dense(cells)[seen] * many + persons) // many))

    @cached_property
    def risks(self) -> Mapping[str, Found]:
        """What is reached of the limits on bets, widths and persons; by keys, where that is worst."""
        if not self.key_cells:
            return self.all_risks
        found = list(self.key_risks.values())
        return {name: (min if name in MINIMA else max)(one[name] for one in found) for name in found[0]}

    @cached_property
    def all_risks(self) -> Mapping[str, Found]:
        """The same to someone who knows all public columns."""
        return AnswerRisks(self.source).found(self.read.cell_of)

    @cached_property
    def key_cells(self) -> Mapping[tuple[str, ...], IntArray]:
        """For each key what is seen of each public tuple by someone who knows no more, as codes."""
        public, found = self.source.request.public, dict[tuple[str, ...], IntArray]()
        for key in self.source.request.key:
            words = [self.read.words[public.index(name)].texts.to_pylist() for name in key]
            codes = dict[tuple[str | None, ...], int]()
            seen = [codes.setdefault(word, len(codes)) for word in zip(*words, strict=True)]
            found[key] = np.array(seen, np.int64)[self.read.cell_of]
        return found

    @cached_property
    def key_risks(self) -> Mapping[tuple[str, ...], Mapping[str, Found]]:
        """What is reached of these limits for each key."""
        return {key: AnswerRisks(self.source).found(cells) for key, cells in self.key_cells.items()}

    @cached_property
    def key_points(self) -> Mapping[tuple[str, ...], Measures]:
        """What is given away to someone who knows only a key."""
        source = self.source
        problem = Problem(source.joint, None, source.side, source.seen.counts)
        return {key: measure(problem, Cells.from_labels(cells)) for key, cells in self.key_cells.items()}

    @property
    def posterior_cell(self) -> int:
        """The first cell that leaves the fewest sensitive values."""
        return int(np.argmin(self.posteriors))
