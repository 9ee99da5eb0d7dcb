"""Answers to questions about numbers and counts; every kind of event brings its own rule."""

from bisect import bisect_left
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from noiseless.errors import RequestError
from noiseless.pricing.answer_tables import table_of_sum
from noiseless.pricing.composition import grouped, hyperplanes
from noiseless.pricing.event import Cells, Event, Footprint, Key, Record
from noiseless.pricing.partition import DomainPartition, Predicate, refined
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive, Attribute, CountedQuery, Query
from noiseless.questions.base import Positions, is_consecutive, length
from noiseless.questions.filters import as_runs
from noiseless.questions.order import OrderStatistic
from noiseless.questions.statistics import FilteredMean
from noiseless.work import spend

_MOST_BLOCKS = 2**12
"""Up to this many blocks of values that count alike are told apart; beyond, cuts are counted."""

PERSONS = "persons"
"""What an event is about whose rows are persons: it was planned for one row of each."""


@dataclass(frozen=True)
class QuantizedAnswer(Event):
    """A number told as the cell it lies in.

    Attributes:
        mechanism: the question and its cells.
        covers: the public cells whose people take part.
        about: what else tells the question apart.
    """

    mechanism: QuantizedQuery
    covers: Cells = None
    about: Hashable = None

    def __post_init__(self) -> None:
        """Check that the answer depends on one private attribute.

        Raises:
            RequestError: a filter on another one decides which rows count.
        """
        super().__post_init__()
        if self.mechanism.query.filtered_elsewhere:
            raise RequestError(
                "the answer depends on the private attribute of its filter too; give a sum as"
                " GroupedAnswers.filtered, and the reach of anything else as OtherAnswer"
            )

    @cached_property
    def key(self) -> Key:
        """The question, the cells and the people."""
        return Key("quantized", self.grid_key, self.mechanism.quantizer)

    @cached_property
    def grid_key(self) -> Key:
        """The question and the people."""
        return Key(self.mechanism.query, self.people)

    @property
    def grid(self) -> QuantizedQuery:
        """The mechanism itself."""
        return self.mechanism

    def footprint(self, record: Record) -> Footprint:
        """Steps along the attribute; the level of a contribution where the answer can tell it at worst.

        Raises:
            RequestError: the question is over more values than the record declares.
        """
        query, name = self.mechanism.query, self.mechanism.query.attribute_name
        record.require([name])
        _check_domain(query, record.sizes[name])
        found = self._of_one_row(record) if record.rows_of([name]) == 1 else self._of_rows(record)
        size, everybody = record.sizes[name], self.people == (None, None)
        rows = 1 if self.about == PERSONS else record.rows
        if isinstance(query, Additive) and size is not None and (rows == 1 or everybody):
            return replace(found, tables=(table_of_sum(self.mechanism, size, rows),))
        return found

    def _of_one_row(self, record: Record) -> Footprint:
        query, name = self.mechanism.query, self.mechanism.query.attribute_name
        outputs = self.mechanism.reach.outputs
        if record.rows > 1 and self.about != PERSONS:
            outputs = reach_of_rows(self.mechanism, record.rows)
        levels = self._levels
        if levels is not None and levels.blocks == outputs and levels.size == record.sizes[name]:
            return Footprint.told(levels)
        if isinstance(query, FilteredMean) and query.where is not None:
            inside = inside_outputs(self.mechanism)
            return Footprint.interrupted(name, outputs, inside, _turns(query.where, query.attribute))
        if query.pieces is None:
            return Footprint.opaque([name], outputs)
        return Footprint.steps(name, outputs, query.pieces)

    def footprint_within(self, record: Record, cells: int) -> Footprint:
        """The same when this many neighbouring cells remain: those of an order statistic are steps again."""
        query = self.mechanism.query
        if isinstance(query, OrderStatistic) and record.rows == 1:
            return Footprint.steps(query.attribute_name, self.mechanism.reach.outputs, 1).narrowed(cells)
        return super().footprint_within(record, cells)

    @cached_property
    def _levels(self) -> DomainPartition | None:
        """Blocks of values that count alike: a person's block says all that they do to the answer."""
        query = self.mechanism.query
        return _own_cells(self.mechanism, query) if isinstance(query, OrderStatistic) else _levels(query)

    def _of_rows(self, record: Record) -> Footprint:
        """A sum over rows is a linear form of what each of the person's rows contributes."""
        query, outputs = self.mechanism.query, reach_of_rows(self.mechanism, record.rows)
        everybody = self.people == (None, None)
        if isinstance(query, Additive):
            space = (query.name, query.contributions)
            linear = Footprint.linear([query.name], outputs, self.people, space)
            return replace(linear, levels=_alike(query, record.sizes[query.name]), everybody=everybody)
        if self._levels is not None and self._levels.size == record.sizes[query.attribute_name]:
            told = Footprint.told(self._levels, record.rows, everybody=everybody)
            return replace(told, outputs=min(outputs, told.outputs))
        return Footprint.opaque([query.attribute_name], outputs)

    def follows_from(self, counts: DomainPartition) -> bool:
        """Sums follow from counts of what contributes alike, other symmetric questions from a histogram."""
        query = self.mechanism.query
        if counts.names != (query.attribute_name,):
            return False
        if counts.blocks == counts.size:
            return isinstance(query, CountedQuery)
        levels = _levels(query)
        return levels is not None and counts.sizes == levels.sizes and counts.refines(levels)


