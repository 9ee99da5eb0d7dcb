"""Checks of the oracle itself against facts worked out by hand or stated in the papers."""

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

import pytest

from oracle import definitions as oracle

DICE = frozenset((number, "yes" if number % 2 == 0 else "no") for number in range(1, 7))

# Fig. 1 of [P3], as pairs (s, x): the sensitive value is inferred, the public one observed.
FIGURE_1 = frozenset(
    (s, x)
    for x, sensitive in {
        "x1": ("s1", "s2"),
        "x2": ("s2",),
        "x3": ("s3",),
        "x4": ("s3",),
        "x5": ("s4",),
        "x6": ("s5",),
        "x7": ("s6",),
    }.items()
    for s in sensitive
)


def blocks(*members: str) -> frozenset[frozenset[str]]:
    """Write a partition as words: "a b", "c" is {{a, b}, {c}}."""
    return frozenset(frozenset(block.split()) for block in members)


def partitions(items: Sequence[Hashable]) -> Iterator[list[set[Hashable]]]:
    """Every set partition, from all ways to colour the items."""
    seen: set[frozenset[frozenset[Hashable]]] = set()
    for colours in itertools.product(range(len(items)), repeat=len(items)):
        cells: dict[int, set[Hashable]] = {}
        for item, colour in zip(items, colours, strict=True):
            cells.setdefault(colour, set()).add(item)
        partition = frozenset(frozenset(cell) for cell in cells.values())
        if partition not in seen:
            seen.add(partition)
            yield list(cells.values())


def fuse(
    decomposition: frozenset[frozenset[Hashable]], cells: Sequence[set[Hashable]]
) -> frozenset[frozenset[Hashable]]:
    """The iterative fusion of subgraphs of section V-B1 of [P3]."""
    for cell in cells:
        met = frozenset(graph for graph in decomposition if graph & cell)
        decomposition = (decomposition - met) | {frozenset().union(*met)}
    return decomposition


def test_dice() -> None:
    """Example 1 of [P2]: a die and the parity of its number."""
    assert oracle.marginal_x(DICE) == frozenset(range(1, 7))
    assert oracle.marginal_y(DICE) == {"yes", "no"}
    assert oracle.conditional_x(DICE, "yes") == {2, 4, 6}
    assert oracle.conditional_x(DICE, "no") == {1, 3, 5}
    assert oracle.conditional_x(DICE, "maybe") == frozenset()
    assert oracle.entropy_ratio(DICE) == 6
    assert oracle.conditional_entropy_ratio(DICE) == 3
    assert oracle.disarray_ratio(DICE) == 3
    assert oracle.information_ratio(DICE) == 2
    assert oracle.leakage_ratio(DICE) == 2
    assert oracle.leakage_ratio(oracle.swap(DICE)) == 2
    assert oracle.symmetric_leakage_ratio(DICE) == 2
    assert oracle.transmission_ratio(DICE) == 2
    assert oracle.overlap_partition(DICE) == {frozenset({1, 3, 5}), frozenset({2, 4, 6})}
    assert oracle.maximin_count(DICE) == 2
    assert oracle.privacy_p1(DICE) == 1.0
    assert oracle.privacy_p2(DICE) == 1.0
    assert not oracle.unrelated(DICE)


def test_asymmetric_leakage() -> None:
    """X in {1,2,3} and Y = [X = 3]: L0(X;Y) = log2 3, L0(Y;X) = 1."""
    pairs = frozenset((x, x == 3) for x in (1, 2, 3))
    assert oracle.leakage_ratio(pairs) == 3
    assert oracle.leakage_ratio(oracle.swap(pairs)) == 2
    assert oracle.symmetric_leakage_ratio(pairs) == 2
    assert oracle.information_ratio(pairs) == Fraction(3, 2)
    assert oracle.privacy_p1(pairs) == pytest.approx(1 / math.log2(3))


