"""Answers of differentially private tools, charged in the ledger's currency: bits of mutual information."""

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Literal

from noiseless.amounts import Cost, rounded_up
from noiseless.curator.public_state import PublicState
from noiseless.display import significant
from noiseless.errors import RequestError
from noiseless.exact import Rational

Neighbours = Literal["replace", "add-remove"]


@dataclass(frozen=True)
class PrivateAnswer:
    """Answers of a tool that promises (epsilon, delta)-differential privacy.

    Attributes:
        epsilon: its epsilon.
        delta: its delta.
        neighbours: whether its neighbouring tables differ by one record replaced, or by one that is there or
            not. Here everybody is there, and replacing is removing and adding.
        per_row: whether it protects a row, where a person has several.
        times: how many answers there are, each with noise of its own.
    """

    epsilon: Rational
    delta: Rational = 0
    neighbours: Neighbours = "add-remove"
    per_row: bool = False
    times: int = 1

    def charge(self, public: PublicState) -> "PrivateCharge":
        """What it costs one person of a dataset.

        The capacity from a record to an (epsilon, delta)-DP answer, by the best bound that is known
        (`dp_to_mi`), and at most what a record holds. With delta above 0 it is finite because a record has
        finitely many values.

        Raises:
            RequestError: an epsilon or delta makes no sense.
        """
        from noiseless.theory.differential import convert
        from noiseless.theory.differential.conversion import in_bits

        if self.neighbours not in ("replace", "add-remove"):
            raise RequestError("neighbours are replace, or add-remove where a record is there or not")
        members = (2 if self.neighbours == "add-remove" else 1) * (public.limits.rows if self.per_row else 1)
        worth = Cost(prod(size or 1 for size in public.record.sizes.values()) ** public.limits.rows)
        person = convert("dp", "dp", epsilon=self.epsilon, delta=self.delta, members=members)
        if person.epsilon is None or not person.follows:
            raise RequestError("an infinite epsilon promises nothing; there is nothing to charge for")
        lost = person.delta or 0.0
        told = convert(
            "dp", "mi", epsilon=person.epsilon, delta=lost, inputs=worth.outputs, times=self.times
        ).epsilon
        bits = Fraction(worth.upper if told is None else min(in_bits(told), worth.upper))
        return PrivateCharge(self, members, lost, bits, worth.outputs)

    def __str__(self) -> str:
        """As the ledger has it."""
        rows = ", per row" if self.per_row else ""
        times = f", {self.times} times" if self.times > 1 else ""
        parameters = f"epsilon {self.epsilon}, delta {self.delta}, {self.neighbours}"
        return f"differentially private: {parameters}{rows}{times}"


@dataclass(frozen=True)
class PrivateCharge:
    """What such an answer costs, and what then holds.

    Attributes:
        answer: what is charged for.
        members: how many neighbours stand between two tables that differ in one person.
        lost: the delta of an answer for such a pair of tables.
        bits: the most mutual information between a person's record and the answers, others being known.
        values: how many values a record has.
    """

    answer: PrivateAnswer
    members: int
    lost: float
    bits: Fraction
    values: int

    @property
    def cost(self) -> Cost:
        """In the ledger: no outputs, this many bits."""
        return Cost(1, self.bits)

    @property
    def statement(self) -> str:
        """What is true of the answers, and what is not."""
        answer = self.answer
        each = f"{answer.times:,} answers, each" if answer.times > 1 else "The answer is"
        apart = f", {self.members} neighbours apart for one person" if self.members > 1 else ""
        text = (
            f"{each} ({answer.epsilon}, {answer.delta})-DP{apart}: at most {rounded_up(self.bits)} bits of"
            " mutual information with one person's record, whatever its distribution, for somebody who knows"
            " everybody else's. From now on the account bounds that information, which is an average over the"
            " noise, and no longer how many answers a person can cause."
        )
        if self.lost:
            text += (
                f" The delta admits that the whole record, one of {self.values:,} values, is revealed with a"
                f" probability of up to {significant(self.lost, 3):f} an answer; the bits count that in."
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"bits": self.cost.upper, "bits_exact": str(self.bits), "statement": self.statement}
