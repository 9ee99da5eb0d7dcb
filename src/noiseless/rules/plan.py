"""What a question costs before it is asked, also when its answer is told through a disclosure rule."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any, Literal, get_args, overload

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.plan import (
    NAMES,
    NO_PEOPLE,
    ONE_LIMIT,
    Plan,
    declared_bounds,
    named_query,
    question_plan,
    unknown_question,
)
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
from noiseless.ranges.quantizer import Stepped, Uniform
from noiseless.rules.base import Dominance, NumberCoarsening, Rule
from noiseless.rules.catalogue import rule as read_rule
from noiseless.rules.counts import MinCell
from noiseless.rules.reach import WITHHELD, DominanceTotal, domain_of_total, witness
from noiseless.rules.recoding import DatePeriod, Prefix
from noiseless.rules.rounded_cells import Comb
from noiseless.rules.rule_plan import RulePlan, RuleQuestion, finest_plan

VALUE = "value"
"""The question for a person's own value, told through a rule."""

Bound = Rational | date | str

Least = Literal["cells", "leakage"]
"""What the cells within an error have least of."""

_LONGEST_CODE = 300


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
    least: Least = "cells",
    min_adversary_error: Rational | None = None,
    indistinguishable: int | None = None,
    sensitivity: Rational | None = None,
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
    least: Least = "cells",
    min_adversary_error: Rational | None = None,
    indistinguishable: int | None = None,
    sensitivity: Rational | None = None,
    rule: str | Rule | None = None,
) -> Plan | RulePlan:
    """What a question costs before it is asked: the finest answer for a budget, or the cheapest for an error.

    >>> plan("mean", n=1000, bounds=(0, 1), budget=1).cells
    1000
    >>> plan("count", n=1000, rule="round:5").verdict
    'round:5 leaks 1.00 bits about one person. So does the exact count: at worst the rule protects nothing.'

    Args:
        query: count, sum, mean, min, max, median or variance; under a rule also value, a person's own value;
            "own" for any other, of which bounds are those of the answer.
        n: how many people take part; a value needs none.
        bounds: the smallest and the largest value a person can have; a count needs none. Under date:PERIOD
            two dates, under prefix:K two texts of digits.
        step: the resolution of values; without it they can be any number between the bounds.
        budget: the bits that one person may lose.
        reach: the same as a whole number of answers that one person may cause.
        max_error: the largest tolerated error, instead of a budget.
        least: what the cells within that error have least of: "cells", or "leakage" of the whole dataset.
        min_adversary_error: how far off every estimate of the whole dataset shall be, instead.
        indistinguishable: how many answers may tell two values of a person apart, others unknown, instead.
        sensitivity: how far one person moves the answer to a question of one's own.
        rule: a disclosure rule such as "round:5" instead: what it gives away.

    Returns:
        A plan; under a rule a `RulePlan`.

    Raises:
        RequestError: not exactly one of them and of budget, reach, max_error and rule is given, or they make
            no sense.
    """
    limits = (budget, reach, max_error, min_adversary_error, indistinguishable)
    if rule is not None:
        if any(limit is not None for limit in limits):
            raise RequestError("a rule has its own price; give no budget, reach or error beside it")
        return rule_plan(query, rule, n=n, bounds=bounds, step=step)
    return limited_plan(
        query,
        n=n,
        bounds=bounds,
        step=step,
        budget=budget,
        reach=reach,
        max_error=max_error,
        least=least,
        min_adversary_error=min_adversary_error,
        indistinguishable=indistinguishable,
        sensitivity=sensitivity,
    )


