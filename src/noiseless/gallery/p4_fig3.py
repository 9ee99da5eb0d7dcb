"""[P4] Fig. 3: what a better answer costs, for the average of two numbers."""

from fractions import Fraction
from math import ceil, log

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

BIT = log(2)
"""In nats: both measures are drawn in bits."""

_SLACK = 1e-9


@reproduces(
    "[P4] Fig. 3",
    "Quality against privacy: the average of two numbers",
    "For the average of two numbers in [-2, 2]: the better the answer (the larger gamma), the more "
    "leaks, by L0 and by I*, and the smaller is the error of an adversary's estimate.",
)
def figure() -> Parts:
    """Sweep gamma."""
    volume, gammas = mean_of_two(), [float(gamma) for gamma in GAMMAS]
    equal = [fewest_cells(volume, 1 / gamma) for gamma in GAMMAS]
    leaks = [policy.leakage.upper / BIT for policy in equal]
    least = [least_leakage(volume, 1 / gamma).leakage.upper / BIT for gamma in GAMMAS]
    cells = [policy.cells for policy in equal]
    told = [Bits(number).upper for number in cells]
    errors = [adversary_error(volume, policy.quantizer).smallest for policy in equal]
    bounds = [radius_for_volume(p.smallest_share * volume.size, volume.dimension) for p in equal]
    yield Panel.of(
        "Leaked information, in one unit",
        "gamma = 1 / tolerated error",
        "bits",
        Curve.of("L0(X;Y), equal cells (the paper's policy)", gammas, leaks),
        Curve.of("I*(X;Y), equal cells", gammas, told),
        Curve.dashed("L0(X;Y), least of any policy", gammas, least),
        note="The proofs write the number of answers itself for I*, (9) its logarithm",
    )
    yield Panel.of(
        "The adversary's error dmin",
        "gamma = 1 / tolerated error",
        "distance in the plane",
        Curve.of("exact error", gammas, map(float, errors)),
        Curve.dashed("bound by volume (Theorem II.2)", gammas, bounds),
    )
    corners = [Distance(Fraction(2 * WIDTH**2, number**2)) for number in cells]
    formula = all(e == c for e, c, q in zip(errors, corners, cells, strict=True) if q > 1)
    of_exact = [bound / float(error) for bound, error in zip(bounds, errors, strict=True)]
    yield ClaimCheck(
        "The optimal policy for I* has ceil(2 gamma) equal cells.",
        f"{cells[0]} to {cells[-1]} cells for gamma from {gammas[0]} to {gammas[-1]}",
        "the same number at every gamma",
        cells == [ceil(2 * gamma) for gamma in GAMMAS],
    )
    yield ClaimCheck(
        "As gamma grows the leaked information grows and the adversary's error shrinks.",
        f"L0 {leaks[0]:.2f} to {leaks[-1]:.2f} bits, I* {told[0]:g} to {told[-1]:.2f} bits, dmin {errors[0]} "
        f"to {errors[-1]}",
        "L0 and I* never fall and dmin never rises from one gamma to the next",
        leaks == sorted(leaks) and cells == sorted(cells) and errors == sorted(errors, reverse=True),
        about="figure",
    )
    yield ClaimCheck(
        "I*(X;Y) is never more than L0(X;Y), in the same unit (Proposition 1 of [P3]).",
        f"L0 is larger by {min(a - b for a, b in zip(leaks, told, strict=True)):.2f} to "
        f"{max(a - b for a, b in zip(leaks, told, strict=True)):.2f} bits",
        "at every gamma",
        all(a >= b - _SLACK for a, b in zip(leaks, told, strict=True)),
        about="ours",
    )
    yield ClaimCheck(
        "The adversary's error is at least what the volume of the smallest region says (Theorem II.2).",
        f"the bound is {min(of_exact):.2f} to {max(of_exact):.2f} of the exact error",
        "bound <= error at every gamma; from two cells on the error is 4 sqrt(2) / cells, exactly",
        formula and all(bound <= error for bound, error in zip(bounds, errors, strict=True)),
    )
    worst = max(range(len(GAMMAS)), key=lambda place: leaks[place] - least[place])
    yield (
        "Equal cells are optimal for I*. By L0 they are not everywhere: at gamma = "
        f"{gammas[worst]} they leak {leaks[worst]:.4f} bits and the best policy "
        f"{least[worst]:.4f} (p4-example-iv1)."
    )
