"""Fig. 7 of [P2]: how many cells an epsilon-indistinguishable average may have."""

from functools import cache, partial
from itertools import pairwise, product

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.theory.indistinguishability import largest_cells, linear_indistinguishability, printed_cells
from noiseless.theory.linear_query import LinearQuery

PEOPLE = (10, 100, 1000)
EPSILONS = tuple(range(1, 11))
TRIED = (2, 3, 5, 10, 17, 100)
"""Group sizes for which soundness is counted."""


@cache
def printed_of_average(n: int, epsilon: int) -> int:
    """The cells that the printed rule gives the average of n numbers."""
    return int(printed_cells(LinearQuery.average(n, 0, 1), epsilon))


@cache
def largest_of_average(n: int, epsilon: int) -> int:
    """The most cells with which it is epsilon-indistinguishable."""
    return int(largest_cells(LinearQuery.average(n, 0, 1), epsilon))


@reproduces(
    "[P2] Fig. 7",
    "Cells of an indistinguishable average",
    "The average of n records on max(1, n (2^(epsilon-1) - 1)) cells is epsilon-indistinguishable; with more "
    "people the quantizer can be finer for the same privacy.",
)
def figure() -> Parts:
    """The printed rule and the largest number that is sound."""
    curves, gains = [], []
    for n in PEOPLE:
        largest, as_printed = partial(largest_of_average, n), partial(printed_of_average, n)
        curves.append(Curve.of(f"n = {n:,}, largest", EPSILONS, largest))
        curves.append(Curve.dashed(f"n = {n:,}, printed", EPSILONS, as_printed))
        times = [largest(e) / as_printed(e) for e in EPSILONS]
        gains.append(Curve.of(f"n = {n:,}, largest", EPSILONS, times))
    yield Panel.of("Cells of an average of n", "epsilon (bits)", "cells q", *curves, log_y=True)
    yield Panel.of(
        "As a multiple of what is printed", "epsilon (bits)", "largest q / printed q", *gains, log_y=True
    )
    yield from _counted()
    yield ClaimCheck(
        "With more people the quantizer can be finer for the same privacy",
        f"at epsilon = 3 from {largest_of_average(PEOPLE[0], 3)} cells for n = {PEOPLE[0]} to "
        f"{largest_of_average(PEOPLE[-1], 3):,} for n = {PEOPLE[-1]:,}",
        "both numbers of cells grow strictly with n for every epsilon >= 2",
        all(
            cells(few, e) < cells(many, e)
            for cells in (printed_of_average, largest_of_average)
            for e in EPSILONS[1:]
            for few, many in pairwise(PEOPLE)
        ),
        about="figure",
    )
    more = {e: (printed_of_average(100, e), largest_of_average(100, e)) for e in EPSILONS}
    words = ", ".join(f"{more[e][1]} instead of {more[e][0]} at {e}" for e in (1, 2, 4))
    yield ClaimCheck(
        "Theorem 5 is sufficient and need not be the best possible (conclusions)",
        f"indeed: for n = 100 there can be {words} bits",
        "more cells than printed are sound for every epsilon",
        all(few < many for few, many in more.values()),
    )
    yield (
        "Theorem 5 is sound but loose: the worst symmetric difference of the average is "
        "floor(q/n) + ceil(q/n) - 1 cells, so n (2^(epsilon-1) + 1) - 1 cells are allowed."
    )


def _counted() -> Parts:
    """Both rules, by counting the cells in which two values of a record differ."""
    cases = list(product(TRIED, EPSILONS))
    sound = right = 0
    for n, e in cases:
        mean, most = LinearQuery.average(n, 0, 1), n * (2 ** (e - 1) + 1) - 1
        at_printed, at_most, beyond = (
            linear_indistinguishability(mean, q).size for q in (printed_of_average(n, e), most, most + 1)
        )
        sound += at_printed <= 2**e
        right += largest_of_average(n, e) == most and at_most <= 2**e < beyond
    yield ClaimCheck(
        "An average on max(1, n (2^(epsilon-1) - 1)) cells is epsilon-indistinguishable",
        f"no two values of a record differ in more than 2^epsilon cells in {sound} of {len(cases)} cases",
        f"true for n in {TRIED} and epsilon = 1 to {EPSILONS[-1]}, counted exactly",
        sound == len(cases),
    )
    yield ClaimCheck(
        "(Ours) n (2^(epsilon-1) + 1) - 1 cells are allowed, and not one more",
        f"that many keep the promise and one more breaks it in {right} of {len(cases)} cases",
        "true in every case, counted exactly",
        right == len(cases),
        about="ours",
    )
