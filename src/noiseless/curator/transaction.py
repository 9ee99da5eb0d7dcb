"""A batch on its way: priced and charged for in one durable transaction, computed, stored in another.

A price comes from public state alone: what is asked, and what the ledger says was told before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from noiseless.amounts import Cost
from noiseless.curator.deduction import Deduction, Derivation
from noiseless.curator.disclosure import CellDisclosure, Disclosure, StoredAnswer
from noiseless.curator.edition import Batch, Edition
from noiseless.curator.exact_answers import keys_of
from noiseless.curator.failpoints import pass_failpoint
from noiseless.curator.fingerprints import read_cells, read_partition
from noiseless.curator.source import DatasetSource
from noiseless.curator.tolerances import tolerances
from noiseless.errors import ColumnError, NoiselessError, RequestError
from noiseless.ledger import Books, ChargedQuestion, NewQuestion, OpenBooks, Settlement, Shares, State
from noiseless.pricing.batches import Knowledge, Price, price
from noiseless.pricing.event import Key, Record
from noiseless.pricing.history import BudgetError
from noiseless.pricing.partition import DomainPartition
from noiseless.questions.sql import KeyColumn
from noiseless.ranges.quantizer import Quantizer
from noiseless.replies import Quote, Reply, Result
from noiseless.work import NEVER, active, check

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
        inferred: how others follow from answers about other values or people.
        enclosed: what follows of sums that are not told: all numbers are in one cell, or only a price is
            asked for.
    """

    price: Price
    fresh: tuple[Disclosure, ...]
    earlier: Mapping[str, Sequence[ChargedQuestion]] = field(repr=False)
    known: Knowledge = field(repr=False)
    record: Record = field(repr=False)
    inferred: Mapping[str, Derivation] = field(default_factory=dict, repr=False)
    enclosed: Mapping[str, Derivation] = field(default_factory=dict, repr=False)

    def answer(self, disclosure: Disclosure) -> StoredAnswer | None:
        """The answer that is known without looking at data."""
        if disclosure.constant is not None:
            around = self.enclosed.get(disclosure.question)
            return (around and around.answer) or disclosure.constant
        earlier = self.earlier.get(disclosure.question, ())
        same = next((told.answer for told in earlier if told.question == disclosure.question), None)
        if same is not None:
            return same
        follows = self.inferred.get(disclosure.question)
        if follows is not None:
            return follows.answer
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
        earlier = self.earlier.get(disclosure.question, ())
        return any(told.question == disclosure.question for told in earlier)


def price_batch(
    disclosures: Sequence[Disclosure],
    record: Record,
    books: Books,
    before: PricedBatch | None = None,
    *,
    is_quote: bool = False,
) -> PricedBatch:
    """The price of what is published together; each thing once.

    Args:
        disclosures: what is published.
        record: one person's private attributes.
        books: what was told earlier.
        before: its price at an earlier moment, which stands if nothing was told since that it depends on.
        is_quote: whether it is not told now: what follows already is looked for.
    """
    check()
    asked = [disclosure for disclosure in disclosures if disclosure.constant is None]
    record = _including(asked, record)
    deduction = Deduction(books)
    earlier = _earlier(asked, books, deduction) if asked else {}
    unknown = [disclosure for disclosure in asked if not _is_free(disclosure, earlier)]
    found = {disclosure.question: deduction.derivation(disclosure) for disclosure in unknown}
    inferred = {question: follows for question, follows in found.items() if follows is not None}
    fresh = tuple([disclosure for disclosure in unknown if disclosure.question not in inferred])
    known = _known(fresh, earlier, deduction)
    one_cell = [one for one in disclosures if one.constant is not None]
    enclosed = _enclosed([*one_cell, *(fresh if is_quote else ())], books)
    if before is not None and (before.earlier, before.inferred, before.known) == (earlier, inferred, known):
        return replace(before, enclosed=enclosed)
    check()
    cost = price([disclosure.event for disclosure in fresh], record, known)
    return PricedBatch(cost, fresh, earlier, known, record, inferred, enclosed)


