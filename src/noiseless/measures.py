"""Measures of joint ranges, finite or continuous: what answers tell, and what they leave open.

A variable with finitely many values is *counted*, in `Bits`. One with infinitely many is *measured*: its
entropies and leakages are `Nats`, logarithms of Lebesgue measures. The two never meet in one number.

Essential suprema. (2) of [P4], read with Lebesgue measure on [[Y]], would ignore isolated points of [[Y]]
and with them the paper's own Example II.1. Here a set of answers is ignored only if it holds no open part of
[[Y]]: isolated points count, and of the rest null sets do not. Infima ignore no answer at all.
"""

import math
from fractions import Fraction
from typing import Any, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.ranges import JointRange

__all__ = [
    "conditional_entropy",
    "disarray",
    "entropy",
    "information",
    "leakage",
    "maximin",
    "symmetric_leakage",
    "transmission",
]

Quantity = Bits | Nats
"""Bits of what is counted, nats of what is measured."""

Log = TypeVar("Log", bound=Quantity)
Log_co = TypeVar("Log_co", bound=Quantity, covariant=True)


class SizedRange(Protocol[Log_co]):
    """A joint range [[X, Y]] with the logarithms of its sizes: a `JointRange` or a `ContinuousRange`."""

    @property
    def log_x(self) -> Log_co:
        """Of [[X]]."""

    @property
    def log_least(self) -> Log_co:
        """Of the smallest [[X|y]]."""

    @property
    def log_most(self) -> Log_co:
        """Of the largest [[X|y]] that an essential supremum does not ignore."""

    @property
    def log_back(self) -> tuple[Log_co, Log_co]:
        """Of [[Y]] and of the smallest [[Y|x]]."""

    @property
    def log_sides(self) -> tuple[Log_co, Log_co, Log_co]:
        """Of [[X]], [[Y]] and [[X, Y]], in one unit."""

    def count_blocks(self) -> int | float:
        """How many blocks the taxicab partition has."""


def entropy(joint: SizedRange[Log]) -> Log:
    """H0(X) = log2 |[[X]]|, the bits there are (Hartley's entropy).

    What there is to know: the bits it takes to name one of the possible values. No value is more likely than
    another; it only matters which can occur. On a continuum the size is a measure, and the answer is in nats.

    >>> entropy(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(6, 1)

    Inequalities:
        * `H0(X|Y) <= H0(X)`: no answer leaves more open than there is.
        * `H0(X,Y) <= H0(X) + H0(Y)`; counted, they are equal exactly when X and Y are unrelated.
        * `L0(X;Y) <= H0(X)` where values are counted: nothing gives away more than there is.
    """
    return joint.log_x


def conditional_entropy(joint: SizedRange[Log]) -> Log:
    """H0(X|Y) = max_y log2 |[[X|y]]|, the bits left by the answer that says least.

    What is still unknown after the least telling answer: the bits it takes to name one of the values that it
    leaves possible.

    >>> conditional_entropy(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(2, 1)

    Inequalities:
        * `B0(X|Y) <= H0(X|Y) <= H0(X)`: the answer that says most leaves no more open than this one.
    """
    return joint.log_most


def disarray(joint: SizedRange[Log]) -> Log:
    """B0(X|Y) = min_y log2 |[[X|y]]|, d0 in (5) of [P4]: the bits left by the answer that says most.

    What is still unknown after the most telling answer. With k = 2^B0, anyone who sees the answer has at
    least k values to choose from: the `min_posterior` of an audit.

    >>> disarray(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(1, 1)

    Inequalities:
        * `B0(X|Y) <= H0(X|Y) <= H0(X)`.
        * `0 <= B0(X|Y)` where values are counted, with equality exactly when some answer leaves one value.
    """
    return joint.log_least


def information(joint: SizedRange[Log]) -> Log:
    """I0(X;Y) = H0(X) - H0(X|Y) = min_y log2 |[[X]]| / |[[X|y]]| ((5) of [P1]).

    What the least telling answer gives away, and so every answer. It is 0 as soon as one answer leaves every
    value possible, however much the others tell: no measure of protection by itself.

    >>> information(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(3, 2)

    Raises:
        RequestError: it is infinity minus infinity, of a range that is measured.

    Inequalities:
        * `0 <= I0(X;Y) <= L0(X;Y)`: the least telling answer tells no more than the most telling one.
        * `I0(X;Y) <= T0(X;Y)` where values are counted.
    """
    return _difference(joint.log_x, joint.log_most, "h0(X) - h0(X|Y)")


