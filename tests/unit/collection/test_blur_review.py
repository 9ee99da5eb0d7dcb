"""The blur at the edges: numbers beyond 64 bits and beyond floats, columns too coarse, what is said."""

import itertools
import json
import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import noiseless as nl
from noiseless.cli.main import application
from noiseless.collection.blur.census import enclose
from noiseless.errors import ColumnError, DomainError, ExpressionError, RequestError

_SIGNS = {
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
}
_BOUNDARIES = {
    "y": lambda y: y,
    "3 - 0.5*y": lambda y: 3 - y / 2,
    "y**2/3": lambda y: y * y / 3,
    "abs(y) - 1/(y**2 + 1)": lambda y: abs(y) - 1 / (y * y + 1),
    "min(y, 2.5, 7 - y)": lambda y: min(y, Fraction(5, 2), 7 - y),
}


def _blurred(
    values: list[int], hypothesis: str, bounds: tuple[int, ...], **options: object
) -> nl.BlurredTable:
    return nl.blur(pa.table({"x": values}), hypothesis, bounds={"x": bounds}, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["stretch", "collapse"])
@pytest.mark.parametrize("sign", list(_SIGNS))
@pytest.mark.parametrize("boundary", list(_BOUNDARIES))
def test_what_is_touched_is_undecidable_and_all_counts_are_right(boundary: str, sign: str, mode: str) -> None:
    """From the definition: over all records, who has the same release, and do their answers differ?"""
    rng = random.Random(f"{boundary}{sign}{mode}")
    for _ in range(2):
        low, step, size = (
            rng.randint(-6, 2),
            rng.choice([Fraction(1), Fraction(1, 2), Fraction(2)]),
            rng.randint(1, 11),
        )
        xs, ys = [low + step * k for k in range(size)], [Fraction(y) for y in range(-3, 6)]
        reach = step * Fraction(rng.randint(4, 14), 4)
        bounds = {"x": [Decimal(float(v)) for v in (xs[0], xs[-1], step)], "y": (-3, 5)}
        blur = nl.Blur.of(f"x {sign} {boundary}", max_change=reach, bounds=bounds, mode=mode)  # type: ignore[arg-type]
        causes: dict[tuple[Fraction, Fraction], list[tuple[Fraction, bool]]] = {}
        for x, y in itertools.product(xs, ys):
            released = Fraction(blur.release({"x": Decimal(float(x)), "y": int(y)})["x"])
            assert abs(released - x) <= reach
            assert released in xs
            causes.setdefault((y, released), []).append((x, _SIGNS[sign](x, _BOUNDARIES[boundary](y))))
        open_ = {output: who for output, who in causes.items() if len({answer for _, answer in who}) == 2}
        for (_, released), who in causes.items():
            assert len({answer for _, answer in who}) == 2 or who == [(released, who[0][1])]
        merged = sum(len(who) for who in open_.values())
        assert (blur.census.points, blur.census.merged) == (len(xs) * len(ys), merged)
        assert (blur.census.released, blur.census.outputs) == (len(open_), len(causes))
        if mode == "stretch":
            near = 0
            for y in ys:
                g = _BOUNDARIES[boundary](y)
                parted = len({_SIGNS[sign](x, g) for x in xs}) == 2
                near += sum(parted and abs(x - g) <= reach for x in xs)
            assert merged == near
        for most in (0, 2, 8):
            boxes = enclose(blur, most)
            assert sum(b.fibres * b.merged for b in boxes) <= merged
            assert merged <= sum(b.fibres * b.merged_at_most for b in boxes)
            assert sum(b.fibres * b.released for b in boxes) <= len(open_)


@pytest.mark.parametrize("mode", ["stretch", "collapse"])
def test_a_change_larger_than_any_64_bit_number_is_the_whole_range(mode: str) -> None:
    small, huge = (_blurred([1, 2, 3], "x >= 2", (0, 4), max_change=d, mode=mode) for d in (4, 10**30))
    assert huge.to_arrow() == small.to_arrow()
    assert huge.protected_share == small.protected_share == 1


@pytest.mark.parametrize("mode", ["stretch", "collapse"])
def test_domains_wider_than_64_bit_differences(mode: str) -> None:
    end = 9 * 10**18
    found = _blurred([end, -end, 100, 200], "x >= 150", (-end, end, 100), max_change=100, mode=mode)
    values = found.to_arrow().column("x").to_pylist()
    assert values[:2] == [end, -end]
    assert values[2] == values[3]
    assert (found.protected_rows, found.moved) == (2, 1)
    assert found.max_change == 100


def test_ranges_with_more_points_than_floats_can_count() -> None:
    others = [f"c{i}" for i in range(18)]
    bounds = {"x": (0, 100), **dict.fromkeys(others, (0, 10**18))}
    blur = nl.Blur.of(f"x >= ({'+'.join(others)})/10**18 + 40", max_change=3, bounds=bounds)
    assert blur.census.points > 10**308
    assert Fraction(6, 101) <= blur.protected_share <= Fraction(7, 101)
    assert 0 < blur.privacy("Y").nats < blur.privacy("X").nats
    assert "0.0" in str(blur.privacy("X"))


