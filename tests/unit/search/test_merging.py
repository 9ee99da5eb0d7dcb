import operator
import random
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cell_costs import cost_by_definition
from examples import FIGURE_1, HEART_COLUMNS
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.codebook import CODEWORDS, DISTANCES
from noiseless.search.columns import Column
from noiseless.search.hulls import Hulls
from noiseless.search.loss import Codeword, Distance
from noiseless.search.measures import cell_costs, measure
from noiseless.search.merging import (
    Categories,
    Cells,
    Codebook,
    ColumnCodebook,
    Hierarchy,
    Length,
    MergePath,
    Numbers,
    SideInformation,
    constrained_path,
    equal_frequency,
    equal_width,
    generalise_and_suppress,
    leakage_path,
    maximin_path,
    mondrian,
    steepest_descent,
)
from noiseless.search.merging.merge_costs import MergeCosts
from noiseless.search.problem import Problem
from oracle.plain_merging import plain_path

LAMBDA = Decimal("0.3")
VALUES = [Decimal(text) for text in ("0.2", "0.1", "0.4", "0.3", "0.6", "1.5", "1")]
"""(3) of [P3]."""


def figure_1() -> JointRange:
    return JointRange.from_pairs(sorted(FIGURE_1, key=lambda pair: (str(pair[1]), str(pair[0]))))


def names(cells: Cells) -> list[str]:
    """Cells as the paper writes them: the numbers of their x."""
    return ["".join(str(x + 1) for x in cell) for cell in cells.members]


def changes(path: MergePath, weight: Decimal) -> list[float]:
    """Delta L of each iteration."""
    values = [float(path.lagrangian(int(t), weight)) for t in path.rounds]
    return [round(after - before, 4) for before, after in pairwise(values)]


# --- the examples of [P3] -------------------------------------------------------------------------


def test_example_2_with_resolution() -> None:
    path = leakage_path(figure_1())
    assert [names(path[int(t)].cells) for t in path.rounds[1:]] == [
        ["127", "35", "46"],
        ["127", "3456"],
        ["1234567"],
    ]
    assert changes(path, LAMBDA)[:2] == [-0.5245, -0.4605]
    assert names(path.first_rise(LAMBDA).cells) == ["1234567"]
    sets = figure_1().merged(path[int(path.rounds[1])].cells.cell_of)
    assert [sorted(sets.posterior(cell).tolist()) for cell in range(3)] == [
        [0, 1, 5],
        [2, 3],
        [2, 4],
    ]  # s5, not s6


def test_example_2_with_distortion() -> None:
    path = leakage_path(figure_1(), ColumnCodebook(Numbers(VALUES), codeword="centroid"))
    weight = Decimal("2.5")
    assert [names(path[int(t)].cells) for t in path.rounds[1:]] == [["124", "35", "67"], ["1234567"]]
    assert changes(path, weight) == [-0.3750, 0.0758]
    stop = path.first_rise(weight)
    assert names(stop.cells) == ["124", "35", "67"]
    assert stop.distortion == Fraction(1, 4)


def test_example_3() -> None:
    path = maximin_path(figure_1())
    assert changes(path, LAMBDA)[0] == -0.0219
    assert [names(point.cells) for point in path][1:] == [
        ["13", "2", "4", "5", "6", "7"],
        ["13", "25", "4", "6", "7"],
        ["13", "25", "46", "7"],
        ["137", "25", "46"],
    ]
    stop = path.first_rise(LAMBDA)
    assert (stop.merges, stop.maximin, stop.resolution) == (4, Bits(1), Bits(Fraction(7, 3)))


def test_example_4_does_not_stop_at_3() -> None:
    values = [*VALUES[:6], Decimal(4)]
    path = maximin_path(figure_1(), ColumnCodebook(Numbers(values), codeword="centroid"))
    assert names(path[3].cells) == ["14", "2", "356", "7"]  # where the paper stops
    stop = path.first_rise(LAMBDA)
    assert names(stop.cells) == ["14", "27", "356"]
    assert (stop.maximin, stop.distortion) == (Bits(1), Length(Fraction(39, 20)))
    assert all(change < 0 for change in changes(path, LAMBDA))


