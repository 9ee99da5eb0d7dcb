"""What a rule gives away of one person, in words too, and the finest answer that gives away no more."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.display import html_table
from noiseless.exact import Bits, round_up
from noiseless.pricing.plan import Plan, PlannedPrice, rounded_up
from noiseless.pricing.reach import Reach, finest, printed_cells, reach, surely_finest
from noiseless.questions import Query
from noiseless.ranges.quantizer import Quantizer
from noiseless.rules.base import Dominance, Rule
from noiseless.rules.reach import ReachWitness, are_exact, cells_told, witness
from noiseless.rules.rounding import told_error

_NOTHING = "at worst the rule protects nothing"


@dataclass(frozen=True)
class RulePlan(PlannedPrice):
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
        worst_error: how far the middle of what is published alike can be from the truth; None if nothing may
            be.
        told_error: how far the number told can be from it; None where a label such as >=90 or nothing may be.
        withheld: whether an answer may be withheld.
        witness: others, and values of a person, who really cause this many answers.
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
    def witness_reach(self) -> int:
        """How many answers the witness causes: the reach, where that is exact."""
        return self.witness.reach

    @property
    def tells_everything(self) -> bool:
        """Whether somebody causes as many answers as a record has values: nothing of it stays hidden."""
        return self.values_of_record is not None and self.witness_reach >= self.values_of_record > 1

    @property
    def warning(self) -> str | None:
        """What a user should know before relying on it."""
        if self.tells_everything:
            return f"the price is all there is to know about a record: {_NOTHING}"
        if self.values_of_record is not None and self.reach >= self.values_of_record > 1:
            return "the price, a bound, is all there is to know about a record: nothing is promised"
        return None

    @property
    def verdict(self) -> str:
        """What to make of it, in a sentence or two."""
        name, total = self.rule.text, _total(self)
        if self.reach == 1 and self.withheld:
            return f"{name} withholds every answer here: nothing is published, at 0 bits."
        if self.reach == 1:
            return (
                f"{name} reveals nothing about one person here: the answer is the same whatever their value."
            )
        if isinstance(self.rule, Dominance) and self.tells_everything:
            return (
                f"{name} gives everything away, {self.bits}: to anyone who knows the other contributors, the"
                f" {total} gives the last one away. The exact {total}, always published, leaks no more."
            )
        return _beside_finest(self)

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
        who = {None: "", 1: " of 1 person"}.get(self.people, f" of {self.people or 0:,} people")
        bound = "" if self.reach_exact else " at most"
        answers = f"{self.reach:,} answer{'s' * (self.reach != 1)}{bound}"
        lines = [
            f"{self.query}{who} under {self.rule.text}: {_told(self)}.",
            f"One person can cause {answers}: the price is {self.bits}. A record holds {self.record_words}.",
            *_example(self),
            self.verdict,
            *([f"Warning: {self.warning}."] if self.warning and _NOTHING not in self.verdict else []),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = {
            "one person can cause": f"{self.reach:,} answers{'' if self.reach_exact else ' at most'}",
            "price": str(self.bits),
            "error": _off_by(self) or "none",
            "may be withheld": "yes" if self.withheld else "no",
            "verdict": self.verdict,
        }
        return html_table(f"{self.rule.text} ({self.query})", rows)


def _beside_finest(plan: RulePlan) -> str:
    """Whether cells of one width tell no more and err less."""
    name, finest, told = plan.rule.text, plan.finest, _answers(plan)
    if finest is None:
        return f"{name} leaks {plan.bits} of the {plan.record_words} in a code."
    if not finest.worst_error and plan.reach_exact:
        return f"{name} leaks {plan.bits} about one person. So does the exact {_total(plan)}: {_NOTHING}."
    cells = f"cells of {rounded_up(finest.cell_width)}"
    if plan.worst_error is None:
        return f"{told}; {cells}, always published, leak no more, off by {rounded_up(finest.worst_error)}."
    question = finest.mechanism.query
    if finest.worst_error < plan.worst_error:
        less = rounded_up(finest.worst_error)
        more = rounded_up(plan.worst_error if plan.told_error is None else plan.told_error)
        beside = f"instead of {more}" if are_exact(question) else f"at most; the rule by {more} at most"
        return f"{told}; {cells} leak no more, off by {less} {beside}."
    if plan.reach_exact and surely_finest(question):
        return f"{told}; no equal cells that leak as little are finer."
    return f"{told}; no finer cells are known that are sure to leak as little."


def _told(plan: RulePlan) -> str:
    if plan.cells == 1 and plan.withheld:
        return "every answer is withheld"
    if plan.cells is None:
        return f"a published {_total(plan)} is exact{', others are withheld' * plan.withheld}"
    most = "" if plan.finest is None or are_exact(plan.finest.mechanism.query) else " at most"
    many = f"{plan.cells:,} different answer{'s' * (plan.cells != 1)}{most}"
    error = _off_by(plan)
    return f"{many}{';' if error.startswith('the') else ','} {error}" if error else many


def _off_by(plan: RulePlan) -> str:
    """How far what is published can be from the truth, and which number that is about."""
    middle, told = plan.worst_error, plan.told_error
    if middle is None:
        return ""
    if told is None and middle:
        return f"the middle of the values published alike is off by {rounded_up(middle)} at most"
    if told is None or told == middle:
        return f"off by {rounded_up(middle)} at most"
    return (
        f"the published number is off by {rounded_up(told)} at most,"
        f" the middle of the values published alike by {rounded_up(middle)}"
    )


def _example(plan: RulePlan) -> list[str]:
    """The witness; with nobody to be told apart there is nothing to show."""
    seen = plan.witness
    if len(seen.values) <= 1:
        return []
    others = " and ".join(f"{many:,} at {value}" for value, many in seen.others)
    beside = f"with others {others}, " if others else ""
    values, answers = (", ".join(map(str, found)) for found in (seen.values, seen.answers))
    more = "" if seen.reach <= len(seen.values) else f"; {seen.reach:,} answers in all"
    return [f"Example: {beside}a person's {values} give {answers}{more}."]


def _answers(plan: RulePlan) -> str:
    """With the price: both ends of what is known where the reach is a bound."""
    if plan.reach_exact:
        return f"{plan.reach:,} answers from one person, {plan.bits}"
    return f"{plan.witness_reach:,} to {plan.reach:,} answers from one person, {plan.bits} at most"


def _total(plan: RulePlan) -> str:
    return "total" if isinstance(plan.rule, Dominance) and plan.query == "sum" else plan.query


@dataclass(frozen=True)
class RuleQuestion:
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
            finest=finest_plan(self.query, self.question, seen.reach, self.values),
        )


def finest_plan(query: str, question: Query, allowed: int, values: int | None) -> Plan:
    """Cells within what somebody really causes under the rule: only those surely tell no more than it."""
    mechanism = finest(question, allowed)
    return Plan(query, question.people, mechanism, values, printed_cells(question, Bits(allowed)))
