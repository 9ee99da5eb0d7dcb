"""The parts of the zero-error bracket, one by one."""

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.intervals import Enclosure
from noiseless.ranges import JointRange
from noiseless.theory.zero_error import (
    Graph,
    IndependentSet,
    Rate,
    block_code,
    block_codes,
    bracket,
    independence,
    independent_set,
    largest_symmetric_leakage,
    lovasz_theta,
    semidefinite,
    theta,
    zero_error_capacity,
)
from noiseless.theory.zero_error.graph import channel_blocks, fractional_cover
from noiseless.theory.zero_error.independence import (
    clique_cover,
    edge_cliques,
    larger_set,
    swapped_set,
)
from noiseless.theory.zero_error.semidefinite import SCALE, is_semidefinite, rounded, sufficient_shift


def cycle(size: int) -> Graph:
    return Graph.from_edges(size, [(node, (node + 1) % size) for node in range(size)])


def complete(size: int) -> Graph:
    return Graph.from_edges(size, itertools.combinations(range(size), 2))


def kneser(size: int, chosen: int) -> Graph:
    """Sets of `chosen` out of `size` things, joined when they are disjoint."""
    sets = [set(each) for each in itertools.combinations(range(size), chosen)]
    pairs = itertools.combinations(range(len(sets)), 2)
    return Graph.from_edges(len(sets), [(a, b) for a, b in pairs if not sets[a] & sets[b]])


def is_independent(graph: Graph, nodes: Sequence[int]) -> bool:
    return len(set(nodes)) == len(nodes) and not graph.matrix[np.ix_(nodes, nodes)].any()


def random_graph(size: int, density: float, seed: int = 1) -> Graph:
    chance = random.Random(seed)
    pairs = itertools.combinations(range(size), 2)
    return Graph.from_edges(size, [pair for pair in pairs if chance.random() < density])


def typewriter(keys: int, offset: int = 0) -> list[tuple[int, int]]:
    return [(offset + key, offset + (key + step) % keys) for key in range(keys) for step in (0, 1)]


# --- graphs ----------------------------------------------------------------------------------------------


def test_inputs_that_share_an_output_are_joined() -> None:
    joint = JointRange.from_pairs([("a", 1), ("b", 1), ("b", 2), ("c", 2), ("d", 3)])
    graph = Graph.of_inputs(joint)
    assert graph == Graph.from_edges(4, [(0, 1), (1, 2)])
    assert graph.components() == [[0, 1, 2], [3]]
    assert graph.complement().complement() == graph
    assert repr(graph) == "Graph(4 nodes, 2 edges)"


@pytest.mark.parametrize("edge", [(0, 0), (0, 3), (-1, 2)])
def test_impossible_edges_are_refused(edge: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="two different nodes"):
        Graph.from_edges(3, [edge])


def test_strong_product_is_confusion_in_every_place() -> None:
    first, second = random_graph(4, 0.5), random_graph(5, 0.4)
    product = first.strong_product(second)
    for (a, b), (c, d) in itertools.combinations(itertools.product(range(4), range(5)), 2):
        confused = (a == c or first.rows[a] >> c & 1) and (b == d or second.rows[b] >> d & 1)
        assert product.rows[a * 5 + b] >> (c * 5 + d) & 1 == int(bool(confused))


def test_chordal_graphs_dissolve() -> None:
    path = Graph.from_edges(7, [(node, node + 1) for node in range(6)])
    assert len(path.undominated()) == 4
    assert complete(6).undominated() == [5]
    assert cycle(5).undominated() == [0, 1, 2, 3, 4]


def test_cliques_hold_every_node_and_edge() -> None:
    graph = Graph((*random_graph(20, 0.3).rows, 0))
    for cliques in (edge_cliques(graph), [list(_members(mask)) for mask in clique_cover(graph)]):
        assert all(graph.rows[a] >> b & 1 for clique in cliques for a, b in itertools.combinations(clique, 2))
        assert {node for clique in cliques for node in clique} == set(range(21))
    held = {edge for clique in edge_cliques(graph) for edge in itertools.combinations(sorted(clique), 2)}
    assert len(held) == sum(row.bit_count() for row in graph.rows) // 2


def _members(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


# --- independent sets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "alpha"),
    [
        (cycle(5), 2),
        (cycle(7), 3),
        (complete(6), 1),
        (Graph((0,) * 9), 9),
        (kneser(5, 2), 4),
        (kneser(7, 3), 15),
    ],
)
def test_known_independence_numbers(graph: Graph, alpha: int) -> None:
    found = independent_set(graph)
    assert found.exact
    assert found.size == alpha
    assert is_independent(graph, found.nodes)


