"""Maximal and realisable leakage of a finite channel, and its local differential privacy."""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
import numpy.typing as npt
from flint import arb

from noiseless.exact import Bits, Nats
from noiseless.measures import maximin
from noiseless.ranges import JointRange
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic.certified import CertifiedNumber, enclose_nats
from noiseless.theory.stochastic.joint_distribution import JointDistribution, as_distribution
from noiseless.theory.stochastic.weights import Weights, best_of_groups, exact_sum, largest_quotient, times


def maximal_leakage(
    source: JointDistribution | Channel, given: npt.ArrayLike | None = None
) -> CertifiedNumber:
    """L(X -> Y) = log2 sum_y max_x P(y|x) over the x that can occur (Theorem 1 of Issa, Wagner and Kamath).

    By how much y multiplies, on average, the chance of guessing in one try the secret about x that gains
    most.

    It depends on the prior only through which x can occur. It is the largest value over all U with U - X - Y
    of log2 sum_y max_u P(u,y) / max_u P(u), and equals Sibson's information of order infinity.

    Args:
        source: a joint distribution, or a channel all of whose inputs can occur.
        given: side information as the cell of each y (y is then a pair (y', a), and its cell is a). The
            result is max_a log2 sum_y' max_x P(y'|x,a).

    >>> maximal_leakage(Channel.of([[0.75, 0.25], [0.25, 0.75]])).exact
    Bits(3/2)

    Inequalities:
        * `I(X;Y) <= L(X->Y) <= Lr(X->Y)` and `I*(X;Y) <= L(X->Y)`.
        * `L(X->Y) <= min(H0(X), H0(Y))`; for a deterministic channel it is log2 of the number of
          outputs.
    """
    joint = as_distribution(source)
    known = joint.reference(given)
    best = best_of_groups(joint.weights, known.x_weights, joint.support.starts)
    above, below = joint.weights[best], known.x_weights[best]
    order = np.argsort(known.cells, kind="stable")
    ends = np.cumsum(np.bincount(known.cells)).tolist()
    parts = [order[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    sums = [exact_sum(above[part], below[part]) for part in parts]
    exact = [value for value in sums if value is not None]
    if len(exact) == len(parts):
        return CertifiedNumber.of_bits(Bits(max(exact)))
    return _certified_leakage([(above[part], below[part]) for part in parts])


def _certified_leakage(parts: list[tuple[Weights, Weights]]) -> CertifiedNumber:
    def quotients(above: Weights, below: Weights) -> arb:
        pairs = zip(above.tolist(), below.tolist(), strict=True)
        return sum((arb(a) / b for a, b in pairs), arb(0))

    return enclose_nats(lambda: reduce(arb.max, [quotients(*part) for part in parts]).log())


def realisable_leakage(joint: JointDistribution, given: npt.ArrayLike | None = None) -> Bits:
    """Lr(X -> Y) = max log2 P(x|y) / P(x) over the pairs that can occur (section VI-A of [P3]).

    By how much the most telling y multiplies the chance of guessing the secret that gains most.

    It is D_inf(P_XY || P_X P_Y), the end of the Renyi family, and symmetric in X and Y. It is the largest
    value over all U with U - X - Y and over all y of log2 max_u P(u|y) / max_u P(u) (Definition 8 of
    Issa, Wagner and Kamath). The answer is exact.

    Args:
        joint: the joint distribution.
        given: side information as the cell of each y (y is then a pair (y', a), and its cell is a). The
            result is max log2 P(x|y',a) / P(x|a), what y' adds to a.

    >>> realisable_leakage(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]))
    Bits(3/2)

    Inequalities:
        * `L(X->Y) <= Lr(X->Y) <= epsilon log2(e)` for epsilon-LDP.
        * `L0(X;Y) <= Lr(X->Y)` for a uniform X.
    """
    known = joint.reference(given)
    y = joint.support.y
    above = times(joint.weights, known.totals[y])
    below = times(known.x_weights, joint.y_weights[y])
    return Bits(largest_quotient(np.asarray(above), np.asarray(below)))


def ldp_epsilon_nats(source: JointDistribution | Channel) -> Nats:
    """The smallest epsilon with P(y|x) <= e^epsilon P(y|x') for all x, x', y.

    It is infinite when some y excludes some x, and does not depend on the prior except through
    which x can occur. The answer is exact.

    >>> ldp_epsilon_nats(Channel.of([[0.75, 0.25], [0.25, 0.75]]))
    Nats(3)

    Inequalities:
        * `Lr(X->Y) <= epsilon log2(e)`, in bits.
        * `P <= epsilon <= 2 P`, with P the information privacy.
    """
    joint = as_distribution(source)
    if not joint.support.is_unrelated():
        return Nats(float("inf"))
    rows, starts = joint.x_weights[joint.support.x], joint.support.starts
    high = best_of_groups(joint.weights, rows, starts)
    low = best_of_groups(rows, joint.weights, starts)
    above = times(joint.weights[high], rows[low])
    below = times(rows[high], joint.weights[low])
    return Nats(largest_quotient(above, below))


def information_privacy_nats(joint: JointDistribution) -> Nats:
    """The largest |ln P(x|y) / P(x)| over **all** x and y that can occur: (11) of [P3], corrected.

    The paper takes the largest over the pairs that can occur together and then promises 2 epsilon-LDP. That
    fails when a y excludes an x (X uniform on two values and Y = X: ln 2 by its formula, and no LDP at all).
    Over all pairs it is infinite there, and epsilon-LDP and this number are within a factor 2 of each other.
    The answer is exact.

    >>> information_privacy_nats(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]))
    Nats(2)

    Inequalities:
        * `P <= epsilon <= 2 P` for epsilon-LDP.
    """
    if not joint.support.is_unrelated():
        return Nats(float("inf"))
    y = joint.support.y
    together = times(joint.weights, joint.total)
    apart = times(joint.x_weights[joint.support.x], joint.y_weights[y])
    return Nats(max(largest_quotient(together, apart), largest_quotient(apart, together)))


@dataclass(frozen=True)
class LocalPrivacy:
    """What a joint distribution says about local differential privacy of P(y|x).

    Attributes:
        attainable: whether any P(y|x) on this joint range is locally differentially private.
        epsilon_nats: the smallest epsilon of this P(y|x); infinite when it is not attainable.
        lower_nats: what the maximal realisable leakage alone shows: epsilon is at least this.
        upper_nats: what (11) of [P3], corrected, shows: epsilon is at most this.
        maximin: I*(X;Y).
        statement: the same in words.
    """

    attainable: bool
    epsilon_nats: Nats
    lower_nats: Nats
    upper_nats: Nats
    maximin: Bits
    statement: str


def local_privacy(joint: JointDistribution) -> LocalPrivacy:
    """Whether local DP is attainable, and the bounds Lr <= epsilon <= 2 x information privacy.

    >>> print(local_privacy(JointDistribution.from_matrix([[0.5, 0], [0, 0.5]])).statement)
    Local differential privacy is unattainable for any prior: 2 classes of x can be told apart (I* > 0).
    """
    privacy = information_privacy_nats(joint)
    return LocalPrivacy(
        local_dp_attainable(joint.support),
        ldp_epsilon_nats(joint),
        Nats(realisable_leakage(joint).ratio),
        privacy + privacy,
        maximin(joint.support),
        local_dp_statement(joint.support),
    )


def local_dp_attainable(joint: JointRange) -> bool:
    """Whether some P(y|x) with exactly this joint range is epsilon-LDP for a finite epsilon.

    It is one exactly when X and Y are unrelated, that is, when L0(X;Y) = 0: an x that a y excludes makes
    epsilon infinite, whatever the probabilities and the prior. I* > 0 is enough for that, but not needed.
    """
    return joint.is_unrelated()


def local_dp_statement(joint: JointRange, x: str = "x", y: str = "y") -> str:
    """What the joint range alone says about local differential privacy, in words (section VI-B of [P3]).

    Args:
        joint: the joint range.
        x: what is hidden, in words.
        y: what is seen.
    """
    blocks = maximin(joint).ratio
    if blocks > Fraction(1):
        return (
            f"Local differential privacy is unattainable for any prior: {blocks} classes of {x} can be told "
            "apart (I* > 0)."
        )
    if not joint.is_unrelated():
        return (
            "Local differential privacy is unattainable for any prior: nothing is certain about "
            f"everybody (I* = 0), but some {y} excludes some {x} (L0 > 0)."
        )
    return f"Local differential privacy is attainable: every {x} can cause every {y} (L0 = 0)."