def _enclosed(disclosures: Sequence[Disclosure], books: Books) -> dict[str, Derivation]:
    """What follows of sums from answers in cells too; it has no part in any price."""
    asked = [disclosure for disclosure in disclosures if disclosure.adds_up]
    if not asked:
        return {}
    deduction = Deduction(books, in_cells=True)
    keys = deduction.keys(asked)
    deduction.learn(keys, books.told(grids=keys, people=keys))
    found = {disclosure.question: deduction.derivation(disclosure) for disclosure in asked}
    return {question: around for question, around in found.items() if around is not None}


def _including(asked: Sequence[Disclosure], record: Record) -> Record:
    """The record with the derived attributes, and the numbers of a person's rows, that are asked about."""
    derived = [each for one in asked for each in one.derived_columns]
    sizes: dict[str, int] = {each.name: each.size for each in derived}
    per: list[str] = [each.name for each in derived if each.per]
    for view in {one.people.view for one in asked} - {None}:
        own = {} if view is None else {n: view.schema.columns[n].size for n in view.schema.private}
        sizes |= own
        per += own
    return record.including(sizes, per)


def _is_free(disclosure: Disclosure, earlier: Mapping[str, Sequence[ChargedQuestion]]) -> bool:
    """Whether it was charged for, or follows from what was."""
    told = earlier.get(disclosure.question, ())
    return any(one.question == disclosure.question for one in told) or any(
        True for _ in disclosure.derived(told)
    )


def _earlier(
    disclosures: Sequence[Disclosure], books: Books, deduction: Deduction
) -> dict[str, list[ChargedQuestion]]:
    """The questions charged for before that each thing told is, or may follow from: where there are any."""
    by_key: dict[str | None, list[ChargedQuestion]] = {}
    related = deduction.keys(disclosures)
    found = books.told(
        questions={one.question for one in disclosures if not isinstance(one, CellDisclosure)},
        grids={one.grid for one in disclosures if isinstance(one, CellDisclosure)} | related,
        people={one.around for one in disclosures if one.around is not None} | related,
    )
    deduction.learn(related, found)
    for told in found:
        for key in {told.question, told.grid, told.people} - {None}:
            by_key.setdefault(key, []).append(told)
    earlier = {}
    for disclosure in disclosures if by_key else ():
        own = disclosure.grid if isinstance(disclosure, CellDisclosure) else disclosure.question
        around = by_key.get(disclosure.around, ()) if disclosure.around else ()
        several = [*by_key.get(own, ()), *(told for told in around if disclosure.counts_alike(told))]
        earlier[disclosure.question] = list({told.question: told for told in several}.values())
    return earlier


def _known(
    fresh: Sequence[Disclosure], earlier: Mapping[str, Sequence[ChargedQuestion]], deduction: Deduction
) -> Knowledge:
    """What was told that makes some of the fresh answers partly known."""
    grids: dict[Key, tuple[Quantizer, ...]] = {}
    counts: dict[object, tuple[DomainPartition, ...]] = {}
    for disclosure in fresh:
        told, event = earlier.get(disclosure.question, ()), disclosure.event
        if isinstance(disclosure, CellDisclosure) and event.grid_key is not None:
            span = disclosure.mechanism.query.span
            cells = [read_cells(one.body["cells"], span) for one in told if "cells" in one.body]
            if cells:
                grids[event.grid_key] = tuple(cells)
        around = [*told, *deduction.counted(disclosure)]
        blocks = [found for one in around if (found := read_partition(one.body)) is not None]
        if blocks:
            counts[event.people] = tuple(dict.fromkeys((*counts.get(event.people, ()), *blocks)))
    return Knowledge(grids=grids, counts=counts)


