"""A release with contiguous cells: what it gives away, what it costs, how far others could be better."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from noiseless.arrays import IntArray
from noiseless.display import html_table, text_table
from noiseless.exact import Bits
from noiseless.measures import leakage, maximin
from noiseless.ranges import JointRange
from noiseless.search.contiguous.counting import least_cell_size
from noiseless.search.contiguous.order import OrderedRange
from noiseless.search.contiguous.sweep import Loss, Sweep


@dataclass(frozen=True, eq=False, repr=False)
class ContiguousRelease:
    """Contiguous cells with the least loss for their posterior and the largest posterior for their loss.

    All numbers are recounted from the cells; only `at_least` and what follows from it rests on a theorem.

    Attributes:
        line: the public values in order, with their sensitive sets.
        begins: the number of the first value of each cell.
        loss: by which loss it is optimal among contiguous cells.
        asked: the posterior that was asked for, for which the loss is the least; `posterior` can be larger.
            Where the loss was bounded, the posterior that it allows.
    """

    line: OrderedRange
    begins: IntArray
    loss: Loss
    asked: int

    @cached_property
    def sizes(self) -> IntArray:
        """How many public values each cell holds."""
        return np.diff(self.begins, append=len(self.line))

    @cached_property
    def cells(self) -> IntArray:
        """The cell of each public value, in the coding of the joint range that was given."""
        cells = np.empty(len(self.line), np.int64)
        cells[self.line.order] = np.repeat(np.arange(len(self.begins)), self.sizes)
        return cells

    @cached_property
    def joint(self) -> JointRange:
        """[[S, Xh]]: the sensitive values behind each cell."""
        return self.line.joint.merged(np.repeat(np.arange(len(self.begins)), self.sizes))

    @cached_property
    def posterior(self) -> int:
        """The fewest different sensitive values behind a cell."""
        return int(self.joint.posterior_sizes.min())

    @property
    def leakage(self) -> Bits:
        """L0(S -> Xh)."""
        return leakage(self.joint)

    @property
    def maximin(self) -> Bits:
        """I*(S; Xh)."""
        return maximin(self.joint)

    @cached_property
    def intervals(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The lowest and the highest value of each cell."""
        ends = self.begins + self.sizes - 1
        places, low, unit = self.line.places, self.line.lowest, self.line.unit
        return tuple(
            (low + int(places[i]) * unit, low + int(places[j]) * unit)
            for i, j in zip(self.begins, ends, strict=True)
        )

    @property
    def codewords(self) -> tuple[Fraction, ...]:
        """What is released for each cell: its midrange, the point whose furthest value is nearest."""
        return tuple((low + high) / 2 for low, high in self.intervals)

    @cached_property
    def distortion(self) -> Fraction:
        """The largest distance of a value from its codeword: half the width of the widest cell."""
        return Fraction(self._width) / 2 * self.line.unit

    @cached_property
    def centroid_distortion(self) -> Fraction:
        """The same if the mean of a cell's values were released ([P3]): up to twice as much, never less."""
        worst = Fraction(0)
        for begin, size in zip(self.begins.tolist(), self.sizes.tolist(), strict=True):
            values = [int(place) for place in self.line.places[begin : begin + size]]
            centre = Fraction(sum(values), size)
            worst = max(worst, centre - values[0], values[-1] - centre)
        return worst * self.line.unit

    @property
    def largest_cell(self) -> int:
        """The most public values in a cell."""
        return int(self.sizes.max())

    @property
    def resolution(self) -> Bits:
        """U1 = I0(X -> Xh) = log2 |X| / max |cell|."""
        return Bits(Fraction(len(self.line), self.largest_cell))

    @cached_property
    def at_least(self) -> Fraction:
        """No partition at all with the posterior that was asked for has a smaller loss than this.

        Distortion: every value lies in a run with k sensitive values, and two values far apart do not share
        theirs. Resolution (the size of the largest cell): by counting.
        """
        if self.loss == "resolution":
            return Fraction(least_cell_size(self.line.joint, self.asked))
        width = Sweep(self.line).least_of_any(self.asked, self._width)
        return Fraction(width, 2) * self.line.unit

    @property
    def gap(self) -> Fraction:
        """By how much any other partition with the posterior asked for could be better, at most."""
        return self._lost - self.at_least

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no partition at all with the posterior asked for loses less."""
        return not self.gap

    @property
    def scope(self) -> Literal["all", "contiguous"]:
        """Among which partitions the loss is proved to be the least."""
        return "all" if self.optimal else "contiguous"

    @property
    def _lost(self) -> Fraction:
        return self.distortion if self.loss == "distortion" else Fraction(self.largest_cell)

    @property
    def _width(self) -> int:
        places = self.line.places
        return int(max(places[self.begins + self.sizes - 1] - places[self.begins]))

    def _rows(self) -> dict[str, str]:
        of = f"{self.line.joint.size_x:,} sensitive values"
        return {
            "cells": f"{len(self.begins):,} for {len(self.line):,} values",
            "fewest values left": f"{self.posterior:,} of {of}",
            "leakage": str(self.leakage),
            "distortion": str(self.distortion),
            "largest cell": f"{self.largest_cell:,} values",
            "optimal among": f"{self.scope} cells that leave {self.asked:,} ({self.loss})",
            "no partition below": str(self.at_least),
        }

    def __repr__(self) -> str:
        return text_table("Contiguous release", self._rows())

    def _repr_html_(self) -> str:
        return html_table("Contiguous release", self._rows())
