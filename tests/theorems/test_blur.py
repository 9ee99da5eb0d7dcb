"""What holds of the blur ([P2], Section 5), and what was printed and fails; each docstring is a statement."""

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.collection.blur import volume as blur_volume
from noiseless.collection.blur.continuum import ContinuousBlur
from noiseless.collection.blur.fibres import BlurLattice, Mode
from noiseless.collection.blur.hypotheses import Hypothesis
from noiseless.collection.blur.lattice import Blur
from noiseless.collection.blur.volume import BoundaryStrip, protected_volume
from noiseless.domain.grammar import read_comparison, read_expression
from noiseless.errors import RequestError
from noiseless.exact import Nats

F = Fraction
BMI = "weight >= 30*(height/100)**2"
PEOPLE = {"weight": (F(0), F(200)), "height": (F(0), F(250))}
TINY = F(1, 10**9)


@st.composite
def blurs(draw: st.DrawFn, mode: Mode = "stretch") -> ContinuousBlur:
    """Blurs of x against g = a*y + b over a box."""
    sign = draw(st.sampled_from([">=", ">", "<=", "<"]))
    slope, start = draw(st.integers(-3, 3)), draw(st.integers(-5, 5))
    bounds = {"x": (F(-4), F(draw(st.integers(-3, 6)))), "y": (F(-2), F(draw(st.integers(-1, 3))))}
    change = draw(st.fractions(F(1, 5), 6, max_denominator=5))
    return ContinuousBlur.of(f"x {sign} {slope}*y + {start}", bounds, max_change=change, mode=mode)


SHARES = st.fractions(0, 1, max_denominator=12)


def point_of(blur: ContinuousBlur, x: Fraction, y: Fraction) -> dict[str, Fraction]:
    """The point at these shares of the ranges."""
    return {
        name: blur.ranges[name][0] + share * (blur.ranges[name][1] - blur.ranges[name][0])
        for name, share in (("x", x), ("y", y))
    }


@given(blurs(), SHARES, SHARES)
def test_stretching_is_accurate(blur: ContinuousBlur, x: Fraction, y: Fraction) -> None:
    """||X - g_Y(X)|| <= 1/rho, and Y stays in the range of X (Definition 4 of [P2])."""
    point = point_of(blur, x, y)
    released = blur.release(point)
    assert abs(released["x"] - point["x"]) <= blur.max_change
    assert blur.ranges["x"][0] <= released["x"] <= blur.ranges["x"][1]
    assert released["y"] == point["y"]


@given(blurs(), st.fractions(F(1, 40), F(39, 40), max_denominator=40), SHARES)
def test_stretched_values_have_a_cause_of_each_kind(
    blur: ContinuousBlur, place: Fraction, y: Fraction
) -> None:
    """Every value inside a band is released for exactly one x with the hypothesis and one without."""
    band = blur.band(point_of(blur, F(0), y))
    assume(band is not None)
    assert band is not None
    wanted = band.low + place * (band.high - band.low)
    causes = [band.low + place * (band.g - band.low), band.g + place * (band.high - band.g)]
    points = [{**point_of(blur, F(0), y), "x": x} for x in causes]
    assert [blur.release(point)["x"] for point in points] == [wanted, wanted]
    assert {blur.hypothesis.holds(point) for point in points} == {True, False}
    elsewhere = [band.low - TINY, band.high + TINY]
    assert all(blur.release({**points[0], "x": x})["x"] == x for x in elsewhere)


@given(blurs())
def test_stretching_keeps_the_promise_of_theorem_4(blur: ContinuousBlur) -> None:
    """Priv = ln(1 + e) with h0(Y), where e/(1+e) is the protected share (Theorem 4 of [P2], corrected)."""
    assume(blur.protected_share < 1)
    e = blur.epsilon
    assert blur.share.lower == blur.share.upper == F(e) / (1 + F(e))
    assert blur.privacy("Y").amount == blur.privacy("X").amount == Nats(1 + F(e))
    assert blur.privacy("Y").is_private(e)