@overload
def leakage(joint: SizedRange[Log]) -> Log: ...
@overload
def leakage(joint: JointRange, given: npt.ArrayLike | None) -> Bits: ...
def leakage(joint: SizedRange[Quantity], given: npt.ArrayLike | None = None) -> Quantity:
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

    Raises:
        RequestError: it is infinity minus infinity, of a range that is measured; or there is side information
            about a range that is not finite.

    Inequalities:
        * `I*(X;Y) <= L0s(X;Y) <= L0(X;Y) <= H0(X)` where values are counted.
        * `L0(X;g(Y)) <= L0(X;Y)`: processing an answer further tells nothing more.
        * `L0(X;(Y,Z)) <= L0(X;Y) + L0(X -> Z|Y)`: what two answers tell together.
    """
    whole = joint.log_x  # whatever is no range has none
    if given is None:
        return _difference(whole, joint.log_least, "h0(X) - d0(X|Y)")
    if not isinstance(joint, JointRange):
        raise RequestError("side information is for finite ranges; put it into Y here")
    cells = np.asarray(given, np.int64)
    return Bits(largest_ratio(joint.merged(cells).posterior_sizes[cells], joint.posterior_sizes))


def symmetric_leakage(joint: SizedRange[Log]) -> Log:
    """L0s(X;Y) = min(L0(X;Y), L0(Y;X)) ((8) of [P1]).

    Leakage is not symmetric, the smaller of its two directions is.

    >>> symmetric_leakage(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(2, 1)

    Raises:
        RequestError: one of the two is in bits and the other in nats, or one is undefined.

    Inequalities:
        * `I*(X;Y) <= L0s(X;Y) <= L0(X;Y)` where values are counted.
        * `T0(X;Y) <= L0s(X;Y)` where values are counted.
    """
    there, back = leakage(joint), _difference(*joint.log_back, "h0(Y) - d0(Y|X)")
    if type(there) is not type(back):
        raise RequestError(
            "L0(X;Y) and L0(Y;X) are in nats and in bits, and no number is the smaller; take both leakages"
        )
    return there if there.ratio <= back.ratio else back


@overload
def maximin(joint: JointRange) -> Bits: ...
@overload
def maximin(joint: SizedRange[Any]) -> Bits | float: ...
def maximin(joint: SizedRange[Any]) -> Bits | float:
    """I*(X;Y) = log2 of the number of blocks of the overlap partition ((9) of [P1] and [P4]).

    What every answer tells for certain, no matter whom it is about: the finest fact about X that Y always
    gives away. Above 0 there is a yes/no question about X to which everybody's published record has the
    answer.
    At 0 no question is answered by every y; a single y can still leave one value of X, which `leakage` tells.
    It is symmetric in X and Y. Blocks are counted, so this is bits whatever X and Y are; on a continuum there
    may be infinitely many.

    With side information take Y = (Y', A): I*(X; (Y', A)).

    >>> maximin(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(2, 1)

    Raises:
        RequestError: the number of blocks was not settled (see `count_taxicab_blocks`).

    Inequalities:
        * `0 <= I*(X;Y) <= L0s(X;Y)` where values are counted.
        * `K(X;Y) <= I*(X;Y)`: no prior gives X and Y more in common.
        * `I*(X;Y) <= C0`: a value of each block makes a code without errors.
    """
    count = joint.count_blocks()
    return math.inf if count == math.inf else Bits(int(count))


def transmission(joint: SizedRange[Log]) -> Log:
    """T0(X;Y) = H0(X) + H0(Y) - H0(X,Y) ((8) of [P4]); zero exactly when X and Y are unrelated.

    How much is lost by looking at X and Y apart: the share of the pairs of values that cannot occur, in
    bits. It is symmetric in X and Y.

    >>> transmission(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(2, 1)

    Raises:
        RequestError: it is infinity minus infinity, of a range that is measured.

    Inequalities:
        * `I0(X;Y) <= T0(X;Y) <= L0s(X;Y)` where values are counted.
    """
    x, y, pairs = joint.log_sides
    formula = "h0(X) + h0(Y) - h0(X,Y)"
    try:
        both: Log = x + y  # type: ignore[operator,assignment] # in one unit
    except ValueError:
        raise _undefined(formula) from None
    return _difference(both, pairs, formula)


def _difference(whole: Log, part: Log, formula: str) -> Log:
    try:
        return whole - part  # type: ignore[operator,return-value] # in one unit
    except ValueError:
        raise _undefined(formula) from None


def _undefined(formula: str) -> RequestError:
    return RequestError(
        f"{formula} is infinity minus infinity: a range has measure 0 or infinity; "
        "count what is discrete (entropy, leakage and maximin do) and bound what is not"
    )


def largest_ratio(before: IntArray, after: IntArray) -> Fraction:
    """The largest before / after, exactly: for each size after, only the largest size before matters."""
    most = np.zeros(int(after.max()) + 1, np.int64)
    np.maximum.at(most, after, before)
    return max(Fraction(int(most[size]), int(size)) for size in np.flatnonzero(most))