def test_example_5() -> None:
    path = constrained_path(figure_1(), LAMBDA)
    assert [names(point.cells) for point in path][1:] == [
        ["1", "23", "4", "5", "6", "7"],
        ["1", "23", "45", "6", "7"],
        ["1", "23", "45", "67"],
        ["167", "23", "45"],
    ]


def test_problem_7_depends_on_the_weight() -> None:
    joint = JointRange.from_pairs([(0, "a"), (1, "b"), (2, "b"), (3, "c"), (4, "c"), (5, "c")])
    codebook = ColumnCodebook(Numbers([0, 10, 11]))
    lifted = constrained_path(joint, 0, codebook)
    cheap = constrained_path(joint, 10, codebook)
    assert names(lifted[1].cells) != names(cheap[1].cells)
    with pytest.raises(RequestError, match="do not depend on the weight"):
        lifted.best(1)


# --- codebooks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "distance", "cost", "released"),
    [
        ("midrange", "max", Length(5), (5, Fraction(3, 2))),
        ("midrange", "absolute", Length(Fraction(11, 2) + 1), (5, Fraction(3, 2))),
        ("midrange", "euclidean", Length(25 + Fraction(9, 4), root=True), (5, Fraction(3, 2))),
        ("centroid", "max", Length(Fraction(19, 3)), (Fraction(11, 3), 1)),
        ("medoid", "absolute", Length(12), (1, 0)),
        ("interval", "absolute", Length(Fraction(13, 2)), ((0, 10), (0, 3))),
    ],
)
def test_codewords_of_two_columns(word: Any, distance: Any, cost: Length, released: Any) -> None:  # noqa: ANN401
    codebook = ColumnCodebook(Numbers([0, 1, 10]), Numbers([0, 0, 3]), distance=distance, codeword=word)
    assert codebook.cost([0, 1, 2]) == cost
    assert codebook.codeword([0, 1, 2]) == released
    assert codebook.cost([1]) == 0


def test_categories_hierarchies_and_gower() -> None:
    tree = {"flu": ("lung", "any"), "asthma": ("lung", "any"), "ulcer": ("stomach", "any")}
    disease = ["flu", "asthma", "ulcer", "flu"]
    town = Categories(["york", "york", "leeds", "york"])
    age = Numbers([20, 30, 40, 20], span=(0, 100))
    assert ColumnCodebook(Hierarchy(disease, tree)).cost([0, 1]) == 1
    assert ColumnCodebook(Hierarchy(disease, tree, cost="leaves")).cost([0, 1, 2]) == 2
    assert ColumnCodebook(Hierarchy(disease, tree)).codeword([0, 2]) == ("any",)
    both = ColumnCodebook(town, age, distance="gower")
    assert both.cost([0, 1]) == Fraction(1, 2) * Fraction(5, 100)
    assert both.cost([0, 2]) == Fraction(1, 2) * (1 + Fraction(10, 100))
    assert both.codeword([0, 2]) == (("york", "leeds"), 30)
    assert ColumnCodebook(town, age, distance="hamming").cost([0, 2]) == 2
    assert ColumnCodebook(town, age, distance="discrete").cost([0, 1]) == 1
    assert ColumnCodebook(town, age, distance="hamming", codeword="medoid").cost([0, 1, 3]) == 1


