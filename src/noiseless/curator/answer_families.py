"""What answers would have been, had one person's record been another one: for many records at once.

Answers of one kind about disjoint groups of people (a GROUP BY) are one family, so that a table with many
public cells needs few passes. Families are made from what the ledger says was told.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray
from noiseless.curator.fingerprints import read_cells, read_partition
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Cells, ContingencyTable, Snapshot, exact_dot, passes
from noiseless.errors import RequestError
from noiseless.pricing.events import with_absent
from noiseless.questions import Attribute, Lattice, count, total
from noiseless.questions.filters import numbers_of
from noiseless.questions.row_function import read_row_function
from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import whole_numbers

Body = Mapping[str, Any]
Ints = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where those might not suffice."""
Values = Mapping[str, Ints]
"""Numbers by column: of records, or what they might have had instead (one column a value)."""


@dataclass(frozen=True, eq=False)
class Records:
    """Some records: classes of people with the same public cell and the same private numbers.

    Attributes:
        cells: the public cell of each.
        own: their numbers, by column.
    """

    cells: Ints
    own: Values

    def __len__(self) -> int:
        return len(self.cells)

    def some(self, chosen: Ints | slice) -> "Records":
        """Some of them."""
        return Records(self.cells[chosen], {name: numbers[chosen] for name, numbers in self.own.items()})


Spans = list[tuple[Ints, Ints]]
"""Runs [start, stop) of a column's numbers, of each record."""


