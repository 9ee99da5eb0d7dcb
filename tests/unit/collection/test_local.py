import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.collection.local import float_cells as array_kernels
from noiseless.collection.local.readings import Floats, encode, float_cells, position_cells
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.errors import ColumnError, DomainError, MissingValuesError, RequestError
from noiseless.exact import Bits
from noiseless.questions import Continuum, Lattice
from noiseless.ranges.quantizer import Edged, Stepped, Uniform
from noiseless.rules.base import number_text

TENTHS = LocalQuantizer.finest(Continuum.of(0, 1), 10)
METER = LocalQuantizer.finest(Lattice.of(0, 10, Decimal("0.001")), 16, "kwh")
MANY = array_kernels.SMALL + 1


def test_what_a_release_says_of_itself() -> None:
    assert (METER.cells, METER.reach, METER.bits) == (16, 16, Bits(16))
    assert METER.entropy_of_record == Bits(10001)
    assert METER.worst_error == Fraction(5, 16)
    assert METER.cell_width == Fraction(626, 1000)
    assert METER.smallest_posterior == 625
    assert not METER.protects_nothing
    assert TENTHS.entropy_of_record is None
    assert TENTHS.smallest_posterior is None


def test_as_many_cells_as_values_protect_nothing() -> None:
    die = Lattice.of(1, 6, 1)
    assert LocalQuantizer.finest(die, 6).protects_nothing
    assert LocalQuantizer.finest(die, 100).cells == 6
    assert not LocalQuantizer.finest(die, 5).protects_nothing
    assert LocalQuantizer.finest(die, 5).cells == 3


def test_cells_of_a_lattice_are_as_equal_as_can_be() -> None:
    release = LocalQuantizer.finest(Lattice.of(0, 9, 1), 4)
    sizes = [int(a.upper - a.lower) + 1 for a in map(release.answer, range(release.cells))]
    assert sorted(sizes) == [2, 2, 3, 3]


def test_any_quantizer_will_do() -> None:
    release = LocalQuantizer(Stepped(Lattice.of(0, 9, 1), 4))
    assert (release.cells, release.smallest_posterior, release.cell_width) == (3, 2, Fraction(4))
    assert release.encode([0.0, 4.0, 9.0]).tolist() == [0, 1, 2]


def test_missing_values_are_an_output_of_their_own() -> None:
    release = LocalQuantizer.finest(Continuum.of(0, 1), 4, missing=True)
    assert (release.cells, release.reach) == (3, 4)
    assert release.encode([0.1, math.nan, 0.9]).tolist() == [0, 3, 2]
    assert np.isnan(release.release_midpoints(np.array([math.nan]))).all()
    with pytest.raises(MissingValuesError, match="2 missing values"):
        TENTHS.encode([None, 0.5, math.nan])


def test_a_release_needs_a_cell() -> None:
    for reach, missing in ((0, False), (1, True)):
        with pytest.raises(RequestError, match="larger reach"):
            LocalQuantizer.finest(Continuum.of(0, 1), reach, missing=missing)
    with pytest.raises(RequestError, match="above 0"):
        LocalQuantizer.coarsest(Continuum.of(0, 1), 0)
    assert LocalQuantizer.coarsest(Lattice.of(0, 5, 1), 0).cells == 6
    assert LocalQuantizer.finest(Continuum.of(2, 2), 8).cells == 1


def test_one_exact_value() -> None:
    assert METER.release(Decimal("0.625")).lower == Fraction("0.625")
    assert METER.release(Decimal("0.624")).upper == Fraction("0.624")
    assert METER.cell(10) == 15
    for outside in (Decimal("0.0005"), -1, 11):
        with pytest.raises(DomainError, match=r"1 value is outside 0\.\.10 in steps of 0.001"):
            METER.cell(outside)


SAME: list[Any] = [
    [0.0, 0.25, 0.5, 1.0],
    [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)],
    [Decimal(0), Decimal("0.25"), Decimal("0.50"), Decimal(1)],
    np.array([0, 0.25, 0.5, 1], np.float32),
    pa.array(["0", "0.25", " .5", "1.0e0"]),
    pa.array(["+0", "0.2500000000000000000000", "5e-1", "1."]),
    pa.array([Decimal("0.00"), Decimal("0.25"), Decimal("0.50"), Decimal("1.00")], pa.decimal128(5, 2)),
    pa.array([0, 0.25, 0.5, 1], pa.float32()),
    pa.chunked_array([pa.array([0, 0.25]), pa.array([0.5, 1.0])]),
]