def test_connected_range() -> None:
    """x1:{y1,y2}, x2:{y2}, x3:{y1} is one component and has L0s = log2(3/2)."""
    pairs = frozenset({("x1", "y1"), ("x1", "y2"), ("x2", "y2"), ("x3", "y1")})
    assert oracle.symmetric_leakage_ratio(pairs) == Fraction(3, 2)
    assert oracle.transmission_ratio(pairs) == Fraction(6, 4)
    assert oracle.overlap_partition(pairs) == blocks("x1 x2 x3")
    assert oracle.taxicab_partition(pairs) == {pairs}
    assert oracle.privacy_p2(pairs) == math.inf
    assert oracle.confusability_edges(pairs) == blocks("y1 y2")


def test_figure_1() -> None:
    """Example 1 of [P3] with its Figs. 1 and 2."""
    assert oracle.entropy_ratio(FIGURE_1) == 6
    assert oracle.leakage_ratio(FIGURE_1) == 6
    assert oracle.information_ratio(FIGURE_1) == 3
    assert oracle.overlap_partition(FIGURE_1) == blocks("s1 s2", "s3", "s4", "s5", "s6")
    assert oracle.maximin_count(FIGURE_1) == 5
    assert oracle.maximin_count(oracle.swap(FIGURE_1)) == 5
    assert len(oracle.taxicab_partition(FIGURE_1)) == 5
    assert oracle.confusability_edges(FIGURE_1) == blocks("x1 x2", "x3 x4")
    decomposition = blocks("x1 x2", "x3 x4", "x5", "x6", "x7")
    assert oracle.finest_decomposition(FIGURE_1) == decomposition


def test_merge_of_figure_1() -> None:
    """The example of section V-B1 of [P3]."""
    cells = [{"x1", "x3"}, {"x2", "x5"}, {"x4", "x6"}, {"x7"}]
    expected = blocks("x1 x2 x3 x4 x5 x6", "x7")
    assert oracle.decomposition_after_merge(FIGURE_1, cells) == expected
    merged = oracle.quantized(FIGURE_1, cells)
    assert oracle.conditional_x(merged, frozenset({"x1", "x3"})) == {"s1", "s2", "s3"}
    assert oracle.maximin_count(merged) == 2


def test_cells_must_partition() -> None:
    with pytest.raises(AssertionError):
        oracle.quantized(DICE, [{"yes"}])
    with pytest.raises(AssertionError):
        oracle.quantized(DICE, [{"yes", "no"}, {"no"}])


def test_merge_equals_fusion() -> None:
    """The decomposition from scratch is what the fusion process of [P3] V-B1 yields."""
    for pairs in oracle.all_ranges(3, 3):
        before = oracle.finest_decomposition(pairs)
        for cells in partitions(sorted({y for _, y in pairs})):
            assert oracle.decomposition_after_merge(pairs, cells) == fuse(before, cells)


def test_all_ranges() -> None:
    ranges = list(oracle.all_ranges(2, 3))
    assert len(ranges) == len(set(ranges)) == 2**6 - 1
    assert frozenset() not in ranges


def test_overlap_by_all_sequences() -> None:
    """Definition 1(a) of [P3] over all sequences of distinct y gives the same blocks."""
    for pairs in oracle.all_ranges(3, 3):
        ys = oracle.marginal_y(pairs)
        ranges = {y: oracle.conditional_x(pairs, y) for y in ys}
        connected = {
            (x, other)
            for n in range(1, len(ys) + 1)
            for sequence in itertools.permutations(ys, n)
            if all(ranges[y] & ranges[z] for y, z in itertools.pairwise(sequence))
            for x in ranges[sequence[0]]
            for other in ranges[sequence[-1]]
        }
        together = {(x, other) for block in oracle.overlap_partition(pairs) for x in block for other in block}
        assert connected == together


