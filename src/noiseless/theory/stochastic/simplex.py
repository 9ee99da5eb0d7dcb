"""Smooth convex minimisation over probability vectors, in floats: others certify what is found."""

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.solvers import Model, Slope, factorised, improve_by_newton

_STEPS, _CLOSE, _SHORTEST, _CERTAIN = 300, 1e-14, 1e-10, 1e-10
_RIDGE = 1e-13
_NEAR_ONE, _MOST_NATS = 0.1, 700.0
_SMALLEST, _LARGEST = 0.01, 1e6
"""Orders that floats can carry; the optimum of an order beyond is near the optimum of these."""
_LEAST = 1e-300


def sibson_prior(channel: FloatArray, order: float) -> FloatArray:
    """A prior with (nearly) the largest Sibson information of a finite positive order."""
    order = min(max(order, _SMALLEST), _LARGEST)
    tops, logs = channel.max(axis=0), _logs(channel)
    powers = np.exp(order * _logs(channel / tops))

    def model(prior: FloatArray) -> Slope:
        sums = prior @ powers
        log_roots = np.log(sums) / order + np.log(tops)
        log_scale = float(_log_sums(log_roots))
        log_output = log_roots - log_scale
        if abs(order - 1) < _NEAR_ONE:
            gains = _gains(channel, logs - log_output, order - 1)
        else:
            log_sums = _log_sums(order * logs + (1 - order) * log_output) - order * log_scale
            gains = np.expm1(np.minimum(log_sums, _MOST_NATS)) / (order - 1)
        spread = powers * np.sqrt(np.exp(log_output) / order) / sums
        return Slope(gains, lambda diagonal: factorised(spread, diagonal))

    return _optimum(model, len(channel))


def _optimum(model: Model, size: int) -> FloatArray:
    """Where a concave function of so many probabilities is largest, but for rounding."""
    return np.maximum(improve_by_newton(model, np.full(size, 1 / size), _CLOSE), _LEAST)


def _gains(channel: FloatArray, log_ratios: FloatArray, above_one: float) -> FloatArray:
    """(Z_x - 1) / (alpha - 1) with Z_x = sum_y W (W/Q)^(alpha-1), without cancellation near order 1."""
    ratios = np.where(channel > 0, log_ratios, 0.0)
    if above_one == 0:
        return np.asarray((channel * ratios).sum(axis=1))
    return np.asarray((channel * np.expm1(above_one * ratios)).sum(axis=1) / above_one)


def csiszar_output(channel: FloatArray, prior: FloatArray, order: float) -> FloatArray:
    """The Q(y) with (nearly) the smallest sum_x P(x) D_order(P(y|x) || Q), a finite order."""
    if order > 1:
        return _output_by_logarithms(channel, prior, min(order, _LARGEST))
    logs = np.where(channel > 0, order * np.where(channel > 0, _logs(channel), 0.0), -np.inf)

    def model(output: FloatArray) -> Slope:
        ratios = _tilted(logs + (1 - order) * np.log(output)) / output
        slopes = prior @ ratios
        root = ratios.T * np.sqrt((1 - order) * prior)
        return Slope(slopes, lambda diagonal: factorised(root, order * slopes / output + diagonal))

    return _optimum(model, channel.shape[1])


def _output_by_logarithms(channel: FloatArray, prior: FloatArray, order: float) -> FloatArray:
    """The same for orders above 1, where the function is convex in ln Q and needs no constraint.

    Orders are doubled on the way, each starting from the optimum of the one before: at large orders the
    function is nearly a maximum, and Newton's method alone would be lost.
    """
    logs = _logs(channel)
    point = _logs(prior @ channel)
    level = min(order, 2.0)
    while True:
        for _ in range(_STEPS):
            tilted, output = _tilted(level * logs + (1 - level) * point), _tilted(point)
            mean = prior @ tilted
            if float((mean / output).max()) - 1 <= _CLOSE:
                break
            weighted = (level - 1) * (np.diag(mean) - (tilted.T * prior) @ tilted)
            curvature = weighted + np.diag(output) - np.outer(output, output)
            curvature[np.diag_indices_from(curvature)] += _RIDGE + _RIDGE * np.trace(curvature)
            step: FloatArray = np.linalg.solve(curvature, mean - output).astype(np.float64)
            # Where the promised gain drowns in rounding Newton's step is good as it is.
            close = float(step @ (mean - output)) < _CERTAIN
            moved = point + step if close else _descended(logs, prior, level, point, step)
            if moved is None:
                break
            point = moved
        if level == order:
            return np.maximum(_tilted(point), _LEAST)
        level = min(2 * level, order)


def _descended(
    logs: FloatArray, prior: FloatArray, order: float, point: FloatArray, step: FloatArray
) -> FloatArray | None:
    """A point along the step with a smaller sum_x P(x) D_order, if there is one."""

    def value(at: FloatArray) -> float:
        divergences = _log_sums(order * logs + (1 - order) * at) / (order - 1)
        return float(prior @ divergences + _log_sums(at))

    length, before = 1.0, value(point)
    while length > _SHORTEST:
        if value(point + length * step) < before:
            return point + length * step
        length /= 2
    return None


def _tilted(log_terms: FloatArray) -> FloatArray:
    """Probabilities proportional to exp of the terms along the last axis."""
    return np.asarray(np.exp(log_terms - _log_sums(log_terms)[..., None]))


def _log_sums(log_terms: FloatArray) -> FloatArray:
    """The logarithm of the sum of exp along the last axis, each sum scaled by its largest term."""
    tops = log_terms.max(axis=-1)
    return np.asarray(tops + np.log(np.exp(log_terms - tops[..., None]).sum(axis=-1)))


def _logs(values: FloatArray) -> FloatArray:
    """Logarithms, minus infinity for 0, without a warning."""
    return np.log(values, out=np.full_like(values, -np.inf), where=values > 0)
