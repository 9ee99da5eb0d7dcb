"""What a disclosure rule really gives away of one person, and the finest answer that gives away no more."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any, overload

from noiseless.display import html_table
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, round_up
from noiseless.pricing.plan import NAMES, Plan, declared_bounds, named_query, question_plan, unknown_question
from noiseless.pricing.quantizer_choice import finest, printed_cells
from noiseless.pricing.reach import Reach, reach
from noiseless.questions import (
    Attribute,
    Continuum,
    Lattice,
    MiddleMedianOnInterval,
    OrderOnInterval,
    OrderStatistic,
    Quantity,
    Query,
)
from noiseless.ranges.quantizer import Quantizer, Stepped, Uniform
from noiseless.rules import DatePeriod, Dominance, MinCell, NumberCoarsening, Prefix, Rule
from noiseless.rules import rule as read_rule
from noiseless.rules.reach import WITHHELD, DominanceTotal, ReachWitness, cells_told, domain_of_total, witness
from noiseless.rules.rounded_cells import Comb
from noiseless.rules.rounding import told_error
from noiseless.rules.verdict import lines, off_by, verdict, warning

VALUE = "value"
"""The question for a person's own value, told through a rule."""

Bound = Rational | date | str

_LONGEST_CODE = 300


@dataclass(frozen=True)
class RulePlan:
    """What a rule gives away of one person.

    Attributes:
        rule: the rule.
        query: the question whose answer is told through it; "value" is the person's own value.
        people: how many take part; None for a value.
        values_of_record: how many values a record can have; None when infinitely many.
        outcome: how many answers one person can cause.
        cells: how many different answers there are; None where totals are withheld by who makes them. Of a
            variance whose datasets are too many to be listed this, width and error are bounds.
        cell_width: how wide the widest cell is; None likewise, and for codes.
        worst_error: how far the middle of what is told alike can be from the truth; None if nothing may be.
        told_error: how far the number told can be from it; None where a label such as >=90 or nothing may be.
        withheld: whether an answer may be withheld.
        witness: others, and values of a person, who really cause so many answers.
        finest: the finest answer found that lets one person cause no more than the witness does; None for
            codes, which are no numbers.
    """

    rule: Rule
    query: str
    people: int | None
    values_of_record: int | None
    outcome: Reach
    cells: int | None
    cell_width: Fraction | None
    worst_error: Fraction | None
    told_error: Fraction | None
    withheld: bool
    witness: ReachWitness
    finest: Plan | None

    @property
    def statement(self) -> str:
        """What the rule does."""
        return self.rule.statement

    @property
    def reach(self) -> int:
        """How many different answers one person can cause, "withheld" among them."""
        return self.outcome.outputs

    @property
    def reach_exact(self) -> bool:
        """Whether somebody can really cause so many; otherwise it is a bound."""
        return self.outcome.exact

    @property
    def witness_reach(self) -> int:
        """How many answers the witness causes: the reach, where that is exact."""
        return self.witness.reach

    @property
    def bits(self) -> Bits:
        """The price: log2 of the reach."""
        return self.outcome.bits

    @property
    def entropy_of_record(self) -> Bits | float:
        """H0(X_i): the bits there are to protect; infinite for any number of an interval."""
        return math.inf if self.values_of_record is None else Bits(self.values_of_record)

    @property
    def tells_everything(self) -> bool:
        """Whether somebody causes as many answers as a record has values: nothing of it stays hidden."""
        return self.values_of_record is not None and self.witness_reach >= self.values_of_record > 1

    @property
    def warning(self) -> str | None:
        """What a user should know before relying on it."""
        return warning(self)

    @property
    def verdict(self) -> str:
        """What to make of it, in words."""
        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """The plan under the names it has in JSON."""
        entropy, width = self.entropy_of_record, self.cell_width
        error, told = self.worst_error, self.told_error
        return {
            "query": self.query,
            "n": self.people,
            "rule": self.rule.text,
            "statement": self.statement,
            "cells": self.cells,
            "cell_width": None if width is None else float(width),
            "cell_width_exact": None if width is None else str(width),
            "reach": self.reach,
            "reach_exact": self.reach_exact,
            "bits": self.bits.upper,
            "worst_error": None if error is None else round_up(error),
            "worst_error_exact": None if error is None else str(error),
            "told_error": None if told is None else round_up(told),
            "told_error_exact": None if told is None else str(told),
            "paper_cells": None,
            "entropy_of_record": entropy.lower if isinstance(entropy, Bits) else entropy,
            "withheld": self.withheld,
            "witness": self.witness.to_dict(),
            "witness_reach": self.witness_reach,
            "finest": None if self.finest is None else self.finest.to_dict(),
            "verdict": self.verdict,
            "warning": self.warning,
        }

    def __str__(self) -> str:
        return "\n".join(lines(self))

    def _repr_html_(self) -> str:
        rows = {
            "one person can cause": f"{self.reach:,} answers{'' if self.reach_exact else ' at most'}",
            "price": str(self.bits),
            "error": off_by(self) or "none",
            "may be withheld": "yes" if self.withheld else "no",
            "verdict": self.verdict,
        }
        return html_table(f"{self.rule.text} ({self.query})", rows)