@pytest.mark.parametrize("density", [0.3, 0.5, 0.9])
def test_compiled_and_plain_search_agree(density: float, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(66, density)  # more nodes than a word has bits
    fast = larger_set(graph, 0, 10**6)
    monkeypatch.setattr(independence, "_SMALL", 100)
    plain = larger_set(graph, 0, 10**6)
    assert fast == plain
    nodes, finished = fast
    assert finished
    assert nodes is not None
    assert is_independent(graph, nodes)


def test_search_needs_to_beat_what_is_known() -> None:
    assert larger_set(cycle(9), 4, 10**5) == (None, True)
    nodes, finished = larger_set(cycle(9), 3, 10**5)
    assert finished
    assert nodes is not None
    assert len(nodes) == 4


def test_a_search_that_is_cut_short_keeps_an_honest_bound() -> None:
    graph = random_graph(60, 0.3)
    truth = independent_set(graph)
    hurried = independent_set(graph, limit=0)
    assert truth.exact
    assert not hurried.exact
    assert hurried.size <= truth.size <= hurried.bound
    assert independent_set(graph, limit=0, at_most=truth.size).bound == truth.size


def test_large_random_graphs_are_solved() -> None:
    for size, density in ((200, 0.5), (150, 0.03), (100, 0.1)):
        graph = random_graph(size, density)
        found = independent_set(graph)
        assert found.exact
        assert is_independent(graph, found.nodes)


def test_local_search_starts_where_it_is_told() -> None:
    assert swapped_set(cycle(6), 2, start=[1, 4]) == [1, 4]
    assert swapped_set(cycle(6), 3, start=[1, 4]) in ([0, 2, 4], [1, 3, 5])


# --- certificates ----------------------------------------------------------------------------------------


def test_shift_is_proved_and_close() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 7, 30):
        matrix = rng.normal(size=(size, size))
        entries = rounded(matrix + matrix.T)
        assert (entries == entries.T).all()
        shift = sufficient_shift(entries)
        least = np.linalg.eigvalsh(entries / SCALE)[0]
        assert -least - 1e-12 <= float(shift) <= -least + 1e-9
        scaled = [[int(entry) * shift.denominator for entry in row] for row in entries]
        for place in range(size):
            scaled[place][place] += shift.numerator * SCALE
        assert is_semidefinite(scaled)


@pytest.mark.parametrize(
    ("entries", "holds"),
    [
        ([[1, -1], [-1, 1]], True),
        ([[1, -2], [-2, 1]], False),
        ([[0]], True),
        ([[-1]], False),
        ([[0, 1], [1, 0]], False),
    ],
)
def test_semidefinite_matrices_are_told_exactly(entries: list[list[int]], holds: bool) -> None:
    assert is_semidefinite(entries) == holds


# --- Lovasz's number -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 7, 9, 15, 31])
def test_odd_cycles(size: int) -> None:
    found = lovasz_theta(cycle(size))
    value = size * math.cos(math.pi / size) / (1 + math.cos(math.pi / size))
    assert value - 1e-9 * size <= float(found.lower) <= float(found.upper) <= value + 1e-9 * size
    assert found.solved == size


def test_the_pentagon_is_bounded_from_above_exactly() -> None:
    found = lovasz_theta(cycle(5))
    assert found.upper**2 >= 5 >= found.lower**2
    assert found.upper < Fraction(math.isqrt(5 * 10**14), 10**7) + Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("graph", "value"),
    [
        (complete(6), 1),
        (Graph((0,) * 7), 7),
        (cycle(8), 4),
        (cycle(6).complement(), 2),
        (kneser(5, 2), 4),
        (kneser(6, 2), 5),
        (kneser(7, 3), 15),
        (Graph.from_edges(12, [(a, b) for a in range(6) for b in range(6, 12) if (a * b) % 3]), 8),
    ],
)
def test_integers_are_found_exactly(graph: Graph, value: int) -> None:
    found = lovasz_theta(graph)
    assert found.upper == found.lower == value
    assert found.exact


def test_simple_fractions_are_proved() -> None:
    assert lovasz_theta(kneser(5, 2).complement()).upper == Fraction(5, 2)
    assert lovasz_theta(kneser(7, 3).complement()).upper == Fraction(7, 3)


