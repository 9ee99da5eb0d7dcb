"""Hypothesis tests without probability: which outputs give a hypothesis away, and how good a test can be."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from noiseless.errors import RequestError
from noiseless.ranges import JointRange
from noiseless.theory.continuous import BoxSet, IntervalSet
from noiseless.theory.hypothesis.privacy import (
    Amount,
    Privacy,
    Size,
    amount,
    as_outputs,
    quotient,
    size_of,
)

Outputs = TypeVar("Outputs", frozenset[Any], IntervalSet, BoxSet)

Rule = Callable[[Any], object] | Mapping[Any, object]
"""Which hypothesis holds for a value: True or "p0" for the null hypothesis, False or "p1" for the other."""


class OutputSizes(NamedTuple):
    """The sizes of the three parts of [[Y]]; they add up to its size."""

    surely_p0: Size
    surely_p1: Size
    undecided: Size


@dataclass(frozen=True, repr=False)
class HypothesisRanges(Generic[Outputs]):
    """[[Y|p0]] and [[Y|p1]]: the outputs possible under the null hypothesis and under the alternative.

    The outputs are a finite set, counted in bits, or a continuous one, measured in nats. `of`, `from_pairs`
    and `from_joint` check what a user gives; the constructor trusts its caller.

    >>> height = HypothesisRanges.of("[90, 160]", "(140, 260]")
    >>> print(height)
    surely p0: 50, surely p1: 100, undecided: 20
    >>> height.bound, height.privacy().amount
    (Nats(150), Nats(17/15))

    Attributes:
        p0: the outputs that some x with the null hypothesis causes.
        p1: the outputs that some x with the alternative causes.
    """

    p0: Outputs
    p1: Outputs

    @classmethod
    def of(cls, p0: Any, p1: Any) -> "HypothesisRanges[Any]":  # noqa: ANN401 - sets of any kind
        """From the two sets: collections of hashable values, interval sets (or their text), or box sets.

        Raises:
            RequestError: a set is empty (a hypothesis that cannot hold needs no test), or one is finite and
                the other continuous.
        """
        first, second = as_outputs(p0), as_outputs(p1)
        if type(first) is not type(second):
            raise RequestError("both ranges must be finite, both interval sets, or both box sets")
        if not first or not second:
            which = "null" if not first else "alternative"
            raise RequestError(f"no output goes with the {which} hypothesis: there is nothing to test")
        return HypothesisRanges(first, second)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Any, Hashable]], null: Rule) -> "HypothesisRanges[Any]":
        """From a finite joint range of (x, y) and the hypothesis of each x.

        >>> die = HypothesisRanges.from_pairs([(x, x % 2) for x in range(1, 7)], lambda x: x == 6)
        >>> sorted(die.surely_p1), sorted(die.undecided)
        ([1], [0])

        Args:
            pairs: the pairs, repeats allowed.
            null: a predicate, or a mapping with the hypothesis of each x: True or "p0", False or "p1".

        Raises:
            RequestError: as for `of`; or a hypothesis is none of the four values.
        """
        holds = null_predicate(null)
        outputs: tuple[set[Hashable], set[Hashable]] = (set(), set())
        for x, y in pairs:
            outputs[0 if holds(x) else 1].add(y)
        return cls.of(*outputs)

    @classmethod
    def from_joint(cls, joint: JointRange, null: Rule | Sequence[object]) -> "HypothesisRanges[Any]":
        """From a `JointRange` and the hypothesis of each x, by label or as a sequence over the codes of X.

        >>> joint = JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])
        >>> HypothesisRanges.from_joint(joint, ["p0", "p1", "p1"]).surely_p1
        frozenset({'high'})
        """
        if callable(null) or isinstance(null, Mapping):
            holds = null_predicate(null)
            labels = joint.x_labels if joint.x_labels is not None else range(joint.size_x)
            verdicts = [holds(label) for label in labels]
        else:
            verdicts = [_means_null(entry) for entry in null]
        if len(verdicts) != joint.size_x:
            raise RequestError(
                f"{len(verdicts):,} hypotheses for {joint.size_x:,} values of X; give one for each"
            )
        outputs = joint.y_labels if joint.y_labels is not None else range(joint.size_y)
        pairs = zip(joint.x.tolist(), joint.y.tolist(), strict=True)
        return cls.from_pairs(((x, outputs[y]) for x, y in pairs), dict(enumerate(verdicts)))

    def __str__(self) -> str:
        parts = self.sizes
        return f"surely p0: {parts[0]}, surely p1: {parts[1]}, undecided: {parts[2]}"

    def __repr__(self) -> str:
        return f"HypothesisRanges({self})"

    @property
    def counted(self) -> bool:
        """Whether outputs are counted (bits) rather than measured (nats)."""
        return isinstance(self.p0, frozenset)

    @property
    def outputs(self) -> Outputs:
        """[[Y]], all outputs."""
        return self.p0 | self.p1

    @property
    def surely_p0(self) -> Outputs:
        """The outputs behind which only the null hypothesis can be."""
        return self.p0 - self.p1

    @property
    def surely_p1(self) -> Outputs:
        """The outputs behind which only the alternative can be."""
        return self.p1 - self.p0

    @property
    def undecided(self) -> Outputs:
        """The outputs behind which either can be."""
        return self.p0 & self.p1

    @property
    def decided(self) -> Outputs:
        """The symmetric difference: the outputs that give the hypothesis away."""
        return self.p0 ^ self.p1

    @property
    def sizes(self) -> OutputSizes:
        """The sizes of the three parts."""
        return OutputSizes(size_of(self.surely_p0), size_of(self.surely_p1), size_of(self.undecided))

    @property
    def entropy(self) -> Amount:
        """H0(Y) or h0(Y)."""
        return self._log(self.outputs)

    @property
    def bound(self) -> Amount:
        """The best performance of any test: log of the size of `decided` (Theorem 2 of [P2])."""
        return self._log(self.decided)

    @property
    def smallest_error(self) -> Amount:
        """The smallest combined size of the errors of any test (after (8) of [P2]): that of `undecided`."""
        return self._log(self.undecided)

    @property
    def leakage(self) -> Amount:
        """L0(Y;H) = max_p log |[[Y]]| / |[[Y|p]]|; infinite when a hypothesis leaves a set of measure 0.

        Raises:
            RequestError: [[Y]] has measure 0, or the ranges are unbounded.
        """
        smaller = min(size_of(self.p0), size_of(self.p1))
        return amount(quotient(size_of(self.outputs), smaller), counted=self.counted)

    def privacy(self, x: Any = None) -> Privacy:  # noqa: ANN401 - a set or a size
        """Priv, (9) and (10) of [P2]: H0(Y), or H0(X) if [[X]] is given, less the bound of Theorem 2.

        The paper defines it with [[Y]]; some of its claims hold with [[X]] only, so the result names its
        reference.

        Args:
            x: [[X]] as a set, or its size (count or measure) as a number; None refers to [[Y]].

        Raises:
            RequestError: the sizes are both 0 or both infinite, or one is a count and the other a measure.
        """
        decided = size_of(self.decided)
        if x is None:
            return Privacy("Y", size_of(self.outputs), decided, counted=self.counted)
        if isinstance(x, Size):
            return Privacy("X", x, decided, counted=self.counted)
        values = as_outputs(x)
        if isinstance(values, frozenset) != self.counted:
            raise RequestError("[[X]] and [[Y]] must both be counted or both be measured to be compared")
        return Privacy("X", size_of(values), decided, counted=self.counted)

    def _log(self, outputs: Outputs) -> Amount:
        return amount(size_of(outputs), counted=self.counted)


def null_predicate(rule: Rule) -> Callable[[Any], bool]:
    """The predicate "the null hypothesis holds" behind a rule.

    Raises:
        RequestError: it gives something else than True, False, "p0" and "p1", or nothing for a value.
    """
    if not isinstance(rule, Mapping):
        return lambda value: _means_null(rule(value))

    def looked_up(value: Any) -> bool:  # noqa: ANN401 - a key
        if value not in rule:
            raise RequestError("the mapping to hypotheses leaves a value out; give one for each")
        return _means_null(rule[value])

    return looked_up


def _means_null(verdict: object) -> bool:
    if isinstance(verdict, bool | np.bool_):
        return bool(verdict)
    if verdict in ("p0", "p1"):
        return verdict == "p0"
    raise RequestError('a hypothesis is True or "p0" for the null hypothesis, False or "p1" for the other')


Verdict = Literal["p0", "p1"]


@dataclass(frozen=True, repr=False)
class HypothesisTest(Generic[Outputs]):
    """A test T: [[Y]] -> {p0, p1}, given by the outputs for which it says p0.

    `of` and `consistent` check what a user gives; the constructor trusts its caller.

    >>> ranges = HypothesisRanges.of("[90, 160]", "(140, 260]")
    >>> test = HypothesisTest.of(ranges, "[90, 150]")
    >>> print(test.correct, test.is_consistent, test.relative_performance)
    [90, 140] | (160, 260] True -0.1251 nats

    Attributes:
        ranges: what is tested.
        null: the outputs for which it says p0.
    """

    ranges: HypothesisRanges[Outputs]
    null: Outputs

    @classmethod
    def of(cls, ranges: HypothesisRanges[Outputs], null: Any) -> "HypothesisTest[Outputs]":  # noqa: ANN401
        """The test that says p0 on a set of outputs and p1 on all others.

        Args:
            ranges: what is tested.
            null: that set (or the text of an interval set); for finite outputs also a predicate, or a mapping
                with the verdict of each output: True or "p0", False or "p1".

        Raises:
            RequestError: the set is of another kind than the outputs, or a verdict is none of the four.
        """
        outputs = ranges.outputs
        if callable(null) or isinstance(null, Mapping):
            if not isinstance(outputs, frozenset):
                raise RequestError("a test of continuous outputs is given by the set where it says p0")
            says_null = null_predicate(null)
            null = frozenset(y for y in outputs if says_null(y))
        accepted = as_outputs(null)
        if type(accepted) is not type(outputs):
            raise RequestError("the set where a test says p0 must be of the same kind as the outputs")
        return HypothesisTest(ranges, accepted & outputs)

    @classmethod
    def consistent(
        cls, ranges: HypothesisRanges[Outputs], undecided: Verdict = "p0"
    ) -> "HypothesisTest[Outputs]":
        """A consistent test, and so an optimal one (Theorem 1 of [P2]).

        Args:
            ranges: what is tested.
            undecided: what it says where either hypothesis is possible.
        """
        return HypothesisTest(ranges, ranges.p0 if undecided == "p0" else ranges.surely_p0)

    def __call__(self, y: Any) -> Verdict:  # noqa: ANN401 - an output
        """What the test says of an output.

        Raises:
            RequestError: it is no output.
        """
        if y not in self.ranges.outputs:
            raise RequestError("the test was asked about a value that is no output")
        return "p0" if y in self.null else "p1"

    def __repr__(self) -> str:
        return f"HypothesisTest(correct on {size_of(self.correct)} of {size_of(self.ranges.outputs)})"

    @property
    def alternative(self) -> Outputs:
        """The outputs for which it says p1."""
        return self.ranges.outputs - self.null

    @property
    def correct(self) -> Outputs:
        """The outputs at which every x behind them has the hypothesis it names (Definition 1 of [P2])."""
        return (self.null & self.ranges.surely_p0) | (self.alternative & self.ranges.surely_p1)

    @property
    def errors(self) -> Outputs:
        """The outputs at which it is not correct, errors of both types together."""
        return self.ranges.outputs - self.correct

    @property
    def performance(self) -> Amount:
        """P(T) = log of the size of `correct`, (6) and (7) of [P2]."""
        return amount(size_of(self.correct), counted=self.ranges.counted)

    @property
    def relative_performance(self) -> Amount:
        """P(T) less the entropy of Y."""
        share = quotient(size_of(self.correct), size_of(self.ranges.outputs))
        return amount(share, counted=self.ranges.counted)

    @property
    def error(self) -> Amount:
        """The log of the size of `errors` (after (8) of [P2])."""
        return amount(size_of(self.errors), counted=self.ranges.counted)

    @property
    def is_consistent(self) -> bool:
        """Whether it never names a hypothesis that the output excludes (Definition 2 of [P2])."""
        return not (self.null - self.ranges.p0) and not (self.alternative - self.ranges.p1)