class UnansweredError(NoiselessError):
    """An answer could not be computed; what was charged for it is free when it is asked again."""


def of_one_batch(error: Exception) -> NoiselessError:
    """An error that concerns one batch alone; one that concerns them all is raised.

    The message of an unforeseen error may quote the data: its kind is all that is told.
    """
    if isinstance(error, BudgetError | ColumnError | RequestError | UnansweredError):
        return error
    if isinstance(error, NoiselessError):
        raise error
    return UnansweredError(
        f"the batch could not be answered ({type(error).__name__});"
        " what was charged for it is free when it is asked again"
    )


class ChargedBatch(NamedTuple):
    """A batch and its price, and the account: after its charge, or before there is any."""

    priced: PricedBatch
    state: State


class Transaction:
    """What an analyst asks together of one version of a dataset.

    A ledger does its errand; when that is durable there is a reply.

    Attributes:
        batch: what is asked.
    """

    def __init__(self, edition: Edition, batch: Batch, analyst: str, source: DatasetSource) -> None:
        self._edition, self.batch, self._analyst, self._source = edition, batch, analyst, source
        self._answers: dict[str, StoredAnswer] = {}
        self._wanted = active()
        self._priced: PricedBatch | None = None

    def answers(self, known: Callable[[Disclosure], StoredAnswer | None]) -> dict[str, StoredAnswer] | None:
        """All answers; None if one is not known."""
        answers = {}
        for disclosure in self.batch.disclosures:
            answer = known(disclosure)
            if answer is None:
                return None
            answers[disclosure.question] = answer
        return answers

    def look(self, books: Books) -> ChargedBatch:
        """The price, and the account before it; data is not looked at.

        Raises:
            BudgetError: it is more than is left.
        """
        with self.batch.pricing():
            priced = price_batch(self.batch.disclosures, self._edition.public.record, books)
        books.require(self._shares(priced), analyst=self._analyst)
        return ChargedBatch(priced, books.state)

    def quote(self, books: Books) -> Quote:
        """What it would cost now."""
        with self.batch.pricing():
            priced = price_batch(self.batch.disclosures, self._edition.public.record, books, is_quote=True)
            columns = results(self.batch, priced, None)
        try:
            books.require(self._shares(priced), analyst=self._analyst)
        except BudgetError:
            allowed = False
        else:
            allowed = True
        said = account(priced, books.state, self._edition.notes(self.batch, priced.enclosed))
        return Quote(columns, **said, allowed=allowed)

    def price(self, books: Books) -> PricedBatch:
        """Price it before its charge: while others charge for what is theirs."""
        with self.batch.pricing():
            self._priced = price_batch(self.batch.disclosures, self._edition.public.record, books)
        return self._priced

    def errand(self) -> Settlement[ChargedBatch | None]:
        """What the ledger is to do."""
        return Settlement(self._charge, self._complete, self._is_quick())

    def _is_quick(self) -> bool:
        """Whether all answers are computed in next to no time."""
        snapshot = self._source.kept(self._edition.digest)
        return snapshot is not None and all(
            snapshot.is_quick(disclosure.columns, disclosure.people.cells)
            for disclosure in self.batch.disclosures
        )

    def _charge(self, books: OpenBooks) -> ChargedBatch | None:
        """One charge for all that is new; None if there is a newer version."""
        edition = self._edition
        if not edition.is_present(books):
            return None
        with self._wanted.active(), self.batch.pricing():  # another thread may do this, for several
            priced = price_batch(self.batch.disclosures, edition.public.record, books, self._priced)
            check()
        pass_failpoint("priced")
        asked = [
            NewQuestion(disclosure.question, *keys_of(disclosure), disclosure.body)
            for disclosure in priced.fresh
        ]
        if asked:
            books.charge(self._shares(priced), analyst=self._analyst, questions=asked)
        return ChargedBatch(priced, books.state)

    def _complete(self, charged: ChargedBatch | None) -> tuple[int, Mapping[str, StoredAnswer]]:
        """Fill in all answers, those that are known and those computed now; which are to be stored first."""
        number = self._edition.number
        if charged is None:
            return number, {}
        pass_failpoint("charged")
        priced = charged.priced
        missing: list[Disclosure] = []
        for disclosure in self.batch.disclosures:
            found = self._edition.known(disclosure) or priced.answer(disclosure)
            if found is None:
                missing.append(disclosure)
            else:
                self._answers[disclosure.question] = found
        if not missing:
            return number, {}
        computed = self._computed(missing)
        pass_failpoint("computed")
        self._answers |= computed
        fresh = {disclosure.question for disclosure in priced.fresh}
        kept = [t.question for t in missing if t.question in fresh or priced.was_charged(t)]
        return number, {question: computed[question] for question in kept}

    def _computed(self, disclosures: list[Disclosure]) -> dict[str, StoredAnswer]:
        digest = self._edition.digest
        snapshot = self._source.kept(digest) or self._source.snapshot(digest, self._edition.number)
        try:
            return {disclosure.question: disclosure.compute(snapshot) for disclosure in disclosures}
        except Exception as error:  # noqa: BLE001 - whatever it is
            # The message of an unforeseen error may quote the data: its kind is all that is told.
            raise UnansweredError(
                f"the answer could not be computed ({type(error).__name__});"
                " it is charged for, and free when it is asked for again"
            ) from None

    def reply(self, charged: ChargedBatch, stored: Mapping[str, StoredAnswer]) -> Reply:
        """The reply, when the answers are durable; those that stand may have been stored by others."""
        if stored:
            pass_failpoint("stored")
            self._answers |= stored
        self._edition.remember(self._answers)
        with NEVER.active():  # it is charged for
            return self.replied(charged.priced, charged.state, self._answers)

    def replied(self, priced: PricedBatch | None, state: State, answers: Mapping[str, StoredAnswer]) -> Reply:
        """The reply of answers that stand; without a price where all of them are free."""
        following = () if priced is None else priced.enclosed
        said = account(priced, state, self._edition.notes(self.batch, following))
        return Reply(results(self.batch, priced, answers), **said)

    def _shares(self, priced: PricedBatch) -> Shares:
        """What people pay, by the names of their public cells."""
        names, cost = self._edition.public.cell_names, priced.price
        return Shares(
            cost.others, {names[cell]: share for cell, share in cost.shares.items() if isinstance(cell, int)}
        )


