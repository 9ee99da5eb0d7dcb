"""A table in sections, for what a machine takes only in parts: cut along ordered columns, over and over.

Missing values lie below all others, so each row lies on one side of each cut: no two sections share a row,
and together they are the table.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from noiseless.errors import ColumnError, RequestError
from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import COUNT, DuckDBTable
from noiseless.tables.engine import (
    SOURCE,
    OwnEngine,
    files,
    identifier,
    identifiers,
    literal,
    readable_errors,
)
from noiseless.tables.spark_groups import SparkGroups
from noiseless.tables.spellings import merge_spellings

_NUMBER = re.compile(r"u?(tiny|small|big)?int|u?integer|float|double|decimal\(.*\)", re.IGNORECASE)
_MOMENT = re.compile(r"timestamp(_s|_ms|_ns|_ntz)?", re.IGNORECASE)
_ORDERED = re.compile(rf"{_NUMBER.pattern}|{_MOMENT.pattern}|date", re.IGNORECASE)

_PLAIN_NUMBER = r"-?\d+(\.\d+)?"
_PLAIN = re.compile(rf"{_PLAIN_NUMBER}|\d{{4}}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?")
_DAY_LENGTH = 10

_BUCKETS, _ROUNDS, _NEAR = 1024, 8, 0.05
"""A column is cut at one of this many places; if none is near the middle, the fullest is looked into."""


@dataclass(frozen=True)
class Side:
    """The rows on one side of a cut: whose value is below `at`, or missing; or all others.

    Raises:
        ValueError: `at` is no number, day or moment that is written plainly.
    """

    column: str
    at: str
    above: bool

    def __post_init__(self) -> None:
        if not _PLAIN.fullmatch(self.at):
            raise ValueError("tables are cut at numbers, days or moments")


def paths(cuts: Mapping[str, Any], before: tuple[Side, ...] = ()) -> Iterator[tuple[Side, ...]]:
    """The sides that each section lies on, from the lowest to the highest.

    Args:
        cuts: as JSON has them: {} for a section, else `column`, `at`, and the cuts `below` that and `above`.
        before: the sides that all of them lie on.
    """
    if not cuts:
        yield before
        return
    for name, above in (("below", False), ("above", True)):
        yield from paths(cuts[name], (*before, Side(cuts["column"], cuts["at"], above)))


class SectionFacts(NamedTuple):
    """Some numbers of a section.

    Attributes:
        entries: how many rows the engine holds: combinations, where it has grouped them.
        rows: how many rows there are.
        present: how many entries of each column are not missing.
        ends: where the values of ordered columns lie, as doubles; nothing of infinite ones.
    """

    entries: int
    rows: int
    present: Mapping[str, int]
    ends: Mapping[str, tuple[float, float]]

    def widths(self, columns: Sequence[str]) -> dict[str, float]:
        """How wide columns are that are not of one value."""
        ends = {name: self.ends[name] for name in columns if name in self.ends}
        return {name: high - low for name, (low, high) in ends.items() if low < high}


@dataclass(frozen=True, eq=False)
class Section:
    """Rows of a table.

    Attributes:
        table: the table.
        sides: the sides of cuts that they lie on; none for all rows.
    """

    table: DuckDBTable | SparkGroups
    sides: tuple[Side, ...] = ()

    @classmethod
    def whole(cls, table: Table) -> "Section":
        """All rows of a table whose columns are selected."""
        if not isinstance(table, DuckDBTable | SparkGroups):
            raise TypeError("columns are selected first")
        return cls(table)

    def half(self, column: str, at: str, *, above: bool) -> "Section":
        """Those on one side of one more cut."""
        return replace(self, sides=(*self.sides, Side(column, at, above)))

    def part(self) -> Table:
        """The rows as a table; from Spark they come to this machine, if there are not too many."""
        return self.table.where(f"SELECT * FROM {SOURCE} WHERE {self._condition}")

    @property
    def most(self) -> float:
        """How many entries may be looked at at once."""
        return self.table.most if isinstance(self.table, SparkGroups) else inf

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The columns that a table can be cut along, and their SQL types."""
        return {n: kind for n in self.table.columns if _ORDERED.fullmatch(kind := self.table.kinds[n])}

    @property
    def _condition(self) -> str:
        return " AND ".join(map(self._on, self.sides)) or "true"

    def _on(self, side: Side) -> str:
        if side.column not in self.kinds:
            raise ColumnError(side.column, "has no order that a table could be cut along")
        name, at = self.table.field(side.column), f"CAST({literal(side.at)} AS {self.kinds[side.column]})"
        return f"{name} >= {at}" if side.above else f"({name} < {at} OR {name} IS NULL)"

    def _ask(self, asked: str, condition: str = "true") -> list[tuple[Any, ...]]:
        return self.table.fetch(f"SELECT {asked} FROM {SOURCE} WHERE {self._condition} AND {condition}")

    @cached_property
    def facts(self) -> "SectionFacts":
        """What one look at the rows tells."""
        columns, lines = self.table.columns, list(self.kinds)
        rows = f"CAST(sum({COUNT}) AS BIGINT)" if self.table.weighted else "count(*)"
        ends = [f"{end}({self._measure(name)})" for name in lines for end in ("min", "max")]
        asked = ["count(*)", rows, *(f"count({self.table.field(name)})" for name in columns), *ends]
        entries, many, *found = self._ask(", ".join(asked))[0]
        lie = zip(lines, found[len(columns) :: 2], found[len(columns) + 1 :: 2], strict=True)
        within = {name: (a, b) for name, a, b in lie if a is not None and isfinite(a) and isfinite(b)}
        return SectionFacts(entries, many or 0, dict(zip(columns, found, strict=False)), within)

    def has_different(self, columns: Sequence[str], many: int) -> bool:
        """Whether there are at least this many different combinations of some columns."""
        names = ", ".join(map(self.table.field, columns))
        few = f"SELECT DISTINCT {names} FROM {SOURCE} WHERE {self._condition} LIMIT {many}"
        return int(self.table.fetch(f"SELECT count(*) FROM ({few}) AS few")[0][0]) >= many

    def few(
        self,
        lines: Sequence[str],
        known: Sequence[str],
        hidden: Sequence[str],
        limits: tuple[int, int],
    ) -> int:
        """How many rows have too few others to be merged with.

        Args:
            lines: columns of numbers and days, in which missing values are merged only with their like.
            known: columns whose values are never merged.
            hidden: columns of which combinations count as values.
            limits: the fewest values and the fewest rows of those that can be merged.
        """
        keys = [f"{self.table.field(name)} IS NULL" for name in lines] + [*map(self.table.field, known)]
        named = [f"{key} AS k{i}" for i, key in enumerate(["1", *keys])]
        number = f"sum({COUNT})" if self.table.weighted else "count(*)"
        columns = ", ".join([*named, *map(self.table.field, hidden), f"{number} AS n"])
        places = ", ".join(str(i + 1) for i in range(len(named) + len(hidden)))
        pairs = f"SELECT {columns} FROM {SOURCE} WHERE {self._condition} GROUP BY {places}"
        groups = ", ".join(f"k{i}" for i in range(len(named)))
        sizes = f"SELECT count(*) AS v, sum(n) AS r FROM ({pairs}) AS pairs GROUP BY {groups}"
        short = f"v < {limits[0]} OR r < {limits[1]}"
        answer = f"SELECT CAST(sum(r) AS BIGINT) FROM ({sizes}) AS sizes WHERE {short}"
        return int(self.table.fetch(answer)[0][0] or 0)

    def span(self, column: str) -> tuple[str, str] | None:
        """A range that holds all values of a column, as users declare it; None where none can be written."""
        name = self.table.field(column)
        found = self._ask(f"CAST(min({name}) AS STRING), CAST(max({name}) AS STRING)")[0]
        low, high = (_plain(text or "") for text in found)
        if not _PLAIN.fullmatch(low) or not _PLAIN.fullmatch(high):
            return None
        if _NUMBER.fullmatch(self.kinds[column]):
            return low, high if low != high else f"{Decimal(high) + 1:f}"
        day = date.fromisoformat(high[:_DAY_LENGTH]) + timedelta(days=1)
        return low[:_DAY_LENGTH], day.isoformat()

    def middle(self, column: str) -> str | None:
        """A value with about half of the entries below it; None where there are no two to cut between."""
        facts, within = self.facts, "true"
        low, high = facts.ends.get(column, (0.0, 0.0))
        measure, name, lowest = self._measure(column), self.table.field(column), low
        below, half = facts.entries - facts.present[column], facts.entries / 2
        best: tuple[float, str] | None = None
        for _ in range(_ROUNDS):
            step = (high - low) / _BUCKETS
            if step <= 0 or (best is not None and best[0] <= _NEAR * facts.entries):
                break
            bucket = f"floor(({measure} - {_double(low)}) / {_double(step)})"
            asked = f"{bucket}, count(*), min({measure}), max({measure}), CAST(min({name}) AS STRING)"
            fullest = low, low, below
            for _, many, first, last, text in self._ask(
                asked, f"{name} IS NOT NULL AND {within} GROUP BY 1 ORDER BY 1"
            ):
                if first > lowest and (best is None or abs(below - half) < best[0]):
                    best = abs(below - half), _plain(text)
                if below <= half < below + many:
                    fullest = first, last, below
                below += many
            low, high, below = fullest
            within = f"{measure} BETWEEN {_double(low)} AND {_double(high)}"
        return best[1] if best is not None and _PLAIN.fullmatch(best[1]) else None

    def _measure(self, column: str) -> str:
        """A column as doubles that rise with its values, as SQL of any engine."""
        name, kind = self.table.field(column), self.kinds[column]
        if _NUMBER.fullmatch(kind):
            return f"CAST({name} AS DOUBLE)"
        days = f"(CAST(year({name}) AS DOUBLE) * 366 + dayofyear({name}))"
        is_moment = _MOMENT.fullmatch(kind)
        return (
            f"((({days} * 24 + hour({name})) * 60 + minute({name})) * 60 + second({name}))"
            if is_moment
            else days
        )


