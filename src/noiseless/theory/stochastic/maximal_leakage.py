"""Maximal leakage: by how much y multiplies the chance of guessing the best-chosen secret about x."""

from functools import reduce

import numpy as np
import numpy.typing as npt

from noiseless.exact import Bits
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic.base import JointDistribution, as_distribution
from noiseless.theory.stochastic.enclosure import Enclosure, enclose_nats
from noiseless.theory.stochastic.weights import Weights, best_of_groups, exact_sum


def maximal_leakage(source: JointDistribution | Channel, given: npt.ArrayLike | None = None) -> Enclosure:
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
        return Enclosure.of_bits(Bits(max(exact)))
    return _enclosed([(above[part], below[part]) for part in parts])


def _enclosed(parts: list[tuple[Weights, Weights]]) -> Enclosure:
    from flint import arb

    def quotients(above: Weights, below: Weights) -> "arb":
        pairs = zip(above.tolist(), below.tolist(), strict=True)
        return sum((arb(a) / b for a, b in pairs), arb(0))

    return enclose_nats(lambda: reduce(arb.max, [quotients(*part) for part in parts]).log())