def _check_partition(partition: DomainPartition, record: Record) -> None:
    """Refuse blocks of another domain than the record's."""
    record.require(partition.names)
    for name, size in zip(partition.names, partition.sizes, strict=True):
        if record.sizes[name] != size:
            raise RequestError(f"blocks of {name!r} are of {size:,} values; the record declares others")


def _check_domain(query: Query, declared: int | None) -> None:
    """Refuse a question over more values than the record declares: its bound would be too small."""
    of_attribute = getattr(getattr(query, "attribute", None), "numbers", ())
    numbers: Positions = getattr(query, "numbers", of_attribute)
    values = length(numbers) if numbers else 0
    if declared is not None and values > declared:
        raise RequestError(
            f"a question about {query.attribute_name!r} is over {values:,} values;"
            f" the record declares {declared:,}"
        )


def _levels(query: object) -> DomainPartition | None:
    """The values that contribute alike to a filtered sum or a count with one row a person."""
    if isinstance(query, Additive) and isinstance(query.contributions, tuple) and query.rows == 1:
        return DomainPartition.of(query.name, query.contributions)
    return None


def _turns(passing: Collection[int], attribute: Attribute) -> int:
    """How often, along the attribute, values begin or cease to pass."""
    ends = [end for run in as_runs(passing) for end in run]
    return sum(attribute.numbers[0] < end <= attribute.numbers[-1] for end in ends)


def _alike(query: Additive, size: int | None) -> DomainPartition | None:
    """The values that contribute alike to a sum, where they are few."""
    if size is None or size > _MOST_BLOCKS or length(query.contributions) != size:
        return None
    return DomainPartition.of(query.name, query.contributions)


def _own_cells(mechanism: QuantizedQuery, query: OrderStatistic) -> DomainPartition | None:
    """The cells that a person's own value can be in, where they are few.

    An order statistic is some row's value, so its cell is the order statistic of the rows' cells.
    """
    numbers, quantizer = query.attribute.numbers, mechanism.quantizer
    if quantizer.cells > _MOST_BLOCKS:
        return None
    spend(quantizer.cells)
    begins = (_first_of(numbers, quantizer.begin(cell)) for cell in range(1, quantizer.cells))
    size = query.attribute.size
    return DomainPartition.intervals(query.attribute_name, size, (start for start in begins if start < size))


def _first_of(numbers: Positions, least: int) -> int:
    """The place of the first number that is not below a least one."""
    return (
        min(max(least - numbers[0], 0), len(numbers))
        if is_consecutive(numbers)
        else bisect_left(numbers, least)
    )


@dataclass(frozen=True)
class ExactCounts(Event):
    """Exact counts of the blocks of a partition: a histogram, or one count and the public total.

    >>> ExactCounts(DomainPartition.each("tariff", 3)).footprint(Record.of({"tariff": 3})).outputs
    3

    Attributes:
        blocks: the partition.
        covers: the public cells whose people take part.
        about: what else tells the question apart.
    """

    blocks: DomainPartition
    covers: Cells = None
    about: Hashable = None

    @classmethod
    def where(cls, condition: Predicate, covers: Cells = None, about: Hashable = None) -> "ExactCounts":
        """COUNT(*) WHERE a condition on private attributes holds."""
        return cls(condition.partition, covers, about)

    @cached_property
    def key(self) -> Key:
        """The blocks and the people."""
        return Key("counts", self.blocks, self.people)

    @property
    def partition(self) -> DomainPartition:
        """The blocks."""
        return self.blocks

    def footprint(self, record: Record) -> Footprint:
        """A person's block, of each row.

        Raises:
            RequestError: the blocks are of another domain than the record's.
        """
        _check_partition(self.blocks, record)
        rows = record.rows_of(self.blocks.names)
        return Footprint.told(self.blocks, rows, everybody=self.people == (None, None))

    def given(self, counts: Sequence[DomainPartition]) -> "ExactCounts":
        """The same where a person's blocks of other partitions are known: which part of these it is.

        Parts are numbered within each known block, so there are as many as the block with most of them has.
        """
        fitting = [known for known in counts if known.names == self.blocks.names]
        return replace(self, blocks=self.blocks.within(refined(fitting))) if fitting else self

    def follows_from(self, counts: DomainPartition) -> bool:
        """When each block is a union of counted ones."""
        return counts.sizes == self.blocks.sizes and counts.refines(self.blocks)


