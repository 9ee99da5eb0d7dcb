"""Finite joint distributions with exact probabilities."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import ChannelError, RequestError
from noiseless.ranges import JointRange
from noiseless.tables.kernels import run_starts
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic.weights import Numbers, Weights, group_sums, narrowed, times, whole

_ROUNDING = Fraction(1, 10**9)
"""How far probabilities may be from summing to 1: decimals that were rounded when they were written."""

_MOST_BITS = 2**33
"""The most memory, in bits, that exact weights may take when a prior is exchanged: a gigabyte."""


class Reference(NamedTuple):
    """What an adversary knows before y is seen: for each pair P(x|a) = x_weights / totals[y]."""

    x_weights: Weights
    totals: Weights
    cells: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class JointDistribution:
    """P(x,y) over a finite joint range: whole-number weights, so that each probability is an exact rational.

    Only pairs that can occur are kept. Values of X and Y that never occur are left out; the labels of the
    support then tell which code stands for which row or column.

    Attributes:
        support: [[X,Y]], the pairs with a positive probability.
        weights: the weight of each pair, in the support's order; P(x,y) is its share of `total`.
    """

    support: JointRange
    weights: Weights

    @classmethod
    def from_counts(
        cls,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        counts: Numbers | None = None,
        x_labels: Sequence[Any] | None = None,
        y_labels: Sequence[Any] | None = None,
    ) -> Self:
        """From pairs of codes and how often each occurs: the empirical distribution of a table.

        Args:
            x: the code of x in each pair.
            y: the code of y in each pair; pairs may repeat, their counts are added.
            counts: how often each occurs (whole numbers or any other weights); once each when None.
            x_labels: what the codes of x stand for.
            y_labels: the same for y.

        Raises:
            RequestError: lengths differ, a code or count is negative or no number, or nothing occurs.

        >>> JointDistribution.from_counts([0, 0, 1], [0, 1, 1], [2, 1, 1]).x_marginal
        (Fraction(3, 4), Fraction(1, 4))
        """
        xs, ys = _codes(x, "x"), _codes(y, "y")
        masses = whole(np.ones(len(xs), np.int64) if counts is None else counts, "counts")[0]
        if not len(xs) == len(ys) == masses.size or masses.ndim != 1:
            raise RequestError(
                f"{len(xs):,} codes of x, {len(ys):,} of y and {masses.size:,} counts do not match"
            )
        kept = masses != 0
        if not kept.any():
            raise RequestError("a distribution needs at least one pair with a positive count")
        xs, x_labels = _dense(xs[kept], x_labels)
        ys, y_labels = _dense(ys[kept], y_labels)
        size_x = int(xs.max()) + 1
        keys = ys * size_x + xs
        order = np.argsort(keys, kind="stable")
        starts = run_starts(keys[order])
        weights = group_sums(masses[kept][order], np.append(starts, len(order)))
        rows, columns = xs[order][starts], ys[order][starts]
        return cls(JointRange.from_sorted(rows, columns, size_x, x_labels, y_labels), weights)

    @classmethod
    def from_matrix(cls, matrix: Numbers) -> Self:
        """From P(x,y) as a matrix with a row for each x; floats, fractions and decimals are taken exactly.

        A sum that is 1 but for rounding is divided out, exactly.

        Raises:
            RequestError: it is no matrix, an entry is negative or no finite number, or the sum is not 1.

        >>> JointDistribution.from_matrix([[0.5, 0.25], [0, 0.25]])
        JointDistribution(2 x 2 values, 3 pairs)
        """
        weights, unit = whole(matrix, "probabilities")
        if weights.ndim != 2 or not weights.size:  # noqa: PLR2004 - a matrix
            raise RequestError(
                "a joint distribution is a matrix with a row for each x and a column for each y"
            )
        _check_sum(weights, unit, "probabilities")
        x, y = np.nonzero(weights)
        return cls.from_counts(x, y, weights[x, y])

    @classmethod
    def from_channel(cls, channel: npt.ArrayLike | Channel, prior: Numbers | None = None) -> Self:
        """From P(y|x) and P(x), uniform when None.

        Rows are made to sum to 1 exactly by adding what rounding left to their largest entry, so X has
        exactly the prior that is given. Inputs of probability 0 are left out.

        Raises:
            ChannelError: the matrix is no channel.
            RequestError: the prior does not fit the channel or does not sum to 1.
        """
        checked = Channel.of(channel)
        rows = exact_rows(checked)
        shares = np.ones(checked.inputs, np.int64) if prior is None else _prior(prior, checked.inputs)
        x, y = np.nonzero(rows)
        return cls.from_counts(x, y, narrowed(rows[x, y].astype(object) * shares[x]))

    @classmethod
    def uniform(cls, joint: JointRange) -> Self:
        """Every pair of a joint range equally likely; `with_prior()` then makes X uniform instead."""
        return cls(joint, np.ones(len(joint), np.int64))

    def __repr__(self) -> str:
        return f"JointDistribution({self.size_x} x {self.size_y} values, {len(self.weights)} pairs)"

    @property
    def size_x(self) -> int:
        """How many values of X can occur."""
        return self.support.size_x

    @property
    def size_y(self) -> int:
        """How many values of Y can occur."""
        return self.support.size_y

    @cached_property
    def total(self) -> int:
        """The sum of all weights."""
        return int(self.weights.sum())

    @cached_property
    def x_weights(self) -> Weights:
        """The weight of each x."""
        order = np.argsort(self.support.x, kind="stable")
        ends = np.append(0, np.cumsum(self.support.support_sizes))
        return group_sums(self.weights[order], ends)

    @cached_property
    def y_weights(self) -> Weights:
        """The weight of each y."""
        return group_sums(self.weights, self.support.starts)

    @property
    def x_marginal(self) -> tuple[Fraction, ...]:
        """P(x) for each code of x."""
        return tuple(Fraction(weight, self.total) for weight in self.x_weights.tolist())

    def posterior(self, y: int) -> dict[Hashable, Fraction]:
        """P(x|y) for the values of x that can be behind the code y, by label."""
        start, end = self.support.starts[y : y + 2]
        labels = self.support.x_labels
        return {
            (x if labels is None else labels[x]): Fraction(weight, int(self.y_weights[y]))
            for x, weight in zip(
                self.support.x[start:end].tolist(), self.weights[start:end].tolist(), strict=True
            )
        }

    def channel(self) -> Channel:
        """P(y|x) as a matrix of floats, each rounded once."""
        rows = self.x_weights[self.support.x].tolist()
        matrix = np.zeros((self.size_x, self.size_y))
        matrix[self.support.x, self.support.y] = [
            a / b for a, b in zip(self.weights.tolist(), rows, strict=True)
        ]
        return Channel(matrix)

    def swapped(self) -> "JointDistribution":
        """P(y,x)."""
        order = np.argsort(self.support.x, kind="stable")
        return JointDistribution(self.support.swapped(), self.weights[order])

    def with_prior(self, prior: Numbers | None = None) -> "JointDistribution":
        """The same P(y|x) with another P(x), uniform when None; exact.

        Raises:
            RequestError: the prior does not fit, or exact weights would take more than a gigabyte.
        """
        shares = np.ones(self.size_x, np.int64) if prior is None else _prior(prior, self.size_x)
        common = int(np.lcm.reduce(np.unique(self.x_weights).astype(object)))
        if common.bit_length() * len(self.weights) > _MOST_BITS:
            raise RequestError("P(y|x) has too many different denominators; give a channel of floats instead")
        scales = shares * (common // self.x_weights.astype(object))
        x, y = self.support.x, self.support.y
        weights = narrowed(self.weights * scales[x])
        return JointDistribution.from_counts(x, y, weights, self.support.x_labels, self.support.y_labels)

    def merged(self, cells: npt.ArrayLike) -> "JointDistribution":
        """P(x, Q(y)): the distribution when y is only seen as its cell, given for each y."""
        cell_of = _cells(cells, self.size_y)
        x = self.support.x
        return JointDistribution.from_counts(x, cell_of[self.support.y], self.weights, self.support.x_labels)

    def through(self, channel: npt.ArrayLike | Channel) -> "JointDistribution":
        """P(x,z) when y is passed on through P(z|y): X - Y - Z.

        Raises:
            ChannelError: the matrix is no channel, or has not one input for each y.
        """
        checked = Channel.of(channel)
        if checked.inputs != self.size_y:
            raise ChannelError(
                f"the channel has {checked.inputs:,} inputs where Y has {self.size_y:,} values"
            )
        rows = exact_rows(checked).astype(object)
        weights = self.weights.astype(object)[:, None] * rows[self.support.y]
        x = np.repeat(self.support.x, checked.outputs)
        z = np.tile(np.arange(checked.outputs), len(self.weights))
        return JointDistribution.from_counts(x, z, narrowed(weights.ravel()), self.support.x_labels)

    def reference(self, given: npt.ArrayLike | None = None) -> Reference:
        """What is known of X before y is seen.

        Args:
            given: side information as the cell of each y (y is then a pair (y', a), and its cell is a).
        """
        x, y = self.support.x, self.support.y
        if given is None:
            totals = np.full(self.size_y, self.total, np.int64 if self.weights.dtype != object else object)
            return Reference(self.x_weights[x], totals, np.zeros(self.size_y, np.int64))
        cells = _dense(_cells(given, self.size_y), None)[0]
        alone = self.merged(cells)
        keys = alone.support.y * self.size_x + alone.support.x
        places = np.searchsorted(keys, cells[y] * self.size_x + x)
        return Reference(alone.weights[places], alone.y_weights[cells], cells)

    def is_independent(self, given: npt.ArrayLike | None = None) -> bool:
        """Whether X and Y are independent (given A), exactly."""
        known = self.reference(given)
        if not self.support.is_unrelated(None if given is None else known.cells):
            return False
        y = self.support.y
        joint = times(self.weights, known.totals[y])
        return bool(np.all(joint == times(known.x_weights, self.y_weights[y])))


def exact_rows(channel: Channel) -> Weights:
    """Whole-number weights of a channel's rows, all rows having the same sum."""
    rows, unit = whole(channel.matrix, "probabilities")
    largest = channel.matrix.argmax(axis=1)
    missing = unit - rows.astype(object).sum(axis=1)
    if not missing.any():
        return rows
    wide = rows.astype(object)
    wide[np.arange(len(wide)), largest] += missing
    return wide


def as_distribution(source: "JointDistribution | Channel") -> JointDistribution:
    """A channel with a uniform prior, for measures that do not depend on the prior."""
    return JointDistribution.from_channel(source) if isinstance(source, Channel) else source


def _prior(prior: Numbers, size: int) -> Weights:
    shares, unit = whole(prior, "prior's probabilities")
    if shares.shape != (size,):
        raise RequestError(f"the prior must have one probability for each of the {size:,} values of X")
    _check_sum(shares, unit, "prior's probabilities")
    return shares.astype(object)


def _check_sum(weights: Weights, unit: int, what: str) -> None:
    if abs(Fraction(int(weights.sum()), unit) - 1) > _ROUNDING:
        raise RequestError(f"the {what} do not sum to 1; divide them by their sum")


def _codes(values: npt.ArrayLike, name: str) -> IntArray:
    codes = np.asarray(values)
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
        raise RequestError(f"the codes of {name} must be a list of whole numbers")
    if codes.size and codes.min() < 0:
        raise RequestError(f"the codes of {name} must not be negative")
    return codes.astype(np.int64)


def _cells(cells: npt.ArrayLike, size: int) -> IntArray:
    codes = _codes(cells, "the cells")
    if len(codes) != size:
        raise RequestError(f"{len(codes):,} cells were given for {size:,} values of Y; give one for each")
    return codes


def _dense(codes: IntArray, labels: Sequence[Any] | None) -> tuple[IntArray, Sequence[Any] | None]:
    """Codes renumbered 0, 1, 2, ... in their order; the labels say which ones were left out.

    Marking the codes that occur, where they are not sparse, makes `from_counts` twice as fast as sorting.
    """
    size = int(codes.max()) + 1
    if size > 4 * len(codes) + 1000:
        present, codes = np.unique(codes, return_inverse=True)
    else:
        met = np.zeros(size, bool)
        met[codes] = True
        if met.all():
            return codes, labels
        present, codes = np.flatnonzero(met), (np.cumsum(met) - 1)[codes]
    named = present.tolist() if labels is None else [labels[code] for code in present.tolist()]
    return codes, tuple(named)