@overload
def plan(
    query: str,
    *,
    n: int,
    bounds: tuple[Rational, Rational] | None = None,
    step: Rational | None = None,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
) -> Plan: ...


@overload
def plan(
    query: str,
    *,
    rule: str | Rule,
    n: int | None = None,
    bounds: tuple[Bound, Bound] | None = None,
    step: Rational | None = None,
) -> RulePlan: ...


def plan(
    query: str,
    *,
    n: int | None = None,
    bounds: tuple[Any, Any] | None = None,
    step: Rational | None = None,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
    rule: str | Rule | None = None,
) -> Plan | RulePlan:
    """What a question costs before it is asked: the finest answer for a budget, or the cheapest for an error.

    >>> plan("mean", n=1000, bounds=(0, 1), budget=1).cells
    1000
    >>> plan("count", n=1000, rule="round:5").verdict
    'round:5 tells 1.00 bits of one person. So does the exact count: at worst the rule protects nothing.'

    Args:
        query: count, sum, mean, min, max, median or variance; under a rule also value, a person's own value.
        n: how many people take part; a value needs none.
        bounds: the smallest and the largest value a person can have; a count needs none. Under date:PERIOD
            two dates, under prefix:K two texts of digits.
        step: the resolution of values; without it they can be any number between the bounds.
        budget: the bits that one person may lose.
        reach: the same as a whole number of answers that one person may cause.
        max_error: the largest tolerated error, instead of a budget.
        rule: a disclosure rule such as "round:5" instead: what it gives away.

    Returns:
        A plan; under a rule a `RulePlan`.

    Raises:
        RequestError: not exactly one of budget, reach, max_error and rule is given, or they make no sense.
    """
    if rule is None:
        return question_plan(
            query, n=n, bounds=bounds, step=step, budget=budget, reach=reach, max_error=max_error
        )
    if any(limit is not None for limit in (budget, reach, max_error)):
        raise RequestError("a rule has its own price; give no budget, reach or largest error beside it")
    return rule_plan(query, rule, n=n, bounds=bounds, step=step)


def rule_plan(
    query: str,
    rule: str | Rule,
    *,
    n: int | None = None,
    bounds: tuple[Bound, Bound] | None = None,
    step: Rational | None = None,
) -> RulePlan:
    """What a rule gives away of one person when an answer is told through it.

    >>> found = rule_plan("sum", "round:100", n=1000, bounds=(0, 1000), step=1)
    >>> found.reach, found.worst_error, found.finest.worst_error
    (11, Fraction(99, 2), Fraction(99, 2))

    Args:
        query: count, sum, mean, min, max, median or variance; or value, for the person's own value.
        rule: the rule.
        n: how many people take part; a value needs none.
        bounds: the smallest and the largest value a person can have; dates for date:PERIOD, codes of one
            length, as texts of digits, for prefix:K.
        step: the resolution of values; without it they can be any number between the bounds.

    Raises:
        RequestError: the rule is not about such answers, or they make no sense.
    """
    found = read_rule(rule)
    if query == VALUE:
        return _of_value(found, bounds, step)
    if query not in NAMES:
        raise unknown_question(query, (*NAMES, VALUE))
    if n is None:
        raise RequestError("n is the number of people who take part (--n N); only a value needs none")
    if isinstance(found, DatePeriod | Prefix):
        raise RequestError(f"{found.text} is about a person's own value; ask for that (--query value)")
    low, high = numbers(declared_bounds(query, bounds))  # type: ignore[arg-type]  # numbers checks them
    question, values = named_query(query, n, low, high, step)
    if isinstance(found, Dominance):
        return _of_total(found, query, n, question, domain_of_total(found, query, low, high, step))
    if isinstance(found, MinCell) and query != "count":
        return _of_group(found, query, n, question, values)
    if not isinstance(found, NumberCoarsening):
        raise TypeError(f"no plan for {type(found).__name__}")
    if isinstance(question, MiddleMedianOnInterval):
        return _of_middle_two(found, n, question)
    asked = _RuleQuestion(found, query, n, question, values)
    hidden = isinstance(found, MinCell) and not all(found.passes(few) for few in (0, 1))
    return replace(asked.told(found.quantizer(question.span), found.told), withheld=hidden)


