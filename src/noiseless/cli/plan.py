"""`noiseless plan` and `noiseless rules`: what a question, or a disclosure rule, costs before it is asked."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from noiseless.cli.options import (
    BoundsOption,
    Format,
    FormatOption,
    MaxErrorOption,
    StepOption,
    number_option,
    option,
    show,
)
from noiseless.cli.values import read_budget, read_number, read_ranges
from noiseless.errors import RequestError
from noiseless.examples import not_opened

if TYPE_CHECKING:
    from noiseless.rules.plan import Bound
    from noiseless.theory.accuracy import FunctionVolume

PLAN_HELP = """\
What a question costs, before you ask it.

The finest answer for a budget, or the cheapest for a largest error.

Examples:

  noiseless plan --query mean --n 1000 --bounds 0 1 --budget 1

  noiseless plan --query sum --n 50 --bounds 0 10 --step 0.001 --max-error 5

  noiseless plan --query mean --n 1000 --bounds 0 120 --max-error 2.5 --least leakage --explain

  noiseless plan --query mean --n 2 --bounds 100 250 --min-adversary-error 10

  noiseless plan --query mean --n 10 --bounds 0 1 --indistinguishable 2

  noiseless plan --query median --n 200 --bounds 0 120 --step 1 --budget "reach 3"

  noiseless plan --query own --n 200 --bounds 0 50 --sensitivity 0.5 --budget "reach 3"

  noiseless plan --formula "x1**2 + 2*x2**2" --domain x1=-2:2 --domain x2=-2:2 --max-error 0.5 --least leakage

  noiseless plan --workload questions.sql --curator meters.toml --budget 8

  noiseless plan --query sum --n 1000 --bounds 0 1000 --step 1 --rule round:100

  noiseless plan --query value --bounds 1950-01-01 2009-12-31 --rule date:month
