"""The price of a batch: questions fixed before any of their answers is seen."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import nlargest
from math import prod
from typing import NamedTuple

from noiseless.amounts import Cost
from noiseless.display import html_rows
from noiseless.exact import Bits
from noiseless.pricing.composition import several_rows
from noiseless.pricing.event import Cells, Event, Footprint, Record, merged
from noiseless.pricing.events import QuantizedAnswer
from noiseless.pricing.knowledge import Knowledge, common_grid
from noiseless.pricing.mixtures import PricePart, best_parts
from noiseless.work import check


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
        parts = [[", ".join(part.attributes), str(Bits(part.outputs)), part.rule] for part in self.parts]
        notes = [f"Nothing of {name} is protected any more." for name in self.disclosed]
        return html_rows([["about", "bits", "rule"], *parts] if parts else [], f"Price: {self}", notes)

    @property
    def outputs(self) -> int:
        """At most so many joint answers one person can cause, of those that are not randomised."""
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
        return "; ".join(f"{', '.join(part.attributes)}: {part.rule}" for part in self.parts)


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
    return price_questions(find_new(events, record, known or Knowledge()), record)


def find_new(events: Iterable[Event], record: Record, known: Knowledge) -> list[tuple[BatchQuestion, Cells]]:
    """The questions that tell anything new, and who takes part; grids over one question are one grid."""
    found = []
    for event in _in_common_grids(known.fresh(events)):
        check()
        footprint = event.footprint(record)
        left = known.cells_left(event)
        if left is not None:
            footprint = footprint.narrowed(left)
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


def price_questions(questions: Sequence[tuple[BatchQuestion, Cells]], record: Record) -> Price:
    """The price of questions that all tell something new, and of whom."""
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
    if record.rows > 1:
        found = _of_rows([question for question, _ in questions], everybody, cells, record)
        return replace(found, others=found.cost)
    return _of_cells(everybody, cells, record)


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
