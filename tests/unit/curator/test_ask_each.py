"""Batch after batch in shared transactions: the same replies, charges and refusals as one by one."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator_examples import ROWS, write_curator, write_rows
from noiseless.curator import ChangedSourceError, Curator, UnansweredError
from noiseless.curator.disclosure import CountsDisclosure
from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger import LedgerError, QuotaError
from noiseless.pricing import BudgetError
from noiseless.questions.sql import SqlError
from noiseless.replies import Reply

MEAN = "SELECT AVG(kwh) FROM meters"
COUNT = "SELECT COUNT(*) FROM meters WHERE kwh > 2"
STATEMENTS = (
    MEAN,
    COUNT,
    "SELECT SUM(kwh) FROM meters",
    "SELECT COUNT(*) FROM meters WHERE kwh <= 2",
    "SELECT COUNT(*) FROM meters WHERE heating = 'gas'",
    "SELECT /*+ reach(3) */ heating, COUNT(*) FROM meters GROUP BY heating",
    "SELECT /*+ max_error(1) */ SUM(kwh) FROM meters",
    "SELECT /*+ max_error(2.25) */ SUM(kwh) FROM meters",
    "SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb",
    "SELECT AVG(kwh) FROM meters WHERE suburb = 'west'",
    "SELECT suburb, COUNT(*) FROM meters GROUP BY suburb",
    "SELECT /*+ bits(9) */ SUM(kwh) FROM meters",
    "SELECT kwh FROM meters",
    "SELECT AVG(nothing) FROM meters",
)


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    with Curator.open(write_curator(tmp_path)) as found:
        yield found


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


def one_by_one(curator: Curator, batches: Sequence[Sequence[str]]) -> Iterator[Reply | NoiselessError]:
    for batch in batches:
        try:
            yield curator.ask(*batch)
        except NoiselessError as error:
            yield error


def said(outcome: Reply | NoiselessError) -> object:
    return outcome.to_dict() if isinstance(outcome, Reply) else (type(outcome), str(outcome))


@settings(max_examples=5)
@given(
    st.lists(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=3), max_size=12), st.integers(2, 6)
)
def test_replies_charges_and_refusals_are_those_of_one_by_one(batches: list[list[str]], bits: int) -> None:
    with (
        TemporaryDirectory() as first,
        TemporaryDirectory() as second,
        Curator.open(write_curator(Path(first), bits=bits)) as alone,
        Curator.open(write_curator(Path(second), bits=bits)) as together,
    ):
        expected = [said(outcome) for outcome in one_by_one(alone, batches)]
        assert [said(outcome) for outcome in together.ask_each(batches)] == expected
        assert replace(together.state, digest="") == replace(alone.state, digest="")
        assert together.ledger.verify().ok
        again = [outcome for outcome in together.ask_each(batches) if isinstance(outcome, Reply)]
        assert all(reply.batch.outputs == 1 for reply in again)


def test_each_batch_has_a_charge_and_all_share_two_transactions(curator: Curator) -> None:
    before, written = kinds(curator), []
    write = curator.ledger._database.write
    curator.ledger._database.write = lambda work: written.append(work) or write(work)  # type: ignore[func-returns-value, method-assign]
    replies = list(curator.ask_each([MEAN, (COUNT,), "SELECT MAX(kwh) FROM meters"]))
    assert [type(reply) for reply in replies] == [Reply] * 3
    assert kinds(curator)[len(before) :] == ["charge"] * 3 + ["answers"]
    assert len(written) == 2


def test_many_are_read_a_part_at_a_time(tmp_path: Path) -> None:
    read = 0

    def batches() -> Iterator[str]:
        nonlocal read
        for number in range(100):
            read += 1
            yield f"SELECT /*+ max_error({number + 100}) */ SUM(kwh) FROM meters"

    with Curator.open(write_curator(tmp_path)) as curator:
        replies = curator.ask_each(batches())
        assert read == 0
        next(replies)
        assert read == 32
        assert len(list(replies)) == 99


def test_refusals_stand_in_their_places(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=2, budget="analyst_bits = 1")) as curator:
        dear = "SELECT /*+ bits(3) */ SUM(kwh) FROM meters"
        asked = [(MEAN, dear), MEAN, "SELECT kwh FROM meters", COUNT, ()]
        found = list(curator.ask_each(asked, analyst="ann"))
        kinds_of_error = [BudgetError, Reply, RequestError, QuotaError, RequestError]
        assert all(map(isinstance, found, kinds_of_error))
        assert isinstance(next(curator.ask_each([COUNT], analyst="bob")), Reply)
        assert curator.state.spent.outputs == 4


def test_nothing_new_keeps_nobody_waiting(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path)) as curator:
        assert list(curator.ask_each([])) == []
        assert isinstance(next(curator.ask_each(["nonsense"])), RequestError)
        curator.ask(MEAN)
        assert isinstance(next(curator.ask_each([MEAN])), Reply)
        with pytest.raises(RequestError, match="a list"):
            next(curator.ask_each(COUNT))
        assert curator.ask(COUNT).spent.outputs == 4


def test_what_cannot_be_computed_leaves_the_others_alone(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(CountsDisclosure, "compute", lambda *_: int("8.5"))
        found = list(curator.ask_each([MEAN, COUNT]))
    assert [type(outcome) for outcome in found] == [Reply, UnansweredError]
    assert "8.5" not in str(found[1])
    (again,) = curator.ask_each([COUNT])
    assert isinstance(again, Reply)
    assert again.batch.outputs == 1
    assert again.answers[0].value == Fraction(5)


@pytest.mark.parametrize(
    "place", ["noiseless.curator.planner.Planner.parts", "noiseless.curator.edition.StatementPlan.reply"]
)
def test_what_nobody_foresaw_leaves_the_others_alone(
    curator: Curator, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Before its charge and after it; the kind of the error is all that is told."""
    *path, name = place.split(".")
    owner = getattr(import_module(".".join(path[:-1])), path[-1])
    work = getattr(owner, name)

    def fail(self: object, given: Any, *more: Any) -> Any:  # noqa: ANN401 - as the method
        if getattr(given, "aggregate", "") == "max" or "MAX(kwh)" in getattr(self, "sql", ""):
            raise ZeroDivisionError("8.5")
        return work(self, given, *more)

    monkeypatch.setattr(owner, name, fail)
    found = list(curator.ask_each([MEAN, "SELECT MAX(kwh) FROM meters", COUNT, MEAN]))
    assert [type(outcome) for outcome in found] == [Reply, UnansweredError, Reply, Reply]
    assert "ZeroDivisionError" in str(found[1])
    assert "8.5" not in str(found[1])


