"""Fig. 7 of [P2]: how many cells an epsilon-indistinguishable average may have."""

from itertools import pairwise, product

from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.theory.indistinguishability import largest_cells, linear_indistinguishability, printed_cells
from noiseless.theory.linear_query import LinearQuery

PEOPLE = (10, 100, 1000)
EPSILONS = tuple(range(1, 11))
TRIED = (2, 3, 5, 10, 17, 100)
"""Group sizes for which soundness is counted."""


@reproduces(
    "[P2] Fig. 7",
    "Cells of an indistinguishable average",
    "The average of n records on max(1, n (2^(epsilon-1) - 1)) cells is epsilon-indistinguishable; with more "
    "people the quantizer can be finer for the same privacy.",
)
def figure(_: Data) -> Parts:
    """The printed rule and the largest number that is sound."""
    curves = []
    for n in PEOPLE:
        mean = LinearQuery.average(n, 0, 1)
        curves += [
            Curve.of(f"n = {n:,}, largest", EPSILONS, [largest_cells(mean, e) for e in EPSILONS]),
            Curve.dashed(f"n = {n:,}, printed", EPSILONS, [printed_cells(mean, e) for e in EPSILONS]),
        ]
    yield Panel.of("Cells of an average of n", "epsilon (bits)", "cells q", *curves, log_y=True)
    yield _gain()
    yield _sound()
    yield _largest()
    yield _grows()
    yield _loose()
    yield (
        "Theorem 5 is sound but loose: the worst symmetric difference of the average is "
        "floor(q/n) + ceil(q/n) - 1 cells, so n (2^(epsilon-1) + 1) - 1 cells are allowed."
    )


def _gain() -> Panel:
    curves = []
    for n in PEOPLE:
        mean = LinearQuery.average(n, 0, 1)
        gains = [largest_cells(mean, e) / printed_cells(mean, e) for e in EPSILONS]
        curves.append(Curve.of(f"n = {n:,}, largest", EPSILONS, gains))
    return Panel.of(
        "As a multiple of what is printed", "epsilon (bits)", "largest q / printed q", *curves, log_y=True
    )


def _sound() -> ClaimCheck:
    cases = broken = 0
    for n, e in product(TRIED, EPSILONS):
        mean = LinearQuery.average(n, 0, 1)
        cells = printed_cells(mean, e)
        cases += 1
        broken += linear_indistinguishability(mean, int(cells)).size > 2**e
    return ClaimCheck(
        "An average on max(1, n (2^(epsilon-1) - 1)) cells is epsilon-indistinguishable",
        f"no two values of a record differ in more than 2^epsilon cells in {cases - broken} of {cases} cases",
        f"true for n in {TRIED} and epsilon = 1 to {EPSILONS[-1]}, counted exactly",
        broken == 0,
    )


def _largest() -> ClaimCheck:
    cases = right = 0
    for n, e in product(TRIED, EPSILONS):
        mean, cells = LinearQuery.average(n, 0, 1), n * (2 ** (e - 1) + 1) - 1
        sizes = [linear_indistinguishability(mean, q).size for q in (cells, cells + 1)]
        cases += 1
        right += largest_cells(mean, e) == cells and sizes[0] <= 2**e < sizes[1]
    return ClaimCheck(
        "(Ours) n (2^(epsilon-1) + 1) - 1 cells are allowed, and not one more",
        f"that many keep the promise and one more breaks it in {right} of {cases} cases",
        "true in every case, counted exactly",
        right == cases,
    )


def _grows() -> ClaimCheck:
    rises = all(
        printed_cells(LinearQuery.average(few, 0, 1), e) < printed_cells(LinearQuery.average(many, 0, 1), e)
        and largest_cells(LinearQuery.average(few, 0, 1), e)
        < largest_cells(LinearQuery.average(many, 0, 1), e)
        for e in EPSILONS[1:]
        for few, many in pairwise(PEOPLE)
    )
    few, many = (largest_cells(LinearQuery.average(n, 0, 1), 3) for n in (PEOPLE[0], PEOPLE[-1]))
    return ClaimCheck(
        "With more people the quantizer can be finer for the same privacy",
        f"at epsilon = 3 from {few} cells for n = {PEOPLE[0]} to {many:,} for n = {PEOPLE[-1]:,}",
        "both numbers of cells grow strictly with n for every epsilon >= 2",
        rises,
    )


def _loose() -> ClaimCheck:
    mean = LinearQuery.average(100, 0, 1)
    more = {e: (printed_cells(mean, e), largest_cells(mean, e)) for e in EPSILONS}
    words = ", ".join(f"{more[e][1]} instead of {more[e][0]} at {e}" for e in (1, 2, 4))
    return ClaimCheck(
        "Theorem 5 is sufficient and need not be the best possible (conclusions)",
        f"indeed: for n = 100 there can be {words} bits",
        "more cells than printed are sound for every epsilon",
        all(printed < largest for printed, largest in more.values()),
    )
