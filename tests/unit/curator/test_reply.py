import datetime as dt
import json
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from curator_examples import ROWS, write_curator
from noiseless.amounts import Cost, Remainder, remaining_bits
from noiseless.curator import Curator
from noiseless.exact import Bits
from noiseless.questions.sql import AnswerInterval
from noiseless.replies import Answer, Reply, Result, shown

KEYS = {"sql", "value", "lower", "upper", "bits", "free"}


@pytest.fixture
def reply(tmp_path: Path) -> Reply:
    with Curator.open(write_curator(tmp_path)) as curator:
        return curator.ask(
            "SELECT suburb, AVG(kwh) AS mean, COUNT(*) AS n FROM meters GROUP BY suburb",
            "SELECT MAX(kwh) FROM meters",
        )


def test_a_reply_is_plain_json_with_the_stable_keys(reply: Reply) -> None:
    found = json.loads(json.dumps(reply.to_dict()))
    assert set(found) >= {"answers", "batch_bits", "spent", "remaining"}
    assert all(set(answer) >= KEYS for answer in found["answers"])
    assert [answer["group"] for answer in found["answers"]] == [
        *({"suburb": name} for name in ("north", "north", "south", "south", "west", "west")),
        {},
    ]
    first = found["answers"][0]
    assert Fraction(first["lower_exact"]) <= 4 <= Fraction(first["upper_exact"])
    assert first["lower"] <= first["value"] <= first["upper"]
    assert (found["batch_bits"], found["batch_outputs"]) == (pytest.approx(1.585, abs=1e-3), 3)
    assert (found["spent_outputs"], found["remaining_outputs"]) == (3, 21)
    assert found["spent"] + found["remaining"] <= 6.000001
    assert [answer["free"] for answer in found["answers"][:2]] == [False, True]


def test_bounds_are_rounded_outwards_and_values_stay_exact() -> None:
    third = AnswerInterval.of(Fraction(1, 3), Fraction(2, 3))
    found = Answer("", "x", {"day": dt.date(2024, 1, 2), "size": Decimal("1.5")}, third, Cost(3)).to_dict()
    assert Fraction(found["lower"]) < Fraction(1, 3)
    assert Fraction(found["upper"]) > Fraction(2, 3)
    assert (found["value_exact"], found["lower_exact"]) == ("1/2", "1/3")
    assert found["group"] == {"day": "2024-01-02", "size": 1.5}
    assert (found["outputs"], found["free"]) == (3, False)


def test_an_infinite_or_missing_interval_is_told() -> None:
    wide = AnswerInterval(Fraction(1), float("inf"), may_be_missing=True)
    found = Answer("", "x", {}, wide, Cost()).to_dict()
    assert (found["value"], found["upper"], found["upper_exact"]) == (None, float("inf"), None)
    assert (found["may_be_missing"], found["free"]) == (True, True)
    assert shown(wide) == "1 to inf, or none"


def test_a_statement_is_a_frame_with_bounds_beside_each_number(reply: Reply) -> None:
    table = reply.results[0].to_arrow()
    assert table.column_names == ["suburb", "mean", "mean_lower", "mean_upper", "n", "n_lower", "n_upper"]
    assert table["n"].to_pylist() == [3, 4, 1]
    assert list(reply.results[0].to_pandas()["suburb"]) == ["north", "south", "west"]
    assert reply.results[0].to_polars().height == 3


def test_several_statements_are_one_frame_with_an_answer_a_row(reply: Reply) -> None:
    table = reply.to_arrow()
    assert table.column_names == ["sql", "column", "suburb", "value", "lower", "upper", "bits", "free"]
    assert (table.num_rows, reply.to_polars().height, len(reply.to_pandas())) == (7, 7, 7)
    single = Reply(reply.results[1:], reply.batch, reply.rule, reply.spent, reply.left)
    assert single.to_arrow().column_names == ["MAX(kwh)", "MAX(kwh)_lower", "MAX(kwh)_upper"]


