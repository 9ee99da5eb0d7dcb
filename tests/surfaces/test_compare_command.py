import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from noiseless.cli.main import run
from noiseless.comparison.comparison import compare, mean_error
from noiseless.pricing.reach import finest
from noiseless.questions import Attribute, Continuum, LinearOnBox, Quantity, mean, total

Command = Callable[..., Any]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str) -> Any:  # noqa: ANN401 - any JSON
        code = run(("compare", *arguments, "--format", "json"))
        captured = capsys.readouterr()
        return json.loads(captured.out) if code == 0 else (code, captured.err)

    return call


SMALL = ("--query", "mean", "--n", "50", "--bounds", "0", "20", "--step", "1")


def test_mechanisms_at_equal_bits(command: Command) -> None:
    found = command(*SMALL, "--bits", "2")
    names = [mechanism["name"] for mechanism in found["mechanisms"]]
    assert names == ["noiseless", "laplace", "geometric", "gaussian"]
    for mechanism in found["mechanisms"]:
        assert set(mechanism) >= {"name", "worst_error", "mean_error", "bits"}
        assert 1.98 < mechanism["bits"] <= 2
        assert mechanism["mean_error"] < mechanism["worst_error"]
    ours, *others = found["mechanisms"]
    assert all(ours["worst_error"] < other["worst_error"] == 20 for other in others)
    assert (found["resolution_exact"], found["sweep"]) == ("1/50", 20)


def test_the_same_seed_gives_the_same_example(command: Command) -> None:
    first, again, other = (command(*SMALL, "--bits", "1", "--seed", seed) for seed in ("1", "1", "2"))
    assert first == again
    assert first["truth"] != other["truth"]
    errors = [[m["mean_error"] for m in found["mechanisms"]] for found in (first, other)]
    assert errors[0] == errors[1]


def test_more_bits_less_error(command: Command) -> None:
    errors = [
        [m["mean_error"] for m in command(*SMALL, "--bits", bits)["mechanisms"]] for bits in ("1", "2", "3")
    ]
    assert all(
        before > after for one, two in pairwise(errors) for before, after in zip(one, two, strict=True)
    )


def test_below_one_bit_noise_alone_tells_something(command: Command) -> None:
    ours, *others = command("--query", "count", "--n", "20", "--bounds", "0", "1", "--bits", "0.5")[
        "mechanisms"
    ]
    assert (ours["bits"], ours["worst_error"], ours["parameter"]["cells"]) == (0, 10, 1)
    assert others[-1]["name"] == "randomised response"
    assert all(other["mean_error"] < ours["mean_error"] for other in others)


def test_a_count_costs_one_bit_exactly(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("compare", "--query", "count", "--n", "20", "--bits", "1")) == 0
    assert capsys.readouterr().out.endswith(
        "allow the exact answer: no noise is needed, and none is added.\n"
    )
    found = command("--query", "count", "--n", "20", "--bounds", "0", "1", "--bits", "1")["mechanisms"]
    assert len(found) == 5
    assert all((m["bits"], m["mean_error"], m["worst_error"]) == (1, 0, 0) for m in found)
    assert found[1]["epsilon"] == "inf"


def test_one_person_can_move_a_maximum_over_everything(command: Command) -> None:
    found = command("--query", "max", "--n", "9", "--bounds", "0", "10", "--step", "1", "--bits", "1")
    assert [m["name"] for m in found["mechanisms"]][-1] == "exponential"
    alone = command("--query", "sum", "--n", "1", "--bounds", "0", "10", "--step", "1", "--bits", "1")
    assert [m["name"] for m in alone["mechanisms"]][-1] == "randomised response"


def test_fine_values_are_compared_on_a_coarser_lattice() -> None:
    found = compare("sum", n=3, bounds=(0, 10), step=Decimal("0.001"), bits=1)
    assert found.resolution == Fraction(79, 1000)
    assert found.sweep == 127
    continuous = compare("sum", n=3, bounds=(0, 10), bits=1)
    assert continuous.resolution == Fraction(10, 128)
    for one, other in zip(found.mechanisms, continuous.mechanisms, strict=True):
        assert one.mean_error == pytest.approx(other.mean_error, rel=0.02)


