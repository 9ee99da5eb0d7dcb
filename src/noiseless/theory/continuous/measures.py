"""The measures of joint ranges, finite or continuous: `noiseless.measures`, carried on to the continuum.

A variable with infinitely many values is *measured*: its entropies and leakages are `Nats`, logarithms of
Lebesgue measures. A variable with finitely many values is *counted*, in `Bits`. The two never meet in one
number.

Essential suprema. (2) of [P4], read with Lebesgue measure on [[Y]], would ignore isolated points of [[Y]]
and with them the paper's own Example II.1. Here a set of answers is ignored only if it holds no open part of
[[Y]]: isolated points count, and of the rest null sets do not. Infima ignore no answer at all.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, Protocol, TypeVar, overload

from noiseless import measures as finite
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.ranges import JointRange
from noiseless.theory.continuous.boxes import BoxSet
from noiseless.theory.continuous.cuts import Endpoint
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.continuous.pieces import as_boxes
from noiseless.theory.continuous.taxicab import count_taxicab_blocks

Quantity = Bits | Nats
"""Bits of what is counted, nats of what is measured."""


Finite_co = TypeVar("Finite_co", covariant=True)
Continuous_co = TypeVar("Continuous_co", covariant=True)


class Measure(Protocol[Finite_co, Continuous_co]):
    """A measure of finite and of continuous ranges."""

    @overload
    def __call__(self, joint: JointRange, given: Any = ...) -> Finite_co: ...  # noqa: ANN401 - as the finite one
    @overload
    def __call__(self, joint: ContinuousRange) -> Continuous_co: ...


def extends(
    measure: Callable[..., Finite_co],
) -> Callable[[Callable[[ContinuousRange], Continuous_co]], Measure[Finite_co, Continuous_co]]:
    """Carry a measure of finite ranges on to continuous ones: finite ranges keep the measure they have."""

    def decorate(continuous: Callable[[ContinuousRange], Continuous_co]) -> Measure[Finite_co, Continuous_co]:
        @wraps(measure)
        def call(joint: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - a range of either kind
            if not isinstance(joint, ContinuousRange):
                return measure(joint, *given, **named)
            if any(side is not None for side in (*given, *named.values())):
                raise RequestError("side information is for finite ranges; put it into Y here")
            return continuous(joint)

        return call

    return decorate


@extends(finite.entropy)
def entropy(joint: ContinuousRange) -> Quantity:
    """h0(X) = ln mu([[X]]) ((1) of [P4]), or log2 |[[X]]| when X takes finitely many values.

    >>> entropy(ContinuousRange.from_function([((100, 250), 1, 0)]))
    Nats(150)
    """
    return _log(joint, _size(joint, as_boxes(joint.range_x)))


@extends(finite.conditional_entropy)
def conditional_entropy(joint: ContinuousRange) -> Quantity:
    """h0(X|Y) = ess sup_y ln mu([[X|y]]) ((2) of [P4]); isolated y count."""
    return _log(joint, max(_size(joint, answer.posterior) for answer in joint.answers() if answer.counts))


@extends(finite.disarray)
def disarray(joint: ContinuousRange) -> Quantity:
    """d0(X|Y) = inf_y ln mu([[X|y]]) ((5) of [P4]): no y is ignored, and ln 0 is minus infinity."""
    return _log(joint, min(_size(joint, answer.posterior) for answer in joint.answers()))


@extends(finite.information)
def information(joint: ContinuousRange) -> Quantity:
    """I0(X;Y) = h0(X) - h0(X|Y) ((3) of [P4]).

    Raises:
        RequestError: both are infinite.
    """
    return _difference(entropy(joint), conditional_entropy(joint), "h0(X) - h0(X|Y)")


@extends(finite.leakage)
def leakage(joint: ContinuousRange) -> Quantity:
    """L0(X;Y) = h0(X) - d0(X|Y) ((6) of [P4]): plus infinity when some [[X|y]] has measure 0.

    Raises:
        RequestError: both are infinite.

    >>> leakage(ContinuousRange.from_labels({"low": "[0, 1)", "high": "[1, 4]"}))
    Nats(4)
    """
    return _difference(entropy(joint), disarray(joint), "h0(X) - d0(X|Y)")


@extends(finite.symmetric_leakage)
def symmetric_leakage(joint: ContinuousRange) -> Quantity:
    """L0s(X;Y) = min(L0(X;Y), L0(Y;X)) ((8) of [P1]), if both are counted or both measured.

    Raises:
        RequestError: one is in bits and the other in nats, or one is undefined.
    """
    if joint.is_finite_x != joint.is_finite_y:
        raise RequestError(
            "L0(X;Y) and L0(Y;X) are in nats and in bits, and no number is the smaller; take both leakages"
        )
    there, back = leakage(joint), leakage(joint.swapped())
    return there if there.ratio <= back.ratio else back


@extends(finite.transmission)
def transmission(joint: ContinuousRange) -> Quantity:
    """T0(X;Y) = h0(X) + h0(Y) - h0(X,Y) ((8) of [P4]).

    Raises:
        RequestError: it is infinity minus infinity, as always when one variable only is discrete.
    """
    if joint.is_finite_x and joint.is_finite_y:
        sizes = as_boxes(joint.range_x).count * as_boxes(joint.range_y).count
        return Bits(Fraction(int(sizes), int(joint.boxes.count)))
    both = [Nats(as_boxes(side).measure) for side in (joint.range_x, joint.range_y)]
    formula = "h0(X) + h0(Y) - h0(X,Y)"
    try:
        return _difference(both[0] + both[1], Nats(joint.boxes.measure), formula)
    except ValueError:
        raise _undefined(formula) from None


@extends(finite.maximin)
def maximin(joint: ContinuousRange) -> Bits | float:
    """I*(X;Y) = log2 of the number of blocks of the taxicab partition ((9) of [P4]), or plus infinity.

    Blocks are counted, so this is bits whatever X and Y are.

    Raises:
        RequestError: the number of blocks was not settled (see `count_taxicab_blocks`).
    """
    count = count_taxicab_blocks(joint)
    return math.inf if math.isinf(count) else Bits(int(count))


def _size(joint: ContinuousRange, values: BoxSet) -> Endpoint:
    """How large a set of values of X is: how many there are, or their volume."""
    return Fraction(int(values.count)) if joint.is_finite_x else values.measure


def _log(joint: ContinuousRange, size: Endpoint) -> Quantity:
    return Bits(Fraction(size)) if joint.is_finite_x else Nats(size)


def _difference(a: Quantity, b: Quantity, formula: str) -> Quantity:
    if isinstance(a, Bits) and isinstance(b, Bits):
        return a - b
    if isinstance(a, Nats) and isinstance(b, Nats):
        try:
            return a - b
        except ValueError:
            raise _undefined(formula) from None
    raise TypeError("bits and nats never meet in one number")


def _undefined(formula: str) -> RequestError:
    return RequestError(
        f"{formula} is infinity minus infinity: a range has measure 0 or infinity; "
        "count what is discrete (entropy, leakage and maximin do) and bound what is not"
    )
