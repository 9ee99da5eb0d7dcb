from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from noiseless.collection.local.vectors import LocalVector
from noiseless.errors import DomainError, RequestError
from noiseless.exact import Bits, Rational
from noiseless.questions import Continuum, Lattice, Span

CITY = {"lat": Continuum.of(Fraction("40.5"), Fraction("40.9")), "lon": Continuum.of(-75, -73)}


def test_the_wider_side_gets_more_cells() -> None:
    release = LocalVector.finest(CITY, 2**8)
    assert release.cells == (7, 36)
    assert release.reach == 252
    assert release.bits == Bits(252)
    assert release.worst_error == Fraction(2, 70)
    assert release.entropy_of_record is None


def test_weights_change_the_split() -> None:
    """A degree of longitude is shorter than one of latitude."""
    plain, weighted = (LocalVector.finest(CITY, 64, weights) for weights in (None, {"lat": 10}))
    assert weighted.cells[0] > plain.cells[0]
    assert weighted.worst_error == max(
        10 * Fraction(4, 20) / weighted.cells[0], Fraction(1) / weighted.cells[1]
    )


def test_what_is_left_is_given_to_the_others() -> None:
    """Three values need three cells; what five outputs more can do goes elsewhere."""
    release = LocalVector.finest({"a": Lattice.of(0, 2, 1), "b": Continuum.of(0, 1)}, 8)
    assert release.cells == (3, 2)
    release = LocalVector.finest({"a": Continuum.of(0, 100), "b": Continuum.of(0, 1)}, 7)
    assert release.cells == (7, 1)
    assert LocalVector.finest({"a": Lattice.of(0, 1, 1), "b": Lattice.of(0, 1, 1)}, 100).cells == (2, 2)


def test_a_huge_budget_is_split_at_once() -> None:
    release = LocalVector.finest({**CITY, "floor": Lattice.of(0, 9, 1)}, 2**60)
    assert release.reach <= 2**60
    assert release.cells[2] == 10


def test_the_coarsest_keeps_to_the_error_in_each_coordinate() -> None:
    release = LocalVector.coarsest(CITY, Fraction(1, 10))
    assert release.cells == (2, 10)
    assert release.worst_error == Fraction(1, 10)


def test_half_as_many_outputs() -> None:
    release = LocalVector.finest(CITY, 16)
    reaches = [release.reach]
    while (coarser := release.halved()) is not None:
        release = coarser
        reaches.append(release.reach)
    assert all(2 * after <= before for before, after in pairwise(reaches))
    assert reaches[-1] in (2, 3)


def test_boxes_and_codes() -> None:
    release = LocalVector.finest({"a": Continuum.of(0, 4), "b": Lattice.of(0, 3, 1)}, 8)
    assert release.cells == (4, 2)
    box = release.release([Fraction(3, 2), 3])
    assert [(int(side.lower), int(side.upper)) for side in box] == [(1, 2), (2, 3)]
    first, second = release.encode([np.array([1.5, 4.0]), np.array([3, 0])])
    assert (first.tolist(), second.tolist()) == ([1, 3], [1, 0])
    with pytest.raises(DomainError, match="column 'b': 1 value"):
        release.encode([np.array([1.0]), np.array([9])])
    with pytest.raises(RequestError, match="2 coordinates"):
        release.encode([np.array([1.0])])


@pytest.mark.parametrize(
    ("spans", "reach", "weights", "match"),
    [
        ({}, 4, None, "at least one coordinate"),
        (CITY, 0, None, "larger reach"),
        (CITY, 4, {"x": 1}, "no coordinate"),
        (CITY, 4, {"lat": 0}, "above 0"),
    ],
)
def test_requests_that_make_no_sense(
    spans: dict[str, Span], reach: int, weights: dict[str, Rational] | None, match: str
) -> None:
    with pytest.raises(RequestError, match=match):
        LocalVector.finest(spans, reach, weights)


def test_entropy_of_lattices_adds() -> None:
    pair = {"a": Lattice.of(0, 2, 1), "b": Lattice.of(0, 4, 1)}
    assert LocalVector.finest(pair, 4).entropy_of_record == Bits(15)
