"""How far a value is from what is released for it: an exact rational, or the exact root of one."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import total_ordering

from noiseless.exact import Rational, ball, ball_above, round_up

_UP = Context(prec=6, rounding=ROUND_CEILING)


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
        top, bottom = math.isqrt(self.value.numerator), math.isqrt(self.value.denominator)
        exact = Fraction(top, bottom) if bottom else Fraction(0)
        return exact if exact**2 == self.value else None

    @property
    def upper(self) -> float:
        """A float that is not below the length."""
        return ball_above(ball(self.value).sqrt()) if self.root else round_up(self.value)

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
        exact = Decimal(self.upper) if self.root else _UP.divide(self.value.numerator, self.value.denominator)
        return f"{_UP.plus(exact).normalize():f}"
