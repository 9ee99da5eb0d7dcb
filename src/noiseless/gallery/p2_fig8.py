"""Fig. 8 of [P2]: the leakage of the quantised average against the number of people and the budget."""

import math
from collections.abc import Callable

import numpy as np

from noiseless.arrays import FloatArray
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
    printed = {name: _map(measure, printed_of_average) for name, _, measure in _MEASURES}
    sound = _map(to_outputs, largest_of_average)
    for name, unit, _ in _MEASURES[:2]:
        image = Raster.of(unit, *ends, printed[name])
        yield Panel.of(f"{name}, printed q", "people n", "epsilon (bits)", image)
    outputs = _MEASURES[2][0]
    yield Panel.of(
        outputs,
        "people n",
        "bits",
        Curve.dashed("printed q, any epsilon >= 2", PEOPLE, printed[outputs][EPSILONS.index(2)]),
        *(Curve.of(f"largest sound q, epsilon = {e}", PEOPLE, sound[EPSILONS.index(e)]) for e in (1, 2, 4)),
        log_y=True,
    )
    for name, leaks in printed.items():
        some = leaks[[EPSILONS.index(e) for e in (2, 4, 8)], PEOPLE.index(10)]
        steps = np.diff(leaks[1:], axis=0)
        yield ClaimCheck(
            f"The leakage falls with a smaller epsilon: {name}",
            "for n = 10 and epsilon = 2, 4, 8 it is "
            + ", ".join(f"{leak:.4g}" for leak in some)
            + f"; of {steps.size} steps down to epsilon = 2 it falls at {np.count_nonzero(steps > _SLACK)}",
            f"it falls strictly from an epsilon to the one below, down to 2, for each n up to {PEOPLE[-1]}",
            bool((steps > _SLACK).all()),
            about="figure" if name == _DRAWN else "text",
        )
    for name, leaks in printed.items():
        steps = np.diff(leaks[1:], axis=1)
        falls, rises = (int(np.count_nonzero(side)) for side in (steps < -_SLACK, steps > _SLACK))
        some = leaks[EPSILONS.index(4), [PEOPLE.index(n) for n in (2, 10, 30)]]
        yield ClaimCheck(
            f"The leakage falls with the number of people: {name}",
            "for epsilon = 4 and n = 2, 10, 30 it is "
            + ", ".join(f"{leak:.4g}" for leak in some)
            + f"; of {steps.size} steps of n it falls at {falls} and rises at {rises}",
            "it falls strictly with n for every epsilon >= 2",
            falls == steps.size,
            about="figure" if name == _DRAWN else "text",
        )
    yield ClaimCheck(
        "The leakage falls with a smaller epsilon and with more people: L0(Y;X_i) on the largest sound q",
        f"from {sound[EPSILONS.index(8), PEOPLE.index(2)]:.3f} bits (n = 2, epsilon = 8) to "
        f"{sound[EPSILONS.index(1), PEOPLE.index(30)]:.3f} (n = 30, epsilon = 1)",
        "it falls strictly both ways, over the whole map",
        bool((np.diff(sound, axis=0) > 0).all() and (np.diff(sound, axis=1) < 0).all()),
        about="ours",
    )
    yield (
        "The figure is labelled L0(X;Y); the paper does not say of whom. Of the whole data set it grows with "
        "n: the corner cell, where all values are small, is a simplex of volume (n/q)^n / n!. Of one "
        "record, L0(X_i;Y), it does not depend on n, because q grows with n. In the other direction, "
        "L0(Y;X_i), it falls with n; on the printed number of cells it is the same for every epsilon from 2 "
        "on, where 'reduces significantly' asks for a strict fall. Below 2 there is one cell."
    )


def _map(leakage: Leakage, cells: Callable[[int, int], int]) -> FloatArray:
    """What leaks, a row for each epsilon and a column for each number of people."""
    return np.array([[leakage(n, cells(n, e)) for n in PEOPLE] for e in EPSILONS])


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

_DRAWN = _MEASURES[0][0]
"""What the figure's label says is drawn."""