def _double(number: float) -> str:
    return f"CAST('{number!r}' AS DOUBLE)"


def _plain(text: str) -> str:
    """A number as it is written without an exponent; a day or moment as it is.

    >>> _plain("1.0E10"), _plain("-0.50"), _plain("-0.0"), _plain("2024-02-29")
    ('10000000000', '-0.5', '0', '2024-02-29')
    """
    if not re.fullmatch(rf"{_PLAIN_NUMBER}([eE][+-]?\d+)?", text):
        return text
    number = Decimal(text)
    digits = f"{number:f}" if number else "0"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def cut_table(
    whole: Section, columns: Sequence[str], allows: Callable[[Section], bool], parts: int
) -> dict[str, Any]:
    """Cut the largest section, over and over, along the column that is widest there, as Mondrian does.

    Args:
        whole: the table.
        columns: the columns that it may be cut along.
        allows: whether something may be a section.
        parts: how many sections are wanted; there are fewer where nothing can be cut any more, and more until
            each can be looked at at once.

    Returns:
        The cuts, as JSON has them.

    Raises:
        RequestError: a section is too large, and cannot be cut.
    """
    cuts: dict[str, Any] = {}
    widths = whole.facts.widths(columns)
    numbers, done, left = count(), 0, [(-whole.facts.entries, -1, cuts, whole)]
    while left and (done + len(left) < parts or -left[0][0] > whole.most):
        _, _, here, section = heappop(left)
        halves = _halves(section, widths, allows)
        if halves is None and section.facts.entries > whole.most:
            raise RequestError(
                f"{whole.table.label}: a part of more than {whole.most:,} distinct combinations cannot be "
                f"cut along {', '.join(columns) or 'a public column of numbers or days'}; take coarser "
                "columns, or raise `most` of the SparkTable"
            )
        if halves is None:
            done += 1
            continue
        last = halves[0].sides[-1]
        here |= {"column": last.column, "at": last.at, "below": {}, "above": {}}
        for half, name in zip(halves, ("below", "above"), strict=True):
            heappush(left, (-half.facts.entries, next(numbers), here[name], half))
    return cuts