"""


RuledBoundsOption = Annotated[
    tuple[str, str] | None,
    option("The smallest and largest value a person can have; a count needs none.", "LO HI", "--bounds"),
]
"""The bounds as they are written: those of some rules are dates or codes."""


def plan_command(
    *,
    query: Annotated[
        str | None,
        option(
            "count, sum, mean, min, max, median or variance; with --rule also value, a person's own;"
            " own for any other, with --sensitivity.",
            "NAME",
        ),
    ] = None,
    n: Annotated[int | None, option("How many people take part; a value needs none.", "N")] = None,
    bounds: RuledBoundsOption = None,
    step: StepOption = None,
    sensitivity: Annotated[
        Decimal | None,
        number_option(
            "--sensitivity", "S", "How far one person moves the answer to --query own, with its --bounds."
        ),
    ] = None,
    formula: Annotated[
        str | None, option('A function of a few people\'s values instead: "x1**2 + 2*x2**2".', "TEXT")
    ] = None,
    domain: Annotated[
        list[str] | None,
        option("The bounds of a value of --formula, COL=LO:HI; repeat it for more.", "COL=LO:HI"),
    ] = None,
    budget: Annotated[str | None, option('Bits one person may lose, or "reach K".', "B")] = None,
    max_error: MaxErrorOption = None,
    least: Annotated[
        Literal["cells", "leakage"],
        option("What the answer within --max-error has least of: cells, or leakage of the whole dataset."),
    ] = "cells",
    min_adversary_error: Annotated[
        Decimal | None,
        number_option(
            "--min-adversary-error", "D", "Instead: the least error of every estimate of the whole dataset."
        ),
    ] = None,
    indistinguishable: Annotated[
        int | None,
        option(
            "Instead: the most answers that may distinguish two values of a person; the others are unknown.",
            "S",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what the papers say of the plan: leakage, errors, tests.")
    ] = False,
    rule: Annotated[
        str | None,
        option(
            "A disclosure rule such as round:5 or 15/15 instead: what it gives away (noiseless rules).", "R"
        ),
    ] = None,
    workload: Annotated[
        Path | None,
        option("A file of SQL statements instead, each with its share of --budget (with --curator).", "FILE"),
    ] = None,
    curator: Annotated[str | None, option("The curator's file that --workload asks.", "CURATOR.toml")] = None,
    output: FormatOption = "text",
) -> None:
    """Print a plan."""
    from noiseless.rules.plan import limited_plan, rule_plan

    bits, reach = read_budget(budget)
    if workload is not None or curator is not None:
        if workload is None or curator is None or bits is None or query is not None:
            raise RequestError(
                "give --workload FILE, --curator CURATOR.toml and --budget BITS, and no --query"
            )
        _plan_workload(workload, curator, bits, output)
        return
    if formula is not None:
        from noiseless.theory.accuracy.plans import function_plan

        if query is not None or rule is not None or {min_adversary_error, indistinguishable} != {None}:
            raise RequestError("a formula is planned for a budget or an error; leave the other options out")
        function = _function(formula, domain)
        planned = function_plan(function, budget=bits, reach=reach, max_error=max_error, least=least)
        show(output, planned.to_dict(), str(planned))
        return
    if query is None:
        raise RequestError("name a question (--query NAME), or a file of them (--workload FILE)")
    if rule is not None:
        if explain or {budget, max_error, min_adversary_error, indistinguishable} != {None}:
            raise RequestError("a rule has its own price; leave budget, errors and --explain out, or --rule")
        ruled = rule_plan(query, rule, n=n, bounds=_ruled_bounds(rule, bounds), step=step)
        show(output, ruled.to_dict(), str(ruled))
        return
    planned = limited_plan(
        query,
        n=n,
        bounds=_numbers(bounds),
        step=step,
        budget=bits,
        reach=reach,
        max_error=max_error,
        least=least,
        min_adversary_error=min_adversary_error,
        indistinguishable=indistinguishable,
        sensitivity=sensitivity,
    )
    found, text = planned.to_dict(), str(planned)
    if explain:
        from noiseless.theory.explanation import explanation

        explained = explanation(planned)
        found, text = found | {"explanation": explained.to_dict()}, f"{text}\n\n{explained}"
    show(output, found, text)


def _function(formula: str, domain: list[str] | None) -> "FunctionVolume":
    from noiseless.theory.accuracy import FunctionVolume

    ranges = read_ranges("--domain", domain, "x1=-2:2")
    return FunctionVolume.of_formula(formula, {name: (low, high) for name, (low, high, *_) in ranges.items()})


def _plan_workload(workload: Path, curator: str, bits: Decimal, output: Format) -> None:
    from noiseless.curator import Curator
    from noiseless.curator.workload_plan import read_workload

    try:
        asked = read_workload(workload.read_text("utf-8"))
    except OSError as error:
        raise RequestError(f"{workload}: {not_opened(workload, error)}") from None
    except UnicodeDecodeError:
        raise RequestError(f"{workload} cannot be read as text; give a file of SQL statements") from None
    with Curator.open(curator) as opened:
        planned = opened.plan_workload(asked, bits)
    show(output, planned.to_dict(), str(planned))


def _ruled_bounds(rule: str, texts: tuple[str, str] | None) -> "tuple[Bound, Bound] | None":
    """Bounds under a rule: dates and codes as they are, all else as numbers."""
    from noiseless.rules import NumberCoarsening
    from noiseless.rules import rule as read_rule
    from noiseless.rules.base import Dominance

    return _numbers(texts) if isinstance(read_rule(rule), NumberCoarsening | Dominance) else texts


def _numbers(texts: tuple[str, str] | None) -> tuple[Decimal, Decimal] | None:
    return None if texts is None else (read_number("--bounds", texts[0]), read_number("--bounds", texts[1]))


RULES_HELP = """What common disclosure rules really give away about one person.

Each rule is priced for a question that it is used for. With --query, --n, --bounds or --step, all rules but
those for dates and codes are priced for that question.

Examples:

  noiseless rules

  noiseless rules --query mean --n 200 --bounds 0 120 --rule round:1 --rule digits:2
"""


def rules_command(
    *,
    rule: Annotated[
        list[str] | None, option("Only this rule, with its parameters; repeat it for more.", "R")
    ] = None,
    query: Annotated[
        str | None, option("count, sum (the default), mean, min, max, median, variance or value.", "NAME")
    ] = None,
    n: Annotated[int | None, option("How many people take part; 1,000 by default.", "N")] = None,
    bounds: BoundsOption = None,
    step: Annotated[
        Decimal | None, number_option("--step", "S", "The resolution of values; 1 by default.")
    ] = None,
    output: FormatOption = "text",
) -> None:
    """Print the rules."""
    from noiseless.reports.notation import wrapped
    from noiseless.rules import EXAMPLES
    from noiseless.rules.prices import price_rules

    rules = price_rules(rule or EXAMPLES, query=query, n=n, bounds=bounds, step=step)
    lines = [line for priced in rules for line in (*str(priced).split("\n"), "")]
    text = "\n".join(wrapped(line, hanging=len(line) - len(line.lstrip())) for line in lines[:-1])
    show(output, {"rules": [priced.to_dict() for priced in rules]}, text)
