"""The price of a batch: questions fixed before any of their answers is seen.

What earlier answers tell costs nothing: repeated questions, and those whose cells or counts follow.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import nlargest
from math import prod
from typing import NamedTuple

from noiseless.amounts import Cost
from noiseless.display import html_rows
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.pricing.composition import PricePart, best_parts, several_rows
from noiseless.pricing.event import Cells, Event, Footprint, Key, Record, merged
from noiseless.pricing.events import ExactCounts, QuantizedAnswer
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Lattice, Query
from noiseless.ranges.quantizer import Edged, Listed, Quantizer
from noiseless.work import check, spend

_MOST_CELLS = 2**14
"""Grids with more cells than this in all are not put together: their price is then that of other rules."""


@dataclass(frozen=True)
class Price:
    """What a batch costs.

    Attributes:
        cost: outputs, and bits of randomised answers.
        parts: how the outputs come about, for each set of related attributes.
        cell: the public cell whose people pay most; None when no question is about some people only.
        disclosed: attributes with as many outputs as values: nothing of them is protected.
        others: what people pay who are in none of the public cells that questions name.
        shares: what the people of each public cell pay.
    """

    cost: Cost
    parts: tuple[PricePart, ...] = ()
    cell: Hashable = None
    disclosed: tuple[str, ...] = ()
    others: Cost = field(default=Cost(), repr=False)
    shares: Mapping[Hashable, Cost] = field(default_factory=dict, repr=False, hash=False)

    def __str__(self) -> str:
        return f"{self.cost} ({self.rule})"

    def _repr_html_(self) -> str:
        parts = [[_listed(part), str(Bits(part.outputs)), part.rule] for part in self.parts]
        notes = [f"Nothing of {name} is protected any more." for name in self.disclosed]
        return html_rows([["about", "bits", "rule"], *parts] if parts else [], f"Price: {self}", notes)

    @property
    def outputs(self) -> int:
        """At most this many joint answers one person can cause, of those that are not randomised."""
        return self.cost.outputs

    @property
    def bits(self) -> Bits:
        """The price in exact bits; it has none when an answer is randomised."""
        return self.cost.bits

    @property
    def rule(self) -> str:
        """The rules that gave the price."""
        if not self.parts:
            return "nothing new"
        if len(self.parts) == 1:
            return self.parts[0].rule
        return "; ".join(f"{_listed(part)}: {part.rule}" for part in self.parts)


def _listed(part: PricePart) -> str:
    """The attributes of a part as analysts write them."""
    from noiseless.questions.derived import shown_name

    return ", ".join(map(shown_name, part.attributes))


@dataclass(frozen=True)
class Knowledge:
    """The questions that were answered.

    Attributes:
        keys: their identities.
        grids: the cells told of each question about each set of people.
        counts: the partitions whose blocks were counted exactly, by people.
    """

    keys: frozenset[Key] = frozenset()
    grids: Mapping[Key, tuple[Quantizer, ...]] = field(default_factory=dict)
    counts: Mapping[Hashable, tuple[DomainPartition, ...]] = field(default_factory=dict)

    def plus(self, events: Iterable[Event]) -> "Knowledge":
        """The same with further answers."""
        answered = [source for event in _checked(events) for source in (event, *event.sources)]
        grids, counts = dict(self.grids), dict(self.counts)
        for event in answered:
            if event.grid is not None and event.grid_key is not None:
                grids[event.grid_key] = (*grids.get(event.grid_key, ()), event.grid.quantizer)
            if event.partition is not None:
                counts[event.people] = (*counts.get(event.people, ()), event.partition)
        return Knowledge(self.keys | {event.key for event in answered}, grids, counts)

    def fresh(self, events: Iterable[Event]) -> list[Event]:
        """The events that look at data and do not follow from earlier answers, each question once."""
        found: list[Event] = []
        seen = set(self.keys)
        for event in _checked(events):
            for source in event.sources:
                again = source.key in seen and (source.repeatable or source is not event)
                if not again and not self.implies(source):
                    found.append(source)
                seen.add(source.key)
        return found

    def implies(self, event: Event) -> bool:
        """Whether exact counts or cells that were told determine the answer."""
        if self.counts and any(event.follows_from(counts) for counts in self.counts.get(event.people, ())):
            return True
        return self.cells_left(event) == 1

    def cells_left(self, event: Event) -> int | None:
        """How many cells remain possible at most, given cells told of the question; None if none were."""
        told = self.grids.get(event.grid_key) if self.grids and event.grid_key is not None else None
        return None if told is None or event.grid is None else cells_left(told, event.grid.quantizer)


class BatchQuestion(NamedTuple):
    """A question of a batch, as it is priced."""

    footprint: Footprint
    capacity: Fraction


def price(events: Iterable[Event], record: Record, known: Knowledge | None = None) -> Price:
    """The price of questions asked together: the smallest sound bound that the rules give.

    Args:
        events: the questions, fixed before any of their answers is seen.
        record: one person's private attributes.
        known: what was answered before.

    Raises:
        RequestError: one of them is no event.
        ColumnError: one depends on an attribute that the record does not have.

    >>> from noiseless.pricing.reach import QuantizedQuery
    >>> from noiseless.ranges.quantizer import Uniform
    >>> from noiseless.questions import Attribute, mean
    >>> age = mean(10, Attribute("age", range(121)))
    >>> told = [QuantizedAnswer(QuantizedQuery(age, Uniform(age.span, cells))) for cells in (30, 29, 28)]
    >>> str(price(told, Record.of({"age": 121})))
    '3.33 bits (reach)'
    """
    earlier = known or Knowledge()
    fresh = _in_common_grids(earlier.fresh(events))
    found = _of_questions(_footprints(fresh, record, earlier), record)
    given = [_given(event, earlier) for event in fresh] if earlier.counts and record.rows == 1 else fresh
    if all(one is other for one, other in zip(fresh, given, strict=True)):
        return found
    shorter = _of_questions(_footprints(given, record, earlier), record)
    return found if shorter.cost.exceeds(found.cost) else shorter


def _given(event: Event, known: Knowledge) -> Event:
    """Counts of people whose blocks are partly known: what they tell in any of these."""
    counts = known.counts.get(event.people, ())
    return event.given(counts) if counts and isinstance(event, ExactCounts) else event


def _of_questions(questions: Sequence[tuple[BatchQuestion, Cells]], record: Record) -> Price:
    everybody: list[BatchQuestion] = []
    cells: dict[Hashable, list[BatchQuestion]] = {}
    for question, covers in questions:
        if covers is None:
            everybody.append(question)
        for cell in covers or ():
            cells.setdefault(cell, []).append(question)
    if not cells:
        alone = _of_cell(None, everybody, record)
        return replace(alone, others=alone.cost)
    if record.rows > 1 and record.homes:
        return _of_homes(questions, everybody, cells, record)
    if record.rows > 1:
        found = _of_rows([question for question, _ in questions], everybody, cells, record)
        return replace(found, others=found.cost)
    return _of_cells(everybody, cells, record)


def _footprints(
    events: Iterable[Event], record: Record, known: Knowledge
) -> list[tuple[BatchQuestion, Cells]]:
    """What a person can do to each answer, and who takes part."""
    found = []
    for event in events:
        check()
        left = known.cells_left(event)
        footprint = event.footprint(record) if left is None else event.footprint_within(record, left)
        found.append((BatchQuestion(footprint, event.capacity), event.covers))
    return found


def _in_common_grids(events: Sequence[Event]) -> list[Event]:
    questions: dict[Hashable, list[Event]] = {}
    for place, event in enumerate(events):
        questions.setdefault(place if event.grid_key is None else event.grid_key, []).append(event)
    found: list[Event] = []
    for same in questions.values():
        found += same if len(same) == 1 else _in_common_grid(same)
    return found


def _in_common_grid(events: Sequence[Event]) -> Sequence[Event]:
    """One event for all, unless the reach of the common grid is only known as a bound that is worse."""
    told = [event.grid for event in events if event.grid is not None]
    together = common_grid(told[0].query, [mechanism.quantizer for mechanism in told])
    if together is None:
        return events
    steps = sum(mechanism.reach.outputs - 1 for mechanism in told)
    if together.reach.outputs > 1 + steps:
        return events
    return [QuantizedAnswer(together, events[0].covers, events[0].about)]


def _of_cells(
    everybody: Sequence[BatchQuestion], cells: Mapping[Hashable, Sequence[BatchQuestion]], record: Record
) -> Price:
    """People in different public cells are different people: the price is that of the dearest cell."""
    shared = _merged(everybody)
    prices: dict[tuple[int, ...], Price] = {}
    shares = {}
    for cell, own in cells.items():  # cells with the same questions have equal prices
        check()
        alike = tuple(map(id, own))
        if alike not in prices:
            prices[alike] = _of_cell(cell, [*shared, *own], record)
        shares[cell] = prices[alike].cost
    others = _of_cell(None, shared, record).cost
    return replace(_dearest(prices.values()), others=others, shares=shares)


def _merged(questions: Sequence[BatchQuestion]) -> list[BatchQuestion]:
    """Questions to everybody, merged once for all cells."""
    footprints = merged(question.footprint for question in questions)
    noise = sum((question.capacity for question in questions), Fraction(0))
    involved = {name for question in questions for name in question.footprint.attributes}
    found = [BatchQuestion(footprint, Fraction(0)) for footprint in footprints]
    return [*found, BatchQuestion(Footprint.opaque(involved, 1), noise)]


def _of_cell(cell: Hashable, questions: Sequence[BatchQuestion], record: Record) -> Price:
    """What the people of one public cell pay: all questions that they take part in."""
    parts = best_parts([question.footprint for question in questions], record)
    cost = Cost(prod(part.outputs for part in parts), sum((q.capacity for q in questions), Fraction(0)))
    disclosed = tuple(name for part in parts if part.disclosed for name in part.attributes)
    if cost.capacity:
        involved = {name for question in questions for name in question.footprint.attributes}
        values = record.values(involved)
        if values is not None and not cost.within(Bits(values)):
            return Price(Cost(values), parts, cell, tuple(sorted(involved)))
    return Price(cost, parts, cell, disclosed)


def _dearest(prices: Iterable[Price]) -> Price:
    found = iter(prices)
    dearest = next(found)
    for other in found:
        if other.cost.exceeds(dearest.cost):
            dearest = other
    return dearest


def _of_homes(
    questions: Sequence[tuple[BatchQuestion, Cells]],
    everybody: Sequence[BatchQuestion],
    cells: dict[Hashable, list[BatchQuestion]],
    record: Record,
) -> Price:
    """All rows of a person are in cells of one home, which pays for what is asked about any of its cells."""
    prices, shares = list[Price](), dict[Hashable, Cost]()
    homes = dict[int, list[Hashable]]()
    for cell, home in enumerate(record.homes):
        homes.setdefault(home, []).append(cell)
    for members in homes.values():
        check()
        named = {cell: cells[cell] for cell in members if cell in cells}
        if not named:
            continue
        own = [q for q, covers in questions if covers is None or not named.keys().isdisjoint(covers)]
        found = _of_rows(own, everybody, named, record)
        prices.append(found)
        shares |= dict.fromkeys(members, found.cost)
    others = _of_cell(None, everybody, record).cost
    return replace(_dearest(prices), others=others, shares=shares)


def _of_rows(
    questions: Sequence[BatchQuestion],
    everybody: Sequence[BatchQuestion],
    cells: dict[Hashable, list[BatchQuestion]],
    record: Record,
) -> Price:
    """One person's rows may be in several cells: all questions together, or as many cells as rows."""
    together = _of_cell(None, questions, record)
    shared = _of_cell(None, everybody, record)
    prices = [_of_cell(cell, own, record) for cell, own in cells.items()]
    groups = several_rows((price.outputs for price in prices), record.rows)
    noise = sum(nlargest(record.rows, (price.cost.capacity for price in prices)), Fraction(0))
    apart = shared.cost + Cost(groups.outputs, noise)
    if not together.cost.exceeds(apart):
        return together
    names = sorted({name for question in questions for name in question.footprint.attributes})
    part = PricePart(tuple(names), apart.outputs, groups.rule, disclosed=False)
    return replace(together, cost=apart, parts=(part,), disclosed=())


