"""What is written for cells, and how far that is from their members."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.errors import ColumnError
from noiseless.releases import partition as reading
from noiseless.releases import release
from noiseless.releases.partition import MeasuredPartition
from noiseless.releases.problem import PreparedTable
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import ReleaseSource
from noiseless.search.loss import Length
from noiseless.search.problem import Cells
from noiseless.verification import script, verify

TREE = {"fr": ("Europe", "World"), "de": ("Europe", "World"), "ml": ("Africa", "World")}


def measured(
    columns: dict[str, Any], cells: list[int], hidden: tuple[int, ...] = (), **options: object
) -> MeasuredPartition:
    """Cells of the distinct tuples of some columns, which are given sorted and distinct."""
    size = len(cells)
    table = pa.table({**columns, "secret": list(range(size))})
    request = ReleaseRequest.of({"sensitive": "secret", "public": list(columns), **options})
    prepared = PreparedTable.of(ReleaseSource.read(table, request))
    assert len(prepared.source.public) == size
    suppressed = np.isin(np.arange(size), hidden)
    return prepared.measured(Cells.from_labels(cells), suppressed)


def texts(found: MeasuredPartition) -> list[tuple[str | None, ...]]:
    return list(zip(*(word.texts.to_pylist() for word in found.read.words), strict=True))


@pytest.mark.parametrize(
    ("codeword", "released", "distortion"),
    [
        ("midrange", ["2.5", "11"], Fraction(3, 2)),
        ("centroid", ["2.333", "11"], Fraction(1667, 1000)),
        ("medoid", ["2", "11"], Fraction(2)),
        ("interval", ["1-4", "11"], Fraction(3, 2)),
    ],
)
def test_numbers(codeword: str, released: list[str], distortion: Fraction) -> None:
    found = measured({"x": [1, 2, 4, 11]}, [0, 0, 0, 1], codeword=codeword)
    assert texts(found) == [(text,) for text in released]
    assert found.measures.distortion == Length(distortion)


PARTS = st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from([None, "u", "v"]))


@given(st.lists(PARTS, min_size=2, max_size=6, unique=True))
def test_a_medoid_is_a_value_that_is_there(rows: list[tuple[str | None, str | None]]) -> None:
    """Of the members that are nearest to all others it is one with the fewest missing values."""

    def key(row: tuple[str | None, str | None]) -> tuple[int, int]:
        furthest = max(sum(x != y for x, y in zip(row, other, strict=True)) for other in rows)
        return furthest, sum(part is None for part in row)

    columns = dict(zip("tu", zip(*rows, strict=True), strict=True))
    assume(all(any(values) for values in columns.values()))
    table = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    (chosen,) = texts(measured(table, [0] * len(rows), codeword="medoid", distance="hamming"))
    assert chosen in rows
    assert key(chosen) == min(map(key, rows))


@pytest.mark.parametrize(("first", "released"), [(False, "u"), (True, None)])
def test_a_column_of_text_keeps_a_value(
    first: bool, released: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All texts are equally far from each other, and the missing one is the first of them.

    Releases that were certified when the first was taken still verify, as those of today do.
    """
    if first:
        monkeypatch.setattr(reading, "medoids", lambda _columns, layout, _: layout.order[layout.starts])
    original, out, certificate = (str(tmp_path / name) for name in ("in.csv", "out.csv", "certificate.json"))
    Path(original).write_text('s,t\na,""\nb,u\na,""\nc,v\n')
    done = release(original, sensitive="s", public="t", min_posterior=3, codeword="medoid")
    assert set(done.table["t"].to_pylist()) == {released}
    done.save(out, certificate=certificate)
    assert verify(certificate, original=original, released=out).holds
    assert script.main([certificate, "--original", original, "--released", out]) == 0


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([35, 39], "35-39"),
        ([-3, 5], "-3 to 5"),
        ([0.5, 1.25], "0.5 to 1.25"),
        ([0.5, 2.0], "0.5 to 2"),
        ([0, 10**17], "0-100000000000000000"),
        ([Decimal("1.50"), Decimal("2.00")], "1.5 to 2"),
    ],
)
def test_intervals_read_like_these(values: list[Any], text: str) -> None:
    assert texts(measured({"x": values}, [0, 0], codeword="interval")) == [(text,)]


def test_decimals_are_what_their_texts_say() -> None:
    found = measured({"x": [0.1, 0.2]}, [0, 0], codeword="midrange")
    assert (texts(found), found.measures.distortion) == ([("0.15",)], Length(Fraction(1, 20)))


def test_numbers_beyond_machine_integers() -> None:
    found = measured({"x": [2.0**-40, 1e17]}, [0, 0], codeword="midrange")
    exact = (Fraction(Decimal(repr(2.0**-40))) + 10**17) / 2
    assert Fraction(texts(found)[0][0] or "") == exact
    assert found.measures.distortion == Length(10**17 - exact)


def test_days() -> None:
    days = [dt.date(2024, 2, 28), dt.date(2024, 3, 1), dt.date(2024, 3, 9)]
    found = measured({"x": days}, [0, 0, 1], codeword="midrange")
    assert (texts(found), found.measures.distortion) == ([("2024-02-29",), ("2024-03-09",)], Length(1))
    found = measured({"x": days}, [0, 0, 0], codeword="interval")
    assert (texts(found), found.measures.distortion) == ([("2024-02-28 to 2024-03-09",)], Length(5))
    odd = measured({"x": days[1:]}, [0, 0], codeword="midrange")
    assert (texts(odd), odd.measures.distortion) == ([("2024-03-05",)], Length(4))