def test_numbers_are_exact() -> None:
    assert ColumnCodebook(Numbers(["0.1", "0.3"])).cost([0, 1]) == Fraction(1, 10)
    floats = Numbers(np.array([0.1, 0.3, 1e-3, 0.0, -7.25]))
    assert [floats.value(i) for i in range(5)] == [Fraction(v) for v in (0.1, 0.3, 1e-3, 0.0, -7.25)]
    wide = Numbers(np.array([1e-300, 1e300, 3.0]))
    assert [wide.value(i) for i in range(3)] == [Fraction(v) for v in (1e-300, 1e300, 3.0)]
    codebook = ColumnCodebook(wide)
    assert not codebook.fits
    assert codebook.cost([1, 2]) == (Fraction(1e300) - 3) / 2
    joint = JointRange.from_pairs([(0, 0), (1, 1), (2, 2)])
    assert names(leakage_path(joint, codebook)[1].cells) == ["13", "2"]
    assert Numbers(np.array([2**64 - 1], np.uint64)).value(0) == 2**64 - 1
    extremes = Numbers(np.array([-(2**62), 2**62]))
    assert ColumnCodebook(extremes).cost([0, 1]) == 2**62


def test_a_codebook_of_ones_own() -> None:
    class Circle:
        """Hours of the day: the distance goes round."""

        hours = (23, 1, 12, 11)

        def __len__(self) -> int:
            return len(self.hours)

        def cost(self, members: Sequence[int]) -> Length:
            held = [self.hours[member] for member in members]
            gaps = (max(min(abs(a - b), 24 - abs(a - b)) for b in held) for a in range(24))
            return Length(min(gaps))

        def codeword(self, members: Sequence[int]) -> Any:  # noqa: ANN401 - as the protocol has it
            return len(members)

    clock: Codebook = Circle()
    joint = JointRange.from_pairs([(0, "a"), (1, "b"), (0, "c"), (1, "d")])
    path = leakage_path(joint, clock)
    assert names(path.last.cells) == ["12", "34"]
    assert path.last.distortion == 1


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        (lambda: Numbers([0.1, float("nan")]), "finite"),
        (lambda: Numbers(["x"]), "not a number"),
        (lambda: Numbers([[1]]), "one list"),
        (lambda: Numbers([1], weight=-1), "weight"),
        (lambda: Numbers([5], span=(0, 1)), "outside"),
        (lambda: Numbers([5], span=(1, 0)), "lower"),
        (lambda: Categories([1], weight=-1), "weight"),
        (lambda: Hierarchy(["a"], {}), "not in the hierarchy"),
        (lambda: Hierarchy(["a"], {"a": ("b",)}, cost="width"), "height"),  # type: ignore[arg-type]
        (ColumnCodebook, "one or more"),
        (lambda: ColumnCodebook(Numbers([1]), Numbers([1, 2])), "one or more"),
        (lambda: ColumnCodebook(Numbers([1]), distance="taxi"), "distances"),  # type: ignore[arg-type]
        (lambda: ColumnCodebook(Numbers([1]), distance="gower"), "span"),
        (lambda: leakage_path(figure_1(), utility="distortion"), "codebook"),
        (lambda: leakage_path(figure_1(), utility="beauty"), "utility"),  # type: ignore[arg-type]
        (lambda: leakage_path(figure_1(), ColumnCodebook(Numbers([1]))), "about 1 values"),
        (lambda: constrained_path(figure_1(), -1), "weight"),
        (lambda: leakage_path(figure_1()).first_rise(-1), "weight"),
        (lambda: leakage_path(figure_1()).meeting(max_distortion=1), "codebook"),
        (lambda: leakage_path(figure_1(), side=SideInformation([0], [0])), "about 1 values"),
        (lambda: SideInformation([0], [0, 1]), "for each y"),
        (lambda: SideInformation([0, 2], [0, 0]), "none left out"),
        (lambda: SideInformation([0, 0], [0, 0]), "each pair of a public and a known value once"),
        (lambda: measure(Problem(figure_1()), Cells.from_labels([0])), "public values"),
        (lambda: mondrian(figure_1(), [Numbers(VALUES)], 99), "fewer than k"),
        (lambda: equal_width(Numbers(VALUES), 0), "at least one"),
    ],
)
def test_what_is_refused(wrong: Any, match: str) -> None:  # noqa: ANN401 - a call
    with pytest.raises(RequestError, match=match):
        wrong()


