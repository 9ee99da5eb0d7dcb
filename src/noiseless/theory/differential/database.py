"""Finite mechanisms P(y|x_1..x_n) on small databases, and how close the distributions of answers are."""

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from numbers import Rational as AnyRational
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from noiseless.arrays import FloatArray
from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Nats, Rational, as_fraction, ball, ball_above
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    exponential_ball,
    rational_exponential,
    read_delta,
    read_epsilon,
)

Distribution = tuple[Fraction, ...]
Probabilities = Sequence[Rational | float]

ROUNDING = Fraction(1, 10**9)
"""How far a sum may be from 1: decimals that were rounded when they were written."""

_PRECISION = 128

AnyArray = npt.NDArray[Any]

_SMALLEST = Fraction("1e-300")
"""Probabilities below this would lose their digits as floats."""

_NEGATIVE = "a probability is negative; probabilities lie in 0..1"


def distribution(probabilities: Probabilities) -> Distribution:
    """Check probabilities and divide them by their exact sum.

    Raises:
        ChannelError: an entry is negative or no finite number, or they do not sum to 1.

    >>> distribution([0.5, Decimal("0.25"), Fraction(1, 4)])
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    """
    exact = tuple(_exact(entry) for entry in probabilities)
    if any(entry < 0 for entry in exact):
        raise ChannelError(_NEGATIVE)
    total = sum(exact, Fraction())
    if abs(total - 1) > ROUNDING:
        raise ChannelError("the probabilities do not sum to 1; divide them by their sum")
    return exact if total == 1 else tuple(entry / total for entry in exact)


def _exact(entry: Rational | float) -> Fraction:
    try:
        return as_fraction(entry) if isinstance(entry, AnyRational | Decimal) else Fraction(float(entry))
    except (TypeError, ValueError, OverflowError):
        raise ChannelError("a probability is no finite number") from None


def pair(p: Probabilities, q: Probabilities) -> tuple[Distribution, Distribution]:
    """Two distributions over the same outcomes.

    Raises:
        ChannelError: one is no distribution, or they are of different length.
    """
    first, second = distribution(p), distribution(q)
    if len(first) != len(second):
        raise ChannelError(
            f"distributions over {len(first)} and {len(second)} outcomes; give both over the same"
        )
    return first, second


def total_variation(p: Probabilities, q: Probabilities) -> Fraction:
    """||P - Q|| = max_A P(A) - Q(A), exactly: the delta of (0, delta)-closeness ((8) of [P5]).

    How much likelier an event can be under one distribution than under the other.

    >>> total_variation([Fraction(9, 10), Fraction(1, 10), 0], [Fraction(9, 10), 0, Fraction(1, 10)])
    Fraction(1, 10)

    Inequalities:
        * `TV <= tanh(epsilon/2)` for (epsilon, 0)-close distributions.
        * `TV^2 <= D(P||Q) / 2`: Pinsker's inequality ((12) of [P5]).
    """
    return Fraction(hockey_stick(p, q))


def hockey_stick(p: Probabilities, q: Probabilities, epsilon: Epsilon = 0) -> Fraction | float:
    """max_A P(A) - e^epsilon Q(A), one way: a fraction where e^epsilon is rational, else rounded up.

    An epsilon `Nats(r)` stands for the exact ln r.

    >>> hockey_stick([0.75, 0.25], [0.25, 0.75], Nats(2)), hockey_stick([0.75, 0.25], [0.25, 0.75], Nats(3))
    (Fraction(1, 4), Fraction(0, 1))
    """
    first, second = pair(p, q)
    exact = read_epsilon(epsilon)
    event = [
        (a, b)
        for a, b in zip(first, second, strict=True)
        if a > b and (b == 0 or (exact is not None and Nats(a / b) > exact))
    ]
    inside, outside = sum((a for a, _ in event), Fraction()), sum((b for _, b in event), Fraction())
    if exact is None or outside == 0:
        return inside
    factor = rational_exponential(exact)
    if factor is not None:
        return inside - factor * outside
    with ctx.workprec(_PRECISION + outside.denominator.bit_length()):
        return max(0.0, ball_above(ball(inside) - exponential_ball(exact) * ball(outside)))


