import json
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from noiseless import releases
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.releases.changes import ColumnChange
from noiseless.reports.charts import chart_of
from noiseless.reports.frontier_rows import levels_of, method_notes, method_rows, scope_words
from noiseless.reports.release_comparison import (
    compared_rows,
    comparison_sentence,
    comparison_warnings,
    side_of,
)
from noiseless.reports.release_rows import (
    AskedRow,
    asked_rows,
    chosen_by,
    for_the_same,
    found_by,
    largest_cell,
    proved,
    status_of_release,
    verdict,
)
from noiseless.search.measures import ReleasePoint
from noiseless.search.merging import Length
from noiseless.search.survey import Series
from noiseless.work import Cancellation
from release_examples import CELLS, CHANGE, EXACT, GREEDY, MONDRIAN, certificate, frontier, point, release

OPTIONS = certificate()["options"]


class TestVerdict:
    def test_what_is_protected_and_what_it_costs(self) -> None:
        assert verdict(release()) == (
            "Every released row leaves at least 5 of 38 values of age possible (1 before), and each chol "
            "is replaced by an interval at most 21 wide."
        )

    @pytest.mark.parametrize(
        ("left", "words", "mark", "starts"),
        [
            (1, "Not private", "bad", "At least one released row still gives age away, and"),
            (38, "Private", "good", "No released row rules out any value of age, and"),
            (5, "Partly private", "partly", "Every released row leaves"),
        ],
    )
    def test_in_a_word(self, left: int, words: str, mark: str, starts: str) -> None:
        made = release(point=point(left, 3))
        assert (status_of_release(made).words, status_of_release(made).mark) == (words, mark)
        assert verdict(made).startswith(starts)

    @pytest.mark.parametrize("weight", [0, Fraction(1, 2), 2])
    def test_a_weight_is_no_part_of_how_far_numbers_are_changed(self, weight: int | Fraction) -> None:
        made = releases.release(
            pa.table({"x": [1, 3], "s": ["a", "b"]}),
            sensitive="s",
            public="x",
            column_weight={"x": weight},
            min_posterior=2,
        )
        assert verdict(made).endswith("and each x is replaced by an interval at most 2 wide.")

    def test_columns_are_named_each_in_its_unit(self) -> None:
        table = pa.table({"x": [1, 3], "y": ["p", "q"], "z": [4, 4], "s": ["a", "b"]})
        made = releases.release(table, sensitive="s", public=["x", "y", "z"], min_posterior=2)
        assert verdict(made).endswith(
            "each x is replaced by an interval at most 2 wide, each y by a set of at most 2 values."
        )
        one = releases.release(table, sensitive="s", public="x", min_posterior=2, codeword="midrange")
        assert verdict(one).endswith("and no x is changed by more than 1.")
        tree = {"p": ("letter",), "q": ("letter",)}
        up = releases.release(table, sensitive="s", public="y", min_posterior=2, hierarchy={"y": tree})
        assert verdict(up).endswith("and each y is replaced by a group of at most 2 values.")
        top = releases.release(table, sensitive="s", public="y", min_posterior=2, recoding="full-domain")
        assert verdict(top).endswith("and y is suppressed entirely (*).")
        other = releases.release(
            table, sensitive="s", public="y", min_posterior=2, codeword="medoid", distance="discrete"
        )
        assert verdict(other).endswith("and at most 2 different public values read alike.")

    def test_nothing_to_hide(self) -> None:
        made = release(point=point(1, 0, leakage=Bits(1)), sensitive_values=1)
        assert status_of_release(made).mark == "void"
        assert verdict(made).startswith(
            "There is only one value of age, so there is nothing to hide, and each chol is replaced"
        )

    def test_nothing_is_changed_where_nothing_is_merged_or_suppressed(self) -> None:
        table = pa.table({"x": [1, 2, 2, None], "s": ["a", "a", "b", "b"]})
        options: dict[str, Any] = {"sensitive": "s", "public": "x"}
        whole = releases.release(table, **options, min_posterior=1)
        assert verdict(whole).endswith("and nothing is changed.")
        less = releases.release(table, **options, min_posterior=2, suppress=0.5)
        assert verdict(less).endswith("and no values are merged; 2 of 4 rows are suppressed (*).")

    @pytest.mark.parametrize(
        ("left", "classes", "starts"),
        [
            (
                1,
                1,
                "At least one released row still gives age away; no fact about age is revealed by every row,",
            ),
            (
                2,
                1,
                "Every released row leaves at least 2 of 38 values of age possible (1 before); no fact about",
            ),
            (
                1,
                3,
                "At least one released row still gives age away; every row reveals which of 3 classes",
            ),
            (38, 1, "No released row rules out any value of age, and"),
        ],
    )
    def test_what_every_row_tells_stands_beside_what_one_can(
        self, left: int, classes: int, starts: str
    ) -> None:
        made = release({"objective": "maximin"}, point=point(left, 3, maximin=Bits(classes)))
        assert verdict(made).startswith(starts)

    @pytest.mark.parametrize("seed", range(12))
    def test_i_star_hides_no_row_that_gives_all_away(self, seed: int) -> None:
        """Whatever the table: the sentence says that a row gives the secret away just when one does."""
        chance = Random(seed)
        rows = [(chance.choice("abc"), chance.randint(0, 5)) for _ in range(chance.randint(3, 7))]
        rows += [("a", 6), ("b", 6)]
        secrets, values = zip(*rows, strict=True)
        table = pa.table({"s": secrets, "x": values})
        made = releases.release(
            table, sensitive="s", public="x", objective="maximin", max_maximin=0, keep_order=True
        )
        cells: dict[object, set[str]] = {}
        for secret, released in zip(secrets, made.table["x"].to_pylist(), strict=True):
            cells.setdefault(released, set()).add(secret)
        alone = min(map(len, cells.values())) == 1
        assert ("still gives s away" in verdict(made)) == alone
        assert verdict(made).startswith(
            ("At least one released row", "Every released row", "No released row")
        )

    def test_to_whom(self) -> None:
        made = release({"given": ["sex", "job"], "min_posterior": 5})
        assert "possible to anyone who knows sex, job (1 before)" in verdict(made)
        blank = release({"given": "sex", "min_posterior": 5}, point=point(5, 1, leakage=Bits(1)))
        assert verdict(blank).startswith(
            "No released row rules out any value of age that sex leaves possible,"
        )

    @pytest.mark.parametrize(("days", "ends"), [("0.5", "1 day wide."), ("2.5", "5 days wide.")])
    def test_dates_are_changed_by_days(self, days: str, ends: str) -> None:
        born = ColumnChange("born", "date", 9, 4, 100, Fraction(days), Fraction(1), ())
        assert verdict(release(point=point(5, days), changes=(born,))).endswith(
            f"each born is replaced by an interval at most {ends}"
        )

    def test_suppressed_rows_are_said(self) -> None:
        cells = ((["*"], [["1"], ["2"], ["3"], ["4"]], 7, 5), *CELLS)
        made = release(point=point(5, 3, suppressed_rows=7), certificate=certificate(cells, suppressed=0))
        assert verdict(made).endswith("; 7 of 293 rows are suppressed (*).")
        assert largest_cell(made) == 3


