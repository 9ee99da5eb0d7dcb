"""Releases from end to end: what is claimed is what the audit finds and what verification finds."""

import random
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import noiseless as nl
from examples import HEART_COLUMNS
from noiseless.errors import (
    ColumnError,
    EmptyTableError,
    MissingValuesError,
    NoiselessError,
    RequestError,
    UnknownColumnError,
)
from noiseless.releases import Release, frontier, release
from noiseless.reports.release_text import release_text
from noiseless.search.merging import Length
from noiseless.search.portfolio import Portfolio
from noiseless.verification import verify
from noiseless.work import WorkCancelledError

FOUR = pa.table({"s": ["a", "a", "b", "b"], "x": [0, 1, 2, 3]})
PATIENTS = pa.table(
    {
        "age": [31, 35, 52, 47, 31, 60, 44, 58],
        "chol": [180, 182, 190, 230, 233, 240, 240, 251],
        "sex": ["f", "f", "m", "m", "f", "m", "m", "f"],
        "ward": ["a", "b", "a", "b", "a", "a", "b", "b"],
    }
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, dict[str, Any]]:
    """A small table with a secret, one to three public columns, and perhaps others; and what is asked."""
    size = draw(st.integers(4, 12))
    columns: dict[str, Any] = {"s": draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))}
    kinds = {
        "number": st.integers(-3, 9),
        "decimal": st.sampled_from([0.1, 0.25, 2.5, -1.0]),
        "category": st.sampled_from(["a", "b", "a|b", "*", None]),
        "holes": st.none() | st.integers(0, 5),
    }
    public = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=3, unique=True))
    for name in (*public, *draw(st.sampled_from([(), ("keep",), ("given",), ("keep", "given")]))):
        values = kinds.get(name, st.sampled_from([1, 2]))
        columns[name] = draw(st.lists(values, min_size=size, max_size=size))
    options: dict[str, Any] = {"sensitive": "s", "public": public, "keep_order": True}
    options |= {role: role for role in ("keep", "given") if role in columns}
    options["objective"] = draw(st.sampled_from(["leakage", "maximin", "both"]))
    options["utility"] = draw(st.sampled_from(["resolution", "distortion"]))
    options["codeword"] = draw(st.sampled_from(["midrange", "centroid", "medoid", "interval"]))
    target: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"min_posterior": 2},
                {"min_posterior": 3, "suppress": "0.3"},
                {"max_leakage": "1.5"},
                {"max_maximin": 0},
                {"max_distortion": "1.5"},
                {"weight": "1/3"},
                {"min_resolution": 1},
            ]
        )
    )
    return pa.table(columns), options | target


def audited(table: pa.Table, options: dict[str, Any], done: Release) -> nl.Audit:
    """The audit of the released columns beside the original secret."""
    columns = {"s": table["s"], **{name: done.table[name] for name in done.table.column_names}}
    if "given" in options:
        columns["known"] = table["given"]
    seen = list(done.table.column_names)
    return nl.audit(
        pa.table(columns), sensitive="s", public=seen, given="known" if "given" in options else None
    )


@settings(max_examples=12)
@given(tables())
def test_the_claim_is_what_an_audit_and_a_verification_find(case: tuple[pa.Table, dict[str, Any]]) -> None:
    """A release's smallest posterior, leakage and maximin information are those of what is written."""
    table, options = case
    try:
        done = release(table, **options)
    except NoiselessError:
        assume(False)
    found = audited(table, options, done)
    claim = done.certificate["claim"]
    assert claim["min_posterior"] == found.min_posterior == done.point.min_posterior
    assert claim["leakage_exact"] == str(found.leakage.ratio)
    assert claim["maximin_exact"] == str(found.maximin.ratio)
    assert done.point.leakage == found.leakage
    if "suppress" not in options:
        assert done.point.suppressed_rows == 0
    checked = verify(done.certificate, original=table, released=done.table)
    assert checked.holds, checked
    if "min_posterior" in options:
        assert done.point.min_posterior >= options["min_posterior"]


