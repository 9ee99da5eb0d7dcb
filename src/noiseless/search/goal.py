"""What is asked of a release: limits or a weight, and what these come to in a problem's own counts."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from noiseless.amounts import floor_of_power
from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, as_fraction
from noiseless.measures import largest_ratio
from noiseless.ranges import count_blocks
from noiseless.search.contiguous.blocks import BlockBracket
from noiseless.search.limits import Limit, limits_of, more_limits
from noiseless.search.loss import Lagrangian, Length, Method, Objective, Preference, Utility
from noiseless.search.measures import Measures, measure_read
from noiseless.search.problem import Problem
from noiseless.tables.kernels import add_by_code

Aim = Literal["loss", "leak", "lagrangian"]

LIMITS = ("min_posterior", "min_rows", "max_leakage", "max_maximin", "max_distortion", "min_resolution")
_COUNTS = {"min_posterior": ("posterior", "sensitive values"), "min_rows": ("number of rows", "rows")}
"""Limits that are counts: a minimum of what, and in what."""


@dataclass(frozen=True)
class Goal:
    """What a release must keep to, and what it is chosen by.

    With a weight the Lagrangian log2(leak) + weight * loss is made small. Without one, and with a limit on
    what is given away, the loss of the utility is; with limits on the loss alone, what is given away is. All
    limits hold together. A number of bits is a rational, or exact `Bits`; a float is the rational it is.

    Attributes:
        objective: what is given away: `leakage` (L0), `maximin` (I*), or `both`: leakage, with no maximin
            information left (problem (7) of [P3]).
        utility: what is kept: `resolution` (U1) or `distortion` (U2).
        weight: the multiplier lambda of [P3].
        min_posterior: at least this many sensitive values behind each answer.
        min_rows: the fewest rows that may stand behind an answer (k-anonymity).
        max_leakage: at most this many bits of leakage.
        max_maximin: at most this many bits of maximin information.
        max_distortion: no public value further from what is released for it.
        min_resolution: at least this many bits of resolution.
        suppress: at most this share of the rows may be withheld (released as one cell of its own).
        method: `exact` (one ordered column), `greedy` (the paths of [P3]), `first-rise` (their own stop), or
            the best of what applies.
        prefer: which loss comes first: the largest change (`worst`), and the mean loss among equals; or the
            `mean`, and the largest change among equals.
        limited: whether the problem has limits of its own on what is given away.
    """

    objective: Objective = "leakage"
    utility: Utility = "resolution"
    weight: Rational | None = None
    min_posterior: int | None = None
    min_rows: int | None = None
    max_leakage: Bits | Rational | None = None
    max_maximin: Bits | Rational | None = None
    max_distortion: Length | Rational | None = None
    min_resolution: Bits | Rational | None = None
    suppress: Rational = Fraction(0)
    method: Method = "auto"
    prefer: Preference = "worst"
    limited: bool = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, float | Decimal):
                object.__setattr__(self, name, _fraction(value, name))
        self._check_names()
        self._check_counts()
        if self.weight is None and not self.limited and all(getattr(self, name) is None for name in LIMITS):
            raise RequestError(
                "no target: give a minimum posterior or number of rows, a largest leakage, maximin "
                "information or distortion, a least resolution, or a weight"
            )
        self._check_signs()

    def _check_counts(self) -> None:
        for name, (what, unit) in _COUNTS.items():
            limit = getattr(self, name)
            if limit is None:
                continue
            if isinstance(limit, bool) or limit != int(limit):
                raise RequestError(f"a minimum {what} is a whole number of {unit}")
            if limit < 1:
                raise RequestError(f"a minimum {what} is at least 1")
            object.__setattr__(self, name, int(limit))

    def _check_names(self) -> None:
        if self.objective not in ("leakage", "maximin", "both"):
            raise RequestError("an objective is 'leakage', 'maximin' or 'both'")
        if self.utility not in ("resolution", "distortion"):
            raise RequestError("a utility is 'resolution' or 'distortion'")
        if self.method not in ("auto", "greedy", "exact", "first-rise"):
            raise RequestError("a method is 'auto', 'greedy', 'exact' or 'first-rise'")
        any_limit = self.limited or any(getattr(self, name) is not None for name in LIMITS)
        if self.method == "first-rise" and (self.weight is None or self.suppress or any_limit):
            raise RequestError(
                "method 'first-rise' stops by a weight and keeps to no limit; give a weight, and leave "
                "limits and suppressed rows out"
            )
        if self.prefer not in ("worst", "mean"):
            raise RequestError("the loss to prefer is 'worst' or 'mean'")
        if self.prefer == "mean" and self.utility == "resolution":
            raise RequestError(
                "the mean loss is preferred to the largest change, not to the resolution; leave `prefer` or "
                "the utility out"
            )
        if self.weight is not None and self.weight < 0:
            raise RequestError("a weight is not negative")
        if not 0 <= self.suppress < 1:
            raise RequestError("the share of rows to suppress is at least 0 and below 1, such as 0.05")

    def _check_signs(self) -> None:
        for name in ("max_leakage", "max_maximin", "max_distortion"):
            limit = getattr(self, name)
            if limit is not None and limit < 0:
                raise RequestError(f"a largest {name.removeprefix('max_')} is not negative")

    @property
    def protects(self) -> bool:
        """Whether what is given away is limited."""
        limits = (self.min_posterior, self.min_rows, self.max_leakage, self.max_maximin)
        return self.limited or any(limit is not None for limit in limits)

    @property
    def aim(self) -> Aim:
        """What is made small."""
        if self.weight is not None:
            return "lagrangian"
        return "loss" if self.protects else "leak"

    @property
    def by_mean(self) -> bool:
        """Whether the mean loss is made small before the largest."""
        return self.prefer == "mean" and self.aim == "loss"

    def allows(self, found: Measures) -> bool:
        """Whether measures keep to all limits, exactly (`both` asks for more, see `choose`)."""
        if self.max_distortion is not None and found.distortion is None:
            raise RequestError("a limit on distortion needs a codebook")
        return (
            (self.min_posterior is None or found.min_posterior >= self.min_posterior)
            and (self.min_rows is None or found.min_rows >= self.min_rows)
            and (self.max_leakage is None or found.leakage <= self.max_leakage)
            and (self.max_maximin is None or found.maximin <= self.max_maximin)
            and (
                found.distortion is None
                or self.max_distortion is None
                or found.distortion <= self.max_distortion
            )
            and (self.min_resolution is None or not found.resolution < self.min_resolution)
        )


def _fraction(value: float | Decimal, name: str) -> Fraction:
    try:
        return as_fraction(value)
    except (ValueError, OverflowError) as error:
        raise RequestError(f"{name.replace('_', ' ')} is not a finite number") from error


@dataclass(frozen=True, eq=False)
class Targets:
    """What partitions of a problem must keep to.

    Attributes:
        problem: what is to be merged.
        goal: what is asked for.
    """

    problem: Problem
    goal: Goal

    @cached_property
    def need(self) -> IntArray:
        """For each code of `seen` how many sensitive values an answer must leave at least."""
        least = self.goal.min_posterior or 1
        priors, codes = np.unique(self.problem.prior, return_inverse=True)
        limit = self.goal.max_leakage
        needs = [max(least, 1 if limit is None else _posterior(int(prior), limit)) for prior in priors]
        return np.array(needs, np.int64)[codes.reshape(-1)]

    def by_known(self, need: IntArray) -> IntArray:
        """A need for each code of `seen` as one for each code of `known`: suppressed values have no group."""
        found = np.zeros(len(self.problem.known_prior), np.int64)
        np.maximum.at(found, self.problem.known, need[self.problem.seen])
        return found

    @cached_property
    def most(self) -> IntArray:
        """For each code of `seen` how many sensitive values its most telling answer can leave at most.

        Values that may all be suppressed can share their answer with other groups.
        """
        problem = self.problem
        everybody = problem.joint.merged(problem.known).posterior_sizes
        return self._shared(problem.largest_posteriors, everybody)

    @cached_property
    def most_rows(self) -> IntArray:
        """For each code of `seen` how many rows its smallest answer can have at most, the same way."""
        problem = self.problem
        found = add_by_code(problem.seen, problem.counts, len(problem.prior))
        return self._shared(found, add_by_code(problem.known, problem.counts, len(problem.known_prior)))

    def _shared(self, within: IntArray, across: IntArray) -> IntArray:
        """For each code of `seen` what its group has; all groups, if its values may all be suppressed."""
        everybody = np.zeros(len(within), np.int64)
        everybody[self.problem.seen] = across[self.problem.known]
        return np.where(self._stays, within, everybody)

    @cached_property
    def _stays(self) -> BoolArray:
        """For each code of `seen` whether some of its values cannot be suppressed."""
        problem = self.problem
        if not self.budget or problem.groups is None:
            return np.ones(len(problem.prior), bool)
        pairs = np.unique(np.stack((problem.seen, problem.public)), axis=1)
        return add_by_code(pairs[0], problem.weights[pairs[1]], len(problem.prior)) > self.budget

    @cached_property
    def fewest_blocks_of_any(self) -> int:
        """How many blocks are left at least, whatever is merged or suppressed."""
        if not self.budget or self.problem.groups is None:
            return self.fewest_blocks
        return count_blocks(self.problem.joint.merged(self.problem.known))

    @cached_property
    def fewest_blocks(self) -> int:
        """How many blocks are left at least if none is suppressed: all of a group in one cell."""
        return count_blocks(self.problem.joint.merged(self.problem.seen))

    @cached_property
    def _merged(self) -> Measures:
        """All of each group in one cell: a bound that this reaches can be asked for."""
        return measure_read(self.problem, self.problem.whole)[1]

    @cached_property
    def fewest(self) -> BlockBracket | None:
        """The bracket for maximin information under a distortion, where it applies."""
        return BlockBracket(self.problem) if BlockBracket.applies(self.problem) else None

    @cached_property
    def blocks(self) -> int | None:
        """How many blocks may be left at most; None for any number."""
        limits = [self.fewest_blocks] if self.goal.objective == "both" else []
        limit = self.goal.max_maximin
        if limit is not None:
            limits.append(_whole_power(limit))
        return min(limits, default=None)

    @cached_property
    def largest_cell(self) -> int | None:
        """How many values a cell may hold at most if none is suppressed; None for any number."""
        limit = self.goal.min_resolution
        if limit is None:
            return None
        if isinstance(limit, Bits):
            return math.floor(self.problem.size / limit.ratio)
        return floor_of_power(-as_fraction(limit), Fraction(self.problem.size))

    @property
    def is_crossed(self) -> bool:
        """Whether the other loss than the one that is made small is limited."""
        goal = self.goal
        return (goal.max_distortion if goal.utility == "resolution" else goal.min_resolution) is not None

    @property
    def distortion(self) -> Length | None:
        """The largest distortion; None for any."""
        limit = self.goal.max_distortion
        return limit if limit is None or isinstance(limit, Length) else Length(as_fraction(limit))

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """What every answer must keep to: values and rows left, and the problem's own limits."""
        return limits_of(self.problem, self.need, self.goal.min_rows)

    @property
    def more_limits(self) -> tuple[Limit, ...]:
        """The same without values left."""
        return more_limits(self.problem, self.goal.min_rows)

    @property
    def budget(self) -> int:
        """How many rows may be suppressed."""
        return math.floor(as_fraction(self.goal.suppress) * int(self.problem.weights.sum()))

    def allow(self, found: Measures) -> bool:
        """Whether measures keep to everything."""
        return (
            self.goal.allows(found)
            and found.kept
            and (self.blocks is None or found.maximin.ratio <= self.blocks)
            and found.suppressed_rows <= self.budget
        )

    def key(self, found: Measures) -> Any:  # noqa: ANN401 - compares exactly
        """What measures are ordered by: smaller is better."""
        goal = self.goal
        loss, leak = found.loss(goal.utility), found.leak(goal.objective)
        other = Bits(1) if found.distortion is None else found.loss(_OTHER[goal.utility])
        by_distance = goal.utility == "distortion" and found.mean_loss is not None
        mean = found.mean_loss if by_distance else Fraction(0)
        rest = (mean, other, -found.cells)
        if goal.aim == "lagrangian":
            value = Lagrangian(leak.ratio, loss, as_fraction(goal.weight or 0))
            return (value, found.suppressed_rows, leak, *rest)
        if (
            goal.aim == "loss"
        ):  # what was asked to stay hidden is hidden: finer cells come before less leakage
            first = (mean, loss) if goal.by_mean else (loss, mean)
            return (*first, found.suppressed_rows, other, leak, -found.cells)
        return (leak, found.suppressed_rows, loss, *rest)

    def check(self) -> None:
        """Refuse what no partition can meet, and say what one can.

        Raises:
            RequestError: a limit on its own is out of reach.
        """
        goal, problem = self.goal, self.problem
        if problem.codebook is None and (goal.utility == "distortion" or goal.max_distortion is not None):
            raise RequestError(
                "distortion needs numbers, categories or hierarchies to measure distances by; use resolution"
            )
        known = "" if problem.plain else " where not all values may be merged"
        if problem.side is not None:
            known = " beside the columns that are kept or given"
        most = int(self.most.min())
        if goal.min_posterior is not None and goal.min_posterior > most:
            advice = f"; ask for a minimum posterior of {most:,} or less"
            raise RequestError(
                f"at most {most:,} sensitive value{'s' * (most != 1)} can hide behind an answer{known}"
                f"{advice * (self._merged.min_posterior >= most)}"
            )
        most = int(self.most_rows.min())
        if goal.min_rows is not None and goal.min_rows > most:
            advice = f"; ask for a minimum number of rows of {most:,} or less"
            raise RequestError(
                f"at most {most:,} row{'s' * (most != 1)} can look alike{known}"
                f"{advice * (self._merged.min_rows >= most)}"
            )
        if np.any(self.need > self.most):
            least = Bits(largest_ratio(problem.prior, self.most))
            advice = f"; ask for a largest leakage of {least.rounded_up(2)} or more"
            raise RequestError(
                f"at least {least} leak{known}, whatever is merged{advice * (self._merged.leakage <= least)}"
            )
        if not self.budget and not self._merged.kept:  # whatever keeps to limits still does when it is merged
            raise RequestError(
                f"the limits on answers cannot be kept{known}, whatever is merged; ease them or suppress rows"
            )
        if self.blocks is not None and self.blocks < self.fewest_blocks_of_any:
            least = Bits(self.fewest_blocks_of_any)
            advice = f"; ask for {least.rounded_up(2)} or more"
            raise RequestError(
                f"at least {least} of maximin information are left{known}, whatever is merged"
                f"{advice * (self._merged.maximin <= least)}"
            )
        if self.largest_cell is not None and self.largest_cell < 1:
            top = Bits(problem.size)
            raise RequestError(
                f"the public values have {top.lower:.4g} bits of resolution as they are; ask for a "
                f"resolution of {math.floor(top.lower * 100) / 100:.2f} or less"
            )


_OTHER: dict[str, Any] = {"resolution": "distortion", "distortion": "resolution"}


def _posterior(prior: int, leakage: Bits | Rational) -> int:
    """The smallest k with log2(prior / k) <= leakage, exactly."""
    if isinstance(leakage, Bits):
        return max(1, math.ceil(prior / leakage.ratio))
    below = floor_of_power(-as_fraction(leakage), Fraction(prior))
    return below if below and Bits(Fraction(prior, below)) <= leakage else below + 1


def _whole_power(bits: Bits | Rational) -> int:
    """The largest whole number whose log2 is no more."""
    return math.floor(bits.ratio) if isinstance(bits, Bits) else floor_of_power(as_fraction(bits))