class TestAsked:
    @pytest.mark.parametrize(
        ("asked", "row"),
        [
            ({"min_posterior": 5}, AskedRow("fewest values left", "at least 5", "5", holds=True)),
            ({"min_rows": 13}, AskedRow("fewest rows alike", "at least 13", "12", holds=False)),
            ({"max_leakage": 3}, AskedRow("bits leaked, L0", "at most 3", "2.93", holds=True)),
            ({"max_leakage": "2.926"}, AskedRow("bits leaked, L0", "at most 2.926", "2.926", holds=True)),
            ({"max_leakage": "2.925"}, AskedRow("bits leaked, L0", "at most 2.925", "2.926", holds=False)),
            ({"max_maximin": 0}, AskedRow("always revealed, I*", "at most 0", "0.00", holds=True)),
            ({"max_distortion": "21/2"}, AskedRow("distortion", "at most 10.5", "10.5", holds=True)),
            ({"max_distortion": "1/3"}, AskedRow("distortion", "at most 1/3", "10.5", holds=False)),
            ({"min_resolution": "4.9"}, AskedRow("bits of resolution", "at least 4.9", "4.94", holds=True)),
            ({"weight": "0.3"}, AskedRow("weight of what is lost", "0.3", "no limit", holds=True)),
            ({"suppress": "0.05"}, AskedRow("suppressed rows", "at most 5.0 %", "0 %", holds=True)),
        ],
    )
    def test_found_stays_on_its_side_of_the_limit(self, asked: dict[str, Any], row: AskedRow) -> None:
        assert asked_rows(release(asked)) == [row]

    def test_a_distortion_that_is_not_measured(self) -> None:
        row = AskedRow("distortion", "at most 3", "-", holds=False)
        assert asked_rows(release({"max_distortion": 3}, point=point(5, None))) == [row]


