"""Every inequality about the zero-error capacity; each docstring is the statement."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import joint_ranges, merged_ranges
from noiseless import measures as m
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.theory.zero_error import (
    Graph,
    Rate,
    ZeroErrorBracket,
    block_code,
    independent_set,
    largest_symmetric_leakage,
    lovasz_theta,
    zero_error_capacity,
)
from noiseless.theory.zero_error.independence import clique_cover

SLACK = Fraction(1, 10**6)
"""How far a certified upper end may lie above the number itself, where two numbers are compared."""


@st.composite
def graphs(draw: st.DrawFn, size: int = 8) -> Graph:
    count = draw(st.integers(1, size))
    pairs = list(itertools.combinations(range(count), 2))
    if not pairs:
        return Graph((0,))
    return Graph.from_edges(count, draw(st.lists(st.sampled_from(pairs), unique=True)))


def cycle(size: int) -> Graph:
    return Graph.from_edges(size, [(node, (node + 1) % size) for node in range(size)])


def disjoint(first: Graph, second: Graph) -> Graph:
    return Graph((*first.rows, *(row << len(first) for row in second.rows)))


@given(joint_ranges(7))
def test_chain_of_bounds(joint: JointRange) -> None:
    """log alpha <= C0 <= log theta <= log cover <= max_A L0s(A;Y) <= L0(Y;X)."""
    found = zero_error_capacity(joint)
    assert Bits(found.independence.size) <= Bits(found.theta.upper)
    assert found.lower <= found.upper
    assert found.theta.lower <= found.cover.upper
    assert Bits(found.cover.lower) <= found.subranges.upper <= found.leakage
    assert found.leakage == m.leakage(joint.swapped())


@given(joint_ranges(7))
def test_proposition_2(joint: JointRange) -> None:
    """Proposition 2 of [P1]: C0 <= the largest L0s over sub-ranges of X, in particular log alpha is."""
    alpha = independent_set(Graph.of_inputs(joint)).size
    assert Bits(alpha) <= largest_symmetric_leakage(joint).upper


@given(joint_ranges(7))
def test_maximin_information_is_sent_without_error(joint: JointRange) -> None:
    """I*(X;Y) <= log alpha <= C0."""
    assert m.maximin(joint) <= Bits(independent_set(Graph.of_inputs(joint)).size)


def test_symmetric_leakage_of_the_whole_range_is_no_bound() -> None:
    """Not C0 <= L0s(X;Y): x1:{y1,y2}, x2:{y2}, x3:{y1} has alpha = 2 and L0s = log2(3/2)."""
    joint = JointRange.from_pairs([(1, "y1"), (1, "y2"), (2, "y2"), (3, "y1")])
    found = zero_error_capacity(joint)
    assert m.symmetric_leakage(joint) == Bits(Fraction(3, 2))
    assert found.lower == Rate(2)
    assert found.lower > m.symmetric_leakage(joint)
    assert found.exact
    assert found.never_confused == (2, 3)
    assert found.subranges.upper == Bits(2)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_deterministic_maps(image: list[int]) -> None:
    """For Y = f(X) all are equal: log alpha = C0 = log theta = max_A L0s = L0(Y;X) = log |[[Y]]|."""
    found = zero_error_capacity(JointRange.from_pairs(enumerate(image)))
    outputs = len(set(image))
    assert found.exact
    assert found.lower == Rate(outputs)
    assert found.theta.upper == found.theta.lower == found.cover.upper == outputs
    assert found.subranges.lower == found.subranges.upper == found.leakage == Bits(outputs)


@given(merged_ranges(5))
def test_post_processing(case: tuple[JointRange, list[int]]) -> None:
    """C0(X -> Q(Y)) <= C0(X -> Y): merging outputs raises neither alpha nor theta."""
    joint, cells = case
    before, after = zero_error_capacity(joint), zero_error_capacity(joint.merged(cells))
    assert after.independence.size <= before.independence.size
    assert after.theta.lower <= before.theta.upper
    assert after.lower <= before.upper


@given(joint_ranges(6))
def test_repeated_outputs_change_nothing(joint: JointRange) -> None:
    """C0 depends on the confusability graph alone: an output beside each pair changes alpha and theta not."""
    pairs = list(zip(joint.x.tolist(), joint.y.tolist(), strict=True))
    richer = JointRange.from_pairs([*pairs, *((x, (x, "own")) for x, _ in pairs)])
    found, other = zero_error_capacity(joint), zero_error_capacity(richer)
    assert found.independence.size == other.independence.size
    assert abs(found.theta.upper - other.theta.upper) <= SLACK


@given(graphs())
def test_sandwich(graph: Graph) -> None:
    """Sandwich theorem: alpha(G) <= theta(G) <= clique cover number (Lovasz, 1979)."""
    theta = lovasz_theta(graph)
    assert theta.lower <= theta.upper
    assert independent_set(graph).size <= theta.upper
    assert theta.lower <= len(clique_cover(graph))


@given(graphs())
def test_theta_of_the_complement(graph: Graph) -> None:
    """theta(G) theta(complement of G) >= n."""
    assert lovasz_theta(graph).upper * lovasz_theta(graph.complement()).upper >= len(graph)


@given(graphs(5), graphs(5))
def test_theta_multiplies(first: Graph, second: Graph) -> None:
    """theta(G x H) = theta(G) theta(H) for strong products."""
    product = lovasz_theta(first.strong_product(second))
    one, other = lovasz_theta(first), lovasz_theta(second)
    assert product.lower <= one.upper * other.upper
    assert one.lower * other.lower <= product.upper
    assert abs(product.upper - one.upper * other.upper) <= SLACK


def test_theta_multiplies_where_it_is_no_integer() -> None:
    """theta(C5 x C7) = theta(C5) theta(C7)."""
    product = lovasz_theta(cycle(5).strong_product(cycle(7)))
    assert abs(product.upper - lovasz_theta(cycle(5)).upper * lovasz_theta(cycle(7)).upper) <= SLACK


@given(graphs(6), graphs(6))
def test_disjoint_unions(first: Graph, second: Graph) -> None:
    """theta(G + H) = theta(G) + theta(H), and alpha likewise."""
    both = disjoint(first, second)
    assert abs(lovasz_theta(both).upper - lovasz_theta(first).upper - lovasz_theta(second).upper) <= SLACK
    assert independent_set(both).size == independent_set(first).size + independent_set(second).size


@given(graphs())
def test_dominated_nodes_change_nothing(graph: Graph) -> None:
    """If N[u] lies in N[v], leaving v out changes neither alpha nor theta."""
    kept = graph.induced(graph.undominated())
    assert independent_set(graph).size == independent_set(kept).size
    assert abs(lovasz_theta(graph).upper - lovasz_theta(kept).upper) <= SLACK


@given(graphs(5))
def test_block_codes(graph: Graph) -> None:
    """alpha(G)^2 <= alpha(G x G) <= theta(G)^2; the words found are a code."""
    alpha, code = independent_set(graph).size, block_code(graph, 2)
    assert alpha**2 <= code.size <= lovasz_theta(graph).upper ** 2
    product = graph.strong_product(graph)
    assert code.size == independent_set(product).size
    assert code.words is not None
    nodes = [a * len(graph) + b for a, b in code.words]
    assert len(set(nodes)) == code.size
    assert not any(product.rows[a] >> b & 1 for a, b in itertools.combinations(nodes, 2))


@pytest.mark.parametrize("size", [5, 7, 9])
def test_two_letters_beat_one_on_odd_cycles(size: int) -> None:
    """alpha(Cn x Cn) = floor(n/2 floor(n/2)) for odd n: more than alpha(Cn)^2 (Hales, 1973)."""
    code = block_code(cycle(size), 2)
    assert code.exact
    assert code.size == size * (size // 2) // 2 > (size // 2) ** 2


def typewriter(keys: int) -> ZeroErrorBracket:
    return zero_error_capacity(
        JointRange.from_pairs([(key, (key + step) % keys) for key in range(keys) for step in (0, 1)])
    )


def test_capacity_of_the_pentagon() -> None:
    """C0(C5) = (1/2) log2 5 (Shannon, 1956; Lovasz, 1979)."""
    found = typewriter(5)
    assert found.lower == Rate(5, 2)
    assert 5 <= found.theta.upper**2 < 5 + SLACK
    assert found.theta.lower**2 <= 5


@given(st.integers(2, 14))
@settings(max_examples=8)
def test_even_typewriters(half: int) -> None:
    """The typewriter with 2k keys, each of which may hit the next one, has C0 = log k."""
    found = typewriter(2 * half)
    assert found.exact
    assert found.lower == Rate(half)
