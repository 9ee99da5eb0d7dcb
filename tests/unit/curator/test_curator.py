import re
import stat
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from curator_examples import ROWS, write_curator, write_rows
from noiseless.amounts import Cost
from noiseless.curator import ChangedSourceError, Curator, UnansweredError, custody, source, transaction
from noiseless.curator.disclosure import CellDisclosure, CountsDisclosure
from noiseless.curator.source import Seal
from noiseless.curator.transaction import Transaction
from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger import LedgerError, QuotaError
from noiseless.ledger.books import OpenBooks
from noiseless.pricing import BudgetError
from noiseless.pricing.batches import price
from noiseless.replies import Reply

MEAN = "SELECT AVG(kwh) FROM meters"
COUNT = "SELECT COUNT(*) FROM meters WHERE kwh > 2"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_curator(tmp_path)


@pytest.fixture
def curator(path: Path) -> Iterator[Curator]:
    with Curator.open(path) as found:
        yield found


class Trap:
    """Stands for the data engine: whoever opens a table is caught."""

    def __call__(self, *_: object, **__: object) -> None:
        raise AssertionError("the data engine was touched")


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


# The order of things


def test_an_answer_is_charged_stored_and_holds_the_truth(curator: Curator) -> None:
    reply = curator.ask(MEAN)
    (answer,) = reply.answers
    assert answer.interval is not None
    assert answer.interval.lower <= Fraction(71, 16) <= answer.interval.upper
    assert (reply.batch.outputs, reply.spent.outputs, answer.free) == (2, 2, False)
    assert kinds(curator) == [
        "dataset",
        "charge",
        "charge",
        "answers",
    ]  # the first charge is the public state
    assert curator.ledger.verify().ok


