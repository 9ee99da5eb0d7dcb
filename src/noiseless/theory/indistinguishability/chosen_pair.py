"""The chosen-pair game: an adversary names two values for one record and must tell which of them went in."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from noiseless.exact import Bits
from noiseless.theory.hypothesis.ranges import HypothesisRanges
from noiseless.theory.hypothesis.sizes import Amount
from noiseless.theory.indistinguishability.finite_mechanism import FiniteMechanism

_ROWS = 256
"""How many values are compared with all others at a time."""

_DENSE = 2**24
"""Up to this many entries a full matrix is worth its memory ..."""

_THIN = 32
"""... if more than one entry in so many is 1."""


@dataclass(frozen=True)
class ChosenPair:
    """A move of the adversary and what it is worth.

    Attributes:
        record: which record, from 0.
        value: the one value (p0).
        other: the other value (p1).
        ranges: what can come out with either.
        known: the values of the other records in order, if the adversary knows them.
    """

    record: int
    value: Any
    other: Any
    ranges: HypothesisRanges[Any]
    known: tuple[Any, ...] | None = None

    @property
    def bound(self) -> Amount:
        """The best performance of any test of which value went in (Theorem 2 of [P2])."""
        return self.ranges.bound

    @property
    def always_told_apart(self) -> bool:
        """Whether every output gives the value away."""
        return not self.ranges.undecided


@dataclass(frozen=True)
class KnownOthers:
    """The game when the adversary knows all other records (section III-C of [P1]).

    Each value then causes one output. The best test is right on both outputs (1 bit) if they differ and
    nowhere (-inf) if they agree. Theorem 3 of [P1] bounds it by log2 of the reach, which is 0 for a
    constant and at least 1 otherwise: **the bound says nothing from 1 bit on.**

    Attributes:
        reach: the reach of the mechanism.
        pair: a move that wins for certain; None when there is none, for constant mechanisms only.
    """

    reach: int
    pair: ChosenPair | None

    @property
    def performance(self) -> Amount:
        """P(T) of the best test against the best move: 1 bit, or -inf."""
        return -float("inf") if self.pair is None else self.pair.bound

    @property
    def limit(self) -> Bits:
        """log2 of the reach, the bound of Theorem 3 of [P1]."""
        return Bits(self.reach)

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound would hold of every mechanism: from 1 bit on."""
        return self.reach > 1


class Comparison(NamedTuple):
    """Two values of a record by position: how many outputs tell them apart, how many can come from both."""

    record: int
    value: int
    other: int
    decided: int
    undecided: int


class Extremes(NamedTuple):
    """Of all pairs of values of one record, the first with the most decided and with the fewest undecided."""

    most_decided: Comparison
    fewest_undecided: Comparison


def worst_pair(mechanism: FiniteMechanism) -> ChosenPair | None:
    """The move with the highest bound when the other records are unknown (section 6 of [P2]).

    With the others unknown, an output decides when only one of the two values can cause it.

    >>> pair = worst_pair(FiniteMechanism.of(sum, [(0, 1, 2)] * 3))
    >>> pair.record, pair.value, pair.other, str(pair.ranges)
    (0, 0, 2, 'surely p0: 2, surely p1: 2, undecided: 3')

    Returns:
        The first such move in the order of records and values; None when every domain has one value.

    Inequalities:
        * No test of which value went in performs better than the pair's `bound` (Theorem 2 of [P2]).
    """
    found = extremes(mechanism)
    return None if found is None else _move(mechanism, found.most_decided)


def separated_pair(mechanism: FiniteMechanism) -> ChosenPair | None:
    """A move after which *every* output gives the value away, if there is one.

    A small symmetric difference does not exclude it: the outputs may be few altogether.
    """
    found = extremes(mechanism)
    if found is None or found.fewest_undecided.undecided:
        return None
    return _move(mechanism, found.fewest_undecided)