def results(
    batch: Batch, priced: PricedBatch | None, answers: Mapping[str, StoredAnswer] | None
) -> tuple[Result, ...]:
    """The rows of each statement, and what its columns cost by themselves.

    Args:
        batch: the statements.
        priced: the price of the batch; None when all of it is free.
        answers: by their fingerprints; None for a quote, which has no rows, and says how sharp they would be.
    """
    found = []
    for planned in batch.statements:
        costs: list[Cost | None] = []
        for column in planned.statement.columns:
            check()
            if isinstance(column.content, KeyColumn):
                costs.append(None)
            else:
                asked = column.content.questions
                costs.append(_FREE if priced is None else priced.alone(planned.told_by(asked)))
        rows = () if answers is None else planned.reply(answers)
        foretold = tolerances(planned, priced.enclosed) if priced is not None and answers is None else ()
        found.append(Result(planned.sql, planned.statement.names, rows, tuple(costs), foretold))
    return tuple(found)


def account(priced: PricedBatch | None, state: State, notes: tuple[str, ...]) -> dict[str, Any]:
    """What a batch costs, what is spent and what is left, as a quote and a reply hold it."""
    return {
        "batch": _FREE if priced is None else priced.price.cost,
        "rule": "nothing new" if priced is None else priced.price.rule,
        "spent": state.spent,
        "left": state.left,
        "warnings": (*notes, *state.warnings),
    }
