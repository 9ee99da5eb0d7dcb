"""Privacy against tests of a hypothesis: sizes of sets of outputs, Priv of [P2], and a bound on leakage."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, Rational, ball, ball_above, ball_below
from noiseless.theory.continuous.cuts import CutSet
from noiseless.theory.continuous.intervals import IntervalSet

Size = int | Fraction | float
"""A count or a measure; a float only when infinite."""

Amount = Bits | Nats | float
"""The logarithm of a size: `Bits` of a count, `Nats` of a measure. Bits have no infinity: there the logarithm
of 0 is the float -inf, and a ratio to 0 is inf. `float(amount)` serves all three."""


def as_outputs(outputs: Any) -> Any:  # noqa: ANN401 - the set that goes with what came in
    """An interval or box set as it is, the interval set that a text describes, or else a finite set.

    >>> as_outputs([1, 2, 1]), as_outputs("[0, 1)")
    (frozenset({1, 2}), IntervalSet.parse('[0, 1)'))

    Raises:
        RequestError: it is no set.
        ExpressionError: a text describes no interval set.
    """
    if isinstance(outputs, str):
        return IntervalSet.parse(outputs)
    if isinstance(outputs, CutSet):
        return outputs
    try:
        return frozenset(outputs)
    except TypeError:
        raise RequestError(
            "outputs are given as a set of hashable values, an interval set or a box set"
        ) from None


def size_of(outputs: object) -> Size:
    """The count of a finite set, the Lebesgue measure of a continuous one.

    >>> size_of(frozenset({"a", "b"})), size_of(IntervalSet.parse("[0, 1/2) | {3}"))
    (2, Fraction(1, 2))
    """
    if isinstance(outputs, CutSet):
        return outputs.measure
    if isinstance(outputs, frozenset):
        return len(outputs)
    raise TypeError(f"a {type(outputs).__name__} is no set of outputs")


def amount(size: Size, *, counted: bool) -> Amount:
    """The logarithm of a size.

    >>> amount(3, counted=True), amount(0, counted=True), amount(0, counted=False)
    (Bits(3), -inf, Nats(0))
    """
    if not counted:
        return Nats(size)
    if size in (0, math.inf):
        return math.inf if size else -math.inf
    return Bits(Fraction(size))


def quotient(top: Size, bottom: Size) -> Size:
    """One size over another, infinite when only the latter is 0.

    Raises:
        RequestError: both are 0 or both are infinite.
    """
    if top == bottom and top in (0, math.inf):
        raise RequestError(
            "the ratio of two sizes has no value when both are 0 or both infinite; give ranges that are "
            "bounded and larger than single points"
        )
    if bottom == 0 or top == math.inf:
        return math.inf
    return Fraction(0) if bottom == math.inf else Fraction(top) / Fraction(bottom)


@dataclass(frozen=True)
class Privacy:
    """Priv = log of `whole` - log of `decided`, (9) and (10) of [P2], with the reference it was taken to.

    As text it is rounded down: protection is never overstated.

    >>> priv = Privacy("Y", 170, 150, counted=False)
    >>> print(priv.amount, priv.epsilon, priv)
    0.1252 nats 2/15 0.1251 nats (reference [[Y]])

    Attributes:
        reference: "Y" (the paper's definition) or "X".
        whole: the size of [[Y]] or [[X]].
        decided: the size of the set of outputs that give the hypothesis away.
        counted: whether sizes are counts (bits) or measures (nats).
    """

    reference: Literal["Y", "X"]
    whole: Size
    decided: Size
    counted: bool

    def __post_init__(self) -> None:
        if min(self.whole, self.decided) < 0:
            raise RequestError("a size is not negative")
        quotient(self.whole, self.decided)  # refuses what has no ratio

    def __str__(self) -> str:
        value = self.amount
        least = value if isinstance(value, float) else value.lower
        if self.whole >= self.decided:
            least = max(least, 0.0)  # rounding down may lose a very small amount altogether
        shown = str(least) if math.isinf(least) else f"{math.floor(Fraction(least) * 10**4) / 10**4:.4f}"
        return f"{shown} {'bits' if self.counted else 'nats'} (reference [[{self.reference}]])"

    @property
    def amount(self) -> Amount:
        """Priv; infinite when no output gives the hypothesis away."""
        return amount(quotient(self.whole, self.decided), counted=self.counted)

    @property
    def nats(self) -> float:
        """Priv in nats, of counts too, rounded down; all digits are right, however small it is."""
        from flint import ctx

        ratio = quotient(self.whole, self.decided)
        if ratio in (0, math.inf):
            return math.inf if ratio else -math.inf
        exact = Fraction(ratio)
        with ctx.workprec(64 + exact.numerator.bit_length() + exact.denominator.bit_length()):
            return ball_below(ball(exact).log()) + 0.0  # not -0.0

    @property
    def epsilon(self) -> Fraction | float:
        """The largest e with Priv >= log(1 + e) (Definition 3 of [P2]); for [[Y]]: undecided over decided."""
        return quotient(self.whole, self.decided) - 1

    def is_private(self, epsilon: Rational | float) -> bool:
        """Whether the policy is e-private: Priv >= log(1 + e), exactly."""
        return self.epsilon >= _checked(epsilon)


def leakage_bound(epsilon: Rational | float) -> Nats:
    """What e-privacy says about L0(Y;H): at most ln(1 + 1/e) (Proposition 1 of [P2], corrected).

    Both [[Y|p0]] and [[Y|p1]] contain the undecided outputs, a share of at least 1 - 1/(1+e) of [[Y]]. The
    bound is attained: [[Y|p0]] = [0, a], [[Y|p1]] = [0, 1] has e = a/(1-a) and L0 = -ln a = ln(1 + 1/e). It
    holds for Priv with the reference [[Y]] only.

    >>> leakage_bound(1), leakage_bound(0)
    (Nats(2), Nats(inf))

    Raises:
        RequestError: e is negative.
    """
    return Nats(_odds(epsilon))


def leakage_bound_bits(epsilon: Rational | float) -> Bits | float:
    """The same for finite outputs: log2(1 + 1/e) bits."""
    bound = amount(_odds(epsilon), counted=True)
    return bound if isinstance(bound, Bits) else math.inf


def leakage_bound_as_printed(epsilon: Rational | float) -> float:
    """-ln(1 - exp(-e)), Proposition 1 of [P2] as printed, rounded up. **False**: kept to compare with.

    It is what Priv >= e would give; Definition 3 only promises Priv >= ln(1 + e), which is less. (The paper's
    proof ends with a third formula, -ln(1 - exp(-e-1)), which is false too.)

    >>> leakage_bound_as_printed(1) < leakage_bound(1).lower
    True
    """
    from flint import ctx

    e = _checked(epsilon)
    if e in (0, math.inf):
        return 0.0 if e else math.inf
    with ctx.workprec(128):
        return ball_above(-(-(-ball(e)).exp()).log1p())


def _odds(epsilon: Rational | float) -> Size:
    e = _checked(epsilon)
    return math.inf if e == 0 else Fraction(1) if e == math.inf else 1 + 1 / Fraction(e)


def _checked(epsilon: Rational | float) -> Size:
    if (isinstance(epsilon, float | Decimal) and math.isnan(epsilon)) or epsilon < 0:
        raise RequestError("the e of e-privacy is a number that is not negative")
    return math.inf if epsilon == math.inf else Fraction(epsilon)
