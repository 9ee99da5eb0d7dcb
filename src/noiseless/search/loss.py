"""What a release loses, exactly: lengths that may be roots, and Lagrangians that weigh loss against leak."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, total_ordering
from typing import TYPE_CHECKING, Literal

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.display import significant
from noiseless.exact import Bits, Rational, ball, ball_above, round_up
from noiseless.intervals import root_bounds

if TYPE_CHECKING:
    from flint import arb


Objective = Literal["leakage", "maximin", "both"]
"""What is given away: L0, I*, or L0 with no I* left (problem (7) of [P3])."""

Utility = Literal["resolution", "distortion"]
"""What is kept: U1, or U2."""

Method = Literal["auto", "greedy", "exact", "first-rise"]
"""How cells are looked for; `first-rise` is the algorithm of [P3] with its own stop, for a weight."""

Preference = Literal["worst", "mean"]
"""Which loss comes first: the largest of any value, or the mean over rows and columns."""

MeanLossName = Literal["ncp", "squares", "discernibility", "entropy"]
"""What the mean loss is of."""

Distance = Literal["absolute", "euclidean", "squared", "max", "hamming", "discrete", "gower"]
"""How the differences of several columns make one number."""

Codeword = Literal["midrange", "centroid", "medoid", "interval"]
"""What is released for numbers that are merged."""

HierarchyCost = Literal["height", "leaves"]
"""What a node of a hierarchy counts."""

Recoding = Literal["local", "full-domain", "suppression"]
"""Whether cells are chosen one by one, a level for each column, or values published or not."""

_DIGITS = 6


@total_ordering
@dataclass(frozen=True, eq=False)
class Length:
    """The exact number `value`, or its square root: a distortion. It is never negative.

    >>> Length(Fraction(1, 4)) < Length(2, root=True), str(Length(2, root=True))
    (True, '1.41422')

    Attributes:
        value: a rational that is not negative.
        root: whether the length is the root of it (Euclidean distances are).
    """

    value: Fraction
    root: bool = False

    def __init__(self, value: Rational, *, root: bool = False) -> None:
        if value < 0:
            raise ValueError("a length is not negative")
        object.__setattr__(self, "value", Fraction(value))
        object.__setattr__(self, "root", root and value not in (0, 1))

    @property
    def squared(self) -> Fraction:
        """The square of the length."""
        return self.value if self.root else self.value**2

    @property
    def rational(self) -> Fraction | None:
        """The length, if it is rational."""
        if not self.root:
            return self.value
        low, high = root_bounds(self.value)
        return low if low == high else None

    @property
    def upper(self) -> float:
        """A float that is not below the length."""
        return ball_above(ball(self.value).sqrt()) if self.root else round_up(self.value)

    @property
    def exact_text(self) -> str:
        """The length as "p/q" or "sqrt(p/q)".

        >>> Length(2, root=True).exact_text, Length(Fraction(1, 2)).exact_text
        ('sqrt(2)', '1/2')
        """
        exact = self.rational
        return f"sqrt({self.value})" if exact is None else str(exact)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | Fraction | Decimal):
            return other >= 0 and self == Length(other)
        return self.squared == other.squared if isinstance(other, Length) else NotImplemented

    def __lt__(self, other: "Length | Rational") -> bool:
        if isinstance(other, Length):
            return self.value < other.value if self.root == other.root else self.squared < other.squared
        if isinstance(other, int | Fraction | Decimal):
            return other > 0 and self < Length(other)
        return NotImplemented

    def __hash__(self) -> int:
        exact = self.rational
        return hash(exact if exact is not None else ("root", self.value))

    def __float__(self) -> float:
        """Rounded up: a distortion stated as a float is never understated."""
        return self.upper

    def __repr__(self) -> str:
        return f"Length({self.value}{', root=True' * self.root})"

    def __str__(self) -> str:
        """Six digits, rounded up: a distortion that is read is never understated."""
        return f"{significant(self.upper if self.root else self.value, _DIGITS):f}"


@dataclass(frozen=True, eq=False)
class Lengths:
    """Many lengths: numerators / denominators * unit, or the roots of these.

    Attributes:
        numerators: whole numbers.
        denominators: whole numbers above 0.
        unit: a positive rational.
        root: whether the lengths are the roots.
    """

    numerators: IntArray
    denominators: IntArray
    unit: Fraction
    root: bool

    @classmethod
    def of(cls, lengths: Sequence[Length]) -> "Lengths":
        """From single lengths."""
        root = any(length.root for length in lengths)
        exact = [length.squared if root else length.value for length in lengths]
        tops, bottoms = ([f.numerator for f in exact], [f.denominator for f in exact])
        return cls(np.array(tops, object), np.array(bottoms, object), Fraction(1), root)

    def __len__(self) -> int:
        return len(self.numerators)

    def __iter__(self) -> Iterator[Length]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, index: int) -> Length:
        ratio = Fraction(int(self.numerators[index]), int(self.denominators[index]))
        return Length(ratio * self.unit, root=self.root)

    @cached_property
    def floats(self) -> FloatArray:
        """About the lengths."""
        if self.numerators.dtype == object:
            return np.array([self[place].upper for place in range(len(self))], np.float64)
        ratios: FloatArray = self.numerators / self.denominators * float(self.unit)
        return np.sqrt(ratios) if self.root else ratios

    @cached_property
    def _sorted(self) -> tuple[list[Length], IntArray]:
        """The different lengths, ascending, and the place of each length among them."""
        pairs = list(zip(self.numerators.tolist(), self.denominators.tolist(), strict=True))
        known = {pair: Length(Fraction(*pair) * self.unit, root=self.root) for pair in dict.fromkeys(pairs)}
        different = sorted(set(known.values()))
        places = {length: place for place, length in enumerate(different)}
        return different, np.array([places[known[pair]] for pair in pairs])

    @property
    def ranks(self) -> IntArray:
        """A number for each length: equal for equal ones, smaller for shorter ones."""
        return self._sorted[1]

    def within(self, limit: Length | Rational) -> BoolArray:
        """Which are no longer than a limit."""
        return np.asarray(self.ranks < bisect_right(self._sorted[0], limit))


# A Lagrangian of [P3] is log2(leak) + weight * loss, where `leak` is a rational (the leakage's argument, or
# how many components there are) and the loss is a logarithm of a rational (U1) or a length (U2). Two of
# them can be equal only in ways that are decided exactly; where they differ, balls are refined until they
# part.

Loss = Bits | Length

_MOST_BITS = 2**20

_SURE = 1e-9
"""Floats that differ by more, relative to their size, differ for certain: each is off by 1e-14 at most."""


def below(loss: Loss, other: Loss) -> bool:
    """Whether a loss is below another of its kind."""
    if isinstance(loss, Bits) and isinstance(other, Bits):
        return loss < other
    if isinstance(loss, Length) and isinstance(other, Length):
        return loss < other
    raise TypeError("the losses are of two kinds")


def difference(value: Loss, least: Loss) -> float:
    """How much a loss is above another of its kind, rounded up."""
    if isinstance(value, Bits) and isinstance(least, Bits):
        return (value - least).upper
    if not isinstance(value, Length) or not isinstance(least, Length):
        raise TypeError("the losses are of two kinds")
    high, low = value.rational, least.rational
    if high is not None and low is not None:
        return round_up(high - low)
    import flint

    with flint.ctx.workprec(128):
        return ball_above(_length_ball(value) - _length_ball(least))


@total_ordering
@dataclass(frozen=True, eq=False)
class Lagrangian:
    """log2(leak) + weight * loss; compares exactly with others of the same weight.

    Attributes:
        leak: what is to be made small, as the argument of a logarithm.
        loss: what it costs: log2 of the largest cell (U1), or the largest distortion (U2).
        weight: the multiplier lambda of [P3].
    """

    leak: Fraction
    loss: Loss
    weight: Fraction

    def __float__(self) -> float:
        """About the value: within some units in the last place of its parts."""
        return _log2(self.leak) + float(self.weight) * _about(self.loss)

    def __eq__(self, other: object) -> bool:
        return self.compare(other) == 0 if isinstance(other, Lagrangian) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.weight)

    def __lt__(self, other: "Lagrangian") -> bool:
        return self.compare(other) < 0

    def compare(self, other: "Lagrangian") -> int:
        """-1, 0 or 1 as this is below, equal to or above another of the same weight; exact.

        >>> from fractions import Fraction as F
        >>> Lagrangian(F(4), Bits(2), F(1, 2)).compare(Lagrangian(F(2), Bits(8), F(1, 2)))
        0
        """
        if self.leak == other.leak and self.loss == other.loss:
            return 0
        try:
            mine, others = float(self), float(other)
        except OverflowError:
            mine = others = math.inf
        if abs(mine - others) > _SURE * (1 + abs(mine) + abs(others)):
            return 1 if mine > others else -1
        if self._equals(other):
            return 0
        precision = 64
        while True:
            difference = self._ball(other, precision)
            if difference > 0:
                return 1
            if difference < 0:
                return -1
            precision *= 2
            if precision > _MOST_BITS:
                raise ArithmeticError("two Lagrangians that differ could not be told apart")

    def above(self, other: "Lagrangian") -> float:
        """How much this is above another of the same weight, rounded up."""
        return ball_above(self._ball(other, 128))

    def _ball(self, other: "Lagrangian", precision: int) -> "arb":
        import flint

        with flint.ctx.workprec(precision):
            two = ball(2).log()
            leak = ball(self.leak / other.leak).log() / two
            if isinstance(self.loss, Bits) and isinstance(other.loss, Bits):
                loss = ball(self.loss.ratio / other.loss.ratio).log() / two
            else:
                loss = _length_ball(self.loss) - _length_ball(other.loss)
            return leak + ball(self.weight) * loss

    def _equals(self, other: "Lagrangian") -> bool:
        leak = self.leak / other.leak
        if isinstance(self.loss, Bits) and isinstance(other.loss, Bits):
            return _powers_cancel(leak, self.loss.ratio / other.loss.ratio, self.weight)
        if not isinstance(self.loss, Length) or not isinstance(other.loss, Length):
            raise TypeError("the losses are of two kinds")
        return _lengths_cancel(leak, self.loss, other.loss, self.weight)


def _log2(ratio: Fraction) -> float:
    return math.log2(ratio.numerator) - math.log2(ratio.denominator)


def _about(loss: Loss) -> float:
    if isinstance(loss, Bits):
        return _log2(loss.ratio)
    return math.sqrt(loss.value) if loss.root else float(loss.value)


def _length_ball(length: Loss) -> "arb":
    if not isinstance(length, Length):
        raise TypeError("the losses are of two kinds")
    return ball(length.value).sqrt() if length.root else ball(length.value)


def _powers_cancel(leak: Fraction, loss: Fraction, weight: Fraction) -> bool:
    """Whether leak * loss**weight = 1.

    With weight = p/q in lowest terms leak**q = loss**-p asks for a rational c with leak = c**-p and loss =
    c**q; unless c is 1, q and p are then at most the number of binary digits of the two.
    """
    if loss == 1 or weight == 0:
        return leak == 1
    digits = max(part.bit_length() for ratio in (leak, loss) for part in ratio.as_integer_ratio())
    if leak == 1 or max(weight.numerator, weight.denominator) > digits:
        return False
    return leak**weight.denominator * loss**weight.numerator == 1


def _lengths_cancel(leak: Fraction, loss: Length, other: Length, weight: Fraction) -> bool:
    """Whether log2(leak) + weight * (loss - other) = 0.

    A logarithm of a rational is a whole number or transcendental, and a length is algebraic; and two roots
    that are not rational differ by a rational other than 0 never.
    """
    if loss == other or weight == 0:
        return leak == 1
    whole = round(math.log2(leak))
    first, second = loss.rational, other.rational
    if Fraction(2) ** whole != leak or first is None or second is None:
        return False
    return whole + weight * (first - second) == 0