def known_others(mechanism: FiniteMechanism) -> KnownOthers:
    """The game of [P1]: the adversary knows the other records.

    With everybody else known, either value causes one output: the best test is right on both, or nowhere.

    >>> game = known_others(FiniteMechanism.of(lambda x: sum(x) >= 2, [(0, 1)] * 3))
    >>> game.limit, game.performance, game.pair.known, game.is_vacuous
    (Bits(2), Bits(2), (0, 1), True)

    Inequalities:
        * `performance <= log2 reach`: Theorem 3 of [P1]; from 1 bit on it says nothing.
    """
    for record in range(mechanism.records):
        telling = np.flatnonzero(mechanism.image(record) > 1)
        if len(telling):
            return KnownOthers(mechanism.reach, _certain_move(mechanism, record, int(telling[0])))
    return KnownOthers(mechanism.reach, None)


def _certain_move(mechanism: FiniteMechanism, record: int, others: int) -> ChosenPair:
    codes = np.moveaxis(mechanism.varying(record), 1, 2).reshape(-1, len(mechanism.domains[record]))[others]
    second = int(np.argmax(codes != codes[0]))
    rest = [domain for index, domain in enumerate(mechanism.domains) if index != record]
    places = np.unravel_index(others, [len(domain) for domain in rest]) if rest else ()
    domain = mechanism.domains[record]
    return ChosenPair(
        record,
        domain[0],
        domain[second],
        HypothesisRanges(*(frozenset({mechanism.outputs[codes[place]]}) for place in (0, second))),
        tuple(values[int(place)] for values, place in zip(rest, places, strict=True)),
    )


def extremes(mechanism: FiniteMechanism) -> Extremes | None:
    """Compare all pairs of values of each record; None when every domain has one value."""
    found = [pair for record in range(mechanism.records) for pair in _by_blocks(mechanism, record)]
    if not found:
        return None
    return Extremes(max(found, key=lambda c: c.decided), min(found, key=lambda c: c.undecided))


def _by_blocks(mechanism: FiniteMechanism, record: int) -> Iterator[Comparison]:
    """Of each block of pairs, one with the most decided and one with the fewest undecided outputs."""
    count = len(mechanism.domains[record])
    if count == 1:
        return
    possible = _possible(mechanism, record)
    sizes = np.asarray(possible.sum(axis=1)).astype(np.int64)
    transposed = possible.T if isinstance(possible, np.ndarray) else possible.T.tocsr()
    for start in range(0, count - 1, _ROWS):
        product = possible[start : start + _ROWS] @ transposed
        common = (product if isinstance(product, np.ndarray) else product.toarray()).astype(np.int64)
        decided = sizes[start : start + _ROWS, None] + sizes[None, :] - 2 * common
        later = np.arange(count)[None, :] > np.arange(start, start + len(common))[:, None]
        most = np.where(later, decided, -1).argmax()
        fewest = np.where(later, common, len(mechanism.outputs) + 1).argmin()
        for place in (int(most), int(fewest)):
            row, other = divmod(place, count)
            yield Comparison(record, start + row, other, int(decided[row, other]), int(common[row, other]))


def _possible(mechanism: FiniteMechanism, record: int) -> Any:  # noqa: ANN401 - an array or a sparse one
    """A 0/1 matrix: which outputs (columns) each value of the record (rows) can cause.

    Single precision counts exactly up to 2^24, more outputs than there are datasets.
    """
    codes = mechanism.varying(record)
    shape = codes.shape[1], len(mechanism.outputs)
    keys = (codes + np.arange(shape[0])[None, :, None] * shape[1]).ravel()
    if shape[0] * shape[1] <= _DENSE:
        dense = np.zeros(shape[0] * shape[1], np.float32)
        dense[keys] = 1
        if np.count_nonzero(dense) * _THIN >= dense.size:
            return dense.reshape(shape)
    from scipy.sparse import csr_array

    rows, columns = np.divmod(np.unique(keys), shape[1])
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape)


def _move(mechanism: FiniteMechanism, found: Comparison) -> ChosenPair:
    domain = mechanism.domains[found.record]
    value, other = domain[found.value], domain[found.other]
    return ChosenPair(found.record, value, other, mechanism.pair(found.record, value, other))