def test_partition_views_agree() -> None:
    """Lemma 2 of [P3], |F(X,Y)| of [P4], symmetry, and I* <= L0s <= L0 on all 3 x 3 ranges."""
    for pairs in oracle.all_ranges(3, 3):
        overlap = oracle.overlap_partition(pairs)
        count = oracle.maximin_count(pairs)
        taxicab = oracle.taxicab_partition(pairs)
        assert count == len(overlap) == len(taxicab) == oracle.maximin_count(oracle.swap(pairs))
        assert overlap == {oracle.marginal_x(block) for block in taxicab}
        graphs = oracle.finest_decomposition(pairs)
        assert graphs == {oracle.marginal_y(block) for block in taxicab}
        assert graphs == oracle.overlap_partition(oracle.swap(pairs))
        assert overlap == {
            frozenset().union(*(oracle.conditional_x(pairs, y) for y in graph)) for graph in graphs
        }
        assert count <= oracle.symmetric_leakage_ratio(pairs) <= oracle.leakage_ratio(pairs)
        leakage = Fraction(oracle.entropy_ratio(pairs), oracle.disarray_ratio(pairs))
        assert oracle.leakage_ratio(pairs) == leakage
        information = Fraction(oracle.entropy_ratio(pairs), oracle.conditional_entropy_ratio(pairs))
        assert oracle.information_ratio(pairs) == information
        assert oracle.unrelated(pairs) == (oracle.transmission_ratio(pairs) == 1)
        assert oracle.unrelated(pairs) == (oracle.privacy_p1(pairs) == math.inf)
        assert oracle.unrelated(pairs) == oracle.mutually_unrelated(pairs)


def test_side_information() -> None:
    """One bit s hidden by the pad a: x = s xor a tells nothing without a and all with it."""
    triples = frozenset((s, s ^ a, a) for s in (0, 1) for a in (0, 1))
    assert oracle.leakage_ratio(frozenset((s, x) for s, x, _ in triples)) == 1
    assert oracle.leakage_given_ratio(triples) == 2
    assert oracle.conditional_maximin_count(triples) == 2
    assert not oracle.conditionally_unrelated(triples)
    assert not oracle.mutually_unrelated(triples)
    assert oracle.unrelated(frozenset((s, x) for s, x, _ in triples))


def test_side_information_reveals_all() -> None:
    """When a = s, x adds nothing, although I*(S;(X,A)) is one bit."""
    triples = frozenset((s, x, s) for s in (0, 1) for x in (0, 1))
    assert oracle.leakage_given_ratio(triples) == 1
    assert oracle.conditional_maximin_count(triples) == 2
    assert oracle.conditionally_unrelated(triples)


def test_constant_side_information() -> None:
    for pairs in oracle.all_ranges(2, 3):
        triples = frozenset((s, x, "same") for s, x in pairs)
        assert oracle.leakage_given_ratio(triples) == oracle.leakage_ratio(pairs)
        assert oracle.conditional_maximin_count(triples) == oracle.maximin_count(pairs)
        assert oracle.conditionally_unrelated(triples) == oracle.unrelated(pairs)


def test_pairwise_is_not_mutual() -> None:
    """Three bits of even parity: every two are unrelated, the three are not."""
    tuples = frozenset((a, b, a ^ b) for a in (0, 1) for b in (0, 1))
    for i, j in itertools.combinations(range(3), 2):
        assert oracle.unrelated(frozenset((point[i], point[j]) for point in tuples))
    assert not oracle.mutually_unrelated(tuples)
    assert oracle.mutually_unrelated(frozenset(itertools.product((0, 1), (0, 1), (5,), (6,))))


def test_quality() -> None:
    assert oracle.quality_q({1: 1, 2: 2}, {1: 1, 2: 2}) == math.inf
    assert oracle.quality_q({1: 1, 2: 2}, {1: 1.5, 2: 2}) == 2.0
    assert oracle.quality_q({1: (0, 0)}, {1: (3, 4)}) == 0.2
    with pytest.raises(AssertionError):
        oracle.quality_q({1: 1}, {2: 1})


