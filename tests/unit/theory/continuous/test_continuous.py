import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuous_examples import FEWER, GRID, box_ranges, interval_sets, line_ranges
from noiseless.errors import RequestError
from noiseless.ranges import JointRange, count_blocks
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.continuous.pieces import is_open_part
from noiseless.theory.continuous.taxicab import count_taxicab_blocks, taxicab_partition

EXAMPLE_II_1 = ContinuousRange.from_function([("[0, 1/2)", 1, 0), ("[1/2, 1]", 0, 1)])


def numbers(text: str) -> IntervalSet:
    return IntervalSet.parse(text)


def test_ranges_of_a_function() -> None:
    assert EXAMPLE_II_1.range_x == numbers("[0, 1]")
    assert EXAMPLE_II_1.range_y == numbers("[0, 1/2) | {1}")
    assert EXAMPLE_II_1.posterior(0) == numbers("{0}")
    assert EXAMPLE_II_1.posterior(1) == numbers("[1/2, 1]")
    assert EXAMPLE_II_1.swapped().posterior("3/4") == numbers("{1}")
    assert ("1/4", 0.25) in EXAMPLE_II_1
    assert ("1/2", "1/2") not in EXAMPLE_II_1
    with pytest.raises(KeyError):
        EXAMPLE_II_1.posterior("1/2")
    with pytest.raises(KeyError):
        EXAMPLE_II_1.posterior("inf")


def test_pieces_of_a_function_do_not_overlap() -> None:
    with pytest.raises(RequestError, match="overlap"):
        ContinuousRange.from_function([("[0, 1]", 1, 0), ("[1, 2]", 0, 1)])


def test_folding_lines() -> None:
    tent = ContinuousRange.from_function([("[0, 1)", 1, 0), ("[1, 2]", -1, 2)])
    assert tent.posterior("1/4") == numbers("{1/4} | {7/4}")
    assert tent.posterior(1) == numbers("{1}")
    assert tent.range_y == numbers("[0, 1]")


def test_vectors() -> None:
    joint = ContinuousRange.from_boxes([("[0, 1] x [0, 2]", "[0, 1)"), ("[0, 2] x {1}", "[1, 2]")])
    assert (joint.size_x, joint.size_y) == (2, 1)
    assert joint.posterior(1) == BoxSet.parse("[0, 2] x {1}")
    assert joint.range_x == BoxSet.parse("[0, 1] x [0, 2] | (1, 2] x {1}")
    assert joint.swapped().posterior((2, 1)) == numbers("[1, 2]")
    with pytest.raises(RequestError, match="2 coordinates"):
        joint.swapped().posterior(2)


def test_labels() -> None:
    joint = ContinuousRange.from_labels({"low": (0, 2), ("a", "pair"): "[1, 3] | {9}"})
    assert joint.posterior("low") == numbers("[0, 2]")
    assert joint.posterior(("a", "pair")) == numbers("[1, 3] | {9}")
    assert ("5/2", "low") not in joint
    assert (2, "low") in joint
    assert (2, "high") not in joint
    assert joint.is_finite_y
    assert not joint.is_finite_x
    assert joint.swapped().x_labels == joint.y_labels
    with pytest.raises(KeyError):
        joint.posterior("high")
    merged = joint.coarsened({"any": ["low", ("a", "pair")]})
    assert merged.posterior("any") == numbers("[0, 3] | {9}")
    with pytest.raises(RequestError, match="label"):
        joint.coarsened({"any": ["low", "high"]})
    with pytest.raises(RequestError, match="labels have no edges"):
        joint.merged([0, 1])


