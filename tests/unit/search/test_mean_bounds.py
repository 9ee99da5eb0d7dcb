"""Bounds on the mean loss of some tens of values: all near ones are found, and less to look at gives less."""

from fractions import Fraction

import numpy as np
import pytest

from noiseless import JointRange
from noiseless.search import mean_bounds
from noiseless.search.columns import Categories, Hierarchy, Numbers
from noiseless.search.mean_bounds import least_mean_loss
from noiseless.search.mean_loss import SquaredError
from noiseless.search.measures import measure
from noiseless.search.merging import ColumnCodebook
from noiseless.search.problem import Cells, Problem, SideInformation

TREE = {name: (name[0], "*") for name in ("aa", "ab", "ba", "bb", "bc", "ca")}


def random_problem(seed: int, numbers: int) -> Problem:
    """Columns of all kinds, with what is known besides, groups and rows."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(30, 45))
    columns = [Numbers(rng.integers(0, 50, size), span=(0, 60), weight=2) for _ in range(numbers)]
    towns, jobs = rng.choice(list("vwxyz"), size), rng.choice(list(TREE), size).tolist()
    pairs = [(x, a) for x in range(size) for a in range(2) if a == 0 or rng.random() < 0.3]
    held = sorted({(int(rng.integers(6)), y) for y in range(len(pairs)) for _ in range(2)})
    s, y = (np.array(part) for part in zip(*held, strict=True))
    return Problem(
        JointRange.from_codes(s, y),
        ColumnCodebook(*columns, Categories(towns.tolist()), Hierarchy(jobs, TREE), distance="max"),
        SideInformation(*zip(*pairs, strict=True)),
        rng.integers(1, 4, len(pairs)),
        rng.integers(0, 2, size),
    )


def least_by_pairs(problem: Problem, k: int, rows: int, most: list[Fraction]) -> Fraction:
    """The bound, from all pairs of answers, each measured as a cell; no value more than so much."""
    size, least, book = problem.size, [Fraction(0)] * problem.size, problem.codebook
    assert isinstance(book, ColumnCodebook)
    span = {}
    for x in range(size):
        for z in range(x + 1):
            lone = Cells.from_labels([0 if v in (x, z) else v + 1 for v in range(size)])
            lost = problem.loss.total(book.axes, lone.cell_of, np.zeros(size, bool), problem.weights)
            share = Fraction(int(problem.weights.sum()), int(problem.weights[list({x, z})].sum()))
            span[x, z] = span[z, x] = lost * share
    for y, x in enumerate(problem.public.tolist()):
        others = np.flatnonzero(problem.seen == problem.seen[y]).tolist()
        others.sort(key=lambda other: span[x, int(problem.public[other])])
        secrets, alike, far = set[int](), 0, most[x]
        for other in others:
            secrets |= set(problem.joint.posterior(other).tolist())
            alike += int(problem.counts[other])
            if len(secrets) >= k and alike >= rows:
                far = span[x, int(problem.public[other])]
                break
        least[x] = max(least[x], min(far, most[x]))
    lost = sum((one * int(many) for one, many in zip(least, problem.weights, strict=True)), Fraction(0))
    return lost / int(problem.weights.sum())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("numbers", [0, 1, 2])
def test_it_is_what_pairs_say(seed: int, numbers: int) -> None:
    problem, (k, rows) = random_problem(seed, numbers), [(3, 1), (5, 1), (2, 9)][seed]
    found = Cells.from_labels(problem.group_of * 7 + np.arange(problem.size) % 7)
    hidden = np.zeros(problem.size, bool)
    most = []
    for members in found.members:
        lone = Cells.from_labels(
            np.where(np.isin(np.arange(problem.size), members), 0, np.arange(problem.size) + 1)
        )
        most.append(measure(problem, lone, hidden).mean_loss or Fraction(0))
        most[-1] *= Fraction(int(problem.weights.sum()), int(problem.weights[list(members)].sum()))
    radius = [most[cell] for cell in found.cell_of.tolist()]
    need = np.full(len(problem.prior), k)
    assert least_mean_loss(problem, need, rows, found) == least_by_pairs(problem, k, rows, radius)


@pytest.mark.parametrize("numbers", [0, 1])
def test_less_to_look_at_bounds_less(numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(9, numbers)
    need = np.full(len(problem.prior), 4)
    found = [least_mean_loss(problem, need) or Fraction(0)]
    for most in (200, 20, 0):
        monkeypatch.setattr(mean_bounds, "NEAR", most)
        monkeypatch.setattr(mean_bounds, "PAIRS", 20 * most)
        found.append(least_mean_loss(problem, need) or Fraction(0))
    assert found == sorted(found, reverse=True)
    assert found[0] > found[2] > found[-1] == 0


def test_other_losses_have_no_bound() -> None:
    joint = JointRange.from_codes([0, 1, 0, 1], [0, 1, 2, 3])
    columns = ColumnCodebook(Numbers([1, 2, 3, 4]), Numbers([4, 2, 3, 1]))
    assert least_mean_loss(Problem(joint, columns, loss=SquaredError()), np.array([2])) is None
    assert least_mean_loss(Problem(joint), np.array([2])) is None
    assert least_mean_loss(Problem(joint, columns), np.array([2])) == Fraction(5, 12)


def test_large_numbers_are_rounded_down() -> None:
    """Columns whose common scale does not fit are bounded by less, but by little less."""
    joint = JointRange.from_codes([0, 1, 0, 1], [0, 1, 2, 3])
    far = [0, 10**15 + 37, 2 * 10**15 + 1, 3 * 10**15 + 91]
    columns = ColumnCodebook(
        Numbers(far), Numbers([0, 10**9 + 7, 3, 2 * 10**9 + 33], span=(-7, 3 * 10**9 + 1))
    )
    problem = Problem(joint, columns)
    exact = least_by_pairs(problem, 2, 1, [Fraction(1)] * 4)
    bound = least_mean_loss(problem, np.array([2])) or Fraction(0)
    assert exact * Fraction(9, 10) < bound < exact