class TestProved:
    def test_the_best_of_all(self) -> None:
        best = "Proved optimal: no other way of merging values has a smaller distortion"
        assert proved(release()) == f"{best} within the limits."

    @pytest.mark.parametrize(
        ("gap", "ends"),
        [
            (None, "How much better any other cells could be is not known."),
            (0.0, "No other cells have a smaller distortion."),
            (1 / 3, "No other cells can be better by more than 0.33334."),
        ],
    )
    def test_the_best_of_contiguous_cells(self, gap: float | None, ends: str) -> None:
        said = proved(release(scope="contiguous", gap=gap))
        assert said.startswith("Proved optimal among contiguous cells")
        assert said.endswith(ends)

    def test_not_the_best(self) -> None:
        said = proved(release({"max_distortion": 3}, optimal=False, gap=0.375))
        assert said == "Not proved optimal. No other cells can be better by more than 0.375 bits."

    def test_a_search_that_was_stopped_says_so(self) -> None:
        looked = Cancellation()
        looked.cancel()
        numbers = pa.table({"x": list(range(40)) * 2, "y": [*range(40), *range(40)], "s": list("abcd") * 20})
        with looked.active():
            done = releases.release(numbers, sensitive="s", public=["x", "y"], min_posterior=2)
        assert proved(done).startswith("Not proved optimal: the search was stopped")

    @pytest.mark.parametrize(
        ("prefer", "begins"),
        [
            ("mean", "Not proved optimal. Its"),
            ("worst", "Not proved optimal. No other cells can be better by more than 0.25. Its"),
        ],
    )
    def test_the_mean_loss_and_its_bound(self, prefer: str, begins: str) -> None:
        lost = replace(point(5, 3), mean_loss=Fraction(1, 3))
        asked = {"min_posterior": 2, "prefer": prefer}
        said = proved(release(asked, optimal=False, gap=0.25, point=lost, least_mean_loss=Fraction(2, 15)))
        assert said == f"{begins} mean loss is 33.34 %; no release within these limits has less than 13.33 %."

    @pytest.mark.parametrize(
        ("asked", "value"),
        [
            ({"min_posterior": 2, "max_distortion": 3}, "distortion"),
            ({"max_maximin": 2, "utility": "resolution"}, "resolution"),
            ({"max_distortion": 3}, "leakage"),
            ({"max_distortion": 3, "objective": "maximin"}, "maximin"),
            ({"weight": 1}, "lagrangian"),
        ],
    )
    def test_what_cells_are_chosen_by(self, asked: dict[str, Any], value: str) -> None:
        assert chosen_by(release(asked)) == value


