"""What a rule gives away of one person, and the finest answer that gives away no more."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.display import html_table
from noiseless.exact import Bits, round_up
from noiseless.pricing.plan import Plan
from noiseless.pricing.reach import Reach, finest, printed_cells, reach
from noiseless.questions import Query
from noiseless.ranges.quantizer import Quantizer
from noiseless.rules.base import Rule
from noiseless.rules.reach import ReachWitness, cells_told, witness
from noiseless.rules.rounding import told_error
from noiseless.rules.verdict import lines, off_by, verdict, warning


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
