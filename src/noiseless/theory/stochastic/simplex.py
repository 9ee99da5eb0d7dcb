"""Smooth convex minimisation over probability vectors, in floats: others certify what is found."""

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.solvers import Model, Slope, factorised, improve_by_newton

_CLOSE = 1e-14
_HIGHER = 1.4
"""How much higher the next order is, on the way to a high one."""
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
        return Slope(gains, lambda diagonal: factorised(spread @ spread.T, diagonal))

    return _optimum(model, np.full(len(channel), 1 / len(channel)))


def _optimum(model: Model, start: FloatArray) -> FloatArray:
    """Where a concave function of probabilities is largest, but for rounding."""
    return np.maximum(improve_by_newton(model, start, _CLOSE), _LEAST)


def _gains(channel: FloatArray, log_ratios: FloatArray, above_one: float) -> FloatArray:
    """(Z_x - 1) / (alpha - 1) with Z_x = sum_y W (W/Q)^(alpha-1), without cancellation near order 1."""
    ratios = np.where(channel > 0, log_ratios, 0.0)
    if above_one == 0:
        return np.asarray((channel * ratios).sum(axis=1))
    return np.asarray((channel * np.expm1(above_one * ratios)).sum(axis=1) / above_one)


def csiszar_output(channel: FloatArray, prior: FloatArray, order: float) -> FloatArray:
    """The Q(y) with (nearly) the smallest sum_x P(x) D_order(P(y|x) || Q), a finite order.

    Orders above 2 are raised step by step, each starting from the optimum of the one before: at high orders
    the function is nearly a maximum, and Newton's method alone would be lost.
    """
    order = min(order, _LARGEST)
    logs, level = _logs(channel), min(order, 2.0)
    output = np.maximum(prior @ channel, _LEAST)
    while True:
        output = _optimum(_csiszar_model(logs, prior, level), output)
        if level == order:
            return output
        level = min(_HIGHER * level, order)


def _csiszar_model(logs: FloatArray, prior: FloatArray, order: float) -> Model:
    powers = np.where(logs > -np.inf, order * np.where(logs > -np.inf, logs, 0.0), -np.inf)

    def model(output: FloatArray) -> Slope:
        ratios = _tilted(powers + (1 - order) * np.log(output)) / output
        slopes = prior @ ratios
        curvature = (1 - order) * (ratios.T * prior) @ ratios
        return Slope(slopes, lambda diagonal: factorised(curvature, order * slopes / output + diagonal))

    return model


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