def test_the_price_touches_neither_the_data_nor_the_ledger(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kinds(curator)
    monkeypatch.setattr(source, "open_table", Trap())
    (curator.file.path.parent / "meters.csv").unlink()
    quote = curator.price(MEAN, COUNT)
    assert (quote.batch.outputs, quote.allowed, quote.spent.outputs) == (3, True, 1)
    assert [answer.interval for answer in quote.answers] == [None, None]
    assert kinds(curator) == before


def test_opening_again_does_not_touch_the_data(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Curator.open(path) as first:
        told = first.ask(MEAN).answers
    (path.parent / "meters.csv").write_text("this is no table")
    monkeypatch.setattr(source, "open_table", Trap())
    with Curator.open(path) as again:
        reply = again.ask(MEAN)
        assert [answer.interval for answer in reply.answers] == [answer.interval for answer in told]
        assert reply.batch.outputs == 1
        assert all(answer.free for answer in reply.answers)
        with pytest.raises(AssertionError, match="the data engine was touched"):
            again.ask(COUNT)


def test_a_refusal_does_not_touch_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_curator(tmp_path, bits=2)
    Curator.open(path).close()
    monkeypatch.setattr(source, "open_table", Trap())
    (path.parent / "meters.csv").unlink()
    with Curator.open(path) as curator:
        before = kinds(curator)
        with pytest.raises(BudgetError) as caught:
            curator.ask(
                "SELECT /*+ bits(3) */ SUM(kwh) FROM meters",
                "SELECT heating, COUNT(*) FROM meters GROUP BY heating",
            )
        assert (caught.value.spent.outputs, caught.value.remaining) == (1, 4)
        assert caught.value.asked.outputs > 1
        assert kinds(curator) == before
        assert curator.price("SELECT /*+ bits(9) */ SUM(kwh) FROM meters").allowed is False


def test_statements_that_cannot_be_priced_are_refused_before_anything(curator: Curator) -> None:
    before = kinds(curator)
    for sql in (
        "SELECT kwh FROM meters",
        "SELECT MAX(EXP(kwh)) FROM meters",
        "SELECT AVG(suburb) FROM meters",
        "",
    ):
        with pytest.raises(RequestError):
            curator.ask(MEAN, sql)
    with pytest.raises(RequestError, match="nothing is asked"):
        curator.ask()
    assert kinds(curator) == before


def test_what_fails_after_the_charge_stays_charged_and_is_free_later(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(CountsDisclosure, "compute", lambda *_: int("8.5"))
        with pytest.raises(UnansweredError) as caught:
            curator.ask(COUNT)
    assert "8.5" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert curator.state.spent.outputs == 2
    assert kinds(curator)[-1] == "charge"
    reply = curator.ask(COUNT)
    assert (reply.batch.outputs, reply.spent.outputs) == (1, 2)
    assert [answer.value for answer in reply.answers] == [5]
    assert kinds(curator)[-1] == "answers"


def test_an_answer_that_cannot_be_stored_does_not_leave(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise LedgerError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(OpenBooks, "store", full)
        with pytest.raises(LedgerError):
            curator.ask(COUNT)
    with monkeypatch.context() as patch:
        patch.setattr(OpenBooks, "charge", full)
        with pytest.raises(LedgerError):
            curator.ask(MEAN)
    assert curator.ask(COUNT).batch.outputs == 1
    assert curator.ask(MEAN).batch.outputs == 2


# Batches, repeats and what follows


def test_a_batch_is_one_charge_under_the_best_rule(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=4)) as curator:
        asked = [f"SELECT COUNT(*) FROM meters WHERE kwh >= {number}" for number in range(1, 8)]
        reply = curator.ask(*asked)
        assert (reply.batch.outputs, reply.rule) == (8, "partition")
        assert kinds(curator).count("charge") == 2
        with pytest.raises(BudgetError):
            curator.ask(*(f"SELECT COUNT(*) FROM meters WHERE kwh >= {number}.5" for number in range(1, 3)))
        assert curator.ask("SELECT COUNT(*) FROM meters WHERE kwh >= 1.5").spent.outputs == 16


EVERY_KWH = "SELECT /*+ reach(21) */ kwh, COUNT(*) FROM meters GROUP BY kwh"
BANDS = "SELECT /*+ reach(7) */ kwh, COUNT(*) FROM meters GROUP BY kwh"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (MEAN, "select  avg( m.kwh )  AS x from METERS m"),
        (MEAN, "SELECT SUM(kwh) FROM meters"),
        (MEAN, "SELECT AVG(kwh) * 2 + 1 FROM meters WHERE kwh >= 0"),
        (COUNT, "SELECT COUNT(*) FROM meters WHERE NOT kwh <= 2"),
        (COUNT, "SELECT COUNT(*) FROM meters WHERE kwh <= 2"),
        (COUNT, "SELECT COUNT(*) FROM meters WHERE kwh BETWEEN 2.5 AND 10"),
        ("SELECT solar, COUNT(*) FROM meters GROUP BY solar", "SELECT COUNT(*) FROM meters WHERE solar"),
        ("SELECT MAX(kwh) FROM meters", "SELECT QUANTILE(kwh, 1) FROM meters"),
        ("SELECT SUM(kwh) FROM meters WHERE kwh > 0", "SELECT SUM(kwh) FROM meters"),
        (EVERY_KWH, "SELECT /*+ bits(9) */ MEDIAN(kwh) FROM meters"),
        (EVERY_KWH, "SELECT /*+ bits(9) */ SUM(kwh) FROM meters WHERE kwh < 5"),
        (BANDS, "SELECT COUNT(*) FROM meters WHERE kwh < 4.5"),
        (
            "SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb",
            "SELECT SUM(kwh) FROM meters WHERE suburb = 'west'",
        ),
        (
            "SELECT /*+ max_error(1) */ SUM(kwh) FROM meters",
            "SELECT /*+ max_error(2.25) */ SUM(kwh) FROM meters",
        ),
        (MEAN, "SELECT COUNT(*) FROM meters WHERE suburb = 'north'"),
    ],
)
def test_what_follows_from_stored_answers_is_free_and_needs_no_data(
    path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    with Curator.open(path) as curator:
        truth = curator.ask(second).answers
    for file in [*path.parent.glob("meters-ledger.db*"), path.parent / "meters-digest.key"]:
        file.unlink()
    with Curator.open(path) as curator:
        curator.ask(first)
    monkeypatch.setattr(source, "open_table", Trap())
    with Curator.open(path) as curator:
        before = kinds(curator)
        reply = curator.ask(second)
        assert reply.batch.outputs == 1
        assert kinds(curator) == before
    assert [answer.interval for answer in reply.answers] == [answer.interval for answer in truth]


def test_an_interval_that_follows_is_free_and_needs_no_data(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there for others after the session that paid, grows sharper, and is never kept."""
    free = "SELECT /*+ bits(0) */ SUM(kwh) FROM meters"
    with Curator.open(path) as curator:
        (nothing,) = curator.ask(free).answers
        curator.ask("SELECT suburb, SUM(kwh) FROM meters GROUP BY suburb")
        (first,) = curator.ask(free).answers
        (many,) = next(reply for reply in curator.ask_each([free]) if isinstance(reply, Reply)).answers
        assert many == first
    monkeypatch.setattr(source, "open_table", Trap())
    with Curator.open(path) as curator:
        before = kinds(curator)
        quote = curator.price(MEAN).answers[0].tolerance
        assert curator.ask(free, analyst="another").answers == (first,)
        assert kinds(curator) == before
    assert nothing.interval is not None
    assert first.interval is not None
    assert quote is not None
    assert first.interval.error < nothing.interval.error
    assert quote.derived is not None
    assert len(ROWS) * quote.derived >= first.interval.error
    assert first.interval.lower <= sum(Fraction(row[1]) for row in ROWS) <= first.interval.upper


def test_what_follows_from_an_answer_that_was_never_stored_says_nothing_yet(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Curator.open(path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(CellDisclosure, "compute", lambda *_: int("8.5"))
            with pytest.raises(UnansweredError):
                curator.ask(MEAN)
        free = "SELECT /*+ bits(0) */ SUM(kwh) FROM meters"
        (nothing,) = curator.ask(free).answers
        curator.ask(MEAN)
        (found,) = curator.ask(free).answers
        assert nothing.interval is not None
        assert found.interval is not None
        assert found.interval.error < nothing.interval.error


def test_a_grid_that_is_not_nested_costs_the_cells_that_remain(curator: Curator) -> None:
    curator.ask("SELECT /*+ max_error(1) */ SUM(kwh) FROM meters")
    fresh = "SELECT /*+ max_error(1.5) */ SUM(kwh) FROM meters"
    assert 1 < curator.price(fresh).batch.outputs <= 3


def test_the_least_leakage_within_an_error(curator: Curator) -> None:
    asked = "SELECT /*+ max_error(4) least(leakage) */ SUM(kwh) FROM meters"
    planned = nl.plan("sum", n=8, bounds=(0, 10), step=Fraction(1, 2), max_error=4, least="leakage")
    assert curator.price(asked).batch.outputs == planned.reach
    (answer,) = curator.ask(asked).answers
    told = planned.mechanism.answer(planned.mechanism.quantizer.cell(Fraction(71, 2)))
    assert answer.interval is not None
    assert (answer.interval.lower, answer.interval.upper) == told
    assert curator.ask(asked).batch.outputs == 1  # asked again, from the ledger
    plain = nl.plan("sum", n=8, bounds=(0, 10), step=Fraction(1, 2), max_error=4)
    assert planned.cells == plain.cells
    with pytest.raises(RequestError, match=r"leave least\(leakage\) out"):
        curator.price("SELECT /*+ max_error(1) least(leakage) */ VARIANCE(kwh) FROM meters")
    largest = "SELECT /*+ max_error(1) least(leakage) */ MAX(kwh) FROM meters"
    highest = nl.plan("max", n=8, bounds=(0, 10), step=Fraction(1, 2), max_error=1, least="leakage")
    assert curator.price(largest).batch.outputs == highest.reach


def test_an_implied_question_whose_finer_one_was_never_answered_is_computed_for_free(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = "SELECT /*+ reach(3) */ heating, COUNT(*) FROM meters GROUP BY heating"
    with monkeypatch.context() as patch:
        patch.setattr(CountsDisclosure, "compute", lambda *_: int("8.5"))
        with pytest.raises(UnansweredError):
            curator.ask(fine)
    reply = curator.ask("SELECT COUNT(*) FROM meters WHERE heating = 'gas'")
    assert reply.batch.outputs == 1
    assert [answer.value for answer in reply.answers] == [Fraction(4)]
    assert [answer.value for answer in curator.ask(fine).answers] == [Fraction(4), Fraction(2), Fraction(2)]


def test_public_questions_are_free_from_the_start(curator: Curator) -> None:
    reply = curator.ask("SELECT suburb, COUNT(*) AS n FROM meters GROUP BY suburb ORDER BY n DESC")
    assert [(answer.group["suburb"], answer.value) for answer in reply.answers] == [
        ("south", Fraction(4)),
        ("north", Fraction(3)),
        ("west", Fraction(1)),
    ]
    assert reply.spent.outputs == 1


# Budgets


def test_public_groups_have_accounts_of_their_own(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=2)) as curator:
        for suburb in ("north", "south", "west"):
            assert curator.ask(f"SELECT AVG(kwh) FROM meters WHERE suburb = '{suburb}'").spent.outputs == 2
        assert curator.ask(MEAN).spent.outputs == 4
        with pytest.raises(BudgetError):
            curator.ask("SELECT COUNT(*) FROM meters WHERE solar AND suburb = 'west'")
        assert curator.ask(MEAN).batch.outputs == 1


def test_the_budget_holds_over_all_analysts_and_each_has_a_quota(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=3, budget="analyst_bits = 2")) as curator:
        asked = iter(f"SELECT COUNT(*) FROM meters WHERE kwh > {number}" for number in range(1, 10))
        curator.ask(next(asked), analyst="ann")
        curator.ask(next(asked), analyst="ann")
        with pytest.raises(QuotaError, match="ann"):
            curator.ask(next(asked), analyst="ann")
        assert curator.price(next(asked), analyst="ann").allowed is False
        curator.ask(next(asked), analyst="bob")
        with pytest.raises(BudgetError) as caught:
            curator.ask(next(asked), analyst="bob")
        assert not isinstance(caught.value, QuotaError)
        assert (caught.value.spent.outputs, caught.value.asked.outputs, caught.value.remaining) == (8, 2, 1)
        assert set(curator.state.analysts) == {"ann", "bob"}


def test_who_does_not_say_who_asks_has_a_quota_too(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=3, budget="analyst_bits = 1")) as curator:
        curator.ask(MEAN)
        with pytest.raises(QuotaError, match="local"):
            curator.ask(COUNT)


def test_another_budget_in_the_file_must_be_recorded_first(path: Path) -> None:
    Curator.open(path).close()
    path.write_text(path.read_text().replace("bits = 6", "bits = 6.5", 1))
    with pytest.raises(RequestError, match=r"another budget.*noiseless dataset budget curator\.toml"):
        Curator.open(path)
    with Curator.unchecked(path) as owner:
        owner.record_budgets(by="office")
        assert kinds(owner)[-1] == "budget"
        owner.record_budgets(by="office")  # nothing is left to record
        assert kinds(owner).count("budget") == 1
    with Curator.open(path) as curator:
        assert curator.state.budget == Fraction(13, 2)


def test_a_budget_that_protects_nothing_is_said_to(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=7)) as curator:
        reply = curator.ask(MEAN)
        assert "protects nothing" in reply.warnings[0]
        assert reply.remaining is None
    less = tmp_path / "less"
    less.mkdir()
    with Curator.open(write_curator(less, bits=6)) as curator:
        assert not curator.price(MEAN).warnings


# Versions


def test_a_changed_source_is_refused_before_any_charge(path: Path) -> None:
    with Curator.open(path) as curator:
        told = curator.ask(MEAN).answers
        write_rows(path.parent, (*ROWS[:-1], ("west", "7.5", "true", "oil")))
        before = kinds(curator)
        with pytest.raises(ChangedSourceError, match=r"noiseless dataset declare curator\.toml") as caught:
            curator.ask(COUNT)
        assert "7.5" not in str(caught.value)
        assert kinds(curator) == before
        assert curator.ask(MEAN).answers[0].interval == told[0].interval


def test_a_source_that_breaks_says_nothing_of_its_values_to_analysts(path: Path) -> None:
    with Curator.open(path) as curator:
        write_rows(path.parent, (*ROWS[:-1], ("west", "7.77", "true", "oil")))
        with pytest.raises(ChangedSourceError) as caught:
            curator.ask(COUNT)
        assert not re.search(r"7\.77|1 value", str(caught.value))
    with Curator.unchecked(path) as owner, pytest.raises(NoiselessError, match="1 value is outside"):
        owner.declare_version()


@pytest.mark.parametrize("carry_over", [True, False])
def test_a_new_version_does_not_reuse_answers(path: Path, carry_over: bool) -> None:
    with Curator.open(path) as curator, Curator.open(path) as other:
        curator.ask(COUNT)
        other.ask(COUNT)
        write_rows(path.parent, (*ROWS[:-1], ("west", "0", "true", "oil")))
        version = curator.declare_version(carry_over=carry_over)
        assert (version.number, version.is_new) == (2, True)
        for session in (curator, other):  # who was open already notices
            reply = session.ask(COUNT)
            assert reply.answers[0].value == 4
            assert reply.spent.outputs == (4 if carry_over else 2)
        assert curator.declare_version().number == 3  # also of the same data


def test_whoever_moves_to_another_public_group_takes_what_was_paid_along(tmp_path: Path) -> None:
    path = write_curator(tmp_path, bits=2)
    with Curator.open(path) as curator:
        curator.ask("SELECT COUNT(*) FROM meters WHERE solar AND suburb = 'north'")
        curator.ask("SELECT MAX(kwh) FROM meters WHERE suburb = 'north'")
        assert (curator.state.total.outputs, curator.state.others.outputs) == (4, 1)
        write_rows(tmp_path, (("west", *ROWS[0][1:]), *ROWS[1:]))  # one of the north moves to the west
        curator.declare_version()
        assert (curator.state.total.outputs, curator.state.others.outputs) == (4, 4)
        with pytest.raises(BudgetError):
            curator.ask("SELECT COUNT(*) FROM meters WHERE solar AND suburb = 'west'")
        assert curator.ledger.verify().ok


def test_reordered_rows_are_the_same_version(path: Path) -> None:
    with Curator.open(path) as curator:
        write_rows(path.parent, tuple(reversed(ROWS)))
        assert curator.ask(COUNT).answers[0].value == 5
        digest = curator.state.digest
        assert curator._source.kept(digest) is not None
        assert curator.declare_version().digest != digest  # nobody is told that the data are the same
        assert curator._source.kept(digest) is not None  # but here it is known


def test_digests_of_earlier_releases_are_still_known(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They had no salt: the same data had the same digest in every version."""
    with monkeypatch.context() as patch:
        patch.setattr(Seal, "new_digest", lambda seal: seal.text)
        Curator.open(path).close()
    with Curator.open(path) as curator:
        assert curator.state.digest.count(":") == 1
        assert curator.ask(COUNT).answers[0].value == 5
        write_rows(path.parent, ROWS[1:])
        with pytest.raises(ChangedSourceError):
            curator.ask("SELECT SUM(kwh) FROM meters")
        assert curator.declare_version().digest.count(":") == 2


@given(st.binary(min_size=1), st.text(), st.text())
def test_a_digest_fits_its_data_alone(key: bytes, text: str, other: str) -> None:
    seal, another = Seal(key, f"hmac-sha256:{text}"), Seal(key, f"hmac-sha256:{other}")
    several = [seal.new_digest() for _ in range(3)]
    assert len(set(several)) == 3
    for digest in several:
        assert seal.fits(digest)
        assert another.fits(digest) == (text == other)
        assert not Seal(key + b"x", seal.text).fits(digest)


def test_another_schema_is_another_version(path: Path) -> None:
    Curator.open(path).close()
    path.write_text(path.read_text().replace("bounds = [0, 10]", "bounds = [0, 11]"))
    with pytest.raises(RequestError, match="other columns"):
        Curator.open(path)
    with Curator.unchecked(path) as owner:
        assert owner.declare_version().number == 2
    Curator.open(path).close()


def test_a_public_state_that_was_never_written_is_written_by_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(custody, "_keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            Curator.open(path)
    with Curator.open(path) as curator:
        assert curator.public.rows == 8
        assert curator.ledger.verify().ok


def test_the_key_of_digests_is_the_owners_alone(path: Path) -> None:
    with Curator.open(path) as curator:
        key = path.parent / "meters-digest.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        assert key.read_bytes()[:32].hex() not in str([entry.text for entry in curator.ledger.entries()])
    key.unlink()
    with Curator.open(path) as curator, pytest.raises(ChangedSourceError):
        curator.ask(COUNT)


def test_a_key_that_is_not_whole_is_refused(path: Path) -> None:
    (path.parent / "meters-digest.key").write_bytes(b"")
    with pytest.raises(NoiselessError, match="no whole key"):
        Curator.open(path)


def test_a_lost_ledger_is_not_a_new_budget(path: Path) -> None:
    with Curator.open(path) as curator:
        curator.ask(MEAN)
    for file in path.parent.glob("meters-ledger.db*"):
        file.unlink()
    with pytest.raises(RequestError, match="what was paid is lost"):
        Curator.open(path)
    with Curator.unchecked(path) as curator:
        with pytest.raises(RequestError, match="what was paid is lost"):
            curator.declare_version()
        assert curator.declare_version(carry_over=False, by="office").number == 1
    with Curator.open(path) as curator:
        assert curator.state.spent.outputs == 1


def test_a_budget_above_one_record_still_holds_over_several_versions(tmp_path: Path) -> None:
    path = write_curator(tmp_path, bits=7, query_bits=9)  # a record has 21 * 2 * 3 values: 6.98 bits
    histogram = "SELECT heating, COUNT(*) FROM meters GROUP BY heating"
    every = [MEAN, histogram, "SELECT COUNT(*) FROM meters WHERE solar"]
    with Curator.open(path) as curator:
        assert not curator.state.protects
        assert curator.ask(*every).spent.outputs == 126
        write_rows(tmp_path, (("west", "7", "true", "oil"), *ROWS[1:]))
        curator.declare_version()
        assert curator.state.protects
        assert curator.state.disclosed
        with pytest.raises(BudgetError):
            curator.ask(histogram)
        write_rows(tmp_path)
        curator.declare_version(carry_over=False)
        assert curator.ask(*every).spent.outputs == 126
        assert curator.ledger.verify().ok


def test_data_that_come_back_are_another_version(path: Path) -> None:
    with Curator.open(path) as session, Curator.open(path) as owner:
        session.ask(MEAN)
        for rows in ((*ROWS[1:], (*ROWS[0][:1], "2", "true", "gas")), ROWS):
            write_rows(path.parent, rows)
            owner.declare_version()
        assert session.ask(MEAN).batch.outputs == 2
        assert session.ask(COUNT).batch.outputs == 2
        assert session.ledger.verify().ok


@pytest.mark.parametrize("most", ["", " ORDER BY COUNT(*) DESC LIMIT 2"])
def test_a_histogram_of_nobody_has_a_row_for_every_value(tmp_path: Path, most: str) -> None:
    with Curator.open(write_curator(tmp_path, rows=ROWS[:3])) as curator:
        sql = f"SELECT heating, COUNT(*) FROM meters WHERE suburb = 'west' GROUP BY heating{most}"
        reply = curator.ask(sql)
        assert [answer.value for answer in reply.answers] == [0, 0, 0][: 2 if most else 3]
        assert reply.batch.outputs == 1


# Persons with several rows

HOUSES = tuple((*row, house) for row, house in zip(ROWS, "aabbccdd", strict=True))


def test_persons_may_have_several_rows(tmp_path: Path) -> None:
    unit = 'unit = "house"\nmax_rows = 2'
    path = write_curator(
        tmp_path, query_bits=2, dataset=unit, rows=HOUSES, header="suburb,kwh,solar,heating,house"
    )
    with Curator.open(path) as curator:
        assert curator.public.record.rows == 2
        reply = curator.ask(COUNT)
        assert (reply.batch.outputs, reply.answers[0].value) == (3, Fraction(5))
        grouped = curator.ask("SELECT suburb, COUNT(*) FROM meters WHERE solar GROUP BY suburb")
        assert [answer.value for answer in grouped.answers] == [2, 2, 1]
        assert curator.ask("SELECT SUM(kwh) FROM meters WHERE solar").answers[0].interval is not None


FLATS = """
[dataset]
name = "flats"
source = "flats.csv"
unit = "person"
max_rows = 2
[budget]
bits = 40
query_bits = 20
[columns.town]
role = "public"
categories = ["a", "b"]
[columns.year]
role = "public"
bounds = [2021, 2022]
per = "person"
[columns.x]
role = "private"
bounds = [0, 3]
"""


def test_persons_are_counted_where_they_are(tmp_path: Path) -> None:
    """Public groups of persons are numbered by their own columns, not as the groups of rows first come."""
    (tmp_path / "flats.toml").write_text(FLATS)
    (tmp_path / "flats.csv").write_text(
        "person,town,year,x\np,a,2022,3\np,b,2022,3\nq,b,2021,1\nr,b,2022,0\n"
    )
    persons = "(SELECT person, year, SUM(x) AS used FROM flats GROUP BY person, year)"
    with Curator.open(tmp_path / "flats.toml") as curator:
        reply = curator.ask(f"SELECT year, SUM(used), MAX(used), COUNT(*) FROM {persons} GROUP BY year")
        assert [answer.value for answer in reply.answers] == [1, 1, 1, 6, 6, 2]


def test_more_rows_than_declared_are_refused(tmp_path: Path) -> None:
    rows = tuple((*row, "a") for row in ROWS)
    unit = 'unit = "house"\nmax_rows = 7'
    path = write_curator(tmp_path, dataset=unit, rows=rows, header="suburb,kwh,solar,heating,house")
    with pytest.raises(RequestError, match="a person has 8 rows, and max_rows is 7"):
        Curator.open(path)


# Many at once


def test_threads_may_share_a_session(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path, bits=4)) as curator:
        found: list[Any] = []

        def ask(number: int) -> None:
            try:
                found.append(curator.ask(f"SELECT COUNT(*) FROM meters WHERE kwh > {number}"))
            except BudgetError as error:
                found.append(error)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(isinstance(each, BudgetError) for each in found) == 4
        assert curator.state.spent.outputs == 16
        assert curator.ledger.verify().ok


def test_a_price_that_takes_long_is_found_before_the_ledger_is_locked(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the lock it is looked up again, and found anew only if something was told in between."""
    priced: list[bool] = []

    def noted(events: object, *others: object) -> object:
        priced.append(bool(locked))
        return price(events, *others)  # type: ignore[arg-type]

    def charging(transaction: Transaction, books: OpenBooks) -> object:
        locked.append(transaction)
        try:
            return charge(transaction, books)
        finally:
            locked.pop()

    locked: list[Transaction] = []
    charge = Transaction._charge
    monkeypatch.setattr(transaction, "price", noted)
    monkeypatch.setattr(Transaction, "_charge", charging)
    monkeypatch.setattr("noiseless.curator.edition._HEAVY_STEPS", 0)
    curator.ask(MEAN)
    assert priced
    assert not any(priced)
    first, second = curator.ask_each([COUNT, COUNT])
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (first.batch.outputs, second.batch.outputs, any(priced)) == (2, 1, True)
    assert curator.ledger.verify().ok


def test_what_adds_up_is_answered_from_the_ledger_and_free(tmp_path: Path) -> None:
    """A group after the total and the others, by a session that never looked at the data."""
    counts = "SELECT COUNT(*) FROM meters WHERE solar"
    path = write_curator(tmp_path)
    with Curator.open(path) as curator:
        truths = [
            curator.ask(f"{counts} AND suburb = '{name}'").answers[0].value for name in ("north", "south")
        ]
        total = curator.ask(counts).answers[0].value
        spent = curator.state.spent
    with Curator.open(path) as curator:
        quote = curator.price(f"{counts} AND suburb = 'west'")
        reply = curator.ask(f"{counts} AND suburb = 'west'")
        assert (quote.batch, reply.batch) == (Cost(), Cost())
        found = [*truths, reply.answers[0].value]
        assert sum(value for value in found if value is not None) == total
        assert curator.state.spent == spent


def test_an_answer_that_tells_nothing_new_of_anybody_is_charged_for_with_nothing(tmp_path: Path) -> None:
    """Two conditions tell everybody's part in "one of them": it is looked up in the data, and kept."""
    with Curator.open(write_curator(tmp_path)) as curator:
        for condition in ("kwh >= 1 AND kwh < 3", "kwh >= 2 AND kwh < 4"):
            curator.ask(f"SELECT COUNT(*) FROM meters WHERE {condition}")
        spent, entries = curator.state.spent, len(list(curator.ledger.entries()))
        reply = curator.ask("SELECT COUNT(*) FROM meters WHERE kwh IN (1, 1.5, 3, 3.5)")
        assert (reply.batch, curator.state.spent) == (Cost(), spent)
        assert len(list(curator.ledger.entries())) == entries + 2
        assert (
            curator.ask("SELECT COUNT(*) FROM meters WHERE kwh IN (1, 1.5, 3, 3.5)").answers == reply.answers
        )
