"""Coded ends: values beyond a limit are told as the limit, all others as they are."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import NumberCoarsening, as_number, like, number_text
from noiseless.rules.coded import Coded


@dataclass(frozen=True)
class Top(NumberCoarsening):
    """Top-coding: values from a limit on are told as ">=" and the limit.

    >>> Top(Fraction(90)).told(89), Top(Fraction(90)).told(90)
    (89, '>=90')
    """

    name: ClassVar[str] = "top"
    form: ClassVar[str] = "top:T"
    used_by: ClassVar[str] = (
        "HIPAA Safe Harbor (top:90 of ages, one part of it; 45 CFR 164.514(b)(2)(i)(C)) and the US"
        " Census Bureau's PUMS, in another form: incomes above a state's top code are told as their mean"
    )

    limit: Fraction

    @property
    def text(self) -> str:
        """The limit."""
        return f"top:{number_text(self.limit)}"

    @property
    def statement(self) -> str:
        """Where coding begins."""
        limit = number_text(self.limit)
        return f'A number of {limit} or more is told as ">={limit}", a smaller one as it is.'

    def told(self, value: object) -> Rational | str:
        """The number, or the label of the end."""
        number = as_number(value)
        return like(number, value) if number < self.limit else f">={number_text(self.limit)}"

    def quantizer(self, span: Span) -> Quantizer:
        """A cell for each point below the limit and one for all others."""
        lattice = _listed(span, self.form)
        return Coded.of(lattice, 0, ceil((self.limit - lattice.low) / lattice.step))


@dataclass(frozen=True)
class Bottom(NumberCoarsening):
    """Bottom-coding: values up to a limit are told as "<=" and the limit.

    >>> Bottom(Fraction(10)).told(11), Bottom(Fraction(10)).told(10)
    (11, '<=10')
    """

    name: ClassVar[str] = "bottom"
    form: ClassVar[str] = "bottom:B"
    used_by: ClassVar[str] = (
        "the US Census Bureau's PUMS, in another form: losses below a state's bottom code are told as their"
        " mean"
    )

    limit: Fraction

    @property
    def text(self) -> str:
        """The limit."""
        return f"bottom:{number_text(self.limit)}"

    @property
    def statement(self) -> str:
        """Where coding ends."""
        limit = number_text(self.limit)
        return f'A number of {limit} or less is told as "<={limit}", a larger one as it is.'

    def told(self, value: object) -> Rational | str:
        """The number, or the label of the end."""
        number = as_number(value)
        return like(number, value) if number > self.limit else f"<={number_text(self.limit)}"

    def quantizer(self, span: Span) -> Quantizer:
        """One cell for the points up to the limit and one for each other."""
        lattice = _listed(span, self.form)
        return Coded.of(lattice, floor((self.limit - lattice.low) / lattice.step), lattice.last)


def _listed(span: Span, form: str) -> Lattice:
    if isinstance(span, Lattice):
        return span
    raise RequestError(
        f"{form} tells all other numbers exactly, infinitely many answers; give the values' step (--step)"
    )