def test_lengths() -> None:
    assert Length(4, root=True) == 2
    assert Length(2, root=True) > Fraction(141421356, 10**8)
    assert Length(Fraction(1, 3)).upper >= Fraction(1, 3)
    assert {Length(9, root=True), Length(3)} == {Length(3)}
    assert str(Length(Fraction(1, 3))) == "0.333334"
    assert repr(Length(2, root=True)) == "Length(2, root=True)"
    with pytest.raises(ValueError, match="negative"):
        Length(-1)


# --- stops ----------------------------------------------------------------------------------------


def test_targets() -> None:
    path = leakage_path(figure_1(), ColumnCodebook(Numbers(VALUES)), utility="resolution")
    point = path.meeting(max_leakage=Bits(3))
    assert point is not None
    assert (point.min_posterior, point.merges) == (2, 4)
    assert path.meeting(max_leakage=1.6) is not None
    assert path.meeting(min_posterior=7) is None
    assert path.meeting(max_maximin=1, min_resolution=Bits(Fraction(7, 4))) is not None
    assert path.meeting(min_posterior=3, max_distortion=Fraction(1, 100)) is None
    kept = path.meeting(min_resolution=1.2)
    assert kept is not None
    assert kept.resolution >= Decimal("1.2")
    assert path.meeting(max_distortion=0.0) is not None
    assert repr(path) == "MergePath(leakage against resolution: 7 values, 6 merges)"
    assert len(list(path)) == len(path) == 7


def test_a_range_that_leaks_nothing_is_left_alone() -> None:
    joint = JointRange.from_pairs([(s, x) for s in range(3) for x in range(4)])
    assert len(leakage_path(joint)) == 1
    assert len(maximin_path(joint)) == 1
    assert len(constrained_path(joint, 1)) == 1
    one = JointRange.from_pairs([("s", "x")])
    assert leakage_path(one).last.cells.count == 1


def test_the_symmetric_corner_where_all_s_sets_agree() -> None:
    """Algorithm 1 finds no partner when all S-sets agree: it stops, although cells are left to merge."""
    joint = JointRange.from_pairs([(0, "a"), (1, "b"), (0, "c"), (1, "d")])
    assert names(leakage_path(joint).last.cells) == ["12", "34"]


def test_side_information_changes_what_is_merged() -> None:
    """Who knows a learns more: the same public values need more merging."""
    triples = [(0, 0, 0), (1, 0, 1), (1, 1, 0), (0, 1, 1), (0, 2, 0), (1, 2, 1)]
    answers = sorted({(x, a) for _, x, a in triples})
    joint = JointRange.from_pairs(
        [(s, (x, a)) for s, x, a in sorted(triples, key=lambda t: answers.index((t[1], t[2])))]
    )
    side = SideInformation([x for x, _ in answers], [a for _, a in answers])
    path = leakage_path(joint, side=side)
    assert path[0].leakage == Bits(2)
    assert path.last.leakage == Bits(1)
    blind = JointRange.from_pairs({(s, x) for s, x, _ in triples})
    assert leakage_path(blind).last.merges == 0
    found = measure(Problem(joint, side=side), path.last.cells)
    assert (found.leakage, found.maximin) == (path.last.leakage, path.last.maximin)


def test_releasing_pairs() -> None:
    """(S, X) itself, quantised: each pair is a public value of its own."""
    joint = figure_1()
    pairs = JointRange.from_codes(joint.x, np.arange(len(joint)))
    column = Numbers(VALUES).take(joint.y)
    path = leakage_path(pairs, ColumnCodebook(column, Categories(joint.x.tolist()), distance="max"))
    assert path[0].leakage == Bits(6)
    assert path.last.leakage == Bits(1)
    assert len(Categories([1, 2]).take([0, 0, 1])) == 3


# --- baselines ------------------------------------------------------------------------------------


