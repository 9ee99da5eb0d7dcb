"""How sharp the answers to a statement would be: from its plan alone, before anything is paid for."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf

from noiseless.curator.deduction import Derivation
from noiseless.curator.disclosure import CellDisclosure, CountsDisclosure
from noiseless.curator.edition import StatementPlan
from noiseless.curator.group_answer import GroupAnswer
from noiseless.intervals import AnswerInterval, Bound, Tolerance, root_bounds
from noiseless.questions.question import Question
from noiseless.questions.sql import KeyColumn
from noiseless.questions.sql.expressions import (
    AnswerExpression,
    Combination,
    Factor,
    SquareRoot,
    Term,
    Variable,
)
from noiseless.questions.statistics import FilteredQuery
from noiseless.work import check

Parts = Mapping[Question, GroupAnswer]

_ROUNDED = Fraction(1, 2**126)
"""How far, of a root, the rounding of both ends of an interval may take them apart at most."""


Following = Mapping[str, Derivation]
"""What follows of sums from earlier answers, by the fingerprints of questions."""


def tolerances(planned: StatementPlan, following: Following) -> tuple[Tolerance | None, ...]:
    """How sharp each column of the reply is at least; None for columns that name groups."""
    return tuple(
        None if isinstance(column.content, KeyColumn) else _of_column(column.content, planned, following)
        for column in planned.statement.columns
    )


def _of_column(content: Combination, planned: StatementPlan, following: Following) -> Tolerance:
    """The least sharp of all groups; those that the same is told of are looked at once."""
    found: Tolerance | None = None
    seen: set[Hashable] = set()
    for parts in _groups(planned, content.questions):
        check()
        alike = tuple(_alike(part, following) for part in parts.values())
        if alike not in seen:
            seen.add(alike)
            one = _of_parts(content, parts, following)
            found = one if found is None else found | one
    return found or Tolerance(Fraction(0), tells_nothing=True)


def _of_parts(content: Combination, parts: Parts, following: Following) -> Tolerance:
    """Of an output for one group, with what follows of sums in one cell; and if all were left to follow."""
    told = [part.disclosure for part in parts.values() if part.disclosure is not None]
    own = {one.question: following[one.question] for one in told if one.question in following}
    free = {
        one.question: own[one.question] for one in told if one.constant is not None and one.question in own
    }
    said = _of_question(content, parts, free) or _Foresight(parts, free).of(content)
    if len(free) == len(own) or any(one.constant is None and one.question not in own for one in told):
        return said
    derived = (_of_question(content, parts, own) or _Foresight(parts, own).of(content)).error
    return said if isinstance(derived, float) else replace(said, derived=derived)


def _of_question(content: Combination, parts: Parts, following: Following) -> Tolerance | None:
    """Of an output that is the answer to one question, as most are; None of any other."""
    if len(content.terms) != 1 or content.terms[0].coefficient != 1 or len(content.terms[0].factors) != 1:
        return None
    (factor,) = content.terms[0].factors
    part = parts.get(factor.base.question) if isinstance(factor.base, Variable) else None
    if part is None or part.disclosure is None or factor.power != 1 or factor.below:
        return None
    told = part.disclosure
    nothing = told.constant is not None and told.question not in following
    return Tolerance(_error(part, following), _may_be_missing(part), nothing)


def _groups(planned: StatementPlan, questions: Iterable[Question]) -> Iterator[Parts]:
    """What is published about each group; nothing where a statement without GROUP BY is about nobody."""
    asked = list(questions)
    groups = planned.groups or (() if planned.statement.by else (None,))
    for group in groups:
        key = () if group is None else group.values
        found = {one: part for one in asked if (part := planned.parts[one].get(key)) is not None}
        for number in range(max([1, *(len(part.each) for part in found.values())])):
            yield {one: part.each[number] if part.each else part for one, part in found.items()}


def _alike(part: GroupAnswer, following: Following) -> Hashable:
    told = part.disclosure
    around = None if told is None else following.get(told.question)
    own = told and (id(told.alike), told.people.size, around and around.error)
    return (part.fixed, part.factor, part.shift, own)


class _Foresight:
    """What can be said of one group's answers beforehand.

    Attributes:
        parts: what each question comes to.
        envelopes: all that each answer can be, as one interval.
    """

    def __init__(self, parts: Parts, following: Following) -> None:
        self.parts, self._following = parts, following
        self.envelopes = {question: _envelope(part) for question, part in parts.items()}

    def of(self, content: Combination) -> Tolerance:
        """The tolerance of an output: a sum is off by the sum of what its terms are off by."""
        told = [part.disclosure for part in self.parts.values() if part.disclosure is not None]
        is_known = all(one.constant is not None and one.question not in self._following for one in told)
        nothing = bool(told) and is_known
        envelope = content.value(self.envelopes)
        if envelope is None:
            return Tolerance(Fraction(0), may_be_missing=True, tells_nothing=nothing)
        error = min(self._error(content), envelope.error)
        return Tolerance(error, envelope.may_be_missing, nothing)

    def _error(self, expression: AnswerExpression) -> Bound:
        if isinstance(expression, Combination):
            errors = [self._of_term(term) for term in expression.terms]
            return inf if inf in errors else sum(errors, Fraction(0))
        if isinstance(expression, SquareRoot):
            return self._of_root(expression.square)
        part = self.parts.get(expression.question)
        return Fraction(0) if part is None else _error(part, self._following)

    def _of_root(self, square: Combination) -> Bound:
        """The roots of two numbers differ by at most the root of their difference; both are rounded."""
        error, envelope = self._error(square), square.value(self.envelopes)
        if envelope is None or isinstance(error, float) or isinstance(envelope.upper, float):
            return inf
        rounded = root_bounds(max(envelope.upper, Fraction(0)))[1] * _ROUNDED
        return root_bounds(2 * error)[1] / 2 + rounded

    def _of_term(self, term: Term) -> Bound:
        """A multiple of one uncertain thing is off by that multiple; of several, by all that they can be."""
        sure, unsure = AnswerInterval.of(term.coefficient), list[Factor]()
        for factor in term.factors:
            value = factor.value(self.envelopes) if self._is_sure(factor.base) else None
            if value is None:
                unsure.append(factor)
            else:
                sure *= value
        if not unsure:
            return Fraction(0)
        if len(unsure) == 1 and unsure[0].power == 1 and not unsure[0].below and sure.exact:
            error = self._error(unsure[0].base)
            return error if isinstance(error, float) else abs(Fraction(sure.lower)) * error
        envelope = term.value(self.envelopes)
        return inf if envelope is None else envelope.error

    def _is_sure(self, expression: AnswerExpression) -> bool:
        """Whether everybody knows its value."""
        return all(
            question not in self.parts or self.parts[question].disclosure is None
            for question in expression.questions
        )


def _envelope(part: GroupAnswer) -> AnswerInterval | None:
    """All that an answer can be."""
    told = part.disclosure
    if isinstance(told, CountsDisclosure):
        found = AnswerInterval.of(0, told.people.size)
    elif isinstance(told, CellDisclosure):
        span = told.mechanism.query.span
        found = AnswerInterval(span.low, span.high, _may_be_missing(part))
    else:
        return part.fixed
    return AnswerInterval.of(part.shift) + AnswerInterval.of(part.factor) * found


def _may_be_missing(part: GroupAnswer) -> bool:
    """Whether "none" is one of the answers."""
    told = part.disclosure
    return isinstance(told, CellDisclosure) and isinstance(told.mechanism.query, FilteredQuery)


def _error(part: GroupAnswer, following: Following) -> Fraction:
    """How far the middle of an answer is from the truth at most."""
    told = part.disclosure
    if told is not None and told.question in following:
        return abs(part.factor) * following[told.question].error
    if isinstance(told, CellDisclosure):
        return abs(part.factor) * told.mechanism.worst_error
    if isinstance(told, CountsDisclosure) and part.labels is None and max(told.partition.block_sizes) > 1:
        return Fraction(told.people.size, 2)  # a row of a block says 0 up to the block's count
    return Fraction(0)
