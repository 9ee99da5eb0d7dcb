"""Choosing a release: what can be asked, what is answered and proved, and what is refused."""

# ruff: noqa: ANN401, ISC004 - options and settings of any kind; long messages

import csv
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_costs import cost_by_definition
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search import greedy, methods, portfolio
from noiseless.search.bounds import least_limit
from noiseless.search.goal import Targets
from noiseless.search.loss import Objective, Utility, below
from noiseless.search.measures import cell_costs
from noiseless.search.merging import (
    Categories,
    Cells,
    ColumnCodebook,
    Hierarchy,
    Length,
    Numbers,
    SideInformation,
    leakage_path,
)
from noiseless.search.portfolio import Goal, Problem, choose, measure, survey

F = Fraction


def on_a_line(held: Sequence[str], places: Sequence[int] | None = None, **options: Any) -> Problem:
    """A public value for each text, whose letters are its sensitive values."""
    joint = JointRange.from_codes(
        *zip(*[("abcdefgh".index(s), x) for x, some in enumerate(held) for s in some], strict=True)
    )
    book = ColumnCodebook(Numbers(range(len(held)) if places is None else places))
    return Problem(joint, book, **options)


AABB = on_a_line("aabb")


class TestWish:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "no target"),
            ({"weight": -1}, "a weight is not negative"),
            ({"weight": float("nan")}, "weight is not a finite number"),
            ({"min_posterior": 0}, "at least 1"),
            ({"min_posterior": 1.5}, "whole number of sensitive values"),
            ({"min_rows": 0}, "minimum number of rows is at least 1"),
            ({"min_rows": 2.5}, "whole number of rows"),
            ({"min_rows": True}, "whole number of rows"),
            ({"max_leakage": -1}, "largest leakage is not negative"),
            ({"max_distortion": -1}, "largest distortion is not negative"),
            ({"weight": 1, "suppress": 1}, "at least 0 and below 1"),
            ({"weight": 1, "suppress": -0.1}, "at least 0 and below 1"),
            ({"weight": 1, "objective": "both leaks"}, "'leakage', 'maximin' or 'both'"),
            ({"weight": 1, "utility": "beauty"}, "'resolution' or 'distortion'"),
            ({"weight": 1, "method": "first-rise", "min_rows": 2}, "stops by a weight and keeps to no limit"),
            ({"min_rows": 2, "method": "first-rise"}, "stops by a weight and keeps to no limit"),
            ({"weight": 1, "method": "magic"}, "'auto', 'greedy', 'exact' or 'first-rise'"),
        ],
    )
    def test_refuses_what_makes_no_sense(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(RequestError, match=message):
            Goal(**options)

    def test_what_is_made_small(self) -> None:
        assert Goal(min_posterior=2).aim == Goal(max_maximin=0, max_distortion=1).aim == "loss"
        assert Goal(min_rows=2).aim == "loss"
        assert Goal(max_distortion=1).aim == Goal(min_resolution=1).aim == "leak"
        assert Goal(weight=1, min_posterior=2).aim == "lagrangian"

    def test_numbers_are_exact(self) -> None:
        wish = Goal(max_leakage=Decimal("0.1"), weight=0.5)  # type: ignore[arg-type]
        assert (wish.max_leakage, wish.weight) == (F(1, 10), F(1, 2))

    @pytest.mark.parametrize(
        ("leakage", "need"),
        [(0, 38), (1, 19), (Bits(F(38, 5)), 5), (F(29, 10), 6), (Bits(38), 1), (10, 1), (F(5248, 1000), 1)],
    )
    def test_a_leakage_is_a_posterior(self, leakage: Any, need: int) -> None:
        joint = JointRange.from_codes(range(38), range(38))
        assert Targets(Problem(joint), Goal(max_leakage=leakage)).need.tolist() == [need]


class TestProblem:
    def test_refuses_what_does_not_fit(self) -> None:
        joint = AABB.joint
        with pytest.raises(RequestError, match="about 3 values, there are 4"):
            Problem(joint, ColumnCodebook(Numbers([1, 2, 3])))
        with pytest.raises(RequestError, match="side information is about 1"):
            Problem(joint, side=SideInformation([0], [0]))
        with pytest.raises(RequestError, match="`rows` takes a whole number for each of the 4"):
            Problem(joint, rows=np.array([1, 2]))
        with pytest.raises(RequestError, match="`groups` takes"):
            Problem(joint, groups=np.array([0, 0, 0, -1]))

    def test_lines(self) -> None:
        assert AABB.line is not None
        assert on_a_line("aab", [3, 3, 4]).line is None
        assert on_a_line("aab", [3, 3, 4], groups=np.array([0, 1, 1])).line is not None
        assert Problem(AABB.joint).line is None
        assert Problem(AABB.joint, ColumnCodebook(Categories("wxyz"))).line is None

    def test_what_is_left_without_some_values(self) -> None:
        rest, kept = on_a_line("aabbc", rows=np.arange(5)).without(np.array([0, 1, 0, 0, 1], bool))
        assert (rest.size, rest.joint.size_x, kept.tolist(), rest.weights.tolist()) == (
            3,
            2,
            [0, 2, 3],
            [0, 2, 3],
        )

    def test_one_value_is_refused(self) -> None:
        for problem, message in (
            (Problem(JointRange.from_pairs([("a", 1), ("b", 1)])), "only one public value"),
            (Problem(JointRange.from_pairs([("a", 1), ("a", 2)])), "one sensitive value only"),
        ):
            for ask in (lambda p: choose(p, Goal(min_posterior=1)), survey):
                with pytest.raises(RequestError, match=message):
                    ask(problem)


@pytest.mark.parametrize(
    "labels", [[0, 0, 1, 2], [7, 7, 2, 5], [-1, -1, 3, 0], ["b", "b", "a", "c"], [2.5, 2.5, 0.5, 1.5]]
)
def test_cells_are_numbered_by_their_first_value(labels: list[Any]) -> None:
    cells = Cells.from_labels(labels)
    assert (cells.cell_of.tolist(), cells.count) == ([0, 0, 1, 2], 3)
    assert Cells.from_labels(labels[::-1]).cell_of.tolist() == [0, 1, 2, 2]


class TestMeasures:
    def test_suppressed_values_count_for_what_is_given_away_only(self) -> None:
        problem = on_a_line("abab", [0, 1, 2, 99], rows=np.array([1, 2, 3, 4]))
        hidden = np.array([True, False, False, True])
        found = measure(problem, Cells.from_labels([0, 1, 1, 0]), hidden)
        assert (found.min_posterior, found.distortion, found.largest_cell) == (2, Length(F(1, 2)), 2)
        assert (found.resolution, found.suppressed_values, found.suppressed_rows) == (Bits(1), 2, 5)
        assert found.loss("resolution") == Bits(4)
        poor = measure(
            on_a_line("aabb", [0, 99, 2, 3]),
            Cells.from_labels([0, 0, 1, 1]),
            hidden := np.array([1, 1, 0, 0], bool),
        )
        assert (poor.min_posterior, poor.leakage) == (1, Bits(2))
        assert hidden.sum() == poor.suppressed_rows

    def test_rows_look_alike_in_a_cell_and_beside_it(self) -> None:
        problem = on_a_line("abab", rows=np.array([1, 2, 3, 4]))
        hidden = np.array([True, False, False, True])
        cells = Cells.from_labels([0, 1, 1, 0])
        assert measure(problem, cells).min_rows == measure(problem, cells, hidden).min_rows == 5
        joint = JointRange.from_pairs([("s", 0), ("t", 1), ("s", 2), ("t", 3)])
        known = Problem(joint, side=SideInformation([0, 0, 1, 1], [0, 1, 0, 1]), rows=np.array([1, 7, 3, 2]))
        assert known.weights.tolist() == [8, 5]
        found = measure(known, Cells.from_labels([0, 0]))
        assert found.min_rows == 4
        assert [Goal(min_rows=k).allows(found) for k in (4, 5)] == [True, False]

    def test_cells_do_not_reach_over_groups(self) -> None:
        problem = on_a_line("abab", groups=np.array([0, 0, 1, 1]))
        with pytest.raises(RequestError, match="reaches over groups"):
            measure(problem, Cells.from_labels([0, 1, 1, 2]))
        with pytest.raises(RequestError, match="one cell of their own"):
            measure(problem, Cells.from_labels([0, 0, 1, 1]), np.array([1, 0, 0, 0], bool))
        with pytest.raises(RequestError, match="nothing left"):
            measure(problem, Cells.from_labels([0, 0, 1, 1]), np.ones(4, bool))

    @pytest.mark.parametrize("distance", ["gower", "euclidean", "max"])
    @pytest.mark.parametrize("word", ["midrange", "interval", "centroid", "medoid"])
    def test_costs_of_many_values(self, distance: Any, word: Any) -> None:
        """All at once they cost what the definition says."""
        rng = np.random.default_rng(0)
        tree = {leaf: (leaf // 3, "any") for leaf in range(9)}
        book = ColumnCodebook(
            Numbers(rng.integers(0, 50, 400), span=(0, 50)),
            Numbers(rng.integers(0, 9, 400), span=(0, 10), weight=2),
            Categories(rng.integers(0, 2, 400)),
            Hierarchy(rng.integers(0, 9, 400).tolist(), tree),
            distance=distance,
            codeword=word,
        )
        cells = Cells.from_labels(rng.integers(0, 60, 400))
        assert list(cell_costs(book, cells)) == [
            cost_by_definition(book, members) for members in cells.members
        ]


class TestChoosing:
    def test_cells_that_are_not_contiguous_can_be_better(self) -> None:
        found = choose(AABB, Goal(min_posterior=2, utility="distortion"))
        assert found.cells.members == ((0, 2), (1, 3))
        assert (found.quality.distortion, found.optimal, found.scope, found.gap) == (
            Length(1),
            True,
            "all",
            0,
        )
        exact = choose(AABB, Goal(min_posterior=2, utility="distortion", method="exact"))
        assert (exact.quality.distortion, exact.optimal, exact.scope, exact.gap) == (
            Length(F(3, 2)),
            True,
            "contiguous",
            0.5,
        )
        assert exact.at_least == Length(1)
        assert "no contiguous cells do better" in exact.proof

    def test_what_is_fine_stays_as_it_is(self) -> None:
        found = choose(on_a_line(["ab", "bc", "ac"]), Goal(min_posterior=2, utility="distortion"))
        assert (found.method, found.optimal, found.scope, found.quality.cells) == (
            "unchanged",
            True,
            "all",
            3,
        )

    def test_dealing(self) -> None:
        found = choose(AABB, Goal(min_posterior=2))
        assert (found.method, found.quality.largest_cell, found.scope) == ("dealing", 2, "all")
        assert choose(AABB, Goal(min_resolution=1)).quality.min_posterior == 2
        assert choose(AABB, Goal(weight=F(1, 2))).quality.min_posterior == 2

    def test_fewest_blocks(self) -> None:
        found = choose(
            on_a_line("abcad", [0, 1, 2, 3, 9]),
            Goal(objective="maximin", max_maximin=1, utility="distortion"),
        )
        assert (found.method, found.quality.distortion, found.optimal) == (
            "fewest blocks",
            Length(F(1, 2)),
            True,
        )
        wide = choose(
            on_a_line("abcad", [0, 1, 2, 3, 9]),
            Goal(objective="maximin", max_distortion=1, utility="distortion"),
        )
        assert (wide.quality.maximin, wide.scope, wide.optimal) == (Bits(2), "all", True)

    def test_both_leaves_no_maximin_information(self) -> None:
        problem = on_a_line("ababcdcd")
        alone = choose(problem, Goal(min_posterior=2, utility="distortion"))
        both = choose(problem, Goal(objective="both", min_posterior=2, utility="distortion"))
        assert alone.quality.maximin > 0
        assert both.quality.maximin == 0
        assert both.quality.min_posterior >= 2
        weighed = choose(problem, Goal(objective="both", weight=F(1, 3)))
        assert weighed.quality.maximin == 0

    def test_all_limits_hold_together(self) -> None:
        problem = on_a_line("abcabcabcabc")
        wish = Goal(
            min_posterior=2,
            max_leakage=F(3, 5),
            max_maximin=0,
            max_distortion=2,
            min_resolution=2,
            utility="distortion",
        )
        found = choose(problem, wish).quality
        assert wish.allows(found)
        narrow = choose(problem, Goal(min_posterior=3, min_resolution=Bits(4), utility="distortion"))
        assert (narrow.quality.largest_cell, narrow.quality.distortion, narrow.scope) == (3, Length(1), "all")

    def test_a_weight(self) -> None:
        problem = on_a_line("aabbccddaabb")
        for weight in (F(0), F(1, 50), F(1, 5), F(10)):
            found = choose(problem, Goal(weight=weight, utility="distortion"))
            path = leakage_path(problem.joint, problem.codebook).best(weight)
            mine = float(Bits(found.quality.leakage.ratio)) + float(weight) * float(
                found.quality.distortion or 0
            )
            assert mine <= float(path.leakage) + float(weight) * float(path.distortion or 0) + 1e-9
        assert choose(problem, Goal(weight=10, utility="distortion")).method == "unchanged"

    def test_groups_are_never_merged(self) -> None:
        problem = on_a_line("abababab", groups=np.array([0, 1, 0, 1, 0, 1, 1, 0]))
        with pytest.raises(
            RequestError, match="at most 1 sensitive value can hide behind an answer where not all"
        ):
            choose(on_a_line("aabb", groups=np.array([0, 0, 1, 1])), Goal(min_posterior=2))
        found = choose(problem, Goal(min_posterior=2, utility="distortion"))
        assert found.method == "exact, contiguous"
        assert all(len({int(problem.group_of[x]) for x in cell}) == 1 for cell in found.cells.members)

    def test_side_information(self) -> None:
        known = JointRange.from_pairs([(0, "x1 a1"), (1, "x1 a2"), (1, "x2 a1"), (0, "x2 a2")])
        problem = Problem(known, side=SideInformation([0, 0, 1, 1], [0, 1, 0, 1]))
        found = choose(problem, Goal(max_leakage=0))
        assert (found.cells.members, found.optimal, found.scope) == (((0, 1),), True, "all")
        apart = JointRange.from_pairs([(0, "x1 a1"), (1, "x2 a2"), (0, "x3 a2")])
        side, groups = SideInformation([0, 1, 2], [0, 1, 1]), np.array([0, 1, 2])
        with pytest.raises(RequestError, match=r"at least 1.00 bits leak.*ask for a largest leakage of 1.00"):
            choose(Problem(apart, side=side, groups=groups), Goal(max_leakage=F(1, 2)))

    def test_a_codebook_of_ones_own(self) -> None:
        class Powers:
            def __len__(self) -> int:
                return 4

            def cost(self, members: Sequence[int]) -> Length:
                return Length(2 ** max(members) - 2 ** min(members))

            def codeword(self, members: Sequence[int]) -> int:
                return min(members)

        problem = Problem(AABB.joint, Powers())
        found = choose(problem, Goal(min_posterior=2, utility="distortion"))
        assert (found.quality.distortion, found.quality.min_posterior) == (Length(6), 2)
        fewer = choose(problem, Goal(min_posterior=2, utility="distortion", suppress=F(1, 2)))
        assert (fewer.quality.distortion, fewer.suppressed.tolist()) == (
            Length(2),
            [True, False, False, True],
        )

    def test_progress(self) -> None:
        seen: list[float] = []
        choose(AABB, Goal(min_posterior=2, suppress=F(1, 4)), seen.append)
        assert seen == sorted(seen)
        assert (seen[0], seen[-1]) == (0, 1)
        seen.clear()
        survey(AABB, utility="distortion", progress=seen.append)
        assert seen == sorted(seen)
        assert (seen[0], seen[-1]) == (0, 1)

    def test_what_is_shown(self) -> None:
        found = choose(AABB, Goal(min_posterior=2, utility="distortion"))
        assert "optimal        yes, distortion, all cells" in repr(found)
        assert "<table>" in found._repr_html_()


class TestRefusals:
    @pytest.mark.parametrize(
        ("wish", "message"),
        [
            (Goal(min_posterior=3), "at most 2 sensitive values can hide.*a minimum posterior of 2 or less"),
            (
                Goal(min_rows=5),
                "at most 4 rows can look alike; ask for a minimum number of rows of 4 or less",
            ),
            (Goal(min_resolution=3), "2 bits of resolution as they are.*2.00 or less"),
            (
                Goal(min_posterior=2, max_distortion=F(1, 2)),
                r"a minimum posterior of 2 cannot be had within a distortion of 0.5; it takes a distortion "
                r"of 1 \(the least possible\), and within a distortion of 0.5 the largest posterior possible "
                r"is 1: ask for one of these, or allow rows to be suppressed",
            ),
            (
                Goal(max_leakage=0, min_resolution=F(3, 2)),
                r"a leakage of 0 bits cannot be had with a resolution of 1.5 bits; it leaves a resolution",
            ),
            (
                Goal(max_maximin=0, max_distortion=0),
                r"maximin information of 0 bits cannot be had within a distortion of 0.*the least maximin "
                r"information possible is 1.00 bits",
            ),
            (Goal(objective="both", min_resolution=2), "maximin information of 0.00 bits cannot be had"),
        ],
    )
    def test_what_is_possible_is_said(self, wish: Goal, message: str) -> None:
        with pytest.raises(RequestError, match=message) as caught:
            choose(AABB, wish)
        assert "\n" not in str(caught.value)

    def test_distortion_needs_a_codebook(self) -> None:
        for wish in (Goal(min_posterior=2, utility="distortion"), Goal(max_distortion=1)):
            with pytest.raises(RequestError, match="use resolution"):
                choose(Problem(AABB.joint), wish)
        with pytest.raises(RequestError, match="use resolution"):
            survey(Problem(AABB.joint), utility="distortion")

    def test_where_the_exact_method_does_not_apply(self) -> None:
        two = ColumnCodebook(Numbers([1, 2, 3, 4]), Numbers([4, 1, 2, 3]))
        for problem in (
            Problem(AABB.joint, two),
            Problem(AABB.joint, ColumnCodebook(Numbers(range(4)), codeword="medoid")),
        ):
            with pytest.raises(RequestError, match="the exact method is for one column"):
                choose(problem, Goal(min_posterior=2, utility="distortion", method="exact"))
            with pytest.raises(RequestError, match="the exact method is for one column"):
                survey(problem, utility="distortion", method="exact")


class TestSuppression:
    FAR = on_a_line("aabbabcabcacba", [*range(13), 100])

    def test_what_is_far_is_withheld_with_company(self) -> None:
        """One far value alone would tell its sensitive value: another goes with it."""
        wish = Goal(min_posterior=2, utility="distortion")
        assert choose(self.FAR, wish).quality.distortion == 44
        found = choose(self.FAR, Goal(min_posterior=2, utility="distortion", suppress=F(1, 5)))
        assert (found.quality.distortion, found.quality.suppressed_rows, found.quality.min_posterior) == (
            Length(1),
            2,
            2,
        )
        assert found.suppressed[13]
        assert found.suppressed.sum() == 2
        greedy = choose(
            self.FAR, Goal(min_posterior=2, utility="distortion", suppress=F(1, 5), method="greedy")
        )
        assert greedy.quality.suppressed_rows <= 2

    def test_the_share_is_of_rows(self) -> None:
        heavy = on_a_line("aabbabcabcacba", [*range(13), 100], rows=np.array([1] * 13 + [40]))
        found = choose(heavy, Goal(min_posterior=2, utility="distortion", suppress=F(1, 5)))
        assert (found.quality.distortion, found.quality.suppressed_rows) == (Length(44), 0)

    def test_nothing_is_suppressed_without_need(self) -> None:
        for problem in (AABB, on_a_line("abababab")):
            found = choose(problem, Goal(min_posterior=2, suppress=F(1, 10), utility="distortion"))
            assert not found.suppressed.any()

    def test_more_is_hidden_within_a_distortion(self) -> None:
        wish = Goal(max_distortion=2, utility="distortion")
        assert choose(self.FAR, wish).quality.min_posterior == 1
        found = choose(self.FAR, Goal(max_distortion=2, utility="distortion", suppress=F(1, 4)))
        assert found.quality.min_posterior > 1
        assert found.quality.suppressed_rows <= 3

    def test_cells_of_different_blocks_are_joined_by_suppressing_them(self) -> None:
        problem = on_a_line("aaaabbbbcccc", [*range(4), *range(100, 104), *range(200, 204)])
        wish = Goal(objective="maximin", max_maximin=0, utility="distortion", suppress=F(1, 4))
        found = choose(problem, wish)
        assert (found.quality.distortion, found.quality.maximin, found.quality.suppressed_rows) == (
            Length(0),
            Bits(1),
            3,
        )

    def test_several_columns(self) -> None:
        rng = np.random.default_rng(0)
        table = rng.integers(0, 20, (200, 2))
        table[:5] += 1000
        joint = JointRange.from_codes(rng.integers(0, 6, 200), np.arange(200))
        problem = Problem(joint, ColumnCodebook(Numbers(table[:, 0]), Numbers(table[:, 1])))
        plain = choose(problem, Goal(min_posterior=3, utility="distortion"))
        found = choose(problem, Goal(min_posterior=3, utility="distortion", suppress=F(1, 20)))
        assert found.quality.suppressed_rows <= 10
        assert found.suppressed[:5].sum() >= 3
        assert found.quality.distortion is not None
        assert plain.quality.distortion is not None
        assert float(found.quality.distortion) < float(plain.quality.distortion) / 2


def heart(path: Path) -> Problem:
    """Age hidden, cholesterol public; a missing one is -9, as in the unprocessed file."""
    with path.open() as file:
        rows = dict.fromkeys(tuple(row) for row in csv.reader(file))
    pairs = [(int(row[0]), -9 if row[4] == "?" else int(row[4])) for row in rows]
    joint, counts = JointRange.from_pairs(pairs), Counter(public for _, public in pairs)
    labels = joint.y_labels or ()
    return Problem(joint, ColumnCodebook(Numbers(list(labels))), rows=np.array([counts[x] for x in labels]))


class TestSurvey:
    def test_series(self) -> None:
        found = survey(on_a_line("aabbc", [0, 1, 2, 3, 9]), utility="distortion")
        assert [series.name for series in found.series] == [
            "exact, contiguous",
            "greedy",
            "all partitions",
            "generalise and suppress",
            "steepest descent",
            "IAC-MDSF",
            "Mondrian",
            "equal width",
            "equal frequency",
        ]
        assert "greedy" in found
        assert "magic" not in found
        with pytest.raises(KeyError):
            found["magic"]
        point = found["exact, contiguous"].points[1]
        assert point.partition is not None
        assert (point.setting, point.partition.members) == ("k = 2", ((0, 1, 2), (3, 4)))
        assert point.measures == measure(found.problem, point.partition)
        assert "exact, contiguous" in repr(found)
        assert "<table>" in found._repr_html_()
        assert repr(point).startswith("ReleasePoint(exact, contiguous, k = 2: 2 cells")

    def test_what_takes_too_long_is_left_out_and_said(self) -> None:
        rng = np.random.default_rng(0)
        joint = JointRange.from_codes(np.append(np.arange(150), rng.integers(0, 150, 350)), np.arange(500))
        found = survey(
            Problem(joint, ColumnCodebook(Numbers(rng.permutation(1000)[:500]))), utility="distortion"
        )
        assert "takes too long" in found["steepest descent"].note
        assert not found["steepest descent"].points
        assert len(found["exact, contiguous"]) > 20
        without = survey(Problem(joint), baselines=False)
        assert {series.name for series in without.series} == {"exact, contiguous", "dealing", "greedy"}

    @pytest.mark.parametrize("utility", ["distortion", "resolution"])
    def test_several_columns_agree_with_what_is_chosen(self, utility: Utility) -> None:
        """No method beats a point that is listed, and a wish gets what the list promises."""
        rng = np.random.default_rng(5)
        joint = JointRange.from_codes(np.append(np.arange(6), rng.integers(0, 6, 18)), np.arange(24))
        book = ColumnCodebook(Numbers(rng.permutation(99)[:24]), Numbers(rng.permutation(99)[:24]))
        found = survey(Problem(joint, book), utility=utility)
        listed = found.unbeaten
        for series in found.series:
            for one in series:
                assert not any(
                    one.leakage <= point.leakage and below(one.loss(utility), point.loss(utility))
                    for point in listed
                )
        ours = found.undominated
        for k in range(2, 7):
            chosen = choose(found.problem, Goal(min_posterior=k, utility=utility)).quality
            best = min(point.loss(utility) for point in ours if point.min_posterior >= k)
            assert chosen.loss(utility) == best
        for point in ours if utility == "distortion" else []:
            within = choose(found.problem, Goal(max_distortion=point.distortion, utility=utility)).quality
            assert within.min_posterior == point.min_posterior

    def test_methods(self) -> None:
        assert [s.name for s in survey(AABB, method="greedy", baselines=False).series] == ["greedy"]
        assert [s.name for s in survey(AABB, method="exact", baselines=False).series] == [
            "exact, contiguous",
            "dealing",
        ]
        with pytest.raises(RequestError, match="'auto', 'greedy', 'exact' or 'first-rise'"):
            survey(AABB, method="magic")  # type: ignore[arg-type]

    @pytest.mark.parametrize("utility", ["distortion", "resolution"])
    @pytest.mark.parametrize("objective", ["leakage", "maximin", "both"])
    def test_the_heart_data(self, data: Path, objective: Objective, utility: Utility) -> None:
        """Every point of every baseline and of the greedy paths is equalled or beaten."""
        found = survey(
            heart(data / "heart" / "processed.hungarian.data"), objective=objective, utility=utility
        )
        least = found.undominated[0].maximin
        compared = 0
        for series in found.series:
            for point in series:
                if objective == "both" and point.maximin != least:
                    continue
                assert any(
                    ours.leak(objective) <= point.leak(objective)
                    and not below(point.loss(utility), ours.loss(utility))
                    for ours in found.undominated
                ), point
                compared += 1
        assert compared > 60
        if (objective, utility) == ("leakage", "distortion"):
            assert (found.scope, len(found.undominated)) == ("all", 31)


class TestManyValues:
    def test_a_long_line(self) -> None:
        rng = np.random.default_rng(0)
        size = 50_000
        joint = JointRange.from_codes(rng.integers(0, 40, size), np.arange(size))
        problem = Problem(joint, ColumnCodebook(Numbers(rng.permutation(10 * size)[:size])))
        found = choose(problem, Goal(min_posterior=5, utility="distortion"))
        assert (found.method, found.optimal, found.scope) == ("exact, contiguous", True, "all")
        fewer = choose(problem, Goal(min_posterior=5, utility="distortion", suppress=F(1, 100)))
        assert fewer.quality.suppressed_rows <= size // 100
        assert fewer.quality.distortion is not None
        assert found.quality.distortion is not None
        assert float(fewer.quality.distortion) < 0.7 * float(found.quality.distortion)

    def test_a_largest_distortion_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Too many values for the paths: what keeps to the limit and leaves most is found, level by level."""
        for module, name in ((methods, "FEW_VALUES"), (portfolio, "ALL_LEVELS"), (greedy, "MOST_VALUES")):
            monkeypatch.setattr(module, name, 0)
        numbers = [10 * (i // 4) + i % 4 for i in range(40)]  # ten groups of four that lie near each other
        joint = JointRange.from_codes(range(40), range(40))
        problem = Problem(joint, ColumnCodebook(Numbers(numbers), Categories([i // 20 for i in range(40)])))
        found = choose(problem, Goal(max_distortion=2, utility="distortion")).quality
        assert found.min_posterior >= 4

    @pytest.mark.parametrize(
        "wish",
        [
            Goal(min_posterior=2, max_maximin=0),
            Goal(min_posterior=2, max_maximin=1, utility="distortion"),
            Goal(objective="maximin", max_maximin=1, utility="distortion"),
            Goal(objective="maximin", max_distortion=20, utility="distortion"),
            Goal(objective="both", weight=F(1, 3), utility="distortion"),
            Goal(objective="both", min_resolution=1),
            Goal(min_posterior=2, utility="distortion", suppress=F(1, 5)),
        ],
    )
    def test_without_the_paths(self, wish: Goal, monkeypatch: pytest.MonkeyPatch) -> None:
        """Too many values for the greedy paths: wishes are met, and no path is run."""
        monkeypatch.setattr(methods, "FEW_VALUES", 0)
        monkeypatch.setattr(portfolio, "ALL_LEVELS", 0)
        rng = np.random.default_rng(0)
        for size in (12, 30):
            joint = JointRange.from_codes([*range(4), *rng.integers(0, 4, size - 4)], range(size))
            numbers, labels = rng.permutation(3 * size)[:size], rng.integers(0, 2, size)
            for columns in ([Numbers(numbers)], [Numbers(numbers), Categories(labels)]):
                problem = Problem(joint, ColumnCodebook(*columns))
                with monkeypatch.context() as patched:
                    patched.setattr(greedy, "MOST_VALUES", 0)
                    patched.setattr(greedy, "merge_path", None)
                    found = choose(problem, wish)
                    shown = survey(problem, baselines=False)
                assert "left out" in shown["greedy"].note
                assert Targets(problem, wish).allow(found.quality)
                assert found.gap is None or found.gap >= 0

    def test_adult(self, data: Path) -> None:
        """30,000 rows and six public columns, three of them with hierarchies."""
        problem = adult(data / "adult")
        assert int(problem.weights.sum()) == 32_561
        found = choose(problem, Goal(min_posterior=5, utility="distortion"))
        assert found.quality.min_posterior >= 5
        assert found.quality.distortion is not None
        assert float(found.quality.distortion) < 0.45
        assert found.gap is not None
        assert found.gap < 0.15


def adult(folder: Path) -> Problem:
    """Occupation hidden; age, education, marital status, race, sex and country public."""
    with (folder / "adult.csv").open() as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    names = ("age", "education", "marital-status", "race", "sex", "native-country")
    files = {"education": "education", "marital-status": "marital", "native-country": "country"}
    joint = JointRange.from_pairs([(row["occupation"], tuple(row[name] for name in names)) for row in rows])
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    labels = list(joint.y_labels or ())
    columns: list[Any] = []
    for place, name in enumerate(names):
        values = [label[place] for label in labels]
        if name == "age":
            columns.append(Numbers([int(value) for value in values], span=(17, 90)))
        elif name in files:
            with (folder / "hierarchies" / f"{files[name]}.csv").open() as file:
                tree = {row[0]: tuple(row[1:]) for row in csv.reader(file) if row}
            columns.append(Hierarchy(values, {"?": ("*",), **tree}))
        else:
            columns.append(Categories(values))
    book = ColumnCodebook(*columns, distance="gower", codeword="interval")
    return Problem(joint, book, rows=np.array([counts[label] for label in labels]))


def test_where_all_cells_cost_alike_they_stay_small() -> None:
    """Distances between categories are 0 or 1: any merging costs 1, so the finest cells are taken."""
    pairs = [(s, f"c{c}") for c in range(40) for s in {c % 7, (c * c) % 5}]
    problem = Problem(JointRange.from_pairs(pairs), ColumnCodebook(Categories([f"c{c}" for c in range(40)])))
    found = choose(problem, Goal(utility="distortion", min_posterior=3))
    assert found.quality.distortion == Length(1)
    assert found.quality.min_posterior == 3
    assert found.quality.cells >= 15


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=6), st.integers(0, 9))
def test_the_least_limit_that_few_rows_exceed(values: list[tuple[int, int]], budget: int) -> None:
    """No smaller limit is exceeded by so few rows; where all may go it is 0."""
    needed, rows = (np.array(part) for part in zip(*values, strict=True))
    fine = [limit for limit in range(5) if rows[needed > limit].sum() <= budget]
    all_gone = int(rows.sum()) <= budget
    assert least_limit(needed, rows, budget) == (0 if all_gone else min(fine))
