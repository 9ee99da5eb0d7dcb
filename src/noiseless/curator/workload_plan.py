"""Workloads: how exactly to ask each of many statements within one budget."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import ceil
from typing import Any, NamedTuple

from noiseless.curator.disclosure import Disclosure
from noiseless.curator.edition import CHARACTER_STEPS, Edition
from noiseless.curator.group_answer import GroupAnswer, Precision
from noiseless.curator.planner import Planner
from noiseless.curator.workload import WeightedAnswer, Workload
from noiseless.display import Facts, Shown, counted
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, round_up
from noiseless.pricing.batches import price
from noiseless.pricing.plan import rounded_up
from noiseless.pricing.reach import allowed_reach
from noiseless.questions.sql import Hints, Statement, parse
from noiseless.questions.sql.statement import write_hints
from noiseless.work import Work, WorkError, spend

MOST_BITS = 40
"""Budgets of more are no budgets of a dashboard."""

_PLACES = 15
"""Decimal places of an error in a hint, rounded up."""

_ANYTHING = Fraction(10**30)
"""An error that any answer keeps."""

_SELECT = re.compile(r"select\b\s*", re.IGNORECASE)
_WEIGHT = re.compile(r"--[ \t]*weight[ \t:=]*(\d{1,9}(?:\.\d{1,9})?)[ \t]*", re.IGNORECASE)
_PARTS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|;|[^'"/;-]+|.""", re.DOTALL)


class WeightedStatement(NamedTuple):
    """A statement of a workload, and how much its error weighs."""

    sql: str
    weight: Fraction


def read_workload(text: str) -> list[WeightedStatement]:
    """The statements of a file, each ended by a semicolon; a line `-- weight 2` before one says its weight.

    >>> [(each.sql, str(each.weight)) for each in read_workload("SELECT MAX(kwh) FROM meters; SELECT 1")]
    [('SELECT MAX(kwh) FROM meters', '1'), ('SELECT 1', '1')]

    Raises:
        RequestError: there is no statement, or a weight is 0 or stands elsewhere.
    """
    found, sql, weight, line = list[WeightedStatement](), "", Fraction(1), ""
    for part in [*_PARTS.findall(text), ";"]:
        if part == ";":
            found += [WeightedStatement(" ".join(sql.split()), weight)] if sql.strip() else []
            sql, weight = "", Fraction(1)
        elif not part.startswith("--"):
            sql += part
        elif (said := _WEIGHT.fullmatch(part)) is not None:
            if line.strip() or sql.strip() or not Fraction(said[1]):
                raise RequestError(
                    "a weight is above 0, on a line of its own before its statement: -- weight 2"
                )
            weight = Fraction(said[1])
        line = (line + part).rpartition("\n")[2]
    if not found:
        raise RequestError("a workload is a file of SELECT statements that end with semicolons")
    return found


@dataclass(frozen=True)
class PlannedStatement:
    """What becomes of a statement.

    Attributes:
        sql: the statement with the hint that asks for its error.
        weight: how much its error weighs.
        max_error: how far the middle of any of its answers can be from the truth.
        questions: how many answers it has.
    """

    sql: str
    weight: Fraction
    max_error: Fraction
    questions: int

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "sql": self.sql,
            "weight": float(self.weight),
            "max_error": round_up(self.max_error),
            "max_error_exact": str(self.max_error),
            "questions": self.questions,
        }


@dataclass(frozen=True, repr=False)
class WorkloadPlan(Shown):
    """How exactly each statement of a workload is to be asked.

    Attributes:
        statements: the statements with their errors.
        bits: what they cost together, asked as one batch of somebody who asked nothing before.
        error: the largest weighted error.
        optimal: whether no equal cells have a smaller one by the rule of cuts.
        equal_reach: the most outputs that all questions could have alike.
        equal_error: the largest weighted error if they had.
    """

    statements: tuple[PlannedStatement, ...]
    bits: Bits
    error: Fraction
    optimal: bool
    equal_reach: int
    equal_error: Fraction

    @property
    def questions(self) -> int:
        """How many answers there are in all."""
        return sum(statement.questions for statement in self.statements)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "questions": self.questions,
            "bits": self.bits.upper,
            "weighted_error": round_up(self.error),
            "weighted_error_exact": str(self.error),
            "optimal": self.optimal,
            "equal_reach": self.equal_reach,
            "equal_reach_error": round_up(self.equal_error),
            "statements": [statement.to_dict() for statement in self.statements],
        }

    def __str__(self) -> str:
        return "\n".join([repr(self), *(f"{statement.sql};" for statement in self.statements)])

    def _shown(self) -> tuple[str, Facts]:
        least = ", the least of all equal cells by the rule of cuts" if self.optimal else ""
        return f"{counted(self.questions, 'answers')} for {self.bits} together:", {
            "largest weighted error": f"{rounded_up(self.error)}{least}",
            "with equal reach for all": f"{rounded_up(self.equal_error)} (reach {self.equal_reach:,})",
        }