def smallest_delta(p: Probabilities, q: Probabilities, epsilon: Epsilon = 0) -> Fraction | float:
    """The smallest delta with which P and Q are (epsilon, delta)-close (Definition 4 of [P5]), both ways.

    The largest P(A) - e^epsilon Q(A) over all events A, and the other way round.

    >>> smallest_delta([Fraction(1, 10), Fraction(9, 10)], [0, 1], epsilon=3)
    Fraction(1, 10)

    Inequalities:
        * `delta <= TV(P,Q)`, with equality at epsilon 0; it does not rise with epsilon.
    """
    return max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def smallest_epsilon(p: Probabilities, q: Probabilities, delta: Delta = 0) -> Nats:
    """The smallest epsilon with which P and Q are (epsilon, delta)-close, exactly; it may be infinite.

    e^epsilon is the largest (P(A) - delta) / Q(A), and such an A holds the outcomes of largest P / Q.

    >>> smallest_epsilon([0.75, 0.25], [0.25, 0.75]), smallest_epsilon([0.75, 0.25], [0.25, 0.75], 0.25)
    (Nats(3), Nats(2))
    >>> smallest_epsilon([1, 0], [0.5, 0.5]).is_finite
    False

    Inequalities:
        * `max(D(P||Q), D(Q||P)) <= epsilon tanh(epsilon/2)` and `TV(P,Q) <= tanh(epsilon/2)`, both for
          delta 0.
    """
    first, second = pair(p, q)
    exact = read_delta(delta)
    return Nats(max(_smallest_factor(first, second, exact), _smallest_factor(second, first, exact)))


def _smallest_factor(p: Distribution, q: Distribution, delta: Fraction) -> Fraction | float:
    surprises = sum((a for a, b in zip(p, q, strict=True) if b == 0), Fraction())
    if surprises > delta:
        return math.inf
    common = sorted(
        ((a, b) for a, b in zip(p, q, strict=True) if b > 0), key=lambda ab: ab[0] / ab[1], reverse=True
    )
    inside = accumulate((a for a, _ in common), initial=surprises)
    outside = accumulate((b for _, b in common), initial=Fraction())
    ratios = ((a - delta) / b for a, b in zip(inside, outside, strict=True) if b > 0)
    return max(Fraction(1), *ratios)


def is_close(p: Probabilities, q: Probabilities, epsilon: Epsilon, delta: Delta = 0) -> bool:
    """Whether P(A) <= e^epsilon Q(A) + delta and Q(A) <= e^epsilon P(A) + delta for every A, decided exactly.

    >>> is_close([0.75, 0.25], [0.25, 0.75], Decimal("1.0986")), is_close([0.75, 0.25], [0.25, 0.75], 1.0987)
    (False, True)
    """
    exact = read_epsilon(epsilon)
    needed = smallest_epsilon(p, q, delta)
    if exact is None or not needed.is_finite:
        return needed.is_finite
    return needed <= exact


def divergence(p: Probabilities, q: Probabilities) -> float:
    """D(P||Q) in nats, rounded up; infinite when P can do what Q cannot.

    The sum of p ln(p/q): how fast samples of P show that they are none of Q.

    >>> divergence([0.5, 0.5], [0.5, 0.5]), divergence([1, 0], [0, 1])
    (0.0, inf)

    Inequalities:
        * `2 TV(P,Q)^2 <= D(P||Q)`: Pinsker's inequality ((12) of [P5]).
        * `D(P||Q) <= epsilon tanh(epsilon/2)` for (epsilon, 0)-close distributions.
    """
    return divergence_bounds(p, q)[1]


def divergence_bounds(p: Probabilities, q: Probabilities) -> tuple[float, float]:
    """Floats below and above D(P||Q) in nats."""
    first, second = pair(p, q)
    if first == second:
        return 0.0, 0.0
    if any(a > 0 and b == 0 for a, b in zip(first, second, strict=True)):
        return math.inf, math.inf
    with ctx.workprec(_PRECISION):
        terms = [ball(a) * ball(a / b).log() for a, b in zip(first, second, strict=True) if a > 0]
        total = sum(terms, arb(0))
        return max(0.0, -ball_above(-total)), ball_above(total)


def largest_divergence(p: Probabilities, q: Probabilities) -> float:
    """The larger of D(P||Q) and D(Q||P), rounded up: what KL-DP bounds (Definition 7 of [P5])."""
    return max(divergence(p, q), divergence(q, p))


