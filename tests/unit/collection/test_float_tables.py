"""The fast ways through a column against exact arithmetic, at edges and the floats next to them."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from noiseless.arrays import FloatArray
from noiseless.collection.local.float_cells import SMALL
from noiseless.collection.local.readings import Floats, encode, float_cells
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.errors import RequestError
from noiseless.questions import Continuum, Lattice
from noiseless.ranges.quantizer import Edged, Quantizer, Stepped, Uniform

MANY = SMALL + 5

numbers = st.fractions(-1000, 1000, max_denominator=1000) | st.sampled_from(
    [Fraction(0), Fraction(10**9), Fraction(1, 3), Fraction(1, 10**12)]
)


def _neighbours(values: FloatArray) -> FloatArray:
    """Floats about some floats, those themselves included."""
    found = [values]
    for way in (-math.inf, math.inf):
        near = values
        for _ in range(2):
            near = np.nextafter(near, way)
            found.append(near)
    return np.concatenate(found)


@given(numbers, numbers.filter(bool).map(abs), st.integers(1, 40), st.sampled_from(["binary", "decimal"]))
@example(Fraction(0), Fraction(10), 16, "binary")
@example(Fraction(0), Fraction(1), 10, "binary")
@example(Fraction(0), Fraction(1), 10, "decimal")
@example(Fraction(10**9), Fraction(1), 7, "binary")
@example(Fraction(-20), Fraction(80), 12, "binary")
def test_floats_at_edges(low: Fraction, width: Fraction, cells: int, floats: Floats) -> None:
    """A float is in the cell that the number it stands for is in, guessed or searched."""
    quantizer = Uniform(Continuum(low, low + width), cells)
    table = float_cells(quantizer, floats)
    near = _neighbours(np.append(table.starts, table.high))
    stands_for = [Fraction(value) if floats == "binary" else Fraction(repr(value)) for value in near.tolist()]
    inside = [low <= number <= low + width for number in stands_for]
    exact = [quantizer.cell(min(max(number, low), low + width)) for number in stands_for]
    for size in (len(near), MANY):
        codes, outside = table.codes(np.resize(near, size))
        assert (codes == np.resize(exact, size)).all()
        assert outside == np.count_nonzero(~np.resize(inside, size))


def _is_point(lattice: Lattice, value: float) -> bool:
    """Whether a float is the nearest one of a point, which is then among those nearest to it."""
    place = round((Fraction(value) - lattice.low) / lattice.step)
    near = (near for near in range(place - 1, place + 2) if 0 <= near <= lattice.last)
    return any(float(lattice.value(each)) == value for each in near)


@given(
    numbers, numbers.filter(bool).map(abs), st.integers(1, 300), st.integers(1, 20), st.sampled_from("use")
)
@example(Fraction(0), Fraction(1, 1000), 10_000, 16, "u")
@example(Fraction(10**6), Fraction(1, 10**4), 10_000, 16, "u")
@example(Fraction(0), Fraction(1), 2**20, 3, "u")
def test_points_of_a_lattice(low: Fraction, step: Fraction, last: int, cells: int, kind: str) -> None:
    """A lattice point's nearest float is in its cell; no other float is in any."""
    lattice = Lattice(low, step, last)
    edges = [lattice.value(place) for place in sorted({1, last // 2, last}) if 0 < place <= last]
    quantizer: Quantizer = Uniform(lattice, cells)
    if kind != "u":
        quantizer = Stepped(lattice, cells) if kind == "s" else Edged.of(lattice, edges)
    places = range(0, last + 1, last // 300 + 1)
    points = np.array([float(lattice.value(place)) for place in places])
    expected = [quantizer.cell_at(place) for place in places]
    for size in (len(points), MANY):
        try:
            coded = encode(quantizer, np.resize(points, size))
        except RequestError:  # finer than floats are
            return
        assert (coded.codes == np.resize(expected, size)).all()
        assert (coded.outside, coded.missing) == (0, None)
        near = {value for value in _neighbours(points).tolist() if not _is_point(lattice, value)}
        strangers = sorted({*near, math.inf, -math.inf, 1e300})
        for other in [*strangers[:: len(strangers) // 5 + 1], math.nan]:
            values = np.resize(points, size)
            values[-1] = other
            coded = encode(quantizer, values)
            assert (coded.outside, coded.missing_count) == ((0, 1) if math.isnan(other) else (1, 0))
            assert (coded.codes[:-1] == np.resize(expected, size)[:-1]).all()


@pytest.mark.parametrize("span", [Continuum.of(0, 10), Lattice.of(0, 10, Decimal("0.25"))])
def test_middles_are_written_where_they_should_be(span: Continuum | Lattice) -> None:
    release = LocalQuantizer.finest(span, 4)
    values = np.random.default_rng(0).integers(0, 41, MANY) / 4
    place = np.full(len(values) + 16, -1.0)
    out = place[3 : 3 + len(values)]
    assert release.release_midpoints(values, out=out) is out
    cells = [release.cell(Fraction(value)) for value in np.arange(41) / 4]
    assert (out == release.midpoints[cells][(values * 4).astype(int)]).all()
    assert (place[:3] == -1).all()
    assert (place[3 + len(values) :] == -1).all()


@pytest.mark.parametrize("floats", ["binary", "decimal"])
@pytest.mark.parametrize("cells", [4, 10])  # tenths as decimals are one cell off in the loop, and put right
def test_values_outside_get_the_nearest_cell(cells: int, floats: Floats) -> None:
    table = float_cells(Uniform(Continuum.of(0, 1), cells), floats)
    values = [0.1, -1.0, 0.65, math.nan, math.inf, 1.0, -math.inf]
    expected = [cells // 10, 0, cells * 65 // 100, 0, cells - 1, cells - 1, 0]
    for size in (len(values), MANY):
        codes, outside = table.codes(np.resize(values, size))
        assert (codes == np.resize(expected, size)).all()
        assert outside == np.count_nonzero(np.resize([0, 1, 0, 1, 1, 0, 1], size))


def test_a_place_for_the_middles_is_fit_for_them() -> None:
    release = LocalQuantizer.finest(Continuum.of(0, 1), 4)
    values = np.linspace(0, 1, 10)
    frozen = np.empty(10)
    frozen.flags.writeable = False
    for wrong in (np.empty(9), np.empty(10, np.float32), np.empty(20)[::2], frozen, [0.0] * 10):
        with pytest.raises(RequestError, match="contiguous array of float64"):
            release.release_midpoints(values, out=wrong)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="overlap"):
        release.release_midpoints(values, out=values)
    assert release.release_midpoints(values.tolist(), out=values)[0] == 0.125
