"""Quality of a reported answer (Definition III.2 of [P4])."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from noiseless.exact import Rational, round_down

Answer = Rational | Sequence[Rational]


def quality(truths: Sequence[Answer], reports: Sequence[Answer]) -> float:
    """Q = 1 / max_x ||f(x) - f~(x)||_2, rounded down; infinite when every report is the truth.

    The larger, the nearer the worst report is to the truth.

    Args:
        truths: f(x) for each x, numbers or vectors of numbers.
        reports: f~(x) for the same x.

    >>> quality([0, 1, 2, 3], [Fraction(1, 2), Fraction(1, 2), Fraction(5, 2), Fraction(5, 2)])
    2.0

    Inequalities:
        * `Q >= 2 q / w` for the middles of q equal cells over values between two bounds w apart.
    """
    worst = max(_squared_distance(t, r) for t, r in zip(truths, reports, strict=True))
    if worst == 0:
        return math.inf
    square = 1 / worst
    with localcontext() as context:
        context.prec = 50
        root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        exact = Fraction(root)
    if exact * exact != square:
        exact -= exact / 10**45  # both operations were rounded: step below the true root
    return round_down(exact)


def _squared_distance(truth: Answer, report: Answer) -> Fraction:
    a = truth if isinstance(truth, Sequence) else (truth,)
    b = report if isinstance(report, Sequence) else (report,)
    return sum(((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(a, b, strict=True)), Fraction(0))
