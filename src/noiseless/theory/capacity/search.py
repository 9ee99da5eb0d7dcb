"""Channel capacity: reduce the channel, find the best prior by column generation, certify the bracket.

With the output q of the best prior on the inputs chosen so far, D(W(x) || q) is what input x would bring;
where none brings more than the information, nothing is missing. Others are added and the few solved again.
"""

import math
import time
from numbers import Real

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.blas import one_thread
from noiseless.theory.capacity.bracket import (
    Capacity,
    ChannelRows,
    IndexArray,
    ends_apart,
    exact_capacity,
    information,
    largest_divergence,
    output_of,
)
from noiseless.theory.capacity.solvers import (
    Banded,
    improve_by_blahut_arimoto,
    improve_by_newton,
    information_model,
)
from noiseless.theory.channel import Channel

_FEW = 200
"""Inputs that are all taken at once."""
_ADDED = 32
"""Inputs added in a round, or as many as there are already."""
_MANY = 256
"""Inputs from which on a band is looked for."""
_KEPT = 0.9
"""Share of the old prior in the next start; the rest is spread so that all inputs stand off the edge."""
_ROUNDS_SAVED = 3
"""How many times the work of a round the band may take, since it ends the search."""
_PATIENCE = 4
"""Rounds in which the gap hardly falls before the method is given up."""
_ROUNDING = 2.0**-50
"""Gaps below this, for a row of one entry, are noise."""


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
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    matrix = Channel.of(channel).matrix
    kept = distinct_rows(matrix)
    distinct = matrix if len(kept) == len(matrix) else matrix[kept]
    if ((distinct != 0).sum(axis=0) <= 1).all():  # no output can be caused by two of the rows
        prior = lifted(np.full(len(kept), 1 / len(kept)), kept, len(matrix))
        return exact_capacity(len(kept), _frozen(prior), _frozen(prior @ matrix))
    rows = ChannelRows.of(distinct)
    search = PriorSearch(rows, 0.5 * tolerance, deadline)
    with one_thread():
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


def _check(tolerance: float, time_limit: float | None) -> None:
    if not (isinstance(tolerance, Real) and 0 < tolerance < math.inf):
        raise RequestError("the tolerance is a positive number of nats, such as 1e-9")
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise RequestError("the time limit is a positive number of seconds")


def _frozen(values: FloatArray) -> FloatArray:
    values.flags.writeable = False
    return values


