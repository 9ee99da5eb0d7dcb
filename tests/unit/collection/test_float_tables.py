"""The fast ways through a column against exact arithmetic, at edges and the floats next to them."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from noiseless.arrays import FloatArray
from noiseless.collection.local import float_cells as kernels
from noiseless.collection.local.float_cells import (
    FloatLine,
    cells_of,
    labels_of,
    lattice_cells,
    lattice_labels,
)
from noiseless.collection.local.readings import Floats, float_cells, listed_cells, position_cells
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.errors import RequestError
from noiseless.questions import Continuum, Lattice
from noiseless.ranges.quantizer import Edged, Stepped, Uniform

FEWER = settings(max_examples=40)
MANY = kernels.SMALL + 5

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


@FEWER
@given(numbers, numbers.filter(bool).map(abs), st.integers(1, 40), st.sampled_from(["binary", "decimal"]))
@example(Fraction(0), Fraction(10), 16, "binary")
@example(Fraction(0), Fraction(1), 10, "binary")
@example(Fraction(0), Fraction(1), 10, "decimal")
@example(Fraction(10**9), Fraction(1), 7, "binary")
@example(Fraction(-20), Fraction(80), 12, "binary")  # no line decides at -20, 0 and 20 alike
def test_floats_at_edges(low: Fraction, width: Fraction, cells: int, floats: Floats) -> None:
    """A float is in the cell that the number it stands for is in, on either way to find it."""
    quantizer = Uniform(Continuum(low, low + width), cells)
    table = float_cells(quantizer, floats)
    near = _neighbours(np.append(table.starts, table.high))
    stands_for = [Fraction(value) if floats == "binary" else Fraction(repr(value)) for value in near.tolist()]
    inside = [low <= number <= low + width for number in stands_for]
    exact = [quantizer.cell(min(max(number, low), low + width)) for number in stands_for]
    values, expected = np.resize(near, MANY), np.resize(exact, MANY)
    for way in (table, replace(table, line=None)):
        codes, outside = cells_of(way, values)
        assert (codes == expected).all()
        assert outside == np.count_nonzero(~np.resize(inside, MANY))
        codes, outside = cells_of(way, np.resize(near[inside], MANY))
        assert (codes == np.resize(np.array(exact)[inside], MANY)).all()
        assert outside == 0


@pytest.mark.parametrize(
    ("low", "high", "cells"),
    [(0, 10, 16), (0, 1, 10), (-1, 1, 6), (10**6, 10**6 + 1, 16), (0, Fraction(10, 3), 16)],
)
def test_edges_of_equal_cells_are_a_line(low: int, high: Fraction, cells: int) -> None:
    assert float_cells(Uniform(Continuum.of(low, high), cells), "binary").line is not None
    assert position_cells(Stepped(Lattice.of(0, 100, 1), 7)).line is not None


@FEWER
@given(numbers, numbers.filter(bool).map(abs), st.integers(1, 300), st.integers(1, 20))
def test_points_of_a_lattice(low: Fraction, step: Fraction, last: int, cells: int) -> None:
    """A lattice point's nearest float is in its cell; no other float is in any."""
    quantizer = Uniform(Lattice(low, step, last), cells)
    try:
        table = listed_cells(quantizer)
    except RequestError:  # finer than floats are
        return
    if table is None:
        return
    points = np.array([float(low + step * place) for place in range(last + 1)])
    expected = [quantizer.cell_at(place) for place in range(last + 1)]
    labels = np.arange(float(quantizer.cells))
    codes, told = (
        lattice_cells(table, np.resize(points, MANY)),
        lattice_labels(table, labels, np.resize(points, MANY)),
    )
    assert codes is not None
    assert told is not None
    assert (codes == np.resize(expected, MANY)).all()
    assert (told == np.resize(expected, MANY)).all()
    others = [value for value in _neighbours(points)[last + 1 :].tolist() if value not in points]
    for other in [*others[:: len(others) // 5 + 1], math.nan, math.inf, -math.inf, 1e300]:
        values = np.resize(points, MANY)
        values[-1] = other
        assert lattice_cells(table, values) is None
        assert lattice_labels(table, labels, values) is None


def test_usual_lattices_are_listed() -> None:
    for low, high, step in ((0, 10, "0.001"), (-40, 60, "0.1"), (0, 120, "1"), (10**6, 10**6 + 1, "0.0001")):
        lattice = Lattice.of(low, high, Decimal(step))
        for quantizer in (Uniform(lattice, 16), Uniform(lattice, 10**6), Stepped(lattice, 7)):
            table = listed_cells(quantizer)
            assert table is not None
            assert table.slope > 0


def test_uneven_cells_of_a_lattice_are_looked_up() -> None:
    lattice = Lattice.of(0, 1000, 1)
    uneven = Edged.of(lattice, [Fraction(1), Fraction(10), Fraction(900)])
    table = listed_cells(uneven)
    assert table is not None
    assert table.slope == 0
    values = np.resize(np.arange(1001.0), MANY)
    expected = np.resize([uneven.cell_at(place) for place in range(1001)], MANY)
    codes, told = lattice_cells(table, values), lattice_labels(table, np.arange(4.0), values)
    assert codes is not None
    assert told is not None
    assert (codes == expected).all()
    assert (told == expected).all()
    values[7] = 0.5
    assert lattice_cells(table, values) is None
    assert lattice_labels(table, np.arange(4.0), values) is None


@given(numbers, numbers.filter(bool).map(abs), st.integers(1, 2**22), st.booleans(), st.data())
def test_both_parts_of_a_line_are_exact(
    first: Fraction, step: Fraction, last: int, up: bool, data: st.DataObject
) -> None:
    """However products and sums are fused."""
    line = FloatLine.of(first, step, last, up=up)
    assert line is not None
    place = data.draw(st.integers(0, last))
    parts = [Fraction(part) for part in line.numbers]
    exact = parts[0] + place * parts[1], parts[2] + place * parts[3]
    found = line.at(np.array([float(place)]))
    assert (Fraction(found[0][0]), Fraction(found[1][0])) == exact
    largest = max(abs(first), abs(first + last * step), last * step)
    assert abs(first + place * step - sum(exact)) <= largest * (last + 1) ** 2 / 2**95


@given(st.integers(0, 1000), numbers.filter(bool).map(abs), st.integers(1, 2000), st.booleans())
def test_zero_on_a_line_is_zero(below: int, step: Fraction, above: int, up: bool) -> None:
    line = FloatLine.of(-below * step, step, below + above, up=up)
    assert line is not None
    assert [part[0] for part in line.at(np.array([float(below)]))] == [0, 0]


@pytest.mark.parametrize("shift", range(8))
@pytest.mark.parametrize("span", [Continuum.of(0, 10), Lattice.of(0, 10, Decimal("0.25"))])
def test_labels_are_written_past_the_caches_wherever_they_begin(
    span: Continuum | Lattice, shift: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_LARGE", kernels.SMALL)
    release = LocalQuantizer.finest(span, 4)
    values = np.random.default_rng(shift).integers(0, 41, MANY + shift) / 4
    place = np.full(len(values) + 16, -1.0)
    out = place[shift : shift + len(values)]
    assert release.release_midpoints(values, out=out) is out
    assert (
        out
        == release.midpoints[[release.cell(Fraction(v)) for v in np.arange(41) / 4]][(values * 4).astype(int)]
    ).all()
    assert (place[:shift] == -1).all()
    assert (place[shift + len(values) :] == -1).all()


def test_labels_of_values_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_LARGE", kernels.SMALL)
    table = float_cells(Uniform(Continuum.of(0, 1), 4), "binary")
    values = np.resize([0.1, -1.0, 0.6, math.nan, math.inf, 1.0, -math.inf], MANY)
    expected = np.resize([0.0, 0.0, 2.0, 0.0, 3.0, 3.0, 0.0], MANY)
    for way in (table, replace(table, line=None)):
        for out in (None, np.empty(MANY)):
            found, outside = labels_of(way, np.arange(4.0), values, out)
            assert (found == expected).all()
        assert outside == np.count_nonzero(np.resize([0, 1, 0, 1, 1, 0, 1], MANY))


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
