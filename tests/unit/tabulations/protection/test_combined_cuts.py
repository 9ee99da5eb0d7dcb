"""Cuts that follow from others: whatever pattern meets the others meets them, and the mixture does not."""

from itertools import product
from random import Random

import numpy as np
import pytest
from scipy.sparse import csr_array

from noiseless.tabulations.protection.combined_cuts import combined_cuts


@pytest.mark.parametrize("many", [4, 7, 9])
def test_every_pattern_that_meets_all_cuts_meets_those_that_follow(many: int) -> None:
    patterns, seen, guarded = np.array(list(product((0.0, 1.0), repeat=many))), 0, 0
    for seed in range(150):
        random = Random(f"{many} {seed}")
        rows, least = np.zeros((random.randint(2, 7), many)), list[float]()
        for row in rows:
            chosen = random.sample(range(many), random.randint(2, many))
            row[chosen] = [random.choice((0.125, 0.25, 0.375, 0.625, 1.0, 1.0)) for _ in chosen]
            least.append(1.0)
            if random.random() < 0.3:
                row[chosen[0]], least[-1] = -1.0, 0.0
        right = np.array(least)
        fit = patterns[(patterns @ rows.T >= right - 1e-12).all(axis=1)]
        withheld = np.array([random.choice((0.0, 0.25, 1 / 3, 0.5, 0.5, 0.75, 1.0)) for _ in range(many)])
        for cut in combined_cuts(csr_array(rows), right, withheld):
            assert cut.lacks(withheld) > 0
            assert all(cut.lacks(pattern) <= 1e-9 for pattern in fit), (seed, cut)
            seen += 1
            guarded += bool((cut.factors < 0).any())
    assert seen > 50
    assert guarded


def test_a_half_of_three_cuts_around_a_triangle() -> None:
    """Each two of three cells hold one that is withheld, so two of the three are."""
    rows = csr_array(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]]))
    (cut,) = combined_cuts(rows, np.ones(3), np.full(3, 0.5))
    assert (cut.cells.tolist(), cut.factors.tolist(), cut.least) == ([0, 1, 2], [1.0, 1.0, 1.0], 2.0)


def test_what_is_left_counts_for_no_more_than_is_missing() -> None:
    """A cell that does for nine tenths leaves a need that one more cell meets, however small its share is."""
    rows = csr_array(np.array([[0.875, 0.625, 1.0]]))
    found = combined_cuts(rows, np.ones(1), np.array([1.0, 0.2, 0.0]))
    assert [(cut.cells.tolist(), cut.factors.tolist()) for cut in found] == [([1, 2], [1.0, 1.0])]
