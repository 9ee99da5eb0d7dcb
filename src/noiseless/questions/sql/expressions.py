"""What a column of a reply is computed of: questions and constants, in a normal form.

An expression is a sum of terms; a term is a coefficient times powers of questions, roots or other sums, some
of them in the denominator. Equal terms are collected, so that `AVG(x) + AVG(x)` is `2 * AVG(x)` and is as
narrow; nothing is ever cancelled against a denominator, which may be 0.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

from noiseless.exact import Rational
from noiseless.intervals import AnswerInterval
from noiseless.questions.question import Question
from noiseless.questions.sql.canonical import write_number, write_question

Answers = Mapping[Question, AnswerInterval | None]
"""What is known of each question about one group; None where there is no answer (nobody, or too few)."""

Writer = Callable[[Question], str]


@dataclass(frozen=True)
class Variable:
    """The answer to a question."""

    question: Question

    @property
    def questions(self) -> tuple[Question, ...]:
        """The one."""
        return (self.question,)

    def value(self, answers: Answers) -> AnswerInterval | None:
        """As answered."""
        found = answers.get(self.question)
        if found is not None or self.question in answers:
            return found
        return AnswerInterval.of(0) if self.always_has_value else None

    def write(self, writer: Writer = write_question) -> str:
        """Such as AVG(kwh)."""
        return self._text if writer is write_question else writer(self.question)

    @cached_property
    def _text(self) -> str:
        """The order of terms asks for it again and again."""
        return write_question(self.question)

    @property
    def always_has_value(self) -> bool:
        """Counts and sums are 0 where there is nobody."""
        return self.question.aggregate in ("count", "sum", "histogram")


@dataclass(frozen=True)
class SquareRoot:
    """The square root of an expression."""

    square: "Combination"

    always_has_value = False

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those of the square."""
        return self.square.questions

    def value(self, answers: Answers) -> AnswerInterval | None:
        """Rounded outwards."""
        found = self.square.value(answers)
        return None if found is None or found.upper < 0 else found.root()

    def write(self, writer: Writer = write_question) -> str:
        """As SQRT(...)."""
        return f"SQRT({self.square.write(writer)})"


@dataclass(frozen=True)
class Factor:
    """A power of something that is no sum of one term, perhaps in the denominator."""

    base: "AnswerExpression"
    power: int = 1
    below: bool = False

    def value(self, answers: Answers) -> AnswerInterval | None:
        """The power, or one divided by it."""
        found = self.base.value(answers)
        if found is None:
            return None
        found **= self.power
        if not self.below:
            return found
        return None if found.lower == found.upper == 0 else found.inverse()

    def write(self, writer: Writer) -> str:
        """The base as often as the power says; sums in brackets."""
        text = self.base.write(writer)
        one = f"({text})" if isinstance(self.base, Combination) else text
        return " / ".join([one] * self.power) if self.below else " * ".join([one] * self.power)


@dataclass(frozen=True)
class Term:
    """A coefficient times factors; those above stand before those below, each in the order of their texts."""

    coefficient: Fraction
    factors: tuple[Factor, ...] = ()

    def value(self, answers: Answers) -> AnswerInterval | None:
        """The product."""
        found = AnswerInterval.of(self.coefficient)
        for factor in self.factors:
            one = factor.value(answers)
            if one is None:
                return None
            found *= one
        return found

    def write(self, writer: Writer) -> str:
        """The product without its sign."""
        above = [factor.write(writer) for factor in self.factors if not factor.below]
        size = abs(self.coefficient)
        if size != 1 or not above:
            above.insert(0, write_number(size))
        return " / ".join([" * ".join(above), *(f.write(writer) for f in self.factors if f.below)])


