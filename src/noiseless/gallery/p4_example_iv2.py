"""[P4] Example IV.2: the average height of n people, and how far off an adversary is."""

from fractions import Fraction
from math import ceil, sqrt

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.ranges.quantizer import Uniform
from noiseless.theory.accuracy import LinearVolume, adversary_error
from noiseless.theory.polytopes import Distance

HEIGHTS = (100, 250)
WIDTH = 150
WANTED = 10
"""Centimetres by which the adversary shall be off."""

PEOPLE = tuple(range(2, 31))
CELLS = (6, 24)
GAMMAS = tuple(Fraction(i, 75) for i in range(8, 46))
PRINTED = Fraction(22, 75)
ALLOWED = 21
"""The cells that grant two people 10 cm: gamma <= 21/75."""

MOST = 60
"""Cells up to which the threshold is looked for; what is granted falls with their number."""


@reproduces(
    "[P4] Example IV.2",
    "The average height of n people: how far off is an adversary?",
    "The average of n heights from 100 to 250 cm is told in ceil(75 gamma) cells; the adversary is off "
    "by 150 sqrt(2) / ceil(75 gamma) cm whatever n is, and gamma > 22/75 grants everybody 10 cm.",
)
def figure() -> Parts:
    """The adversary's error over people and over gamma."""
    by_people = {q: [_error(n, q) for n in PEOPLE] for q in CELLS}
    by_gamma = {n: [_error(n, ceil(75 * gamma)) for gamma in GAMMAS] for n in (2, 5)}
    over_people = []
    for q in CELLS:
        over_people.append(Curve.of(f"{q} cells", PEOPLE, by_people[q]))
        over_people.append(Curve.dashed(f"{q} cells, as printed", (2, PEOPLE[-1]), WIDTH * sqrt(2) / q))
    yield Panel.of("The adversary's error dmin", "people", "cm", *over_people, log_y=True)
    yield Panel.of(
        "Which gamma grants 10 cm?",
        "gamma = 1 / tolerated error (1/cm)",
        "dmin, cm",
        *(Curve.steps(f"{n} people", GAMMAS, by_gamma[n]) for n in by_gamma),
        Curve.dashed("wanted: 10 cm", (GAMMAS[0], GAMMAS[-1]), WANTED),
        Curve.dashed("printed: gamma > 22/75", (PRINTED, PRINTED), (0, 60)),
    )
    ends = {q: (errors[0], errors[-1]) for q, errors in by_people.items()}
    formula = [
        errors[n - 2] == Distance(Fraction(WIDTH**2 * n * (n - 1), q**2))
        for q, errors in by_people.items()
        for n in range(2, min(q, PEOPLE[-1]) + 1)
    ]
    yield ClaimCheck(
        "The adversary's error is 150 sqrt(2) / ceil(75 gamma) cm for any number of people.",
        "only for two: "
        + "; ".join(f"with {q} cells {a} cm for 2 people, {b} for 30" for q, (a, b) in ends.items()),
        "the printed value for every n from 2 to 30, exactly",
        all(e == Distance(Fraction(2 * WIDTH**2, q**2)) for q, errors in by_people.items() for e in errors),
    )
    yield ClaimCheck(
        "Corrected: the error is (150 / q) sqrt(n (n - 1)) cm with q cells and 2 <= n <= q people.",
        f"{sum(formula)} of {len(formula)} pairs of n and q",
        "every pair with n <= q, exactly",
        all(formula),
        about="ours",
    )
    # The threshold for two people, whose printed formula is right.
    granted = {q: _error(2, q) for q in range(1, MOST + 1)}
    most = max(q for q, error in granted.items() if error >= Distance(WANTED**2))
    above = ceil(75 * PRINTED) + 1
    yield ClaimCheck(
        "To grant an error of at least 10 cm gamma must be larger than 22/75.",
        f"the reverse: a larger gamma has more cells and grants less. Just above 22/75 there are {above} "
        f"cells and two people are granted {granted[above]} cm",
        f"dmin >= 10 cm for two people and every gamma above 22/75, up to {MOST} cells",
        all(error >= Distance(WANTED**2) for q, error in granted.items() if q >= above),
    )
    yield ClaimCheck(
        "Corrected: for two people gamma must be at most 21/75.",
        f"10 cm are granted up to {most} cells ({granted[most]} cm), no longer with {most + 1} "
        f"({granted[most + 1]} cm)",
        "the largest q with dmin >= 10 cm is 21, exactly",
        most == ALLOWED and all(granted[q] >= Distance(WANTED**2) for q in range(1, most)),
        about="ours",
    )
    yield (
        "The smallest region is the corner where everybody is about as short (or as tall) as "
        "possible: a simplex, whose radius grows with n. The paper's worst case fixes all people but "
        "two, as if the adversary knew their heights; the dataset that is estimated has all n."
    )


def _error(people: int, cells: int) -> Distance:
    """The dmin of [P4], exactly."""
    volume = LinearVolume.of((Fraction(1, people),) * people, [HEIGHTS] * people)
    return adversary_error(volume, Uniform(volume.span, cells)).smallest