@dataclass(frozen=True, eq=False, repr=False)
class Database:
    """P(y|x_1..x_n): an axis for each entry of the database, the last axis for the output.

    `Database.of` and `Database.from_function` check what a user gives; the constructor trusts its caller.

    >>> Database.of([[[1, 0], [0.5, 0.5]], [[0.5, 0.5], [0, 1]]])
    Database(2 entries of 2 x 2 values, 2 outputs)

    Attributes:
        exact: the probabilities as fractions; those of an output sum to exactly 1.
    """

    exact: AnyArray

    @classmethod
    def of(cls, probabilities: "npt.ArrayLike | Sequence[Any] | Database") -> Self:
        """Check an array of `int`, `float`, `Fraction` or `Decimal`.

        Raises:
            ChannelError: it is no array with at least two axes, an entry is negative, no finite number or
                positive but below 1e-300, or some probabilities of the output do not sum to 1.
        """
        if isinstance(probabilities, Database):
            return cls(probabilities.exact)
        try:
            array = np.asarray(probabilities)
            given = array if array.dtype == object else array.astype(np.float64, casting="same_kind")
        except (TypeError, ValueError):
            raise ChannelError("a mechanism is an array of numbers, all rows equally long") from None
        if given.ndim < 2 or not given.size:  # noqa: PLR2004 - an entry and the output
            raise ChannelError(
                "a mechanism is an array with an axis for each entry and a last one for the output"
            )
        return cls(_exact_rows(given))

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
        told = [mechanism(*values) for values in itertools.product(*domains)]
        answers = [answer if isinstance(answer, Mapping) else {answer: 1} for answer in told]
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

    @cached_property
    def floats(self) -> FloatArray:
        """The probabilities as floats."""
        return self.exact.astype(np.float64)

    @property
    def entries(self) -> int:
        """How many entries (individuals) there are: n."""
        return self.exact.ndim - 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each entry can take."""
        return self.exact.shape[:-1]

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return int(self.exact.shape[-1])

    @property
    def is_deterministic(self) -> bool:
        """Whether every output is certain."""
        return bool(((self.floats == 0) | (self.floats == 1)).all())

    def row(self, *values: int) -> Distribution:
        """P(y|x_1..x_n) for the values with these numbers, exactly."""
        return tuple(self.exact[values].tolist())

    def lines(self, entry: int) -> FloatArray:
        """For all that others can be, the channel from record i to y: an array of (others, own, y)."""
        return self._lines(self.floats, entry)

    def exact_lines(self, entry: int) -> AnyArray:
        """The same in fractions."""
        return self._lines(self.exact, entry)

    def _lines(self, array: AnyArray, entry: int) -> AnyArray:
        moved = np.moveaxis(array, self._checked(entry), -2)
        return np.ascontiguousarray(moved).reshape(-1, *moved.shape[-2:])

    def grouped(self, *entries: int) -> "Database":
        """The same mechanism with these entries taken for one, which comes first: a group of individuals."""
        group = [self._checked(entry) for entry in entries]
        if not group or len(set(group)) < len(group):
            raise RequestError("a group is one entry or several different ones")
        size = math.prod(self.sizes[entry] for entry in group)
        moved = np.moveaxis(self.exact, group, range(len(group)))
        return Database(np.ascontiguousarray(moved).reshape(size, *moved.shape[len(group) :]))

    def flattened(self) -> "Database":
        """The whole database taken for one entry."""
        return self.grouped(*range(self.entries))

    def _checked(self, entry: int) -> int:
        if not 0 <= entry < self.entries:
            raise RequestError(f"there is no entry {entry}; entries count from 0 to {self.entries - 1}")
        return entry


def _exact_rows(given: AnyArray) -> AnyArray:
    """Fractions that sum to exactly 1 in each row."""
    exact = np.array([_exact(entry) for entry in given.ravel().tolist()], object).reshape(given.shape)
    if (exact < 0).any():
        raise ChannelError(_NEGATIVE)
    if ((exact > 0) & (exact < _SMALLEST)).any():
        raise ChannelError("a probability is positive but below 1e-300; leave it out")
    sums = exact.sum(axis=-1, keepdims=True)
    off = abs(sums - 1) > ROUNDING
    if off.any():
        raise ChannelError(
            f"the probabilities do not sum to 1 for {int(off.sum()):,} of {off.size:,} databases; "
            "divide them by their sums"
        )
    return np.asarray(exact / sums)