@pytest.mark.parametrize("span", [Continuum.of(0, 1), Lattice.of(0, 1, Decimal("0.25"))])
@pytest.mark.parametrize("readings", SAME, ids=lambda readings: type(readings).__name__)
def test_readings_of_every_kind(span: Continuum | Lattice, readings: Any) -> None:  # noqa: ANN401
    release = LocalQuantizer.finest(span, 4)
    expected = [release.quantizer.cell(Fraction(n, 4)) for n in (0, 1, 2, 4)]
    assert release.encode(readings).tolist() == expected


def test_whole_numbers_of_any_size() -> None:
    large = LocalQuantizer.finest(Lattice.of(0, 2**60, 2**58), 5)
    values = [0, 2**58, 2**59, 2**60]
    assert large.encode(np.array(values)).tolist() == [0, 1, 2, 4]
    assert large.encode(np.array(values, np.uint64)).tolist() == [0, 1, 2, 4]
    assert large.encode(pa.array([*values, None], pa.int64()).drop_null()).tolist() == [0, 1, 2, 4]
    with pytest.raises(DomainError, match="1 value is outside"):
        large.encode(np.array([2**58 + 1]))
    continuous = LocalQuantizer.finest(Continuum.of(0, 2**60), 2)
    assert continuous.encode([2**59 - 1, 2**59]).tolist() == [0, 1]


def test_a_float_is_the_number_that_it_is_or_the_decimal_that_it_is_written_as() -> None:
    """The double 0.3 lies below three tenths."""
    assert TENTHS.encode([0.3]).tolist() == [2]
    assert TENTHS.encode([0.3], floats="decimal").tolist() == [3]
    assert TENTHS.encode(pa.array(["0.3", "0.30", "0.29999999999999999"])).tolist() == [3, 3, 2]
    assert TENTHS.encode([Decimal("0.3"), Fraction(3, 10)]).tolist() == [3, 3]


@given(st.integers(0, 10_000))
def test_a_float_on_a_lattice_is_its_point(number: int) -> None:
    expected = METER.cell(Fraction(number, 1000))
    assert METER.encode([number / 1000]).tolist() == [expected]
    assert METER.encode(np.array([number / 1000], np.float32)).tolist() == [expected]


def test_readings_that_have_no_cell_are_counted_and_refused() -> None:
    values = np.array([0.5, -0.1, 1.1, math.inf, -math.inf])
    with pytest.raises(DomainError, match=r"4 values are outside 0\.\.1;") as caught:
        TENTHS.encode(values)
    assert "1.1" not in str(caught.value)
    with pytest.raises(DomainError, match="outside"):
        TENTHS.release_midpoints(values)
    with pytest.raises(DomainError, match="2 values are outside"):
        METER.encode([0.0005, 5.0, -0.001])
    with pytest.raises(ColumnError, match="holds 1 value that is no number; mend"):
        TENTHS.encode(pa.array(["0.5", "abc", "2"]))
    with pytest.raises(MissingValuesError, match="1 missing value"):
        TENTHS.encode(np.array([math.nan, 0.5]), clamp=True)


def test_readings_are_clamped_on_request() -> None:
    values = np.array([0.5, -0.1, 1.1, math.inf, -math.inf])
    assert TENTHS.encode(values, clamp=True).tolist() == [5, 0, 9, 9, 0]
    assert TENTHS.encode(values.tolist(), clamp=True).tolist() == [5, 0, 9, 9, 0]
    assert METER.encode([0.6255, -3.0, 99.0], clamp=True).tolist() == [METER.cell(Decimal("0.626")), 0, 15]
    assert TENTHS.encode(pa.array(["7", "-7"]), clamp=True).tolist() == [9, 0]
    with pytest.raises(ColumnError, match="holds 2 values that are no numbers; mend"):
        TENTHS.encode(pa.array(["1,5", "0,5", "2"]))
    with pytest.raises(ColumnError, match="holds 1 value that is no number; mend"):
        TENTHS.encode(pa.array(["abc", "0.5", "2"]), clamp=True)


def test_what_is_no_column_of_numbers_is_refused() -> None:
    for wrong in (np.zeros((2, 2)), np.array([True]), np.array(["a"]), pa.array([True])):
        with pytest.raises(RequestError, match=r"one column|numbers"):
            TENTHS.encode(wrong)
    with pytest.raises(RequestError, match="finer than floats"):
        LocalQuantizer.finest(Lattice.of(0, 1, Decimal("1e-17")), 2).encode([0.5])
    with pytest.raises(RequestError, match="too many"):
        LocalQuantizer.finest(Continuum.of(0, 1), 2**23).encode([0.5])
    with pytest.raises(RequestError, match="1e300"):
        LocalQuantizer.finest(Continuum.of(0, 10**301), 2).encode([0.5])