def table(*rows: tuple[Hashable, Hashable, Hashable]) -> list[dict[str, Hashable]]:
    """Rows (person, x, s)."""
    return [{"id": person, "x": x, "s": s} for person, x, s in rows]


def test_diversity() -> None:
    """Group a is homogeneous with three rows of two persons, group b has two values."""
    rows = table((1, "a", "flu"), (1, "a", "flu"), (2, "a", "flu"), (3, "b", "flu"), (4, "b", "hiv"))
    assert list(oracle.groups(rows, ["x"])) == [("a",), ("b",)]
    assert oracle.groups(rows, []) == {(): rows}
    assert oracle.k_anonymity(rows, ["x"]) == 2
    assert oracle.k_anonymity(rows[:3], ["x"]) == 3
    assert oracle.k_anonymity(rows[:3], ["x"], unit="id") == 2
    assert oracle.distinct_l(rows, ["x"], ["s"]) == 1
    assert oracle.distinct_l(rows, [], ["s"]) == 2
    assert oracle.distinct_l(rows, [], ["s", "id"]) == 4
    assert oracle.homogeneous_groups(rows, ["x"], ["s"]) == [("a",)]
    assert oracle.min_posterior(rows, ["x"], ["s"]) == 1
    assert oracle.persons_at_min_posterior(rows, ["x"], ["s"]) == 3
    assert oracle.persons_at_min_posterior(rows, ["x"], ["s"], unit="id") == 2
    assert oracle.entropy_l(rows, ["x"], ["s"]) == pytest.approx(1.0)
    assert oracle.entropy_l(rows[3:], ["x"], ["s"]) == pytest.approx(2.0)


def test_entropy_diversity_counts() -> None:
    """Shares 3/4 and 1/4 by rows, 1/2 and 1/2 by persons."""
    rows = table((1, "a", "flu"), (1, "a", "flu"), (1, "a", "flu"), (2, "a", "hiv"))
    expected = 4 / 3**0.75
    assert oracle.entropy_l(rows, ["x"], ["s"]) == pytest.approx(expected)
    assert oracle.entropy_l(rows, ["x"], ["s"], unit="id") == pytest.approx(2.0)


def test_salaries_of_li_et_al() -> None:
    """{3,4,5} and {6,8,11} against {3..11} thousand: 0.375 and 0.167."""
    whole = [Fraction(1, 9)] * 9
    third = Fraction(1, 3)
    low = [third if salary in (3, 4, 5) else Fraction(0) for salary in range(3, 12)]
    spread = [third if salary in (6, 8, 11) else Fraction(0) for salary in range(3, 12)]
    assert oracle.emd_exact(low, whole, ordered=True) == Fraction(3, 8)
    assert oracle.emd_exact(spread, whole, ordered=True) == Fraction(1, 6)
    assert oracle.emd_exact(low, whole, ordered=False) == Fraction(2, 3)
    group_of = {3: "a", 4: "a", 5: "a", 6: "b", 8: "b", 11: "b", 7: "c", 9: "c", 10: "c"}
    rows = table(*((salary, group, salary) for salary, group in group_of.items()))
    assert oracle.t_closeness_exact(rows, ["x"], "s", ordered=True) == Fraction(3, 8)
    assert oracle.t_closeness_lp(rows, ["x"], "s", ordered=True) == pytest.approx(3 / 8)


def test_one_sensitive_value() -> None:
    rows = table((1, "a", 7), (2, "b", 7))
    for ordered in (False, True):
        assert oracle.t_closeness_exact(rows, ["x"], "s", ordered) == 0
        assert oracle.t_closeness_lp(rows, ["x"], "s", ordered) == pytest.approx(0)


