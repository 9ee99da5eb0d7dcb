"""Figures of [P4]: what they compute, and which printed statements they refute."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from scipy.ndimage import label

from gallery_examples import made
from noiseless.exact import Bits
from noiseless.gallery.figure import Outcome
from noiseless.gallery.p4_example_iv1 import bowl_level
from noiseless.gallery.p4_level_sets import level_pieces
from noiseless.gallery.p4_proposition_v1 import agreeing
from noiseless.measures import disarray, leakage, maximin


def refuted(outcome: Outcome) -> list[str]:
    return [check.claim for check in outcome.checks if not check.agrees]


@pytest.mark.parametrize("name", ["p4-fig1", "p4-fig2", "p4-fig3", "p4-example-iv1"])
def test_these_agree_with_the_paper(name: str) -> None:
    assert refuted(made(name)) == []


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("p4-example-iv2", ["for any number of people", "must be larger than 22/75"]),
        ("p4-level-sets", ["every level set is connected"]),
        ("p4-proposition-v1", ["relative disarray d0 = 0"]),
    ],
)
def test_what_is_misprinted_is_refuted_and_its_correction_holds(name: str, wrong: list[str]) -> None:
    found = refuted(made(name))
    assert len(found) == len(wrong)
    assert all(part in claim for part, claim in zip(wrong, found, strict=True))


@pytest.mark.parametrize("level", ["1", "3.9", "4.1", "6", "7.9", "8.1", "11"])
def test_level_sets_have_as_many_pieces_as_a_fine_grid_shows(level: str) -> None:
    side = np.linspace(-2, 2, 1201)
    x1, x2 = np.meshgrid(side, side)
    near = np.abs(x1**2 + 2 * x2**2 - float(level)) < 0.02
    _, pieces = label(near, structure=np.ones((3, 3)))
    assert level_pieces(Fraction(level)) == pieces


@pytest.mark.parametrize(("level", "breaks"), [(2, 0), (4, 0), (6, 2), (8, 2), (10, 4)])
def test_a_level_set_is_drawn_inside_the_square_with_a_break_a_piece(level: int, breaks: int) -> None:
    points = list(bowl_level(level))
    inside = [(x, y) for x, y in points if not isnan(x)]
    assert len(points) - len(inside) == breaks
    assert all(abs(x) <= 2 + 1e-9 and abs(y) <= 2 + 1e-9 for x, y in inside)
    assert all(abs(x * x + 2 * y * y - level) < 1e-9 for x, y in inside)


def test_what_agreeing_records_give_away() -> None:
    joint = agreeing(2, 4)
    assert disarray(joint).ratio == Fraction(1, 16)
    assert leakage(joint).ratio == 16
    assert maximin(joint) == Bits(5)
