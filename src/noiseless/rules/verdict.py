"""A plan under a rule, in words."""

from typing import TYPE_CHECKING

from noiseless.exact import Bits
from noiseless.pricing.plan import rounded_up
from noiseless.pricing.reach import surely_finest
from noiseless.rules.base import Dominance
from noiseless.rules.reach import are_exact

if TYPE_CHECKING:
    from noiseless.rules.rule_plan import RulePlan

_NOTHING = "at worst the rule protects nothing"


def verdict(plan: "RulePlan") -> str:
    """What to make of a rule, in a sentence or two."""
    name = plan.rule.text
    if plan.reach == 1 and plan.withheld:
        return f"{name} withholds every answer here: nothing is told, at 0 bits."
    if plan.reach == 1:
        return f"{name} tells nothing of one person here: whatever they have, the answer is the same."
    if isinstance(plan.rule, Dominance) and plan.tells_everything:
        return (
            f"{name} tells everything, {plan.bits}: against whoever knows the other contributors, the"
            f" {_total(plan)} gives the last one away. The exact {_total(plan)}, always told, tells no more."
        )
    return _beside_finest(plan)


def _beside_finest(plan: "RulePlan") -> str:
    """Whether cells of one width tell no more and err less."""
    name, finest, told = plan.rule.text, plan.finest, _answers(plan)
    if finest is None:
        return f"{name} tells {plan.bits} of the {_entropy(plan)} that a code holds."
    if not finest.worst_error and plan.reach_exact:
        return f"{name} tells {plan.bits} of one person. So does the exact {_total(plan)}: {_NOTHING}."
    cells = f"cells of {rounded_up(finest.cell_width)}"
    if plan.worst_error is None:
        return f"{told}; {cells}, always told, tell no more, off by {rounded_up(finest.worst_error)}."
    question = finest.mechanism.query
    if finest.worst_error < plan.worst_error:
        less = rounded_up(finest.worst_error)
        more = rounded_up(plan.worst_error if plan.told_error is None else plan.told_error)
        beside = f"instead of {more}" if are_exact(question) else f"at most; the rule by {more} at most"
        return f"{told}; {cells} tell no more, off by {less} {beside}."
    if plan.reach_exact and surely_finest(question):
        return f"{told}; no equal cells that tell as little are finer."
    return f"{told}; no finer cells are known that surely tell as little."


def warning(plan: "RulePlan") -> str | None:
    """What a user should know before relying on a rule."""
    if plan.tells_everything:
        return f"the price is all there is to know about a record: {_NOTHING}"
    if plan.values_of_record is not None and plan.reach >= plan.values_of_record > 1:
        return "the price, a bound, is all there is to know about a record: nothing is promised"
    return None


def lines(plan: "RulePlan") -> list[str]:
    """A plan as people read it."""
    who = {None: "", 1: " of 1 person"}.get(plan.people, f" of {plan.people or 0:,} people")
    bound = "" if plan.reach_exact else " at most"
    answers = f"{plan.reach:,} answer{'s' * (plan.reach != 1)}{bound}"
    return [
        f"{plan.query}{who} under {plan.rule.text}: {_told(plan)}.",
        f"One person can cause {answers}: the price is {plan.bits}. A record holds {_entropy(plan)}.",
        *_example(plan),
        plan.verdict,
        *([f"Warning: {plan.warning}."] if plan.warning and _NOTHING not in plan.verdict else []),
    ]


def _told(plan: "RulePlan") -> str:
    if plan.cells == 1 and plan.withheld:
        return "every answer is withheld"
    if plan.cells is None:
        return f"a told {_total(plan)} is exact{', others are withheld' * plan.withheld}"
    most = "" if plan.finest is None or are_exact(plan.finest.mechanism.query) else " at most"
    many = f"{plan.cells:,} different answer{'s' * (plan.cells != 1)}{most}"
    error = off_by(plan)
    return f"{many}{';' if error.startswith('the') else ','} {error}" if error else many


def off_by(plan: "RulePlan") -> str:
    """How far what is told can be from the truth, and which number that is about."""
    middle, told = plan.worst_error, plan.told_error
    if middle is None:
        return ""
    if told is None and middle:
        return f"the middle of what is told alike is off by {rounded_up(middle)} at most"
    if told is None or told == middle:
        return f"off by {rounded_up(middle)} at most"
    return (
        f"the number told is off by {rounded_up(told)} at most,"
        f" the middle of what is told alike by {rounded_up(middle)}"
    )


def _example(plan: "RulePlan") -> list[str]:
    """The witness; with nobody to be told apart there is nothing to show."""
    seen = plan.witness
    if len(seen.values) <= 1:
        return []
    others = " and ".join(f"{many:,} at {value}" for value, many in seen.others)
    beside = f"with others {others}, " if others else ""
    values, answers = (", ".join(map(str, found)) for found in (seen.values, seen.answers))
    more = "" if seen.reach <= len(seen.values) else f"; {seen.reach:,} answers in all"
    return [f"Example: {beside}a person's {values} give {answers}{more}."]


def _answers(plan: "RulePlan") -> str:
    """With the price: both ends of what is known where the reach is a bound."""
    if plan.reach_exact:
        return f"{plan.reach:,} answers from one person, {plan.bits}"
    return f"{plan.witness_reach:,} to {plan.reach:,} answers from one person, {plan.bits} at most"


def _total(plan: "RulePlan") -> str:
    return "total" if isinstance(plan.rule, Dominance) and plan.query == "sum" else plan.query


def _entropy(plan: "RulePlan") -> str:
    entropy = plan.entropy_of_record
    return str(entropy) if isinstance(entropy, Bits) else "infinitely many bits"
