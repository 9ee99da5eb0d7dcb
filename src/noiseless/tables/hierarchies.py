"""Hierarchies: trees whose leaves are the values of a column; from files, mappings, or made by rules."""

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.errors import ColumnError, RequestError
from noiseless.examples import not_opened
from noiseless.tables.plain_spelling import plain_spelling
from noiseless.tables.text_source import file_text

_SEPARATORS = (",", ";", "\t", "|")

Above = tuple[str | None, ...]
PathsAbove = Mapping[str | None, Above]
"""For each value (None for a missing one) what stands above it, the lowest first, the top last."""

_ABOVE_ALL = "*"


@dataclass(frozen=True, eq=False)
class HierarchyTree:
    """A hierarchy whose leaves are the values of a column; all of them lie equally deep.

    Attributes:
        paths: what stands above each value.
        declared: the same as it was given, before a place for missing values was made.
    """

    paths: PathsAbove
    declared: PathsAbove

    def with_missing(self) -> "HierarchyTree":
        """The same with a place for missing values: beside the top, and `*` above both."""
        paths: dict[str | None, Above] = {value: (*path, _ABOVE_ALL) for value, path in self.paths.items()}
        return HierarchyTree(paths | {None: (*[None] * self.height, _ABOVE_ALL)}, self.declared)

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


def flat_tree(texts: Sequence[str | None]) -> HierarchyTree:
    """Two levels: each value, and `*` above all."""
    paths: PathsAbove = {text: (_ABOVE_ALL,) for text in texts if text is not None}
    return HierarchyTree(paths, paths)


def read_tree(
    column: str, source: Path | Mapping[str, Sequence[str]], encoding: str | None = None
) -> HierarchyTree:
    """The hierarchy of a column, from a file or from a mapping.

    A file has a row for each value: the value, then what stands above it, the top last; commas or semicolons
    between them, no header line. It is in UTF-8, or encoded like the table.

    Raises:
        RequestError: it cannot be read, or is not a tree with one top.
    """
    if isinstance(source, Mapping):
        rows = [(value, *above) for value, above in source.items()]
        return _checked(f"the hierarchy of {column!r}", rows)
    return _checked(str(source), _rows(source, encoding))


def _rows(file: Path, encoding: str | None) -> list[tuple[str, ...]]:
    try:
        text = file_text(file, encoding)
    except OSError as error:
        rule = get_close_matches(str(file).partition(":")[0], get_args(RuleName), n=1)
        meant = f"; did you mean the rule {rule[0]}?" if rule else ""
        raise RequestError(f"{file}: {not_opened(file, error)}{meant}") from None
    try:
        return _fields(text)
    except csv.Error as error:
        raise RequestError(f"{file}: is not well formed ({error})") from None


def _fields(text: str) -> list[tuple[str, ...]]:
    separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    return [tuple(field.strip() for field in row) for row in rows if row]


def tree_text(column: str, rows: Sequence[Sequence[str]]) -> str:
    """A hierarchy as its file has it, with semicolons as ARX writes them unless only others can be read back.

    >>> print(tree_text("ward", [("a", "surgery", "*"), ("b", "surgery", "*")]), end="")
    a;surgery;*
    b;surgery;*

    Raises:
        RequestError: it is not a tree with one top, or a file cannot hold its names.
    """
    wanted = [tuple(row) for row in rows]
    _checked(f"the hierarchy of {column!r}", wanted)
    for separator in (";", *_SEPARATORS):
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=separator, lineterminator="\n").writerows(wanted)
        with suppress(csv.Error):
            if _fields(file.getvalue()) == wanted:
                return file.getvalue()
    raise RequestError(
        f"the hierarchy of {column!r} has names that begin or end with a space, or hold too many separators:"
        " its file cannot keep them"
    )


def _checked(name: str, rows: Sequence[Sequence[str]]) -> HierarchyTree:
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
    return HierarchyTree(paths, paths)


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


