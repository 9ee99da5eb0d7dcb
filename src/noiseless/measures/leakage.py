"""Leakage: what the most telling answer gives away."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from noiseless.exact import Bits
from noiseless.measures.disarray import disarray
from noiseless.measures.entropy import entropy
from noiseless.ranges import JointRange


def leakage(joint: JointRange, given: npt.ArrayLike | None = None) -> Bits:
    """L0(X;Y) = H0(X) - B0(X|Y) = max_y log2 |[[X]]| / |[[X|y]]| ((6) of [P1] and [P4]).

    >>> leakage(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(3, 1)

    Args:
        joint: the joint range.
        given: side information as the cell of each y (y is then a pair (y', a), and its cell is a). The
            result is L0(X -> Y'|A) = max_(y',a) log2 |[[X|a]]| / |[[X|y',a]]|: what y' adds to a.
    """
    if given is None:
        return entropy(joint) - disarray(joint)
    cells = np.asarray(given, np.int64)
    return Bits(_largest_ratio(joint.merged(cells).posterior_sizes[cells], joint.posterior_sizes))


def _largest_ratio(before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> Fraction:
    """The largest before / after, exactly: for each size after, only the largest size before matters."""
    most = np.zeros(int(after.max()) + 1, np.int64)
    np.maximum.at(most, after, before)
    return max(Fraction(int(most[size]), int(size)) for size in np.flatnonzero(most))


def symmetric_leakage(joint: JointRange) -> Bits:
    """L0s(X;Y) = min(L0(X;Y), L0(Y;X)) ((8) of [P1])."""
    reverse = Bits(Fraction(joint.size_y, int(joint.support_sizes.min())))
    return min(leakage(joint), reverse)