def test_baselines() -> None:
    joint, column = figure_1(), Numbers(VALUES)
    assert names(generalise_and_suppress(joint, 2)) == ["1", "234567"]
    assert names(equal_width(column, 2)) == ["12345", "67"]
    assert names(equal_frequency(column, 3)) == ["12", "345", "67"]
    assert names(equal_frequency(column, 2, rows=[1, 1, 1, 1, 1, 9, 1])) == ["123457", "6"]
    parts = mondrian(joint, [column], 2)
    assert measure(Problem(joint), parts).min_posterior >= 2
    assert parts.count > 1
    assert mondrian(joint, [Categories(list("abababa")), column], 6).count == 1
    few = steepest_descent(joint, LAMBDA)
    assert measure(Problem(joint), few).maximin == Bits(1)
    stuck = steepest_descent(joint, LAMBDA, objective="leakage")
    assert stuck.count == 7  # six cells share the smallest S-range: no pair of them lifts it
    assert repr(few).startswith("Cells(7 values in 3 cells")


# --- real data ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def heart(data: Path) -> list[tuple[int, str]]:
    rows = (data / "heart" / "processed.hungarian.data").read_text().split()
    assert len(rows) == 294
    age, chol = HEART_COLUMNS.index("age"), HEART_COLUMNS.index("chol")
    records = [row.split(",") for row in dict.fromkeys(rows)]
    assert len(records) == 293
    return sorted(
        {(int(record[age]), record[chol]) for record in records}, key=lambda pair: (pair[1].zfill(4), pair[0])
    )


def test_heart_with_resolution(heart: list[tuple[int, str]]) -> None:
    joint = JointRange.from_pairs(heart)
    assert (joint.size_x, joint.size_y, len(joint)) == (38, 154, 281)
    path = leakage_path(joint)
    assert (path[0].leakage, path[0].maximin) == (Bits(38), Bits(2))
    five = path.meeting(min_posterior=5)
    assert five is not None
    suppressed = measure(Problem(joint), generalise_and_suppress(joint, 5))
    assert suppressed.min_posterior >= 5
    assert five.resolution > suppressed.resolution  # Fig. 9: a lower loss than generalisation and suppression
    assert measure(Problem(joint), five.cells).min_posterior == five.min_posterior
    assert maximin_path(joint).last.maximin == constrained_path(joint, LAMBDA).last.maximin == Bits(1)


def test_heart_with_distortion(heart: list[tuple[int, str]]) -> None:
    joint = JointRange.from_pairs([pair for pair in heart if pair[1] != "?"])
    labels = [int(label) for label in joint.y_labels or ()]
    paths = []
    for word in ("midrange", "centroid"):
        codebook = ColumnCodebook(Numbers(labels), codeword=word)
        path = leakage_path(joint, codebook)
        five = path.meeting(min_posterior=5)
        suppressed = measure(Problem(joint, codebook), generalise_and_suppress(joint, 5))
        assert five is not None
        assert five.distortion is not None
        assert suppressed.distortion is not None
        assert five.distortion < suppressed.distortion
        paths.append(path)
    weight = Fraction(1, 100)
    stop, best = paths[1].first_rise(weight), paths[1].best(weight)
    assert (stop.min_posterior, best.min_posterior) == (4, 31)  # the paper's stop misses the best point


# --- many values ----------------------------------------------------------------------------------


def test_many_values_agree_whichever_way() -> None:
    """More values than oracles have, most of them with a sensitive value of their own."""
    rng = np.random.default_rng(0)
    size = 70
    values = rng.permutation(4 * size)[:size]
    sensitive = np.where(values < 3 * size, values, 1000 + rng.integers(0, 6, size))
    joint = JointRange.from_codes(np.unique(sensitive, return_inverse=True)[1], np.arange(size))
    assert joint.size_x > 32
    weight = Fraction(1, 7)
    for codebook in (
        ColumnCodebook(Numbers(values)),
        ColumnCodebook(Numbers(values), Categories(values % 3), distance="euclidean", codeword="centroid"),
    ):
        for fast, slow in (
            (leakage_path(joint, codebook), plain_path("leakage", joint, codebook)),
            (
                constrained_path(joint, weight, codebook),
                plain_path("both", joint, codebook, weight=weight),
            ),
        ):
            assert fast.kept.tolist() == slow.kept.tolist()
            assert fast.absorbed.tolist() == slow.absorbed.tolist()
            assert fast.last.distortion == measure(Problem(joint, codebook), fast.last.cells).distortion


