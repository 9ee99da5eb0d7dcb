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

    What the worst answer gives away: by how much it can shrink the set of possible values. It is 0 when X
    and Y are unrelated and H0(X) when some answer gives X away completely. No answer is ignored, however
    rare.

    >>> leakage(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(3, 1)

    Args:
        joint: the joint range.
        given: side information as the cell of each y (y is then a pair (y', a), and its cell is a). The
            result is L0(X -> Y'|A) = max_(y',a) log2 |[[X|a]]| / |[[X|y',a]]|: what y' adds to a.

    Inequalities:
        * `I*(X;Y) <= L0s(X;Y) <= L0(X;Y) <= H0(X)` where values are counted.
        * `L0(X;g(Y)) <= L0(X;Y)`: processing an answer further tells nothing more.
        * `L0(X;(Y,Z)) <= L0(X;Y) + L0(X -> Z|Y)`: what two answers tell together.
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
    """L0s(X;Y) = min(L0(X;Y), L0(Y;X)) ((8) of [P1]).

    Leakage is not symmetric, the smaller of its two directions is.

    >>> symmetric_leakage(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(2, 1)

    Inequalities:
        * `I*(X;Y) <= L0s(X;Y) <= L0(X;Y)` where values are counted.
        * `T0(X;Y) <= L0s(X;Y)` where values are counted.
    """
    reverse = Bits(Fraction(joint.size_y, int(joint.support_sizes.min())))
    return min(leakage(joint), reverse)
