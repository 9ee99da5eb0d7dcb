"""The estimation game: posterior means by brute force, and no estimate better than the bound."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.adversaries.estimate import cut_by_sum, estimate
from noiseless.adversaries.posteriors import (
    Posteriors,
    density_error_bound,
    lattice_error_bound,
    lattice_prior,
    partition_errors,
    root_down,
    triangular_cell_errors,
    triangular_density,
    uniform_cell_errors,
)
from noiseless.errors import DomainError, RequestError
from noiseless.questions import Lattice
from noiseless.ranges.quantizer import Stepped
from noiseless.theory.estimation import estimation_error_bound, least_estimation_error

weights_of_values = st.lists(st.integers(0, 9), min_size=2, max_size=14).filter(any)


@given(weights_of_values, st.integers(1, 6), st.sampled_from([1, 2]), st.randoms())
def test_errors_are_those_of_the_definition(weights: list[int], cells: int, power: int, lot: object) -> None:
    """E|X - E[X | cell]|^p, cell by cell and value by value."""
    size = len(weights)
    inner = sorted(lot.sample(range(1, size), min(cells - 1, size - 1)))  # type: ignore[attr-defined]
    edges = [0, *inner, size]
    error, worst = Fraction(0), Fraction(0)
    for start, stop in pairwise(edges):
        mass = sum(weights[start:stop])
        if mass:
            mean = Fraction(sum(w * x for x, w in enumerate(weights[start:stop], start)), mass)
            held = [(x, weights[x]) for x in range(start, stop) if weights[x]]
            error += sum(w * abs(x - mean) ** power for x, w in held)
            worst = max(worst, *(abs(x - mean) for x, _ in held))
    found = partition_errors(Posteriors(np.array(weights)), edges, power)
    assert found.expected == pytest.approx(float(error / sum(weights)), abs=1e-12)
    assert found.worst == pytest.approx(float(worst))


@given(weights_of_values, st.integers(1, 8), st.sampled_from([1, 2]))
def test_the_lattice_form_of_theorem_4_is_a_lower_bound(weights: list[int], outputs: int, power: int) -> None:
    """rho N ((M/N)^2 - 1) / 4 and rho N ((M/N)^3 - M/N) / 12 are never above the best partition's error."""
    total = sum(weights)
    prior = [Fraction(w, total) for w in weights]
    best = least_estimation_error(range(len(weights)), outputs, power, prior).error
    assert density_error_bound(weights, outputs, power) <= best
    assert lattice_error_bound(weights, outputs, power) == best


def test_it_is_attained_by_equal_cells_and_the_uniform_prior() -> None:
    for cells in (1, 2, 3, 4, 6, 12):
        bound = density_error_bound([1] * 12, cells, 2)
        assert bound == least_estimation_error(range(12), cells, 2).error


@given(st.integers(1, 9), st.sampled_from([1, 2]))
def test_the_triangular_density_obeys_theorem_4_on_the_part_where_it_is_large(cells: int, power: int) -> None:
    """E|X - Xh|^p >= rho part^(p+1) N^-p / ((p+1) 2^p) where the density is at least rho on the part."""
    length = Fraction(10)
    density, part = triangular_density(length, power)
    assert estimation_error_bound(part, cells, power, density) <= Fraction(
        triangular_cell_errors(length, cells, power).expected
    )
    near = (density * Fraction(101, 100), density * Fraction(99, 100))
    best = density * part ** (power + 1)
    assert all(d * (length * (1 - d * length / 2)) ** (power + 1) < best for d in near)


def test_integrals_of_densities() -> None:
    """The variance of the triangular density over 0..1 is 1/24, its mean absolute deviation 1/6."""
    assert triangular_cell_errors(Fraction(1), 1, 2).expected == pytest.approx(1 / 24)
    assert triangular_cell_errors(Fraction(1), 1, 1).expected == pytest.approx(1 / 6)
    numbers = (np.arange(10**6) + 0.5) / 10**6
    shares = np.minimum(numbers, 1 - numbers) * 4 / 10**6
    cell = numbers < 1 / 3
    mean = (numbers * shares)[cell].sum() / shares[cell].sum()
    others = (numbers >= 1 / 3) & (numbers < 2 / 3)
    error = 2 * ((numbers - mean) ** 2 * shares)[cell].sum() + ((numbers - 0.5) ** 2 * shares)[others].sum()
    assert triangular_cell_errors(Fraction(1), 3, 2).expected == pytest.approx(error, rel=1e-5)
    assert uniform_cell_errors(Fraction(10), 4, 1).expected == 0.625


