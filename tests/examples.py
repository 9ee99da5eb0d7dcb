"""Joint ranges to try things on: the papers' examples and random ones; and the columns of the heart data."""

from collections.abc import Hashable
from typing import cast

from hypothesis import strategies as st

from noiseless.ranges import JointRange

Pairs = frozenset[tuple[Hashable, Hashable]]

DICE: Pairs = frozenset((face, "yes" if face % 2 == 0 else "no") for face in range(1, 7))
"""Example 1 of [P2]: a die, and whether its face is even."""

FIGURE_1: Pairs = frozenset(
    {
        ("s1", "x1"),
        ("s2", "x1"),
        ("s2", "x2"),
        ("s3", "x3"),
        ("s3", "x4"),
        ("s4", "x5"),
        ("s5", "x6"),
        ("s6", "x7"),
    }
)
"""Fig. 1 of [P3], as (s, x)."""

HEART_COLUMNS = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg"),
    *("thalach", "exang", "oldpeak", "slope", "ca", "thal", "num"),
)


def pair_sets(size: int = 6) -> st.SearchStrategy[Pairs]:
    """Random joint ranges over at most `size` values a side."""
    value = st.integers(0, size - 1)
    found = st.frozensets(st.tuples(value, value), min_size=1, max_size=3 * size)
    return cast("st.SearchStrategy[Pairs]", found)


def joint_ranges(size: int = 6) -> st.SearchStrategy[JointRange]:
    """The same as `JointRange`."""
    return pair_sets(size).map(lambda pairs: JointRange.from_pairs(sorted(pairs, key=repr)))


@st.composite
def merged_ranges(draw: st.DrawFn, size: int = 6) -> tuple[JointRange, list[int]]:
    """A joint range and a map of its y values into cells."""
    joint = draw(joint_ranges(size))
    raw = draw(st.lists(st.integers(0, size - 1), min_size=joint.size_y, max_size=joint.size_y))
    numbers = {cell: number for number, cell in enumerate(dict.fromkeys(raw))}
    return joint, [numbers[cell] for cell in raw]
