"""`noiseless plan --rule` and `noiseless rules`."""

import json
import re
from pathlib import Path

import pytest

from noiseless.cli.main import run
from noiseless.rules import EXAMPLES

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
SUM = ["plan", "--query", "sum", "--n", "1000", "--bounds", "0", "1000", "--step", "1"]


def undocumented(found: dict[str, object]) -> list[str]:
    return [key for key in found if not re.search(rf"`{re.escape(key)}[` ]", PAGE)]


def test_a_plan_under_a_rule_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SUM, "--rule", "round:100", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["reach"], found["reach_exact"], found["witness_reach"]) == (11, True, 11)
    assert (found["rule"], found["paper_cells"], found["withheld"]) == ("round:100", None, False)
    assert found["witness"] == {"others": [[0, 999]], "values": [0, 50, 1000], "answers": [0, 100, 1000]}
    assert found["finest"]["worst_error"] == 49.5
    assert undocumented(found) == []
    assert undocumented(found["witness"]) == []


def test_a_dominance_rule_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SUM, "--rule", "15/15", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["reach"], found["withheld"], found["worst_error"], found["cells"]) == (
        1001,
        True,
        None,
        None,
    )
    assert "gives everything away" in found["verdict"]


def test_dates_and_codes_are_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["plan", "--query", "value", "--bounds"]
    assert run([*asked, "1950-01-01", "2009-12-31", "--rule", "date:year"]) == 0
    assert "60 answers" in capsys.readouterr().out
    assert run([*asked, "00000", "99999", "--rule", "prefix:3"]) == 0
    assert "000**" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*SUM, "--rule", "round:5", "--budget", "1"], "its own price"),
        ([*SUM, "--rule", "round:5", "--max-error", "1"], "its own price"),
        ([*SUM, "--rule", "ruond:5"], "did you mean 'round'?"),
        ([*SUM, "--rule", "date:year"], "--query value"),
        (["plan", "--query", "count", "--rule", "round:5"], "--n N"),
        (["plan", "--query", "count", "--budget", "1"], "--n N"),
        (["plan", "--query", "value", "--bounds", "a", "b", "--rule", "round:5"], "finite decimal"),
        (["plan", "--query", "value", "--bounds", "a", "b", "--rule", "date:year"], "such as 1950-01-01"),
        (["rules", "--rule", "magic"], "no rule is called 'magic'"),
        (["rules", "--query", "mode"], "no question is called 'mode'"),
        (["rules", "--step", "0.3"], "does not divide"),
    ],
)
def test_a_wrong_request_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_all_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["rules"]
    assert [priced["text"] for priced in found] == list(EXAMPLES)
    assert all(priced["reach"] and priced["bits"] is not None and priced["used_by"] for priced in found)
    assert undocumented(found[0]) == []
    assert all(f"`{priced['form']}`" in PAGE.replace("\\|", "|") for priced in found)


def test_rules_for_a_question_of_one_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["rules", "--query", "mean", "--n", "200", "--bounds", "0", "120", "--step", "1"]
    assert run([*asked, "--rule", "round:1", "--rule", "census-counts"]) == 0
    first, second = capsys.readouterr().out.strip().split("\n\n")
    assert "off by 0.2975 instead of 0.5" in first
    assert "not priced" in second