def test_sets_of_categories_never_read_alike() -> None:
    values = [None, "*", 'a"', "a|b", "b"]  # as they are sorted
    alone = texts(measured({"x": values}, [0, 1, 2, 3, 4]))
    assert alone == [(None,), ('"*"',), ('"a|b"',), ('a"',), ("b",)]
    together = measured({"x": values}, [0, 0, 1, 1, 2])
    assert texts(together) == [('a"|"a|b"',), ("b",), ('|"*"',)]
    assert together.measures.distortion == Length(1)


def test_nodes_of_a_hierarchy() -> None:
    found = measured({"x": ["de", "fr", "ml"]}, [0, 0, 1], hierarchy={"x": TREE})
    assert (texts(found), found.measures.distortion) == ([("Europe",), ("ml",)], Length(1))
    found = measured({"x": ["de", "fr", "ml"]}, [0, 1, 0], hierarchy={"x": TREE}, hierarchy_cost="leaves")
    assert (texts(found), found.measures.distortion) == ([("World",), ("fr",)], Length(2))
    found = measured({"x": [None, "de", "fr"]}, [0, 1, 0], hierarchy={"x": TREE})
    assert (texts(found), found.measures.distortion) == ([("*",), ("de",)], Length(3))


def test_a_value_that_is_not_in_its_hierarchy() -> None:
    with pytest.raises(
        ColumnError, match=r"has 2 values that are not in its hierarchy \(the first in row 3\); add"
    ):
        measured({"x": ["de", "fr", "se", "uk"]}, [0, 0, 1, 1], hierarchy={"x": TREE})


def test_what_is_no_number_is_released_as_it_is() -> None:
    found = measured({"x": [None, "1", "2", "?"]}, [2, 0, 0, 1], numeric="x")
    assert sorted(texts(found), key=str) == [("1-2",), ("?",), (None,)]
    assert found.measures.distortion == Length(Fraction(1, 2))
    assert found.read.public.groups is not None
    with pytest.raises(ColumnError, match="1 numbers in other spellings"):
        measured({"x": ["1", "2.0", "?"]}, [0, 0, 1], numeric="x")
    with pytest.raises(ColumnError, match="holds no number"):
        measured({"x": ["a", "b"]}, [0, 0], numeric="x")


def test_cells_that_read_alike_are_one_cell() -> None:
    found = measured({"x": [0, 1, 2, 9]}, [0, 1, 0, 2], codeword="midrange")
    assert (texts(found), found.read.layout.sizes.tolist()) == ([("1",), ("9",)], [3, 1])
    tree = {"a": ("other", "p", "top"), "b": ("other", "p", "top"), "other": ("q", "q", "top")}
    found = measured({"x": ["a", "b", "other"]}, [0, 0, 1], hierarchy={"x": tree})
    assert texts(found) == [("top",)]


def test_suppressed_tuples_read_stars_and_count_for_nothing_but_what_is_given_away() -> None:
    found = measured({"x": [1, 2, 50, 90], "y": ["a", "a", "b", "c"]}, [0, 0, 1, 2], hidden=(2, 3))
    assert texts(found) == [("1-2", "a"), ("*", "*")]
    assert (found.read.suppressed, found.measures.suppressed_rows) == (1, 2)
    assert found.measures.resolution.ratio == 1
    assert found.posteriors.tolist() == [2, 2]
    assert found.read.distortion <= 1


def test_an_ordinary_cell_that_reads_like_the_suppressed_one_is_ordinary() -> None:
    tree = dict.fromkeys("abcd", ("*",))
    found = measured({"x": list("abcd")}, [0, 0, 1, 2], hidden=(2,), hierarchy={"x": tree})
    assert (texts(found), found.read.suppressed, found.measures.suppressed_rows) == (
        [("*",), ("d",)],
        None,
        0,
    )
    assert found.read.layout.sizes.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        ("absolute", Length(Fraction(9, 2))),
        ("max", Length(2)),
        ("euclidean", Length(Fraction(29, 4), root=True)),
        ("gower", Length((Fraction(1, 4) + Fraction(1, 2) + 1) / 3)),
        ("hamming", Length(3)),
        ("discrete", Length(1)),
    ],
)
def test_distances_of_several_columns(distance: str, expected: Length) -> None:
    columns = {"x": [1, 4, 7], "y": [0, 4, 4], "z": ["a", "b", "b"]}
    assert measured(columns, [0, 0, 1], distance=distance).measures.distortion == expected


def test_weights_and_declared_ranges() -> None:
    columns = {"x": [1, 5], "y": [0, 2]}
    assert measured(
        columns, [0, 0], distance="absolute", column_weight={"x": "1/4"}
    ).measures.distortion == Fraction(3, 2)
    found = measured(columns, [0, 0], distance="gower", span={"x": (0, 20), "y": "0:10"})
    assert found.measures.distortion == Fraction(1, 10)
    with pytest.raises(ColumnError, match="outside its declared range"):
        measured(columns, [0, 0], distance="gower", span={"x": "2:20"})
    with pytest.raises(ColumnError, match="holds no numbers"):
        measured({"x": ["a", "b"]}, [0, 0], span={"x": "2:20"})


def test_cells_are_numbered_by_what_they_read() -> None:
    found = measured({"x": [2, 10, 30, 100]}, [3, 2, 1, 0])
    assert texts(found) == [("2",), ("10",), ("30",), ("100",)]