def limited_plan(
    query: str,
    *,
    n: int | None,
    bounds: tuple[Rational, Rational] | None = None,
    step: Rational | None = None,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
    least: Least = "cells",
    min_adversary_error: Rational | None = None,
    indistinguishable: int | None = None,
    sensitivity: Rational | None = None,
) -> Plan:
    """The plan for the one limit that is given; arguments are those of `plan`."""
    limits = (budget, reach, max_error, min_adversary_error, indistinguishable)
    if least not in get_args(Least):
        raise RequestError(f"an answer has least cells or least leakage, not {least!r}")
    if least != "cells" and max_error is None:
        raise RequestError("the least leakage is that within an error; give one (--max-error E)")
    if sum(limit is not None for limit in limits) != 1:
        raise RequestError(ONE_LIMIT)
    if n is None:
        raise RequestError(NO_PEOPLE)
    if least != "cells" and max_error is not None:
        from noiseless.theory.accuracy.plans import least_leakage_plan

        return least_leakage_plan(query, n, bounds, step, max_error)
    if min_adversary_error is not None:
        from noiseless.theory.accuracy.plans import adversary_plan

        return adversary_plan(query, n, bounds, step, min_adversary_error)
    if indistinguishable is not None:
        from noiseless.theory.indistinguishable_plan import indistinguishable_plan

        return indistinguishable_plan(query, n, bounds, step, indistinguishable)
    return question_plan(
        query,
        n=n,
        bounds=bounds,
        step=step,
        budget=budget,
        reach=reach,
        max_error=max_error,
        sensitivity=sensitivity,
    )


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

    Arguments are those of `plan`; bounds for prefix:K are codes of one length.

    Raises:
        RequestError: the rule is not about such answers, or they make no sense.
    """
    parsed = read_rule(rule)
    if query == VALUE:
        return _of_value(parsed, bounds, step)
    if query not in NAMES:
        raise unknown_question(query, (*NAMES, VALUE))
    if n is None:
        raise RequestError("n is the number of people who take part (--n N); only a value needs none")
    if isinstance(parsed, DatePeriod | Prefix):
        raise RequestError(f"{parsed.text} is about a person's own value; ask for that (--query value)")
    low, high = numbers(declared_bounds(query, bounds))  # type: ignore[arg-type]  # numbers checks them
    question, values = named_query(query, n, low, high, step)
    if isinstance(parsed, Dominance):
        return _of_total(parsed, query, n, question, domain_of_total(parsed, query, low, high, step))
    if isinstance(parsed, MinCell) and query != "count":
        return _of_group(parsed, query, n, question, values)
    if not isinstance(parsed, NumberCoarsening):
        raise TypeError(f"no plan for {type(parsed).__name__}")
    if isinstance(question, MiddleMedianOnInterval):
        return _of_middle_two(parsed, n, question)
    asked = RuleQuestion(parsed, query, n, question, values)
    hidden = isinstance(parsed, MinCell) and not all(parsed.passes(few) for few in (0, 1))
    return replace(asked.told(parsed.quantizer(question.span), parsed.told), withheld=hidden)


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
        finest=finest_plan(query, question, seen.reach, domain.last + 1),
    )


def _of_group(rule: MinCell, query: str, people: int, question: Query, values: int | None) -> RulePlan:
    """The size of the group is public: all answers are told, exactly, or none is."""
    asked = RuleQuestion(rule, query, people, question, values)
    if not rule.passes(people):
        nothing = Uniform(question.span, 1)
        found = asked.told(nothing, lambda _: WITHHELD)
        return replace(found, cell_width=None, worst_error=None, withheld=True)
    if not isinstance(question.span, Lattice):
        raise RequestError(
            f"{rule.text} publishes such an answer exactly, with infinitely many possible values;"
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
    found = RuleQuestion(rule, "median", people, pair, None).told(quantizer, rule.told)
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
        return RuleQuestion(rule, VALUE, None, question, None).told(rule.quantizer(question.span), rule.told)
    attribute = Attribute.on("x", Lattice.of(low, high, step))
    own = OrderStatistic(1, attribute, 1)
    return RuleQuestion(rule, VALUE, None, own, attribute.size).told(rule.quantizer(own.span), rule.told)


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

    asked = RuleQuestion(rule, VALUE, None, question, question.attribute.size)
    found = asked.told(quantizer, lambda number: rule.told(day(number)))
    return replace(found, witness=found.witness.renamed(lambda number: day(number).isoformat()))


def _of_code(rule: Prefix, bounds: tuple[Bound, Bound], step: Rational | None) -> RulePlan:
    low, high = bounds
    if not (isinstance(low, str) and isinstance(high, str) and _are_codes(low, high)):
        raise RequestError(
            f"what {rule.text} leaks depends on which texts there are: give the first and the last code,"
            " digits of one length (--bounds 00000 99999), or audit the table (noiseless audit --rule)"
        )
    if step not in {None, 1}:
        raise RequestError("codes are whole; leave the step out")
    length, codes = len(low), Lattice.of(int(low), int(high), 1)
    question = OrderStatistic(1, Attribute.on("x", codes), 1)
    quantizer = Comb.of(codes, Fraction(10) ** max(length - rule.kept, 0), "down")

    def code(number: object) -> str:
        return f"{int(number):0{length}d}"  # type: ignore[call-overload]  # codes are whole

    asked = RuleQuestion(rule, VALUE, None, question, codes.last + 1)
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
