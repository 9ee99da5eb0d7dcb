"""Channel capacity: test for the easy cases, search, and certify what was found."""

import math
from numbers import Real

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.capacity.bracket import Capacity, ends_apart, exactly
from noiseless.theory.capacity.clock import Clock
from noiseless.theory.capacity.divergence import Rows, information, largest_divergence, output_of
from noiseless.theory.capacity.generation import Search
from noiseless.theory.capacity.reduction import (
    are_disjoint,
    distinct_rows,
    lifted,
    merge_columns,
    without_whiffs,
)
from noiseless.theory.channel import Channel


def capacity(
    channel: npt.ArrayLike | Channel, *, tolerance: float = 1e-9, time_limit: float | None = None
) -> Capacity:
    """The capacity max_p I(p; W) of a finite channel as a certified bracket [I(p; W), max_x D(W(x) || q)].

    The most that the input can tell the output, on average over the worst prior.

    Both ends hold for certain, rounding included, whether the search converged or not. It stops when they are
    near, when time is over, or when floats have no more to give.

    Args:
        channel: a row of probabilities for each input, or a `Channel`.
        tolerance: how near the ends should be, in nats.
        time_limit: seconds after which the bracket found so far is returned.

    Raises:
        ChannelError: the matrix is no channel.
        RequestError: the tolerance or the time limit is not positive.

    >>> erasure = capacity([[0.75, 0, 0.25], [0, 0.75, 0.25]])
    >>> erasure.lower <= 0.75 <= erasure.upper, erasure.method
    (True, 'uniform')
    >>> capacity([[1, 0], [1, 0], [0, 1]]).exact
    Bits(2)

    Inequalities:
        * `I(p; W) <= C <= max_x D(W(x) || q)` for every p and every q: the two ends.
        * `C0 <= C <= log2 min(inputs, outputs)`; for a deterministic channel C is log2 of the number of
          outputs.
    """
    _check(tolerance, time_limit)
    clock = Clock.after(time_limit)
    matrix = Channel.of(channel).matrix
    kept = distinct_rows(matrix)
    distinct = matrix if len(kept) == len(matrix) else matrix[kept]
    if are_disjoint(distinct):
        prior = lifted(np.full(len(kept), 1 / len(kept)), kept, len(matrix))
        return exactly(len(kept), _frozen(prior), _frozen(prior @ matrix))
    rows = Rows.of(distinct)
    search = Search(_simplified(rows), 0.5 * tolerance, clock)
    search.run()
    output = output_of(distinct, search.prior_above)
    lower = information(rows, search.prior)
    upper = min(largest_divergence(rows, output), Nats(min(distinct.shape)).upper)
    return Capacity(
        lower_nats=lower,
        upper_nats=upper,
        prior=_frozen(lifted(search.prior, kept, len(matrix))),
        output=_frozen(output / output.sum()),
        method=search.method,
        converged=ends_apart(lower, upper) <= tolerance,
    )


def _simplified(rows: Rows) -> Rows:
    """What the search works on; its capacity is the same but for what no tolerance notices."""
    merged = merge_columns(rows.matrix)
    searched = without_whiffs(merged)
    return Rows(searched, rows.negentropies) if merged is rows.matrix else Rows.of(searched)


def _check(tolerance: float, time_limit: float | None) -> None:
    if not (isinstance(tolerance, Real) and 0 < tolerance < math.inf):
        raise RequestError("the tolerance is a positive number of nats, such as 1e-9")
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise RequestError("the time limit is a positive number of seconds")


def _frozen(values: FloatArray) -> FloatArray:
    values.flags.writeable = False
    return values