def test_what_is_proved_is_said() -> None:
    """Cells that are not contiguous can be better: x = 0, 1, 2, 3 with s = a, a, b, b."""
    done = release(FOUR, sensitive="s", public="x", min_posterior=2)
    if done.scope == "all":
        assert (distortion(done), done.optimal, done.gap) == (Length(1), True, 0)
    else:
        assert (distortion(done), done.gap) == (Length(Fraction(3, 2)), 0.5)
    assert done.certificate["stated"]["gap"] == done.gap


def test_a_claim_of_optimality_does_not_outlive_cells_that_read_alike() -> None:
    """By resolution {0, 2}, {1, 3}, {4} and the like may be chosen; with equal middles they are one cell."""
    table = pa.table({"s": ["a", "b", "a", "b"], "x": [0, 1, 2, 3]})
    done = release(table, sensitive="s", public="x", utility="resolution", min_posterior=2)
    sizes = [len(cell["members"]) for cell in done.certificate["partition"]]
    assert done.point.resolution.ratio == Fraction(4, max(sizes))
    assert not done.optimal or max(sizes) == 2


def test_rows_are_sorted_unless_their_order_is_asked_for() -> None:
    turned = PATIENTS.take([7, 3, 1, 0, 2, 6, 5, 4])
    asked: dict[str, Any] = {"sensitive": "age", "public": "chol", "keep": "sex", "min_posterior": 2}
    one, other = release(PATIENTS, **asked), release(turned, **asked)
    assert one.table == other.table
    assert one.table["chol"].to_pylist() == sorted(one.table["chol"].to_pylist())
    assert one.certificate["released"] == other.certificate["released"]
    assert one.certificate["original"] == other.certificate["original"]
    kept = release(PATIENTS, keep_order=True, **asked)
    assert kept.table["sex"].to_pylist() == PATIENTS["sex"].to_pylist()
    assert kept.certificate["released"] == one.certificate["released"]
    assert "order" in kept.warnings[0]


def test_a_kept_column_counts_as_seen() -> None:
    without = release(PATIENTS, sensitive="age", public="chol", min_posterior=2)
    done = release(PATIENTS, sensitive="age", public="chol", keep="sex", min_posterior=2)
    assert done.table.column_names == ["chol", "sex"]
    assert distortion(done) > distortion(without)
    seen = audited(PATIENTS.rename_columns(["s", *PATIENTS.column_names[1:]]), {}, release_in_order())
    assert seen.min_posterior >= 2


def distortion(done: Release) -> Length:
    assert done.point.distortion is not None
    return done.point.distortion


def release_in_order() -> Release:
    return release(PATIENTS, sensitive="age", public="chol", keep="sex", min_posterior=2, keep_order=True)


def test_side_information() -> None:
    done = release(PATIENTS, sensitive="age", public="chol", given="ward", max_leakage=1)
    assert done.table.column_names == ["chol"]
    assert done.point.leakage <= 1
    assert verify(done.certificate, original=PATIENTS, released=done.table).holds


def test_missing_values_are_kept_dropped_or_refused() -> None:
    table = pa.table({"s": [1, 2, 3, 4, 5], "x": [10, 12, 30, None, None]})
    kept = release(table, sensitive="s", public="x", min_posterior=2)
    assert kept.table["x"].to_pylist() == ["10-30", "10-30", "10-30", None, None]
    dropped = release(table, sensitive="s", public="x", min_posterior=3, missing="drop")
    assert (dropped.rows, dropped.table.num_rows) == (3, 3)
    with pytest.raises(
        RequestError, match=r"missing values of 'x' are never merged with numbers.*--missing drop"
    ):
        release(table, sensitive="s", public="x", min_posterior=3)
    with pytest.raises(MissingValuesError):
        release(table, sensitive="s", public="x", min_posterior=3, missing="error")
    hidden = release(table, sensitive="s", public="x", min_posterior=2, suppress="0.8", max_distortion=1)
    assert distortion(hidden) <= 1
    as_sets = release(table, sensitive="s", public="x", min_posterior=3, categorical="x")
    assert as_sets.point.min_posterior >= 3


