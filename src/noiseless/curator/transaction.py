"""A batch on its way: priced and charged for in one durable transaction, computed, stored in another."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from noiseless.amounts import Budget, Cost, remainder
from noiseless.curator.batch_price import PricedBatch, price_batch
from noiseless.curator.disclosure import Disclosure, StoredAnswer
from noiseless.curator.edition import Batch, Edition
from noiseless.curator.failpoints import pass_failpoint
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Snapshot
from noiseless.curator.source import DatasetSource
from noiseless.errors import NoiselessError
from noiseless.ledger import Books, NewQuestion, OpenBooks, Settlement, Shares, State
from noiseless.ledger.entries import without_earlier
from noiseless.pricing.batches import Price
from noiseless.pricing.event import Record
from noiseless.pricing.history import BudgetError, History
from noiseless.replies import Quote, Reply
from noiseless.work import NEVER, active, check


def account(priced: PricedBatch | None, state: State, notes: tuple[str, ...]) -> dict[str, Any]:
    """What a batch costs, what is spent and what is left, as a quote and a reply hold it."""
    protects, total = _protects(state.record, state.budget), state.total
    if total.capacity:
        disclosed, spent = state.disclosed, state.spent
    else:  # without noise whole numbers suffice: a repeated answer comes some eight times sooner
        present, most = _values(state.record)
        disclosed = present is not None and total.outputs >= present
        spent = Cost(most) if most is not None and total.outputs >= most else total
    warnings = list(notes)
    if state.budget is not None and not protects:
        warnings.append("the budget is as large as all there is to know of a record: it protects nothing")
    if disclosed:
        warnings.append("as many outputs are paid for as a record has values: some may be fully disclosed")
    return {
        "batch": Cost() if priced is None else priced.price.cost,
        "rule": "nothing new" if priced is None else priced.price.rule,
        "spent": spent,
        "left": remainder(state.budget if protects else None, spent),  # otherwise it refuses nothing
        "warnings": tuple(warnings),
    }


@lru_cache(64)
def _values(record: Record) -> tuple[int | None, int | None]:
    """How many values a record has in the present version, and in all versions that were paid for."""
    return without_earlier(record).values(), record.values()


@lru_cache(64)
def _protects(record: Record, budget: Budget | None) -> bool:
    """Whether a budget is less than all there is to know."""
    return History(record, budget).protects


class UnansweredError(NoiselessError):
    """An answer could not be computed; what was charged for it is free when it is asked again."""


class ChargedBatch(NamedTuple):
    """A batch after its charge, and the account after it."""

    priced: PricedBatch
    state: State


class Transaction:
    """What an analyst asks together of one version of a dataset.

    A ledger does its errand; when that is durable there is a reply.
    """

    def __init__(self, edition: Edition, batch: Batch, analyst: str, source: DatasetSource) -> None:
        self._edition, self._batch, self._analyst, self._source = edition, batch, analyst, source
        self._answers: dict[str, StoredAnswer] = {}
        self._wanted = active()
        self._priced: PricedBatch | None = None

    def price(self, books: Books) -> PricedBatch:
        """Price it before its charge: while others charge for what is theirs."""
        with self._batch.pricing():
            self._priced = price_batch(self._batch.disclosures, self._edition.public.record, books)
        return self._priced

    def errand(self) -> Settlement[ChargedBatch | None]:
        """What the ledger is to do."""
        return Settlement(self._charge, self._complete, self._is_quick())

    def _is_quick(self) -> bool:
        """Whether all answers are computed in next to no time."""
        snapshot = self._source.kept(self._edition.digest)
        return snapshot is not None and all(
            snapshot.is_quick(disclosure.columns, disclosure.people.cells)
            for disclosure in self._batch.disclosures
        )

    def _charge(self, books: OpenBooks) -> ChargedBatch | None:
        """One charge for all that is new; None if there is a newer version."""
        edition = self._edition
        if not edition.is_present(books):
            return None
        with self._wanted.active(), self._batch.pricing():  # another thread may do this, for several
            priced = price_batch(self._batch.disclosures, edition.public.record, books, self._priced)
            check()
        pass_failpoint("priced")
        asked = [
            NewQuestion(disclosure.question, disclosure.grid, disclosure.findable, disclosure.body)
            for disclosure in priced.fresh
        ]
        if asked:
            books.charge(shares(edition.public, priced.price), analyst=self._analyst, questions=asked)
        return ChargedBatch(priced, books.state)

    def _complete(self, charged: ChargedBatch | None) -> tuple[int, Mapping[str, StoredAnswer]]:
        """Fill in all answers, those that are known and those computed now; which are to be stored first."""
        number = self._edition.number
        if charged is None:
            return number, {}
        pass_failpoint("charged")
        priced = charged.priced
        missing: list[Disclosure] = []
        for disclosure in self._batch.disclosures:
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
        snapshot = self._snapshot()
        try:
            return {disclosure.question: disclosure.compute(snapshot) for disclosure in disclosures}
        except Exception as error:  # noqa: BLE001 - whatever it is
            # The message of an unforeseen error may quote the data: its kind is all that is told.
            raise UnansweredError(
                f"the answer could not be computed ({type(error).__name__});"
                " it is charged for, and free when it is asked for again"
            ) from None

    def _snapshot(self) -> Snapshot:
        digest = self._edition.digest
        return self._source.kept(digest) or self._source.snapshot(digest, self._edition.number)

    def reply(self, charged: ChargedBatch, stored: Mapping[str, StoredAnswer]) -> Reply:
        """The reply, when the answers are durable; those that stand may have been stored by others."""
        if stored:
            pass_failpoint("stored")
            self._answers |= stored
        self._edition.remember(self._answers)
        with NEVER.active():  # it is charged for
            return replied(self._edition, self._batch, charged.priced, charged.state, self._answers)


def shares(public: PublicState, cost: Price) -> Shares:
    """What people pay, by the names of their public cells."""
    names = public.cell_names
    return Shares(
        cost.others, {names[cell]: share for cell, share in cost.shares.items() if isinstance(cell, int)}
    )


def quoted(edition: Edition, batch: Batch, books: Books, *, analyst: str) -> Quote:
    """What a batch would cost now."""
    with batch.pricing():
        priced = price_batch(batch.disclosures, edition.public.record, books)
        results = batch.results(priced, None)
    try:
        books.require(shares(edition.public, priced.price), analyst=analyst)
    except BudgetError:
        allowed = False
    else:
        allowed = True
    said = account(priced, books.state, edition.notes(batch))
    return Quote(results, **said, allowed=allowed)


def replied(
    edition: Edition,
    batch: Batch,
    priced: PricedBatch | None,
    state: State,
    answers: Mapping[str, StoredAnswer],
) -> Reply:
    """The reply of answers that stand."""
    return Reply(batch.results(priced, answers), **account(priced, state, edition.notes(batch)))