class PriorSearch:
    """The best prior so far, and the prior whose output gives the lowest upper end.

    Attributes:
        prior: where the information is largest.
        prior_above: where the largest divergence from the output is least.
        lower: the information of `prior`, to rounding.
        upper: the largest divergence from the output of `prior_above`, to rounding.
        method: what found them.
    """

    def __init__(self, rows: ChannelRows, target: float, deadline: float) -> None:
        noise = _ROUNDING * rows.matrix.shape[1] ** 0.5 * (1 + float(-rows.negentropies.min()))
        self.rows, self.target, self.deadline = rows, max(target, noise), deadline
        self.prior = self.prior_above = self.output = np.empty(0)
        self.lower, self.upper = -np.inf, np.inf
        self.method = "uniform"

    def run(self) -> None:
        """The uniform prior, then Newton's method on growing sets of inputs, then Blahut and Arimoto's."""
        divergences = self._look_at(np.full(len(self.rows), 1 / len(self.rows)))
        if self.upper - self.lower > self.target:
            self.method = "newton"
            self._generate(divergences)
        if not self._is_done():
            before = self.upper - self.lower
            self._look_at(
                improve_by_blahut_arimoto(self.rows, _spread(self.prior, 0.999), self.target, self.deadline)
            )
            if self.upper - self.lower < before:
                self.method = "blahut-arimoto"
        self._drop()

    def _is_done(self) -> bool:
        return self.upper - self.lower <= self.target or time.monotonic() >= self.deadline

    def _look_at(self, prior: FloatArray) -> FloatArray:
        """Take note of a prior; the divergence of each input from its output."""
        output = output_of(self.rows.matrix, prior)
        divergences = self.rows.gains(output)
        if (lower := float(prior @ divergences)) > self.lower:
            self.prior, self.lower = prior, lower
        if (upper := float(divergences.max())) < self.upper:
            self.prior_above, self.output, self.upper = prior, output, upper
        return divergences

    def _generate(self, divergences: FloatArray) -> None:
        chosen = self._first(divergences)
        prior = np.full(len(chosen), 1 / len(chosen))
        whole_band: Banded | None = None
        narrowest, waited = np.inf, 0
        while not self._is_done() and waited <= _PATIENCE:
            band: Banded | None = None
            if len(chosen) > _MANY:
                whole_band = whole_band or Banded.of(self.rows.matrix)
                wide = _ROUNDS_SAVED * len(chosen) ** 2 * (self.rows.matrix.shape[1] + len(chosen))
                if whole_band.cost < wide:
                    chosen, prior, band = *self._all(chosen, prior), whole_band
            aim = 0.2 * self.target
            if len(chosen) < len(self.rows):
                aim = max(aim, 0.01 * (self.upper - self.lower))
            model = information_model(self.rows.only(chosen), band)
            prior = improve_by_newton(model, prior, aim, self.deadline)
            whole = lifted(prior, chosen, len(self.rows))
            divergences = self._look_at(whole)
            gap = float(divergences.max() - whole @ divergences)
            waited = 0 if gap < 0.9 * narrowest else waited + 1
            narrowest = min(gap, narrowest)
            chosen, prior = self._next(chosen, prior, divergences)

    def _first(self, divergences: FloatArray) -> IndexArray:
        inputs = len(self.rows)
        if inputs <= _FEW:
            return np.arange(inputs)
        even = np.linspace(0, inputs - 1, _ADDED).astype(np.int64)
        return np.unique(np.concatenate([even, np.argsort(divergences)[-_ADDED:]]))

    def _next(
        self, chosen: IndexArray, prior: FloatArray, divergences: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """The inputs of the next round, without those that carry nothing, and where to start."""
        value = float(prior @ divergences[chosen])
        gap = float(divergences.max()) - value
        keep = (prior > 1e-7 * prior.max()) | (divergences[chosen] > value - 1e-3 * gap)
        chosen, prior = chosen[keep], prior[keep] / prior[keep].sum()
        gains = divergences - value
        gains[chosen] = -np.inf
        added = self._added(gains, max(_ADDED, len(chosen)))
        chosen, prior = np.concatenate([chosen, added]), np.pad(prior, (0, len(added)))
        return self._all(chosen, prior) if 2 * len(chosen) >= len(self.rows) else (chosen, _spread(prior))

    def _added(self, gains: FloatArray, most: int) -> IndexArray:
        """Inputs that would bring more than those beside them; like inputs would bring the same twice."""
        around = np.pad(gains, 1, constant_values=-np.inf)
        is_peak = (gains >= around[:-2]) & (gains >= around[2:])
        peaks = np.flatnonzero(is_peak & (gains > 0.3 * self.target))
        return peaks[np.argsort(gains[peaks])[::-1]][:most]

    def _all(self, chosen: IndexArray, prior: FloatArray) -> tuple[IndexArray, FloatArray]:
        return np.arange(len(self.rows)), _spread(lifted(prior, chosen, len(self.rows)))

    def _drop(self) -> None:
        """Leave out inputs that were kept at a whiff of probability though they bring less than the others.

        To first order that gains, to second order it loses the square of what is dropped.
        """
        slack = self.lower - self.rows.gains(output_of(self.rows.matrix, self.prior))
        order = np.argsort(self.prior)
        order = order[(slack > self.prior)[order]]
        prior = self.prior.copy()
        prior[order[np.cumsum(prior[order]) <= 0.1 * self.target**0.5]] = 0
        prior /= prior.sum()
        lower = float(prior @ self.rows.gains(output_of(self.rows.matrix, prior)))
        if lower >= self.lower - 0.1 * self.target:
            self.prior, self.lower = prior, lower


def _spread(prior: FloatArray, kept: float = _KEPT) -> FloatArray:
    return kept * prior + (1 - kept) / len(prior)


def lifted(prior: FloatArray, kept: IndexArray, inputs: int) -> FloatArray:
    """A prior on some inputs as one on all."""
    whole = np.zeros(inputs)
    whole[kept] = prior
    return whole


def distinct_rows(matrix: FloatArray) -> IndexArray:
    """The first of each set of equal rows: those alike in a random sum are compared."""
    sums = np.einsum("ij,j->i", matrix, np.random.default_rng(0).random((matrix.shape[1],)))
    _, first, alike = np.unique(sums, return_index=True, return_inverse=True)
    if len(first) == len(matrix):
        return np.arange(len(matrix))
    differ = (matrix != matrix[first[alike]]).any(axis=1)
    return np.sort(np.concatenate([first, np.flatnonzero(differ)]))
