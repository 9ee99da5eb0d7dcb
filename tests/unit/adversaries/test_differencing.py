"""The differencing game against curators over every table that the target could have made."""

import math
import sys
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from noiseless.adversaries.columns import PrivateColumn, number_domain, read_private
from noiseless.adversaries.differencing import _ATTACKS, differencing
from noiseless.adversaries.game import UnsoundError, require_sound
from noiseless.adversaries.intervals import bootstrap_mean
from noiseless.adversaries.targets import (
    AnswerClass,
    AttackTestbed,
    Target,
    conclusions,
    draw_targets,
    learnt_bits,
)
from noiseless.curator import Curator
from noiseless.errors import (
    ColumnError,
    DomainError,
    EmptyTableError,
    MissingValuesError,
    RequestError,
    UnknownColumnError,
)
from noiseless.exact import Bits
from noiseless.replies import Reply

AGES = [1, 4, 3, 3, 0]


def column(positions: list[int], size: int = 5) -> PrivateColumn:
    numbers = np.array(positions, np.int64)
    return PrivateColumn("age", number_domain((0, size - 1), 1), numbers, np.ones(len(numbers), bool))


class Listener:
    """A curator's replies, overheard."""

    def __init__(self, curator: Curator) -> None:
        self.curator = curator
        self.heard: list[object] = []

    def ask(self, *sql: str) -> Reply:
        reply = self.curator.ask(*sql)
        self.heard += [answer.interval for answer in reply.answers]
        return reply


@pytest.mark.parametrize("name", list(_ATTACKS))
def test_what_is_told_apart_is_what_other_tables_would_tell(name: str) -> None:
    """Replace the target's value by each other one: the curator's replies differ exactly as is claimed."""
    attack, outputs, replies = _ATTACKS[name], 4, dict[int, Any]()
    for value in range(5):
        others = column([value, *AGES[1:]])
        with AttackTestbed.of(others, [0]) as arena, arena.curator(outputs) as curator:
            listener = Listener(curator)
            attack.ask(arena, others, Target(0, "1"), outputs, cast("Curator", listener))
            assert Bits(curator.state.spent.outputs) <= Bits(outputs)
            replies[value] = tuple(listener.heard)
    parts = attack.parts(column(AGES), AGES[0], outputs)
    assert sorted(v for part in parts for v in part.values) == list(range(5))
    for part in parts:
        assert len({replies[value] for value in part.values}) == 1
        assert set(part.values) <= set(part.left)
    assert len({replies[part.values[0]] for part in parts}) == len(parts) <= outputs


def test_the_bits_learnt_are_never_more_than_those_charged() -> None:
    table = pa.table({"age": [18, 20, 25, 25, 31, 38], "name": list("abcdef")})
    game = differencing(
        table, "age", bounds=(18, 38), public=["name"], budgets=[0, 1, "reach 3", 4], targets=1
    )
    assert game.settings["singled_out"] == 1
    assert len(game.results) == 5 * len(_ATTACKS)
    assert [s.score for s in game.results[-4:]] == pytest.approx([math.log2(21)] * 3 + [1], abs=0.01)
    for score in game.results[:-4]:
        assert score.budget is not None
        assert score.score <= score.details["charged"] + 1e-9 <= float(score.budget) + 2e-9
        assert score.details["told_apart"] <= 2 ** float(score.budget) + 1e-9
        assert score.low == score.score == score.high
        full = score.details["attack"] != "count, difference" or score.budget <= 1
        assert score.details["stopped"] or not full
    by = {(float(s.budget or 0), s.details["attack"]): s for s in game.results}
    assert by[1, "count, difference"].score == pytest.approx(1, abs=0.01)
    assert by[4, "count, difference"].details["charged"] == 1
    assert by[4, "sum, direct"].score >= by[4, "sum, difference"].score


def test_two_people_are_enough() -> None:
    game = differencing(pa.table({"age": [4, 5]}), "age", bounds=(0, 7), budgets=[2], targets=1)
    assert {s.details["attack"]: s.score for s in game.results if s.budget is not None}["sum, direct"] == 2
    with pytest.raises(RequestError, match="asked for directly"):
        differencing(pa.table({"age": [4]}), "age", bounds=(0, 7), budgets=[2])


def test_numbers_with_a_step_and_an_offset() -> None:
    table = pa.table({"x": [-1.5, 0.25, 2.0, 1.75]})
    game = differencing(table, "x", bounds=(-2, 2), step=Decimal("0.25"), budgets=[2], targets=2)
    assert game.settings["values"] == 17
    assert all(s.details["charged"] <= 2 for s in game.results if s.budget is not None)


def test_categories_are_counted_only() -> None:
    table = pa.table({"illness": ["flu", "it's", "cancer", "flu"]})
    game = differencing(table, "illness", budgets=[1], targets=2)
    score, _ = game.results
    assert (score.details["attack"], score.details["charged"]) == ("count, difference", 1.0)


