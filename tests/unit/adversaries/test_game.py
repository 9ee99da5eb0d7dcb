import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from noiseless import adversaries
from noiseless.adversaries import Game, Score
from noiseless.adversaries.game import as_budget, as_budgets, reach_of, stream
from noiseless.errors import OutputError, RequestError
from noiseless.exact import Bits
from noiseless.reports.game_plot import game_plot


def _game(sizes: tuple[int, ...] = (2, 4), names: tuple[str, ...] = ("one", "two")) -> Game:
    results = [
        Score(budget, 0.5 + n / 50, 0.4, 0.9, {"people": n, "adversary": name, "rounds": 10})
        for n in sizes
        for name in names
        for budget in (Fraction(1), Bits(3), None)
    ]
    settings = {"households": 7}
    return Game("a game", "probability of <luck>", 3, settings, tuple(results), ("people", "adversary"))


def test_a_score_is_json() -> None:
    found = Score(Fraction(3, 2), 0.5, 0.4, 0.6, {"people": 4}).to_dict()
    assert found == {"budget": 1.5, "score": 0.5, "low": 0.4, "high": 0.6, "people": 4}
    assert Score(None, 1, 1, 1).to_dict()["budget"] == "inf"


def test_a_game_is_json_with_its_settings() -> None:
    found = json.loads(json.dumps(_game().to_dict()))
    assert list(found) == ["game", "measure", "seed", "households", "results"]
    assert [one["budget"] for one in found["results"][:3]] == [1, pytest.approx(1.585, abs=1e-3), "inf"]


def test_a_game_reads_as_a_table_of_what_differs() -> None:
    text = repr(_game())
    assert text.splitlines()[0] == "a game: probability of <luck> (seed 3)"
    assert text.splitlines()[1].split() == ["budget", "people", "adversary", "score", "95", "%", "interval"]
    assert len(text.splitlines()) == 2 + 12
    assert "&lt;luck&gt;" in _game()._repr_html_()
    assert "exact" in repr(Game("g", "share", None, {}, (Score(None, 1, 1, 1),)))


def test_a_game_shows_the_details_that_it_names() -> None:
    shown = Game("g", "share", 0, {}, _game().results, shown=("rounds",))
    assert repr(shown).splitlines()[1].split()[:2] == ["budget", "rounds"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", Fraction(2)),
        (" 1.58 ", Fraction(79, 50)),
        ("3/2", Fraction(3, 2)),
        ("reach 3", Bits(3)),
        (2, Fraction(2)),
        (0.5, Fraction(1, 2)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Bits(5), Bits(5)),
    ],
)
def test_budgets_are_exact(text: str | float, expected: Fraction | Bits) -> None:
    found = as_budget(text)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    "wrong",
    [
        *("", "many", "-1", "1/0", "-1/2", "reach 0", "reach -1", "reach x", "1e999999999", "nan", "inf"),
        *("20000", float("inf"), float("nan"), -1, Bits(Fraction(1, 2))),
    ],
)
def test_what_is_no_budget_is_refused(wrong: str | float) -> None:
    with pytest.raises(RequestError, match="budget"):
        as_budget(wrong)


def test_budgets_ascend_and_allow_whole_reaches() -> None:
    budgets = as_budgets(["reach 3", 4, "1.58", 4, 0])
    assert budgets == (Fraction(0), Fraction(79, 50), Bits(3), Fraction(4))
    assert [reach_of(budget) for budget in budgets] == [1, 2, 3, 16]


def test_random_numbers_depend_on_the_task_alone() -> None:
    drawn = [rng.integers(0, 10**9) for rng in (stream(5, task) for task in range(3))]
    assert drawn[2] == stream(5, 2).integers(0, 10**9)
    assert len(set(drawn)) == 3
    with pytest.raises(RequestError, match="seed"):
        stream(-1)


def test_a_game_is_a_function_even_after_its_module_was_imported() -> None:
    code = """
import sys
import noiseless.adversaries.membership
from noiseless.adversaries import membership
assert callable(membership) and membership.__module__ == "noiseless.adversaries.membership"
assert "matplotlib" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        adversaries.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_all_exported_names_exist() -> None:
    for name in adversaries.__all__:
        assert getattr(adversaries, name) is not None


def test_the_same_game_is_the_same_picture(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png"):
        game_plot(_game(), tmp_path / name)
    first = (tmp_path / "a.svg").read_text()
    assert first == (tmp_path / "b.svg").read_text()
    assert "people 2, one" in first
    assert "probability of &lt;luck&gt;" in first
    assert "unprotected" in first
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_many_lines_are_spread_over_panels(tmp_path: Path) -> None:
    game_plot(_game((1, 2, 3, 4)), tmp_path / "many.svg")
    drawn = (tmp_path / "many.svg").read_text()
    assert ">one<" in drawn
    assert ">people 1<" in drawn
    assert "people 1, one" not in drawn


def test_a_detail_may_go_across(tmp_path: Path) -> None:
    scores = tuple(Score(None, q / 8, q / 8, q / 8, {"questions": q, "strategy": "halve"}) for q in (1, 2, 4))
    game_plot(Game("search", "bits", None, {}, scores), tmp_path / "q.svg", across="questions")
    drawn = (tmp_path / "q.svg").read_text()
    assert ">questions<" in drawn
    assert "unprotected" not in drawn


def test_a_lone_score_can_be_drawn(tmp_path: Path) -> None:
    game_plot(Game("g", "share", None, {}, (Score(None, 1, 1, 1),)), tmp_path / "one.png")
    assert (tmp_path / "one.png").is_file()


def test_other_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\.png or \.svg"):
        game_plot(_game(), tmp_path / "game.gif")


def test_a_release_leaks_and_a_person_tells(tmp_path: Path) -> None:
    scores = (Score(Fraction(1), 1, 1, 1), Score(Fraction(2), 1, 1, 1))
    for name, words in {
        "homogeneity": "bits that the release may leak, L0",
        "g": "leaked about one person",
    }.items():
        game_plot(Game(name, "share", None, {}, scores), tmp_path / "axis.svg")
        assert words in (tmp_path / "axis.svg").read_text()