@dataclass(frozen=True)
class ValueClasses:
    """The class of each value of a column: what stands above it on one level of a hierarchy.

    Attributes:
        column: the column.
        names: the class of each declared value.
    """

    column: str
    names: Mapping[str, str]

    @classmethod
    def read(
        cls,
        column: str,
        source: Path | Mapping[str, Sequence[str]],
        level: int = 1,
        encoding: str | None = None,
    ) -> "ValueClasses":
        """Those of a hierarchy, from a file or from a mapping.

        Raises:
            RequestError: it has no such level, or puts spellings of one value into two classes.
        """
        tree = read_tree(column, source, encoding)
        if not 1 <= level <= tree.height:
            raise RequestError(f"--class-level {level} is none of the {tree.height} levels above {column!r}")
        found = {str(value): str(above[level - 1]) for value, above in tree.declared.items()}
        kinds = {(plain_spelling(value), name) for value, name in found.items()}
        if len(kinds) > len(set(map(plain_spelling, found))):
            raise RequestError(
                f"the hierarchy of {column!r} puts spellings of one value into two classes; write one"
            )
        return cls(column, found)

    def codes(self, values: pa.Array) -> IntArray:
        """The class of each value, as codes from 0 on; a missing value is a class of its own.

        Raises:
            RequestError: the class of one is not declared.
        """
        from noiseless.tables.canonical import canonical

        texts = canonical(values).to_pylist()
        if any(text is not None and text not in self.names for text in texts):
            raise RequestError(
                f"the hierarchy of {self.column!r} does not have all of its values; add a row for each"
            )
        names = [None if text is None else self.names[text] for text in texts]
        codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
        return np.array([codes[name] for name in names], np.int64)


RuleName = Literal["intervals", "prefixes", "dates", "frequencies"]