def common_grid(query: Query, quantizers: Sequence[Quantizer]) -> QuantizedQuery | None:
    """One grid that tells exactly what all of the grids tell together; None when they have too many cells."""
    if sum(quantizer.cells for quantizer in quantizers) > _MOST_CELLS:
        return None
    spend(sum(quantizer.cells for quantizer in quantizers))
    span = query.span
    if isinstance(span, Lattice):
        begins = {quantizer.begin(cell) for quantizer in quantizers for cell in range(quantizer.cells)}
        return QuantizedQuery(query, Listed(span, tuple(sorted(begins))))
    edges = {quantizer.edge(cell) for quantizer in quantizers for cell in range(quantizer.cells)}
    return QuantizedQuery(query, Edged.of(span, sorted(edges)))


def cells_left(known: Sequence[Quantizer], asked: Quantizer) -> int:
    """How many cells of a grid are possible at most when the cells of other grids on the question are known.

    1 when every edge is an edge of a known grid, so that the answer follows from known ones.

    >>> from noiseless.ranges.quantizer import Uniform
    >>> from noiseless.questions import Continuum
    >>> four, three, two = (Uniform(Continuum.of(0, 1), cells) for cells in (4, 3, 2))
    >>> cells_left([four], two), cells_left([three], two)
    (1, 2)
    """
    if not known or asked.cells > _MOST_CELLS:
        return asked.cells
    spend(asked.cells * len(known))
    on_lattice = isinstance(asked.span, Lattice)
    inside: Counter[tuple[int, ...]] = Counter()
    for cell in range(1, asked.cells):
        edge = asked.begin(cell) if on_lattice else asked.edge(cell)
        met = [_cell_and_begin(grid, edge) for grid in known]
        if all(begin != edge for _, begin in met):
            inside[tuple(number for number, _ in met)] += 1
    return 1 + max(inside.values(), default=0)


def _cell_and_begin(grid: Quantizer, edge: Fraction | int) -> tuple[int, Fraction | int]:
    """The cell that another grid's edge lies in, and where that cell begins; positions are whole numbers."""
    if isinstance(edge, int):
        cell = grid.cell_at(edge)
        return cell, grid.begin(cell)
    cell = grid.cell(edge)
    return cell, grid.edge(cell)


def _checked(events: Iterable[Event]) -> list[Event]:
    """The events, all of known kinds.

    Raises:
        RequestError: something else is among them.
    """
    found = list(events)
    for event in found:
        if not isinstance(event, Event):
            raise RequestError(
                f"a {type(event).__name__} is no event with a price; give its reach as OtherAnswer"
            )
    return found
