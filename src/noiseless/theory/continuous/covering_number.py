"""Covering numbers: how many sets of diameter 2 eps it takes to cover a range (Remark II.1 of [P4]).

Numbers. With N = N_eps(S) and mu the length, mu <= 2 eps N always. The remark's other side, eps N <= mu,
holds for an interval exactly when it is at least eps long, and for a union of intervals whenever each of them
is. It fails for a point (mu = 0, N = 1) and for too coarse an eps.

Vectors. In the maximum norm a box with sides L_i takes exactly the product of max(1, ceil(L_i / (2 eps)))
sets; mu <= (2 eps)^n N always, and eps^n N <= mu for a box whose sides are at least eps long. In Euclid's
norm the sharp form of the right side is mu <= omega_n eps^n N (isodiametric inequality; omega_n is the volume
of the unit ball). Hence eps^n N >= mu / omega_n, and since omega_n < 1 from n = 13 on, the remark's left side
fails there for *every* set with a volume, at any eps.
"""

import math
from fractions import Fraction
from typing import Literal, NamedTuple

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, ball
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.cuts import Number, finite
from noiseless.theory.continuous.pieces import SetLike, as_boxes, as_intervals

Norm = Literal["euclidean", "maximum"]

_MOST_CUTS = 10_000
"""Finer bricks are not searched for one cut at a time."""


class CoveringBounds(NamedTuple):
    """A covering number between two bounds; equal ones are the number itself."""

    low: int
    high: int


def covering_number(numbers: SetLike, eps: Number) -> int | float:
    """N_eps(S) of a set of numbers: the fewest sets of diameter 2 eps whose union holds it.

    Sets may be closed, so an interval of length 4 eps takes two whether or not its ends belong to it. Going
    from left to right, each set begins where the numbers not yet covered do: no choice reaches farther.

    Returns:
        A whole number, 0 for the empty set and infinity for an unbounded one.

    >>> covering_number("[0, 1]", "1/4"), covering_number("[0, 1] | {3}", "1/4"), covering_number("{3}", 9)
    (2, 3, 1)

    Inequalities:
        * `mu(S) <= 2 eps N_eps(S)`: no set of diameter 2 eps has a larger measure.
        * `N_eps(S) <= N_delta(S)` for `delta <= eps`.
    """
    size, values = 2 * _positive(eps), as_intervals(numbers)
    if not values.is_bounded:
        return math.inf
    count = 0
    covered: Fraction | None = None
    for interval in values:
        low, high = Fraction(interval.low), Fraction(interval.high)
        if covered is not None and high <= covered:
            continue
        start = low if covered is None else max(low, covered)
        more = max(1, math.ceil((high - start) / size))
        count += more
        covered = start + more * size
    return count


def covering_entropy(numbers: SetLike, eps: Number) -> Bits | float:
    """h_eps(X) = log2 N_eps: sets are counted, so it is bits ([P4] takes natural logarithms)."""
    count = covering_number(numbers, eps)
    if count == 0:
        raise RequestError("the empty set has no entropy")
    return math.inf if math.isinf(count) else Bits(int(count))


def covering_gap(numbers: SetLike, eps: Number) -> Nats:
    """h0(X) - [h_eps(X) + ln eps] = ln(mu / (eps N)) of Remark II.1 of [P4], for bounded sets of numbers.

    It is at most ln 2 always, and at least 0 when each interval of the set is at least eps long; minus
    infinity for isolated points alone.

    >>> covering_gap("[0, 1]", "1/4"), covering_gap("[0, 5/4]", "1/4"), covering_gap("{3}", 1)
    (Nats(2), Nats(5/3), Nats(0))
    """
    values = as_intervals(numbers)
    count = covering_number(values, eps)
    if not 0 < count < math.inf:
        raise RequestError("the gap is for bounded sets that are not empty")
    return Nats(values.measure / (finite(eps) * int(count)))


def covering_bounds(values: SetLike, eps: Number, norm: Norm = "euclidean") -> CoveringBounds:
    """Bounds on N_eps of a bounded set of vectors; exact for a single box in the maximum norm.

    In one dimension both norms are one and the number is exact. The lower bound is the best of what the
    volume, the projections onto the axes and points that are pairwise more than 2 eps apart enforce; the
    upper one adds up equal bricks of diameter 2 eps box by box.

    Raises:
        RequestError: the set is empty or unbounded.

    >>> covering_bounds("[0, 1] x [0, 1]", "1/4", norm="maximum")
    CoveringBounds(low=4, high=4)
    """
    boxes, size = as_boxes(values), 2 * _positive(eps)
    if not boxes or not boxes.is_bounded:
        raise RequestError("covering numbers are bounded for bounded sets that are not empty")
    if boxes.dimension == 1:
        exact = int(covering_number(boxes, eps))
        return CoveringBounds(exact, exact)
    high = sum(_bricks(box, size, norm) for box in boxes)
    low = max(
        _by_volume(boxes, size, norm),
        *(int(covering_number(boxes.project([axis]), eps)) for axis in range(boxes.dimension)),
        # As many points of a box are pairwise more than `size` apart on some axis: each needs its own set.
        *(_bricks(box, size, "maximum") for box in boxes),
    )
    return CoveringBounds(low, high)


def _by_volume(boxes: BoxSet, size: Fraction, norm: Norm) -> int:
    """A set of diameter d has at most the volume of a cube of side d, or of a ball of that diameter."""
    if boxes.measure == 0:
        return 1
    ratio = Fraction(boxes.measure) / size**boxes.dimension
    if norm == "maximum":
        return math.ceil(ratio)
    from flint import arb, ctx

    with ctx.workprec(256):
        half = Fraction(boxes.dimension, 2)
        unit = arb.pi() ** ball(half) / ball(half + 1).gamma()
        return int((ball(ratio * 2**boxes.dimension) / unit).lower().ceil().unique_fmpz() or 1)


def _bricks(box: Box, size: Fraction, norm: Norm) -> int:
    """How many equal bricks of at most a given diameter a box is cut into.

    In the Euclidean norm the better of two ways: all sides of a brick at most size / sqrt(n), which wastes
    sets on boxes that are not cubes, or cutting the longest side of the brick again and again.
    """
    lengths = [Fraction(side.length) for side in box.sides]
    if norm == "maximum":
        return math.prod(max(1, math.ceil(length / size)) for length in lengths)
    return int(min(_equal_diagonals(lengths, size), _one_by_one(lengths, size)))


def _equal_diagonals(lengths: list[Fraction], size: Fraction) -> int:
    """Bricks none of whose n sides is longer than size / sqrt(n)."""
    long = [length for length in lengths if length]
    squares = (length**2 * len(long) / size**2 for length in long)
    return math.prod(max(1, _ceil_root(square)) for square in squares)


def _ceil_root(square: Fraction) -> int:
    """The smallest whole number whose square is at least a rational."""
    root = math.isqrt(math.ceil(square))
    return root if root * root >= square else root + 1


def _one_by_one(lengths: list[Fraction], size: Fraction) -> int | float:
    """Bricks found by always cutting the longest side of the brick once more."""
    cuts = [1] * len(lengths)
    for _ in range(_MOST_CUTS):
        brick = [length / cut for length, cut in zip(lengths, cuts, strict=True)]
        if sum(side**2 for side in brick) <= size**2:
            return math.prod(cuts)
        cuts[max(range(len(brick)), key=brick.__getitem__)] += 1
    return math.inf


def _positive(eps: Number) -> Fraction:
    exact = finite(eps)
    if exact <= 0:
        raise RequestError("eps is a positive number")
    return exact