_RULE = re.compile(r"(intervals|prefixes|dates|frequencies)(?::(.*))?")
_SIZES = re.compile(
    r"(\d{1,30}(?:\.\d{1,30})?(?:,\d{1,30}(?:\.\d{1,30})?)*)(?:@(-?\d{1,30}(?:\.\d{1,30})?))?"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DAY = re.compile(r"(\d{4})-(\d{2})-\d{2}(?=$|[ T])")
_LONGEST = 30
"""Texts of more characters are no codes."""

_QUARTER, _DECADE = 3, 10


@dataclass(frozen=True)
class HierarchyRule:
    """A rule that makes a hierarchy from the values that a column has.

    Attributes:
        name: `intervals` (numbers by ever wider bins), `prefixes` (codes without their last characters),
            `dates` (months, quarters, years, decades), or `frequencies` (rare categories as one).
        sizes: the widths of bins; or below how many rows a category is rare.
        low: where a bin begins.
    """

    name: RuleName
    sizes: tuple[Fraction, ...] = ()
    low: Fraction = Fraction(0)

    @classmethod
    def read(cls, text: str) -> "HierarchyRule | None":
        """The rule that a text writes; None if it begins as none does, and so names a file.

        >>> HierarchyRule.read("prefixes"), HierarchyRule.read("./prefixes")
        (HierarchyRule(name='prefixes', sizes=(), low=Fraction(0, 1)), None)

        Raises:
            ValueError: the rule is not written well, and how to write it.
        """
        rule = _RULE.fullmatch(text)
        if rule is None:
            return None
        name, rest = rule[1], rule[2]
        if name in ("prefixes", "dates"):
            if rest is not None:
                raise ValueError(f"the rule {name} takes no numbers; write {name} alone")
            return cls(name)  # type: ignore[arg-type]  # one of the names
        found = _SIZES.fullmatch(rest or "")
        example = "intervals:5,10,20 or intervals:5,10,20@18" if name == "intervals" else "frequencies:10,100"
        if found is None or (name == "frequencies" and (found[2] or "." in found[1])):
            raise ValueError(f"the rule {name} takes numbers that grow, such as {example}")
        sizes = tuple(Fraction(size) for size in found[1].split(","))
        pairs = list(pairwise(sizes))
        if sizes[0] <= 0 or any(low >= high for low, high in pairs):
            raise ValueError(f"the rule {name} takes numbers that grow, such as {example}")
        if name == "intervals" and any((high / low).denominator != 1 for low, high in pairs):
            raise ValueError("each width of intervals is a multiple of the one before, as in 5,10,20")
        return cls(name, sizes, Fraction(found[2] or 0))  # type: ignore[arg-type]  # one of the names

    def tree(self, column: str, texts: Sequence[str | None], rows: Sequence[int]) -> HierarchyTree:
        """The hierarchy of a column's values; what the rule does not fit stays what it is, below the top.

        Args:
            column: the column's name.
            texts: its different values, None for a missing one.
            rows: how many rows have each.

        Raises:
            ColumnError: the rule fits no value, or two names of a level could not be told apart.
        """
        values = [text for text in texts if text is not None]
        if self.name == "intervals":
            paths = self._intervals(values)
        elif self.name == "prefixes":
            paths = self._prefixes(column, values)
        elif self.name == "dates":
            paths = self._dates(values)
        else:
            counts = {text: many for text, many in zip(texts, rows, strict=True) if text is not None}
            paths = {text: self._pools(text, many) for text, many in counts.items()}
        if not any(paths.values()):
            raise ColumnError(
                column, f"has no value that the rule {self.name} fits; give it a hierarchy file"
            )
        height = max(map(len, paths.values()))
        whole: dict[str | None, Above] = {
            text: (*(path or (text,) * height), *([] if self.name == "prefixes" else [_ABOVE_ALL]))
            for text, path in paths.items()
        }
        try:
            _check_one_parent(column, list(whole.values()))
        except RequestError:
            raise ColumnError(
                column, f"has values that read as names of the rule {self.name}; give it a hierarchy file"
            ) from None
        return HierarchyTree(whole, whole)

    def _intervals(self, values: Sequence[str]) -> dict[str, Above]:
        """Bins of each width; closed ones for whole numbers (35-39), half open ones for others ([0.5, 1))."""
        numbers = {text: Fraction(text) for text in values if _NUMBER.fullmatch(text)}
        whole = all(number.denominator == 1 for number in (*numbers.values(), *self.sizes, self.low))
        found: dict[str, Above] = dict.fromkeys(values, ())
        lowest = {text: math.floor((number - self.low) / self.sizes[0]) for text, number in numbers.items()}
        for width in self.sizes:
            many = int(
                width / self.sizes[0]
            )  # each width is a multiple of the first: its bins are whole ones
            starts = {place: self.low + place * width for place in {at // many for at in lowest.values()}}
            names = {place: _bin(start, start + width, whole=whole) for place, start in starts.items()}
            for text, at in lowest.items():
                found[text] = (*found[text], names[at // many])
        return found

    @staticmethod
    def _prefixes(column: str, values: Sequence[str]) -> dict[str, Above]:
        """Codes with ever fewer characters, all as long as the longest."""
        longest = max(map(len, values), default=0)
        if longest > _LONGEST:
            raise ColumnError(column, f"has texts of more than {_LONGEST} characters, which are no codes")
        return {
            text: tuple(text[:kept].ljust(longest, _ABOVE_ALL) for kept in range(longest - 1, -1, -1))
            for text in values
        }

    @staticmethod
    def _dates(values: Sequence[str]) -> dict[str, Above]:
        """Month, quarter, year, decade; where there are times of day, the day before these."""
        found: dict[str, Above] = {}
        days = {text: day for text in values if (day := _DAY.match(text))}
        timed = any(day[0] != text for text, day in days.items())
        for text in values:
            if day := days.get(text):
                year, month = int(day[1]), int(day[2])
                names = (
                    f"{day[1]}-{day[2]}",
                    f"{day[1]}-Q{(month - 1) // _QUARTER + 1}",
                    day[1],
                    f"{year // _DECADE * _DECADE:04}s",
                )
                found[text] = (day[0], *names) if timed else names
            else:
                found[text] = ()
        return found

    def _pools(self, text: str, rows: int) -> Above:
        """A category, or what stands for all that have fewer rows."""
        return tuple(f"fewer than {size} rows" if rows < size else text for size in self.sizes)


def _bin(low: Fraction, high: Fraction, *, whole: bool) -> str:
    """How the numbers from one on and below another are written."""
    if whole:
        last = int(high) - 1
        if int(low) == last:
            return str(last)
        return f"{low}-{last}" if low >= 0 else f"{low} to {last}"
    return f"[{_decimal(low)}, {_decimal(high)})"


def _decimal(number: Fraction) -> str:
    """A decimal fraction in plain digits."""
    from noiseless.tables.canonical import decimal_texts

    places = max(number.denominator.bit_length(), 1)  # 10**places is then a multiple of the denominator
    text: str = decimal_texts(np.array([int(number * 10**places)], object), places)[0].as_py()
    return text
