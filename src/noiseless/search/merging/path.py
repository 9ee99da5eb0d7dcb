"""The path of a merging algorithm: every merge, and what is given away and kept after each."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, log2_bounds
from noiseless.search.loss import Lagrangian, Length, Lengths, Loss, Objective, Utility
from noiseless.search.problem import Cells


class PathLimits(TypedDict, total=False):
    """Limits on a point of a path. A number is that many bits; a float is the rational that it is."""

    min_posterior: int | None
    max_leakage: Bits | Rational | float | None
    max_maximin: Bits | Rational | float | None
    max_distortion: Length | Rational | float | None
    min_resolution: Bits | Rational | float | None


_SURE = 1e-9
"""Two Lagrangians whose floats differ by more (relative to their size) differ that way."""


@dataclass(frozen=True, eq=False, repr=False)
class MergePath:
    """All that one run of a merging algorithm passes through; point t is reached after t merges.

    Attributes:
        objective: what the merges lower: `leakage` (Algorithm 1 of [P3]), `maximin` (Algorithm 2), or `both`
            (problem (7): leakage, with no maximin information left at the end).
        utility: what they try to keep: `resolution` (U1) or `distortion` (U2).
        size: how many public values there are.
        kept: for each merge, the cell (named by its first value) that takes in
        absorbed: this other one.
        rounds: the points at which the paper's iterations end, the first being 0.
        leaks: the numerators and denominators of the leakage's argument at each point.
        components: how many values of S (blocks of them) can be told apart at each point.
        min_posteriors: the smallest posterior set at each point.
        largest_cells: how many values the largest cell holds.
        distortions: the largest distortion, if there is a codebook.
        weight: the multiplier, for `both`: there the merges depend on it.
    """

    objective: Objective
    utility: Utility
    size: int
    kept: IntArray
    absorbed: IntArray
    rounds: IntArray
    leaks: tuple[IntArray, IntArray]
    components: IntArray
    min_posteriors: IntArray
    largest_cells: IntArray
    distortions: Lengths | None
    weight: Fraction | None = None

    def __len__(self) -> int:
        """How many points there are: one more than merges."""
        return len(self.kept) + 1

    def __repr__(self) -> str:
        return (
            f"MergePath({self.objective} against {self.utility}: {self.size} values, {len(self) - 1} merges)"
        )

    def __getitem__(self, index: int) -> "MergePoint":
        return MergePoint(self, range(len(self))[index])

    def __iter__(self) -> Iterator["MergePoint"]:
        return (self[t] for t in range(len(self)))

    @property
    def last(self) -> "MergePoint":
        """Where the path ends."""
        return self[-1]

    def first_rise(self, weight: Rational | float) -> "MergePoint":
        """The stop of [P3]: the end of the last iteration before one that does not lower the Lagrangian."""
        self._free("first_rise")
        exact, rounds = Fraction(weight), self.rounds
        floats = self._floats(exact)[rounds]
        sure = np.diff(floats) < -_SURE * (1 + np.abs(floats[:-1]))
        for step in np.flatnonzero(~sure):
            before, after = int(rounds[step]), int(rounds[step + 1])
            if self.lagrangian(after, exact) >= self.lagrangian(before, exact):
                return self[before]
        return self.last

    def best(self, weight: Rational | float, points: IntArray | None = None) -> "MergePoint":
        """The point of the path, or of some points, with the smallest Lagrangian; of several the first.

        Args:
            weight: the multiplier lambda.
            points: the points to look at (see `within`), ascending; all of them if not given.
        """
        self._free("best")
        exact = Fraction(weight)
        chosen = np.arange(len(self)) if points is None else points
        floats = self._floats(exact)[chosen]
        least = floats.min()
        near = chosen[floats <= least + _SURE * (1 + abs(least))]
        found: dict[tuple[Fraction, Loss], int] = {}
        for t in near.tolist():
            found.setdefault((self.leak(t), self.loss(t)), t)
        return self[min(found.values(), key=lambda t: self.lagrangian(t, exact))]

    def meeting(self, **limits: Unpack[PathLimits]) -> "MergePoint | None":
        """The best point within limits, or None if the path has none.

        With a limit on what is given away it is the point with the least loss of the utility; with limits on
        the loss alone, the one that gives away least.
        """
        points = self.within(**limits)
        protects = any(limits.get(name) is not None for name in _PROTECTING)
        if not len(points):
            return None
        return self[self.least(points, "loss", "leak") if protects else self.least(points, "leak", "loss")]

    def within(self, **limits: Unpack[PathLimits]) -> IntArray:
        """The points that keep to limits, ascending.

        What is given away never grows along a path, and cells never shrink.
        """
        asked: dict[str, Any] = {
            name: Fraction(limit) if isinstance(limit, float) else limit
            for name, limit in limits.items()
            if limit is not None
        }
        low = max((self._first(name, asked[name]) for name in _PROTECTING if name in asked), default=0)
        points = np.arange(low, len(self))
        if "min_resolution" in asked:
            points = np.arange(low, self._first("min_resolution", asked["min_resolution"]))
        if "max_distortion" in asked:
            points = points[self._measured.within(asked["max_distortion"])[points]]
        return points

    def _first(self, name: str, limit: Any) -> int:  # noqa: ANN401 - a limit of any kind
        """The first point that keeps to a limit on what is given away, or that breaks one on what is lost."""
        return bisect_left(range(len(self)), True, key=lambda t: _TESTS[name](self[t], limit))

    def frontier(self) -> "list[MergePoint]":
        """The points of the path that no other beats in what is given away and in the loss together."""
        leaks, losses = self._ranks["leak"], self._ranks["loss"]
        order = np.lexsort((losses, leaks))  # from the least leak on
        least = np.minimum.accumulate(losses[order])
        unbeaten = order[np.append(True, losses[order][1:] < least[:-1])]
        return [self[t] for t in unbeaten[::-1].tolist()]

    def leak(self, t: int) -> Fraction:
        """What the algorithm lowers, as the argument of a logarithm."""
        if self.objective == "maximin":
            return Fraction(int(self.components[t]))
        return Fraction(int(self.leaks[0][t]), int(self.leaks[1][t]))

    def loss(self, t: int) -> Loss:
        """What it costs: log2 of the largest cell, or the largest distortion."""
        if self.utility == "resolution":
            return Bits(int(self.largest_cells[t]))
        return self._measured[t]

    def lagrangian(self, t: int, weight: Rational | float) -> Lagrangian:
        """log2(leak) + weight * loss; the Lagrangian of [P3] up to a constant."""
        return Lagrangian(self.leak(t), self.loss(t), Fraction(weight))

    def _free(self, name: str) -> None:
        if self.weight is not None:
            raise RequestError(
                f"`{name}` chooses among merges that do not depend on the weight; these do: see `last`"
            )

    @cached_property
    def leak_floats(self) -> FloatArray:
        """About the logarithms of what the algorithm lowers, at each point."""
        leaks = self.components if self.objective == "maximin" else self.leaks[0] / self.leaks[1]
        return np.asarray(np.log2(leaks), np.float64)

    @cached_property
    def loss_floats(self) -> FloatArray:
        """About what it costs, at each point."""
        return np.log2(self.largest_cells) if self.utility == "resolution" else self._measured.floats

    @property
    def _measured(self) -> Lengths:
        if self.distortions is None:
            raise RequestError("the distortion was not measured: no codebook was given")
        return self.distortions

    def _floats(self, weight: Fraction) -> FloatArray:
        if weight < 0:
            raise RequestError("a weight is not negative")
        return self.leak_floats + float(weight) * self.loss_floats

    @cached_property
    def _ranks(self) -> dict[str, IntArray]:
        """Numbers for the points, smaller ones where the leak or the loss is smaller. Leaks never grow."""
        tops, bottoms = self.leaks
        if self.objective == "maximin":
            tops, bottoms = self.components, np.ones_like(self.components)
        falls = tops[1:] * bottoms[:-1] != tops[:-1] * bottoms[1:]
        loss = self.largest_cells if self.utility == "resolution" else self._measured.ranks
        return {"leak": -np.cumsum(np.append(0, falls)), "loss": loss}

    def least(self, points: IntArray, *by: Literal["leak", "loss"]) -> int:
        """Of some points the first with the least of something; of several, with the least of the next."""
        return int(points[np.lexsort([self._ranks[name][points] for name in by[::-1]])[0]])


@dataclass(frozen=True, eq=False, repr=False)
class MergePoint:
    """A point of a path: the cells after this many merges, and what they are worth.

    Attributes:
        path: the path.
        merges: how many merges were made.
    """

    path: MergePath
    merges: int

    @property
    def leakage(self) -> Bits:
        """L0(S -> Xh), or L0(S -> Xh|A)."""
        return Bits(Fraction(int(self.path.leaks[0][self.merges]), int(self.path.leaks[1][self.merges])))

    @property
    def maximin(self) -> Bits:
        """I*(S; Xh), or I*(S; (Xh, A))."""
        return Bits(int(self.path.components[self.merges]))

    @property
    def min_posterior(self) -> int:
        """How few sensitive values an answer leaves at least."""
        return int(self.path.min_posteriors[self.merges])

    @property
    def resolution(self) -> Bits:
        """U1 = I0(X -> Xh): log2 |X| / max |cell|."""
        return Bits(Fraction(self.path.size, int(self.path.largest_cells[self.merges])))

    @property
    def distortion(self) -> Length | None:
        """-U2: the largest distance of a public value to its cell's codeword; None without a codebook."""
        return None if self.path.distortions is None else self.path.distortions[self.merges]

    @cached_property
    def cells(self) -> Cells:
        """The partition of the public values."""
        roots = np.arange(self.path.size)
        roots[self.path.absorbed[: self.merges]] = self.path.kept[: self.merges]
        while True:  # a cell is named by its first value, so each step leads to a lower number
            further = roots[roots]
            if np.array_equal(further, roots):
                return Cells.from_labels(roots)
            roots = further

    def __repr__(self) -> str:
        distortion = "" if self.distortion is None else f", distortion {self.distortion}"
        kept = math.floor(log2_bounds(self.resolution.ratio)[0] * 100) / 100  # what is kept rounds down
        return (
            f"MergePoint({self.merges} merges: leakage {self.leakage}, maximin {self.maximin}, min posterior "
            f"{self.min_posterior}, resolution {kept:.2f} bits{distortion})"
        )


_TESTS: dict[str, Callable[[MergePoint, Any], bool]] = {
    "min_posterior": lambda point, limit: point.min_posterior >= limit,
    "max_leakage": lambda point, limit: point.leakage <= limit,
    "max_maximin": lambda point, limit: point.maximin <= limit,
    "min_resolution": lambda point, limit: point.resolution < limit,
}
_PROTECTING = ("min_posterior", "max_leakage", "max_maximin")
"""Limits on what is given away."""
