"""Generalisation hierarchies: what each value of a column may be released as, step by step."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.errors import RequestError

_SEPARATORS = (",", ";", "\t", "|")

Above = tuple[str | None, ...]
Paths = Mapping[str | None, Above]
"""For each value (None for a missing one) what stands above it, the lowest first, the top last."""

_ABOVE_ALL = "*"


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy whose leaves are the values of a column; all of them lie equally deep.

    Attributes:
        paths: what stands above each value.
        declared: the same as it was given, before a place for missing values was made.
    """

    paths: Paths
    declared: Paths

    def with_missing(self) -> "Tree":
        """The same with a place for missing values: beside the top, and `*` above both."""
        paths: dict[str | None, Above] = {value: (*path, _ABOVE_ALL) for value, path in self.paths.items()}
        return Tree(paths | {None: (*[None] * self.height, _ABOVE_ALL)}, self.declared)

    @property
    def height(self) -> int:
        """How many levels there are above the values."""
        return len(next(iter(self.paths.values())))

    @cached_property
    def leaves_below(self) -> Mapping[Above, int]:
        """How many values lie below each node, a node being all that is above it, itself included."""
        found: dict[Above, int] = {}
        for path in self.paths.values():
            for start in range(len(path)):
                found[path[start:]] = found.get(path[start:], 0) + 1
        return found

    def nodes(self, texts: pa.Array) -> IntArray:
        """For each value of a column its node on each level, the value itself first."""
        numbers: dict[tuple[int, Above], int] = {}
        table = np.empty((len(texts), self.height + 1), np.int64)
        for row, value in enumerate(texts.to_pylist()):
            path = (value, *self.paths[value])
            for level in range(len(path)):
                table[row, level] = numbers.setdefault((level, path[level:]), len(numbers))
        return table

    def costs(self, texts: pa.Array, cost: str) -> IntArray:
        """What releasing each value as its node on each level costs."""
        if cost == "height":
            return np.tile(np.arange(self.height + 1), (len(texts), 1))
        table = np.zeros((len(texts), self.height + 1), np.int64)
        for row, value in enumerate(texts.to_pylist()):
            path = self.paths[value]
            table[row, 1:] = [self.leaves_below[path[start:]] - 1 for start in range(len(path))]
        return table

    @cached_property
    def largest_cost(self) -> int:
        """The number of values but one: what the top costs by leaves."""
        return len(self.paths) - 1


def read_tree(column: str, source: Path | Mapping[str, Sequence[str]]) -> Tree:
    """The hierarchy of a column, from a file or from a mapping.

    A file has a row for each value: the value, then what stands above it, the top last; commas or semicolons
    between them, no header line.

    Raises:
        RequestError: it cannot be read, or is not a tree with one top.
    """
    if isinstance(source, Mapping):
        rows = [(value, *above) for value, above in source.items()]
        return _checked(f"the hierarchy of {column!r}", rows)
    return _checked(str(source), _rows(source))


def _rows(file: Path) -> list[tuple[str, ...]]:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RequestError(f"{file}: cannot be opened ({error.strerror})") from None
    except UnicodeDecodeError:
        raise RequestError(f"{file}: is not UTF-8 text; convert it first") from None
    separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
    lines = io.StringIO(text, newline="")
    try:
        rows = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
        return [tuple(field.strip() for field in row) for row in rows if row]
    except csv.Error as error:
        raise RequestError(f"{file}: is not well formed ({error})") from None


def _checked(name: str, rows: Sequence[Sequence[str]]) -> Tree:
    if not rows:
        raise RequestError(f"{name}: is empty; write a row for each value: value,level 1,level 2,...,top")
    paths: dict[str | None, Above] = {}
    for number, (value, *above) in enumerate(rows, 1):
        if not value or not all(above):
            raise RequestError(f"{name}: row {number} has an empty field; name every value and every level")
        if not above or len(above) != len(rows[0]) - 1:
            raise RequestError(
                f"{name}: row {number} has {len(above)} levels, the first one {len(rows[0]) - 1}; give each "
                "value as many (repeat a name where nothing stands between)"
            )
        if paths.setdefault(value, tuple(above)) != tuple(above):
            raise RequestError(f"{name}: row {number} gives a value other levels than a row before; keep one")
    _check_one_parent(name, list(paths.values()))
    return Tree(paths, paths)


def _check_one_parent(name: str, paths: Sequence[Above]) -> None:
    for level in range(len(paths[0]) - 1):
        above: dict[str | None, str | None] = {}
        for path in paths:
            if above.setdefault(path[level], path[level + 1]) != path[level + 1]:
                raise RequestError(
                    f"{name}: {path[level]!r} of level {level + 1} lies below two different names of level "
                    f"{level + 2}; give it one"
                )
    if len({path[-1] for path in paths}) > 1:
        raise RequestError(f"{name}: has several tops; end every row with the same name, such as *")
