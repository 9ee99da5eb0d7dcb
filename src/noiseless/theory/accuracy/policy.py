"""What a policy chosen for its accuracy gives away: privacy, quality and the adversary's error ([P4])."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from noiseless.display import counted, text_table
from noiseless.exact import Bits, Nats, Rational, log2_bounds, round_down, round_up
from noiseless.intervals import Enclosure
from noiseless.measures import leakage, maximin
from noiseless.ranges import JointRange
from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.polytopes import Distance

NumberOrVector = Rational | Sequence[Rational]
Scope = Literal["all", "contiguous"]

MOST_AXES = 8
"""The cells of weights that differ are listed by their corners up to this many coordinates."""


@dataclass(frozen=True, repr=False)
class AccuracyPolicy:
    """Cells whose middles are never farther than a tolerated error from the truth, and what they leak.

    Attributes:
        quantizer: the cells.
        error: the tolerated error, 1 / gamma in [P4].
        worst_error: how far the middle of an answer can be from the truth; never above the tolerated error.
        shares: for each cell the share of all datasets that lead to it: exact, or certified bounds.
        bound: no policy that keeps the error leaves a larger smallest share, whether or not it is a function
            of the answer and whether or not its cells are contiguous.
        least_cells: no policy that keeps the error has fewer cells; where there are as many, none has fewer.
        counted: whether datasets are counted (bits), or measured by their volume (nats).
        optimal_in: among which policies the smallest share is proved to be the largest possible: all,
            those with contiguous cells, or None where there is only the bound.
    """

    quantizer: Quantizer
    error: Fraction
    worst_error: Fraction
    shares: tuple[Enclosure, ...]
    bound: Fraction
    least_cells: int
    counted: bool = False
    optimal_in: Scope | None = None

    @property
    def cells(self) -> int:
        """How many different answers there are."""
        return self.quantizer.cells

    @property
    def smallest_share(self) -> Fraction:
        """At least this share of all datasets remains possible behind every answer."""
        return min(share.lower for share in self.shares)

    @property
    def exact(self) -> bool:
        """Whether the smallest share is known exactly."""
        return self.smallest_share == min(share.upper for share in self.shares)

    @property
    def leakage(self) -> Bits | Nats:
        """L0(X;Y): bits where datasets are counted, nats where they are measured; never understated."""
        return self._amount(self.smallest_share)

    @property
    def least_leakage(self) -> Bits | Nats:
        """No policy that keeps the error leaks less."""
        return self._amount(self.bound)

    @property
    def gap(self) -> Bits | Nats:
        """How much more than the least possible may leak; 0 when the policy is proved to be optimal."""
        if not self.smallest_share:
            return Nats(math.inf)
        return (Bits if self.counted else Nats)(max(self.bound / self.smallest_share, Fraction(1)))

    @property
    def maximin(self) -> Bits:
        """I*(X;Y) = I*(Y;g(Y)) = log2 of the cells: answers are functions of datasets ([P4] writes q)."""
        return Bits(self.cells)

    @property
    def quality(self) -> Fraction | float:
        """Q = 1 / worst error (Definition III.2 of [P4]); infinite when every answer is exact."""
        return 1 / self.worst_error if self.worst_error else math.inf

    @property
    def privacy_by_leakage(self) -> float:
        """P1 = 1 / L0(X;Y) (Definition III.1 of [P4]), rounded down; infinite when nothing leaks."""
        return inverse(self.leakage)

    @property
    def privacy_by_maximin(self) -> float:
        """P2 = 1 / I*(X;Y), in 1 / bits, rounded down; infinite for a constant."""
        return inverse(self.maximin)

    def to_dict(self) -> dict[str, Any]:
        """The policy under the names it has in JSON."""
        unit = "" if self.counted else "_nats"
        edges = [self.quantizer.edge(cell) for cell in range(self.cells + 1)]
        return {
            "cells": self.cells,
            "least_cells": self.least_cells,
            "edges": [float(edge) for edge in edges],
            "edges_exact": [str(edge) for edge in edges],
            "error": round_up(self.error),
            "worst_error": round_up(self.worst_error),
            "worst_error_exact": str(self.worst_error),
            "smallest_share": round_down(self.smallest_share),
            "smallest_share_exact": str(self.smallest_share) if self.exact else None,
            "share_bound": round_up(self.bound),
            f"leakage{unit}": _number(self.leakage.upper),
            f"least_leakage{unit}": _number(self.least_leakage.lower),
            "maximin": self.maximin.upper,
            "optimal_in": self.optimal_in,
        }

    def __repr__(self) -> str:
        qualifier = {
            None: "",
            "all": " (the least possible)",
            "contiguous": " (the least of contiguous cells)",
        }
        rows = {
            "off by at most": f"{float(self.worst_error):g} (tolerated: {float(self.error):g})",
            "leakage L0(X;Y)": f"{self.leakage}{qualifier[self.optimal_in]}",
            "no policy leaks less than": str(self.least_leakage),
            "maximin I*(X;Y)": str(self.maximin),
            "smallest share": f"{round_down(self.smallest_share):.6g} of all datasets",
        }
        fewest = self.cells == self.least_cells
        proved = "the fewest possible" if fewest else f"no policy has fewer than {self.least_cells:,}"
        return text_table(f"{counted(self.cells, 'cells')} ({proved})", rows)

    def _amount(self, share: Fraction) -> Bits | Nats:
        if not share:
            return Nats(math.inf)
        return Bits(1 / share) if self.counted else Nats(1 / share)


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"


def quality(truths: Sequence[NumberOrVector], reports: Sequence[NumberOrVector]) -> float:
    """Q = 1 / max_x ||f(x) - f~(x)||_2, rounded down; infinite when every report is the truth.

    The larger, the nearer the worst report is to the truth.

    Args:
        truths: f(x) for each x, numbers or vectors of numbers.
        reports: f~(x) for the same x.

    >>> quality([0, 1, 2, 3], [Fraction(1, 2), Fraction(1, 2), Fraction(5, 2), Fraction(5, 2)])
    2.0

    Inequalities:
        * `Q >= 2 q / w` for the middles of q equal cells over values between two bounds w apart.
    """
    worst = max(_squared_distance(t, r) for t, r in zip(truths, reports, strict=True))
    if worst == 0:
        return math.inf
    return Distance(1 / worst).lower


def _squared_distance(truth: NumberOrVector, report: NumberOrVector) -> Fraction:
    a = truth if isinstance(truth, Sequence) else (truth,)
    b = report if isinstance(report, Sequence) else (report,)
    return sum(((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(a, b, strict=True)), Fraction(0))


def privacy_by_leakage(joint: JointRange | ContinuousRange) -> float:
    """P1 = 1 / L0(X;Y), rounded down; infinite when nothing leaks ([P4] says 0 in its text).

    The larger, the less the most telling answer gives away.

    >>> privacy_by_leakage(JointRange.from_pairs([(face, face > 3) for face in range(1, 5)]))
    0.5

    Inequalities:
        * `P1 <= P2` where values are counted, since `I*(X;Y) <= L0(X;Y)`.
    """
    return inverse(leakage(joint))


def privacy_by_maximin(joint: JointRange | ContinuousRange) -> float:
    """P2 = 1 / I*(X;Y), rounded down; infinite when no question is answered by every y.

    The larger, the less every answer tells. A single answer can tell more: see `privacy_by_leakage`.

    >>> privacy_by_maximin(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")]))
    1.0

    Inequalities:
        * `P1 <= P2` where values are counted, since `I*(X;Y) <= L0(X;Y)`.
    """
    information = maximin(joint)
    return inverse(information) if isinstance(information, Bits) else 0.0


def inverse(bits: Bits | Nats) -> float:
    """1 / an amount of information, rounded down; infinite of nothing."""
    if isinstance(bits, Bits):
        above = log2_bounds(bits.ratio)[1]
        return round_down(1 / above) if above else math.inf
    if bits.ratio == 1:
        return math.inf
    return 0.0 if bits.ratio == math.inf else round_down(1 / Fraction(bits.upper))
