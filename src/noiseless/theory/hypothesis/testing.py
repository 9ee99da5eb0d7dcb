"""Tests of a hypothesis: where they are correct, how well they perform and which of them are the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal

from noiseless.errors import RequestError
from noiseless.theory.hypothesis.ranges import HypothesisRanges, Outputs, null_predicate
from noiseless.theory.hypothesis.sizes import Amount, amount, as_outputs, log_ratio, size_of

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
        return log_ratio(size_of(self.correct), size_of(self.ranges.outputs), counted=self.ranges.counted)

    @property
    def error(self) -> Amount:
        """The log of the size of `errors` (after (8) of [P2])."""
        return amount(size_of(self.errors), counted=self.ranges.counted)

    @property
    def is_consistent(self) -> bool:
        """Whether it never names a hypothesis that the output excludes (Definition 2 of [P2])."""
        return not (self.null - self.ranges.p0) and not (self.alternative - self.ranges.p1)
