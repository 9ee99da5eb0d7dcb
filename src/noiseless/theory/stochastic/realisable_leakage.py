"""Maximal realisable leakage: what the most telling y gives away of the best-chosen secret about x."""

import numpy as np
import numpy.typing as npt

from noiseless.exact import Bits
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.weights import largest_quotient, times


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
