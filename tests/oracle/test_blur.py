"""The blur on lattices against its definition, point by point on small ranges."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.collection.blur import census as blur_census
from noiseless.collection.blur.census import enclose, take_census
from noiseless.collection.blur.fibres import Mode
from noiseless.collection.blur.lattice import Blur
from noiseless.domain import NumberColumn
from noiseless.theory.hypothesis.ranges import HypothesisRanges

F = Fraction
BOUNDARIES = (
    *("y", "y/3", "y**2/2 - 1", "0.5 - 1.7*y", "max(y, 2)/(y**2 + 1)", "abs(y) - 1/3", "100", "0.5", "-y"),
    *("y + z/2", "y*z - 0.25", "min(y, z)"),
)


Output = tuple[tuple[str, Fraction], ...]


class Case(NamedTuple):
    """A blur on a small range, and the domains of its columns."""

    blur: Blur
    columns: Mapping[str, NumberColumn]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    step = draw(st.sampled_from(["1", "0.5", "2", "0.3"]))
    low, points = draw(st.integers(-4, 4)), draw(st.integers(1, 11))
    bounds: dict[str, tuple[Decimal, ...]] = {
        "x": (Decimal(low), low + Decimal(step) * (points - 1), Decimal(step)),
        "y": (Decimal(draw(st.integers(-3, 0))), Decimal(draw(st.integers(1, 4)))),
        "z": (Decimal(0), Decimal(draw(st.integers(0, 3)))),
    }
    boundary = draw(st.sampled_from(BOUNDARIES))
    change = F(step) * draw(st.fractions(1, 7, max_denominator=7))
    text = f"x {draw(st.sampled_from(['>=', '>', '<=', '<']))} {boundary}"
    used = {name: numbers for name, numbers in bounds.items() if name == "x" or name in boundary}
    mode: Mode = draw(st.sampled_from(["stretch", "collapse"]))
    blur = Blur.of(text, max_change=change, bounds=used, mode=mode)
    return Case(blur, blur.columns)


def points_of(case: Case) -> list[dict[str, Fraction]]:
    """Every point of the declared range."""
    names = list(case.columns)
    values = [[F(column.value(k)) for k in range(column.size)] for column in case.columns.values()]
    return [dict(zip(names, point, strict=True)) for point in product(*values)]


def releases_of(case: Case) -> list[Output]:
    """What is released for each of them, in the same order."""
    sizes = [column.size for column in case.columns.values()]
    codes = dict(zip(case.columns, np.indices(sizes).reshape(len(sizes), -1), strict=True))
    compared = codes.pop("x")
    released = np.broadcast_to(case.blur.fibres(codes).release(compared), len(compared))
    x = [F(case.columns["x"].value(int(point))) for point in released]
    return [tuple(sorted({**p, "x": y}.items())) for p, y in zip(points_of(case), x, strict=True)]


@given(cases())
def test_what_is_touched_is_undecidable_and_nothing_moves_too_far(case: Case) -> None:
    """Every value that is moved, and every value of a touched band, is released for either answer."""
    hypothesis, points = case.blur.hypothesis, points_of(case)
    released = releases_of(case)
    answers: dict[object, set[bool]] = {}
    for point, output in zip(points, released, strict=True):
        answers.setdefault(output, set()).add(hypothesis.holds(point))
    for point, output in zip(points, released, strict=True):
        x, y = point["x"], dict(output)["x"]
        assert {name: value for name, value in output if name != "x"} == {
            n: v for n, v in point.items() if n != "x"
        }
        assert case.columns["x"].index(Decimal(y.numerator) / Decimal(y.denominator)) is not None
        assert abs(x - y) <= case.blur.max_change
        undecidable = len(answers[output]) == 2
        assert undecidable or x == y
        assert undecidable == in_band(case, point, points)


def in_band(case: Case, point: Mapping[str, Fraction], points: list[dict[str, Fraction]]) -> bool:
    """Whether a point is merged, from the definition alone."""
    hypothesis, change = case.blur.hypothesis, case.blur.max_change
    g = hypothesis.boundary.at(point)
    others = {name: value for name, value in point.items() if name != "x"}
    fibre = [p["x"] for p in points if {n: v for n, v in p.items() if n != "x"} == others]
    band = [x for x in fibre if abs(x - g) <= change]
    if len({hypothesis.holds_for(x, g) for x in band}) < 2:
        return False
    step = F(case.columns["x"].step)
    if case.blur.mode == "collapse" and band[-1] - band[0] > 2 * (change // step) * step:
        dropped = band[0] if g - band[0] > band[-1] - g else band[-1]
        band.remove(dropped)
    return point["x"] in band


@given(cases())
def test_counts_are_those_of_the_enumerated_range(case: Case) -> None:
    """The census and both Privs are what the joint range of all points and their releases says."""
    hypothesis, points = case.blur.hypothesis, points_of(case)
    pairs = list(zip((tuple(sorted(point.items())) for point in points), releases_of(case), strict=True))
    truth = {tuple(sorted(point.items())): hypothesis.holds(point) for point in points}
    census = case.blur.census
    assert (census.points, census.is_exact) == (len(points), True)
    assume(len(set(truth.values())) == 2)
    ranges = HypothesisRanges.from_pairs(pairs, truth)
    assert census.outputs == len(ranges.outputs)
    assert census.decided == len(ranges.decided)
    undecided = sum(1 for _, output in pairs if output in ranges.undecided)
    assert case.blur.protected_share == F(undecided, len(points))
    assume(ranges.decided)
    assert case.blur.privacy("Y") == ranges.privacy()
    assert case.blur.privacy("X") == ranges.privacy(len(points))


@given(cases(), st.integers(0, 8))
def test_boxes_enclose_the_counts(case: Case, boxes: int) -> None:
    """Branch and bound never promises more than there is, however early it stops."""
    census, found = case.blur.census, enclose(case.blur, boxes)
    merged, at_most, released = (
        sum(box.fibres * getattr(box, name) for box in found)
        for name in ("merged", "merged_at_most", "released")
    )
    assert merged <= census.merged <= at_most
    assert released <= census.released
    assert sum(box.fibres for box in found) * case.columns["x"].size == census.points


@given(cases())
def test_many_at_once_as_one_by_one(case: Case) -> None:
    """Arrays of fibres give what single records give."""
    for point, output in zip(points_of(case), releases_of(case), strict=True):
        record = {name: Decimal(x.numerator) / Decimal(x.denominator) for name, x in point.items()}
        found = case.blur.release(record)
        assert tuple(sorted((name, F(value)) for name, value in found.items())) == output


def test_beyond_counting_there_are_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    text, bounds = "w >= 30*(h/100)**2 + a/7", {"w": (0, 200, Decimal("0.5")), "h": (0, 250), "a": (0, 90)}
    blur = Blur.of(text, max_change=5, bounds=bounds)
    exact = take_census(blur)
    monkeypatch.setattr(blur_census, "MOST_FIBRES", 1000)
    found = take_census(blur)
    assert found.merged < exact.merged < found.merged_at_most
    assert not found.is_exact
    assert found.protected_share_at_most - found.protected_share < F(1, 200)
    assert found.released <= exact.released
