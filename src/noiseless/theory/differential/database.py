"""Randomised mechanisms on small databases, as a finite array P(y|x_1..x_n)."""

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Rational
from noiseless.theory.differential.closeness import ROUNDING, Distribution, distribution

AnyArray = npt.NDArray[Any]

_SMALLEST = 1e-300
"""Probabilities below this would lose their digits as floats."""

_TOO_SMALL = "a probability is positive but below 1e-300; leave it out"


@dataclass(frozen=True, eq=False, repr=False)
class Database:
    """P(y|x_1..x_n): an axis for each entry of the database, the last axis for the output.

    `Database.of` and `Database.from_function` check what a user gives; the constructor trusts its caller.

    >>> Database.of([[[1, 0], [0.5, 0.5]], [[0.5, 0.5], [0, 1]]])
    Database(2 entries of 2 x 2 values, 2 outputs)

    Attributes:
        given: the probabilities as they were given: floats, or exact fractions as Python objects.
        floats: the same as floats, each row divided by its sum.
    """

    given: AnyArray
    floats: FloatArray

    @classmethod
    def of(cls, probabilities: "npt.ArrayLike | Sequence[Any] | Database") -> Self:
        """Check an array of `int`, `float`, `Fraction` or `Decimal`.

        Raises:
            ChannelError: it is no array with at least two axes, an entry is negative, no finite number or
                positive but below 1e-300, or some probabilities of the output do not sum to 1.
        """
        if isinstance(probabilities, Database):
            return cls(probabilities.given, probabilities.floats)
        try:
            array = np.asarray(probabilities)
            given = array if array.dtype == object else array.astype(np.float64, casting="same_kind")
        except (TypeError, ValueError):
            raise ChannelError("a mechanism is an array of numbers, all rows equally long") from None
        if given.ndim < 2 or not given.size:  # noqa: PLR2004 - an entry and the output
            raise ChannelError(
                "a mechanism is an array with an axis for each entry and a last one for the output"
            )
        if given.dtype == object:
            given = _exact_rows(given)
        floats = given.astype(np.float64)
        _check(floats)
        floats /= floats.sum(axis=-1, keepdims=True)
        return cls(given, floats)

    @classmethod
    def from_function(
        cls,
        mechanism: Callable[..., Mapping[Any, Rational | float] | Hashable],
        *domains: Sequence[Any],
    ) -> Self:
        """Enumerate a mechanism over the values of each entry.

        Args:
            mechanism: takes a value for each entry; gives the probability of each output as a mapping, or the
                one output itself when it is deterministic.
            domains: the values of each entry.

        >>> Database.from_function(lambda a, b: {a ^ b: 0.75, 1 - (a ^ b): 0.25}, (0, 1), (0, 1))
        Database(2 entries of 2 x 2 values, 2 outputs)

        Raises:
            RequestError: there is no entry, or a domain is empty.
            ChannelError: some probabilities do not sum to 1.
        """
        if not domains or not all(len(domain) for domain in domains):
            raise RequestError("a database has at least one entry, and each entry at least one value")
        answers = [_mapping(mechanism(*values)) for values in itertools.product(*domains)]
        columns = {output: j for j, output in enumerate(dict.fromkeys(itertools.chain(*answers)))}
        array = np.full((len(answers), len(columns)), Fraction(), object)
        for row, answer in zip(array, answers, strict=True):
            for output, probability in answer.items():
                row[columns[output]] = probability
        return cls.of(array.reshape(*map(len, domains), len(columns)))

    def __repr__(self) -> str:
        values = " x ".join(map(str, self.sizes))
        plural = "entry" if self.entries == 1 else "entries"
        return f"Database({self.entries} {plural} of {values} values, {self.outputs} outputs)"

    @property
    def entries(self) -> int:
        """How many entries (individuals) there are: n."""
        return self.given.ndim - 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each entry can take."""
        return self.given.shape[:-1]

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return int(self.given.shape[-1])

    @property
    def is_deterministic(self) -> bool:
        """Whether every output is certain."""
        return bool(((self.floats == 0) | (self.floats == 1)).all())

    def row(self, *values: int) -> Distribution:
        """P(y|x_1..x_n) for the values with these numbers, exactly."""
        return distribution(self.given[values].tolist())

    def lines(self, entry: int) -> FloatArray:
        """For all that others can be, the channel from record i to y: an array of (others, own, y)."""
        return self._lines(self.floats, entry)

    def given_lines(self, entry: int) -> AnyArray:
        """The same with the probabilities as they were given."""
        return self._lines(self.given, entry)

    def _lines(self, array: AnyArray, entry: int) -> AnyArray:
        moved = np.moveaxis(array, self._checked(entry), -2)
        return np.ascontiguousarray(moved).reshape(-1, *moved.shape[-2:])

    def grouped(self, *entries: int) -> "Database":
        """The same mechanism with these entries taken for one, which comes first: a group of individuals."""
        group = [self._checked(entry) for entry in entries]
        if not group or len(set(group)) < len(group):
            raise RequestError("a group is one entry or several different ones")
        size = math.prod(self.sizes[entry] for entry in group)
        return Database(*(_merged(array, group, size) for array in (self.given, self.floats)))

    def flattened(self) -> "Database":
        """The whole database taken for one entry."""
        return self.grouped(*range(self.entries))

    def _checked(self, entry: int) -> int:
        if not 0 <= entry < self.entries:
            raise RequestError(f"there is no entry {entry}; entries count from 0 to {self.entries - 1}")
        return entry


def _merged(array: AnyArray, group: list[int], size: int) -> AnyArray:
    moved = np.moveaxis(array, group, range(len(group)))
    return np.ascontiguousarray(moved).reshape(size, *moved.shape[len(group) :])


def _mapping(answer: Mapping[Any, Rational | float] | Hashable) -> Mapping[Any, Rational | float]:
    return answer if isinstance(answer, Mapping) else {answer: 1}


def _exact_rows(given: AnyArray) -> AnyArray:
    """Fractions that sum to exactly 1 in each row."""
    exact = np.empty_like(given)
    for place in np.ndindex(*given.shape[:-1]):
        row = distribution(given[place].tolist())
        if any(0 < entry < _SMALLEST for entry in row):
            raise ChannelError(_TOO_SMALL)
        exact[place] = row
    return exact


def _check(floats: FloatArray) -> None:
    if not np.isfinite(floats).all():
        raise ChannelError("a probability is no finite number")
    if (floats < 0).any():
        raise ChannelError("a probability is negative; probabilities lie in 0..1")
    if ((floats > 0) & (floats < _SMALLEST)).any():
        raise ChannelError(_TOO_SMALL)
    off = np.abs(np.minimum(floats, 2).sum(axis=-1) - 1) > float(ROUNDING)  # huge ones do not overflow
    if off.any():
        raise ChannelError(
            f"the probabilities do not sum to 1 for {int(off.sum()):,} of {off.size:,} databases; "
            "divide them by their sums"
        )
