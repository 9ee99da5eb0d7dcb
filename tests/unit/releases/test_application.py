"""Cells of a release applied to later rows, by hand; `tests/oracle` has the definition."""

import json
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import noiseless as nl
from noiseless.errors import ColumnError, MissingValuesError, NoiselessError, RequestError, SourceError
from noiseless.exact import Bits
from noiseless.releases.application import AppliedLimit, AppliedRelease, apply_release
from noiseless.reports.release_text import applied_text

WARDS = {"a": ["north", "all"], "b": ["north", "all"], "c": ["south", "all"], "d": ["south", "all"]}
FITTED = pa.table(
    {
        "age": [31, 35, 52, 47, 31, 60, 44, 28],
        "chol": [180, 182, 190, 230, 233, 240, 240, 300],
        "sex": ["f", "f", "m", "m", "f", "m", "m", "f"],
    }
)


def fitted(**options: Any) -> nl.Release:  # noqa: ANN401
    asked: dict[str, Any] = {"sensitive": "age", "public": "chol", "min_posterior": 2}
    return nl.release(FITTED, **asked | options)


def read(certificate: Any, **columns: list[Any]) -> list[Any]:  # noqa: ANN401
    """What rows read as, in their order."""
    found = apply_release(pa.table(columns), certificate, keep_order=True).table
    rows = list(zip(*(found[name].to_pylist() for name in found.column_names), strict=True))
    return [row[0] if len(row) == 1 else row for row in rows]


def edited(certificate: Any, change: Any) -> dict[str, Any]:  # noqa: ANN401
    """A certificate with something changed in it."""
    found: dict[str, Any] = json.loads(json.dumps(certificate.to_dict()))
    change(found)
    return found


