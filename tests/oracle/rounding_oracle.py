"""Controlled rounding by its definition, on tables so small that every rounding can be written down.

A rounding gives each base cell a multiple of the base, and each figure the sum of its own. It is
zero-restricted if every figure is at the next multiple below or above its true value, and at that value if
that is a multiple; with a relaxation of k, it may be up to k bases further. The least one has the least sum
of distances.
"""

from collections.abc import Iterator, Sequence
from itertools import product

Figures = Sequence[Sequence[int]]
"""For each figure, its base cells."""


def allowed(value: int, base: int, relax: int = 0) -> set[int]:
    """The multiples that a true value may be published as; none is negative."""
    below, above = value - value % base, value + -value % base
    return {r for r in range(below - relax * base, above + relax * base + 1, base) if r >= 0}


def stands_for(multiple: int, base: int, relax: int, most: int) -> set[int]:
    """The true values up to `most` that may be published as this multiple."""
    return {value for value in range(most + 1) if multiple in allowed(value, base, relax)}


def roundings(truth: Sequence[int], figures: Figures, base: int, relax: int = 0) -> Iterator[list[int]]:
    """All roundings, as the multiples of the figures."""
    most = [
        min(max(allowed(sum(truth[c] for c in of), base, relax)) for of in figures if cell in of)
        for cell in range(len(truth))
    ]
    shown = {of[0] for of in map(tuple, figures) if len(of) == 1}
    choices = [
        sorted(allowed(value, base, relax)) if cell in shown else range(0, most[cell] + 1, base)
        for cell, value in enumerate(truth)
    ]
    for cells in product(*choices):
        found = [sum(cells[c] for c in of) for of in figures]
        if all(
            r in allowed(sum(truth[c] for c in of), base, relax) for r, of in zip(found, figures, strict=True)
        ):
            yield found


def distance(rounded: Sequence[int], truth: Sequence[int], figures: Figures) -> int:
    return sum(abs(r - sum(truth[c] for c in of)) for r, of in zip(rounded, figures, strict=True))


def leaves(rounded: Sequence[int], wants: Sequence[tuple[int, int, int]], base: int, relax: int) -> bool:
    """Whether each wanted figure by itself leaves both of its values possible."""
    return all({low, high} <= stands_for(rounded[figure], base, relax, high) for figure, low, high in wants)


def least(
    truth: Sequence[int],
    figures: Figures,
    base: int,
    relax: int = 0,
    wants: Sequence[tuple[int, int, int]] = (),
) -> int | None:
    """The least sum of distances; None if there is no rounding."""
    found = (r for r in roundings(truth, figures, base, relax) if leaves(r, wants, base, relax))
    return min((distance(each, truth, figures) for each in found), default=None)