def test_quantised_functions() -> None:
    quantised = EXAMPLE_II_1.merged([0, "1/4", "1/2", 1])
    assert quantised.y_labels == (
        Interval.of(0, "1/4", "[)"),
        Interval.of("1/4", "1/2", "[)"),
        Interval.of("1/2", 1),
    )
    assert [quantised.posterior(cell) for cell in quantised.y_labels] == [
        numbers("[0, 1/4)"),
        numbers("[1/4, 1/2)"),
        numbers("[1/2, 1]"),
    ]
    down = ContinuousRange.from_function([("[0, 1]", -1, 1)]).merged([0, "1/4", 1])
    assert down.posterior(Interval.of(0, "1/4", "[)")) == numbers("(3/4, 1]")


def test_cells_that_never_occur_are_left_out() -> None:
    assert len(EXAMPLE_II_1.merged([-1, 0, "1/2", "3/4", 2]).y_labels or ()) == 2


@pytest.mark.parametrize(
    ("edges", "problem"), [([0], "two numbers"), ([0, 1, 1], "ascend"), ([0, "1/2"], "hold every y")]
)
def test_wrong_edges(edges: list[int], problem: str) -> None:
    with pytest.raises(RequestError, match=problem):
        EXAMPLE_II_1.merged(edges)


def test_cells_that_overlap() -> None:
    with pytest.raises(RequestError, match="overlap"):
        EXAMPLE_II_1.coarsened({"a": (0, 1), "b": (1, 2)})


def test_wrong_pieces() -> None:
    with pytest.raises(RequestError, match="at least one pair"):
        ContinuousRange.of()
    with pytest.raises(RequestError, match="same dimensions"):
        ContinuousRange.of([("[0, 1] x [0, 1]", (0, 1))], [((0, 1), 1, 0)])
    with pytest.raises(RequestError, match="at least one value"):
        ContinuousRange.from_labels({"a": BoxSet.empty(1)})


def test_equality_is_that_of_sets() -> None:
    """However the pieces were cut, and whichever of two crossing lines holds the crossing."""
    whole = ContinuousRange.of(lines=[("[0, 2]", 1, 0), ("[0, 2]", -1, 2)])
    parts = ContinuousRange.of([((1, 1), (1, 1))], [("[0, 1)", 1, 0), ("(1, 2]", 1, 0), ("[0, 2]", -1, 2)])
    split = ContinuousRange.of(lines=[("[0, 1) | (1, 2]", 1, 0), ("[0, 2]", -1, 2)])
    assert whole == parts == split
    assert hash(whole) == hash(parts) == hash(split)
    assert whole != ContinuousRange.of(lines=[("[0, 1) | (1, 2]", 1, 0), ("[0, 1) | (1, 2]", -1, 2)])
    assert ContinuousRange.of([((0, 1), (0, 1))], [((0, 1), 1, 0)]) == ContinuousRange.of([((0, 1), (0, 1))])
    assert whole != ContinuousRange.from_labels({"a": (0, 2)})


def test_unrelated() -> None:
    assert ContinuousRange.from_boxes([("[0, 1] | {3}", "[0, 2)")]).is_unrelated()
    assert not EXAMPLE_II_1.is_unrelated()
    corner = ContinuousRange.of([("[0, 1)", (0, 1)), ((0, 1), "[0, 1)")], [((0, 1), 1, 0)])
    assert corner.is_unrelated()  # the line brings the corner (1, 1) that the boxes lack


def test_what_an_essential_supremum_ignores() -> None:
    """Edges of larger parts are ignored; isolated points and flat parts by themselves are not."""
    plane = [box for box in BoxSet.parse("[0, 1] x [0, 1] | {2} x [0, 1] | {3} x {3}") if not box.is_point]
    assert is_open_part(Box.of((0, 1), (0, 1)), plane)
    assert not is_open_part(Box.of((0, 1), (0, 0)), plane)
    assert not is_open_part(Box.of((1, 1), (1, 1)), plane)
    assert is_open_part(Box.of((2, 2), (0, 1)), plane)
    assert not is_open_part(Box.of((2, 2), (0, 0)), plane)
    assert is_open_part(Box.of((3, 3), (3, 3)), plane)
    assert is_open_part(Box.of((1, 1), (0, 2)), plane)  # the upper half sticks out


