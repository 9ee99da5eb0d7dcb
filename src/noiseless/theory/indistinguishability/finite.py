"""Indistinguishability (Definition 5 of [P2]): how many outputs tell two values of one record apart."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, ball
from noiseless.theory.hypothesis.sizes import Amount, Size, amount, is_infinite
from noiseless.theory.indistinguishability.chosen_pair import extremes
from noiseless.theory.indistinguishability.finite_mechanism import FiniteMechanism


@dataclass(frozen=True)
class Indistinguishability:
    """The largest symmetric difference of [[Y|x_i]] and [[Y|x_i']] over all i and all pairs, with a witness.

    A small one is a weak promise by itself: a mechanism with two outputs has at most 2, and may yet give the
    record away whatever comes out. `separated` says whether some pair of values is told apart by all outputs.

    Attributes:
        size: the count of the outputs in it, or its measure.
        counted: which of the two.
        separated: whether some pair of values shares no output at all.
        record: a record with a pair that attains `size`; None when no record can vary.
        value: one value of that pair.
        other: the other.
    """

    size: Size
    counted: bool
    separated: bool
    record: int | None = None
    value: Any = None
    other: Any = None

    @property
    def epsilon(self) -> Amount:
        """The smallest epsilon, exactly: log2 of a count or ln of a measure; minus infinity for size 0."""
        return amount(self.size, counted=self.counted)

    @property
    def whole_epsilon(self) -> int:
        """The smallest natural number that will do for epsilon, 0 included (for counts the paper wants one).

        >>> Indistinguishability(5, counted=True, separated=False).whole_epsilon
        3
        """
        if is_infinite(self.size):
            raise RequestError("no epsilon is large enough for an infinite difference")
        epsilon = 0
        while not self.holds(epsilon):
            epsilon += 1
        return epsilon

    def holds(self, epsilon: Rational) -> bool:
        """Whether size <= 2^epsilon (counts) or exp(epsilon) (measures), decided exactly.

        >>> found = Indistinguishability(Fraction(5, 2), counted=False, separated=False)
        >>> found.holds(1), found.holds(Fraction(9, 10))
        (True, False)
        """
        if self.size <= 1 and epsilon >= 0:
            return True
        if self.size == 0 or is_infinite(self.size):
            return self.size == 0
        if self.counted:
            return Bits(Fraction(self.size)) <= epsilon
        return _below_exponential(Fraction(self.size), Fraction(epsilon))


def indistinguishability(mechanism: FiniteMechanism) -> Indistinguishability:
    """Definition 5 of [P2] for finite outputs, by enumeration.

    The most outputs that tell two values of one record apart, whatever the others are: the largest
    symmetric difference of [[Y|x_i]] and [[Y|x_i']].

    >>> found = indistinguishability(FiniteMechanism.of(sum, [(0, 1, 2)] * 3))
    >>> found.size, found.whole_epsilon, found.separated
    (4, 2, False)

    Inequalities:
        * `size <= 2^epsilon` is what epsilon-indistinguishable means, for counted outputs.
        * `size <= outputs`: with few outputs it is small by itself, which promises nothing
          (`separated`).
    """
    found = extremes(mechanism)
    if found is None:
        return Indistinguishability(0, counted=True, separated=False)
    worst = found.most_decided
    domain = mechanism.domains[worst.record]
    return Indistinguishability(
        worst.decided,
        counted=True,
        separated=found.fewest_undecided.undecided == 0,
        record=worst.record,
        value=domain[worst.value],
        other=domain[worst.other],
    )


def _below_exponential(size: Fraction, epsilon: Fraction) -> bool:
    """Whether size <= exp(epsilon): equal only at 0, otherwise precision is raised until they part."""
    from flint import ctx

    if epsilon == 0:
        return size <= 1
    bits = 64
    while True:
        with ctx.workprec(bits):
            exponential, exact = ball(epsilon).exp(), ball(size)
            if exact < exponential:
                return True
            if exact > exponential:
                return False
        bits *= 2