def test_missing_values_that_must_not_stand_alone_are_suppressed() -> None:
    table = pa.table({"s": [1, 2, 3, 4, 5, 6, 7], "x": [10, 11, 12, 13, 14, 15, None]})
    done = release(table, sensitive="s", public="x", min_posterior=2, suppress="2/7")
    assert done.point.suppressed_rows == 2
    assert done.point.min_posterior == 2
    assert done.table["x"].to_pylist()[-2:] == ["*", "*"]
    assert verify(done.certificate, original=table, released=done.table).holds


@pytest.mark.parametrize("kind", ["pandas", "polars", "duckdb"])
def test_any_frame_is_released_alike(kind: str) -> None:
    pandas = PATIENTS.to_pandas()
    frame: Any = {"pandas": pandas, "polars": pl.from_pandas(pandas), "duckdb": duckdb.from_arrow(PATIENTS)}[
        kind
    ]
    done = release(frame, sensitive="age", public="chol", min_posterior=2)
    expected = release(PATIENTS, sensitive="age", public="chol", min_posterior=2)
    assert done.certificate["claim"] == expected.certificate["claim"]
    assert done.certificate["original"] == expected.certificate["original"]


@pytest.mark.parametrize(
    ("options", "problem", "kind"),
    [
        ({}, "there is no target", RequestError),
        (
            {"min_posterior": 8},
            "at most 7 can hide behind an answer; ask for --min-posterior 7",
            RequestError,
        ),
        ({"given": "chol", "min_posterior": 2}, "is both public and given", ColumnError),
        ({"public": "one", "min_posterior": 2}, "the same value of one", RequestError),
        ({"sensitive": "one", "min_posterior": 2}, "the same value of one", RequestError),
        ({"public": "chil", "min_posterior": 2}, "did you mean 'chol'", UnknownColumnError),
        ({"min_posterior": 4, "max_distortion": 1}, "distortion", RequestError),
        ({"min_posterior": 2, "hierarchy": {"chol": {"180": ("low",)}}}, "not in its hierarchy", ColumnError),
        (
            {"min_posterior": 2, "keep_order": True, "distinct_rows": True},
            "no order of their own",
            RequestError,
        ),
    ],
)
def test_what_cannot_be_is_refused_with_how_to_mend_it(
    options: dict[str, Any], problem: str, kind: type[Exception]
) -> None:
    table = PATIENTS.append_column("one", pa.array([1] * 8))
    with pytest.raises(kind, match=problem) as caught:
        release(table, **{"sensitive": "age", "public": "chol", **options})
    assert "\n" not in str(caught.value)


def test_an_empty_table() -> None:
    with pytest.raises(EmptyTableError):
        release(PATIENTS.slice(0, 0), sensitive="age", public="chol", min_posterior=2)


def test_several_sensitive_columns_are_hidden_together() -> None:
    done = release(PATIENTS, sensitive=["age", "ward"], public="chol", min_posterior=3, keep_order=True)
    assert done.sensitive_values == 7  # (31, a) is there twice
    assert verify(done.certificate, original=PATIENTS, released=done.table).holds
    for column, (left, values) in done.fewest_of_each.items():
        behind: dict[Any, set[Any]] = {}
        for cell, value in zip(done.table["chol"].to_pylist(), PATIENTS[column].to_pylist(), strict=True):
            behind.setdefault(cell, set()).add(value)
        assert (left, values) == (min(map(len, behind.values())), len(set().union(*behind.values())))
    assert any("by itself a column may leave fewer values" in warning for warning in done.warnings)


def test_a_column_that_is_given_away_among_several_is_said() -> None:
    table = pa.table({"income": [1, 2, 3, 4], "ill": ["a", "a", "b", "b"], "x": [0, 1, 8, 9]})
    done = release(table, sensitive=["income", "ill"], public="x", min_posterior=2)
    assert (done.point.min_posterior, done.fewest_of_each) == (2, {"income": (2, 4), "ill": (1, 2)})
    text = " ".join(release_text(done).split())
    assert text.startswith(
        "NOT PRIVATE: Every released row leaves at least 2 of 4 combinations of income, ill"
    )
    assert "but at least one gives ill away completely" in text
    assert done.to_dict()["min_posterior_of_each"] == {"income": 2, "ill": 1}


