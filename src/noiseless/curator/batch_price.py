"""What a batch costs, from public state alone: what is asked, and what the ledger says was told before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from noiseless.amounts import Cost
from noiseless.curator.cell_disclosure import CellDisclosure, read_cells
from noiseless.curator.disclosure import Disclosure, StoredAnswer, read_partition
from noiseless.ledger import Books, ChargedQuestion
from noiseless.pricing.batches import Price, price
from noiseless.pricing.event import Event, Key, Record
from noiseless.pricing.knowledge import Knowledge
from noiseless.pricing.partition import DomainPartition
from noiseless.ranges.quantizer import Quantizer
from noiseless.work import check

_FREE = Cost()


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
    earlier: Mapping[str, tuple[ChargedQuestion, ...]] = field(repr=False)
    known: Knowledge = field(repr=False)
    record: Record = field(repr=False)

    def answer(self, disclosure: Disclosure) -> StoredAnswer | None:
        """The answer that is known without looking at data."""
        if disclosure.constant is not None:
            return disclosure.constant
        earlier = self.earlier[disclosure.question]
        same = next((told.answer for told in earlier if told.question == disclosure.question), None)
        if same is not None:
            return same
        return next((answer for answer in disclosure.derived(earlier) if answer is not None), None)

    def alone(self, disclosures: Sequence[Disclosure]) -> Cost:
        """What a part of the batch would cost by itself."""
        places = sorted({self._places[one.question] for one in disclosures if one.question in self._places})
        if not places:
            return _FREE
        if len(places) == len(self.fresh):
            return self.price.cost
        return price([self.fresh[place].event for place in places], self.record, self.known).cost

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each fresh question is: looked up for every column, found once."""
        return {disclosure.question: place for place, disclosure in enumerate(self.fresh)}

    def was_charged(self, disclosure: Disclosure) -> bool:
        """Whether the very question was charged for before."""
        return any(told.question == disclosure.question for told in self.earlier[disclosure.question])


def price_batch(
    disclosures: Sequence[Disclosure], record: Record, books: Books, before: PricedBatch | None = None
) -> PricedBatch:
    """The price of what is told together; each thing once.

    Args:
        disclosures: what is told.
        record: one person's private attributes.
        books: what was told earlier.
        before: its price at an earlier moment, which stands if nothing was told since that it depends on.
    """
    check()
    asked = {disclosure.question: disclosure for disclosure in disclosures}
    earlier = _earlier([disclosure for disclosure in asked.values() if disclosure.constant is None], books)
    found = {question: tuple(earlier.get(question, ())) for question in asked}
    if before is not None and before.earlier == found:
        return before
    fresh = tuple(
        [
            disclosure
            for question, disclosure in asked.items()
            if disclosure.constant is None and not _is_free(disclosure, earlier[question])
        ]
    )
    known = _known(fresh, found)
    check()
    return PricedBatch(
        price([disclosure.event for disclosure in fresh], record, known), fresh, found, known, record
    )


def _is_free(disclosure: Disclosure, earlier: Sequence[ChargedQuestion]) -> bool:
    """Whether it was charged for, or follows from what was."""
    return any(told.question == disclosure.question for told in earlier) or any(
        True for _ in disclosure.derived(earlier)
    )


def _earlier(disclosures: Sequence[Disclosure], books: Books) -> dict[str, list[ChargedQuestion]]:
    """Look all up by index: questions and grids by what is asked, counts by who takes part."""
    grids = {disclosure.grid for disclosure in disclosures if isinstance(disclosure, CellDisclosure)}
    questions = {
        disclosure.question for disclosure in disclosures if not isinstance(disclosure, CellDisclosure)
    }
    people = {disclosure.around for disclosure in disclosures if disclosure.around is not None}
    rows = books.told(questions=questions, grids=grids, people=people) if disclosures else []
    if not rows:
        return {disclosure.question: [] for disclosure in disclosures}
    by_key: dict[str | None, list[ChargedQuestion]] = {}
    for told in rows:
        for key in {told.question, told.grid, told.people} - {None}:
            by_key.setdefault(key, []).append(told)
    found = {}
    for disclosure in disclosures:
        keys = (
            disclosure.grid if isinstance(disclosure, CellDisclosure) else disclosure.question,
            disclosure.around,
        )
        several = [told for key in keys if key is not None for told in by_key.get(key, ())]
        found[disclosure.question] = list({told.question: told for told in several}.values())
    return found


def _known(fresh: Sequence[Disclosure], earlier: Mapping[str, Sequence[ChargedQuestion]]) -> Knowledge:
    """What was told that makes some of the fresh answers partly known."""
    grids: dict[Key, tuple[Quantizer, ...]] = {}
    counts: dict[object, tuple[DomainPartition, ...]] = {}
    for disclosure in fresh:
        told = earlier[disclosure.question]
        if not told:
            continue
        event: Event = disclosure.event
        if isinstance(disclosure, CellDisclosure) and event.grid_key is not None:
            span = disclosure.mechanism.query.span
            cells = [read_cells(one.body["cells"], span) for one in told if "cells" in one.body]
            if cells:
                grids[event.grid_key] = tuple(cells)
        blocks = [found for one in told if (found := read_partition(one.body)) is not None]
        if blocks:
            counts[event.people] = tuple(dict.fromkeys((*counts.get(event.people, ()), *blocks)))
    return Knowledge(grids=grids, counts=counts)
