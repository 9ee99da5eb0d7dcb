"""Saying what is possible where a wish is not."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.lagrangian import Loss
from noiseless.search.merging.length import Length
from noiseless.search.merging.path import Utility
from noiseless.search.selection.bounds import Bounds
from noiseless.search.selection.choice import Choice
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.targets import Targets
from noiseless.search.selection.wish import Wish


def refuse(targets: Targets, choose: Callable[[Problem, Wish], Choice]) -> RequestError:
    """The error for limits that can be kept one by one, but not together as far as is known.

    Args:
        targets: the limits.
        choose: finds the best partition for a wish.
    """
    wish, problem = replace(targets.wish, weight=None, method="auto"), targets.problem
    if wish.max_distortion is None and wish.min_resolution is None:  # only what is never merged is in the way
        return RequestError(f"{_hidden(wish)} was not found with so few suppressed rows; {_eased(wish)}")
    lost: Utility = "distortion" if wish.max_distortion is not None else "resolution"
    nothing = Bits(targets.fewest_blocks) if wish.objective == "both" else wish.max_maximin
    hiding = replace(wish, utility=lost, max_distortion=None, min_resolution=None, max_maximin=nothing)
    keeping = replace(
        wish,
        objective="maximin" if wish.min_posterior is None and wish.max_leakage is None else "leakage",
        min_posterior=None,
        max_leakage=None,
        max_maximin=None,
    )
    least, most = choose(problem, hiding), choose(problem, keeping)
    bound = Bounds(Targets(problem, hiding), Cells.from_labels(np.arange(problem.size))).loss()
    refuted = bound is not None and _exceeds(bound.value, wish, problem.size)
    found = "cannot be had" if refuted else "was not found"
    known = [_least(least, lost)] if _exceeds(least.quality.loss(lost), wish, problem.size) else []
    known += _most(most, wish, keeping)
    remedy = f"ask for {'one of these' if len(known) > 1 else 'that'}"
    remedy += "" if targets.budget else ", or allow rows to be suppressed"
    more = f"; {', and '.join(known)}: {remedy}" if known else f"; {_eased(wish)}"
    return RequestError(f"{_hidden(hiding)} {found} {_kept(wish)}{more}")


def _exceeds(loss: Loss, wish: Wish, size: int) -> bool:
    """Whether a loss is more than the limit on the distortion, or else on the resolution, allows."""
    if isinstance(loss, Length):
        return wish.max_distortion is not None and not loss <= wish.max_distortion
    return wish.min_resolution is not None and Bits(size / loss.ratio) < wish.min_resolution


def _hidden(wish: Wish) -> str:
    parts = []
    if wish.min_posterior is not None:
        parts.append(f"a minimum posterior of {wish.min_posterior:,}")
    if wish.max_leakage is not None:
        parts.append(f"a leakage of {_bits(wish.max_leakage)}")
    if wish.max_maximin is not None:
        parts.append(f"maximin information of {_bits(wish.max_maximin)}")
    return " with ".join(parts)


def _kept(wish: Wish) -> str:
    parts = []
    if wish.max_distortion is not None:
        parts.append(f"within a distortion of {_number(wish.max_distortion)}")
    if wish.min_resolution is not None:
        parts.append(f"with a resolution of {_bits(wish.min_resolution)}")
    return " and ".join(parts)


def _least(choice: Choice, lost: Utility) -> str:
    exact = choice.optimal and choice.scope == "all"
    how = "the least possible" if exact else "the least found"
    if lost == "distortion":
        return f"it takes a distortion of {choice.quality.distortion} ({how})"
    kept = choice.quality.resolution.lower
    return f"it leaves a resolution of {kept:.4g} bits ({'the most possible' if exact else 'the most found'})"


def _most(choice: Choice, wish: Wish, keeping: Wish) -> list[str]:
    """How well the limit that is not kept could be kept; nothing where the choice does not tell."""
    found = choice.quality
    how = "possible" if choice.optimal and choice.scope == "all" else "found"
    if keeping.objective == "maximin":
        exceeded = wish.max_maximin is not None and not found.maximin <= wish.max_maximin
        return [f"{_kept(wish)} the least maximin information {how} is {found.maximin}"] * exceeded
    if wish.min_posterior is not None and found.min_posterior < wish.min_posterior:
        # the least leakage is the largest posterior only where all are compared with as many values
        as_many = len(np.unique(choice.problem.prior)) == 1
        return [f"{_kept(wish)} the largest posterior {how} is {found.min_posterior:,}"] * as_many
    exceeded = wish.max_leakage is not None and not found.leakage <= wish.max_leakage
    return [f"{_kept(wish)} the least leakage {how} is {found.leakage}"] * exceeded


def _eased(wish: Wish) -> str:
    """What to ask instead of limits that were not kept."""
    parts = []
    if wish.min_posterior is not None:
        parts.append("ask for a smaller posterior")
    if wish.max_leakage is not None:
        parts.append("allow more leakage")
    if wish.max_maximin is not None:
        parts.append("allow more maximin information")
    return " or ".join(parts) or "allow more to be lost"


def _bits(value: object) -> str:
    return str(value) if isinstance(value, Bits) else f"{_number(value)} bits"


def _number(value: object) -> str:
    return str(value) if isinstance(value, int | Length) else f"{float(value):g}"  # type: ignore[arg-type]