def test_roots_are_rounded_down() -> None:
    assert root_down(Fraction(1, 3), 1) <= 1 / 3
    for number in (Fraction(2), Fraction(1, 7), Fraction(10**20 + 1)):
        root = Fraction(root_down(number, 2))
        assert root * root <= number < (root + Fraction(root_down(number, 2)) / 10**14) ** 2


@given(st.integers(0, 30), st.integers(2, 9), st.integers(1, 7))
def test_a_sum_cuts_a_domain_where_its_cells_begin(base: int, size: int, points: int) -> None:
    quantizer = Stepped(Lattice.of(0, 60, 1), points)
    edges = cut_by_sum(quantizer, base, size)
    cells = [quantizer.cell_at(base + value) for value in range(size)]
    assert [sum(edge <= value for edge in edges) for value in range(size)] == [
        c - cells[0] + 1 for c in cells
    ]


TABLE = pa.table({"age": [3, 3, 7, 1, 8, 0, 15]})


def test_the_uniform_prior_attains_the_bound_when_the_value_itself_is_told() -> None:
    game = estimate(TABLE, "age", bounds=(0, 15), budgets=[0, 1, 2, 3, 4], priors=["uniform"], told=["value"])
    for score in game.results:
        assert score.score == pytest.approx(score.details["bound"])
    assert game.results[-2].score == 0  # 16 values, 4 bits: nothing is left to guess
    assert (game.results[-1].budget, game.results[-1].score) == (None, 0)
    assert game.results[0].score == pytest.approx(math.sqrt((16**2 - 1) / 12))


def test_no_estimate_beats_the_bound() -> None:
    for power in (1, 2):
        game = estimate(TABLE, "age", bounds=(0, 15), power=power, budgets=[0, 1, "reach 3", 2, 3])
        assert len(game.results) == 5 * 3 * 3 + 3 * 2
        for score in game.results:
            assert score.score >= score.details["bound"] - 1e-12
            assert score.details.get("least", 0) <= score.score + 1e-12


def test_with_the_tables_own_prior_the_expected_error_is_the_real_one() -> None:
    game = estimate(TABLE, "age", bounds=(0, 15), budgets=[1, 2], priors=["table"], told=["value"])
    for score in game.results:
        if score.details["told"] == "value" and score.budget is not None:
            assert score.details["on_table"] == pytest.approx(score.score)


def test_scores_are_in_the_unit_of_the_column() -> None:
    fine = pa.table({"x": [value / 10 for value in TABLE["age"].to_pylist()]})
    tenth = estimate(fine, "x", bounds=(0, Decimal("1.5")), step=Fraction(1, 10), budgets=[1])
    whole = estimate(TABLE, "age", bounds=(0, 15), budgets=[1])
    assert [10 * s.score for s in tenth.results] == pytest.approx([s.score for s in whole.results])


def test_on_an_interval_only_the_value_is_told() -> None:
    game = estimate(TABLE, "age", bounds=(0, 15), step=None, budgets=[2])
    assert {s.details["told"] for s in game.results} == {"value", "bound"}
    uniform = [s for s in game.results if s.details["prior"] == "uniform"]
    assert uniform[0].score == pytest.approx(15 / 4 / math.sqrt(12))
    with pytest.raises(RequestError, match="told are of value"):
        estimate(TABLE, "age", bounds=(0, 15), step=None, told=["sum"])
    with pytest.raises(RequestError, match="priors are of uniform, triangular"):
        estimate(TABLE, "age", bounds=(0, 15), step=None, priors=["table"])


def test_large_lattices_take_the_quick_bound() -> None:
    game = estimate(TABLE, "age", bounds=(0, 20_000), budgets=[4], priors=["triangular"], told=["value"])
    assert 0 < game.results[0].details["bound"] < game.results[0].score


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(RequestError, match="power"):
        estimate(TABLE, "age", bounds=(0, 15), power=3)
    with pytest.raises(DomainError, match="1 value is outside"):
        estimate(TABLE, "age", bounds=(0, 14))
    with pytest.raises(RequestError, match="no secret"):
        estimate(pa.table({"x": [1]}), "x", bounds=(1, 1))
    with pytest.raises(RequestError, match="smaller one first"):
        estimate(TABLE, "age", bounds=(15, 0), step=None)
    with pytest.raises(RequestError, match="the prior is one of"):
        lattice_prior("odd", 3, np.array([0]))
