"""The figures of [P3]: what they find, and the computations that only they need."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from noiseless.gallery import p3_fig2, p3_fig3, p3_fig4, p3_fig5, p3_fig6, p3_fig7, p3_fig8
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Figure
from noiseless.gallery.p3_fig2 import EXAMPLE, graph_panel, in_words, printed
from noiseless.gallery.p3_fig8 import Heart
from noiseless.gallery.p3_fig9 import UTILITIES, MethodComparison, _anonymity, _beside_subsets, _never_beaten
from noiseless.search.loss import Utility
from noiseless.search.measures import measure
from noiseless.search.problem import Cells, Problem

DISAGREEING = {
    p3_fig2.figure: [],
    p3_fig3.figure: ["With U2 the cells {x1, x2, x7}, {x3, x5}, {x4, x6} are returned, as Example 2 ends"],
    p3_fig4.figure: [
        "Footnote 11: if x5 and x6 are merged first, the smallest union in iteration 3 has 3 values"
    ],
    p3_fig5.figure: [
        "With lambda = 0.3 the algorithm stops there: by d(x, xh) = |x - xh|, as Example 4 defines it"
    ],
    p3_fig6.figure: ["With U2 by |x - xh|, as Example 4 defines it, it stops at t = 3"],
    p3_fig7.figure: [
        "The points of Algorithm 2 with U2 form the Pareto frontier",
        "The solution of Example 4 (two subgraphs) is on the frontier",
    ],
}


@pytest.mark.parametrize("figure", DISAGREEING, ids=lambda figure: figure.name)
def test_what_is_not_as_printed(figure: Figure) -> None:
    checks = figure.make(Data(None).needing(())).checks
    assert [check.claim for check in checks if not check.agrees] == DISAGREEING[figure]


def test_pictures_reproduce_though_statements_near_them_are_wrong() -> None:
    found = {figure.name: figure.make(Data(None).needing(())) for figure in DISAGREEING}
    assert {name: outcome.reproduces for name, outcome in found.items()} == {
        **{f"p3-fig{n}": True for n in range(2, 7)},
        "p3-fig7": False,
    }
    assert not found["p3-fig5"].agrees


def test_cells_in_words() -> None:
    cells = Cells.from_members(printed("137", "25", "46"))
    assert in_words(cells) == "{x1, x3, x7}, {x2, x5}, {x4, x6}"


def test_a_graph_has_a_series_for_each_subgraph() -> None:
    panel = graph_panel("t", Cells.from_members(printed("13", "2", "4", "5", "6", "7")))
    assert panel.title == "t: 4 subgraphs"
    assert [curve.texts for curve in panel.curves if curve.label] == [
        ("x13", "x2", "x4"),
        ("x5",),
        ("x6",),
        ("x7",),
    ]


class TestFrontierOfTheExample:
    def test_every_partition(self) -> None:
        """Bell's numbers, and no partition twice."""
        assert [len({*p3_fig7.every_partition(size)}) for size in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]

    def test_frontier(self) -> None:
        places = [p3_fig7.Place(*place) for place in ((3, Fraction(0)), (2, Fraction(2)), (2, Fraction(1)))]
        worse = p3_fig7.Place(3, Fraction(1))
        assert p3_fig7.frontier([*places, worse]) == [places[0], places[2]]


class TestHeart:
    def test_counts(self, data: Path) -> None:
        heart = Heart.of(Data(data).needing(("heart",)))
        assert heart.described().agrees
        assert heart.problem.weights.sum() == 293

    @pytest.mark.parametrize("number", [1, 2])
    @pytest.mark.parametrize("utility", ["U1", "U2"])
    def test_gain_of_a_further_merge(self, number: int, utility: str) -> None:
        """The same by measuring every partition that one merge leads to."""
        run = p3_fig8.Run(Heart.of(Data(None)), number, utility)

        def value(cells: Cells) -> float:
            found = measure(Problem(run.heart.joint, run.heart.centroids), cells)
            told = float(found.leakage if number == 1 else found.maximin)
            lost = -float(found.resolution) if utility == "U1" else float(found.distortion or 0)
            return told + float(run.descent.weight) * lost

        cells = run.descent.end.cells
        labels = cells.cell_of
        merged = [
            Cells.from_labels([one if label == two else label for label in labels.tolist()])
            for one, two in combinations(range(cells.count), 2)
        ]
        best = min(map(value, [cells, *merged]))
        assert run.gain() == pytest.approx(value(cells) - best, abs=1e-9)

    @pytest.mark.parametrize(("utility", "name"), UTILITIES)
    def test_five_anonymity(self, data: Path, utility: Utility, name: str) -> None:
        assert _anonymity(Heart.of(Data(data).needing(("heart",))), utility, name).agrees

    def test_maximin_has_two_values(self, data: Path) -> None:
        """So no point of Algorithm 2 can be strictly better in both than another's solution with I* = 0."""
        contest = MethodComparison(Heart.of(Data(data).needing(("heart",))), "maximin", "resolution")
        assert [float(point.maximin) for point in contest.survey.undominated] == [1, 0]
        dominated, strictly = _beside_subsets(contest)
        assert dominated.agrees
        assert not strictly.agrees
        assert _never_beaten(contest).agrees

    def test_points_that_a_weight_would_choose(self) -> None:
        contest = MethodComparison(Heart.of(Data(None)), "leakage", "distortion")
        points = contest.survey.undominated
        chosen = set()
        for k in range(-200, 200):
            weight = 10 ** (k / 50)
            chosen.add(
                min(
                    range(len(points)),
                    key=lambda i: float(points[i].leakage) + weight * float(points[i].distortion or 0),
                )
            )
        assert contest.reachable() == len(chosen) < len(points)


def test_the_example_is_that_of_fig_1() -> None:
    assert (EXAMPLE.size_x, EXAMPLE.size_y, len(EXAMPLE)) == (6, 7, 8)
    assert [len(EXAMPLE.posterior(y)) for y in range(7)] == [2, 1, 1, 1, 1, 1, 1]