def test_answers_where_lines_pass() -> None:
    joint = ContinuousRange.of([((0, 1), (0, 1))], [((0, 4), "1/2", 0)])
    found = [(str(answer.where), str(answer.posterior), len(answer.lines)) for answer in joint.answers]
    assert found == [("[0, 1]", "[0, 1]", 1), ("(1, 2]", "{}", 1)]


def test_two_kinds_of_blocks() -> None:
    assert count_taxicab_blocks(EXAMPLE_II_1) == math.inf
    steps = ContinuousRange.from_function([("[0, 1)", 0, 0), ("[1, 2)", 0, 5), ("[2, 3]", 0, 0)])
    assert [(str(block.x), str(block.y)) for block in taxicab_partition(steps)] == [
        ("[0, 1) | [2, 3]", "{0}"),
        ("[1, 2)", "{5}"),
    ]
    with pytest.raises(RequestError, match="infinitely many"):
        taxicab_partition(EXAMPLE_II_1)


@pytest.mark.parametrize(
    ("boxes", "lines", "count"),
    [
        ([((0, 1), (0, 1))], [((0, 1), 1, 0)], 1),  # the line lies in the box
        ([((0, 2), (5, 5))], [((0, 2), 1, 0)], 1),  # a constant that holds each x of the line
        ([("[0, 2)", (5, 5))], [((0, 2), 1, 0)], 2),  # all but one: the point (2, 2) is left
        ([("[0, 1) | (1, 2]", (5, 5))], [((0, 2), 1, 0)], 2),
        ([((0, 1), (5, 5))], [((0, 2), 1, 0)], math.inf),  # half of the line is left
        ([((0, 0), (7, 7))], [((0, 0), 1, 0)], 1),  # two points above one x
        ([((0, 0), (7, 7))], [((1, 1), 1, 0)], 2),
        ([((0, 1), (9, 9))], [((0, 1), 1, 0), ("(1, 2]", -1, 2)], 1),  # by y: (x, 2 - x) meets (2 - x, 2 - x)
        ([((0, 1), (9, 9))], [((0, 1), 1, 0), ("(1, 2]", -1, 3)], math.inf),
        ([((0, 1), (0, 0))], [((0, 20), 1, 0), ((0, 20), 1, 1)], 1),  # passed on step by step
        ([((0, 1), (9, 9)), ((1, 2), (8, 8))], [((3, 4), 1, 0)], math.inf),
        ([("[0, 1)", (9, 9)), ((1, 2), (8, 8))], [((0, 2), 1, 0)], 2),
    ],
)
def test_blocks_with_lines(
    boxes: list[tuple[tuple[int, int] | str, tuple[int, int]]],
    lines: list[tuple[tuple[int, int], int, int]],
    count: float,
) -> None:
    joint = ContinuousRange.of(boxes, lines)
    assert count_taxicab_blocks(joint) == count
    assert count_taxicab_blocks(joint.swapped()) == count


def test_lines_that_pass_a_block_on_for_ever() -> None:
    joint = ContinuousRange.of([((1, 2), (1, 2))], [((0, 2), 1, 0), ((0, 2), "1/2", 0)])
    with pytest.raises(RequestError, match="still grow"):
        count_taxicab_blocks(joint)


def sampled(joint: ContinuousRange, parts: int) -> JointRange:
    """The pairs of a joint range on a grid, as a finite one."""
    values = [Fraction(k, parts) for k in range(-8 * parts, 8 * parts + 1)]
    inside = [x for x in values if x in as_numbers(joint.range_x)]
    pairs = []
    for y in values:
        if y in as_numbers(joint.range_y):
            posterior = as_numbers(joint.posterior(y))
            pairs += [(x, y) for x in inside if x in posterior]
    return JointRange.from_pairs(pairs)