@dataclass(frozen=True)
class Combination:
    """A sum of terms with different factors, in the order of their texts; the constant stands last.

    A question that is not among the answers is about nobody: a count or a sum is then 0.
    """

    terms: tuple[Term, ...] = ()

    always_has_value = False  # some data may leave it without one

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Those of all terms."""
        factors = chain.from_iterable(term.factors for term in self.terms)
        return tuple(dict.fromkeys(chain.from_iterable(factor.base.questions for factor in factors)))

    @property
    def constant(self) -> Fraction | None:
        """The number that it is, if it needs no question."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0].coefficient if not self.terms[0].factors else None

    @cached_property
    def _single(self) -> "AnswerExpression | None":
        """What it is, where it is no more than one thing as it stands."""
        if len(self.terms) != 1 or self.terms[0].coefficient != 1 or len(self.terms[0].factors) != 1:
            return None
        (factor,) = self.terms[0].factors
        return factor.base if factor.power == 1 and not factor.below else None

    def value(self, answers: Answers) -> AnswerInterval | None:
        """The sum."""
        if self._single is not None:
            return self._single.value(answers)
        found = AnswerInterval.of(0)
        for term in self.terms:
            one = term.value(answers)
            if one is None:
                return None
            found += one
        return found

    def write(self, writer: Writer = write_question) -> str:
        """The sum, with differences for negative terms."""
        if not self.terms:
            return "0"
        parts = [("- " if term.coefficient < 0 else "+ ") + term.write(writer) for term in self.terms]
        first = f"-{parts[0][2:]}" if parts[0].startswith("-") else parts[0][2:]
        return " ".join([first, *parts[1:]])

    def __add__(self, other: "Combination") -> "Combination":
        return _collected([*self.terms, *other.terms]) if other.terms else self

    def __neg__(self) -> "Combination":
        return self.times(-1)

    def __sub__(self, other: "Combination") -> "Combination":
        return self + -other

    def times(self, number: Rational) -> "Combination":
        """Every term times a number."""
        if number == 1:
            return self
        return _collected(Term(term.coefficient * Fraction(number), term.factors) for term in self.terms)

    def __mul__(self, other: "Combination") -> "Combination":
        for number, rest in ((self.constant, other), (other.constant, self)):
            if number is not None:
                return rest.times(number)
        one, two = self._as_term(), other._as_term()
        return _collected([Term(one.coefficient * two.coefficient, _merged(one.factors + two.factors))])

    def __truediv__(self, other: "Combination") -> "Combination":
        """The quotient.

        Raises:
            ZeroDivisionError: the divisor is the constant 0.
        """
        if other.constant == 0:
            raise ZeroDivisionError("an output divides by 0", "divide by another number")
        if other.constant is not None:
            return self.times(1 / other.constant)
        one, two = self._as_term(), other._as_term()
        if any(factor.below for factor in two.factors):  # 1 / (a / b) has no value where b is 0
            two = Term(two.coefficient, (Factor(Combination((Term(Fraction(1), two.factors),))),))
        below = tuple(Factor(factor.base, factor.power, below=True) for factor in two.factors)
        return _collected([Term(one.coefficient / two.coefficient, _merged(one.factors + below))])

    def root(self) -> "Combination":
        """The square root."""
        return Combination((Term(Fraction(1), (Factor(SquareRoot(self)),)),))

    def _as_term(self) -> Term:
        """It as one term: a sum becomes a factor whose first coefficient is 1."""
        if len(self.terms) <= 1:
            return self.terms[0] if self.terms else Term(Fraction(0))
        lead = next((term.coefficient for term in self.terms if term.coefficient), Fraction(1))
        return Term(lead, (Factor(self.times(1 / lead)),))


AnswerExpression = Variable | SquareRoot | Combination
"""A number that is computed from the answers to questions; None where it has no value."""


def constant(number: Rational) -> Combination:
    """A number."""
    return Combination((Term(Fraction(number)),) if number else ())


def answer_to(question: Question) -> Combination:
    """The answer to a question.

    >>> kwh = answer_to(Question("sum", "kwh"))
    >>> (kwh / answer_to(Question("count")) + constant(1) + constant(2)).write()
    'SUM(kwh) / COUNT(*) + 3'
    """
    return Combination((Term(Fraction(1), (Factor(Variable(question)),)),))


def _merged(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """Powers of one base together, those above and those below apart."""
    powers: dict[tuple[AnswerExpression, bool], int] = {}
    for factor in factors:
        key = (factor.base, factor.below)
        powers[key] = powers.get(key, 0) + factor.power
    found = [Factor(base, power, below) for (base, below), power in powers.items()]
    return tuple(sorted(found, key=lambda factor: (factor.below, factor.base.write(), factor.power)))


def _collected(terms: Iterable[Term]) -> Combination:
    """Terms with equal factors together."""
    sums: dict[tuple[Factor, ...], Fraction] = {}
    for term in terms:
        sums[term.factors] = sums.get(term.factors, Fraction(0)) + term.coefficient
    kept = {factors: number for factors, number in sums.items() if number}
    for factors, number in sums.items():
        rest = () if number else _uncertain(factors)
        if rest and rest not in kept:
            kept[rest] = Fraction(0)
    return Combination(tuple(sorted((Term(number, factors) for factors, number in kept.items()), key=_place)))


def _uncertain(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    """What of a term with the coefficient 0 must be kept: the factors that may have no value."""
    kept = (Factor(f.base, 1, f.below) for f in factors if f.below or not f.base.always_has_value)
    return _merged(kept)


def _place(term: Term) -> tuple[bool, str]:
    return (not term.factors, Term(Fraction(1), term.factors).write(write_question))


def degree(expression: Combination) -> int:
    """How many factors its longest term has."""
    return max((sum(factor.power for factor in term.factors) for term in expression.terms), default=0)