def by_hand(
    kinds: dict[str, str],
    cells: list[tuple[list[Any], list[list[Any]]]],
    **options: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """A certificate of cells that are written down; its claims are not looked at."""

    def change(found: dict[str, Any]) -> None:
        public = list(kinds)
        found["witness"]["distortion_member"] = None
        found["columns"] = {"sensitive": ["s"], "public": public, "given": [], "keep": []}
        found["hierarchies"] = {name: WARDS for name, kind in kinds.items() if kind == "hierarchy"}
        found["options"] |= {"kinds": kinds, "distance": "max", "codeword": "midrange", "spans": {}} | options
        found["partition"] = [
            {
                "released": word,
                "members": members,
                "rows": 1,
                "posterior": 1,
                "suppressed": set(word) == {"*"},
            }
            for word, members in cells
        ]

    return edited(fitted().certificate, change)


class TestReading:
    @pytest.mark.parametrize("codeword", ["midrange", "centroid", "medoid", "interval"])
    def test_numbers_within_a_cell(self, codeword: str) -> None:
        done = fitted(codeword=codeword)
        one, other = (done.certificate["partition"][place]["released"][0] for place in (0, 1))
        found = read(done.certificate, chol=[180, 181, 183.5, 190, 191, 231, 500])
        assert [str(word) for word in found] == [one, one, one, one, "*", other, "*"]

    def test_types_are_those_of_the_release(self) -> None:
        done = fitted()
        found = apply_release(FITTED, done.certificate)
        assert found.table == done.table
        assert (found.known_rows, found.covered_rows, found.outside_rows) == (8, 0, 0)
        few = apply_release(FITTED.slice(0, 2), done.certificate)
        assert few.table.schema == done.table.schema

    def test_persons_are_called_so(self) -> None:
        people = pa.table({"who": [1, 2, 3, 4] * 2, "x": [1, 1, 2, 2] * 2, "s": list("abab") * 2})
        done = nl.release(people, sensitive="s", public="x", unit="who", min_rows=2)
        one = apply_release(people.filter(pc.equal(people["who"], 1)), done.certificate)
        text = applied_text(one)
        assert "fewest persons alike  at least 2      1  DOES NOT HOLD" in text
        assert "fewest rows alike    2" in text

    def test_categories_and_missing_ones(self) -> None:
        cells = by_hand({"x": "category"}, [(["a|b"], [["a"], ["b"]]), (["c|"], [["c"], [None]])])
        assert read(cells, x=["a", "b", "c", None, "d"]) == ["a|b", "a|b", "c|", "c|", "*"]

    def test_leaves_below_the_released_node(self) -> None:
        cells = by_hand({"x": "hierarchy"}, [(["north"], [["a"]]), (["c"], [["c"]])])
        assert read(cells, x=["a", "b", "c", "d", "e", None]) == ["north", "north", "c", "*", "*", "*"]
        medoids = by_hand({"x": "hierarchy"}, [(["a"], [["a"], ["b"]]), (["c"], [["c"]])], codeword="medoid")
        assert read(medoids, x=["b", "c", "d"]) == ["a", "c", "*"]
        assert read(by_hand({"x": "hierarchy"}, [(["all"], [["a"], ["c"]])]), x=["b", "e"]) == ["all", "*"]

    def test_days_and_midnights(self) -> None:
        cells = by_hand({"x": "date"}, [(["2024-02-02"], [["2024-02-01"], ["2024-02-03"]])])
        assert read(cells, x=[date(2024, 2, 2)]) == [date(2024, 2, 2)]
        assert read(cells, x=[datetime(2024, 2, 1), datetime(2024, 2, 4)]) == ["2024-02-02", "*"]  # noqa: DTZ001
        assert read(cells, x=["2024-02-02", "soon"]) == ["2024-02-02", "*"]

    def test_numbers_in_other_spellings_and_texts_among_them(self) -> None:
        cells = by_hand({"x": "number"}, [(["2.5"], [["2"], ["3"]]), (["?"], [["?"]])])
        found = read(cells, x=["2.0", " 2.50", "+3", "2e0", "?", "n/a", "1e999999999", None])
        assert found == ["2.5", "2.5", "2.5", "2.5", "?", "*", "*", "*"]

    def test_of_several_cells_the_cheapest_and_then_the_first(self) -> None:
        kinds = {"x": "number", "y": "number"}
        wide = (["5", "5"], [["0", "0"], ["10", "10"]])
        slim = (["5", "4"], [["4", "3"], ["6", "5"]])
        twin = (["5", "6"], [["4", "5"], ["6", "7"]])
        for cells, word in (([wide, slim, twin], ("5", "4")), ([wide, twin, slim], ("5", "6"))):
            found = read(by_hand(kinds, cells), x=[5, 5, 5, 50], y=[5, 3, 1, 5])
            assert [tuple(map(str, row)) for row in found] == [word, ("5", "4"), ("5", "5"), ("*", "*")]
        no_distance = by_hand(kinds, [wide, slim], distance=None)
        assert read(no_distance, x=[5], y=[4]) == [(5, 5)]

    def test_a_cell_that_covers_one_column_only_covers_nothing(self) -> None:
        cells = by_hand({"x": "number", "y": "category"}, [(["2", "a"], [["1", "a"], ["3", "a"]])])
        assert read(cells, x=[2, 2, 9], y=["a", "b", "a"]) == [("2", "a"), ("*", "*"), ("*", "*")]

    def test_members_of_the_suppressed_cell_and_its_neighbours(self) -> None:
        cells = by_hand({"x": "number"}, [(["1"], [["1"]]), (["*"], [["5"], ["7"]])])
        found = apply_release(pa.table({"x": [1, 5, 6]}), cells)
        assert found.table["x"].to_pylist() == ["1", "*", "*"]
        assert (found.known_rows, found.outside_rows, found.suppressed_rows, found.min_rows) == (2, 1, 2, 1)

    def test_a_top_that_reads_as_suppressed_is_one_cell_with_what_no_cell_covers(self) -> None:
        def starred(found: dict[str, Any]) -> None:
            found["partition"][0]["suppressed"] = False
            found["hierarchies"] = {"x": {"a": ["*"], "b": ["*"]}}

        cells = edited(_Plain(by_hand({"x": "hierarchy"}, [(["*"], [["a"], ["b"]])])), starred)
        found = apply_release(pa.table({"x": ["a", "z", "z"], "s": ["1", "2", "3"]}), cells)
        assert found.table["x"].to_pylist() == ["*"] * 3
        assert (found.suppressed_rows, found.min_rows) == (2, 3)
        assert found.measures is not None
        assert found.measures.min_posterior == 3

    def test_kept_columns_as_they_are_and_sorted_rows(self) -> None:
        done = fitted(keep="sex", min_posterior=1)
        rows = pa.table({"sex": ["m", None, "f"], "chol": [240, 180, 240], "other": [1, 2, 3]})
        assert apply_release(rows, done.certificate).table.to_pylist() == [
            {"chol": 180, "sex": None},
            {"chol": 240, "sex": "f"},
            {"chol": 240, "sex": "m"},
        ]

    def test_rows_as_the_certificate_takes_them(self) -> None:
        table = pa.table({"chol": [180, 180, None], "id": [1, 1, 2]})
        drop = fitted(missing="drop", distinct_rows=True).certificate
        found = apply_release(table, drop)
        assert (found.rows, found.dropped, found.known_rows) == (1, 1, 1)
        with pytest.raises(MissingValuesError, match="'chol' has 1 missing value"):
            apply_release(table, fitted(missing="error").certificate)


class _Plain(dict[str, Any]):
    """JSON with the method that a certificate has."""

    def to_dict(self) -> dict[str, Any]:
        return self


class TestMeasures:
    def test_what_the_new_rows_give_away_by_themselves(self) -> None:
        found = apply_release(
            pa.table({"chol": [181, 182, 231, 232, 232], "age": [1, 2, 1, 2, 3]}), fitted().certificate
        )
        assert found.measures is not None
        assert (found.measures.min_posterior, found.measures.leakage) == (2, Bits(Fraction(3, 2)))
        assert (found.measures.maximin, found.sensitive_values, found.min_rows) == (Bits(1), 3, 2)
        assert found.limits == (AppliedLimit("min_posterior", 2, 2, holds=True),)
        assert (found.holds, found.missed) == (True, ())

    def test_spellings_of_one_secret_are_one(self) -> None:
        def older(found: dict[str, Any]) -> None:
            del found["options"]["spellings"]

        rows = pa.table({"chol": [180, 182], "age": ["Flu", "flu "]})
        found = apply_release(rows, edited(fitted().certificate, older))
        assert found.measures is not None
        assert found.measures.min_posterior == 1

    def test_a_leakage_is_against_all_values_of_the_release(self) -> None:
        """One row alone has one value: it gives away 0 bits of that, and all of what could have been."""
        done = fitted(min_posterior=None, max_leakage=2)
        found = apply_release(pa.table({"chol": [180], "age": [31]}), done.certificate)
        assert found.measures is not None
        assert found.measures.leakage == Bits(1)
        assert found.limits == (AppliedLimit("max_leakage", Fraction(2), Bits(7), holds=False),)
        same = apply_release(FITTED, done.certificate)
        assert [limit.holds for limit in same.limits] == [True]
        assert same.limits[0].found == done.point.leakage

    def test_with_given_columns_a_leakage_may_not_be_known(self) -> None:
        done = fitted(given="sex", min_posterior=None, max_leakage=1, max_maximin=2)
        found = apply_release(FITTED, done.certificate)
        assert [(limit.name, limit.holds) for limit in found.limits] == [
            ("max_leakage", None),
            ("max_maximin", True),
        ]
        assert found.holds is None
        told = pa.table({"chol": [180, 190, 300], "sex": ["f"] * 3, "age": [1, 2, 3]})
        assert [limit.holds for limit in apply_release(told, done.certificate).missed] == [False]
        hidden = pa.table({"chol": [181] * 7, "sex": ["f"] * 7, "age": range(7)})
        assert apply_release(hidden, done.certificate).holds is True

    def test_columns_that_lack(self) -> None:
        def with_rows(found: dict[str, Any]) -> None:
            found["target"]["min_rows"] = 2

        done = fitted(given="sex", min_posterior=1, max_maximin=9)
        certificate = edited(done.certificate, with_rows)
        without = apply_release(FITTED.drop_columns(["age"]), certificate)
        assert (without.lacking, without.measures, without.min_rows) == (("age",), None, 1)
        assert [(limit.name, limit.found, limit.holds) for limit in without.limits] == [
            ("min_posterior", None, None),
            ("min_rows", 1, False),
            ("max_maximin", None, None),
        ]
        fewer = apply_release(FITTED.select(["chol", "age"]), certificate)
        assert (fewer.lacking, fewer.measures, fewer.min_rows, fewer.holds) == (("sex",), None, None, None)
        with pytest.raises(ColumnError, match="'chol' is not in the table"):
            apply_release(FITTED.select(["age"]), certificate)

    def test_the_measures_agree_with_an_audit(self) -> None:
        found = apply_release(FITTED, fitted(keep="sex").certificate, keep_order=True)
        audited = nl.audit(
            found.table.append_column("age", FITTED["age"]), sensitive="age", public=["chol", "sex"]
        )
        assert found.measures is not None
        assert (audited.min_posterior, audited.k_anonymity) == (found.measures.min_posterior, found.min_rows)
        assert audited.leakage == found.measures.leakage


class TestResult:
    FEW = pa.table({"chol": [180, 181, 500], "age": [31, 35, 35]})

    def applied(self) -> AppliedRelease:
        return apply_release(self.FEW, fitted().certificate)

    def test_missed_limits_are_not_written_unless_forced(self, tmp_path: Path) -> None:
        found, out = self.applied(), tmp_path / "out.csv"
        assert (found.holds, [limit.name for limit in found.missed]) == (False, ["min_posterior"])
        with pytest.raises(RequestError, match="new rows alone do not keep min_posterior; force it"):
            found.save(out)
        assert not out.exists()
        found.save(out, force=True)
        assert out.read_text() == "chol\n180-190\n180-190\n*\n"
        with pytest.raises(RequestError, match="change the ending"):
            found.save(tmp_path / "out.docx", force=True)

    def test_in_json_and_in_words(self) -> None:
        found = self.applied()
        answer = json.loads(json.dumps(found.to_dict()))
        assert (answer["known_rows"], answer["covered_rows"], answer["outside_rows"]) == (1, 1, 1)
        assert answer["limits"] == [{"name": "min_posterior", "asked": 2, "found": 1, "holds": False}]
        assert (answer["leakage"], answer["leakage_exact"], answer["holds"]) == (1.0, "2", False)
        assert "not kept             min_posterior" in repr(found)
        assert "not kept" in found._repr_html_()
        text = applied_text(found)
        assert "fewest values left  at least 2      1  DOES NOT HOLD" in text
        assert "not for these rows, and not for all of them together" in " ".join(text.split())

    def test_in_words_where_columns_lack(self) -> None:
        done = fitted(min_posterior=None, max_leakage="3/2")
        text = applied_text(apply_release(self.FEW.select(["chol"]), done.certificate))
        assert "bits leaked, L0  at most 1.5      -  not known" in text
        assert "about age: the table lacks age." in text
        left_out = apply_release(pa.table({"chol": [180, None]}), fitted(missing="drop").certificate)
        assert "1 row with a missing value is left out." in applied_text(left_out)


class TestCertificates:
    def test_a_file_and_what_is_in_memory(self, tmp_path: Path) -> None:
        done = fitted()
        done.save(tmp_path / "out.csv", certificate=tmp_path / "c.json")
        assert apply_release(FITTED, tmp_path / "c.json").table == done.table
        assert nl.apply_release(FITTED, done.certificate.to_dict()).table == done.table

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            (lambda c: c.pop("witness"), "is no certificate: the certificate has no witness"),
            (lambda c: c.update(version=9), "another version"),
            (lambda c: c["partition"][0]["released"].__setitem__(0, "999"), "1 cells not covered by column"),
            (lambda c: c["partition"][1]["members"].append(["180"]), "1 members listed more than once"),
            (lambda c: c["partition"][0].update(members=[]), "1 cells without members"),
            (lambda c: c["options"].update(distance="gower", spans={}), "no declared range"),
        ],
    )
    def test_one_that_does_not_hold_is_refused(self, change: Any, problem: str) -> None:  # noqa: ANN401
        with pytest.raises(SourceError, match=problem):
            apply_release(FITTED, edited(fitted().certificate, change))

    def test_no_row_and_no_certificate(self) -> None:
        with pytest.raises(NoiselessError, match="no row to release"):
            apply_release(FITTED.slice(0, 0), fitted().certificate)
        with pytest.raises(RequestError, match="a certificate is the name of a JSON file or a mapping"):
            apply_release(FITTED, 5)
