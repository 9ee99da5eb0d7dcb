"""A batch on its way: priced and charged for in one durable transaction, computed, stored in another."""

from collections.abc import Mapping
from typing import NamedTuple

from noiseless.curator.edition import Batch, Edition
from noiseless.curator.failpoints import passing
from noiseless.curator.pricing import Priced, lookups, price_batch
from noiseless.curator.public import PublicState
from noiseless.curator.reply import Quote, Reply
from noiseless.curator.snapshot import Snapshot
from noiseless.curator.source import Source
from noiseless.curator.standing import account
from noiseless.curator.tellings import Stored, Telling
from noiseless.errors import NoiselessError
from noiseless.ledger import Asked, Books, Errand, OpenBooks, Shares, State
from noiseless.pricing.batches import Price
from noiseless.pricing.history import BudgetError
from noiseless.work import NEVER, active, check


class UnansweredError(NoiselessError):
    """An answer could not be computed; what was charged for it is free when it is asked again."""


class Charged(NamedTuple):
    """A batch after its charge, and the account after it."""

    priced: Priced
    state: State


class Asking:
    """What an analyst asks together of one version of a dataset.

    A ledger does its errand; when that is durable there is a reply.
    """

    def __init__(self, edition: Edition, batch: Batch, analyst: str, source: Source) -> None:
        self._edition, self._batch, self._analyst, self._source = edition, batch, analyst, source
        self._answers: dict[str, Stored] = {}
        self._wanted = active()

    def errand(self, *, looks_up: bool) -> Errand[Charged | None]:
        """What the ledger is to do; `looks_up` if it wants to know beforehand what is looked up."""
        found = lookups(self._batch.tellings, self._edition.public, self._analyst) if looks_up else None
        return Errand(self._charge, self._complete, found, self._is_quick())

    def _is_quick(self) -> bool:
        """Whether all answers are computed in next to no time."""
        snapshot = self._source.kept(self._edition.digest)
        return snapshot is not None and all(
            snapshot.is_quick(telling.columns, telling.people.cells) for telling in self._batch.tellings
        )

    def _charge(self, books: OpenBooks) -> Charged | None:
        """One charge for all that is new; None if there is a newer version."""
        edition = self._edition
        if not edition.is_present(books):
            return None
        with self._wanted.active(), self._batch.pricing():  # another thread may do this, for several
            priced = price_batch(self._batch.tellings, edition.public.record, books)
            check()
        passing("priced")
        asked = [
            Asked(telling.question, telling.grid, telling.findable, telling.body) for telling in priced.fresh
        ]
        if asked:
            books.charge(shares(edition.public, priced.price), analyst=self._analyst, questions=asked)
        return Charged(priced, books.state)

    def _complete(self, charged: Charged | None) -> tuple[int, Mapping[str, Stored]]:
        """Fill in all answers, those that are known and those computed now; which are to be stored first."""
        number = self._edition.number
        if charged is None:
            return number, {}
        passing("charged")
        priced = charged.priced
        missing: list[Telling] = []
        for telling in self._batch.tellings:
            found = self._edition.known(telling) or priced.answer(telling)
            if found is None:
                missing.append(telling)
            else:
                self._answers[telling.question] = found
        if not missing:
            return number, {}
        computed = self._computed(missing)
        passing("computed")
        self._answers |= computed
        fresh = {telling.question for telling in priced.fresh}
        kept = [t.question for t in missing if t.question in fresh or priced.was_charged(t)]
        return number, {question: computed[question] for question in kept}

    def _computed(self, tellings: list[Telling]) -> dict[str, Stored]:
        snapshot = self._snapshot()
        try:
            return {telling.question: telling.compute(snapshot) for telling in tellings}
        except Exception as error:  # noqa: BLE001 - whatever it is
            # The message of an unforeseen error may quote the data: its kind is all that is told.
            raise UnansweredError(
                f"the answer could not be computed ({type(error).__name__});"
                " it is charged for, and free when it is asked for again"
            ) from None

    def _snapshot(self) -> Snapshot:
        digest = self._edition.digest
        return self._source.kept(digest) or self._source.snapshot(digest, self._edition.number)

    def reply(self, charged: Charged, stored: Mapping[str, Stored]) -> Reply:
        """The reply, when the answers are durable; those that stand may have been stored by others."""
        if stored:
            passing("stored")
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


def quoted(edition: Edition, batch: Batch, books: Books, analyst: str) -> Quote:
    """What a batch would cost now."""
    with batch.pricing():
        priced = price_batch(batch.tellings, edition.public.record, books)
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
    edition: Edition, batch: Batch, priced: Priced | None, state: State, answers: Mapping[str, Stored]
) -> Reply:
    """The reply of answers that stand."""
    return Reply(batch.results(priced, answers), **account(priced, state, edition.notes(batch)))
