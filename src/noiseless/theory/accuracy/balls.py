"""The distribution of a sum of uniform numbers by Fourier inversion, in balls that hold the true value."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from noiseless.exact import ball

if TYPE_CHECKING:
    from flint import acb, arb

_GUARD = 32
"""Bits kept beside those that are asked for."""

_RATES = 20.0
"""Rates are looked for over so many powers of e."""


def share_below(weights: Sequence[tuple[int, int]], distance: Fraction, precision: int) -> "arb":
    """A ball that holds the share of sums that are more than `distance` below the middle.

    With d the distance, 1/2 - (1/pi) int_0^oo sin(d t)/t prod sinc(w t/2) dt (Gil-Pelaez). Up to T the
    integral is computed rigorously (Petras' algorithm in Arb); beyond, |sinc(w t/2)| <= 2/(w t) bounds it.

    Args:
        weights: each different w, and how often it occurs.
        distance: how far below the middle, not negative.
        precision: the bits that the error is aimed at.
    """
    from flint import acb, arb, ctx

    with ctx.workprec(precision + _GUARD):
        count = sum(times for _, times in weights)
        d = ball(distance)
        logs = sum((times * (arb(2) / weight).log() for weight, times in weights), arb(0))
        end = ((logs - arb(count).log() + precision * arb(2).log()) / count).exp().upper()

        def integrand(t: "acb", _: bool) -> "acb":
            found = (t * d).sinc()
            for weight, times in weights:
                found *= (t * weight / 2).sinc() ** times
            return found

        tolerance = arb(2) ** -precision
        inside = acb.integral(integrand, 0, end, abs_tol=tolerance, rel_tol=tolerance).real
        tail = (logs - count * end.log()).exp() / (count * arb.pi())
        return arb(1) / 2 - d * inside / arb.pi() + arb(0, tail.upper())


def exponential_bound(weights: Sequence[tuple[int, int]], level: Fraction) -> Fraction:
    """Chernoff's bound of the share of sums below a level: e^(r s) prod (1 - e^(-r w)) / (r w), r near best.

    Any r > 0 gives a bound; the best one is found in floats, the bound is then computed in balls.
    """
    from flint import arb, ctx

    with ctx.workprec(2 * _GUARD):
        rate = ball(_good_rate(weights, float(level)))
        logs = (times * ((1 - (-rate * weight).exp()) / (rate * weight)).log() for weight, times in weights)
        return ends((rate * ball(level) + sum(logs, arb(0))).exp())[1]


def _good_rate(weights: Sequence[tuple[int, int]], level: float) -> float:
    """Where the bound is about smallest, which is below count / level."""
    from math import exp, expm1, log

    from scipy.optimize import minimize_scalar

    def bound(exponent: float) -> float:
        rate = exp(exponent)
        return rate * level + sum(t * log(-expm1(-rate * w) / (rate * w)) for w, t in weights)

    steep = log(sum(times for _, times in weights) / level)
    return exp(float(minimize_scalar(bound, bounds=(steep - _RATES, steep), method="bounded").x))


def ends(value: "arb") -> tuple[Fraction, Fraction]:
    """Rationals below and above all numbers of a finite ball."""
    low, high = (
        Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        for mantissa, exponent in (value.lower().man_exp(), value.upper().man_exp())
    )
    return low, high
