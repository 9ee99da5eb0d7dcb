"""Fig. 8 of [P2]: the leakage of the quantised average against the number of people and the budget."""

import math
from collections.abc import Callable
from itertools import pairwise

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, Raster, reproduces
from noiseless.gallery.p2_fig7 import largest_of_average, printed_of_average
from noiseless.theory.linear_query import LinearQuery

PEOPLE = tuple(range(2, 31))
EPSILONS = tuple(range(1, 9))

Leakage = Callable[[int, int], float]
"""What leaks, given how many people there are and how many cells."""

_SLACK = 1e-12


@reproduces(
    "[P2] Fig. 8",
    "Leakage of an indistinguishable average",
    "The leakage of the quantised average falls with a smaller epsilon and with more people.",
)
def figure() -> Parts:
    """Three readings of "the leakage of the average", for the printed and for the largest number of cells."""
    ends = (PEOPLE[0] - 0.5, PEOPLE[-1] + 0.5), (EPSILONS[0] - 0.5, EPSILONS[-1] + 0.5)
    for name, unit, measure in _MEASURES[:2]:
        values = [[measure(n, printed_of_average(n, e)) for n in PEOPLE] for e in EPSILONS]
        yield Panel.of(f"{name}, printed q", "people n", "epsilon (bits)", Raster.of(unit, *ends, values))
    yield _lines()
    yield from (_falls_with_epsilon(name, measure) for name, _, measure in _MEASURES)
    yield from (_falls_with_people(name, measure) for name, _, measure in _MEASURES)
    falls = all(
        to_outputs(n, largest_of_average(n, low)) < to_outputs(n, largest_of_average(n, high))
        for n in PEOPLE
        for low, high in pairwise(EPSILONS)
    ) and all(
        to_outputs(many, largest_of_average(many, e)) < to_outputs(few, largest_of_average(few, e))
        for e in EPSILONS
        for few, many in pairwise(PEOPLE)
    )
    yield ClaimCheck(
        "The leakage falls with a smaller epsilon and with more people: L0(Y;X_i) on the largest sound q",
        f"from {to_outputs(2, largest_of_average(2, 8)):.3f} bits (n = 2, epsilon = 8) to "
        f"{to_outputs(30, largest_of_average(30, 1)):.3f} (n = 30, epsilon = 1)",
        "it falls strictly both ways, over the whole map",
        falls,
    )
    yield (
        "The paper does not say of whom L0(X;Y) is. Of the whole data set it grows with n: the "
        "corner cell, where all values are small, is a simplex of volume (n/q)^n / n!. Of one "
        "record, L0(X_i;Y), it does not depend on n, because q grows with n. In the other direction, "
        "L0(Y;X_i), it falls as the paper says."
    )


def of_all(n: int, cells: int) -> float:
    """L0(X;Y) of the whole data set in nats, for one cell or at least n cells.

    The sum of uniform numbers has a unimodal and symmetric density, so the corner cells are the smallest.
    """
    if cells == 1:
        return 0.0
    if cells < n:
        raise ValueError("the corner cell is a simplex from n cells on")
    return n * math.log(cells / n) + math.lgamma(n + 1)


def of_one(n: int, cells: int) -> float:
    """L0(X_i;Y) in nats: in the corner cell a record is at most n/q."""
    return max(0.0, math.log(cells / n))


def to_outputs(n: int, cells: int) -> float:
    """L0(Y;X_i) in bits: the fewest cells that a known record leaves are left at an end of its range."""
    mean = LinearQuery.average(n, 0, 1)
    left = min(len(mean.cells_given(0, value, cells)) for value in (0, 1))
    return math.log2(cells / left)


_MEASURES: tuple[tuple[str, str, Leakage], ...] = (
    ("L0(X;Y), all records", "nats", of_all),
    ("L0(X_i;Y), one record", "nats", of_one),
    ("L0(Y;X_i), outputs", "bits", to_outputs),
)


def _lines() -> Panel:
    printed = [to_outputs(n, printed_of_average(n, 2)) for n in PEOPLE]
    curves = [Curve.dashed("printed q, any epsilon >= 2", PEOPLE, printed)]
    for e in (1, 2, 4):
        leaks = [to_outputs(n, largest_of_average(n, e)) for n in PEOPLE]
        curves.append(Curve.of(f"largest sound q, epsilon = {e}", PEOPLE, leaks))
    return Panel.of("L0(Y;X_i), outputs", "people n", "bits", *curves, log_y=True)


def _falls_with_epsilon(name: str, measure: Leakage) -> ClaimCheck:
    worst = max(
        measure(n, printed_of_average(n, low)) - measure(n, printed_of_average(n, high))
        for n in PEOPLE
        for low, high in pairwise(EPSILONS)
    )
    rows = [measure(10, printed_of_average(10, e)) for e in (2, 4, 8)]
    return ClaimCheck(
        f"The leakage falls with a smaller epsilon: {name}",
        "for n = 10 and epsilon = 2, 4, 8 it is " + ", ".join(f"{leak:.4g}" for leak in rows),
        f"it never rises from an epsilon to the one below, for n = {PEOPLE[0]} to {PEOPLE[-1]}",
        worst <= _SLACK,
    )


def _falls_with_people(name: str, measure: Leakage) -> ClaimCheck:
    rises = falls = 0
    for e in EPSILONS[1:]:
        for few, many in pairwise(PEOPLE):
            step = measure(many, printed_of_average(many, e)) - measure(few, printed_of_average(few, e))
            rises, falls = rises + (step > _SLACK), falls + (step < -_SLACK)
    steps = len(EPSILONS[1:]) * (len(PEOPLE) - 1)
    rows = [measure(n, printed_of_average(n, 4)) for n in (2, 10, 30)]
    return ClaimCheck(
        f"The leakage falls with the number of people: {name}",
        "for epsilon = 4 and n = 2, 10, 30 it is "
        + ", ".join(f"{leak:.4g}" for leak in rows)
        + f"; of {steps} steps of n it falls at {falls} and rises at {rises}",
        "it falls strictly with n for every epsilon >= 2",
        falls == steps,
    )
