"""Solving for a private column from answers about subsets of people: what is certain, and the best guess."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, FloatArray

_SLACK = 1e-9
"""How much certain ranges are widened for rounding, as a share of the numbers that were added up."""

_NEAR_END = 1e-6
_EXACT = 1e-9
"""The variance that stands for none."""


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of each person's value, by its number.

    Attributes:
        low: it is not below.
        high: it is not above.
    """

    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]

    @property
    def left(self) -> npt.NDArray[np.int64]:
        """How many values remain possible."""
        return self.high - self.low + 1

    def hold(self, truth: npt.NDArray[np.int64]) -> bool:
        """Whether the true values are among them."""
        return bool(((self.low <= truth) & (truth <= self.high)).all())


def certain_ranges(asked: BoolArray, lower: FloatArray, upper: FloatArray, most: int) -> Ranges:
    """The least and the largest value of each person that agrees with all answers, by linear programming.

    Each end is one program, solved by HiGHS. What is taken from it are the multipliers alone: whatever they
    are, adding up the answers with them bounds the person's value (weak duality), so that nothing depends on
    the solver's tolerances. A person for whom some solution has the value 0 (or the largest) has no better
    bound there, and no program is solved.

    Args:
        asked: a row for each question: who takes part.
        lower: the sums of values are not below.
        upper: and not above.
        most: values are 0 .. most.
    """
    people = asked.shape[1]
    low, high = np.zeros(people, np.int64), np.full(people, most, np.int64)
    if len(asked):
        programs = _Programs(asked.astype(float), lower, upper, most)
        for person in range(people):
            if programs.seen_low[person] > _NEAR_END:
                low[person] = np.ceil(programs.least(person, 1.0))
            if programs.seen_high[person] < most - _NEAR_END:
                high[person] = np.floor(-programs.least(person, -1.0))
    return Ranges(np.clip(low, 0, most), np.clip(high, 0, most))


class _Programs:
    """Linear programs over the values that agree with all answers, and how far their solutions reach."""

    def __init__(self, matrix: FloatArray, lower: FloatArray, upper: FloatArray, most: int) -> None:
        self.matrix, self.lower, self.upper, self.most = matrix, lower, upper, most
        self.rows = np.vstack([matrix, -matrix])
        self.limits = np.concatenate([upper, -lower])
        self.seen_low = np.full(matrix.shape[1], float(most))
        self.seen_high = np.zeros(matrix.shape[1])

    def least(self, person: int, sign: float) -> float:
        """A number that sign * x_person is not below, as large as linear programming finds one."""
        from scipy.optimize import linprog

        goal = np.zeros(self.matrix.shape[1])
        goal[person] = sign
        solved = linprog(goal, A_ub=self.rows, b_ub=self.limits, bounds=(0, self.most), method="highs")
        trivial = min(sign * self.most, 0.0)
        if solved.x is None:
            return trivial
        self.seen_low = np.minimum(self.seen_low, solved.x)
        self.seen_high = np.maximum(self.seen_high, solved.x)
        return max(self._weighed(goal, np.asarray(solved.ineqlin.marginals, float)), trivial)

    def _weighed(self, goal: FloatArray, marginals: FloatArray) -> float:
        """What the answers say of a goal when they are added up with multipliers, rounded down."""
        multipliers = np.minimum(np.nan_to_num(marginals), 0.0)
        reduced = goal - multipliers @ self.rows
        terms = np.concatenate([multipliers * self.limits, np.minimum(reduced, 0.0) * self.most])
        return float(terms.sum() - _SLACK * (1 + np.abs(terms).sum()))


def best_guess(
    asked: BoolArray, told: FloatArray, variances: FloatArray, most: int, ranges: Ranges | None = None
) -> npt.NDArray[np.int64]:
    """The linear estimate with the least mean square error, for values spread evenly over 0 .. most.

    Args:
        asked: a row for each question: who takes part.
        told: the sums, or the middles of what is told.
        variances: how far off they are, squared, on average; 0 for exact ones.
        most: the largest value.
        ranges: what is certain; guesses are moved there.
    """
    middle, spread = most / 2, most * (most + 2) / 12
    guess = np.full(asked.shape[1], middle)
    if len(asked):
        matrix = asked.astype(float)
        errors = np.maximum(variances, _EXACT)
        inner = matrix @ matrix.T * spread + np.diag(errors)
        guess += spread * matrix.T @ np.linalg.solve(inner, told - matrix.sum(axis=1) * middle)
    ends = (0, most) if ranges is None else (ranges.low, ranges.high)
    return np.asarray(np.clip(np.rint(guess), *ends), np.int64)