@dataclass(frozen=True)
class GroupedAnswers(Event):
    """An aggregate of an attribute, GROUP BY a private column: one answer for each group.

    Attributes:
        groups: the blocks of the private column (or of several).
        mechanisms: the answer for each block; its reach counts what is published when the person is absent.
            None for a block of which nothing is told.
        axis: the aggregated attribute.
        covers: the public cells whose people take part.
        about: what else tells the question apart.
    """

    groups: DomainPartition
    mechanisms: tuple[QuantizedQuery | None, ...]
    axis: str
    covers: Cells = None
    about: Hashable = None

    def __post_init__(self) -> None:
        """Check that there is one answer a group, and that it counts people outside the group.

        Raises:
            RequestError: there is not, or it does not.
        """
        super().__post_init__()
        object.__setattr__(self, "mechanisms", tuple(self.mechanisms))
        if len(self.mechanisms) != self.groups.blocks:
            raise RequestError(
                f"{self.groups.blocks:,} groups need as many answers; None where nothing is published"
            )
        if not all(told is None or _counts_absent(told.query) for told in self.mechanisms):
            raise RequestError(
                "groups are for means, and for sums that count absent people as 0; build these with"
                " total(n, with_absent(x)), and give the reach of anything else as OtherAnswer"
            )

    @classmethod
    def filtered(
        cls,
        condition: Predicate,
        mechanism: QuantizedQuery,
        axis: str,
        covers: Cells = None,
        about: Hashable = None,
    ) -> "GroupedAnswers":
        """An aggregate WHERE a condition on another private attribute holds: one group is told."""
        told = [mechanism if b in condition.chosen else None for b in range(condition.partition.blocks)]
        return cls(condition.partition, tuple(told), axis, covers, about)

    @cached_property
    def key(self) -> Key:
        """The groups, their answers and the people."""
        return Key("groups", self.groups, self.mechanisms, self.axis, self.people)

    def footprint(self, record: Record) -> Footprint:
        """1 + sum of (N_g - 1) outputs; steps along the aggregated attribute within each group."""
        names = [self.axis, *self.groups.names]
        record.require([self.axis])
        _check_partition(self.groups, record)
        if record.rows_of(names) > 1 and record.rows_of(self.groups.names) == 1:
            # All rows of a person are in one group.
            told = [reach_of_rows(told, record.rows) for told in self.mechanisms if told is not None]
            return Footprint.opaque(names, grouped(told).outputs)
        if record.rows_of(names) > 1:
            # A person's rows are in at most this many groups; all other groups answer as without the person.
            reaches = [reach_of_rows(told, record.rows) - 1 for told in self.mechanisms if told is not None]
            return Footprint.opaque(names, hyperplanes(reaches, record.rows).outputs)
        reaches = [1 if told is None else told.reach.outputs for told in self.mechanisms]
        inside = [1 if told is None else inside_outputs(told) for told in self.mechanisms]
        pieces = [
            1 if told is None or isinstance(told.query, FilteredMean) else told.query.pieces
            for told in self.mechanisms
        ]
        known = [number for number in pieces if number is not None]
        outputs = grouped(reaches).outputs
        if len(known) < len(pieces):
            return Footprint.opaque(names, outputs)
        return Footprint.chosen(self.groups, self.axis, outputs, inside, max(known))


def inside_outputs(mechanism: QuantizedQuery) -> int:
    """How many answers a person who passes the filter can cause.

    Of a mean one less than in all: whether there are enough to answer depends on the others then.
    """
    outputs = mechanism.reach.outputs
    return max(outputs - 1, 1) if isinstance(mechanism.query, FilteredMean) else outputs


def _counts_absent(query: Query) -> bool:
    """Whether a person outside the group is one of those whom the reach was counted for."""
    if isinstance(query, FilteredMean):
        return query.filtered_elsewhere
    if not isinstance(query, Additive):
        return False
    place = -query.least / query.unit
    return place.denominator == 1 and int(place) in query.contributions


def reach_of_rows(mechanism: QuantizedQuery, rows: int) -> int:
    """The reach when a person has several rows: as planned, or all cells if it was planned for fewer."""
    query = mechanism.query
    if isinstance(query, Additive | FilteredMean) and query.rows >= min(rows, query.people):
        return mechanism.reach.outputs
    return mechanism.quantizer.cells + isinstance(query, FilteredMean)  # and "too few"


def with_absent(attribute: Attribute) -> Attribute:
    """The contributions to a sum under a private filter: the attribute's values, and 0 for those outside it.

    >>> with_absent(Attribute("age", range(100), Fraction(18))).size
    101
    """
    place = -attribute.origin / attribute.unit
    if place.denominator == 1 and int(place) in attribute.numbers:
        return attribute
    values = [attribute.value(number) for number in attribute.numbers]
    return Attribute.among(attribute.name, [Fraction(0), *values])