def test_a_budget_as_large_as_the_record_refuses_nothing() -> None:
    game = differencing(pa.table({"x": [0, 1, 1]}), "x", bounds=(0, 1), budgets=[1], targets=1)
    assert not any(s.details["stopped"] for s in game.results)
    assert {s.details["attack"]: s.details["left"] for s in game.results}["sum, direct"] == 1


def test_only_those_who_are_alone_can_be_singled_out() -> None:
    table = pa.table({"sex": ["f", "f", "m"], "age": [1, 2, 3]})
    people = read_private(table, "age", bounds=(0, 9), public=["sex"])
    assert people.positions[people.alone].tolist() == [3]
    assert [t.number for t in draw_targets(people, 5, 0)] == [2]
    with pytest.raises(RequestError, match="nobody is alone"):
        differencing(table.slice(0, 2), "age", bounds=(0, 9), public=["sex"])


def test_the_same_seed_draws_the_same_targets() -> None:
    people = column(list(range(5)) * 3)
    assert draw_targets(people, 3, 1) == draw_targets(people, 3, 1) != draw_targets(people, 3, 2)


def test_for_very_large_domains_the_targets_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["noiseless.adversaries.differencing"], "_MOST_PARTS", 1)
    table = pa.table({"age": [18, 20, 25, 26, 31, 38]})
    game = differencing(table, "age", bounds=(18, 38), budgets=[2], targets=4)
    known, _ = (s for s in game.results if s.details["attack"] == "sum, others known")
    assert known.low < known.score < known.high


def test_learnt_bits_and_conclusions() -> None:
    parts = [
        AnswerClass(range(4), range(4)),
        AnswerClass(range(4, 6), range(4, 6)),
        AnswerClass(range(6, 8), range(4, 8)),
    ]
    assert learnt_bits(parts, 8) == pytest.approx((4 * 1 + 2 * 2 + 2 * 1) / 8)
    assert conclusions(parts) == 3
    low, high = bootstrap_mean([1.0, 1.0], 0)
    assert low == high == 1


def test_every_curator_of_an_arena_begins_unspent(tmp_path: Path) -> None:
    question = "SELECT COUNT(*) FROM people WHERE value >= 3"
    arena = AttackTestbed(tmp_path, column(AGES), [0])
    for _ in range(2):
        with arena.curator(2) as curator:
            assert isinstance(curator, Curator)
            assert curator.state.spent.outputs == 1
            curator.ask(question)
    assert [path.name for path in tmp_path.iterdir()] == ["reach-2"]


def test_a_table_that_cannot_be_played_with_is_refused() -> None:
    with pytest.raises(EmptyTableError):
        read_private(pa.table({"x": pa.array([], pa.int64())}), "x", bounds=(0, 1))
    with pytest.raises(MissingValuesError):
        read_private(pa.table({"x": [1, None]}), "x", bounds=(0, 1))
    assert read_private(pa.table({"x": [1, None]}), "x", bounds=(0, 1), missing="drop").people == 1
    with pytest.raises(UnknownColumnError):
        read_private(pa.table({"x": [1]}), "y")
    with pytest.raises(ColumnError, match=r"'age' has 5,000,001 values.* round the column to it first"):
        differencing(pa.table({"age": [1, 2]}), "age", bounds=(0, 50_000), step=Decimal("0.01"))
    with pytest.raises(DomainError, match=r"2 values are outside the steps of 5 from 0; round the column to"):
        differencing(pa.table({"age": [1, 2]}), "age", bounds=(0, 50), step=5)
    with pytest.raises(DomainError, match=r"1 value is outside 0\.\.50; declare wider bounds$"):
        differencing(pa.table({"age": [1, 60]}), "age", bounds=(0, 50), step=5)
    with pytest.raises(ColumnError, match="holds texts, not numbers; 2 have decimal commas: blank or"):
        read_private(pa.table({"x": ["1,5", "1,5", "b.d."]}), "x", bounds=(0, 5))
    with pytest.raises(ColumnError, match="holds texts, not numbers; blank or mend"):
        read_private(pa.table({"x": ["1", "b.d."]}), "x", bounds=(0, 5))
    with pytest.raises(ColumnError, match="does not hold numbers; leave its bounds out"):
        read_private(pa.table({"x": [date(2020, 1, 1)]}), "x", bounds=(0, 5))
    with pytest.raises(RequestError, match="one value only"):
        read_private(pa.table({"x": ["a", "a"]}), "x")
    with pytest.raises(RequestError, match="make no domain"):
        read_private(pa.table({"x": [1]}), "x", bounds=(0, 1), step=3)
    with pytest.raises(RequestError, match="has no end as a decimal"):
        read_private(pa.table({"x": [1]}), "x", bounds=(0, 1), step=Fraction(1, 3))
    with pytest.raises(RequestError, match="holds no numbers"):
        _ = read_private(pa.table({"x": ["a", "b"]}), "x").step


def test_what_does_not_hold_stops_the_game() -> None:
    with pytest.raises(UnsoundError, match="two is three: this does not hold"):
        require_sound(False, "two is three")
