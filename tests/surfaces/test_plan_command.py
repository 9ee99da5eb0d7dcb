import json

import pytest

from noiseless.cli.main import run

MEAN = ["plan", "--query", "mean", "--n", "1000", "--bounds", "0", "1"]


def test_a_plan_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MEAN, "--budget", "1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cells"], found["reach"], found["reach_exact"], found["bits"]) == (1000, 2, True, 1.0)
    assert (found["paper_cells"], found["entropy_of_record"]) == (2000, "inf")
    assert (found["cell_width_exact"], found["worst_error_exact"]) == ("1/1000", "1/2000")


def test_a_plan_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MEAN, "--budget", "reach 3"]) == 0
    assert "2,000 cells" in capsys.readouterr().out


def test_a_count_has_no_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    for bounds in ([], ["--bounds", "0", "1"]):
        assert run(["plan", "--query", "count", "--n", "30", *bounds, "--budget", "1"]) == 0
    first, second = capsys.readouterr().out.split("count of")[1:]
    assert first == second
    assert run(["plan", "--query", "mean", "--n", "30", "--budget", "1"]) == 2
    complaint = capsys.readouterr().err
    assert "needs the bounds (--bounds LO HI)" in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "0.5"], "below one bit"),
        (["--budget", "reach many"], "whole number"),
        (["--budget", "lots"], "finite decimal number"),
        (["--budget", "nan"], "finite decimal number"),
        ([], "or a largest error (--max-error 0.5), and only one of them"),
        (["--budget", "1", "--query", "avg"], "did you mean mean? There are count"),
        (["--budget", "1", "--bounds", "0,1", "--n", "5"], "with a space between them: --bounds LO HI"),
        (["--format", "xml"], "'xml' is not one of 'text', 'json'; see noiseless plan --help"),
        (["--budget", "1", "--step", "0.3"], "does not divide"),
        (["--budget", "1", "--least", "leakage"], "is that within an error"),
        (["--max-error", "0.1", "--budget", "1", "--least", "leakage"], "only one of them"),
        (["--max-error", "0.00001", "--least", "leakage"], "so small an error needs 50,000 cells"),
        (["--min-adversary-error", "100"], "even a constant answer leaves"),
        (["--min-adversary-error", "0"], "a number above 0"),
        (["--rule", "round:1", "--explain"], "a rule has its own price"),
    ],
)
def test_a_wrong_request_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*MEAN, *arguments]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_the_least_leakage_within_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MEAN, "--max-error", "0.03", "--least", "leakage", "--explain", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cells"], found["optimal_in"], found["edges_exact"][1]) == (17, "all", "3/50")
    assert found["leakage_nats"] == found["explanation"]["leakage_nats"] >= found["least_leakage_nats"]
    assert found["explanation"]["dmin"] < found["explanation"]["dmax"]
    assert found["explanation"]["consequences"]["reach"] == found["reach"]