def test_very_little_privacy_is_not_negative() -> None:
    """Priv = ln(1 + 2/(10^18 - 4)): two values are released for five, as the range has 10^18 + 1."""
    found = _blurred([50, 51], "x >= 50", (0, 10**18), max_change=2)
    priv = found.privacy_nats
    assert priv == found.to_dict()["privacy_nats"]
    assert Fraction(priv) <= Fraction(2, 10**18 - 4) < Fraction(priv) * (1 + Fraction(1, 2**50))
    assert str(found.mechanism.privacy("Y")).startswith("0.0000")
    continuous = nl.ContinuousBlur.of("x >= 1/2", {"x": (0, 10**30)}, max_change=Fraction(1, 4))
    assert str(continuous.privacy()) == "0.0000 nats (reference [[Y]])"
    assert 0 < continuous.privacy().nats <= 5.0000001e-31


def test_floats_that_do_not_tell_declared_values_apart_are_refused() -> None:
    """Odd numbers above 2^24 have no float of 32 bits; nor do all tenths near 2^53 units have a double."""
    floats = pa.table({"x": pa.array(np.array([16777216, 16777218], np.float32))})
    with pytest.raises(ColumnError, match="24 bits cannot tell apart"):
        nl.blur(floats, "x >= 16777218", max_change=1, bounds={"x": (0, 2**25)})
    assert (
        nl.blur(floats.slice(0, 1), "x >= 16777215", max_change=1, bounds={"x": (0, 2**24)}).protected_rows
        == 1
    )
    tenths = [Decimal(f"900719925474098.{i}") for i in range(10)]
    assert len({float(value) for value in tenths}) < len(tenths)
    for column in (pa.array([float(v) for v in tenths]), pa.array(tenths, pa.decimal128(18, 1))):
        with pytest.raises(ColumnError, match="53 bits cannot tell apart"):
            nl.blur(
                pa.table({"x": column}),
                "x >= 900719925474098.3",
                max_change=Decimal("0.1"),
                bounds={"x": (0, Decimal("900719925474099.2"), Decimal("0.1"))},
            )


def test_long_chains_are_refused_before_python_runs_out_of_stack() -> None:
    with pytest.raises(ExpressionError, match="more than 100 operations in a row"):
        nl.Blur.of("x >= " + "+".join(["1"] * 1000), max_change=1, bounds={"x": (0, 5)})
    left, right = "x + " + "+".join(["y"] * 98), "+".join(["1"] * 99)
    blur = nl.Blur.of(f"{left} >= {right}", max_change=1, bounds={"x": (0, 5), "y": (0, 1)})
    assert blur.protected_share == Fraction(3, 12)


def test_a_divisor_that_could_not_be_settled_is_said_to_be_one() -> None:
    bounds = {"x": (0, 5), "y": (0, 10**7), "z": (0, 10**7)}
    blur = nl.Blur.of("x >= 1/(y - z - 0.5)", max_change=1, bounds=bounds)
    with pytest.raises(ExpressionError, match="may divide by 0"):
        enclose(blur, 64)


@pytest.mark.parametrize("wrong", [math.inf, math.nan])
def test_continuous_ranges_end_at_numbers(wrong: float) -> None:
    with pytest.raises(RequestError):
        nl.ContinuousBlur.of("x >= 1/2", {"x": (0, wrong)}, max_change=1)
    with pytest.raises(RequestError):
        nl.ContinuousBlur.of("x >= 1/2", {"x": (0, 1)}, max_change=wrong)


def _said(folder: Path, table: str, *options: str) -> str:
    (folder / "t.csv").write_text(table)
    out = folder / "out.csv"
    result = CliRunner().invoke(application(), ["blur", str(folder / "t.csv"), *options, "-o", str(out)])
    assert result.exit_code == 0, result.output
    return result.output


def test_one_row_is_one_row(tmp_path: Path) -> None:
    options = ["--hypothesis", "x >= 5", "--max-change", "1", "--bounds", "x=0:10"]
    assert "is hidden for 1 row; 1 was moved." in _said(tmp_path, "x\n4\n9\n", *options)
    assert "is hidden for 1 row; 0 were moved." in _said(tmp_path, "x\n5\n9\n", *options)


def test_a_lower_bound_of_nothing_is_not_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a vast range the share may be known to be at least 0 only; rows are protected all the same."""
    monkeypatch.setattr("noiseless.collection.blur.census.enclose", lambda lattice: enclose(lattice, 8))
    options = ["--hypothesis", "x >= a*b*c/10**17", "--max-change", "3", "--bounds", "x=0:100"]
    options += [part for name in "abc" for part in ("--bounds", f"{name}=0:{10**17}")]
    table = f"x,a,b,c\n2,{10**17},1,1\n"
    assert "is hidden for 1 row" in _said(tmp_path, table, *options)
    answer = json.loads(_said(tmp_path, table, *options, "--format", "json"))
    assert (answer["protected_rows"], answer["protected_share"]) == (1, 0)
    assert answer["protected_share_exact"] is None


def test_spellings_that_are_refused_are_explained(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x\n96\n96.0\n")
    with pytest.raises(DomainError, match=r"write plain numbers, all alike \(96, not 96.0 or 096\)"):
        nl.blur(table, "x >= 97", max_change=1, bounds={"x": (0, 200)})
