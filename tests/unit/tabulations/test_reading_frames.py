"""Crosstabs, pivot tables and frames of any library; records, and what their owners contribute."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from noiseless.errors import NoiselessError
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.reading import TabulationRequest, read_request

PEOPLE = pd.DataFrame(
    {
        "region": list("AABBCCA"),
        "sex": list("fmfmffm"),
        "age": [1, 2, 2, 1, 1, 2, 2],
        "pay": [10.5, 20.0, 30.0, 1.0, 2.0, 3.5, 4.0],
        "firm": [1, 1, 2, 3, 4, 5, 6],
    }
)


def told(found: TabulationRequest) -> dict[tuple[str, ...], tuple[int, int]]:
    (table,) = found.publication.tables
    return {table.coordinates(i): (int(table.lower[i]), int(table.upper[i])) for i in range(len(table))}


def test_a_crosstab_with_margins() -> None:
    counts = pd.crosstab(PEOPLE.region, PEOPLE.sex, margins=True)
    found = read_request(counts.mask(counts < 2))
    assert [each.name for each in found.publication.classifications] == ["region", "sex"]
    assert told(found)["A", "f"] == (0, UNBOUNDED)
    assert told(found)["All", "All"] == (7, 7)
    assert found.publication.classifications[0].groups == {"All": (0, 1, 2)}


def test_a_crosstab_with_several_levels() -> None:
    counts = pd.crosstab([PEOPLE.region, PEOPLE.age], PEOPLE.sex, margins=True)
    found = read_request(counts)
    assert [each.name for each in found.publication.classifications] == ["region", "age", "sex"]
    assert told(found)["All", "All", "f"] == (4, 4)
    assert told(found)["C", "2", "m"] == (0, 0)


def test_levels_that_pandas_leaves_out_are_zero() -> None:
    counts = pd.crosstab(PEOPLE.region, [PEOPLE.sex, PEOPLE.age], margins=True)
    del counts[("f", 2)]
    found = read_request(counts)
    assert told(found)["A", "f", "2"] == (0, 0)
    assert found.notes == (
        "table 1: 3 combinations left out; read as 0 (told absent=withheld, if they are withheld)",
    )


def test_a_pivot_table_of_sums() -> None:
    sums = PEOPLE.pivot_table(
        values=["pay"], index="region", columns="sex", aggfunc="sum", margins=True, fill_value=0
    )
    found = read_request(sums, kind="magnitude")
    assert (found.publication.step, found.publication.kind) == (Fraction(1, 10), "magnitude")
    assert told(found)["A", "m"] == (240, 240)
    assert told(found)["All", "All"] == (710, 710)


def test_several_aggregates_are_refused() -> None:
    both = PEOPLE.pivot_table(values="pay", index="region", columns="sex", aggfunc=["sum", "count"])
    with pytest.raises(NoiselessError, match="several figures for each cell"):
        read_request(both)


def test_shares_are_no_counts() -> None:
    shares = pd.crosstab(PEOPLE.region, PEOPLE.sex, normalize=True)
    with pytest.raises(NoiselessError, match="table 1, region 'A', sex 'f': the figure is no whole number"):
        read_request(shares)


def test_a_series_by_its_index() -> None:
    found = read_request(PEOPLE.groupby(["region", "sex"]).size(), flat="region")
    assert [each.name for each in found.publication.classifications] == ["region", "sex"]
    assert told(found)["C", "m"] == (0, 0)


LONG = {"region": ["A", "A", "B"], "sex": ["f", "m", "f"], "n": ["3", "x", "<5"]}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_long_and_wide_frames_of_any_library(library: type) -> None:
    long = read_request(library(LONG), rows="region", cols="sex", value="n")
    assert told(long) == {
        ("A", "f"): (3, 3),
        ("A", "m"): (0, UNBOUNDED),
        ("B", "f"): (1, 4),
        ("B", "m"): (0, 0),
    }
    wide = read_request(
        library({"region": ["A", "All"], "f": [1, 2], "m": [3, 4]}), rows="region", cols="sex"
    )
    assert told(wide)["All", "m"] == (4, 4)
    with pytest.raises(NoiselessError, match="no column 'sexe'"):
        read_request(library(LONG), rows="region", cols="sexe", value="n")
    with pytest.raises(NoiselessError, match="rows="):
        read_request(library(LONG))


def test_files_of_columns_are_read_as_frames(tmp_path: Path) -> None:
    pl.DataFrame(LONG).write_parquet(tmp_path / "t.parquet")
    pl.DataFrame(LONG).write_ndjson(tmp_path / "t.jsonl")
    for name in ("t.parquet", "t.jsonl"):
        found = read_request(tmp_path / name, rows="region", cols="sex", value="n")
        assert told(found)["B", "f"] == (1, 4)


def test_several_frames_are_linked_by_their_dimensions() -> None:
    one = pd.crosstab(PEOPLE.region, PEOPLE.sex, margins=True)
    two = pd.crosstab(PEOPLE.region, PEOPLE.age, margins=True)
    found = read_request({"sexes": one, "ages": two})
    assert [table.name for table in found.publication.tables] == ["sexes", "ages"]
    assert found.publication.shape == (3, 2, 2)


def test_a_table_is_made_from_records(tmp_path: Path) -> None:
    found = read_request(None, microdata=PEOPLE, rows="region", cols="sex", below=2)
    assert told(found)["A", "f"] == (1, 1)
    assert told(found)["A", "m"] == (2, 2)
    assert told(found)["Total", "Total"] == (7, 7)
    assert told(found)["C", "m"] == (0, 0)
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    rounded = read_request(
        None, microdata=str(tmp_path / "people.csv"), rows="region", cols="sex", told={"rounded": "round:5"}
    )
    assert told(rounded)["A", "m"] == (0, 2)
    assert told(rounded)["Total", "Total"] == (3, 7)


def test_a_table_made_from_records_has_subtotals_by_its_hierarchy() -> None:
    above = {"region": [("B", "north"), ("A", "north"), ("C", "south")]}
    found = read_request(None, microdata=PEOPLE, rows="region", cols="sex", hierarchy=above)
    (table,) = found.publication.tables
    assert table.labels == (("north", "B", "A", "south", "C", "Total"), ("f", "m", "Total"))
    assert told(found)["north", "f"] == (2, 2)
    assert told(found)["north", "Total"] == (5, 5)
    assert told(found)["south", "m"] == (0, 0)
    assert found.contributions is not None
    finest = read_request(
        None, microdata=PEOPLE, rows="region", cols="sex", hierarchy=above, totals=["sex"]
    ).publication.tables[0]
    assert finest.labels[0] == ("A", "B", "C")
    one = {"region": [("A", "north", "all"), ("B", "north", "all"), ("C", "all")]}
    single = read_request(None, microdata=PEOPLE, rows="region", cols="sex", hierarchy=one)
    assert single.publication.tables[0].labels[0] == ("north", "A", "B", "C", "Total")
    with pytest.raises(NoiselessError, match="'C' stands above others in the hierarchy of 'region'"):
        read_request(
            None, microdata=PEOPLE, rows="region", cols="sex", hierarchy={"region": [("A", "C"), ("B", "D")]}
        )


def test_records_with_a_blank_label_that_no_table_has() -> None:
    table = pd.crosstab(PEOPLE["region"], PEOPLE["sex"])
    problems = {"": "blank 'sex', and no table has a category", "x": "spell them as the tables"}
    for label, problem in problems.items():
        records = PEOPLE.assign(sex=PEOPLE["sex"].where(PEOPLE.index > 0, label or None))
        with pytest.raises(NoiselessError, match=problem):
            read_request(table, microdata=records)


def test_contributors_are_units_of_records() -> None:
    asked: dict[str, Any] = {"rows": "region", "cols": "sex", "value": "pay", "kind": "magnitude"}
    found = read_request(None, microdata=PEOPLE, unit="firm", **asked)
    held = found.contributions
    assert held is not None
    assert held.names == tuple(f"contributor {number}" for number in range(1, 7))
    place = found.publication.atom_name(int(held.atoms[held.amounts.argmax()]))
    assert (place, int(held.amounts.sum())) == (("B", "f"), 710)
    named = read_request(None, microdata=PEOPLE, unit="firm", reveal=True, **asked).contributions
    assert named is not None
    assert set(named.names) == set("123456")
    with pytest.raises(NoiselessError, match="are no numbers"):
        read_request(None, microdata=PEOPLE.assign(pay="much"), **asked)
    with pytest.raises(NoiselessError, match="'pay' is blank in some records; fill or drop them"):
        read_request(None, microdata=PEOPLE.assign(pay=PEOPLE.pay.mask(PEOPLE.pay > 20)), **asked)


def test_records_have_decimal_commas_if_that_is_said(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"rows": "region", "cols": "sex", "value": "pay", "kind": "magnitude"}
    commas, points = tmp_path / "commas.csv", tmp_path / "points.csv"
    PEOPLE.to_csv(commas, sep=";", decimal=",", index=False)
    PEOPLE.to_csv(points, index=False)
    with pytest.raises(NoiselessError, match="if commas stand before decimals, declare --told decimal=,"):
        read_request(None, microdata=str(commas), **asked)
    expected = read_request(None, microdata=PEOPLE, **asked)
    for file in (commas, points):  # columns of numbers are numbers, whatever is said of texts
        found = read_request(None, microdata=str(file), told={"decimal": ","}, **asked)
        assert told(found) == told(expected)
        assert found.contributions is not None
        assert expected.contributions is not None
        assert sorted(found.contributions.amounts) == sorted(expected.contributions.amounts)
    commas.write_text(commas.read_text() + "A;f;1;;6\n")
    with pytest.raises(NoiselessError, match="'pay' is blank in some records"):
        read_request(None, microdata=str(commas), told={"decimal": ","}, **asked)
