"""Polynomials of several columns with rational coefficients, for exact integration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from noiseless.domain.expressions import Arithmetic, Expression

MOST_TERMS, MOST_PRODUCTS = 2000, 10**5
"""What has more terms, or takes more products of terms to multiply out, is not treated as a polynomial."""

Powers = tuple[tuple[str, int], ...]
"""The columns of a term, sorted by name, each with its power."""


class NotPolynomialError(ArithmeticError):
    """The expression is no polynomial, or one with too many terms to be of use."""


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A sum of terms; those with coefficient 0 are left out.

    >>> h = Polynomial.column("h")
    >>> (h + Polynomial.constant(Fraction(1))) ** 2
    Polynomial(1 + 2*h + 1*h**2)
    """

    terms: Mapping[Powers, Fraction]

    @classmethod
    def constant(cls, value: Fraction) -> "Polynomial":
        """The polynomial that has one value everywhere."""
        return cls({(): value} if value else {})

    @classmethod
    def column(cls, name: str) -> "Polynomial":
        """The polynomial that is a column itself."""
        return cls({((name, 1),): Fraction(1)})

    def __repr__(self) -> str:
        return f"Polynomial({' + '.join(self._written()) or '0'})"

    def _written(self) -> Iterator[str]:
        for powers, factor in sorted(self.terms.items()):
            yield "*".join([str(factor), *(n if k == 1 else f"{n}**{k}" for n, k in powers)])

    @property
    def degree(self) -> int:
        """The highest sum of powers of a term; 0 for a constant."""
        return max((sum(power for _, power in powers) for powers in self.terms), default=0)

    @property
    def value_at_zero(self) -> Fraction:
        """The term without columns."""
        return self.terms.get((), Fraction(0))

    def coefficients(self, name: str) -> list[Fraction]:
        """The coefficients of a polynomial of one column, lowest power first."""
        found = [Fraction(0)] * (self.degree + 1)
        for powers, factor in self.terms.items():
            found[dict(powers).get(name, 0)] += factor
        return found

    def integral(self, box: Mapping[str, tuple[Fraction, Fraction]]) -> Fraction:
        """The integral over a box, exactly."""
        total = Fraction(0)
        for powers, factor in self.terms.items():
            of = dict(powers)
            for name, (low, high) in box.items():
                k = of.get(name, 0) + 1
                factor *= (high**k - low**k) / k  # noqa: PLW2901 - the term's own product
            total += factor
        return total

    def __add__(self, other: "Polynomial") -> "Polynomial":
        return _collected([*self.terms.items(), *other.terms.items()])

    def __neg__(self) -> "Polynomial":
        return Polynomial({powers: -factor for powers, factor in self.terms.items()})

    def __sub__(self, other: "Polynomial") -> "Polynomial":
        return self + -other

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        if len(self.terms) * len(other.terms) > MOST_PRODUCTS:
            raise NotPolynomialError
        return _collected(
            [(_times(p, q), a * b) for p, a in self.terms.items() for q, b in other.terms.items()]
        )

    def __truediv__(self, other: "Polynomial") -> "Polynomial":
        if other.degree > 0:
            raise NotPolynomialError
        return self * Polynomial.constant(1 / other.value_at_zero)

    def __pow__(self, power: int) -> "Polynomial":
        result = self
        for digit in f"{power:b}"[1:]:
            result *= result
            if digit == "1":
                result *= self
        return result

    def __abs__(self) -> "Polynomial":
        if self.degree > 0:
            raise NotPolynomialError
        return Polynomial.constant(abs(self.value_at_zero))


def _times(first: Powers, second: Powers) -> Powers:
    powers = dict(first)
    for name, power in second:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _collected(terms: Sequence[tuple[Powers, Fraction]]) -> Polynomial:
    found: dict[Powers, Fraction] = {}
    for powers, factor in terms:
        found[powers] = found.get(powers, Fraction(0)) + factor
    kept = {powers: factor for powers, factor in found.items() if factor}
    if len(kept) > MOST_TERMS:
        raise NotPolynomialError
    return Polynomial(kept)


def _larger(first: Polynomial, second: Polynomial) -> Polynomial:
    if (first - second).degree > 0:
        raise NotPolynomialError
    return first if (first - second).value_at_zero >= 0 else second


def polynomial_of(expression: Expression) -> Polynomial | None:
    """The expression multiplied out, or None when it is no polynomial (or has too many terms).

    Raises:
        ZeroDivisionError: it divides by a constant that is 0.
    """
    columns = {name: Polynomial.column(name) for name in expression.columns}
    try:
        return expression.evaluate(columns, Arithmetic(Polynomial.constant, _larger))
    except NotPolynomialError:
        return None
