"""Totals and subtotals under names that are not known: labels that are sums of others wherever all are shown.

Read as a category, a total hides what it tells, and an audit would call a table safe that is not. So a label
that can be a sum of others in every line of its table is asked about; a coincidence costs one option.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.reading.figures import Figures

_FEWEST = 3
"""A sum, and two labels that it adds up."""
_LONGEST = 50
"""A subtotal is looked for beside this many labels."""
_LABELS = 10_000
"""Subtotals are not looked for among more labels."""
_LINES, _CELLS = 200, 400_000
"""Subtotals are looked for in this many lines, those that show most, or fewer where lines are long."""
_SURE = 2.0
"""Bits by which lines must agree beyond the number of runs that are tried."""
_NAMED = 3
"""The labels that a message lists."""


def unnamed_total(figures: Figures, ends: tuple[IntArray, IntArray], absent: tuple[int, int]) -> str | None:
    """What looks like the sum of other labels, and what to say about it; None if nothing does.

    Args:
        figures: the table; nothing is asked about its flat dimensions.
        ends: the least and the largest value of each figure.
        absent: the ends of a combination that the table leaves out.
    """
    asked = [place for place, name in enumerate(figures.dimensions) if name not in figures.flat]
    for place in asked:
        if problem := LabelSums(figures, place, ends, absent).problem():
            return problem
    for place in asked:
        for places, labels in _tied(figures, place).items():
            name, several = figures.dimensions[place], [figures.dimensions[each] for each in places]
            kept, candidates = _without_totals(figures, places, np.isin(figures.codes[:, place], labels))
            joint = _joined(figures, places, kept)
            low, high = (end[kept] for end in ends)
            label = LabelSums(joint, 0, (low, high), absent).everything(joint.codes[candidates[kept], 0])
            if label is not None:
                return (
                    f"{label} of {' and '.join(map(repr, several))} can be the sum of all others in every "
                    f"line: if it is, label it 'Total' in each of them; if not, say that no label of "
                    f"{name!r} is a sum of others (--flat {name}, flat = '{name}')"
                )
    return None


def _tied(figures: Figures, place: int) -> dict[tuple[int, ...], IntArray]:
    """Labels that may be a total together with labels of other dimensions, by the dimensions.

    Each stands beside one label alone of another dimension, which stands beside nothing else, is a known
    total, or only spans it in the file. A table with a figure for every combination has none.
    """
    if len(figures.codes) == math.prod(map(len, figures.labels)):
        return {}
    own, many = figures.codes[:, place], len(figures.labels[place])
    counts = np.bincount(own, minlength=many)
    spanned = np.zeros(len(own), bool) if figures.spanned is None else figures.spanned
    spans = np.bincount(own, spanned, many) == counts
    tied = np.zeros((many, len(figures.labels)), bool)
    for other, labels in enumerate(figures.labels):
        if other == place or len(labels) == 1:
            continue
        codes = figures.codes[:, other]
        least, most = np.full(many, len(labels)), np.full(many, -1)
        np.minimum.at(least, own, codes)
        np.maximum.at(most, own, codes)
        single = np.flatnonzero(least == most)
        beside = least[single]
        alone = np.bincount(codes, minlength=len(labels))[beside] == counts[single]
        is_total = beside == _total(figures, other)
        tied[single, other] = alone | is_total | spans[single]
    total = _total(figures, place)
    tied[np.arange(many) == total] = False
    tied[:, place] = tied.any(axis=1)
    rows, which = np.unique(tied, axis=0, return_inverse=True)
    return {
        tuple(np.flatnonzero(row).tolist()): np.flatnonzero(which == at)
        for at, row in enumerate(rows)
        if row.any()
    }


def _total(figures: Figures, place: int) -> int:
    """The code of a known total; -1 if there is none."""
    label = figures.totals.get(figures.dimensions[place])
    return -1 if label is None else figures.labels[place].index(label)


def _without_totals(figures: Figures, places: Sequence[int], asked: BoolArray) -> tuple[BoolArray, BoolArray]:
    """The figures that are no known totals of some dimensions, and those asked about that may be of all.

    Returns:
        The figures; and those asked about: where a dimension has a known total, they are of it.
    """
    inner, candidates = np.ones(len(asked), bool), asked.copy()
    for place in places:
        if (total := _total(figures, place)) >= 0:
            is_total = figures.codes[:, place] == total
            inner &= ~is_total
            candidates &= is_total
    return inner | candidates, candidates


def _joined(figures: Figures, places: Sequence[int], kept: BoolArray) -> Figures:
    """The kept figures with several dimensions as one, the first."""
    codes = figures.codes[kept]
    together, code = np.unique(codes[:, places], axis=0, return_inverse=True)
    labels = tuple(
        ", ".join(repr(figures.labels[place][at]) for place, at in zip(places, each, strict=True))
        for each in together.tolist()
    )
    others = [place for place in range(len(figures.labels)) if place not in places]
    return replace(
        figures,
        dimensions=("", *(figures.dimensions[place] for place in others)),
        labels=(labels, *(figures.labels[place] for place in others)),
        codes=np.column_stack([code.reshape(-1, 1), codes[:, others]]),
        totals={},
    )


class LabelSums:
    """The figures of one dimension, line by line: a line holds one figure for each label."""

    def __init__(
        self, figures: Figures, place: int, ends: tuple[IntArray, IntArray], absent: tuple[int, int]
    ) -> None:
        """Of one table.

        Args:
            figures: the table.
            place: the dimension.
            ends: the least and the largest value of each figure.
            absent: the ends of a combination that the table leaves out.
        """
        self.name, self.labels = figures.dimensions[place], figures.labels[place]
        self.total = figures.totals.get(self.name)
        self.code = figures.codes[:, place].astype(np.int64)
        self.lower, self.upper = ends
        self.absent = absent
        finite = self.upper[self.upper < UNBOUNDED]
        self.peak = int(max(np.abs(self.lower).max(initial=0), np.abs(finite).max(initial=0)))
        sizes = [len(known) for at, known in enumerate(figures.labels) if at != place]
        codes = np.delete(figures.codes, place, axis=1).T
        keys = np.ravel_multi_index(tuple(codes), tuple(sizes)) if sizes else np.zeros(len(self.code), int)
        _, self.line = np.unique(keys, return_inverse=True)
        self.lines = int(self.line.max(initial=-1)) + 1

    def problem(self) -> str | None:
        """What looks like a sum, and what to say about it; None if nothing does."""
        label, parts = self.everything(), list[str]()
        if label is None:
            label, parts = self._subtotal()
        if label is None:
            return None
        name, more = self.name, f" and {len(parts) - _NAMED} more" * (len(parts) > _NAMED)
        of = f"{', '.join(map(repr, parts[:_NAMED]))}{more}" if parts else "the others"
        remedy = (
            f"declare the hierarchy (--hierarchy {name}=FILE)"
            if parts
            else f"name it (--totals {name}='{label}', totals = {{{name} = '{label}'}})"
        )
        return (
            f"{label!r} of {name!r} can be the sum of {of} in every line: if it is, {remedy}; if not, say "
            f"that no label of {name!r} is a sum of others (--flat {name}, flat = '{name}')"
        )

    def everything(self, asked: IntArray | None = None) -> str | None:
        """A label, of those asked about, that can be the sum of all others in every line that has some."""
        many = len(self.labels)
        if self.total is not None or many < _FEWEST:
            return None
        limit = 2 * many * self.peak + 1  # no sum of figures that are not open reaches it
        kind = np.int64 if many * limit < UNBOUNDED else object
        lower, upper = self.lower.astype(kind), np.minimum(self.upper.astype(kind), limit)
        absent = many - np.bincount(self.line, minlength=self.lines)
        least, most = absent.astype(kind) * self.absent[0], absent.astype(kind) * min(self.absent[1], limit)
        np.add.at(least, self.line, lower)
        np.add.at(most, self.line, upper)
        others = least[self.line] - lower, most[self.line] - upper
        beside = absent[self.line] < many - 1
        unlike = np.zeros(many, bool)
        unlike[self.code[beside & ((upper < others[0]) | (lower > others[1])).astype(bool)]] = True
        tells = (lower > 0) | (upper < 0) | ((lower == upper) & (others[0] < others[1]))
        shown = np.bincount(self.code, beside & tells.astype(bool), many)
        shown[unlike] = 0
        if asked is not None:
            shown[np.isin(np.arange(many), asked, invert=True)] = 0
        best = many - 1 - int(shown[::-1].argmax())
        return self.labels[best] if shown[best] else None

    def _subtotal(self) -> tuple[str | None, list[str]]:
        """A label that can be the sum of those beside it in every line, more often than by coincidence."""
        inner = [code for code, label in enumerate(self.labels) if label != self.total]
        many = len(inner)
        if not _FEWEST + (self.total is None) <= many <= _LABELS:
            return None, []
        lower, upper, there = self._shown(inner)
        exact = lower == upper
        flat = self._flat(lower, exact.all(axis=1))
        longest = min(_LONGEST, many - 1)
        limit = 2 * (longest + 1) * self.peak + 1
        upper = np.minimum(upper, limit)
        low, high = np.where(there, lower, -limit * longest), np.where(there, upper, limit * longest)
        runs = 2 * sum(many - length for length in range(_FEWEST - 1, longest + 1))
        needed = math.log2(runs) + _SURE
        for step in (1, -1):  # what stands before a label, then what stands after it
            begin, end, own_low, own_high = (each[:, ::step] for each in (lower, upper, low, high))
            least, most = np.zeros_like(lower), np.zeros_like(upper)
            for length in range(1, longest + 1):
                least, most = least[:, 1:] + begin[:, :-length], most[:, 1:] + end[:, :-length]
                own = own_low[:, length:], own_high[:, length:]
                alike = ((own[1] >= least) & (own[0] <= most)).all(axis=0)
                if length < _FEWEST - 1 or not alike.any():
                    continue
                told = np.where((least == most) & (own[0] == own[1]), np.abs(least), 0)
                told[:, flat[::step][length:]] = 0
                sure = np.log2(1.0 + told).sum(axis=0) * alike
                if sure.max() >= needed:
                    at = int(sure.argmax()) + length
                    places = (inner if step == 1 else inner[::-1])[at - length : at + 1]
                    return self.labels[places[-1]], [self.labels[code] for code in places[:-1][::step]]
        return None, []

    def _shown(self, inner: Sequence[int]) -> tuple[IntArray, IntArray, BoolArray]:
        """The lines that show most, as arrays: a column a label, and which of them are there."""
        shown = np.bincount(self.line, self.lower == self.upper, self.lines)
        count = max(_LINES if len(inner) * _LINES <= _CELLS else _CELLS // len(inner), 1)
        self._chosen = np.argsort(-shown, kind="stable")[:count]
        row = np.full(self.lines, -1)
        row[self._chosen] = np.arange(len(self._chosen))
        size = (len(self._chosen), len(self.labels))
        lower, upper, there = (
            np.full(size, self.absent[0]),
            np.full(size, self.absent[1]),
            np.zeros(size, bool),
        )
        kept = row[self.line] >= 0
        at = row[self.line[kept]], self.code[kept]
        lower[at], upper[at], there[at] = self.lower[kept], self.upper[kept], True
        self._totals = (
            None if self.total is None else np.where(there, lower, -1)[:, self.labels.index(self.total)]
        )
        return lower[:, inner], upper[:, inner], there[:, inner]

    def _flat(self, lower: IntArray, whole: BoolArray) -> BoolArray:
        """Labels that the total counts beside all others in some line: they are no subtotals."""
        if self._totals is None:
            return np.zeros(lower.shape[1], bool)
        adding = whole & (lower.sum(axis=1) == self._totals)
        counted: BoolArray = np.any(lower[adding] != 0, axis=0)
        return counted
