"""The chosen-pair game on finite mechanisms: can one of two values of a record be told from the other?"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.theory.hypothesis.privacy import Amount
from noiseless.theory.hypothesis.ranges import HypothesisRanges

Dataset = tuple[Any, ...]

_MOST_DATASETS = 2**22
_MOST_VALUES = 2**12

_ROWS = 256
"""How many values are compared with all others at a time."""

_DENSE = 2**24
"""Up to this many entries a full matrix is worth its memory ..."""

_THIN = 32
"""... if more than one entry in this many is 1."""


@dataclass(frozen=True, eq=False, repr=False)
class FiniteMechanism:
    """The output for each dataset of n records, every record ranging over its own finite domain.

    >>> total = FiniteMechanism.of(sum, [(0, 1), (0, 1, 2)])
    >>> total, total.reach, sorted(total.given(0, 1))
    (FiniteMechanism(2 records, 6 datasets, 4 outputs), 3, [1, 2, 3])

    Attributes:
        domains: the values that each record can take.
        codes: the code of the output of each dataset, datasets in the order of `itertools.product`.
        outputs: what the codes stand for, [[Y]].
    """

    domains: tuple[tuple[Any, ...], ...]
    codes: IntArray
    outputs: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        mechanism: Callable[[Dataset], Hashable] | Mapping[Dataset, Hashable],
        domains: Sequence[Sequence[Any]],
    ) -> Self:
        """Enumerate a mechanism. Outputs that compare equal are one output.

        Args:
            mechanism: a function of a dataset (a tuple with a value for each record), or a mapping from
                datasets to outputs.
            domains: the values of each record.

        Raises:
            RequestError: there is no record, a domain is empty, repeats a value or has more than 4,096, there
                are more than 4,194,304 datasets, the mapping leaves one out, or an output is not hashable.
        """
        values = tuple(tuple(domain) for domain in domains)
        _check(values)
        answer = _looked_up(mechanism) if isinstance(mechanism, Mapping) else mechanism
        names: dict[Any, int] = {}
        codes = [_code(names, answer(dataset)) for dataset in itertools.product(*values)]
        return cls(values, np.array(codes, np.int64), tuple(names))

    def __repr__(self) -> str:
        counts = f"{self.records} records, {len(self.codes):,} datasets, {len(self.outputs):,} outputs"
        return f"FiniteMechanism({counts})"

    @property
    def records(self) -> int:
        """How many records a dataset has."""
        return len(self.domains)

    def varying(self, record: int) -> IntArray:
        """The codes as an array over (earlier records, the value of this one, later records)."""
        after = math.prod(len(domain) for domain in self.domains[record + 1 :])
        return self.codes.reshape(-1, len(self.domains[record]), after)

    def given(self, record: int, value: Hashable) -> frozenset[Any]:
        """[[Y|x_i]]: what can come out when one record has that value and the others may be anything.

        Raises:
            RequestError: there is no such record, or the value is not in its domain.
        """
        position = self.position(record, value)
        codes = np.unique(self.varying(record)[:, position, :])
        return frozenset(self.outputs[code] for code in codes.tolist())

    def pair(self, record: int, value: Hashable, other: Hashable) -> HypothesisRanges[frozenset[Any]]:
        """Whether one record is `value` (p0) or `other` (p1), the other records being unknown."""
        return HypothesisRanges(self.given(record, value), self.given(record, other))

    def position(self, record: int, value: Hashable) -> int:
        """Where a value stands in the domain of a record."""
        if not 0 <= record < self.records:
            raise RequestError(f"there is no record {record}; they are numbered 0 to {self.records - 1}")
        try:
            return self.domains[record].index(value)
        except ValueError:
            raise RequestError(f"the value given is not in the domain of record {record}") from None

    def image(self, record: int) -> IntArray:
        """How many outputs record i can cause for all that others can be, in `itertools.product` order."""
        rows = np.sort(np.moveaxis(self.varying(record), 1, 2), axis=2)
        changes: IntArray = np.count_nonzero(np.diff(rows, axis=2), axis=2)
        return 1 + changes.ravel()

    @cached_property
    def reach(self) -> int:
        """The largest number of outputs that one individual can cause (Definition 1 of [P1])."""
        return max(int(self.image(record).max()) for record in range(self.records))


def _code(names: dict[Any, int], output: Hashable) -> int:
    try:
        return names.setdefault(output, len(names))
    except TypeError:
        raise RequestError("an output is not hashable; return numbers, texts or tuples of them") from None


def _looked_up(table: Mapping[Dataset, Hashable]) -> Callable[[Dataset], Hashable]:
    def answer(dataset: Dataset) -> Hashable:
        if dataset not in table:
            raise RequestError("the table of outputs leaves a dataset out; give one for every combination")
        return table[dataset]

    return answer


def _check(domains: tuple[tuple[Any, ...], ...]) -> None:
    if not domains or not all(domains):
        raise RequestError("a mechanism needs at least one record, and each record at least one value")
    if any(_repeats(domain) for domain in domains):
        raise RequestError("a domain holds a value twice, or one that is not hashable; give each value once")
    if max(map(len, domains)) > _MOST_VALUES or math.prod(map(len, domains)) > _MOST_DATASETS:
        raise RequestError(
            f"enumeration stops at {_MOST_VALUES:,} values a record and {_MOST_DATASETS:,} datasets; "
            "take coarser domains or fewer records"
        )


def _repeats(domain: tuple[Any, ...]) -> bool:
    try:
        return len(set(domain)) < len(domain)
    except TypeError:
        return True


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


class WorstPair(NamedTuple):
    """Two values of a record by position that the most outputs tell apart.

    Attributes:
        record: the record.
        value: the position of the one value in its domain.
        other: that of the other.
        decided: how many outputs tell them apart.
        separated: whether some pair of values of one record shares no output.
    """

    record: int
    value: int
    other: int
    decided: int
    separated: bool


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
    worst = compared_pairs(mechanism)
    if worst is None:
        return None
    domain = mechanism.domains[worst.record]
    value, other = domain[worst.value], domain[worst.other]
    return ChosenPair(worst.record, value, other, mechanism.pair(worst.record, value, other))


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


def compared_pairs(mechanism: FiniteMechanism) -> WorstPair | None:
    """Compare all pairs of values of each record; None when every domain has one value."""
    blocks = [block for record in range(mechanism.records) for block in _by_blocks(mechanism, record)]
    if not blocks:
        return None
    worst = max(blocks, key=lambda block: block.decided)
    return worst._replace(separated=any(block.separated for block in blocks))


def _by_blocks(mechanism: FiniteMechanism, record: int) -> Iterator[WorstPair]:
    """The first pair of each block of pairs that the most outputs tell apart."""
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
        row, other = divmod(int(np.where(later, decided, -1).argmax()), count)
        separated = bool((later & (common == 0)).any())
        yield WorstPair(record, start + row, other, int(decided[row, other]), separated)


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