def test_nothing_to_encode() -> None:
    assert TENTHS.encode([]).tolist() == []
    assert TENTHS.encode(pa.array([], pa.string())).tolist() == []
    assert METER.encode(np.empty(0)).tolist() == []


@pytest.mark.parametrize("size", [100, MANY])
def test_both_ways_through_a_column_agree(size: int) -> None:
    rng = np.random.default_rng(1)
    values = rng.random(size) * 3 - 1
    values[::17] = math.nan
    values[::23] = np.resize([0.1, 0.2, 0.3, 1.0, 0.0, math.inf, -math.inf], len(values[::23]))
    table = float_cells(TENTHS.quantizer, "binary")
    searched = np.clip(np.searchsorted(table.starts, np.nan_to_num(values, nan=0.0), side="right") - 1, 0, 9)
    codes, outside = table.codes(values)
    assert codes.tolist() == searched.tolist()
    assert outside == int((~((values >= 0) & (values <= 1))).sum())
    middles = np.empty(size)
    assert TENTHS.release_midpoints(np.zeros(size), out=middles) is middles
    assert (middles == 0.05).all()
    assert METER.release_midpoints(np.zeros(size), out=middles) is middles
    assert (middles == 0.312).all()


@pytest.mark.parametrize("cells", [1, 2, 255, 256, 257, 70_000])
def test_codes_are_as_narrow_as_they_can_be(cells: int) -> None:
    release = LocalQuantizer.finest(Continuum.of(0, 1), cells)
    codes = release.encode(np.array([0.0, 0.5, 1.0]))
    assert codes.tolist() == [0, cells // 2, cells - 1]
    assert codes.dtype == (np.uint8 if cells <= 256 else np.uint16 if cells <= 65536 else np.uint32)


def test_cells_of_any_width_are_searched() -> None:
    """A guess by multiplication would be wrong here; the table knows."""
    uneven = Edged.of(Continuum.of(0, 100), [Fraction(1, 10), Fraction(1), Fraction(10)])
    table = float_cells(uneven, "binary")
    assert table._off_by > 1
    values = np.resize([0.05, 0.1, 0.5, 1.0, 9.9, 10.0, 100.0], MANY)
    assert table.codes(values)[0][:7].tolist() == [0, 1, 1, 2, 2, 3, 3]


def test_regular_cells_go_through_a_loop() -> None:
    assert position_cells(METER.quantizer)._off_by == 0
    assert position_cells(Stepped(Lattice.of(0, 10, 1), 3))._off_by == 0
    assert (
        encode(Stepped(Lattice.of(0, 10, 1), 3), np.arange(11.0)).codes.tolist()
        == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 2
    )
    for floats in get_args(Floats):
        for cells in (2, 3, 7, 10, 16, 100):
            for high in (1, 10, Fraction(10, 3)):
                assert float_cells(Uniform(Continuum.of(0, high), cells), floats)._off_by <= 1


def test_numbers_as_text() -> None:
    assert number_text(Fraction(-1, 8)) == "-0.125"
    assert number_text(Fraction(1, 7)) == "1/7"
    assert number_text(Fraction(10**20)) == "1" + "0" * 20


def test_a_long_column_on_a_lattice() -> None:
    numbers = np.resize(np.arange(10_001), MANY)
    expected = METER.quantizer
    cells = [expected.cell_at(int(n)) for n in range(10_001)]
    found = METER.encode(numbers / 1000)
    assert (found == np.resize(np.array(cells), MANY)).all()
    with pytest.raises(DomainError, match="1 value is outside"):
        METER.encode(np.append(numbers / 1000, 0.0005))
    with pytest.raises(MissingValuesError, match="1 missing value"):
        METER.encode(np.append(numbers / 1000, math.nan))
    long = LocalQuantizer.finest(Lattice.of(0, 2**20, 1), 3)
    assert long.encode(np.resize([0.0, 2.0**19, 2.0**20], MANY))[:3].tolist() == [0, 1, 2]


def test_long_texts_are_read_on_a_lattice_that_is_finer_than_floats() -> None:
    lattice = Lattice.of(2**60, 2**60 + 9, 1)
    quantizer = LocalQuantizer.finest(lattice, 2)
    texts = [str(2**60 + number) for number in (3, 7)]
    assert list(quantizer.encode(pa.array(texts))) == list(quantizer.encode([int(text) for text in texts]))
