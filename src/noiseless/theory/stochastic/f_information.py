"""f-information: how far the joint distribution is from the product of its marginals."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from noiseless.errors import RequestError
from noiseless.exact import Rational, ball
from noiseless.theory.stochastic.certified import NOTHING, CertifiedNumber, enclose
from noiseless.theory.stochastic.joint_distribution import JointDistribution
from noiseless.theory.stochastic.weights import Weights, distinct, exact_sum, times


def f_information(
    joint: JointDistribution,
    f: Callable[[arb], arb],
    at_zero: Rational | None = None,
    unit: str = "",
) -> CertifiedNumber:
    """I_f(X;Y) = sum_(x,y) P(x) P(y) f(P(x,y) / (P(x) P(y))) for a convex f with f(1) = 0.

    How far X and Y are from independent, in the distance of one's choice.

    Pairs that cannot occur count with f(0). The result does not grow when X or Y is processed further.

    Args:
        joint: the joint distribution.
        f: computes with balls of python-flint: + - * / and the methods log, sqrt, exp, ...
        at_zero: f(0) where it is a limit, as for t log t.
        unit: "bits" if f is in bits, else ""; it is only written beside the number.

    Raises:
        RequestError: f(1) is not 0, or f(0) is needed and has no value.

    >>> joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    >>> print(f_information(joint, lambda t: t * t - 1))
    0.2500

    Inequalities:
        * `0 <= I_f(X;g(Y)) <= I_f(X;Y)`.
    """
    if not arb(f(arb(1))).contains(0):
        raise RequestError("f(1) must be 0; subtract f(1) from f")
    if joint.is_independent():
        return NOTHING if unit == "bits" else CertifiedNumber.of_fraction(Fraction(0))
    products = _products(joint)
    first, kinds = distinct(joint.weights, products)
    counts = np.bincount(kinds).tolist()
    rows = list(zip(counts, joint.weights[first].tolist(), products[first].tolist(), strict=True))
    never = joint.total**2 - sum(count * product for count, _, product in rows)
    if never and not _value_at_zero(f, at_zero).is_finite():
        raise RequestError(
            "f(0) is needed, for pairs that cannot occur, and has no finite value; give at_zero"
        )

    def value() -> arb:
        total = arb(joint.total)
        parts = (count * product * arb(f(weight * total / product)) for count, weight, product in rows)
        missing = never * _value_at_zero(f, at_zero) if never else arb(0)
        return (sum(parts, arb(0)) + missing) / total**2

    return enclose(value, unit=unit)


def _value_at_zero(f: Callable[[arb], arb], at_zero: Rational | None) -> arb:
    if at_zero is None:
        return arb(f(arb(0)))
    return ball(at_zero)


def total_variation(joint: JointDistribution) -> CertifiedNumber:
    """The total variation between P(x,y) and P(x) P(y), from 0 to 1; exact. f(t) = |t - 1| / 2.

    >>> joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    >>> total_variation(joint).exact
    Fraction(1, 4)

    Inequalities:
        * `H^2 <= TV <= H sqrt(2 - H^2)`, with H^2 the squared Hellinger distance.
        * `TV^2 <= I(X;Y) ln(2) / 2`: Pinsker's inequality.
    """
    return hockey_stick(joint, 1)


def hockey_stick(joint: JointDistribution, gamma: Rational | float) -> CertifiedNumber:
    """E_gamma(P_XY || P_X P_Y) = sum max(P(x,y) - gamma P(x) P(y), 0), gamma >= 1; exact.

    f(t) = max(t - gamma, 0). It is 0 exactly when the maximal realisable leakage is at most log2 gamma.

    >>> hockey_stick(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]), Fraction(5, 4)).exact
    Fraction(1, 8)

    Inequalities:
        * `E_gamma <= TV`, with equality for gamma = 1; it does not rise with gamma.
        * `E_gamma = 0` exactly when `Lr(X->Y) <= log2 gamma`.
    """
    if not 1 <= gamma < float("inf"):
        raise RequestError("gamma must be a number of at least 1")
    bound = Fraction(gamma)
    scaled = times(joint.weights, joint.total * bound.denominator).astype(object)
    excess = scaled - _products(joint).astype(object) * bound.numerator
    above = int(excess[excess > 0].sum())
    return CertifiedNumber.of_fraction(Fraction(above, joint.total**2 * bound.denominator))


def chi_squared(joint: JointDistribution) -> CertifiedNumber:
    """The chi-squared divergence of P(x,y) from P(x) P(y): sum P(x,y)^2 / (P(x) P(y)) - 1. f(t) = t^2 - 1.

    >>> joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    >>> chi_squared(joint).exact
    Fraction(1, 4)

    Inequalities:
        * `I(X;Y) <= log2(1 + chi^2)`.
    """
    total = exact_sum(times(joint.weights, joint.weights), _products(joint))
    return (
        f_information(joint, lambda t: t * t - 1) if total is None else CertifiedNumber.of_fraction(total - 1)
    )


def squared_hellinger(joint: JointDistribution) -> CertifiedNumber:
    """1 - sum sqrt(P(x,y) P(x) P(y)), the squared Hellinger distance, from 0 to 1. f = (sqrt(t)-1)^2 / 2.

    >>> joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    >>> print(squared_hellinger(joint))
    0.0341

    Inequalities:
        * `H^2 <= TV <= H sqrt(2 - H^2)`.
    """
    return f_information(joint, lambda t: (t.sqrt() - 1) ** 2 / 2)


def jensen_shannon(joint: JointDistribution) -> CertifiedNumber:
    """The Jensen-Shannon divergence between P(x,y) and P(x) P(y) in bits, from 0 to 1.

    f(t) = (t log2 t - (1+t) log2((1+t)/2)) / 2.

    >>> joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    >>> print(jensen_shannon(joint))
    0.0488 bits

    Inequalities:
        * `JS <= TV`, in bits.
    """

    def f(t: arb) -> arb:
        return (t * t.log() - (1 + t) * ((1 + t) / 2).log()) / (2 * arb.const_log2())

    return f_information(joint, f, Fraction(1, 2), unit="bits")


def _products(joint: JointDistribution) -> Weights:
    """The weight of x times the weight of y for each pair that can occur."""
    return times(joint.x_weights[joint.support.x], joint.y_weights[joint.support.y])