class TestMethods:
    def test_round_numbers_of_values_left(self) -> None:
        assert [level.text for level in levels_of(frontier())] == [
            *("2 left", "3 left", "5 left", "10 left", "20 left", "38 left")
        ]

    def test_what_each_method_needs(self) -> None:
        made = frontier()
        rows = method_rows(made, levels_of(made))
        assert [text for text, _ in rows[0].needs] == ["3", "10.5", "10.5", "20", "45", "45"]
        assert [text for text, _ in rows[1].needs] == ["4", "12", "12", "20", "45", "45"]
        assert [text for text, _ in rows[2].needs] == ["13", "13", "30", "30", "-", "-"]
        assert [best for _, best in rows[1].needs] == [False, False, False, True, True, True]
        assert not any(best for _, best in rows[2].needs)
        assert [row.baseline for row in rows] == [False, False, True]

    def test_the_resolution_that_each_keeps(self) -> None:
        made = frontier(utility="resolution")
        best = method_rows(made, levels_of(made))[0].needs[0]
        assert best == ("6.26", True)  # log2(154/2) = 6.2667...

    def test_levels_are_bits_where_values_left_do_not_tell(self) -> None:
        made = frontier(objective="maximin")
        assert [level.text for level in levels_of(made)] == ["0.00 bits"]
        known = frontier(points=tuple(point(k, 9 - k, leakage=Bits(9 - k)) for k in (1, 2, 5)))
        assert [level.text for level in levels_of(known)] == ["2.81 bits", "2.00 bits"]

    def test_a_frontier_without_points(self) -> None:
        made = frontier(points=(), series=(Series("greedy", ()),))
        assert levels_of(made) == ()
        assert method_rows(made, levels_of(frontier())) == ()

    @pytest.mark.parametrize(
        ("scope", "starts"),
        [
            ("all", "Proved: no way"),
            ("contiguous", "Proved: no contiguous"),
            (None, "No method listed here beats any"),
        ],
    )
    def test_what_is_proved(self, scope: str | None, starts: str) -> None:
        assert scope_words(frontier(scope=scope)).startswith(starts)


class TestTwoReleases:
    OTHER = side_of(release({"min_posterior": 10}, point=EXACT[3]))

    def test_each_measure_and_the_better_of_the_two(self) -> None:
        found = compared_rows(side_of(release()), self.OTHER)
        rows = {row.name: (row.this, row.other, row.better) for row in found}
        assert rows["asked for"] == ("fewest values left at least 5", "fewest values left at least 10", "")
        assert rows["bits leaked, L0"] == ("2.93", "1.93", "other")
        assert rows["fewest values left"] == ("5", "10", "other")
        assert rows["fewest rows alike"] == ("12", "17", "other")
        assert rows["always revealed, I* (bits)"] == ("0.00", "0.00", "")
        assert rows["resolution kept (bits)"] == ("4.94", "3.94", "this")
        assert rows["distortion"] == ("10.5", "20", "this")
        assert rows["proved to be the best"] == ("yes, of all cells", "yes, of all cells", "")

    @pytest.mark.parametrize(
        ("this", "other", "said"),
        [
            (EXACT[2], EXACT[3], "gives away more than the other, and distorts less than it does."),
            (EXACT[2], GREEDY[2], "gives away as much as the other, and distorts less than it does."),
            (EXACT[3], MONDRIAN[2], "gives away more than the other, and distorts less than it does."),
            (EXACT[2], point(2, 30), "gives away and distorts less than the other."),
        ],
    )
    def test_in_a_sentence(self, this: ReleasePoint, other: ReleasePoint, said: str) -> None:
        found = comparison_sentence(side_of(release(point=this)), side_of(release(point=other)))
        assert found == f"This release {said}"

    def test_in_a_sentence_about_equals(self) -> None:
        said = comparison_sentence(self.OTHER, self.OTHER)
        assert said == "Both releases give away and keep the same."

    def test_in_a_sentence_about_resolution(self) -> None:
        kept = {"utility": "resolution", "min_posterior": 5}
        said = comparison_sentence(side_of(release(kept)), side_of(release(kept, point=EXACT[3])))
        assert said == "This release gives away more than the other, and blurs less than it does."

    def test_what_makes_them_hard_to_compare(self) -> None:
        mine = side_of(release())
        assert comparison_warnings(mine, self.OTHER) == []
        elsewhere = certificate(original={"rows": 1, "digest": "sha256:x"})
        assert "same rows" in comparison_warnings(mine, side_of(release(certificate=elsewhere)))[0]
        assert "same columns" in comparison_warnings(mine, side_of(release({"given": "sex"})))[0]
        far = side_of(release(certificate=certificate(options=OPTIONS | {"distance": "gower"})))
        assert "different ways" in comparison_warnings(mine, far)[0]
        assert "distortion" not in {row.name for row in compared_rows(mine, far)}

    def test_columns_of_each(self) -> None:
        two = (CHANGE, ColumnChange("job", "category", 9, 4, 100, None, None, ()))
        rows = compared_rows(side_of(release(changes=two)), side_of(release(changes=two)))
        assert {"different chol", "different job"} <= {row.name for row in rows}

    def test_a_certificate_says_the_same(self) -> None:
        made = release()
        assert side_of(made.certificate) == side_of(made)
        assert side_of(json.loads(json.dumps(made.certificate.to_dict()))) == side_of(made)

    def test_a_certificate_with_a_root_and_a_weight(self) -> None:
        claim = EXACT[2].to_dict() | {"distortion_exact": "sqrt(2/3)"}
        made = certificate(claim=claim, target={}, options=OPTIONS | {"weight": "1/3"})
        assert side_of(made).point.distortion == Length(Fraction(2, 3), root=True)
        assert side_of(made).asked == "weight of what is lost 1/3"
        nowhere = certificate(claim=claim | {"distortion_exact": None}, target={})
        assert side_of(nowhere).point.distortion is None
        assert side_of(nowhere).asked == "nothing"

    @pytest.mark.parametrize(
        "wrong",
        [{}, {"format": "other"}, {"version": 2}, {"claim": {}}, {"target": {"size": 3}}, {"options": None}],
    )
    def test_something_that_is_no_certificate(self, wrong: dict[str, Any]) -> None:
        broken = certificate().to_dict() | wrong if wrong else {}
        with pytest.raises(RequestError, match="no certificate of format 'noiseless-certificate', version 1"):
            side_of(broken)


