"""From tables as they were read to one publication: categories, groups, and what every figure tells."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import counted
from noiseless.errors import RequestError
from noiseless.tabulations.publication import (
    MAX_ATOMS,
    MAX_VALUE,
    UNBOUNDED,
    Classification,
    Labels,
    Publication,
    PublishedTable,
    Told,
)
from noiseless.tabulations.reading.figures import Figures
from noiseless.tabulations.reading.hierarchy_files import Parents
from noiseless.tabulations.reading.notation import FigureNotation, UnreadableFigure
from noiseless.tabulations.reading.unnamed_totals import unnamed_total
from noiseless.tabulations.union import OTHERS

_TOTAL = "Total"
_UNLESS = "told absent=withheld, if they are withheld"
_NAMED = 3
"""The names that a note lists."""


@dataclass(frozen=True)
class Declared:
    """What is declared of a publication besides its tables.

    Attributes:
        hierarchies: for dimensions, what stands above each of their names.
        bounds: the least and the largest value of a base cell, in units; None where there is no limit.
        step: the resolution; None: what the figures show.
        population: whom the tables are about.
        whole: keep levels of hierarchies that no table shows: another table may.
    """

    hierarchies: Mapping[str, Parents] = field(default_factory=dict)
    bounds: tuple[Fraction | None, Fraction | None] = (Fraction(0), None)
    step: Fraction | None = None
    population: str = ""
    whole: bool = False


def publication_of(
    tables: Sequence[tuple[Figures, FigureNotation]], declared: Declared
) -> tuple[Publication, tuple[str, ...]]:
    """One publication of all tables, and notes about what was assumed.

    Raises:
        RequestError: a figure cannot be read, or labels do not fit together.
    """
    step = _step(tables, declared)
    classifications = _classifications([figures for figures, _ in tables], declared)
    notes = [note for figures, _ in tables for note in figures.notes]
    published = list[PublishedTable]()
    for figures, notation in tables:
        reading = _Reading(figures, notation, step, classifications, declared.hierarchies)
        published.append(reading.table())
        notes += reading.notes
    low, high = declared.bounds
    return (
        Publication(
            tuple(classifications.values()),
            tuple(published),
            -MAX_VALUE if low is None else math.ceil(low / step),
            None if high is None else math.floor(high / step),
            step,
            declared.population,
        ),
        tuple(notes),
    )


def _step(tables: Sequence[tuple[Figures, FigureNotation]], declared: Declared) -> Fraction:
    """The resolution: 1, or for magnitudes the last decimal that any figure shows which is not rounded.

    Raises:
        RequestError: it is no number above 0, or must be declared: rounded sums do not show it.
    """
    if declared.step is not None:
        if declared.step <= 0:
            raise RequestError("step: the resolution is a number above 0")
        return declared.step
    finest = Fraction(1)
    for figures, notation in tables:
        if figures.kind == "magnitude" and notation.rounded is None and not _is_whole(figures):
            finest = min([finest, *map(notation.finest, set(figures.cells.tolist()))])
    bases = [each.rounded.base for of, each in tables if of.kind == "magnitude" and each.rounded is not None]
    if bases and (base := min(bases)) <= finest:
        raise RequestError(
            f"step: sums rounded to multiples of {float(base):g} do not show how fine they were; declare it, "
            f"such as --step {float(base / 10):g}"
        )
    return finest


def _is_whole(figures: Figures) -> bool:
    kind = figures.cells.dtype.kind
    with np.errstate(invalid="ignore"):
        return kind in "iu" or (
            kind == "f" and bool(np.all(np.isnan(figures.cells) | (figures.cells % 1 == 0)))
        )


def _classifications(tables: Sequence[Figures], declared: Declared) -> dict[str, Classification]:
    """For each dimension of a table its categories and groups."""
    names = dict.fromkeys(name for table in tables for name in table.dimensions)
    if unknown := [name for name in declared.hierarchies if name not in names]:
        raise RequestError(
            f"hierarchy: no table has a dimension {unknown[0]!r}; there are {', '.join(map(repr, names))}"
        )
    found = {}
    for name in names:
        labels, totals = dict[str, None](), dict[str, None]()
        for table in tables:
            if name in table.dimensions:
                own = table.labels[table.dimensions.index(name)]
                total = table.totals.get(name)
                labels |= dict.fromkeys(label for label in own if label != total)
                totals |= dict.fromkeys([total] if total is not None else [])
        if clash := [total for total in totals if total in labels]:
            raise RequestError(
                f"{clash[0]!r} is the total of {name!r} in one table and a category in another; rename one"
            )
        if name in declared.hierarchies:
            prunable = declared.bounds == (Fraction(0), None) and not declared.whole
            found[name] = _hierarchical(name, labels, totals, declared.hierarchies[name], prunable=prunable)
        else:
            if len(labels) == 1 and not totals and any(name not in each.dimensions for each in tables):
                labels |= {OTHERS + next(iter(labels)): None}
            everything = tuple(range(len(labels)))
            found[name] = Classification(name, tuple(labels) or (_only(totals),), _groups(totals, everything))
    return found


def _only(totals: Iterable[str]) -> str:
    """The only category of a dimension of which a total alone is published."""
    return f"all of {next(iter(totals), _TOTAL)}"


def _groups(totals: Iterable[str], everything: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    return dict.fromkeys(totals, everything or (0,))


def _hierarchical(
    name: str, labels: Mapping[str, None], totals: Mapping[str, None], parents: Parents, *, prunable: bool
) -> Classification:
    """Leaves are categories, all above them groups; levels that no table shows are left out."""
    if unknown := [label for label in labels if label not in parents]:
        more = f" and {len(unknown) - 1} more" * (len(unknown) > 1)
        raise RequestError(f"hierarchy of {name!r}: {unknown[0]!r}{more} is not in it; add it")
    children: dict[str, list[str]] = {each: [] for each in parents}
    for below, above in parents.items():
        if above is not None:
            children[above].append(below)
    divided = set[str]()
    for label in labels:
        above = parents[label]
        while above is not None and above not in divided:
            divided.add(above)
            above = parents[above]
    leaves, members = list[str](), dict[str, list[int]]()
    stack = [(label, False) for label in reversed(list(parents)) if parents[label] is None]
    open_groups = list[str]()
    while stack:
        label, done = stack.pop()
        if done:
            open_groups.pop()
        elif children[label] and (label in divided or not prunable):
            open_groups.append(label)
            members[label] = []
            stack += [(label, True), *((child, False) for child in reversed(children[label]))]
        else:
            for group in open_groups:
                members[group].append(len(leaves))
            leaves.append(label)
    groups = {group: tuple(of) for group, of in members.items()}
    everything = tuple(range(len(leaves)))
    return Classification(
        name,
        tuple(leaves),
        groups | _groups((t for t in totals if t not in groups and t not in leaves), everything),
    )


class _Reading:
    """One table: what its cells tell, and those that it leaves out."""

    def __init__(
        self,
        figures: Figures,
        notation: FigureNotation,
        step: Fraction,
        classifications: Mapping[str, Classification],
        hierarchical: Container[str],
    ) -> None:
        self.figures, self.notation, self.step = figures, notation, step
        self.hierarchical = hierarchical
        self.own = [classifications[name] for name in figures.dimensions]
        self.notes: list[str] = []

    def table(self) -> PublishedTable:
        lower, upper = self._told()
        self._check_sums(lower, upper)
        codes, labels = self.figures.codes, self.figures.labels
        kept = self._kept(lower, upper)
        codes, lower, upper = codes[kept], lower[kept], upper[kept]
        if self.notation.absent == "zero":
            labels, more = self._absent(codes)
            codes = np.vstack([codes, more])
            lower, upper = (np.concatenate([end, np.zeros(len(more), np.int64)]) for end in (lower, upper))
        return PublishedTable(
            self.figures.name, self.figures.dimensions, self.figures.kind, labels, codes, lower, upper
        )

    def _check_sums(self, lower: IntArray, upper: IntArray) -> None:
        """Refuse a label that looks like a sum of others where nothing says whether it is one."""
        least = self.notation.withheld(self.step).lower
        absent = (0, 0) if self.notation.absent == "zero" else (least, UNBOUNDED)
        flat = tuple(name for name in self.figures.dimensions if name in self.hierarchical)
        figures = replace(self.figures, flat=(*self.figures.flat, *flat))
        problem = unnamed_total(figures, (lower, upper), absent)
        if problem is not None:
            raise RequestError(f"{figures.name}: {problem}")

    def _told(self) -> tuple[IntArray, IntArray]:
        cells = self.figures.cells
        if (
            cells.dtype.kind in "iuf"
            and self.notation.rounded is None
            and self.step == 1
            and _is_whole(self.figures)
        ):
            hidden = np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), bool)
            values = np.where(hidden, 0, cells).astype(np.int64)
            least = self.notation.withheld(self.step).lower
            if values.min(initial=0) >= min(least, 0) and np.abs(values).max(initial=0) <= MAX_VALUE:
                return np.where(hidden, least, values), np.where(hidden, UNBOUNDED, values)
        if self.notation.thousands(cells.tolist()):
            raise RequestError(
                f"{self.figures.name}: has figures such as 1.000; say whether the point stands before "
                "thousands (--told decimal=,) or before decimals (--told decimal=.)"
            )
        known: dict[object, Told] = {}
        lower, upper = np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
        for place, cell in enumerate(cells.tolist()):
            key = cell if isinstance(cell, str | int) else repr(cell)
            if key not in known:
                known[key] = self._one(place, cell)
            told = known[key]
            lower[place], upper[place] = told.lower, UNBOUNDED if told.upper is None else told.upper
        return lower, upper

    def _one(self, place: int, cell: object) -> Told:
        try:
            return self.notation.told(cell, self.step, self.figures.kind)
        except UnreadableFigure as problem:
            where = f"{self.figures.name}, {self.figures.place(place)}"
            raise RequestError(f"{where}: the figure {problem}") from None

    def _kept(self, lower: IntArray, upper: IntArray) -> BoolArray:
        """All cells; where totals are declared to add up what is shown, without those: they tell nothing."""
        kept = np.ones(len(lower), bool)
        if self.notation.totals == "all":
            return kept
        inner = np.ones(len(lower), bool)
        for place, name in enumerate(self.figures.dimensions):
            if (total := self.figures.totals.get(name)) is not None:
                inner &= self.figures.codes[:, place] != self.figures.labels[place].index(total)
        shown = inner & (lower == upper)
        for place in np.flatnonzero(~inner).tolist():
            alike = shown.copy()
            for column, name in enumerate(self.figures.dimensions):
                code = self.figures.codes[place, column]
                if self.figures.labels[column][code] != self.figures.totals.get(name):
                    alike &= self.figures.codes[:, column] == code
            kept[place] = lower[place] != upper[place] or lower[alike].sum() != lower[place]
        if left_out := int(np.count_nonzero(~kept)):
            self.notes.append(
                f"{self.figures.name}: {left_out} totals sum only the figures shown and say nothing more; "
                "left out"
            )
        return kept

    def _absent(self, codes: npt.NDArray[np.int32]) -> tuple[tuple[Labels, ...], npt.NDArray[np.int32]]:
        """Combinations of the finest labels that the table leaves out, and the labels with those of others.

        A dimension with one label is about that label alone, and nothing comes to it.
        """
        labels, finest = list[Labels](), list[list[int]]()
        for known, own in zip(self.figures.labels, self.own, strict=True):
            inner, covered = _finest(known, own, self.figures.totals.get(own.name))
            more = [name for place, name in enumerate(own.categories) if place not in covered] * (
                len(known) > 1
            )
            labels.append((*known, *more))
            finest.append([*inner, *range(len(known), len(known) + len(more))])
            if more:
                others = f" and {len(more) - _NAMED} more" * (len(more) > _NAMED)
                named = ", ".join(map(repr, more[:_NAMED]))
                self.notes.append(
                    f"{self.figures.name}: has no {own.name} {named}{others}; read as 0 ({_UNLESS})"
                )
        size = math.prod(map(len, finest))
        if size > MAX_ATOMS:
            raise RequestError(
                f"{self.figures.name}: its labels cross in {size:,} cells, and {MAX_ATOMS:,} is the most"
            )
        sizes = tuple(map(len, labels))
        if len(codes) == math.prod(sizes):  # no cell is there twice
            return tuple(labels), codes[:0]
        cross = np.array([0]) if not finest else np.ravel_multi_index(np.ix_(*finest), sizes).ravel()
        there = np.ravel_multi_index(tuple(codes.T), sizes) if finest else np.array([0])
        absent = np.setdiff1d(cross, there)
        if len(absent) and not self.notes:
            self.notes.append(
                f"{self.figures.name}: {counted(len(absent), 'combinations')} left out; read as 0 ({_UNLESS})"
            )
        return tuple(labels), np.stack(np.unravel_index(absent, sizes), axis=1).astype(
            np.int32
        ) if finest else codes[:0]


def _finest(known: Labels, own: Classification, total: str | None) -> tuple[list[int], set[int]]:
    """The places of labels that no other label of the table divides, and the categories they cover."""
    place = {name: number for number, name in enumerate(own.categories)}
    sets = [own.groups[label] if label in own.groups else (place[label],) for label in known]
    inner, covered = list[int](), set[int]()
    for number in sorted(range(len(known)), key=lambda each: len(sets[each])):
        if known[number] != total and covered.isdisjoint(sets[number]):
            inner.append(number)
            covered.update(sets[number])
    return (inner, covered) if inner else ([0], set(range(len(place))))