def test_frames_need_neither_pandas_nor_polars(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert reply.to_arrow().num_rows == 7


def test_people_read_a_table(reply: Reply) -> None:
    text = repr(reply)
    assert text.startswith(
        "the answers cost 1.59 bits (cuts and partition); 1.59 bits are spent, 4.41 bits are left"
    )
    assert "  suburb  mean" in text
    page = reply._repr_html_()
    assert page.count("<table>") == 2
    assert ">north</td>" in page


def test_html_is_escaped() -> None:
    result = Result("SELECT 1 AS '<b>'", ("<b>",), ((AnswerInterval.of(1),),), (Cost(),))
    page = Reply((result,), Cost(), "nothing new", Cost(), Remainder(), warnings=("<i>",))._repr_html_()
    assert "<b>" not in page.replace("<p><b>", "").replace("</b></p>", "")
    assert "<i>" not in page


def test_what_remains_is_rounded_down() -> None:
    assert remaining_bits(None, Cost(3)) is None
    assert remaining_bits(40, Cost(2)) == 39
    assert remaining_bits(Bits(10), Cost(5)) == 1
    assert remaining_bits(1, Cost(4)) == 0
    assert Fraction(remaining_bits(2, Cost(3)) or 0) < 2 - Fraction(Bits(3).lower)
    assert remaining_bits(Decimal("2.5"), Cost(2, Fraction(1, 2))) == 1


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(1, 3), "0.333333"),
        (Fraction(123456789), "123,456,789"),
        (Fraction(-1, 3), "-0.333334 to -0.333333"),
    ],
)
def test_numbers_are_shown_short(number: Fraction, text: str) -> None:
    assert shown(AnswerInterval(number, number)).startswith(text)
    assert shown("north") == "north"


def test_very_long_numbers_are_told_as_well() -> None:
    long = Fraction(10) ** 5000
    for interval in (
        AnswerInterval.of(long, 3 * long),
        AnswerInterval.of(-3 * long, -long),
        AnswerInterval.of(1 / long, 1),
    ):
        answer = Answer("", "x", {}, interval, Cost())
        found = answer.to_dict()
        assert found["lower"] <= interval.lower
        assert found["upper"] >= interval.upper
        assert found["lower_exact"] is None
        assert len(shown(interval)) < 100
    assert shown(AnswerInterval.of(Fraction(10) ** 580 + 1)) == "1e+580 to 1.00001e+580"
    Result("", ("x",), ((AnswerInterval.of(long),),), (Cost(),)).to_arrow()


def test_values_that_share_a_count_are_said_so_with_the_reach_that_parts_them(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path)) as curator:
        coarse = "SELECT heating, COUNT(*) FROM meters GROUP BY heating"
        (warning,) = curator.price(coarse).warnings
        assert "several values of heating share one count" in warning
        assert "/*+ reach(3) */ counts each value alone, for 1.59 bits at most" in warning
        assert curator.ask(coarse).warnings == (warning,)
        fine = curator.ask(coarse.replace("SELECT", "SELECT /*+ reach(3) */"))
        assert (fine.warnings, fine.batch) == ((), Cost(2))  # which of a shared count
        assert sum(answer.value or 0 for answer in fine.answers) == 8


def test_a_person_with_several_rows_needs_more_to_part_them(tmp_path: Path) -> None:
    rows = tuple((*row, str(number // 2)) for number, row in enumerate(ROWS))
    written = write_curator(
        tmp_path,
        dataset='unit = "home"\nmax_rows = 2',
        rows=rows,
        header="suburb,kwh,solar,heating,home",
    )
    with Curator.open(written) as curator:
        (warning,) = curator.price("SELECT heating, COUNT(*) FROM meters GROUP BY heating").warnings
        assert "reach(6)" in warning
        told = curator.price("SELECT /*+ reach(6) */ heating, COUNT(*) FROM meters GROUP BY heating")
        assert (told.warnings, told.batch) == ((), Cost(6))


def test_what_a_missing_value_counts_as_is_told_of_columns_asked_about_only(tmp_path: Path) -> None:
    path = write_curator(tmp_path, rows=(*ROWS, ("west", "", "true", "oil")))
    path.write_text(path.read_text().replace("step = 0.5", "step = 0.5\nmissing = 0"))
    note = ("a missing kwh counts as 0",)
    with Curator.open(path) as curator:
        assert repr(curator) == "Curator('meters', 'curator.toml', budget: 6 bits)"
        for sql, expected in {
            "SELECT COUNT(*) FROM meters": (),
            "SELECT COUNT(*) FROM meters WHERE solar": (),
            "SELECT COUNT(*) FROM meters WHERE kwh > 3": note,
            "SELECT COUNT(*) FROM meters WHERE KWH >= 0": note,
            "SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb": note,
        }.items():
            assert curator.price(sql).warnings == expected, sql


def test_an_answer_shows_what_it_cost() -> None:
    answer = Answer("SELECT 1", "mean", {"suburb": "north"}, AnswerInterval.of(7), Cost())
    found = answer._repr_html_()
    assert all(f">{text}</td>" in found for text in ("7", "north", "free", "SELECT 1"))
    assert ">withheld</td>" in Answer("SELECT 1", "mean", {}, None, Cost(2))._repr_html_()