def _nothing(values: Values) -> Ints:
    return np.zeros(len(next(iter(values.values()))), np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerFamily:
    """Answers of one kind about disjoint groups.

    Attributes:
        columns: the private columns that they depend on, the one that filters last.
        group: the number of the group that each public cell belongs to; -1 for none.
        labels: the answers, as numbers, had the records' owners had these values instead.
        most: at most this many answers persons can cause who have several rows in a group: given how many,
            what they contribute together, and the groups.
        runs: runs of a column's numbers along which an answer only rises or only falls.
        is_flat: whether it is even the same all along a run.
        contributed: what rows contribute to a sum; nothing in other families.
        passing: the numbers of the last column that let a row count, as truth values; None for all.
    """

    columns: tuple[str, ...]
    group: Ints
    labels: Callable[[Records, Values], Ints]
    most: Callable[[Ints, Ints, Ints], Ints | list[int]]
    runs: Callable[[Records, str], Spans]
    is_flat: bool = False
    contributed: Callable[[Values], Ints] = _nothing
    passing: BoolArray | None = None

    def changes(self, records: Records, column: str) -> list[Ints]:
        """Numbers of a column where the answer may change: all of them are among these.

        Args:
            records: whose.
            column: along which column; the others are such that this one counts.
        """
        found: list[Ints] = []
        for start, stop in self.runs(records, column):
            found += [start] if self.is_flat else [start, *self._within(records, column, start, stop)]
        return found

    def _within(self, records: Records, column: str, start: Ints, stop: Ints) -> Iterator[Ints]:
        """One change after the other, each found by halving; who has no more stays at the end meanwhile."""
        end = np.maximum(stop - 1, start)
        current, answer = start, self._along(records, column, start)
        last = self._along(records, column, end)
        while (open_ := (answer != last) & (current < stop)).any():
            low, high = current, np.maximum(end, current)  # equal to the answer at low, not at high
            while (high - low > 1).any():
                middle = (low + high) // 2
                same = self._along(records, column, np.minimum(middle, end)) == answer
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            current = np.where(open_, high, stop)
            yield current
            answer = self._along(records, column, np.minimum(current, end))

    def _along(self, records: Records, column: str, numbers: Ints) -> Ints:
        """The answers with these numbers of a column; another one lets them count, whatever it is."""
        values = {name: records.own[name][:, None] for name in self.columns}
        if self.passing is not None and column != self.columns[-1]:
            values[self.columns[-1]] = np.full((len(records), 1), int(np.argmax(self.passing)))
        return self.labels(records, {**values, column: numbers[:, None]})[:, 0]


def families(bodies: Iterable[Body], snapshot: Snapshot, public: PublicState) -> list[AnswerFamily]:
    """The answers to questions, as the ledger describes them."""
    sizes, found = np.array(public.population.sizes), dict[str, list[_Questions]]()
    for body in bodies:
        cells = None if body["people"] is None else numbers_of(body["people"])
        places = np.arange(len(sizes)) if cells is None else np.array(sorted(cells))
        rows = int(sizes[places].sum())
        alike = found.setdefault(_kind(body, rows), [])
        fitting = next((each for each in alike if (each.group[places] < 0).all()), None)
        if fitting is None:
            fitting = _Questions(body, snapshot, public)
            alike.append(fitting)
        fitting.group[places] = len(fitting.people)
        fitting.people.append((cells, rows, body))
    return [each.family() for alike in found.values() for each in alike]


def _kind(body: Body, rows: int) -> str:
    """What questions of one family share: all but who takes part, and the rank.

    Where cells depend on how many take part, also their number.
    """
    what, told = body["what"], {name: value for name, value in body.items() if name != "people"}
    if what[0] == "OrderStatistic":
        told["what"] = [*what[:2], *what[3:]]
    counts = what[0] == "Variance" or (what[0] != "mean" and told.get("cells", [None])[0] == "uniform")
    return repr((sorted(told.items()), rows if counts else None))


class _Questions:
    """Questions of one kind about disjoint groups, from which their family is made.

    Attributes:
        group: the group that each public cell belongs to.
        people: the public cells of each group, how many rows they have, and the question.
    """

    def __init__(self, body: Body, snapshot: Snapshot, public: PublicState) -> None:
        self.snapshot, self.public, self.cells = snapshot, public, body.get("cells", ())
        self.partition = read_partition(body)
        self.kind, self.column, *self.rest = body["what"]
        self.size = public.schema.columns[self.column].size
        self.group = np.full(len(public.population.cells), -1)
        self.people: list[tuple[Cells, int, Body]] = []

    def family(self) -> AnswerFamily:
        """The family."""
        makers: Mapping[str, Callable[[], AnswerFamily]] = {
            "counts": self._blocks,
            "count": self._sums,
            "sum": self._sums,
            "formula": self._formulas,
            "mean": self._means,
            "OrderStatistic": self._ranks,
            "MiddleMedian": self._ranks,
            "Variance": self._variances,
        }
        return makers[self.kind]()

    def _blocks(self) -> AnswerFamily:
        """Exact counts: the block that a value is in; with several rows a block for each, in no order."""
        assert self.partition is not None  # noqa: S101 - that is what counts are of
        starts, blocks = np.array(self.partition.starts), np.array(self.partition.labels)

        def labels(records: Records, values: Values) -> Ints:
            del records
            return blocks[np.searchsorted(starts, values[self.column], side="right") - 1]

        def most(rows: Ints, own: Ints, group: Ints) -> list[int]:
            del own, group
            return [comb(int(blocks.max()) + number, number) for number in rows.tolist()]

        runs = _fixed({self.column: [*starts, self.size]})
        return AnswerFamily(
            columns=(self.column,), group=self.group, labels=labels, most=most, runs=runs, is_flat=True
        )

    def _sums(self) -> AnswerFamily:
        """Sums and counts told as cells; perhaps only of rows that another private column lets pass."""
        other, runs = (self.column, self.rest[0]) if self.kind == "count" else self.rest[:2]
        worth, nothing = self._worth(other, runs)
        columns: tuple[str, ...] = (self.column,)
        begins, passing = {self.column: turns(worth)}, None
        if other not in (None, self.column):
            passing = passes(np.arange(self.public.schema.columns[other].size), runs)
            columns, begins = (self.column, other), {**begins, other: edges(passing)}
        ends = [int(worth.min()), int(worth.max()), *([] if passing is None else [nothing])]

        def contributed(values: Values) -> Ints:
            own = worth[values[self.column]]
            return own if passing is None else np.where(passing[values[other]], own, nothing)

        more = {"columns": columns, "runs": _fixed(begins), "passing": passing}
        return self._added_up(contributed, ends, **more)

    def _formulas(self) -> AnswerFamily:
        """Declared formulas, told as cells of their sums: the answer may change wherever a value does."""
        function = read_row_function(self.rest[0], self.public.schema)
        if function.listed is None:
            raise RequestError(
                f"a declared query of {' and '.join(function.columns)} has too many combinations of values;"
                " the exposure to it is not worked out"
            )
        worth = function.contributions()
        begins = {}
        for axis, name in enumerate(function.columns):
            differs = (np.diff(worth, axis=axis) != 0).any(axis=tuple({*range(worth.ndim)} - {axis}))
            begins[name] = np.concatenate([[0], np.flatnonzero(differs) + 1, [len(differs) + 1]])

        def contributed(values: Values) -> Ints:
            return worth[tuple(values[name] for name in function.columns)]

        more = {"columns": function.columns, "runs": _fixed(begins), "is_flat": True}
        return self._added_up(contributed, [0, int(worth.max())], **more)

    def _added_up(self, contributed: Callable[[Values], Ints], ends: list[int], **more: Any) -> AnswerFamily:  # noqa: ANN401 - attributes of a family
        """Sums of what rows contribute, which is between the ends, told as cells."""
        columns = more["columns"]

        def total_of(counted: ContingencyTable) -> int:
            return exact_dot(contributed(dict(zip(columns, counted.numbers, strict=True))), counted.counts)

        def positions(records: Records, group: Ints, values: Values) -> Ints:
            return (totals[group] - contributed(records.own))[:, None] + contributed(values)

        def most(rows: Ints, own: Ints, group: Ints) -> Ints:
            """The cells from all rows contributing least to all contributing most."""
            others = totals[group] - own
            low, high = (quantizer.cells_at(others + rows * end) for end in (min(ends), max(ends)))
            caused: Ints = high - low + 1
            return caused

        totals = self._numbers(columns, total_of)
        quantizer = self._quantizer(max(ends) * self.most_rows)
        return self._in_cells(positions, quantizer, most=most, contributed=contributed, **more)

    def _worth(self, other: str | None, runs: Any) -> tuple[Ints, int]:  # noqa: ANN401 - plain JSON
        """What each number contributes, the same for groups of any size, and a row that does not pass."""
        if self.kind == "count":
            query = count(1, Attribute(self.column, range(self.size)), numbers_of(runs))
            return np.array(query.contributions, np.int64), 0
        attribute = Attribute.of(self.column, self.public.schema.columns[self.column])
        if other in (None, self.column):
            query = total(1, attribute, None if other is None else numbers_of(runs))
            return np.array(query.contributions, np.int64), 0
        query = total(1, with_absent(attribute))
        first, step = (attribute.origin - query.least) / query.unit, attribute.unit / query.unit
        return int(first) + int(step) * np.arange(self.size), int(-query.least / query.unit)

    def _means(self) -> AnswerFamily:
        """Means over a private filter: a cell, or -1 for "too few"."""
        other, runs, least = self.rest[:3]
        passing = passes(np.arange(self.public.schema.columns[other].size), runs)
        columns = (self.column,) if other == self.column else (self.column, other)
        _, cells = self.cells
        exact = whole_numbers(cells * self.size * self.most_rows)

        def passed(values: Values, what: Ints | int) -> Ints:
            return np.where(passing[values[other]], what, 0).astype(exact)

        def labels(records: Records, values: Values) -> Ints:
            """The cell of the mean of the others and oneself, of those who pass."""
            group, own = self.group[records.cells], records.own[self.column]
            rows = (counts[group] - passed(records.own, 1))[:, None] + passed(values, 1)
            sums = (totals[group] - passed(records.own, own))[:, None] + passed(values, values[self.column])
            within = np.minimum(sums * cells // np.maximum(rows * max(self.size - 1, 1), 1), cells - 1)
            return np.where(rows < least, -1, within)

        def sum_of(counted: ContingencyTable) -> int:
            own = np.where(passing[counted.numbers[-1]], counted.numbers[0], 0)
            return exact_dot(own, counted.counts)

        totals = self._numbers(columns, sum_of).astype(exact)
        counts = self._numbers(columns, lambda counted: int(counted.counts @ passing[counted.numbers[-1]]))
        return AnswerFamily(
            columns=columns,
            group=self.group,
            labels=labels,
            most=_constantly(cells + 1),
            runs=_fixed({self.column: [0, self.size], other: edges(passing)}),
            passing=passing,
        )

    def _ranks(self) -> AnswerFamily:
        """Order statistics: one's own value, clamped between two neighbouring ones of the others'.

        Of each group the values with the ranks before and up to two after the one asked for are looked at,
        with the ends of the domain where there are none; a median of an even number adds the middle two.
        """
        is_middle = self.kind == "MiddleMedian"
        found = []
        for people, rows, body in self.people:
            rank = rows // 2 if is_middle else body["what"][2]
            counted = self.snapshot.count((self.column,), people)
            ranks = np.arange(rank - 1, rank + (3 if is_middle else 2))
            values = counted.numbers[0][np.searchsorted(np.cumsum(counted.counts), np.clip(ranks, 1, rows))]
            found.append(np.where(ranks < 1, 0, np.where(ranks > rows, self.size - 1, values)))
        around = np.array(found)

        def positions(records: Records, group: Ints, values: Values) -> Ints:
            x, own, ranked = values[self.column], records.own[self.column], around[group]
            # Without one's own value the one with rank j is the old one of rank j + 1, unless at most it.
            others = np.where(ranked[:, 1:] <= own[:, None], ranked[:, :-1], ranked[:, 1:])
            clamped: Ints = np.clip(x, others[:, 0:1], others[:, 1:2])
            return clamped + np.clip(x, others[:, 1:2], others[:, 2:3]) if is_middle else clamped

        return self._in_cells(positions, self._quantizer((self.size - 1) * (2 if is_middle else 1)))

    def _variances(self) -> AnswerFamily:
        """Variances: the number of people times the sum of squares, less the square of the sum."""
        column, people = self.column, self.most_rows
        exact = whole_numbers(people**2 * self.size**2)
        sums = self._numbers((column,), lambda counted: exact_dot(counted.numbers[0], counted.counts))
        squares = self._numbers((column,), lambda counted: exact_dot(counted.numbers[0] ** 2, counted.counts))
        sums, squares = sums.astype(exact), squares.astype(exact)

        def positions(records: Records, group: Ints, values: Values) -> Ints:
            x, own = values[column], records.own[column]
            first = (sums[group] - own)[:, None] + x
            second = (squares[group] - own * own)[:, None] + x * x
            moved: Ints = people * second - first * first
            return moved

        def runs(records: Records, name: str) -> Spans:
            """Down to the others' mean, and up from there on."""
            turn = (sums[self.group[records.cells]] - records.own[name]) // max(people - 1, 1) + 1
            turn = np.clip(turn, 0, self.size).astype(np.int64)
            start, stop = np.zeros(len(records), np.int64), np.full(len(records), self.size)
            return [(start, turn), (np.minimum(turn, self.size - 1), stop)]

        last = (people // 2) * (people - people // 2) * (self.size - 1) ** 2
        return self._in_cells(positions, self._quantizer(last), runs=runs)

    def _in_cells(
        self,
        positions: Callable[[Records, Ints, Values], Ints],
        quantizer: Quantizer,
        **more: Any,  # noqa: ANN401 - attributes of a family
    ) -> AnswerFamily:
        """The family of numbers, given the groups of records, that are told as cells; all may be caused."""

        def labels(records: Records, values: Values) -> Ints:
            return quantizer.cells_at(positions(records, self.group[records.cells], values))

        told = {
            "columns": (self.column,),
            "most": _constantly(quantizer.cells),
            "runs": _fixed({self.column: [0, self.size]}),
        }
        return AnswerFamily(group=self.group, labels=labels, **{**told, **more})

    def _quantizer(self, last: int) -> Quantizer:
        """The cells of positions up to the last one, of the largest group."""
        return read_cells(self.cells, Lattice(Fraction(0), Fraction(1), last))

    @property
    def most_rows(self) -> int:
        """How many rows the largest group has."""
        return max(rows for _, rows, _ in self.people)

    def _numbers(self, columns: tuple[str, ...], work: Callable[[ContingencyTable], int]) -> Ints:
        """A number of each group."""
        found = [work(self.snapshot.count(columns, cells)) for cells, _, _ in self.people]
        return np.array(found, whole_numbers(max(map(abs, found))))


def _constantly(cells: int) -> Callable[[Ints, Ints, Ints], Ints]:
    return lambda _rows, _own, group: np.full(len(group), cells, whole_numbers(cells))


def _fixed(begins: Mapping[str, Iterable[int]]) -> Callable[[Records, str], Spans]:
    """The same runs for all records, that begin where it is said; the last one ends at the last."""

    def runs(records: Records, column: str) -> Spans:
        size = len(records)
        return [(np.full(size, start), np.full(size, stop)) for start, stop in pairwise(begins[column])]

    return runs


def turns(values: Ints) -> Ints:
    """Where runs begin along which a sequence only rises or only falls, and where the last one ends.

    >>> turns(np.array([0, 0, 3, 5, 5, 0, 0])).tolist()
    [0, 5, 7]
    """
    signs = np.sign(np.diff(values.astype(np.int64)))
    steps = np.flatnonzero(signs)
    inner = steps[1:][signs[steps][1:] != signs[steps][:-1]] + 1
    return np.concatenate([[0], inner, [len(values)]])


def edges(values: Ints) -> Ints:
    """Where runs of equal values begin, and where the last one ends."""
    return np.concatenate([[0], np.flatnonzero(np.diff(values.astype(np.int64))) + 1, [len(values)]])
