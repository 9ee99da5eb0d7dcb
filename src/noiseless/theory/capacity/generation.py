"""Column generation: few inputs carry the optimum, so work on few and ask which others would raise it.

With the output q of the best prior on the inputs chosen so far, D(W(x) || q) is what input x would bring;
where none brings more than the information, nothing is missing. Others are added and the few solved again.
"""

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.banded import Banded
from noiseless.theory.capacity.blahut_arimoto import iterate
from noiseless.theory.capacity.clock import Clock
from noiseless.theory.capacity.divergence import IndexArray, Rows, output_of, products
from noiseless.theory.capacity.newton import Dense, System, improve
from noiseless.theory.capacity.tiled import Tiled, inner_products

_FEW = 200
"""Inputs that are all taken at once."""
_ADDED = 32
"""Inputs added in a round, or as many as there are already."""
_CANDIDATES = 256
_KEPT = 0.9
"""Share of the old prior in the next start; the rest is spread so that all inputs stand off the edge."""
_SMALL, _TILED = 2**20, 4096
"""From so many multiplications up to so many inputs tiles win; above, threads pay."""
_ROUNDS_SAVED = 3
"""How many times the work of a round the band may take, since it ends the search."""
_PATIENCE = 4
"""Rounds in which the gap hardly falls before the method is given up."""
_ROUNDING = 2.0**-50
"""Gaps below this, for a row of one entry, are noise."""


class Search:
    """The best prior so far, and the prior whose output gives the lowest upper end.

    Attributes:
        prior: where the information is largest.
        prior_above: where the largest divergence from the output is least.
        lower: the information of `prior`, to rounding.
        upper: the largest divergence from the output of `prior_above`, to rounding.
        method: what found them.
    """

    def __init__(self, rows: Rows, target: float, clock: Clock) -> None:
        noise = _ROUNDING * rows.matrix.shape[1] ** 0.5 * (1 + float(-rows.negentropies.min()))
        self.rows, self.target, self.clock = rows, max(target, noise), clock
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
            self._look_at(iterate(self.rows, _spread(self.prior, 0.999), self.target, self.clock))
            if self.upper - self.lower < before:
                self.method = "blahut-arimoto"
        self._drop()

    def _is_done(self) -> bool:
        return self.upper - self.lower <= self.target or self.clock.has_rung()

    def _look_at(self, prior: FloatArray) -> FloatArray:
        """Take note of a prior; the divergence of each input from its output."""
        output = output_of(self.rows.matrix, prior)
        divergences = self._divergences(output)
        if (lower := float(prior @ divergences)) > self.lower:
            self.prior, self.lower = prior, lower
        if (upper := float(divergences.max())) < self.upper:
            self.prior_above, self.output, self.upper = prior, output, upper
        return divergences

    def _divergences(self, output: FloatArray) -> FloatArray:
        return self.rows.negentropies - products(self.rows.matrix, np.log(output))

    def _generate(self, divergences: FloatArray) -> None:
        chosen = self._first(divergences)
        prior = np.full(len(chosen), 1 / len(chosen))
        band: Banded | None = None
        narrowest, waited = np.inf, 0
        while not self._is_done() and waited <= _PATIENCE:
            system = self._system(len(chosen))
            if len(chosen) > _CANDIDATES:
                band = band or Banded.of(self.rows.matrix)
                if band.cost < _ROUNDS_SAVED * len(chosen) ** 2 * (self.rows.matrix.shape[1] + len(chosen)):
                    chosen, prior, system = *self._all(chosen, prior), band
            aim = 0.2 * self.target
            if len(chosen) < len(self.rows):
                aim = max(aim, 0.01 * (self.upper - self.lower))
            prior = improve(self.rows.only(chosen), prior, aim, self.clock, system)
            whole = np.zeros(len(self.rows))
            whole[chosen] = prior
            divergences = self._look_at(whole)
            gap = float(divergences.max() - whole @ divergences)
            waited = 0 if gap < 0.9 * narrowest else waited + 1
            narrowest = min(gap, narrowest)
            chosen, prior = self._next(chosen, prior, divergences)

    def _system(self, inputs: int) -> System:
        is_small = inputs**2 * self.rows.matrix.shape[1] <= _SMALL
        return Dense() if is_small or inputs > _TILED else Tiled()

    def _first(self, divergences: FloatArray) -> IndexArray:
        inputs = len(self.rows)
        if inputs <= _FEW:
            return np.arange(inputs)
        even = np.linspace(0, inputs - 1, _CANDIDATES).astype(np.int64)
        candidates = np.unique(np.concatenate([even, np.argsort(divergences)[-_ADDED:]]))
        gains = divergences - divergences[candidates].min() + 1e-3 * (float(np.ptp(divergences)) + 1e-15)
        return self._pursue(candidates, gains, _ADDED)

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
        """Inputs that would bring more: unlike ones first, then peaks along the order of the inputs."""
        wanted = np.flatnonzero(gains > 0.3 * self.target)
        if not len(wanted):
            return wanted
        unlike = self._pursue(wanted[np.argsort(gains[wanted])[-_CANDIDATES:]], gains, most)
        around = np.pad(gains, 1, constant_values=-np.inf)
        peaks = wanted[((gains >= around[:-2]) & (gains >= around[2:]))[wanted]]
        peaks = np.setdiff1d(peaks, unlike)
        peaks = peaks[np.argsort(gains[peaks])[::-1]]
        return np.concatenate([unlike, peaks[: max(0, most - len(unlike))]])

    def _pursue(self, candidates: IndexArray, gains: FloatArray, most: int) -> IndexArray:
        """Matching pursuit: the highest gain, then the highest that a step towards it would leave, and on."""
        centred = (self.rows.matrix[candidates] - self.output) / np.sqrt(self.output)
        likeness = np.maximum(inner_products(centred), 0)
        left: FloatArray = gains[candidates]
        picked: list[int] = []
        while len(picked) < min(most, len(candidates)):
            best = int(np.argmax(left))
            if left[best] <= 0:
                break
            picked.append(best)
            left = left - left[best] * likeness[best] / max(likeness[best, best], np.finfo(float).tiny)
            left[picked] = -np.inf
        return candidates[picked]

    def _all(self, chosen: IndexArray, prior: FloatArray) -> tuple[IndexArray, FloatArray]:
        whole = np.zeros(len(self.rows))
        whole[chosen] = prior
        return np.arange(len(self.rows)), _spread(whole)

    def _drop(self) -> None:
        """Leave out inputs that were kept at a whiff of probability though they bring less than the others.

        To first order that gains, to second order it loses the square of what is dropped.
        """
        slack = self.lower - self._divergences(output_of(self.rows.matrix, self.prior))
        order = np.argsort(self.prior)
        order = order[(slack > self.prior)[order]]
        prior = self.prior.copy()
        prior[order[np.cumsum(prior[order]) <= 0.1 * self.target**0.5]] = 0
        prior /= prior.sum()
        lower = float(prior @ self._divergences(output_of(self.rows.matrix, prior)))
        if lower >= self.lower - 0.1 * self.target:
            self.prior, self.lower = prior, lower


def _spread(prior: FloatArray, kept: float = _KEPT) -> FloatArray:
    return kept * prior + (1 - kept) / len(prior)