@pytest.mark.parametrize("ordered", [False, True])
def test_transport_agrees_with_closed_form(ordered: bool) -> None:
    """All pairs of distributions of three rows on four values, and all tables of three rows."""
    shares = [
        [Fraction(chosen.count(value), 3) for value in range(4)]
        for chosen in itertools.combinations_with_replacement(range(4), 3)
    ]
    for p, q in itertools.combinations(shares, 2):
        exact = oracle.emd_exact(p, q, ordered)
        assert oracle.emd_lp(p, q, ordered) == pytest.approx(float(exact), abs=1e-9)
    for rows in oracle.all_tables(3, ["a", "b"], [1, 5, 6]):
        exact = oracle.t_closeness_exact(rows, ["x"], "s", ordered)
        lp = oracle.t_closeness_lp(rows, ["x"], "s", ordered)
        assert lp == pytest.approx(float(exact), abs=1e-9)


def test_posterior_is_distinct_diversity() -> None:
    """Lemma 1 of [P3]: the smallest posterior set is distinct l and fixes L0."""
    for rows in oracle.all_tables(3, ["a", "b"], ["u", "v"]):
        pairs = frozenset((row["s"], row["x"]) for row in rows)
        smallest = oracle.min_posterior(rows, ["x"], ["s"])
        assert smallest == oracle.distinct_l(rows, ["x"], ["s"])
        assert oracle.leakage_ratio(pairs) == Fraction(oracle.entropy_ratio(pairs), smallest)
        assert bool(oracle.homogeneous_groups(rows, ["x"], ["s"])) == (smallest == 1)


def test_all_tables() -> None:
    tables = list(oracle.all_tables(2, [0, 1], ["u", "v"]))
    assert len(tables) == 4**2
    assert tables[0] == [{"x": 0, "s": "u"}, {"x": 0, "s": "u"}]


def test_joint_release() -> None:
    """Person 1 twice in the first release, person 2 absent from the second, 3 from the first."""
    first = table((1, "a", "flu"), (1, "b", "hiv"), (2, "a", "flu"))
    second = table((1, "c", "flu"), (3, "c", "cold"))
    assert oracle.joint_release_rows([first, second], "id", ["s"], ["x"]) == [
        {"id": 1, "1.x": "a", "2.x": "c", "s": "flu"},
        {"id": 1, "1.x": "b", "2.x": "c", "s": "hiv"},
        {"id": 2, "1.x": "a", "2.x": None, "s": "flu"},
        {"id": 3, "1.x": None, "2.x": "c", "s": "cold"},
    ]


def test_joint_release_with_different_columns() -> None:
    """A sensitive column that only the second release carries, public columns of one release."""
    first: list[dict[str, Hashable]] = [{"id": 1, "x": "a"}, {"id": 2, "x": "b"}]
    second: list[dict[str, Hashable]] = [{"id": 1, "z": "c", "s": "flu"}]
    assert oracle.joint_release_rows([first, second], "id", ["s"], ["x", "z"]) == [
        {"id": 1, "1.x": "a", "2.z": "c", "s": "flu"},
        {"id": 2, "1.x": "b", "2.z": None, "s": None},
    ]


def test_two_releases_together() -> None:
    """Posterior sets of 3 and 2 in the releases alone, of 1 in both together (person 3)."""
    first = table((1, "a", "flu"), (2, "a", "hiv"), (3, "a", "cold"))
    second = table((1, "c", "flu"), (2, "c", "hiv"), (3, "d", "cold"), (4, "d", "hiv"))
    assert oracle.min_posterior(first, ["x"], ["s"]) == 3
    assert oracle.min_posterior(second, ["x"], ["s"]) == 2
    joint = oracle.joint_release_rows([first, second], "id", ["s"], ["x"])
    both = ["1.x", "2.x"]
    assert oracle.min_posterior(joint, both, ["s"]) == 1
    assert oracle.homogeneous_groups(joint, both, ["s"]) == [("a", "d"), (None, "d")]
    assert oracle.persons_at_min_posterior(joint, both, ["s"], unit="id") == 2
