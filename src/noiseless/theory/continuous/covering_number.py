"""Covering numbers: how many sets of diameter 2 eps it takes to cover a range (Remark II.1 of [P4]).

With N = N_eps(S) and mu the length, mu <= 2 eps N always. The remark's other side, eps N <= mu, holds for an
interval exactly when it is at least eps long, and for a union of intervals whenever each of them is. It fails
for a point (mu = 0, N = 1) and for too coarse an eps.

For vectors in Euclid's norm the sharp form of the right side is mu <= omega_n eps^n N (isodiametric
inequality; omega_n is the volume of the unit ball). Since omega_n < 1 from n = 13 on, the remark's left side
eps^n N <= mu fails there for *every* set with a volume, at any eps.
"""

import math
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.theory.continuous.cuts import Number, finite
from noiseless.theory.continuous.pieces import SetLike, as_intervals


def covering_number(numbers: SetLike, eps: Number) -> int | float:
    """N_eps(S) of a set of numbers: the fewest sets of diameter 2 eps whose union holds it.

    Sets may be closed, so an interval of length 4 eps takes two whether or not its ends belong to it. Going
    from left to right, each set begins where the numbers not yet covered do: no choice reaches farther.

    Raises:
        RequestError: eps is not a positive number.

    Returns:
        A whole number, 0 for the empty set and infinity for an unbounded one.

    >>> covering_number("[0, 1]", "1/4"), covering_number("[0, 1] | {3}", "1/4"), covering_number("{3}", 9)
    (2, 3, 1)

    Inequalities:
        * `mu(S) <= 2 eps N_eps(S)`: no set of diameter 2 eps has a larger measure.
        * `N_eps(S) <= N_delta(S)` for `delta <= eps`.
    """
    size, values = 2 * finite(eps), as_intervals(numbers)
    if size <= 0:
        raise RequestError("eps is a positive number")
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