@pytest.mark.parametrize(("size", "density"), [(30, 0.2), (30, 0.5), (36, 0.9)])
def test_ways_to_solve_agree(size: int, density: float, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = random_graph(size, density).matrix
    values = []
    for name, value in (("_FEW_EDGES", 10**6), ("_FEW_EDGES", -1), ("_UNKNOWNS", 0)):
        monkeypatch.setattr(semidefinite, name, value)
        values.append(semidefinite._value(semidefinite.solve(edges)))
        monkeypatch.undo()
    assert max(values) - min(values) < 1e-4


def test_both_systems_of_the_interior_point_method(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = cycle(7).complement().matrix
    value = 7 / (7 * math.cos(math.pi / 7) / (1 + math.cos(math.pi / 7)))
    for few in (10**6, -1):
        monkeypatch.setattr(semidefinite, "_FEW_EDGES", few)
        assert semidefinite._value(semidefinite.solve(edges)) == pytest.approx(value, abs=1e-6)


def test_pieces_too_large_have_a_clique_cover() -> None:
    found = lovasz_theta(cycle(9), max_nodes=8)
    assert found == theta.Theta(Fraction(5), Fraction(4), solved=0, skipped=9)


def test_a_solver_that_breaks_down_leaves_a_clique_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> semidefinite.Solution:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(theta, "solve", broken)
    assert lovasz_theta(cycle(5)).upper == 3


def test_a_bad_solution_is_still_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the solver says, what comes out is on the right side."""
    rng = np.random.default_rng(0)

    def careless(edges: semidefinite.Mask) -> semidefinite.Solution:
        noise = rng.normal(size=edges.shape)
        return semidefinite.Solution(noise, np.where(edges, noise, 0.0))

    monkeypatch.setattr(theta, "solve", careless)
    for _ in range(20):
        found = lovasz_theta(cycle(5))
        assert found.upper**2 >= 5 >= found.lower**2


# --- covers, sub-ranges, codes ---------------------------------------------------------------------------


def test_pieces() -> None:
    joint = JointRange.from_pairs([*typewriter(5), (10, "a"), (11, "a"), (11, "b")])
    single, (piece,) = channel_blocks(joint)
    assert single == [5]
    assert piece.inputs == (0, 1, 2, 3, 4)
    assert sorted(map(sorted, piece.causes)) == [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]


def test_fractional_cover_is_exact_where_it_is_simple() -> None:
    _, (piece,) = channel_blocks(JointRange.from_pairs(typewriter(7)))
    assert fractional_cover(len(piece.inputs), piece.causes) == Enclosure.exactly(Fraction(7, 2))


def test_fractional_cover_without_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseless.theory.zero_error.graph.MAX_PAIRS", 0)
    _, (piece,) = channel_blocks(JointRange.from_pairs([*typewriter(7), (0, 3)]))
    assert fractional_cover(len(piece.inputs), piece.causes).upper == Fraction(7, 2)


def nested_outputs(members: int = 9) -> JointRange:
    """Inputs that share an output and reach others by themselves: a coverage problem with many choices."""
    chance = random.Random(4)
    pairs: list[tuple[object, object]] = [(f"in{x}", "common") for x in range(members)]
    pairs += [(f"in{x}", f"own{chance.randrange(14)}") for x in range(members) for _ in range(4)]
    pairs += [(f"in{x}", f"far{y}") for x in range(members) for y in range(6)]
    pairs += [(f"out{x}", f"far{y}") for x in range(5) for y in range(6)]
    return JointRange.from_pairs(pairs)


def test_sub_ranges_with_nested_outputs() -> None:
    joint = nested_outputs()
    exact, hurried = largest_symmetric_leakage(joint), largest_symmetric_leakage(joint, limit=0)
    assert exact.exact
    assert hurried.lower <= exact.lower <= exact.upper <= hurried.upper


def test_sub_ranges_too_large_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseless.theory.zero_error.subranges.MAX_WORK", 0)
    joint = JointRange.from_pairs([(1, "a"), (1, "b"), (2, "b"), (3, "a")])
    found = largest_symmetric_leakage(joint)
    assert (found.lower, found.upper) == (Bits(Fraction(3, 2)), Bits(2))


def test_codes_over_components_and_isolated_letters() -> None:
    """Two pentagons and two letters that are never confused: products of components add up."""
    graph = Graph((*cycle(5).rows, *(row << 5 for row in cycle(5).rows), 0, 0))
    code = block_code(graph, 2)
    assert code.exact
    assert code.size == 4 * 5 + 2 * (2 * 2 * 2) + 2 * 2
    assert code.words is not None
    assert len(set(code.words)) == code.size
    square = graph.strong_product(graph)
    assert is_independent(square, [a * 12 + b for a, b in code.words])


def test_codes_of_three_letters() -> None:
    code = block_code(cycle(7), 3)
    assert code.size == 33  # the largest there is, which is beyond the steps allowed to prove
    assert code.bound == 35
    assert code.rate > Rate(10, 2)


def test_codes_without_room_keep_the_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_codes, "_ROOM", 24)
    code = block_code(cycle(5), 2)
    assert (code.size, code.bound) == (4, 5)
    assert not code.exact


def test_codes_with_very_many_words_are_counted() -> None:
    code = block_code(Graph((*cycle(5).rows, *(0,) * 120)), 2)
    assert code.size == 5 + 2 * 2 * 120 + 120**2
    assert code.words is None


# --- rates -----------------------------------------------------------------------------------------------


def test_rates_compare_exactly() -> None:
    assert Rate(25, 2) == Rate(5) == Bits(5)
    assert Bits(5) == Rate(5)
    assert hash(Rate(25, 2)) == hash(Rate(5)) == hash(Bits(5))
    assert hash(Rate(64, 6)) == hash(Rate(2)) == hash(Bits(2))
    assert Rate(5, 2) < Bits(Fraction(9, 4)) < Rate(3)
    assert Rate(10**40, 3) != Rate(10**40 + 1, 3)
    assert Rate(5) != "5"
    assert repr(Rate(5, 2)) == "Rate(5, 2)"
    assert Rate(5, 2).lower < Rate(5, 2).upper
    assert Rate(7, 2).rounded_down(3) == "1.403"  # 1.40367...
    assert Rate(10, 2).rounded_down(3) == "1.660"  # 1.66096..., which a common rounding would raise
    with pytest.raises(ValueError, match="at least one word"):
        Rate(0)
    with pytest.raises(TypeError):
        _ = Rate(2) < "x"  # type: ignore[operator]


def test_nothing_to_send_is_refused() -> None:
    empty = JointRange.from_matrix(np.zeros((0, 0)))
    for measure in (zero_error_capacity, largest_symmetric_leakage):
        with pytest.raises(RequestError, match="holds no pair"):
            measure(empty)


# --- the bracket -----------------------------------------------------------------------------------------


def test_bracket_of_the_pentagon() -> None:
    found = zero_error_capacity(JointRange.from_pairs((chr(97 + x), y) for x, y in typewriter(5)))
    assert found.independence == IndependentSet(found.independence.nodes, 2)
    assert found.independence.exact
    assert found.lower == Rate(5, 2)
    assert found.upper == Bits(found.theta.upper)
    assert not found.exact
    assert [code.length for code in found.codes] == [2]  # three letters cannot do better
    words = found.words(2)
    assert words is not None
    assert all(letter in "abcde" for word in words for letter in word)
    assert found.words(3) is None
    assert "1.160964 to 1.160965 bits" in repr(found)
    assert "<table>" in found._repr_html_()


def test_bracket_adds_over_blocks() -> None:
    pairs = [*typewriter(5), *typewriter(5, 10), *((20 + x, 20) for x in range(3)), (30, 30)]
    found = zero_error_capacity(JointRange.from_pairs(pairs))
    assert found.independence.size == 2 + 2 + 1 + 1
    value = 2 * math.sqrt(5) + 2
    assert value <= float(found.theta.upper) <= value + 1e-6
    assert found.cover.upper == 5 + 2
    assert [code.size for code in found.codes] == [4 * 5 + 2 * 8 + 4, 8 * 10 + 3 * 4 * 5 * 2 + 3 * 4 * 4 + 8]
    assert found.lower == Rate(256, 3)


def test_bracket_without_codes() -> None:
    found = zero_error_capacity(JointRange.from_pairs(typewriter(5)), max_length=1)
    assert found.codes == ()
    assert found.lower == Rate(2)


def test_bracket_without_the_semidefinite_program() -> None:
    found = zero_error_capacity(JointRange.from_pairs(typewriter(5)), theta_nodes=4)
    assert found.theta.skipped == 5
    assert found.theta.upper == found.cover.upper == Fraction(5, 2)
    assert found.lower <= found.upper == Bits(Fraction(5, 2))
    assert "clique cover only" in repr(found)


def test_bracket_of_ranges_too_large_for_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = JointRange.from_pairs([*typewriter(7), *typewriter(5, 20)])
    close = zero_error_capacity(joint, max_length=2)
    monkeypatch.setattr(bracket, "MAX_GRAPH", 6)
    far = zero_error_capacity(joint)
    assert far.theta.skipped == 7
    assert far.codes == ()
    assert far.lower <= close.lower <= close.upper <= far.upper
    assert far.independence.size <= close.independence.size <= far.independence.bound


def test_bracket_of_a_large_deterministic_map() -> None:
    codes = np.arange(200_000)
    found = zero_error_capacity(JointRange.from_codes(codes, codes % 5_000))
    assert found.exact
    assert found.upper == Bits(5_000)


def test_bracket_of_a_constant() -> None:
    found = zero_error_capacity(JointRange.from_pairs([(x, "same") for x in range(4)]))
    assert found.exact
    assert found.upper == 0
    assert found.never_confused == (0,)


def test_one_input() -> None:
    found = zero_error_capacity(JointRange.from_pairs([("only", y) for y in range(3)]))
    assert found.exact
    assert found.never_confused == ("only",)