@dataclass(frozen=True)
class _RuleQuestion:
    """A question under a rule, before it is told how its answer is told."""

    rule: Rule
    query: str
    people: int | None
    question: Query
    values: int | None

    def told(self, quantizer: Quantizer, label: Callable[[Fraction], object]) -> RulePlan:
        """The plan when the answer is told as the cell it lies in."""
        ranks = {"max": self.question.people, "median": (self.question.people + 1) // 2}
        seen = witness(self.question, quantizer, label, ranks.get(self.query, 1))
        outcome = reach(self.question, quantizer)
        if outcome.outputs == seen.reach:
            outcome = Reach(seen.reach, exact=True)
        cells = cells_told(self.question, quantizer)
        return RulePlan(
            rule=self.rule,
            query=self.query,
            people=self.people,
            values_of_record=self.values,
            outcome=outcome,
            cells=cells.count,
            cell_width=cells.width,
            worst_error=cells.error,
            told_error=told_error(self.rule, self.question.span),
            withheld=False,
            witness=seen,
            finest=_finest(self.query, self.question, seen.reach, self.values),
        )


def _finest(query: str, question: Query, allowed: int, values: int | None) -> Plan:
    """Cells within what somebody really causes under the rule: only those surely tell no more than it."""
    mechanism = finest(question, allowed)
    return Plan(query, question.people, mechanism, values, printed_cells(question, Bits(allowed)))


# Totals and groups


def _of_total(rule: Dominance, query: str, people: int, question: Query, domain: Lattice) -> RulePlan:
    totals = DominanceTotal(rule, people, domain, Fraction(1, people) if query == "mean" else Fraction(1))
    outcome, seen = totals.reach()
    withheld = totals.may_withhold
    never = withheld and outcome.outputs == 1
    return RulePlan(
        rule=rule,
        query=query,
        people=people,
        values_of_record=domain.last + 1,
        outcome=outcome,
        cells=1 if never else None if withheld else question.span.last + 1,  # type: ignore[union-attr]
        cell_width=None if withheld else question.span.step,  # type: ignore[union-attr]  # a lattice
        worst_error=None if withheld else Fraction(0),
        told_error=None if withheld else Fraction(0),
        withheld=withheld,
        witness=seen,
        finest=_finest(query, question, seen.reach, domain.last + 1),
    )


def _of_group(rule: MinCell, query: str, people: int, question: Query, values: int | None) -> RulePlan:
    """The size of the group is public: all answers are told, exactly, or none is."""
    asked = _RuleQuestion(rule, query, people, question, values)
    if not rule.passes(people):
        nothing = Uniform(question.span, 1)
        found = asked.told(nothing, lambda _: WITHHELD)
        return replace(found, cell_width=None, worst_error=None, withheld=True)
    if not isinstance(question.span, Lattice):
        raise RequestError(
            f"{rule.text} tells an answer about so many exactly, infinitely many answers;"
            " give the step of the values (--step)"
        )
    exact = Stepped(question.span, 1)
    return replace(asked.told(exact, lambda answer: answer), told_error=Fraction(0))


def _of_middle_two(rule: NumberCoarsening, people: int, question: MiddleMedianOnInterval) -> RulePlan:
    """The median of an even number: the mean of the middle two, with the rest of the others at both ends."""
    quantity, beside = question.attribute, people // 2 - 1
    pair = question.middle_two
    quantizer = rule.quantizer(pair.span)
    ends = ((quantity.span.low, beside), (quantity.span.high, beside))
    found = _RuleQuestion(rule, "median", people, pair, None).told(quantizer, rule.told)
    return replace(found, witness=witness(pair, quantizer, rule.told, beside=ends))


# A person's own value


def _of_value(rule: Rule, bounds: tuple[Bound, Bound] | None, step: Rational | None) -> RulePlan:
    if not isinstance(rule, NumberCoarsening | DatePeriod | Prefix) or isinstance(rule, MinCell):
        raise RequestError(f"{rule.text} is about groups and totals, not about a person's own value")
    if bounds is None:
        raise RequestError("a value needs the bounds (--bounds LO HI): the smallest and the largest value")
    if isinstance(rule, DatePeriod):
        return _of_date(rule, bounds, step)
    if isinstance(rule, Prefix):
        return _of_code(rule, bounds, step)
    low, high = numbers(bounds)
    if step is None:
        question: Query = OrderOnInterval(1, Quantity("x", Continuum.of(low, high)))
        return _RuleQuestion(rule, VALUE, None, question, None).told(rule.quantizer(question.span), rule.told)
    attribute = Attribute.on("x", Lattice.of(low, high, step))
    own = OrderStatistic(1, attribute, 1)
    return _RuleQuestion(rule, VALUE, None, own, attribute.size).told(rule.quantizer(own.span), rule.told)


def _of_date(rule: DatePeriod, bounds: tuple[Bound, Bound], step: Rational | None) -> RulePlan:
    first, last = (_as_day(bound) for bound in bounds)
    if first > last:
        raise RequestError(f"bounds are out of order; write {last} {first}")
    if step not in {None, 1}:
        raise RequestError("dates are days; leave the step out")
    quantizer = rule.quantizer(first, last)
    question = OrderStatistic(1, Attribute.on("x", quantizer.span), 1)

    def day(number: object) -> date:
        return date.fromordinal(int(number))  # type: ignore[call-overload]  # ordinals are whole

    asked = _RuleQuestion(rule, VALUE, None, question, question.attribute.size)
    found = asked.told(quantizer, lambda number: rule.told(day(number)))
    return replace(found, witness=found.witness.renamed(lambda number: day(number).isoformat()))


def _of_code(rule: Prefix, bounds: tuple[Bound, Bound], step: Rational | None) -> RulePlan:
    low, high = bounds
    if not (isinstance(low, str) and isinstance(high, str) and _are_codes(low, high)):
        raise RequestError(
            f"what {rule.text} tells depends on which texts there are: give the first and the last code,"
            " digits of one length (--bounds 00000 99999), or audit the table (noiseless audit --rule)"
        )
    if step not in {None, 1}:
        raise RequestError("codes are whole; leave the step out")
    length, codes = len(low), Lattice.of(int(low), int(high), 1)
    question = OrderStatistic(1, Attribute.on("x", codes), 1)
    quantizer = Comb.of(codes, Fraction(10) ** max(length - rule.kept, 0), "down")

    def code(number: object) -> str:
        return f"{int(number):0{length}d}"  # type: ignore[call-overload]  # codes are whole

    asked = _RuleQuestion(rule, VALUE, None, question, codes.last + 1)
    found = asked.told(quantizer, lambda number: rule.told(code(number)))
    seen = found.witness.renamed(code)
    return replace(found, witness=seen, cell_width=None, worst_error=None, finest=None)


def _are_codes(low: str, high: str) -> bool:
    both = low + high
    return both.isascii() and both.isdecimal() and len(low) == len(high) <= _LONGEST_CODE


def numbers(bounds: tuple[Bound, Bound]) -> tuple[Rational, Rational]:
    """Bounds that are numbers.

    Raises:
        RequestError: they are something else.
    """
    low, high = bounds
    if isinstance(low, date | str) or isinstance(high, date | str):
        raise RequestError("bounds are exact numbers here; dates are for date:PERIOD, codes for prefix:K")
    return low, high


def _as_day(bound: Bound) -> date:
    try:
        return bound if isinstance(bound, date) else date.fromisoformat(str(bound))
    except ValueError:
        raise RequestError("the bounds of a date are dates, such as 1950-01-01 2009-12-31") from None
