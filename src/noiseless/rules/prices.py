"""All rules side by side: what each gives away for one question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from noiseless.display import Facts, FrameMixin, Shown, arrow_rows
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.plan import declared_bounds, named_query
from noiseless.rules.base import Rule
from noiseless.rules.catalogue import EXAMPLES, rule
from noiseless.rules.counts import CensusCounts, MinCell
from noiseless.rules.plan import VALUE, Bound, numbers, rule_plan
from noiseless.rules.recoding import Bottom, DatePeriod, Prefix, Top
from noiseless.rules.rule_plan import RulePlan

if TYPE_CHECKING:
    import pyarrow as pa

_PEOPLE = 1000
_AGES = (0, 120)
_DAYS = ("1930-01-01", "2029-12-31")
_CODES = ("00000", "99999")


@dataclass(frozen=True)
class PricedQuestion:
    """A question to price rules for."""

    query: str
    n: int | None
    bounds: tuple[Bound, Bound] | None
    step: Rational | None

    def __str__(self) -> str:
        who = "" if self.n is None else f" of {self.n:,} {'person' if self.n == 1 else 'people'}"
        if self.bounds is None:
            return f"{self.query}{who}"
        steps = "" if self.step is None else f" in steps of {self.step}"
        return f"{self.query}{who}, {self.bounds[0]} to {self.bounds[1]}{steps}"


@dataclass(frozen=True)
class PricedRule:
    """A rule, the question it is priced for and its plan; or why it is not about such a question."""

    rule: Rule
    asked: PricedQuestion
    plan: RulePlan | None
    problem: str | None

    def to_dict(self) -> dict[str, Any]:
        """The price under the names it has in JSON."""
        plan = {} if self.plan is None else self.plan.to_dict()
        finest = plan.get("finest") or {}
        told = ("reach", "reach_exact", "bits", "worst_error", "told_error", "withheld")
        return {
            "name": self.rule.name,
            "form": self.rule.form,
            "text": self.rule.text,
            "statement": self.rule.statement,
            "used_by": self.rule.used_by,
            "query": self.asked.query,
            "n": self.asked.n,
            "bounds": None if self.asked.bounds is None else [str(bound) for bound in self.asked.bounds],
            "step": None if self.asked.step is None else str(self.asked.step),
            **{name: plan.get(name) for name in told},
            "bits_of_finest": finest.get("bits"),
            "worst_error_of_finest": finest.get("worst_error"),
            "verdict": plan.get("verdict"),
            "problem": self.problem,
        }

    def __str__(self) -> str:
        told = self.plan.verdict if self.plan is not None else f"not priced: {self.problem}"
        lines = [
            f"{self.rule.text}   ({self.rule.form})",
            f"  {self.rule.statement}",
            f"  Used by {self.rule.used_by}.",
            f"  {self.asked}: {told}",
        ]
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class RulePrices(Sequence[PricedRule], Shown, FrameMixin):
    """What rules give away, one after another.

    Attributes:
        rules: the rules, each with its question and its plan.
    """

    rules: tuple[PricedRule, ...]

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, place: int) -> PricedRule: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[PricedRule, ...]: ...
    def __getitem__(self, place: int | slice) -> PricedRule | tuple[PricedRule, ...]:
        return self.rules[place]

    def _shown(self) -> tuple[str, Facts]:
        rows = [["rule", "question", "bits", "verdict"]]
        for found in self.rules:
            bits = "-" if found.plan is None else str(found.plan.bits)
            said = f"not priced: {found.problem}" if found.plan is None else found.plan.verdict
            rows.append([found.rule.text, str(found.asked), bits, said])
        return "What rules leak about one person", rows

    def to_arrow(self) -> "pa.Table":
        """A row for each rule."""
        return arrow_rows(found.to_dict() for found in self.rules)


def price_rules(
    rules: Sequence[str | Rule] = EXAMPLES,
    *,
    query: str | None = None,
    n: int | None = None,
    bounds: tuple[Rational, Rational] | None = None,
    step: Rational | None = None,
) -> RulePrices:
    """What each rule gives away for a question; without one, for a question that the rule is used for.

    >>> [(found.rule.text, found.plan.reach) for found in price_rules(["round:5", "min-cell:11"])]
    [('round:5', 201), ('min-cell:11', 2)]

    Args:
        rules: the rules; one of each kind unless told.
        query: count, sum, mean, min, max, median, variance or value; sum unless told.
        n: how many people take part; 1,000 unless told.
        bounds: the smallest and the largest value a person can have; 0 and 1000 unless told.
        step: the resolution of values; 1 unless told.

    Raises:
        RequestError: a rule or the question makes no sense.
    """
    asked = None
    if (query, n, bounds, step) != (None, None, None, None):
        asked = _question(query or "sum", n, bounds, step)
    return RulePrices(tuple(_priced(rule(text), asked) for text in rules))


def _question(
    query: str, n: int | None, bounds: tuple[Rational, Rational] | None, step: Rational | None
) -> PricedQuestion:
    """The question as asked, filled up and checked."""
    if query == "count":
        bounds, step = None, None
    else:
        bounds, step = bounds or (0, 1000), 1 if step is None else step
    people = None if query == VALUE else _PEOPLE if n is None else n
    named_query(
        "max" if query == VALUE else query, people or 1, *numbers(declared_bounds(query, bounds)), step
    )
    return PricedQuestion(query, people, bounds, step)


def _priced(found: Rule, asked: PricedQuestion | None) -> PricedRule:
    asked = asked if asked is not None and not isinstance(found, DatePeriod | Prefix) else _reference(found)
    try:
        plan = rule_plan(asked.query, found, n=asked.n, bounds=asked.bounds, step=asked.step)
    except RequestError as problem:
        return PricedRule(found, asked, None, str(problem))
    return PricedRule(found, asked, plan, None)


def _reference(found: Rule) -> PricedQuestion:
    """A question that the rule is used for."""
    if isinstance(found, CensusCounts | MinCell):
        return PricedQuestion("count", _PEOPLE, None, None)
    if isinstance(found, Top | Bottom):
        return PricedQuestion(VALUE, None, _AGES, 1)
    if isinstance(found, DatePeriod):
        return PricedQuestion(VALUE, None, _DAYS, None)
    if isinstance(found, Prefix):
        return PricedQuestion(VALUE, None, _CODES, None)
    return PricedQuestion("sum", _PEOPLE, (0, 1000), 1)
