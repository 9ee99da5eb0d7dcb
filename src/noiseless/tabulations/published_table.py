"""A published table: figures by their coordinates, each with the whole numbers that it can stand for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError

Labels = tuple[str, ...]
"""The coordinates of a figure: a category or a group for each dimension of its table."""
Kind = Literal["count", "magnitude"]
UNBOUNDED = 2**62
"""Stands for "no upper bound" in arrays of upper ends."""
MAX_VALUE = 2**50
"""The largest figure, in steps: solvers compute with floats, which hold every integer up to there."""


@dataclass(frozen=True, slots=True)
class Told:
    """The integers that a published figure can stand for, in steps of the resolution.

    Attributes:
        lower: the least.
        upper: the largest, or None if there is no limit.
    """

    lower: int
    upper: int | None

    def __post_init__(self) -> None:
        if self.upper is not None and self.upper < self.lower:
            raise RequestError("a published figure stands for at least one value: its upper end is too small")
        if max(abs(self.lower), abs(self.upper or 0)) > MAX_VALUE:
            raise RequestError("a published figure is larger than 2^50 steps: choose a larger step")

    @classmethod
    def exact(cls, value: int) -> Self:
        """A figure that is published as it is."""
        return cls(value, value)

    @classmethod
    def rounded(cls, value: int, base: int, lower: int = 0) -> Self:
        """What is rounded to the nearest multiple of a base, halves up; values start at `lower`.

        >>> Told.rounded(5, 5), Told.rounded(0, 10)
        (Told(lower=3, upper=7), Told(lower=0, upper=4))
        """
        return cls(max(lower, value - base // 2), value + (base + 1) // 2 - 1)

    @classmethod
    def below(cls, limit: int, lower: int = 1) -> Self:
        """What is published as "less than the limit".

        >>> Told.below(5)
        Told(lower=1, upper=4)
        """
        return cls(lower, limit - 1)

    @classmethod
    def withheld(cls, lower: int = 0, upper: int | None = None) -> Self:
        """A figure about which nothing is published but what is declared of all."""
        return cls(lower, upper)


@dataclass(frozen=True)
class Classification:
    """The categories of one dimension, and groups of them: subtotals and the total.

    Attributes:
        name: the dimension.
        categories: the finest categories.
        groups: each group's name, and the places of its categories.
    """

    name: str
    categories: tuple[str, ...]
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.categories:
            raise RequestError(f"classification {self.name!r} has no categories")
        if len(set(self.labels)) < len(self.labels):
            raise RequestError(f"classification {self.name!r} has a category or a group twice")
        for group, members in self.groups.items():
            if not members or len(set(members)) < len(members):
                raise RequestError(f"group {group!r} of {self.name!r} needs categories, each of them once")
            if min(members) < 0 or max(members) >= len(self.categories):
                raise RequestError(f"group {group!r} of {self.name!r} has a member that is no category")

    @cached_property
    def labels(self) -> Labels:
        """What a coordinate may be: the categories, then the groups."""
        return (*self.categories, *self.groups)

    @cached_property
    def members(self) -> tuple[IntArray, IntArray]:
        """The categories of all labels, one after the other, and where each label's begin."""
        sets = [(place,) for place in range(len(self.categories))] + list(self.groups.values())
        starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return np.fromiter((place for of in sets for place in of), np.int64, int(starts[-1])), starts


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """Figures by their coordinates, held in arrays; `of` and `of_grid` make one.

    Attributes:
        name: the table.
        dimensions: the names of its classifications, in the order of the coordinates.
        kind: counts, or magnitudes (sums of amounts).
        labels: for each dimension, the labels that its coordinates choose from.
        codes: a row a figure, a column a dimension: the place of its label.
        lower: the least value of each figure.
        upper: the largest, `UNBOUNDED` where there is no limit.
    """

    name: str
    dimensions: tuple[str, ...]
    kind: Kind
    labels: tuple[Labels, ...]
    codes: npt.NDArray[np.int32]
    lower: IntArray
    upper: IntArray

    def __post_init__(self) -> None:
        if len(set(self.dimensions)) < len(self.dimensions):
            raise RequestError(f"table {self.name!r} has a dimension twice")
        if self.codes.shape != (len(self.lower), len(self.dimensions)) or len(self.upper) != len(self.lower):
            raise RequestError(f"table {self.name!r} needs one coordinate a dimension for each figure")
        if np.any(self.lower > self.upper):
            raise RequestError(f"table {self.name!r} has a figure whose upper end is below its lower end")
        finite = self.upper[self.upper < UNBOUNDED]
        if np.abs(self.lower).max(initial=0) > MAX_VALUE or np.abs(finite).max(initial=0) > MAX_VALUE:
            raise RequestError(
                f"table {self.name!r} has a figure of more than 2^50 steps: choose a larger step"
            )

    @classmethod
    def of(
        cls,
        name: str,
        dimensions: Sequence[str],
        cells: Iterable[tuple[Sequence[str], Told]],
        kind: Kind = "count",
    ) -> Self:
        """A table from its figures, one by one."""
        places: list[dict[str, int]] = [{} for _ in dimensions]
        codes, lower, upper = list[list[int]](), list[int](), list[int]()
        for labels, told in cells:
            if len(labels) != len(dimensions):
                raise RequestError(f"table {name!r} needs one coordinate a dimension for each figure")
            codes.append(
                [known.setdefault(label, len(known)) for known, label in zip(places, labels, strict=True)]
            )
            lower.append(told.lower)
            upper.append(UNBOUNDED if told.upper is None else told.upper)
        return cls(
            name,
            tuple(dimensions),
            kind,
            tuple(map(tuple, places)),
            np.array(codes, np.int32).reshape(len(lower), len(dimensions)),
            np.array(lower, np.int64),
            np.array(upper, np.int64),
        )

    @classmethod
    def of_grid(
        cls,
        name: str,
        labels: Mapping[str, Sequence[str]],
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        kind: Kind = "count",
    ) -> Self:
        """A table from arrays with an axis a dimension: every combination of the labels has a figure."""
        ends = [np.asarray(end, np.int64) for end in (lower, upper)]
        shape = tuple(map(len, labels.values()))
        if any(end.shape != shape for end in ends):
            raise RequestError(f"table {name!r} needs a figure for each combination of labels, here {shape}")
        every = tuple(map(tuple, labels.values()))
        return cls(
            name,
            tuple(labels),
            kind,
            every,
            _every_code(every),
            ends[0].ravel(),
            ends[1].ravel(),
        )

    @classmethod
    def of_dict(cls, said: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote; without codes, every combination of the labels in its order."""
        dimensions, labels = tuple(said["dimensions"]), tuple(map(tuple, said["labels"]))
        codes = (
            _every_code(labels)
            if said["codes"] is None
            else np.array(said["codes"], np.int32).reshape(len(said["lower"]), len(dimensions))
        )
        return cls(
            said["name"],
            dimensions,
            said["kind"],
            labels,
            codes,
            np.array(said["lower"], np.int64),
            np.array([UNBOUNDED if end is None else end for end in said["upper"]], np.int64),
        )

    def __len__(self) -> int:
        return len(self.lower)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "dimensions": list(self.dimensions),
            "labels": [list(labels) for labels in self.labels],
            "codes": self.codes.tolist(),
            "lower": self.lower.tolist(),
            "upper": open_ends(self.upper),
        }

    @property
    def is_grid(self) -> bool:
        """Whether it has every combination of its labels, in their order."""
        return len(self) == prod(map(len, self.labels)) and np.array_equal(
            self.codes, _every_code(self.labels)
        )

    def coordinates(self, place: int) -> Labels:
        """The labels of a figure."""
        return tuple(known[code] for known, code in zip(self.labels, self.codes[place], strict=True))


def _every_code(labels: Sequence[Labels]) -> npt.NDArray[np.int32]:
    """Every combination of labels, by their places."""
    shape = tuple(map(len, labels))
    if not shape:
        return np.zeros((1, 0), np.int32)
    return np.stack(np.unravel_index(np.arange(prod(shape)), shape), axis=1).astype(np.int32)


def open_ends(ends: IntArray) -> list[int | None]:
    """Upper ends as JSON has them."""
    return [None if end >= UNBOUNDED else end for end in ends.tolist()]
