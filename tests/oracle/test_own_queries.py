"""Questions of one's own: no person causes more cells than is planned for, value by value."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest

import noiseless as nl
from noiseless.cli.main import run
from noiseless.pricing import QuantizedAnswer, Record, price
from noiseless.pricing.reach import QuantizedQuery, reach
from noiseless.questions import OwnQuery
from noiseless.ranges.quantizer import Stepped, Uniform
from noiseless.theory.accuracy import FunctionVolume
from noiseless.theory.accuracy.plans import function_plan

GRID = [Fraction(k, 8) for k in range(-16, 17)]


@pytest.mark.parametrize(
    ("formula", "function"),
    [
        ("x1**2 + 2*x2**2", lambda x, y: x**2 + 2 * y**2),
        ("x1 * x2 - x1", lambda x, y: x * y - x),
        ("max(x1, x2) / 2 + abs(x1)", lambda x, y: max(x, y) / 2 + abs(x)),
        ("x1 / (3 + x2)", lambda x, y: x / (3 + y)),
    ],
)
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_nobody_causes_more_cells_than_a_formula_is_planned_for(
    formula: str, function: Callable[[Fraction, Fraction], Fraction], bits: int
) -> None:
    volume = FunctionVolume.of_formula(formula, {"x1": (-2, 2), "x2": (-2, 2)})
    planned = function_plan(volume, budget=bits)
    cell = planned.mechanism.quantizer.cell
    table = {(x, y): function(x, y) for x, y in product(GRID, repeat=2)}
    assert volume.query.sensitivity >= max(
        abs(table[a, y] - table[b, y]) for a, b, y in product(GRID[::16], GRID, GRID[::4])
    )
    for other in GRID:
        assert len({cell(table[x, other]) for x in GRID}) <= planned.reach
        assert len({cell(table[other, y]) for y in GRID}) <= planned.reach
    assert planned.reach <= 2**bits


@pytest.mark.parametrize(("last", "sweep"), [(9, 1), (12, 3), (7, 7), (10, 0)])
def test_every_run_of_answers_within_the_sensitivity_is_allowed_for(last: int, sweep: int) -> None:
    query = OwnQuery.of(5, (0, last), sweep, step=1)
    for points in range(1, last + 2):
        quantizer = Stepped(query.span, points)  # type: ignore[arg-type]  # it has a step
        runs = [
            len({quantizer.cell_at(place) for place in range(start, start + sweep + 1)})
            for start in range(last - sweep + 1)
        ]
        assert reach(query, quantizer).outputs == max(runs)


def test_an_own_question_is_planned_as_a_mean_with_its_sensitivity_is() -> None:
    for bits in (1, 2, 3):
        own = nl.plan("own", n=10, bounds=(0, 1), sensitivity=Fraction(1, 10), budget=bits)
        mean = nl.plan("mean", n=10, bounds=(0, 1), budget=bits)
        assert (own.cells, own.reach, own.worst_error) == (mean.cells, mean.reach, mean.worst_error)
        assert (own.reach_exact, own.to_dict()["entropy_of_record"]) == (False, None)
    assert (
        nl.plan("own", n=10, bounds=(0, 1), sensitivity=Fraction(1, 10), max_error=Decimal("0.1")).cells == 5
    )


def test_an_own_question_has_a_price_beside_others() -> None:
    query = OwnQuery.of(10, (0, 1), Fraction(1, 10), name="index")
    told = [QuantizedAnswer(QuantizedQuery(query, Uniform(query.span, cells))) for cells in (10, 7)]
    assert price(told, Record.of({"index": None})).outputs <= 4


def test_a_callable_is_planned_by_its_lipschitz_constant() -> None:
    volume = FunctionVolume.of_callable(max, [(0, 1)] * 3, lipschitz=1)
    found = function_plan(volume, max_error=Fraction(1, 5))
    assert found.worst_error <= Fraction(1, 5)
    least = function_plan(volume, max_error=Fraction(1, 5), least="leakage")
    assert least.to_dict()["smallest_share"] >= 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--query", "own", "--n", "9", "--bounds", "0", "1", "--budget", "1"], "--sensitivity S"),
        (
            ["--query", "sum", "--n", "9", "--bounds", "0", "1", "--sensitivity", "1", "--budget", "1"],
            "--query own",
        ),
        (
            ["--query", "own", "--n", "9", "--bounds", "0", "1", "--sensitivity", "-1", "--budget", "1"],
            "0 or more",
        ),
        (["--formula", "x1 + x2", "--domain", "x1=0:1", "--budget", "1"], "give the bounds of x2"),
        (["--formula", "x1", "--domain", "x1=0:1"], "only one of them"),
        (
            ["--formula", "x1", "--domain", "x1=0:1", "--query", "sum", "--budget", "1"],
            "leave the other options out",
        ),
    ],
)
def test_a_wrong_question_of_ones_own_is_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", *words]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1
