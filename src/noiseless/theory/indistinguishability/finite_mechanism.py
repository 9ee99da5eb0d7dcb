"""Deterministic mechanisms over few datasets, as a table of their outputs: everything can be enumerated."""

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.theory.hypothesis.ranges import HypothesisRanges

Dataset = tuple[Any, ...]

_MOST_DATASETS = 2**22
_MOST_VALUES = 2**12


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
        found = np.unique(self.varying(record)[:, position, :])
        return frozenset(self.outputs[code] for code in found.tolist())

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