def test_cells() -> None:
    rng = random.Random(0)
    labels = [rng.randint(0, 5) for _ in range(30)]
    cells = Cells.from_labels(labels)
    assert Cells.from_members(cells.members) == cells
    assert hash(Cells.from_labels(cells.cell_of)) == hash(cells)
    assert cells.codewords(ColumnCodebook(Numbers(range(30))))[0] == (
        Fraction(cells.members[0][0] + cells.members[0][-1], 2),
    )


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_cells_as_arrays_cost_what_their_members_do(distance: Distance, codeword: Codeword) -> None:
    """Whatever the columns, and also where values are inner nodes of a hierarchy; bounds are no higher."""
    tree = {
        "a": ("ab", "any"),
        "b": ("ab", "any"),
        "ab": ("any",),
        "d": ("de", "def", "any"),
        "f": ("def", "any"),
    }
    rng = random.Random(f"{distance} {codeword}")
    for _ in range(6):
        leaves = [rng.choice(list(tree)) for _ in range(12)]
        numbers = [
            Numbers([rng.randint(0, 9) for _ in leaves], span=(0, 9)) for _ in range(rng.randint(0, 2))
        ]
        columns: list[Column] = [
            *numbers,
            Categories([rng.randint(0, 1) for _ in leaves]),
            Hierarchy(leaves, tree),
        ]
        book = ColumnCodebook(*columns, distance=distance, codeword=codeword)
        costs, hulls = MergeCosts(book, 12, exact=True), Hulls(book, 0)
        cells = {value: [value] for value in range(12)}
        for _ in range(8):
            i, j = sorted(rng.sample(list(cells), 2))
            others = sorted(other for other in cells if other != i)
            exact = [cost_by_definition(book, cells[i] + cells[other]) for other in others]
            floats = costs.together(i, np.array(others)).tolist()
            assert [costs.loss(cost) for cost in floats] == exact
            assert len(set(floats)) == len(set(exact))
            bounds = list(hulls.costs(i, np.array(others)))
            assert bounds == exact if book.by_hull else all(map(operator.le, bounds, exact))
            costs.join(i, j, floats[others.index(j)])
            hulls.join(i, j)
            cells[i] += cells.pop(j)
        partition = Cells.from_members(list(cells.values()))
        assert list(cell_costs(book, partition)) == [
            cost_by_definition(book, cell) for cell in partition.members
        ]


def test_points_within_limits() -> None:
    path = leakage_path(figure_1(), ColumnCodebook(Numbers(VALUES)))
    points = path.within(min_posterior=2, max_distortion=Decimal("0.5"))
    assert points.tolist() == [
        t
        for t in range(len(path))
        if path[t].min_posterior >= 2 and (path[t].distortion or Length(0)) <= Decimal("0.5")
    ]
    assert len(points)
    assert path.best(LAMBDA, points).merges in points
    assert not len(path.within(min_posterior=7))


def test_a_prior_for_each_known_value() -> None:
    with pytest.raises(RequestError, match="for each known value"):
        SideInformation([0, 1], [0, 1], [3])


@pytest.mark.parametrize(
    "value", [Fraction(1_234_561), Fraction(10**7, 3), Fraction(1, 10**7), Fraction(137, 2)]
)
@pytest.mark.parametrize("root", [False, True])
def test_a_length_that_is_read_is_never_understated(value: Fraction, root: bool) -> None:
    length = Length(value, root=root)
    assert Length(Fraction(str(length))) >= length
    assert Fraction(str(length)) ** 2 <= length.squared * Fraction(100_003, 100_000)
