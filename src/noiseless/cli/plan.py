"""`noiseless plan` and `noiseless rules`: what a question, or a disclosure rule, costs before it is asked."""

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from noiseless.cli.options import (
    BoundsOption,
    FormatOption,
    MaxErrorOption,
    StepOption,
    number_option,
    option,
    show,
)
from noiseless.cli.values import read_budget, read_number
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.pricing.plan import Plan
    from noiseless.rules.plan import Bound
    from noiseless.rules.rule_plan import RulePlan

PLAN_HELP = """\
What a question costs before it is asked: the finest answer for a budget, the cheapest for an error.

Examples:

  noiseless plan --query mean --n 1000 --bounds 0 1 --budget 1

  noiseless plan --query sum --n 50 --bounds 0 10 --step 0.001 --max-error 5

  noiseless plan --query median --n 200 --bounds 0 120 --step 1 --budget "reach 3"

  noiseless plan --query sum --n 1000 --bounds 0 1000 --step 1 --rule round:100

  noiseless plan --query value --bounds 1950-01-01 2009-12-31 --rule date:month
"""


RuledBoundsOption = Annotated[
    tuple[str, str] | None,
    option("The smallest and the largest value of a person; a count needs none.", "LO HI", "--bounds"),
]
"""The bounds as they are written: those of some rules are dates or codes."""


def plan_command(
    *,
    query: Annotated[
        str,
        option(
            "count, sum, mean, min, max, median or variance; with --rule also value, a person's own.", "NAME"
        ),
    ],
    n: Annotated[int | None, option("How many people take part; a value needs none.", "N")] = None,
    bounds: RuledBoundsOption = None,
    step: StepOption = None,
    budget: Annotated[str | None, option('Bits one person may lose, or "reach K".', "B")] = None,
    max_error: MaxErrorOption = None,
    rule: Annotated[
        str | None,
        option(
            "A disclosure rule such as round:5 or 15/15 instead: what it gives away (noiseless rules).", "R"
        ),
    ] = None,
    output: FormatOption = "text",
) -> None:
    """Print a plan."""
    from noiseless.rules.plan import plan

    planned: Plan | RulePlan
    if rule is not None:
        if budget is not None or max_error is not None:
            raise RequestError("a rule has its own price; leave --budget and --max-error out, or --rule")
        planned = plan(query, n=n, bounds=_ruled_bounds(rule, bounds), step=step, rule=rule)
    elif n is None:
        raise RequestError("n is the number of people who take part (--n N)")
    else:
        bits, reach = read_budget(budget)
        planned = plan(
            query, n=n, bounds=_numbers(bounds), step=step, budget=bits, reach=reach, max_error=max_error
        )
    show(output, planned.to_dict(), str(planned))


def _ruled_bounds(rule: str, texts: tuple[str, str] | None) -> "tuple[Bound, Bound] | None":
    """Bounds under a rule: dates and codes as they are, all else as numbers."""
    from noiseless.rules import NumberCoarsening
    from noiseless.rules import rule as read_rule
    from noiseless.rules.base import Dominance

    return _numbers(texts) if isinstance(read_rule(rule), NumberCoarsening | Dominance) else texts


def _numbers(texts: tuple[str, str] | None) -> tuple[Decimal, Decimal] | None:
    return None if texts is None else (read_number("--bounds", texts[0]), read_number("--bounds", texts[1]))


RULES_HELP = """The disclosure rules that practitioners use, and what each really gives away of one person.

Without a question each is priced for one that it is used for; with --query, --n, --bounds or --step all are
priced for that question (dates and codes excepted).

Examples:

  noiseless rules

  noiseless rules --query mean --n 200 --bounds 0 120 --rule round:1 --rule digits:2
"""


def rules_command(
    *,
    rule: Annotated[list[str] | None, option("Only this rule, with its parameters; repeatable.", "R")] = None,
    query: Annotated[
        str | None, option("count, sum (unless told), mean, min, max, median, variance or value.", "NAME")
    ] = None,
    n: Annotated[int | None, option("How many people take part; 1,000 unless told.", "N")] = None,
    bounds: BoundsOption = None,
    step: Annotated[
        Decimal | None, number_option("--step", "S", "The resolution of values; 1 unless told.")
    ] = None,
    output: FormatOption = "text",
) -> None:
    """Print the rules."""
    from noiseless.rules import EXAMPLES
    from noiseless.rules.prices import priced_rules

    rules = priced_rules(rule or EXAMPLES, query=query, n=n, bounds=bounds, step=step)
    show(output, {"rules": [priced.to_dict() for priced in rules]}, "\n\n".join(map(str, rules)))