def as_numbers(values: IntervalSet | BoxSet) -> IntervalSet:
    assert isinstance(values, IntervalSet)
    return values


@given(box_ranges())
def test_blocks_of_boxes_on_a_grid(joint: ContinuousRange) -> None:
    """Boxes with whole ends have the blocks of their points on the halves."""
    assert count_taxicab_blocks(joint) == count_blocks(sampled(joint, 2))
    partition = taxicab_partition(joint)
    assert sum(block.x.measure for block in partition) == joint.range_x.measure
    assert all(not a.x & b.x and not a.y & b.y for a in partition for b in partition if a is not b)


@FEWER
@given(line_ranges())
def test_blocks_with_lines_on_grids(joint: ContinuousRange) -> None:
    """Finitely many blocks are those of any grid; infinitely many grow with it."""
    count = count_taxicab_blocks(joint)
    coarse, fine = count_blocks(sampled(joint, 2)), count_blocks(sampled(joint, 6))
    assert (coarse < fine) if math.isinf(count) else (coarse == fine == count)


@FEWER
@given(box_ranges(size_x=2), st.integers(0, 3))
def test_blocks_of_vectors_do_not_depend_on_the_order(joint: ContinuousRange, turn: int) -> None:
    """I*(X;Y) = I*(Y;X), whichever way the boxes are stored."""
    assert count_taxicab_blocks(joint) == count_taxicab_blocks(joint.swapped())
    pairs = [(Box(box.sides[1:]), Box(box.sides[:1])) for box in joint.boxes]
    assert count_taxicab_blocks(
        ContinuousRange.from_boxes(pairs[turn:] + pairs[:turn])
    ) == count_taxicab_blocks(joint)


@FEWER
@given(line_ranges(slopes=(1, -1, 2, Fraction(-1, 2))))
def test_posteriors_and_memberships_agree(joint: ContinuousRange) -> None:
    back = joint.swapped()
    assert back.swapped() == joint
    for y in GRID:
        for x in GRID:
            inside = (x, y) in joint
            assert inside == ((y, x) in back)
            if y in as_numbers(joint.range_y):
                assert inside == (x in as_numbers(joint.posterior(y)))
            if inside:
                assert x in as_numbers(joint.range_x)
                assert y in as_numbers(joint.range_y)


@FEWER
@given(line_ranges())
def test_answers_cover_the_range_of_y(joint: ContinuousRange) -> None:
    """The answers are disjoint, make up [[Y]], and tell the posterior set but for the points of lines."""
    answers = joint.answers
    met = IntervalSet.of()
    for answer in answers:
        where = IntervalSet.of(answer.where.sides[0])
        assert not met & where
        met |= where
        for y in GRID:
            if y in where:
                points = [(y - line.offset) / line.slope for line in answer.lines]
                expected = answer.posterior.as_intervals() | IntervalSet.of_points(points)
                assert joint.posterior(y) == expected
    assert met == joint.range_y


@given(interval_sets(least=1), interval_sets(least=1))
def test_products_are_unrelated(x: IntervalSet, y: IntervalSet) -> None:
    joint = ContinuousRange.from_boxes([(x, y)])
    assert joint.is_unrelated()
    assert (joint.range_x, joint.range_y) == (x, y)


@FEWER
@given(box_ranges(), st.lists(st.integers(1, 3), unique=True).map(sorted))
def test_quantising_unites_posteriors(joint: ContinuousRange, inner: list[int]) -> None:
    """[[X|cell]] is the union of [[X|y]] over the y of the cell."""
    quantised = joint.merged([0, *inner, 4])
    for cell in quantised.y_labels or ():
        expected = IntervalSet.of()
        for y in GRID:
            if y in cell and y in as_numbers(joint.range_y):
                expected |= as_numbers(joint.posterior(y))
        assert quantised.posterior(cell) == expected
