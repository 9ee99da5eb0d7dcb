"""From a question to what is told about each public group, within an allowance of outputs or of an error, and back."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, starmap
from math import floor

from noiseless.curator.cache import Cache, remembered
from noiseless.curator.cell_disclosure import CellDisclosure, CellOutputSpace, weight_of
from noiseless.curator.disclosure import (
    CountsDisclosure,
    Disclosure,
    OutputSpace,
    Participants,
    StoredAnswer,
    condition,
    fingerprint,
    most_blocks,
    neighbouring,
    with_number,
    write_partition,
)
from noiseless.curator.public_state import Grouping, PublicState
from noiseless.domain import Value
from noiseless.errors import RequestError
from noiseless.intervals import AnswerInterval
from noiseless.pricing.events import with_absent
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.quantizer_choice import coarsest, finest
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive, Attribute, Query, count, total
from noiseless.questions.filters import Among, Everything, Filter, Runs, outside, split
from noiseless.questions.question import Group, Population, Question
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Uniform
from noiseless.work import check, spend

ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True, eq=False)
class GroupAnswer:
    """What a question comes to for one group.

    Attributes:
        telling: what is told; None where everybody knows the answer.
        fixed: the answer that everybody knows; None if there is none.
        labels: the blocks whose rows are counted; None for a count of each value.
        factor: the answer is shift + factor times what is told.
        shift: see `factor`.
        group: the values that name the group.
    """

    telling: Disclosure | None
    fixed: AnswerInterval | None = None
    labels: frozenset[int] | None = None
    factor: Fraction = ONE
    shift: Fraction = ZERO
    group: tuple[Value, ...] = ()

    @classmethod
    def known(cls, number: int) -> "GroupAnswer":
        """A number that everybody knows."""
        return cls(None, AnswerInterval.of(number))

    @classmethod
    def missing(cls) -> "GroupAnswer":
        """No answer, which everybody knows."""
        return cls(None)

    def of(self, group: Group) -> "GroupAnswer":
        """The same, for a named group."""
        return replace(self, group=group.values) if group.values else self

    def value(self, answer: StoredAnswer | None, number: int = 0) -> AnswerInterval | None:
        """The answer; of a histogram, how many rows have the value with a number."""
        found = self.fixed
        if answer is None:
            pass
        elif type(self.telling) is CellDisclosure:
            found = self.telling.interval(answer)
        elif type(self.telling) is CountsDisclosure:
            found = self._count(self.telling, answer["counts"], number)
        if found is None or (self.factor is ONE and self.shift is ZERO):
            return found
        ends = (self.shift + self.factor * found.lower, self.shift + self.factor * found.upper)
        return AnswerInterval(*(ends if self.factor > 0 else ends[::-1]))

    def _count(self, telling: CountsDisclosure, counts: list[int], number: int) -> AnswerInterval:
        if self.labels is not None:
            return AnswerInterval.of(sum(counts[label] for label in self.labels))
        label = telling.partition.label_at(number)
        alone = telling.block_sizes[label] == 1
        return AnswerInterval.of(counts[label] if alone else 0, counts[label])


_MOST_REMEMBERED = 2**25
"""Bytes of each kind that are remembered."""
_MOST_CELLS = 2**27
"""Bytes of cells: the positions of any one sum are remembered for all groups of its size."""

_LISTED_STEPS = 3
"""What it takes to look at a value that is listed by itself."""


@dataclass(frozen=True)
class Precision:
    """How fine an answer may be.

    Attributes:
        outputs: how many outputs one person may cause at most.
        error: how far the middle may be from the truth instead; the price is then what that costs.
    """

    outputs: int
    error: Fraction | None = None

    def scaled(self, factor: Fraction) -> "Precision":
        """The same for a number, of which the answer is this multiple."""
        return self if self.error is None else replace(self, error=self.error / factor)


class Planner:
    """Plans questions about one version of a dataset, and remembers what they came to."""

    def __init__(self, public: PublicState) -> None:
        self.public, self.schema, self.limits = public, public.schema, public.limits
        self._grouping = Grouping(public.schema, public.population)
        self.groups = self._grouping.groups
        self._private = frozenset(public.schema.private)
        self._people = Cache[Participants](_MOST_REMEMBERED)
        self._queries = Cache[Query](_MOST_REMEMBERED)
        self._cells = Cache[tuple[CellOutputSpace, int]](_MOST_CELLS)
        self._conditions = Cache[tuple[Predicate, OutputSpace]](_MOST_REMEMBERED)
        self._attributes = Cache[Attribute](_MOST_REMEMBERED)
        self._numbers = Cache[tuple[frozenset[int], int]](_MOST_REMEMBERED)
        self._sums = Cache[tuple[Additive, int]](_MOST_REMEMBERED)

    def parts(self, question: Question, wish: Precision) -> tuple[GroupAnswer, ...]:
        """What is told about each public group that the question is about.

        Args:
            question: in its normal form.
            wish: how fine the answers may be.

        Raises:
            RequestError: it cannot be priced; the message says what can.
        """
        visible, hidden = self._split(question)
        found = []
        for group in self.groups(visible, question.by):
            check()
            found.append(self._part(question, hidden, self._named(group), wish).of(group))
        return tuple(found)

    def extent(self, question: Question) -> tuple[int, int, int]:
        """How many public groups and cells a question is about at most, and the runs of its private filter.

        Everybody is no cell: what all people are asked together is priced once.
        """
        visible, hidden = self._split(question)
        cells, runs = self._grouping.count(visible), 0 if hidden is None else len(hidden.runs)
        if question.by:
            return cells, cells, runs
        return 1, 0 if cells == len(self.public.population.cells) else cells, runs

    def _split(self, question: Question) -> tuple[Filter, Among | None]:
        """The public part of a question's filter, and the private one; what has no price is refused."""
        question.check(self.schema, self.limits)
        visible, hidden = split(question.where, self._private)
        if isinstance(hidden, Everything):
            return visible, None
        if not isinstance(hidden, Among):
            raise RequestError("the filter is not in its normal form; ask in SQL")
        return visible, hidden

    def _part(
        self, question: Question, hidden: Among | None, people: Participants, wish: Precision
    ) -> GroupAnswer:
        if question.aggregate == "count":
            return GroupAnswer.known(people.size) if hidden is None else self._count(people, hidden, wish)
        if question.aggregate in ("histogram", "top"):
            return self._histogram(people, str(question.column), wish)
        if hidden is None:
            return self._plain(question, people, wish)
        if question.aggregate == "sum":
            return self._filtered_sum(question, people, hidden, wish)
        return self._filtered_mean(question, people, hidden, wish)

    def _named(self, group: Group) -> Participants:
        """Who takes part, by the values of their public cells."""
        found = self._people.get(group.cells)
        if found is None:
            whole = len(group.cells) == len(self.public.population.cells)
            names = [] if whole else sorted(self.public.cell_names[cell] for cell in group.cells)
            name = "everybody" if whole else fingerprint(names)
            people = Participants(None if whole else group.cells, group.people, name)
            found = self._people.keep(group.cells, people, len(group.cells))
        return found

    # Counts

    def _count(self, people: Participants, hidden: Among, wish: Precision) -> GroupAnswer:
        """Exactly, where the allowance suffices; a person's rows count one by one otherwise."""
        size, rows = self.schema.columns[hidden.column].size, min(self.limits.rows, people.size)
        together = people.cells is None or rows == 1  # otherwise a linear form of the rows is cheaper
        if together and (wish.outputs > rows if wish.error is None else rows == 1):
            chosen, alike = self._condition(hidden, size)
            return GroupAnswer(self._counts(people, chosen.partition, alike), labels=chosen.chosen)
        if hidden.runs[0][0] == 0:  # those who pass and those who do not are one question
            others = replace(hidden, runs=outside(hidden.runs, size))
            return replace(
                self._count(people, others, wish), factor=Fraction(-1), shift=Fraction(people.size)
            )
        attribute = Attribute(hidden.column, range(size))
        what = ("count", hidden.column, hidden.runs)
        listed = self._listed(
            hidden.column, what, lambda: count(1, attribute, _numbers(hidden.runs), self.limits.rows)
        )
        return GroupAnswer(self._cell(people, what, replace(listed, people=people.size), wish))

    def _histogram(self, people: Participants, name: str, wish: Precision) -> GroupAnswer:
        """Every value, or as many blocks of neighbouring values as the allowance has outputs for."""
        size, rows = self.schema.columns[name].size, min(self.limits.rows, people.size)
        blocks = size
        if wish.error is None:
            blocks = most_blocks(size, rows, wish.outputs, alike=people.cells is None)
        spend(_LISTED_STEPS * blocks)
        return GroupAnswer(self._counts(people, neighbouring(name, size, blocks)))

    def _condition(self, hidden: Among, size: int) -> tuple[Predicate, OutputSpace]:
        found = self._conditions.get((hidden.column, hidden.runs))
        if found is None:
            made = condition(hidden.column, size, hidden.runs)
            both = (made, OutputSpace(write_partition(made.partition)))
            found = self._conditions.keep((hidden.column, hidden.runs), both, 8 * len(hidden.runs))
        return found

    def _counts(
        self, people: Participants, partition: DomainPartition, alike: OutputSpace | None = None
    ) -> CountsDisclosure:
        what = ("counts", *partition.names, self.limits.rows)
        return CountsDisclosure(people, what, self.public.version, partition, alike)

    # Numbers

    def _plain(self, question: Question, people: Participants, wish: Precision) -> GroupAnswer:
        """An aggregate of everybody's values; a mean is a sum divided by a public number."""
        factor = ONE
        if question.aggregate == "mean":
            least = self.limits.least_group
            if least is not None and people.cells is not None and people.size < least:
                return GroupAnswer.missing()
            question, factor = replace(question, aggregate="sum"), Fraction(1, people.size)
        query = self._query(question, people.size)
        kind = "sum" if question.aggregate == "sum" else type(query).__name__
        what = (kind, question.column, getattr(query, "rank", None))
        return GroupAnswer(self._cell(people, what, query, wish.scaled(factor)), factor=factor)

    def _query(self, question: Question, people: int) -> Query:
        """An aggregate of everybody in a group of so many people."""
        key = (question.aggregate, question.column, question.share, people)
        found = self._queries.get(key)
        if found is None:
            alone = Population((), ((),), (people,))
            bare = replace(question, where=Everything(), by=())
            resolved = bare.resolve(self.schema, alone, self.limits)[0].query
            if not isinstance(resolved, Query):
                raise TypeError(f"no number is asked for by {question.aggregate}")
            found = self._queries.keep(key, resolved, weight_of(resolved))
        return found

    def _filtered_sum(
        self, question: Question, people: Participants, hidden: Among, wish: Precision
    ) -> GroupAnswer:
        column = str(question.column)
        attribute = self._attribute(column)
        if hidden.column != column:
            listed = self._listed(
                column, (column,), lambda: total(1, self._with_absent(column), rows=self.limits.rows)
            )
            what = ("sum", column, hidden.column, hidden.runs)
            query = replace(listed, people=people.size)
            passing, added = self._passing(hidden), (attribute, hidden.runs)
            return GroupAnswer(self._cell(people, what, query, wish, passing=passing, added=added))
        runs, zero = hidden.runs, -attribute.origin / attribute.unit
        if zero.denominator == 1 and 0 <= zero < attribute.size:
            runs = with_number(runs, int(zero))  # whether a value of 0 counts makes no difference
        if runs == ((0, attribute.size),):
            return self._plain(question, people, wish)
        listed = self._listed(
            column, (column, runs), lambda: total(1, attribute, _numbers(runs), self.limits.rows)
        )
        what, query = ("sum", column, column, runs), replace(listed, people=people.size)
        return GroupAnswer(self._cell(people, what, query, wish, added=(attribute, runs)))

    def _filtered_mean(
        self, question: Question, people: Participants, hidden: Among, wish: Precision
    ) -> GroupAnswer:
        column, least = str(question.column), self.limits.least_group or 1
        if people.size < least:
            return GroupAnswer.missing()
        own = hidden.column == column
        numbers = self._passed(hidden.runs) if own else None
        query = FilteredMean(people.size, self._attribute(column), least, numbers)
        what = ("mean", column, hidden.column, hidden.runs, least)
        return GroupAnswer(
            self._cell(people, what, query, wish, passing=None if own else self._passing(hidden))
        )

    def _attribute(self, name: str) -> Attribute:
        found = self._attributes.get(name)
        return found or self._attributes.keep(name, Attribute.of(name, self.schema.columns[name]), 0)

    def _with_absent(self, name: str) -> Attribute:
        """The attribute, and 0 for those whom a filter leaves out."""
        found = self._attributes.get((name, "absent"))
        if found is None:
            made = with_absent(self._attribute(name))
            found = self._attributes.keep((name, "absent"), made, made.size)
        return found

    def _listed(self, name: str, key: Hashable, make: Callable[[], Additive]) -> Additive:
        """A sum that lists what each number contributes: made once for groups of all sizes."""

        def listed() -> Additive:
            spend(_LISTED_STEPS * self.schema.columns[name].size)
            return make()

        return remembered(self._sums, key, listed, lambda made: len(made.contributions))

    def _passed(self, runs: Runs) -> frozenset[int]:
        def passed() -> frozenset[int]:
            spend(sum(stop - start for start, stop in runs))
            return _numbers(runs)

        return remembered(self._numbers, runs, passed, len)

    def _passing(self, hidden: Among) -> tuple[str, int, Runs]:
        return hidden.column, self.schema.columns[hidden.column].size, hidden.runs

    def _cell(
        self,
        people: Participants,
        what: tuple[Hashable, ...],
        query: Query,
        wish: Precision,
        *,
        passing: tuple[str, int, Runs] | None = None,
        added: tuple[Attribute, Runs] | None = None,
    ) -> CellDisclosure:
        """The cell of the answer to a query; `what` says all but how many people there are."""
        key = (what, people.size, wish.outputs, wish.error)

        def cells() -> CellOutputSpace:
            spend(_LISTED_STEPS * (weight_of(query) + query.listed // 2))
            return CellOutputSpace(mechanism_for(query, wish))

        alike = remembered(self._cells, key, cells, lambda _: weight_of(query) + sum(map(_length, what)))
        asked, version = (*what, self.limits.rows), self.public.version
        mechanism = alike.mechanism
        return CellDisclosure(
            people, asked, version, mechanism, query.attribute_name, passing, added, shared=alike
        )


def mechanism_for(query: Query, wish: Precision) -> QuantizedQuery:
    """The coarsest cells for an error, the finest for a number of outputs."""
    if wish.error is not None:
        return coarsest(query, wish.error)
    return (
        _finest_mean(query, wish.outputs) if isinstance(query, FilteredMean) else finest(query, wish.outputs)
    )


def _finest_mean(query: FilteredMean, outputs: int) -> QuantizedQuery:
    """As `finest`, but "too few" is one of the outputs, and the cells have one less."""
    (slide,) = query.influences
    left = outputs - slide.more
    if left < 1:
        raise RequestError(
            "a mean over a private filter tells at least whether enough rows pass; allow it 1 bit or more"
        )
    if not slide.length:
        return QuantizedQuery(query, Uniform(query.span, 1))
    cells = max(left, floor((left - 1) * query.span.width / slide.length))  # Theorem 8 of [P1], corrected
    found = [QuantizedQuery(query, Uniform(query.span, number)) for number in (1, left, cells)]
    sound = [mechanism for mechanism in found if mechanism.reach.outputs <= outputs]
    return min(sound, key=lambda mechanism: mechanism.worst_error)


def _length(part: Hashable) -> int:
    return 2 * len(part) if isinstance(part, tuple) else 0


def _numbers(runs: Runs) -> frozenset[int]:
    return frozenset(chain.from_iterable(starmap(range, runs)))
