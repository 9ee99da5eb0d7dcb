"""Methods propose what to publish, the exact audit decides; nothing else calls a table safe."""

from collections.abc import Sequence
from dataclasses import replace

from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.method import (
    ImpossibleError,
    ProposedTables,
    ProtectionMethod,
    UndecidedError,
)
from noiseless.tabulations.protection.outcome import ProtectionOutcome, TableProtection
from noiseless.tabulations.protection.problem import TrueTables

_SEARCH = 0.7
"""The share of the time that a method has; the rest is for the audit of what it finds."""
MAX_TRIES = 200
"""Proposals of one method that are audited before it is given up."""


def protect(
    tables: TrueTables, methods: Sequence[ProtectionMethod], time_limit: float | None = None
) -> TableProtection:
    """Ask methods for what to publish, and take of each the first proposal that the exact audit proves safe.

    Args:
        tables: the true tables.
        methods: the methods, each of which gets the time that is left.
        time_limit: seconds; what is not known to be safe by then is not called so.
    """
    deadline = Deadline.after(time_limit)
    outcomes = list[ProtectionOutcome]()
    for number, method in enumerate(methods):  # the time that is left is shared among those that are left
        share = None if time_limit is None else max(deadline.left, 0.0) / (len(methods) - number)
        outcomes.append(_outcome(tables, method, share))
    if len(outcomes) > 1:  # their order takes the widths of all figures, which are not cheap
        outcomes.sort(key=_order)
    return TableProtection(tables, tuple(outcomes))


def _order(outcome: ProtectionOutcome) -> tuple[bool, float, float]:
    """Safe ones first; of these the least weight of figures that are not exact, and then the least width."""
    if not outcome.safe:
        return True, 0.0, 0.0
    return False, outcome.withheld_weight, outcome.total_width


def _outcome(tables: TrueTables, method: ProtectionMethod, seconds: float | None) -> ProtectionOutcome:
    """The first safe proposal of a method; else the last one, and why it is refused.

    A part of the time is kept for the last audit.
    """
    deadline = Deadline.after(seconds)
    search = Deadline.after(None if seconds is None else seconds * _SEARCH)
    last, tried = ProtectionOutcome(method.name, tables, None, None, (), "nothing was proposed", 0), 0
    try:
        proposals = method.proposals(tables, search)
        proposal = next(proposals)
        while True:
            tried += 1
            last = _audited(tables, method.name, proposal, deadline, tried)
            if last.safe or deadline.over:
                return replace(last, exhausted=False)
            if tried >= MAX_TRIES:
                return replace(
                    last, exhausted=False, refusal=f"none of the first {MAX_TRIES} proposals is safe"
                )
            assert last.audit is not None  # noqa: S101 - it was just audited
            proposal = proposals.send(last.audit)
    except StopIteration:
        words = "nothing was found within the time limit" if search.over and not tried else last.refusal
        return replace(last, exhausted=not search.over, refusal=words)
    except ImpossibleError as error:
        return ProtectionOutcome(method.name, tables, None, None, (), str(error), tried)
    except UndecidedError as error:
        return ProtectionOutcome(method.name, tables, None, None, (), str(error), tried, exhausted=False)


def _audited(
    tables: TrueTables, name: str, proposal: ProposedTables, deadline: Deadline, tried: int
) -> ProtectionOutcome:
    if not tables.holds_truth(proposal.publication):
        raise AssertionError("a method proposed something that is not true")
    audit = tables.audit(proposal.publication, deadline, proposal.shown)
    levels = tables.findings(audit)
    if audit.holds and all(each.holds for each in levels):
        return ProtectionOutcome(name, tables, proposal, audit, levels, "", tried)
    words = "the exact audit finds something disclosed"
    if not audit.violated and not any(each.holds is False for each in levels):
        words = "not decided within the time limit"
    return ProtectionOutcome(name, tables, proposal, audit, levels, words, tried)
