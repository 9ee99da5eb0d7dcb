"""Questions of one's own: what a price needs to know of any function of a dataset."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.questions.base import Influence, Quantity, Query, Slide
from noiseless.ranges.spans import Continuum, Lattice, Span


@dataclass(frozen=True)
class OwnQuery(Query):
    """Any function of a dataset whose values lie between two bounds, and that one person moves little.

    The bounds and the sensitivity are the caller's word. All that one person can make of the answer lies
    within an interval as long as the sensitivity, wherever others put it (Theorem 8 of [P1], corrected).

    >>> from noiseless.pricing.reach import finest
    >>> index = OwnQuery.of(200, (0, 50), sensitivity=Fraction(1, 2))
    >>> finest(index, 3).quantizer.cells
    200

    Attributes:
        people: how many take part.
        attribute: a name for what is private.
        answers: the values that the answer can take.
        sensitivity: how far one person can move it.
    """

    people: int
    attribute: Quantity
    answers: Span
    sensitivity: Fraction

    pieces = None

    @classmethod
    def of(
        cls,
        people: int,
        bounds: tuple[Rational, Rational],
        sensitivity: Rational,
        step: Rational | None = None,
        name: str = "x",
    ) -> "OwnQuery":
        """From the bounds of the answer, a sensitivity, and perhaps the step that answers have.

        Raises:
            RequestError: the sensitivity is negative, or the bounds make no sense.
        """
        span = Continuum.of(*bounds)
        if sensitivity < 0:
            raise RequestError("a sensitivity is how far one person moves the answer, 0 or more")
        answers = span if step is None else Lattice.of(*bounds, step)
        return cls(people, Quantity(name, span), answers, min(Fraction(sensitivity), span.width))

    @property
    def span(self) -> Span:
        """As it was declared."""
        return self.answers

    @property
    def influences(self) -> tuple[Influence | Slide]:
        """An interval, or consecutive points, anywhere; whether somebody really moves so far is not known."""
        if not isinstance(self.answers, Lattice):
            return (Slide(self.sensitivity, exact=False),)
        sweep = floor(self.sensitivity / self.answers.step)
        return (Influence(range(sweep + 1), range(self.answers.last - sweep + 1), exact=False),)
