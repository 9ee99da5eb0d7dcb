"""What a batch costs, from public state alone: what is asked, and what the ledger says was told before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from noiseless.amounts import Cost
from noiseless.curator.cache import once
from noiseless.curator.cell_disclosure import CellDisclosure, read_cells
from noiseless.curator.disclosure import Disclosure, EarlierQuestion, StoredAnswer, read_partition
from noiseless.curator.public_state import PublicState
from noiseless.ledger import ChargedQuestion, Lookups
from noiseless.pricing.batches import Price, price
from noiseless.pricing.event import Cells, Event, Key
from noiseless.pricing.knowledge import Knowledge
from noiseless.pricing.mixtures import PricePart
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.record import Record
from noiseless.ranges.quantizer import Quantizer
from noiseless.work import check

_FREE = Cost()
_NOTHING = Knowledge()


class QuestionIndex(Protocol):
    """Where questions are found that were charged for."""

    def told(
        self, *, questions: Iterable[str] = (), grids: Iterable[str] = (), people: Iterable[str] = ()
    ) -> list[ChargedQuestion]:
        """Those with any of these fingerprints."""


@dataclass(frozen=True)
class PricedBatch:
    """A batch and its price.

    Attributes:
        price: what it costs.
        fresh: what was never charged for and does not follow from what was.
        earlier: the questions charged for before that each thing told is, or may follow from.
        known: what they make known.
        record: one person's private attributes.
    """

    price: Price
    fresh: tuple[Disclosure, ...]
    earlier: Mapping[str, tuple[EarlierQuestion, ...]] = field(repr=False)
    known: Knowledge = field(repr=False)
    record: Record = field(repr=False)

    def answer(self, telling: Disclosure) -> StoredAnswer | None:
        """The answer that is known without looking at data."""
        if telling.constant is not None:
            return telling.constant
        earlier = self.earlier[telling.question]
        same = next((told.answer for told in earlier if told.question == telling.question), None)
        return same if same is not None else telling.derive(earlier)

    def alone(self, tellings: Sequence[Disclosure]) -> Cost:
        """What a part of the batch would cost by itself."""
        places = sorted({self._places[one.question] for one in tellings if one.question in self._places})
        if not places:
            return _FREE
        if len(places) == len(self.fresh):
            return self.price.cost
        return price([self.fresh[place].event for place in places], self.record, self.known).cost

    @once
    def _places(self) -> dict[str, int]:
        """Where each fresh question is: looked up for every column, found once."""
        return {telling.question: place for place, telling in enumerate(self.fresh)}

    def was_charged(self, telling: Disclosure) -> bool:
        """Whether the very question was charged for before."""
        return any(told.question == telling.question for told in self.earlier[telling.question])


def lookups(tellings: Iterable[Disclosure], public: PublicState, analyst: str) -> Lookups:
    """What pricing a batch and charging for it look up."""
    open_ones = [telling for telling in tellings if telling.constant is None]
    cells = {cell for telling in open_ones for cell in telling.people.cells or ()}
    return Lookups(
        questions=frozenset(t.question for t in open_ones if not isinstance(t, CellDisclosure)),
        grids=frozenset(t.grid for t in open_ones if isinstance(t, CellDisclosure)),
        people=frozenset(t.around for t in open_ones if t.around is not None),
        cells=frozenset(public.cell_names[cell] for cell in cells),
        analysts=frozenset({analyst}),
    )


def price_batch(tellings: Sequence[Disclosure], record: Record, books: QuestionIndex) -> PricedBatch:
    """The price of what is told together; each thing once."""
    check()
    asked = {telling.question: telling for telling in tellings}
    earlier = _earlier([telling for telling in asked.values() if telling.constant is None], books)
    fresh = tuple(
        [
            telling
            for question, telling in asked.items()
            if telling.constant is None and not _is_free(telling, earlier[question])
        ]
    )
    found = {question: tuple(earlier.get(question, ())) for question in asked}
    if len(fresh) == 1 and record.rows == 1 and not found[fresh[0].question]:
        return PricedBatch(_price_of(fresh[0], record), fresh, found, _NOTHING, record)
    known = _known(fresh, found)
    check()
    return PricedBatch(
        price([telling.event for telling in fresh], record, known), fresh, found, known, record
    )


def price_alone(event: Event, record: Record) -> Price:
    """The price of one question of which nothing is known, for persons with one row: `price`, sooner.

    A single answer has no more outputs than its reach and than its attributes have values.
    """
    return _of_people(_alone(event, record), event.covers)


def _price_of(telling: Disclosure, record: Record) -> Price:
    """The same; how much it is does not depend on who takes part."""
    alike = telling.alike
    if alike.alone is None or alike.alone[0] is not record:
        alike.alone = (record, _alone(telling.event, record))
    return _of_people(alike.alone[1], telling.people.cells)


def _alone(event: Event, record: Record) -> tuple[Cost, PricePart, tuple[str, ...]]:
    """What each person pays, why, and which attributes are disclosed."""
    footprint = event.footprint(record)
    values = record.values(footprint.attributes)
    outputs = footprint.outputs if values is None else min(footprint.outputs, values)
    is_all = outputs == values
    part = PricePart(footprint.attributes, outputs, "reach", is_all)
    return Cost(outputs), part, footprint.attributes if is_all else ()


def _of_people(found: tuple[Cost, PricePart, tuple[str, ...]], covers: Cells) -> Price:
    cost, part, disclosed = found
    if cost.outputs == 1:
        return Price(_FREE)
    if covers is None:
        return Price(cost, (part,), None, disclosed, cost)
    shares = dict.fromkeys(covers, cost)
    return Price(cost, (part,), next(iter(shares)), disclosed, _FREE, shares)


def _is_free(telling: Disclosure, earlier: Sequence[EarlierQuestion]) -> bool:
    if not earlier:
        return False
    return any(told.question == telling.question for told in earlier) or telling.is_implied(earlier)


def _earlier(tellings: Sequence[Disclosure], books: QuestionIndex) -> dict[str, list[EarlierQuestion]]:
    """Look all up by index: questions and grids by what is asked, counts by who takes part."""
    grids = {telling.grid for telling in tellings if isinstance(telling, CellDisclosure)}
    questions = {telling.question for telling in tellings if not isinstance(telling, CellDisclosure)}
    people = {telling.around for telling in tellings if telling.around is not None}
    rows = books.told(questions=questions, grids=grids, people=people) if tellings else []
    if not rows:
        return {telling.question: [] for telling in tellings}
    by_key: dict[str | None, list[EarlierQuestion]] = {}
    for row in rows:
        told = EarlierQuestion(row.question, row.body, row.answer)
        for key in {row.question, row.grid, row.people} - {None}:
            by_key.setdefault(key, []).append(told)
    found = {}
    for telling in tellings:
        keys = (telling.grid if isinstance(telling, CellDisclosure) else telling.question, telling.around)
        several = [told for key in keys if key is not None for told in by_key.get(key, ())]
        found[telling.question] = list({told.question: told for told in several}.values())
    return found


def _known(fresh: Sequence[Disclosure], earlier: Mapping[str, Sequence[EarlierQuestion]]) -> Knowledge:
    """What was told that makes some of the fresh answers partly known."""
    grids: dict[Key, tuple[Quantizer, ...]] = {}
    counts: dict[object, tuple[DomainPartition, ...]] = {}
    for telling in fresh:
        told = earlier[telling.question]
        if not told:
            continue
        event: Event = telling.event
        if isinstance(telling, CellDisclosure) and event.grid_key is not None:
            span = telling.mechanism.query.span
            cells = [read_cells(one.body["cells"], span) for one in told if "cells" in one.body]
            if cells:
                grids[event.grid_key] = tuple(cells)
        blocks = [found for one in told if (found := read_partition(one.body)) is not None]
        if blocks:
            counts[event.people] = tuple(dict.fromkeys((*counts.get(event.people, ()), *blocks)))
    return Knowledge(grids=grids, counts=counts)