def test_a_frontier_that_was_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"sensitive": "age", "public": ["chol", "sex"]}
    assert "stopped" not in frontier(PATIENTS, **asked).note

    def stop(*_: object, **__: object) -> None:
        raise WorkCancelledError

    monkeypatch.setattr(Portfolio, "run_again", stop)
    found = frontier(PATIENTS, **asked)
    assert "the search was stopped before all levels and methods were looked at" in found.note
    assert not found.is_complete


def test_what_keeps_all_limits_is_released_as_it_is_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"s": [0, 1, 2, 3] * 3, "x": ["a"] * 4 + ["b"] * 4 + ["c"] * 4, "y": [1, 2] * 6})
    monkeypatch.setattr(Portfolio, "run", lambda *_, **__: pytest.fail("levels are looked at"))
    done = release(table, sensitive="s", public=["x", "y"], min_posterior=2)
    assert (done.method, done.optimal, done.scope, done.point.min_posterior) == ("unchanged", True, "all", 2)


def test_results_are_readable_and_say_what_changed() -> None:
    done = release(PATIENTS, sensitive="age", public="chol", codeword="interval", min_posterior=3)
    assert "age keeps at least" in repr(done)
    assert "<table>" in done._repr_html_()
    (change,) = done.changes
    assert (change.name, change.kind, change.before) == ("chol", "number", 7)
    assert change.largest == done.point.distortion
    assert change.mean is not None
    assert change.largest is not None
    assert change.mean <= change.largest
    released = set(done.table["chol"].to_pylist())
    assert all(example.released in released for example in change.examples)
    found = done.to_dict()
    assert set(found) >= {
        *("cells", "leakage", "maximin", "resolution", "distortion", "min_posterior"),
        *("method", "optimal", "gap", "scope"),
    }


def test_a_set_that_holds_the_missing_value_is_explained() -> None:
    table = pa.table({"s": ["a", "b"], "x": [None, "F"]})
    done = release(table, sensitive="s", public="x", min_posterior=2)
    assert done.table["x"].to_pylist() == ["|F", "|F"]
    assert "in column 'x' a set that begins with | holds the missing value too" in done.warnings


def test_a_sensitive_column_is_not_kept() -> None:
    with pytest.raises(RequestError, match=r"'age' is to stay hidden.*leave it out of --keep"):
        release(PATIENTS, sensitive="age", public="chol", keep="age", min_posterior=2)


def test_a_release_is_on_its_own_frontier_unless_that_has_a_better_one() -> None:
    found = frontier(PATIENTS, sensitive="age", public="chol")
    first, *_, last = found.points
    assert found.including(last) is found
    assert found.including(replace(first, leakage=last.leakage, suppressed_rows=1)) is found
    better = replace(first, leakage=last.leakage, min_posterior=last.min_posterior)
    assert found.including(better).points == (better,)
    assert found.including(better).scope is None


def test_examples_are_of_values_that_change() -> None:
    table = pa.table({"s": [0, 1, 0, 1, 0, 1, 2], "x": [*[1] * 4, 8, 9, 9]})
    (change,) = release(table, sensitive="s", public="x", min_posterior=2).changes
    assert [example.released for example in change.examples] == ["8-9"]


