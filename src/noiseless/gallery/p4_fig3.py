"""[P4] Fig. 3: what a better answer costs, for the average of two numbers."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Self

from noiseless.exact import Bits
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p4_example_iv1 import mean_of_two
from noiseless.theory.accuracy import adversary_error, fewest_cells, least_leakage
from noiseless.theory.distortion import radius_for_volume
from noiseless.theory.polytopes import Distance

_EVEN = [Fraction(i, 20) for i in range(5, 101)]
_AFTER = [Fraction(i, 2) + Fraction(1, 1000) for i in range(1, 10)]
GAMMAS = tuple(sorted(_EVEN + _AFTER))
"""From a tolerated error of 4 to one of 1/5, also just after each place where a cell is added."""

WIDTH = 4


@dataclass(frozen=True)
class Tradeoff:
    """What the policies for one gamma give away.

    Attributes:
        cells: the number of answers of the fewest.
        leakage: L0 of equal cells, in nats.
        least: L0 of the best policy, in nats.
        error: the adversary's error dmin behind equal cells, exactly.
        by_volume: the bound of Theorem II.2 for it.
    """

    cells: int
    leakage: float
    least: float
    error: Distance
    by_volume: float

    @classmethod
    def at(cls, gamma: Fraction) -> Self:
        """Measure both policies."""
        volume = mean_of_two()
        equal = fewest_cells(volume, 1 / gamma)
        best = least_leakage(volume, 1 / gamma)
        error = adversary_error(volume, equal.quantizer).smallest
        by_volume = radius_for_volume(equal.smallest_share * volume.size, volume.dimension)
        return cls(equal.cells, equal.leakage.upper, best.leakage.upper, error, by_volume)


@reproduces(
    "[P4] Fig. 3",
    "Quality against privacy: the average of two numbers",
    "For the average of two numbers in [-2, 2]: the better the answer (the larger gamma), the more "
    "leaks, by L0 and by I*, and the smaller is the error of an adversary's estimate.",
)
def figure() -> Parts:
    """Sweep gamma."""
    found = [Tradeoff.at(gamma) for gamma in GAMMAS]
    gammas = [float(gamma) for gamma in GAMMAS]
    yield Panel.of(
        "Leakage L0(X;Y)",
        "gamma = 1 / tolerated error",
        "nats",
        Curve.of("equal cells (the paper's policy)", gammas, (f.leakage for f in found)),
        Curve.of("least of any policy", gammas, (f.least for f in found)),
    )
    yield Panel.of(
        "Maximin information I*(X;Y)",
        "gamma = 1 / tolerated error",
        "bits",
        Curve.of("log2 of the answers", gammas, (Bits(f.cells).upper for f in found)),
        note="The proofs write the number of answers itself for I*, (9) its logarithm",
    )
    yield Panel.of(
        "The adversary's error dmin",
        "gamma = 1 / tolerated error",
        "distance in the plane",
        Curve.of("exact error", gammas, (float(f.error) for f in found)),
        Curve.dashed("bound by volume (Theorem II.2)", gammas, (f.by_volume for f in found)),
    )
    printed = [ceil(2 * gamma) for gamma in GAMMAS]
    formula = all(f.error == Distance(Fraction(2 * WIDTH**2, f.cells**2)) for f in found if f.cells > 1)
    of_exact = [f.by_volume / float(f.error) for f in found]
    yield ClaimCheck(
        "The optimal policy for I* has ceil(2 gamma) equal cells.",
        f"{found[0].cells} to {found[-1].cells} cells for gamma from {float(GAMMAS[0])} to "
        f"{float(GAMMAS[-1])}",
        "the same number at every gamma",
        [f.cells for f in found] == printed,
    )
    yield ClaimCheck(
        "As gamma grows the leaked information grows and the adversary's error shrinks.",
        f"L0 {found[0].leakage:.2f} to {found[-1].leakage:.2f} nats, I* 0 to "
        f"{Bits(found[-1].cells).upper:.2f} bits, dmin {found[0].error} to {found[-1].error}",
        "L0 and I* never fall and dmin never rises from one gamma to the next",
        _rises([f.leakage for f in found])
        and _rises([float(f.cells) for f in found])
        and _rises([-float(f.error) for f in found]),
    )
    yield ClaimCheck(
        "The adversary's error is at least what the volume of the smallest region says (Theorem II.2).",
        f"the bound is {min(of_exact):.2f} to {max(of_exact):.2f} of the exact error",
        "bound <= error at every gamma; from two cells on the error is 4 sqrt(2) / cells, exactly",
        formula and all(f.by_volume <= f.error for f in found),
    )
    worse = max(found, key=lambda f: f.leakage - f.least)
    yield (
        "Equal cells are optimal for I*. By L0 they are not everywhere: at gamma = "
        f"{float(GAMMAS[found.index(worse)])} they leak {worse.leakage:.4f} nats and the best policy "
        f"{worse.least:.4f} (p4-example-iv1)."
    )


def _rises(numbers: list[float]) -> bool:
    return all(a <= b for a, b in pairwise(numbers))