def workload_plan(edition: Edition, asked: Sequence[WeightedStatement], budget: Rational) -> WorkloadPlan:
    """The errors of statements for which the largest weighted error is least within a budget.

    It has the allowance of work that a batch has, for the statements are asked as one.

    Args:
        edition: the dataset's present version.
        asked: the statements.
        budget: the bits that one person may lose in all.

    Raises:
        RequestError: a statement cannot be planned so; the message says why.
    """
    if edition.planner.limits.rows > 1:
        raise RequestError("a workload is planned for one row a person; this dataset allows several")
    allowed = allowed_reach(budget)
    if allowed > 2**MOST_BITS:
        raise RequestError(f"a budget of a workload is at most {MOST_BITS} bits")
    if any(each.weight <= 0 for each in asked):
        raise RequestError("a weight is a number above 0")
    try:
        with Work().counted():
            return _planned(edition, asked, allowed)
    except WorkError:
        raise WorkError(
            "the plan of the workload takes too much work; plan fewer statements, groups or private filters"
            " at a time, or declare coarser steps"
        ) from None


def _planned(edition: Edition, asked: Sequence[WeightedStatement], allowed: int) -> WorkloadPlan:
    planner = edition.planner
    spend(CHARACTER_STEPS * sum(len(each.sql) for each in asked))
    read = [_read(planner, edition.name, each) for each in asked]
    spend(sum(map(edition.steps, read)))
    items = [_items(planner, statement, each.weight) for statement, each in zip(read, asked, strict=True)]
    workload = Workload([item for those in items for item in those], planner.public)
    error = workload.least_error(allowed)
    planned, told = list[PlannedStatement](), list[Disclosure]()
    found = iter(workload.within(error))
    for statement, each, those in zip(read, asked, items, strict=True):
        errors = (off for _, off in islice(found, len(those)))
        wanted = _rounded(max(errors, default=Fraction(0)) / each.weight)
        sql = _SELECT.sub(f"SELECT {write_hints(Hints(max_error=wanted))}", each.sql, count=1)
        planned.append(PlannedStatement(sql, each.weight, wanted, len(those)))
        told += [
            part.disclosure for part in _parts(planner, statement, wanted) if part.disclosure is not None
        ]
    cost = price([one.event for one in told], planner.public.record)
    if cost.outputs > allowed:  # pragma: no cover - no rule of prices is above that of cuts
        raise RequestError("the workload costs more than the rule of cuts says; allow more bits")
    reach = workload.equal_reach(allowed)
    proved = all(item.is_proved for item in workload.items)
    return WorkloadPlan(tuple(planned), cost.bits, error, proved, reach, workload.equal_error(reach))


def _read(planner: Planner, name: str, each: WeightedStatement) -> Statement:
    statement = parse(each.sql, planner.schema, name, planner.limits)
    if statement.hints != Hints():
        raise RequestError("a workload's errors are what is planned; leave hints out of its statements")
    named = {name for asked in statement.questions for name in (asked.column, *asked.where.columns) if name}
    grouped = any(asked.classes for asked in statement.questions)
    if statement.view is not None or grouped or not named.issubset(planner.schema.columns):
        raise RequestError(
            "a workload is of aggregates of declared columns; ask for expressions, persons and aggregates of"
            " private groups by themselves"
        )
    return statement


def _items(planner: Planner, statement: Statement, weight: Fraction) -> list[WeightedAnswer]:
    """The answers of a statement that look at data, each with what its error weighs."""
    return [
        WeightedAnswer(part.disclosure, weight * abs(part.factor))
        for part in _parts(planner, statement, _ANYTHING)
        if part.disclosure is not None
    ]


def _parts(planner: Planner, statement: Statement, error: Fraction) -> Iterator[GroupAnswer]:
    for question in statement.questions:
        yield from planner.parts(question, Precision(1, error)).values()


def _rounded(error: Fraction) -> Fraction:
    """A decimal that is not below it: hints are decimals."""
    return Fraction(ceil(error * 10**_PLACES), 10**_PLACES)
