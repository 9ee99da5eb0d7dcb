"""Tables as they are read: labels and what stands in the cells, before marks and numbers get a meaning."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray
from noiseless.errors import RequestError
from noiseless.tabulations.publication import Kind, Labels
from noiseless.tabulations.reading.notation import is_total

MOST_CELLS = 10_000_000
"""More cells are not read."""


@dataclass(frozen=True, eq=False)
class Figures:
    """A table as it was read.

    Attributes:
        name: the table.
        dimensions: what its labels are of.
        labels: for each dimension its labels, in the order of the table.
        codes: a row a cell, a column a dimension: the place of its label.
        cells: what stands in each cell: a number, a text, or None.
        place: where a cell stands, in words.
        kind: counts or magnitudes.
        totals: for each dimension the label of its total; None where it has none.
        flat: dimensions no label of which is a sum of others, except for its total.
        notes: what a reader did that a user might not expect.
        spots: the row and the column of each cell in the file it was read from, from 0; None for others.
        spanned: cells in the last row or column whose label another spans, of which it may be no part.
    """

    name: str
    dimensions: tuple[str, ...]
    labels: tuple[Labels, ...]
    codes: npt.NDArray[np.int32]
    cells: npt.NDArray[Any]
    place: Callable[[int], str]
    kind: Kind = "count"
    totals: Mapping[str, str | None] = field(default_factory=dict)
    flat: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    spots: tuple[tuple[int, int], ...] | None = None
    spanned: BoolArray | None = None

    @classmethod
    def of(
        cls,
        name: str,
        dimensions: Sequence[str],
        entries: Iterable[tuple[Sequence[str], object]],
        place: Callable[[int], str] | None = None,
        labels: Sequence[Labels] | None = None,
    ) -> "Figures":
        """From labels and cells, one by one; labels that are not listed come in the order of the cells."""
        listed: Sequence[Labels] = labels or [()] * len(dimensions)
        known = [{label: place for place, label in enumerate(each)} for each in listed]
        codes, cells = list[list[int]](), list[object]()
        for own, cell in entries:
            codes.append([each.setdefault(label, len(each)) for each, label in zip(known, own, strict=True)])
            cells.append(cell)
        found = np.empty(len(cells), object)
        found[:] = cells
        array = np.array(codes, np.int32).reshape(len(cells), len(dimensions))
        table = cls(name, tuple(dimensions), tuple(map(tuple, known)), array, found, lambda _: "")
        return replace(table, place=place or table.words)

    def words(self, cell: int) -> str:
        """Which cell it is, by its labels."""
        each = zip(self.dimensions, self.coordinates(cell), strict=True)
        return ", ".join(f"{dimension} {label!r}" for dimension, label in each) or "its only cell"

    def coordinates(self, cell: int) -> Labels:
        """The labels of a cell."""
        return tuple(known[code] for known, code in zip(self.labels, self.codes[cell], strict=True))

    def checked(self) -> "Figures":
        """The same, if no cell is there twice.

        Raises:
            RequestError: one is, or there are none.
        """
        if not len(self.cells):
            raise RequestError(f"{self.name}: has no figures")
        if len(self.cells) > MOST_CELLS:
            raise RequestError(f"{self.name}: has more than {MOST_CELLS:,} cells; read a part of it")
        sizes = [len(known) for known in self.labels]
        keys = (
            np.ravel_multi_index(tuple(self.codes.T), tuple(sizes))
            if sizes
            else np.zeros(len(self.cells), int)
        )
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        if counts.max() > 1:
            cell = int(first[counts.argmax()])
            raise RequestError(
                f"{self.name}: has {counts.max()} figures for {self.words(cell)}; publish one, or name the "
                "column that tells them apart; records are given with --microdata"
            )
        return self

    def with_totals(self, declared: Mapping[str, str | None] | Sequence[str] | None) -> "Figures":
        """The same, each dimension with the label of its total.

        Args:
            declared: the dimensions that have a total, perhaps with its label; None: by their names.

        Raises:
            RequestError: a total that is declared is not there.
        """
        if declared is not None and (unknown := [name for name in declared if name not in self.dimensions]):
            raise RequestError(f"{self.name}: totals name {unknown[0]!r}, which is no dimension of the table")
        elsewhere = set(declared.values()) if isinstance(declared, Mapping) else set[str | None]()
        found: dict[str, str | None] = {}
        for dimension, labels in zip(self.dimensions, self.labels, strict=True):
            if declared is not None and dimension not in declared:
                if named := [label for label in labels if is_total(label) or label in elsewhere]:
                    raise RequestError(
                        f"{self.name}: {named[0]!r} of {dimension!r} reads as a total; add {dimension!r} to "
                        "totals, or rename the label"
                    )
                found[dimension] = None
                continue
            own = declared[dimension] if isinstance(declared, Mapping) else None
            named = [label for label in labels if (is_total(label) if own is None else label == own)]
            if declared is not None and not named:
                raise RequestError(
                    f"{self.name}: no label of {dimension!r} is a total; name it: "
                    f'totals = {{{dimension} = "Everybody"}}'
                )
            if len(named) > 1:
                raise RequestError(
                    f"{self.name}: {dimension!r} has several labels that may be the total "
                    f"({', '.join(map(repr, named))}); name it: totals = {{{dimension} = {named[0]!r}}}"
                )
            found[dimension] = named[0] if named else None
        return replace(self, totals=found)

    def fixed(self, labels: Mapping[str, str]) -> "Figures":
        """The same, about one label of further dimensions: a table of the North only."""
        if twice := [name for name in labels if name in self.dimensions]:
            raise RequestError(f"{self.name}: {twice[0]!r} is a dimension already; leave it out of where")
        return replace(
            self,
            dimensions=(*self.dimensions, *labels),
            labels=(*self.labels, *((label,) for label in labels.values())),
            codes=np.hstack([self.codes, np.zeros((len(self.cells), len(labels)), np.int32)]),
        )
