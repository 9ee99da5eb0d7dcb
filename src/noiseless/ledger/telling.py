"""Questions that were charged for: found by their fingerprints, and answered once."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from noiseless.ledger.entries import Entry
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.rows import Dataset, answer_row, told_key, told_of
from noiseless.ledger.state import Told

if TYPE_CHECKING:
    from noiseless.ledger.session import Session


class Fetched(NamedTuple):
    """Questions that were looked up before somebody asked for them.

    Attributes:
        flushes: how often the transaction had written when they were.
        looked_up: their fingerprints, by kind.
        found: those that were told, by their own fingerprints.
    """

    flushes: int
    looked_up: Mapping[str, frozenset[str]]
    found: Mapping[str, Told]

    def holds(self, session: "Session", wanted: Mapping[str, set[str]]) -> bool:
        """Whether all of some fingerprints were looked up, and nothing was told since."""
        return self.flushes == session.flushes and all(
            some <= self.looked_up[what] and not session.is_about_to_tell(some)
            for what, some in wanted.items()
        )

    def told(self, wanted: Mapping[str, Collection[str]]) -> list[Told]:
        """Those with any of some fingerprints, oldest first."""
        return in_order(
            told
            for told in self.found.values()
            if any(getattr(told, what) in some for what, some in wanted.items())
        )


def find_told(session: "Session", dataset: Dataset, wanted: Mapping[str, Collection[str]]) -> list[Told]:
    """Questions by their own fingerprints, those of their grids or of people; oldest first.

    Others that happen to have the same keys are left out.
    """
    if session.tells_more and any(session.is_about_to_tell(some) for some in wanted.values()):
        session.flush()
    statements = session.statements.told_by
    pages = session.searches(
        [(statements[what], told_keys(dataset, what, some), ()) for what, some in wanted.items()]
    )
    found: dict[str, Told] = {}
    if not any(pages):
        return []
    for (what, some), page in zip(wanted.items(), pages, strict=True):
        for told in map(told_of, page):
            if getattr(told, what) in some:
                found.setdefault(told.question, told)
    return in_order(found.values())


def told_keys(dataset: Dataset, what: str, fingerprints: Collection[str]) -> list[int]:
    """What fingerprints of one kind are found by."""
    return [told_key(what, dataset.id, dataset.version, fingerprint) for fingerprint in fingerprints]


def in_order(told: Iterable[Told]) -> list[Told]:
    """The oldest first."""
    return sorted(told, key=lambda one: (one.charge, one.question))


def store(
    session: "Session",
    dataset: Dataset,
    answers: Mapping[str, Mapping[str, Any]],
    fetched: Fetched | None = None,
) -> dict[str, Mapping[str, Any]]:
    """Keep answers of questions that were charged for; the first one stands. The answers that stand.

    Raises:
        LedgerError: a question was never charged for.
    """
    place = session.locked_head()
    rows = {
        question: answer_row(dataset.id, dataset.version, question, answer, place.seq + 1)
        for question, answer in answers.items()
    }
    asked = {"question": set(answers)}
    if fetched is not None and fetched.holds(session, asked):  # written with all else
        known = fetched.told(asked)
        standing = {told.question: told.answer for told in known if told.answer is not None}
        fresh = {told.question: answers[told.question] for told in known if told.answer is None}
        for question in fresh:
            session.put(session.statements.answer, question, rows[question])
    else:
        session.flush()
        changed = session.answer(list(rows.values()))
        fresh = {question: answer for question, answer in answers.items() if question in changed}
        others = [question for question in answers if question not in fresh]
        known = find_told(session, dataset, {"question": others}) if others else []
        standing = {told.question: told.answer for told in known if told.answer is not None}
    missing = len(answers) - len(standing) - len(fresh)
    if missing:
        raise LedgerError(f"{missing:,} answers are of questions that were never charged for")
    if fresh:
        body = {"version": dataset.version, "answers": fresh}
        session.append(Entry.after(place, dataset.name, "answers", None, body))
    return {**standing, **fresh}
