"""The partition chosen for a goal: the best candidate, what is proved of it, or what is possible instead."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.display import Facts, Shown
from noiseless.errors import RequestError
from noiseless.exact import Bits, as_fraction, round_up
from noiseless.search.bounds import LowerBound, LowerBounds, MeanBound
from noiseless.search.goal import Goal, Targets
from noiseless.search.loss import Lagrangian, Length, Loss, Utility, below, difference
from noiseless.search.measures import Measures, ReleasePoint, Scope
from noiseless.search.problem import Cells, Problem

Value = Literal["distortion", "mean loss", "resolution", "leakage", "maximin", "lagrangian"]


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Shown):
    """The cells chosen for a goal. All measures are recounted from the cells alone.

    Attributes:
        problem: what was to be chosen.
        cells: the cell of each public value; suppressed values are a cell of their own.
        suppressed: which public values are suppressed.
        quality: what the cells give away and keep.
        method: how they were found: `exact, contiguous`, `greedy`, `dealing`, `fewest blocks` or `unchanged`.
        value: what was made as small as possible (resolution: as large).
        optimal: whether it is proved that no cells in `scope` do better within the limits.
        gap: by how much any other partition could be better at most, rounded up: in bits or, for the
            distortion, in its own unit; 0 only if none is better; None if no bound is known.
        scope: among which partitions `optimal` holds: `all`, those with `contiguous` cells, or those with one
            level of its hierarchy for each column (`full-domain`).
        proof: in words, what shows it.
        at_least: the exact bound behind the gap: the least distortion, largest cell (as Bits of its size),
            leakage or maximin information that any partition within the limits has.
        least_mean_loss: a mean loss that no partition within the limits is below; None where none is known.
    """

    problem: Problem
    cells: Cells
    suppressed: BoolArray
    quality: Measures
    method: str
    value: Value
    optimal: bool
    gap: float | None
    scope: Scope
    proof: str
    at_least: Bits | Length | None = None
    least_mean_loss: Fraction | None = None

    def _shown(self) -> tuple[str, Facts]:
        found = self.quality
        gap = "not known" if self.gap is None else f"at most {self.gap:.4g}" if self.gap else "none"
        rows = {
            "method": self.method,
            "cells": f"{found.cells:,} for {self.problem.size:,} values",
            "min posterior": f"{found.min_posterior:,} of {self.problem.joint.size_x:,}",
            "leakage": str(found.leakage),
            "maximin": str(found.maximin),
            "largest cell": f"{found.largest_cell:,} values",
            "distortion": "-" if found.distortion is None else str(found.distortion),
            "suppressed": f"{found.suppressed_rows:,} rows",
            "optimal": f"{'yes' if self.optimal else 'not proved'}, {self.value}, {self.scope} cells",
            "gap": gap,
        }
        if not found.suppressed_rows:
            del rows["suppressed"]
        return "Choice", rows


EXACT = "exact, contiguous"

CUT_SHORT = "the best of what was found before the search was stopped"
"""What is said of cells where a search was stopped, by a time limit or by its user."""

OptimalityClaim = tuple[bool, float | None, Scope, str, Loss | None]
"""What is proved: `optimal`, `gap`, `scope`, `proof` and `at_least` of a choice."""


def prove_choice(
    found: ReleasePoint,
    bounds: LowerBounds,
    contiguous: Loss | Lagrangian | None,
    least_mean: Fraction | None = None,
) -> Choice:
    """A partition with what is proved about it.

    Args:
        found: the partition.
        bounds: what no partition within the limits can do better.
        contiguous: the best that contiguous cells can do within the limits, if that is known.
        least_mean: the least mean loss of contiguous cells within the limits, if that is known.
    """
    goal = bounds.targets.goal
    if goal.by_mean:
        return _choice(found, bounds.targets, _mean_claim(bounds.mean, found, least_mean))
    claim = _lagrangian_claim if goal.aim == "lagrangian" else _claim
    return _choice(found, bounds.targets, claim(bounds, found, contiguous))


def with_least_mean(choice: Choice, bounds: LowerBounds) -> Choice:
    """A choice with what the mean loss is at least, unless another loss is proved to be the least."""
    goal, mean = bounds.targets.goal, choice.quality.mean_loss
    if goal.aim != "loss" or goal.utility != "distortion" or mean is None:
        return choice
    if choice.optimal and choice.scope == "all":
        return replace(choice, least_mean_loss=mean) if goal.by_mean else choice
    bound = bounds.mean
    return choice if bound is None else replace(choice, least_mean_loss=bound.value)


def unproved_choice(found: ReleasePoint, targets: Targets, why: str) -> Choice:
    """A partition of which nothing is proved."""
    return _choice(found, targets, (False, None, "all", why, None))


def _choice(found: ReleasePoint, targets: Targets, claim: OptimalityClaim) -> Choice:
    if found.partition is None or found.hidden is None:
        raise ValueError("the cells of this point are not known")
    single = found.cells == targets.problem.size and not found.hidden.any()
    return Choice(
        targets.problem,
        found.partition,
        found.hidden,
        found.measures,
        "unchanged" if single else found.series,
        _value(targets),
        *claim,
    )


def _value(targets: Targets) -> Value:
    goal = targets.goal
    if goal.aim == "lagrangian":
        return "lagrangian"
    if goal.aim == "loss":
        return "mean loss" if goal.by_mean else goal.utility
    return "maximin" if goal.objective == "maximin" else "leakage"


def _claim(bounds: LowerBounds, found: ReleasePoint, contiguous: Loss | Lagrangian | None) -> OptimalityClaim:
    goal = bounds.targets.goal
    nothing: Loss = Bits(1)
    if goal.aim == "loss":
        value = found.loss(goal.utility)
        nothing = Bits(1) if goal.utility == "resolution" else Length(0)
        bound = LowerBound(nothing, "nothing is lost") if value == nothing else bounds.loss
    else:
        value, bound = found.leak(goal.objective), bounds.leak
    if bound is not None and not below(bound.value, value):
        return True, 0.0, "all", f"no partition does better: {bound.proof}", value
    known = bound is not None and below(nothing, bound.value)
    gap = difference(value, bound.value) if bound is not None and known else None
    least = bound.value if bound is not None and known else None
    rest = f"; how much better any other partition could be: {bound.proof}" if bound and known else ""
    if contiguous is not None and value == contiguous:
        proof = f"no contiguous cells do better: all of them were looked at, in order{rest}"
        return True, gap, "contiguous", proof, least
    return False, gap, "all", f"the best of what was found{rest}", least


def _mean_claim(bound: MeanBound | None, found: ReleasePoint, least: Fraction | None) -> OptimalityClaim:
    mean = found.mean_loss or Fraction(0)
    if not mean:
        return True, 0.0, "all", "no partition does better: nothing is lost", None
    gap = None if bound is None or not bound.value else round_up(max(mean - bound.value, Fraction(0)))
    if bound is not None and gap == 0:
        return True, gap, "all", f"no partition has a smaller mean loss: {bound.proof}", None
    if least is not None and mean <= least:
        proof = "no contiguous cells have a smaller mean loss: all of them were looked at, in order"
        return True, gap, "contiguous", proof, None
    return False, gap, "all", "the best of what was found", None


def _lagrangian_claim(
    bounds: LowerBounds, found: ReleasePoint, contiguous: Loss | Lagrangian | None
) -> OptimalityClaim:
    targets, goal = bounds.targets, bounds.targets.goal
    weight = as_fraction(goal.weight or 0)
    value = lagrangian(targets, found)
    curve = [Lagrangian(leak, loss, weight) for leak, loss in bounds.curve]
    least = min(curve, default=None)
    gap = None
    if least is not None:
        if least >= value:
            return True, 0.0, "all", "no partition does better: a bound for every posterior", None
        gap = value.above(least)
    if value == contiguous:
        proof = "no contiguous cells do better: the whole exact frontier was looked at"
        return True, gap, "contiguous", proof, None
    return False, gap, "all", "the best of what was found", None


def lagrangian(targets: Targets, found: ReleasePoint) -> Lagrangian:
    """The Lagrangian of a partition."""
    goal = targets.goal
    leak = found.leak(goal.objective).ratio
    return Lagrangian(leak, found.loss(goal.utility), as_fraction(goal.weight or 0))


def refuse(targets: Targets, choose: Callable[[Problem, Goal], Choice]) -> RequestError:
    """The error for limits that can be kept one by one, but not together as far as is known.

    Args:
        targets: the limits.
        choose: finds the best partition for a goal.
    """
    goal, problem = replace(targets.goal, weight=None, method="auto", prefer="worst"), targets.problem
    if goal.max_distortion is None and goal.min_resolution is None:  # only what is never merged is in the way
        return RequestError(f"{_hidden(goal)} was not found with so few suppressed rows; {_eased(goal)}")
    lost: Utility = "distortion" if goal.max_distortion is not None else "resolution"
    nothing = Bits(targets.fewest_blocks) if goal.objective == "both" else goal.max_maximin
    hiding = replace(goal, utility=lost, max_distortion=None, min_resolution=None, max_maximin=nothing)
    keeping = replace(
        goal,
        objective="leakage" if _limits_answers(goal) else "maximin",
        min_posterior=None,
        min_rows=None,
        max_leakage=None,
        max_maximin=None,
        limited=False,
    )
    least, most = choose(problem, hiding), choose(replace(problem, limits=()), keeping)
    bound = LowerBounds(Targets(problem, hiding), Cells.from_labels(np.arange(problem.size))).loss
    refuted = bound is not None and _exceeds(bound.value, goal, problem.size)
    found = "cannot be had" if refuted else "was not found"
    known = [_least(least, lost)] if _exceeds(least.quality.loss(lost), goal, problem.size) else []
    known += _most(most, goal, keeping)
    remedy = f"ask for {'one of these' if len(known) > 1 else 'that'}"
    remedy += "" if targets.budget else ", or allow rows to be suppressed"
    more = f"; {', and '.join(known)}: {remedy}" if known else f"; {_eased(goal)}"
    return RequestError(f"{_hidden(hiding)} {found} {_kept(goal)}{more}")


def _limits_answers(goal: Goal) -> bool:
    """Whether it is limited how many values or rows an answer leaves."""
    limits = (goal.min_posterior, goal.min_rows, goal.max_leakage)
    return any(limit is not None for limit in limits)


def _exceeds(loss: Loss, goal: Goal, size: int) -> bool:
    """Whether a loss is more than the limit on the distortion, or else on the resolution, allows."""
    if isinstance(loss, Length):
        return goal.max_distortion is not None and not loss <= goal.max_distortion
    return goal.min_resolution is not None and Bits(size / loss.ratio) < goal.min_resolution


def _hidden(goal: Goal) -> str:
    limits = {
        "a minimum posterior of": None if goal.min_posterior is None else f"{goal.min_posterior:,}",
        "a minimum number of rows of": None if goal.min_rows is None else f"{goal.min_rows:,}",
        "a leakage of": _bits(goal.max_leakage),
        "maximin information of": _bits(goal.max_maximin),
    }
    asked = [f"{name} {limit}" for name, limit in limits.items() if limit is not None]
    return " with ".join([*asked, *["cells within the limits on answers"] * goal.limited])


def _kept(goal: Goal) -> str:
    farthest = None if goal.max_distortion is None else _number(goal.max_distortion)
    limits = {"within a distortion of": farthest, "with a resolution of": _bits(goal.min_resolution)}
    return " and ".join(f"{name} {limit}" for name, limit in limits.items() if limit is not None)


def _least(choice: Choice, lost: Utility) -> str:
    exact = choice.optimal and choice.scope == "all"
    how = "the least possible" if exact else "the least found"
    if lost == "distortion":
        return f"it takes a distortion of {choice.quality.distortion} ({how})"
    kept = choice.quality.resolution.lower
    return f"it leaves a resolution of {kept:.4g} bits ({'the most possible' if exact else 'the most found'})"


def _most(choice: Choice, goal: Goal, keeping: Goal) -> list[str]:
    """How well the limit that is not kept could be kept; nothing where the choice does not tell."""
    found = choice.quality
    how = "possible" if choice.optimal and choice.scope == "all" else "found"
    if keeping.objective == "maximin":
        exceeded = goal.max_maximin is not None and not found.maximin <= goal.max_maximin
        return [f"{_kept(goal)} the least maximin information {how} is {found.maximin}"] * exceeded
    if goal.min_posterior is not None and found.min_posterior < goal.min_posterior:
        # the least leakage is the largest posterior only where all are compared with as many values
        as_many = len(np.unique(choice.problem.prior)) == 1
        return [f"{_kept(goal)} the largest posterior {how} is {found.min_posterior:,}"] * as_many
    exceeded = goal.max_leakage is not None and not found.leakage <= goal.max_leakage
    return [f"{_kept(goal)} the least leakage {how} is {found.leakage}"] * exceeded


def _eased(goal: Goal) -> str:
    """What to ask instead of limits that were not kept."""
    remedies = {
        "ask for a smaller posterior": goal.min_posterior,
        "ask for fewer rows alike": goal.min_rows,
        "allow more leakage": goal.max_leakage,
        "allow more maximin information": goal.max_maximin,
    }
    eased = [remedy for remedy, limit in remedies.items() if limit is not None]
    return " or ".join([*eased, *["ease the limits on answers"] * goal.limited])


def _bits(limit: object) -> str | None:
    return None if limit is None else str(limit) if isinstance(limit, Bits) else f"{_number(limit)} bits"


def _number(value: object) -> str:
    return str(value) if isinstance(value, int | Length) else f"{float(value):g}"  # type: ignore[arg-type]