def test_what_is_no_text_leaves_the_others_alone(curator: Curator) -> None:
    found = list(curator.ask_each([MEAN, 5, None, (), [COUNT, 7], COUNT]))  # type: ignore[list-item]
    refused = (SqlError, SqlError, RequestError, SqlError)
    assert all(map(isinstance, found, (Reply, *refused, Reply)))


def test_a_ledger_that_cannot_be_written_ends_it_and_nothing_leaves(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LedgerError("the disk is full")

    before = kinds(curator)
    monkeypatch.setattr(curator.ledger._database, "write", full)
    with pytest.raises(LedgerError, match="the disk is full"):
        next(curator.ask_each([MEAN, COUNT]))
    assert kinds(curator) == before


def test_a_changed_source_ends_it_before_any_charge(curator: Curator) -> None:
    write_rows(curator.file.path.parent, (*ROWS[:-1], ("west", "7.5", "true", "oil")))
    before = kinds(curator)
    with pytest.raises(ChangedSourceError):
        next(curator.ask_each([MEAN, COUNT]))
    assert kinds(curator) == before


def test_a_version_declared_meanwhile_is_the_one_that_is_asked(curator: Curator) -> None:
    next(curator.ask_each([MEAN]))
    write_rows(curator.file.path.parent, (*ROWS[:-1], ("west", "0", "true", "oil")))
    with Curator.unchecked(curator.file.path) as owner:
        owner.declare_version()
    found = list(curator.ask_each([COUNT, "SELECT COUNT(*) FROM meters WHERE kwh = 0"]))
    assert [reply.answers[0].value for reply in found if isinstance(reply, Reply)] == [4, 1]


def test_threads_that_ask_many_share_their_transactions_too(tmp_path: Path) -> None:
    path = write_curator(tmp_path, bits=6)
    outcomes: list[list[Reply | NoiselessError]] = []
    with Curator.open(path) as curator:
        asked = [f"SELECT COUNT(*) FROM meters WHERE kwh > {number}" for number in range(1, 8)]
        threads = [
            threading.Thread(target=lambda: outcomes.append(list(curator.ask_each(asked)))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert curator.state.spent.outputs == 2**6
        assert curator.ledger.verify().ok
    answered = [sum(isinstance(each, Reply) for each in found) for found in outcomes]
    assert answered == [6] * 4
    values = {tuple(each.answers[0].value for each in found if isinstance(each, Reply)) for found in outcomes}
    assert len(values) == 1