def _halves(
    section: Section, widths: Mapping[str, float], allows: Callable[[Section], bool]
) -> tuple[Section, Section] | None:
    """Two sections along the column that is widest here, by its width in the whole, if it can be cut."""
    shares = {name: width / widths[name] for name, width in section.facts.widths(list(widths)).items()}
    for column in sorted(shares, key=lambda name: -shares[name]):
        at = section.middle(column)
        if at is not None:
            halves = section.half(column, at, above=False), section.half(column, at, above=True)
            if all(map(allows, halves)):
                return halves
    return None


def shared_rows(paths: Sequence[Path], columns: Sequence[str], but: str) -> int:
    """How many combinations of some columns stand in more than one of some Parquet files.

    Args:
        paths: the files.
        columns: the columns.
        but: what may stand in all columns of several files.
    """
    engine, names = OwnEngine.start(), identifiers(columns)
    rows = f"read_parquet({files(paths)}, hive_partitioning = false, filename = 'noiseless_file')"
    other = " OR ".join(f"{identifier(name)} IS DISTINCT FROM {literal(but)}" for name in columns)
    alike = f"SELECT 1 FROM {rows} WHERE {other} GROUP BY {names} HAVING count(DISTINCT noiseless_file) > 1"
    with readable_errors(str(paths[0].parent)):
        return int(engine.rows(f"SELECT count(*) FROM ({alike})")[0][0])


def distinct_values(table: Table, columns: Sequence[str]) -> int:
    """How many combinations of values some columns have, all spellings of a value being one."""
    chosen = table.select(columns)
    if isinstance(chosen, SparkGroups):
        return chosen.merge_spellings(columns)[0].combinations()
    return len(merge_spellings(chosen.tally(columns), columns)[0])