@given(blurs("collapse"), SHARES, SHARES)
def test_collapsing_has_no_privacy_of_its_own(blur: ContinuousBlur, x: Fraction, y: Fraction) -> None:
    """Theorem 4 of [P2] as printed fails: the band goes to a set of measure 0, so Priv with h0(Y) is 0."""
    point, band = point_of(blur, x, y), blur.band(point_of(blur, x, y))
    released = blur.release(point)["x"]
    assert released == (band.g if band and band.low <= point["x"] <= band.high else point["x"])
    assume(0 < blur.protected_share < 1)
    assert blur.privacy("Y").amount == Nats(1)
    assert not blur.privacy("Y").is_private(blur.epsilon)
    assert blur.privacy("X").is_private(blur.epsilon)


@pytest.mark.parametrize(
    ("change", "share"),
    [(F(15, 2), F(7, 100)), (F(3, 10), F(37, 12500)), (F(250), F(1)), (F(75, 10), F(7, 100))],
)
def test_the_body_mass_index_exactly(change: Fraction, share: Fraction) -> None:
    """Example 3 of [P2]: the band has 500 D - (2/3) D sqrt(1000 D/3) kg cm for D <= 12.5, out of 50000."""
    found = ContinuousBlur.of(BMI, PEOPLE, max_change=change).share
    assert found.lower == found.upper == share


@given(st.fractions(F(1, 50), F(25, 2), max_denominator=50))
def test_the_body_mass_index(change: Fraction) -> None:
    """The same with a square root that is not rational, which is enclosed on both sides."""
    found = ContinuousBlur.of(BMI, PEOPLE, max_change=change).share
    scale = 10**30
    below = F(isqrt(int(1000 * change / 3 * scale**2)), scale)
    low, high = (500 * change - F(2, 3) * change * root for root in (below + F(1, scale), below))
    assert found.lower <= high / 50000
    assert low / 50000 <= found.upper
    assert found.width < TINY


def test_privacy_times_accuracy_is_bounded() -> None:
    """e * rho stays bounded as rho grows, and tends to 2 * 250 / 50000 for Example 3 (Remark 1 of [P2])."""
    blurs = [ContinuousBlur.of(BMI, PEOPLE, max_change=F(1, rho)) for rho in (1, 10, 100, 1000, 10**6)]
    products = [F(blur.epsilon) / blur.max_change for blur in blurs]
    assert products == sorted(products)
    assert F(98, 10000) < products[0]
    assert F(9999, 10**6) < products[-1] < F(1, 100)


GRIDS = [
    ("y**3 - 2*y", {"y": (-2, 2)}),
    ("y**2", {"y": (-2, 2)}),
    ("5 - y", {"y": (0, 9)}),
    ("y/3 + 2*z - 1", {"y": (0, 3), "z": (-1, 2)}),
    ("y*z", {"y": (-1, 3), "z": (-1, 2)}),
    ("max(y, 0.5)", {"y": (-1, 3)}),
    ("1/(y + 2) + abs(z)", {"y": (-1, 3), "z": (-1, 1)}),
    ("2", {}),
    ("y - y + 2", {"y": (0, 1)}),
    ("7", {}),
]