def test_numbers_that_a_question_mark_made_texts_are_noticed() -> None:
    table = pa.table({"s": ["a", "b", "a", "b"], "x": ["1", "2", "3", "?"]})
    (note,) = release(table, sensitive="s", public="x", min_posterior=1).warnings
    assert "other texts too" in note
    assert "name it as numeric to take it as numbers" in note
    assert "in 1 row (the first is row 4), and is taken as categories; blank or mend those rows" in note
    blank = pa.table({"s": ["a", None, "b", "a", "b"], "x": ["1", "2", "2", "3", "?"]})
    (*_, note) = release(blank, sensitive="s", public="x", min_posterior=1, missing="drop").warnings
    assert "other texts too in 1 row, and is taken" in note
    stray = pa.table({"s": ["a", "b", "a", "b"], "x": ["1,5", "2", "b.d.", "3,5"]})
    (note,) = release(stray, sensitive="s", public="x", min_posterior=1).warnings
    assert "in 1 row (the first is row 3), and is taken as categories; blank or mend those rows" in note
    with pytest.raises(ColumnError, match="has 2 different numbers with decimal commas"):
        release(stray.take([0, 2, 3]), sensitive="s", public="x", numeric="x", min_posterior=1)
    codes = pa.table({"s": ["a", "b", "a", "b"], "x": ["01", "02", "03", "04"]})
    for column in (codes["x"], pa.chunked_array([[None, "02", "03", "04"]])):  # a blank is no other text
        (note,) = release(
            codes.set_column(1, "x", column), sensitive="s", public="x", min_posterior=1
        ).warnings
        assert note.endswith("as categories; give it a hierarchy, such as prefixes, to merge it step by step")
    commas = pa.table({"s": ["a", "b", "a", "b"], "x": ["1,5", "1.234,50", "-2,25", "3"]})
    assert "decimal commas" in release(commas, sensitive="s", public="x", min_posterior=1).warnings[0]
    for days in (
        ["20/01/1959", "1.2.60", "3-4-1961"],
        ["2025-03-01 0:00", "2025-03-02 1:00", "2025-03-03 11:30"],
    ):
        dates = pa.table({"s": ["a", "b", "a", "b"], "x": [*days, None]})
        assert "looks like dates" in release(dates, sensitive="s", public="x", min_posterior=1).warnings[0]
    assert release(table, sensitive="s", public="x", categorical="x", min_posterior=1).warnings == ()
    assert release(table, sensitive="s", public="x", numeric="x", min_posterior=1).warnings == ()


@pytest.mark.parametrize("values", [[1e300, 1e-300, 1.0, 2.0], [10**101, 1, 2, 3]])
@pytest.mark.parametrize("distance", ["absolute", "euclidean"])
def test_numbers_too_wide_for_floats_are_refused(values: list[float], distance: Any) -> None:  # noqa: ANN401 - one of its literals  # noqa: ANN401
    table = pa.table({"s": [0, 1, 0, 1], "x": [str(value) for value in values]})
    if isinstance(values[0], float):
        table = pa.table({"s": [0, 1, 0, 1], "x": values})
    with pytest.raises(ColumnError, match="more than 100 digits to write out"):
        release(table, sensitive="s", public="x", min_posterior=2, numeric="x", distance=distance)


def test_a_weight_of_zero_beside_numbers_beyond_machine_integers() -> None:
    wide = [str(10**30), "5", str(10**30 + 2), "7"]
    table = pa.table({"s": [0, 1, 0, 1], "x": wide, "y": [1, 2, 3, 4]})
    weights = {"x": 0, "y": 1}
    done = release(
        table,
        sensitive="s",
        public=["x", "y"],
        numeric="x",
        min_posterior=2,
        column_weight=weights,
        distance="max",
    )
    assert done.point.distortion == Fraction(1, 2)
    assert verify(done.certificate, original=table, released=done.table).holds


def test_a_constant_column_with_a_huge_weight() -> None:
    table = pa.table({"s": [0, 1, 0, 1], "x": [5, 5, 5, 5], "y": [1, 2, 3, 4]})
    done = release(
        table,
        sensitive="s",
        public=["x", "y"],
        min_posterior=2,
        column_weight={"x": 10**25, "y": 1},
        distance="max",
    )
    assert done.point.distortion == Fraction(1, 2)


def test_a_frontier_says_what_is_kept_and_known() -> None:
    found = frontier(PATIENTS, sensitive="age", public="chol", keep="sex", given="ward", baselines=False)
    assert (found.keep, found.given) == (("sex",), ("ward",))
    assert (found.to_dict()["keep"], found.to_dict()["given"]) == (["sex"], ["ward"])


def test_the_frontier_of_a_release() -> None:
    done = release(PATIENTS, sensitive="age", public="chol", min_posterior=2)
    found = done.frontier()
    assert found is done.frontier()
    losses = [point.distortion for point in found.points]
    assert losses == sorted(losses, key=lambda length: length.squared if length else Fraction(0))
    assert all(a.leakage > b.leakage for a, b in zip(found.points, found.points[1:], strict=False))
    assert "fewest values left" in repr(found)
    assert "<table>" in found._repr_html_()
    assert found.to_dict()["points"][0]["min_posterior"] == done.before.min_posterior
    same = frontier(PATIENTS, sensitive="age", public="chol")
    assert same.points == found.points


