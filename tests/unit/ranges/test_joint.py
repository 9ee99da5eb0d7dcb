import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from examples import DICE, FIGURE_1
from noiseless import measures as m
from noiseless.exact import Bits
from noiseless.ranges import JointRange, count_blocks, overlap_partition
from noiseless.ranges import joint as components


def test_the_unfair_die() -> None:
    joint = JointRange.from_pairs(sorted(DICE, key=repr))
    assert set(joint.given("yes")) == {2, 4, 6}
    assert set(joint.given("no")) == {1, 3, 5}
    assert joint.given(3) == ("no",)
    assert m.entropy(joint) == Bits(6)
    assert m.leakage(joint) == m.information(joint) == m.maximin(joint) == 1


def test_figure_1() -> None:
    joint = JointRange.from_pairs(sorted(FIGURE_1))
    assert m.maximin(joint) == Bits(5)
    blocks = overlap_partition(joint)
    named = {
        frozenset(y for y, b in zip(joint.y_labels or (), blocks.y_blocks, strict=True) if b == block)
        for block in range(blocks.count)
    }
    assert named == {
        frozenset({"x1", "x2"}),
        frozenset({"x3", "x4"}),
        frozenset({"x5"}),
        frozenset({"x6"}),
        frozenset({"x7"}),
    }


def test_decomposition_update_of_the_paper() -> None:
    joint = JointRange.from_pairs(sorted(FIGURE_1, key=lambda pair: str(pair[1])))
    cell_of = {"x1": 0, "x3": 0, "x2": 1, "x5": 1, "x4": 2, "x6": 2, "x7": 3}
    cells = [cell_of[y] for y in joint.y_labels or ()]
    updated = overlap_partition(joint).after_merge(cells)
    assert updated.count == 2
    assert updated.y_blocks.tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_constructors_agree() -> None:
    matrix = np.array([[1, 0, 1], [0, 1, 1]])
    by_matrix = JointRange.from_matrix(matrix)
    by_pairs = JointRange.from_pairs([(0, 0), (0, 2), (1, 1), (1, 2), (0, 0)])
    by_codes = JointRange.from_codes([0, 0, 1, 1], [0, 2, 1, 2])
    for joint in (by_matrix, by_codes):
        assert joint.x.tolist() == [0, 1, 0, 1]
        assert joint.starts.tolist() == [0, 1, 2, 4]
    assert len(by_pairs) == len(by_matrix) == 4
    assert by_matrix.support_sizes.tolist() == [2, 2]
    assert repr(by_matrix) == "JointRange(2 x 3 values, 4 pairs)"


def test_what_is_no_joint_range() -> None:
    with pytest.raises(ValueError, match="at least one pair"):
        JointRange.from_pairs([])
    with pytest.raises(ValueError, match="none left out"):
        JointRange.from_codes([0, 2], [0, 1])
    with pytest.raises(ValueError, match="all hold a 1"):
        JointRange.from_matrix([[1, 0], [1, 0]])
    with pytest.raises(KeyError):
        JointRange.from_pairs([("a", "b")]).given("c")


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("density", [0.3, 0.9, 2.0])
def test_components_agree_with_scipy(monkeypatch: pytest.MonkeyPatch, small: bool, density: float) -> None:
    if not small:
        monkeypatch.setattr(components, "_SMALL", 0)
    rng = np.random.default_rng(int(density * 10))
    for size in (1, 10, 300, 2000):
        _, x = np.unique(rng.integers(0, size, int(size * density) + 1), return_inverse=True)
        _, y = np.unique(rng.integers(0, size, int(size * density) + 1), return_inverse=True)
        joint = JointRange.from_codes(x, y)
        graph = coo_array((np.ones(len(x)), (x, y + joint.size_x)), shape=(joint.size_x + joint.size_y,) * 2)
        count, labels = connected_components(graph, directed=False)
        partition = overlap_partition(joint)
        assert count == partition.count == count_blocks(joint)
        ours = np.concatenate((partition.x_blocks, partition.y_blocks))
        assert len(set(zip(ours.tolist(), labels.tolist(), strict=True))) == count