@pytest.mark.parametrize(("boundary", "others"), GRIDS)
@pytest.mark.parametrize("change", [F(1, 2), F(2), F(9)])
def test_integration_against_a_fine_grid(
    boundary: str, others: dict[str, tuple[int, int]], change: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The measure of all bands is the integral of their widths."""
    monkeypatch.setattr(blur_volume, "MOST_BOXES", 400)
    strip = BoundaryStrip(F(-1), F(4), change)
    box = {name: (F(low), F(high)) for name, (low, high) in others.items()}
    volume = np.prod([high - low for low, high in others.values()])
    found = protected_volume(read_expression(boundary), strip, box, F(1, 10**9))
    axes = [low + (np.arange(400) + 0.5) * (high - low) / 400 for low, high in others.values()]
    grid = dict(zip(others, np.meshgrid(*axes), strict=True))
    g = np.asarray(eval(boundary, {"max": np.maximum, "abs": np.abs}, dict(grid)), float)
    width = np.minimum(g + float(change), 4) - np.maximum(g - float(change), -1)
    mean = np.where((g > -1) & (g < 4), width, 0).mean() * volume
    assert float(found.lower) - 0.02 * volume <= mean <= float(found.upper) + 0.02 * volume
    assert float(found.width) < 0.08 * volume


@given(st.tuples(*[st.integers(-3, 3)] * 3), st.fractions(F(1, 4), 8, max_denominator=4))
def test_linear_boundaries_are_integrated_exactly(slopes: tuple[int, int, int], change: Fraction) -> None:
    """The sum over the corners of a box adds up over its parts, and lies in what branch and bound finds."""
    strip, box = BoundaryStrip(F(-2), F(3), change), {"u": (F(0), F(1)), "v": (F(-1), F(1))}
    boundary = read_expression("{}*u + {}*v + {}".format(*slopes))
    whole = protected_volume(boundary, strip, box, TINY)
    assert whole.lower == whole.upper
    parts = [
        protected_volume(boundary, strip, {**box, "u": ends}, TINY)
        for ends in ((F(0), F(1, 3)), (F(1, 3), F(1)))
    ]
    assert sum(part.lower for part in parts) == whole.lower
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blur_volume, "MOST_BOXES", 40)
        found = blur_volume._branched(boundary, None, strip, box, TINY)
    assert found.lower <= whole.lower <= found.upper
    assert found.width < 5


@pytest.mark.parametrize(
    ("boundary", "change"), [("4.6", F(7, 2)), ("5", F(10, 3)), ("2.3", F(4)), ("1/3", F(3))]
)
def test_a_lattice_is_parted_by_stretching(boundary: str, change: Fraction) -> None:
    """Stretching can give the hypothesis away on a lattice: here no released value has causes of both kinds.

    The last two bands are clipped. (Where D is a whole number of steps and the band is not clipped, x meets
    x + D, though mostly not on the lattice.)
    """
    blur = ContinuousBlur.of(f"x >= {boundary}", {"x": (0, 10)}, max_change=change)
    released: dict[bool, set[Fraction]] = {True: set(), False: set()}
    for x in range(11):
        point = {"x": F(x)}
        released[blur.hypothesis.holds(point)].add(blur.release(point)["x"])
    assert not released[True] & released[False]
    paired = Blur.of(f"x >= {boundary}", bounds={"x": (0, 10)}, max_change=change)
    assert paired.census.merged == sum(1 for x in range(11) if abs(x - F(boundary)) <= change)


def test_less_than_a_step_moves_nothing() -> None:
    """With D below a step nothing can be merged: 0 and 1 around 1/2, D = 9/10.

    Both halves have a point in the band then, but no lattice value is within D of both.
    """
    hypothesis = Hypothesis.of("x >= 0.5", read_comparison("x >= 0.5"))
    column = Blur.of("x >= 0.5", bounds={"x": (0, 1)}, max_change=1).compared
    for mode in ("stretch", "collapse"):
        lattice = BlurLattice(hypothesis, {"x": column}, F(9, 10), mode)
        assert lattice.fibres({}).release(np.arange(2)).tolist() == [0, 1]
    with pytest.raises(RequestError, match="less than its step"):
        Blur.of("x >= 0.5", bounds={"x": (0, 1)}, max_change=F(9, 10))


@given(st.integers(1, 40), st.integers(1, 12))
def test_lattices_come_to_protect_as_much_as_the_continuum(steps: int, change: int) -> None:
    """|share on a lattice - share of the box| is at most a few steps a fibre."""
    step = F(1, steps)
    exact = ContinuousBlur.of("x >= y/2", {"x": (0, 20), "y": (0, 30)}, max_change=change).protected_share
    bounds = {"x": (0, 20, step.limit_denominator()), "y": (0, 30, F(1, 2))}
    assume(1000 % steps == 0)
    decimal = {name: tuple(float(number) for number in numbers) for name, numbers in bounds.items()}
    found = Blur.of("x >= y/2", bounds=decimal, max_change=change).protected_share
    assert abs(found - exact) <= 3 * step / 20 + F(1, 30)