def test_the_heart_data(data: Path) -> None:
    file = data / "heart" / "processed.hungarian.data"
    asked: dict[str, Any] = {"numeric": "chol", "distinct_rows": True, "names": HEART_COLUMNS}
    done = release(file, sensitive="age", public="chol", min_posterior=5, **asked)
    assert (done.rows, done.sensitive_values, done.public_values) == (293, 38, 154)
    assert done.before.leakage == nl.Bits(38)
    assert done.point.distortion == Fraction(137, 2)
    assert (done.optimal, done.scope) == (True, "all")
    assert "?" in done.table["chol"].to_pylist()
    assert verify(done.certificate, original=file, released=done.table, names=HEART_COLUMNS).holds


def test_adult_with_six_public_columns(data: Path) -> None:
    trees = {"education": "education", "marital-status": "marital", "native-country": "country"}
    adult = pl.read_csv(data / "adult" / "adult.csv", n_rows=3000)
    table = adult.rename(str.strip).with_columns(pl.col(pl.String).str.strip_chars())
    done = release(
        table,
        sensitive="occupation",
        public=["age", "workclass", *trees, "sex"],
        hierarchy={name: data / "adult" / "hierarchies" / f"{tree}.csv" for name, tree in trees.items()},
        codeword="interval",
        min_posterior=4,
    )
    assert (done.rows, done.certificate["options"]["distance"]) == (3000, "gower")
    assert done.point.min_posterior >= 4
    assert {"Europa", "Asia"} & set(done.table["native-country"].to_pylist())
    assert verify(done.certificate, original=table, released=done.table).holds


