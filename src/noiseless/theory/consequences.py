"""What noiseless privacy means for one person: every consequence of [P1], beside what it does not bound."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.display import Facts, Shown, counted
from noiseless.exact import Bits, Nats, Rational, round_down
from noiseless.pricing.plan import Plan
from noiseless.pricing.reach import QuantizedQuery, Reach
from noiseless.theory.estimation import estimation_error_bound
from noiseless.theory.posteriors import Posterior, smallest_posterior

TELLS_SOMETHING = 2
"""With this many outputs two records can be told apart."""

LIMITS = (
    "It is about one record, everybody else's being what they are; the number of records is public.",
    "If the others are unknown and unrelated, I*(X_i;Y) keeps the bound, but L0(Y;X_i) need not.",
    "If records are related (two equal ones, a family) no bound here holds for what they have in common.",
)
"""What every certificate says of itself."""


@dataclass(frozen=True, repr=False)
class Consequences(Shown):
    """The certificate of an eps-noiselessly private answer: what it means, and what it does not.

    For fixed, known others I*(X_i;Y) <= L0s(X_i;Y) <= L0(Y;X_i) <= eps (Theorem 1 of [P1]); for the worst of
    others all of them are eps, answers being functions of records.

    Attributes:
        reach: how many answers one person can cause, and whether somebody really can.
        posterior: the smallest set of values that an answer leaves of a record.
    """

    reach: Reach
    posterior: Posterior

    @property
    def bits(self) -> Bits:
        """The guarantee eps = log2(reach) (Definition 1 of [P1]).

        For known others it bounds I*(X_i;Y), L0s(X_i;Y) and L0(Y;X_i) (Theorem 1), what a record can send
        without error, an answer (Theorem 2), and for any prior the maximal leakage from record to answer
        (Theorem 5). For unknown, unrelated others I*(X_i;Y) keeps the bound; L0(Y;X_i) need not.
        """
        return self.reach.bits

    @property
    def entropy_of_record(self) -> Bits | float:
        """H0(X_i), the bits there are to protect; infinite for any number of an interval."""
        return Bits(self.posterior.whole) if self.posterior.counted else math.inf

    @property
    def test_performance(self) -> Bits | float:
        """No test of a hypothesis about a record performs better (Theorem 3): log2 of the telling answers.

        Minus infinity for a constant answer, which tells nothing for sure. From 1 bit on the bound says
        nothing: two values with two answers are told apart for sure, and that is a performance of 1 bit.
        """
        return -math.inf if self.reach.outputs < TELLS_SOMETHING else self.bits

    @property
    def tests_are_bounded(self) -> bool:
        """Whether Theorem 3 says anything: only when answers are constant in each record."""
        return self.reach.outputs < TELLS_SOMETHING

    @property
    def smallest_posterior(self) -> Fraction:
        """The fewest values (or the shortest length) that some answer leaves of a record, others known."""
        return self.posterior.smallest

    @property
    def record_leakage(self) -> Bits | Nats:
        """L0(X_i;Y) for known others, which eps does not bound: the shrinking of the posterior set."""
        whole, left = self.posterior.whole, self.posterior.smallest
        if self.posterior.counted:
            return Bits(whole / left)
        return Nats(whole / left if left else math.inf)

    def estimation_error(self, power: int = 1, density: Rational | None = None) -> Fraction | None:
        """The least E|X_i - Xh_i|^p of an adversary with a prior (Theorem 4, corrected).

        None where records are on a lattice: nothing is said about them (`least_estimation_error` does).
        """
        if self.posterior.counted:
            return None
        return estimation_error_bound(self.posterior.whole, self.reach.outputs, power, density)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before relying on it."""
        warnings, left, whole = [], self.posterior.smallest, self.posterior.whole
        if not self.reach.exact:
            warnings.append("the reach is a bound; the true one may be smaller")
        if self.posterior.counted and self.reach.outputs >= whole > 1:
            warnings.append(
                "the price is all there is to know about a record: such a budget protects nothing"
            )
        if self.posterior.counted and left == 1 < whole:
            sure = "some answer gives" if self.posterior.exact else "some answer may give"
            warnings.append(f"{sure} a person's value away to somebody who knows everybody else's")
        if not self.posterior.counted and left == 0 < whole:
            warnings.append(
                "some answers leave as little as one likes of a person's interval, all others being known"
            )
        return tuple(warnings)

    def to_dict(self) -> dict[str, Any]:
        """The certificate under the names it has in JSON."""
        leakage, entropy = self.record_leakage, self.entropy_of_record
        unit = "" if self.posterior.counted else "_nats"
        bound = self.bits.upper
        return {
            "reach": self.reach.outputs,
            "reach_exact": self.reach.exact,
            "bits": bound,
            "entropy_of_record": entropy.lower if isinstance(entropy, Bits) else "inf",
            "known_others": {
                "maximin": bound,
                "leakage_symmetric": bound,
                "leakage_of_answer": bound,
                "zero_error_capacity": bound,
                "maximal_leakage": bound,
                "test_performance": "-inf" if self.tests_are_bounded else float(self.test_performance),
                "tests_are_bounded": self.tests_are_bounded,
            },
            "unknown_unrelated_others": {"maximin": bound, "leakage_of_answer": None},
            "related_others": {"maximin": None, "leakage_of_answer": None},
            "smallest_posterior": _plain(self.smallest_posterior),
            "smallest_posterior_exact": self.posterior.exact,
            f"leakage_of_record{unit}": leakage.upper if math.isfinite(leakage.upper) else "inf",
            "warnings": list(self.warnings),
            "limits": list(LIMITS),
        }

    def __str__(self) -> str:
        lines = [repr(self), *(f"Warning: {warning}." for warning in self.warnings), *LIMITS]
        return "\n".join(lines)

    def _shown(self) -> tuple[str, Facts]:
        entropy, left = self.entropy_of_record, _plain(self.smallest_posterior)
        unit = "value" if self.posterior.counted else "of the interval's length"
        unit += "s" * (self.posterior.counted and left != 1)
        least = "" if self.posterior.exact else "at least "
        return f"One person can cause {counted(self.reach.outputs, 'answers')}: {self.bits}", {
            "a record holds": str(entropy) if isinstance(entropy, Bits) else "infinitely many bits",
            "an answer reveals, I* and L0(Y;X_i)": f"at most {self.bits}",
            "zero-error capacity": f"at most {self.bits}",
            "maximal leakage": f"at most {self.bits}",
            "hypothesis tests": (
                "none is ever right for sure, whatever it tests"
                if self.tests_are_bounded
                else f"at most {self.bits}, which is vacuous: two values can be told apart for sure"
            ),
            "smallest posterior set": f"{least}{left} {unit}",
            "its shrinking, L0(X_i;Y)": f"{'' if self.posterior.exact else 'at most '}{self.record_leakage}",
        }


def consequences(mechanism: QuantizedQuery | Plan) -> Consequences:
    """What an answer that is told through a quantizer means for one person ([P1], section III).

    Args:
        mechanism: a question and the cells its answer is told in, or the plan of one.

    >>> from noiseless.ranges.quantizer import Stepped
    >>> from noiseless.questions import Attribute, mean
    >>> asked = mean(10, Attribute("age", range(101)))
    >>> found = consequences(QuantizedQuery(asked, Stepped(asked.span, 100)))
    >>> found.bits, found.smallest_posterior, found.record_leakage
    (Bits(2), Fraction(1, 1), Bits(101))

    Raises:
        RequestError: nothing is known of that kind of question.
    """
    asked = mechanism if isinstance(mechanism, QuantizedQuery) else mechanism.mechanism
    return Consequences(asked.reach, smallest_posterior(asked))


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else round_down(number)