class TestForTheSame:
    """More values that could be left at no more loss, where the frontier is known."""

    def test_only_where_the_frontier_is_known_and_has_more(self) -> None:
        flat = frontier(points=(point(1, 0), point(5, 10), point(9, 10, cells=2), point(12, 11)))
        made = release(point=point(5, 10, cells=7))
        assert for_the_same(made) == ""
        said = (
            "For the same distortion 9 values could be left, with 2 cells instead of 7: "
            "ask for --min-posterior 9."
        )
        assert for_the_same(made, flat) == said
        made._found["frontier"] = flat
        assert for_the_same(made) == said
        assert for_the_same(release(point=point(12, 11)), flat) == ""

    def test_not_for_other_wishes(self) -> None:
        flat = frontier(points=(point(5, 10), point(9, 10)))
        made = release({"min_posterior": 5, "min_resolution": 1}, point=point(5, 10))
        assert for_the_same(made, flat) == ""


@pytest.mark.parametrize(
    ("method", "optimal", "words"),
    [
        ("greedy", True, "greedy; proved optimal by a bound"),
        ("greedy", False, "greedy"),
        ("exact, contiguous", True, "exact, contiguous"),
    ],
)
def test_how_the_cells_were_found(method: str, optimal: bool, words: str) -> None:
    assert found_by(release(method=method, optimal=optimal)) == words


def test_a_baseline_that_gets_nowhere_is_named_and_not_drawn() -> None:
    stuck = Series("steepest descent", (point(1, 0),), None, baseline=True)
    found = frontier(series=(*frontier().series, stuck))
    assert method_notes(found)[-1].startswith("steepest descent: it finds no release that gives away less")
    assert "steepest descent" not in [curve.name for curve in chart_of(found).curves]
    assert "steepest descent" in [row.name for row in method_rows(found, levels_of(found))]


def test_what_became_of_a_column_in_one_line() -> None:
    assert repr(CHANGE) == (
        "ColumnChange('chol': number, 154 -> 3 values, 280 rows changed, by up to 10.5, on average 3.33334)"
    )
    page = CHANGE._repr_html_()
    assert "236, 238 and 4 more -&gt; 237" in page
