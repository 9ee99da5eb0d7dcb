"""Blahut and Arimoto's iteration, squared: slow and sure, for what Newton's method gives up."""

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.clock import Clock
from noiseless.theory.capacity.divergence import Rows, output_of, products

_MULTIPLICATIONS = 10**10
"""The most that is spent when no clock is set: some ten seconds."""


def iterate(rows: Rows, prior: FloatArray, target: float, clock: Clock) -> FloatArray:
    """A prior whose gap is at most `target`, or the best until the clock rings.

    Each round takes two steps p <- p exp(g) and extrapolates them in ln p (Varadhan and Roland's squared
    iteration); an extrapolation that loses information is not taken.
    """
    logs = np.log(np.maximum(prior, np.finfo(float).tiny))
    best, smallest = prior, np.inf
    rounds = _MULTIPLICATIONS // (10 * rows.matrix.size) + 1
    while rounds or clock.is_set:
        rounds -= 1
        here, divergences = _shape(rows, logs)
        gap = float(divergences.max() - here @ divergences)
        if gap < smallest:
            best, smallest = here, gap
        if gap <= target or clock.has_rung():
            break
        once = logs + divergences
        once -= _log_sum(once)
        _, there = _shape(rows, once)
        twice = once + there
        twice -= _log_sum(twice)
        logs = _extrapolated(rows, logs, once, twice)
    return best


def _extrapolated(rows: Rows, start: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    first, second = once - start, twice - 2 * once + start
    size = float(np.sqrt(second @ second))
    if size == 0:
        return twice
    length = max(1.0, float(np.sqrt(first @ first)) / size)
    far = start + 2 * length * first + length**2 * second
    far -= _log_sum(far)
    far_prior, far_divergences = _shape(rows, far)
    prior, divergences = _shape(rows, twice)
    return far if far_prior @ far_divergences > prior @ divergences else twice


def _shape(rows: Rows, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The prior exp(logs) and the divergences from its output."""
    prior = np.exp(logs - _log_sum(logs))
    output = output_of(rows.matrix, prior)
    return prior, rows.negentropies - products(rows.matrix, np.log(output))


def _log_sum(logs: FloatArray) -> float:
    top = float(logs.max())
    return top + float(np.log(np.exp(logs - top).sum()))