def test_many_bits_need_a_finer_lattice(command: Command) -> None:
    """Errors halve with each bit: nothing is rounded more than the bits ask for."""
    found = {
        bits: command("--query", "max", "--n", "9", "--bounds", "0", "1", "--bits", bits) for bits in "68"
    }
    assert [found[bits]["sweep"] for bits in "68"] == [512, 2048]
    for coarse, fine in zip(found["6"]["mechanisms"], found["8"]["mechanisms"], strict=True):
        assert fine["mean_error"] == pytest.approx(coarse["mean_error"] / 4, rel=0.01)
        assert 7.99 < fine["bits"] <= 8


def test_no_noise_where_exact_answers_keep_to_the_bits(command: Command) -> None:
    found = command("--query", "sum", "--n", "3", "--bounds", "0", "511", "--step", "1", "--bits", "9")
    assert found["sweep"] == 511
    assert all((m["bits"], m["mean_error"], m["worst_error"]) == (9, 0, 0) for m in found["mechanisms"])


def test_errors_of_a_crowd_are_those_of_a_few() -> None:
    crowds = [compare("sum", n=n, bounds=(0, 1), bits=2).mechanisms for n in (10**6, 10**15)]
    for few, many in zip(*crowds, strict=True):
        assert many.mean_error == pytest.approx(few.mean_error, rel=1e-4)


def test_a_reach_is_a_number_of_bits(command: Command) -> None:
    found = command(*SMALL, "--bits", "reach 3")
    assert found["bits"] == pytest.approx(1.5849625)
    assert all(1.57 < m["bits"] <= 1.584962501 for m in found["mechanisms"])
    assert (
        found["mechanisms"][0]["parameter"]["cells"]
        > command(*SMALL, "--bits", "1.58")["mechanisms"][0]["parameter"]["cells"]
    )


def test_a_count_has_no_bounds(command: Command) -> None:
    without, given = (
        command("--query", "count", "--n", "20", *bounds, "--bits", "0.5")
        for bounds in ((), ("--bounds", "0", "1"))
    )
    assert without == given


def test_mean_error_of_cells() -> None:
    question = mean(4, Attribute("x", range(6)))
    for reach in (1, 2, 3, 6):
        mechanism = finest(question, reach)
        span = question.span
        errors = [
            abs(mechanism.quantizer.answer(mechanism.quantizer.cell_at(p)).value - span.value(p))
            for p in range(span.last + 1)
        ]
        assert mean_error(mechanism) == sum(errors) / len(errors)
    sparse = total(3, Attribute.among("x", [Fraction(0), Fraction(5), Fraction(7)]))
    mechanism = finest(sparse, 2)
    values = [sparse.span.value(p) for p in sparse.attainable]
    errors = [abs(mechanism.answer(mechanism.quantizer.cell(v)).value - v) for v in values]
    assert mean_error(mechanism) == sum(errors) / len(errors) <= mechanism.worst_error
    box = LinearOnBox((Fraction(1),) * 2, Quantity("x", Continuum.of(0, 1)))
    assert mean_error(finest(box, 3)) == Fraction(2, 4) / 4


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("--query", "mode", "--n", "5", "--bounds", "0", "1", "--bits", "1"),
            "no question is called 'mode'",
        ),
        (("--query", "sum", "--n", "5", "--bounds", "1", "1", "--bits", "1"), "nobody moves the answer"),
        (("--query", "sum", "--n", "5", "--bounds", "0", "1", "--bits", "0.01"), "from 0.05 on"),
        (("--query", "sum", "--n", "0", "--bounds", "0", "1", "--bits", "1"), "at least 1"),
        (("--query", "sum", "--n", "5", "--bounds", "0", "inf", "--bits", "1"), "finite"),
        (("--query", "sum", "--n", "5", "--bits", "1"), "needs the bounds (--bounds LO HI)"),
        (
            ("--query", "sum", "--n", "5", "--bounds", "0", "1", "--bits", "reach x"),
            '--bits "reach K" takes a whole',
        ),
        (("--query", "sum", "--n", "5", "--bounds", "0", "1", "--bits", "reach 1"), "from 0.05 on"),
        (("--query", "sum", "--n", "5", "--bounds", "0", "1", "--bits", "reach 0"), "1 or more"),
    ],
)
def test_wrong_requests(command: Command, arguments: tuple[str, ...], problem: str) -> None:
    code, err = command(*arguments)
    assert code == 2
    assert problem in err
    assert err.count("\n") == 1


def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("compare", *SMALL, "--bits", "1")) == 0
    out = capsys.readouterr().out
    assert out.startswith("mean of 50 people, 1 bit from one person at most")
    assert "Noise is added on a lattice of step 0.02" in out
    assert "Equal bits are not equal promises" in out