def test_a_column_by_itself_keeps_its_missing_values_in_a_text_file(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2, None, None], "s": ["a", "b", "a", "b"]})
    made = release(table, sensitive="s", public="x", min_posterior=2)
    made.save(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines().count('""') == 2


def test_missing_values_that_count_are_told() -> None:
    table = pa.table({"x": [1, 2, 3, None, 5, 6], "s": ["a", None, "b", "a", "c", "b"]})
    made = nl.release(table, sensitive="s", public="x", min_posterior=2, suppress="1/2")
    assert made.sensitive_values == 4
    assert any(note.startswith("1 of 6 rows has no s; a missing one counts as one") for note in made.warnings)
    left = nl.release(table, sensitive="s", public="x", min_posterior=2, missing="drop")
    assert (left.rows, left.warnings) == (4, ("2 rows with a missing value are left out",))


def test_a_frontier_says_why_it_ends_early() -> None:
    table = pa.table({"x": [1, 2, 3, None, None, 6], "s": ["a", "b", "c", "a", "b", "c"]})
    found = nl.frontier(table, sensitive="s", public="x", baselines=False)
    assert found.note == (
        "no release without suppressed rows leaves more than 2 of 3 values of s: missing values of 'x' are "
        "never merged with numbers"
    )
    assert nl.frontier(table, sensitive="s", public="x", missing="drop", baselines=False).note == ""


@pytest.mark.parametrize("more", [{"suppress": "0.3"}, {"min_resolution": "0.5"}], ids=str)
def test_numbers_may_span_more_than_machine_words_hold(more: Any) -> None:  # noqa: ANN401 - options
    table = pa.table({"a": [1 / 3, 1 / 3, 5000.5, 5000.5, 2.0], "b": [1, 2, 1, 2, 1]})
    chosen = nl.release(table, sensitive="b", public="a", min_posterior=2, **more)
    assert chosen.to_dict()["cells"] == 2


def test_advice_is_given_where_it_helps(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,1\n,2\n3,1\n")
    unhelpful: list[Any] = [{}, {"min_posterior": 9}]
    for limits in unhelpful:
        with pytest.raises(RequestError) as refused:
            nl.release(path, sensitive="b", public="a", **limits)
        assert "--missing drop" not in str(refused.value)


@pytest.mark.parametrize("distance", ["absolute", "euclidean", "squared", "max", "gower"])
def test_the_mean_loss_does_not_depend_on_decimals_or_on_the_distance(distance: Any) -> None:  # noqa: ANN401 - one of its literals
    halves = [0.0, 0.5, 0.0, 0.5, 0.0, 0.0]
    table = pa.table({"a": halves, "b": [0, 0, 4, 4, 10, 10], "s": list("xyyxxy")})
    done = release(table, sensitive="s", public=["a", "b"], min_posterior=2, distance=distance, prefer="mean")
    assert (done.point.mean_loss, done.optimal) == (Fraction(2, 15), True)


def test_the_least_mean_loss_of_some_tens_of_values() -> None:
    """It is found and proved for any columns; where the largest change comes first, it is said."""
    rng = random.Random(5)
    columns = {"a": [rng.randrange(60) for _ in range(25)], "b": [rng.choice("uvwxyz") for _ in range(25)]}
    table = pa.table(columns | {"s": [rng.choice("klmn") for _ in range(25)]})
    asked: dict[str, Any] = {
        "sensitive": "s",
        "public": ["a", "b"],
        "min_posterior": 2,
        "codeword": "interval",
    }
    mean, worst = release(table, **asked, prefer="mean"), release(table, **asked)
    assert (mean.optimal, mean.scope, mean.gap, mean.method) == (True, "all", 0, "cell cover")
    assert mean.least_mean_loss == mean.point.mean_loss
    assert worst.point.mean_loss is not None
    assert worst.least_mean_loss is None or 0 < worst.least_mean_loss <= worst.point.mean_loss
    assert 0 < mean.to_dict()["least_mean_loss"] <= mean.to_dict()["mean_loss"]


def test_what_is_no_number_does_not_widen_a_column() -> None:
    blank = release(
        pa.table({"a": [0, 1, None, None], "s": list("xyxy")}), sensitive="s", public="a", min_posterior=2
    )
    assert blank.point.mean_loss == Fraction(1, 2)
    texts = pa.table({"a": ["0", "1", "?", "?", "n/a", "n/a", "-", "-"], "s": list("xyxyxyxy")})
    done = release(texts, sensitive="s", public="a", numeric="a", min_posterior=2)
    assert done.point.mean_loss == Fraction(1, 4)


def test_a_refusal_speaks_of_the_largest_change_whatever_is_preferred() -> None:
    secrets = ["s2", "s3", "s3", "s3", "s3", "s4", "s1", "s4", "s4", "s2"]
    table = pa.table({"a": [0, 8, 8, 0, 8, 20, 1, 8, 1, 8], "s": secrets})
    asked: dict[str, Any] = {"sensitive": "s", "public": "a", "min_posterior": 2, "prefer": "mean"}
    with pytest.raises(RequestError, match=r"a distortion of 6 \(the least possible\)"):
        release(table, **asked, max_distortion=5)
    with pytest.raises(RequestError, match="was not found"):
        release(table, **asked, max_distortion=6, min_resolution=2)
    with pytest.raises(RequestError, match="not to the resolution"):
        release(table, **asked, utility="resolution")


@pytest.mark.parametrize(
    ("codeword", "counts"), [("midrange", False), ("centroid", False), ("interval", True)]
)
def test_what_is_rounded_when_it_is_written_is_not_proved_by_all_partitions(
    codeword: Any,  # noqa: ANN401 - one of its literals
    counts: bool,
) -> None:
    """The middle of days is written as a day, and may be nearer to the worst row than the exact one."""
    days = [date(2024, 3, day) for day in (1, 4, 6, 9)]
    table = pa.table({"day": days, "x": [0, 5, 1, 9], "s": list("abab")})
    done = release(table, sensitive="s", public=["day", "x"], min_posterior=2, codeword=codeword)
    assert ("all partitions" in done.proof) is counts


def test_rows_of_nobody_are_left_out_as_the_certificate_says() -> None:
    table = pa.table({"x": [1, 2, 3, 4] * 5, "s": list("abcd") * 5, "who": [None, *range(19)]})
    done = release(table, sensitive="s", public="x", min_rows=4, unit="who", missing="drop")
    assert done.rows == 19
    assert verify(done, original=table, released=done.table).holds
