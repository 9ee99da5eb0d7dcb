"""Who is in the aggregate? The membership game of [P1], V-A.

The adversary knows all readings of two households. A curator tosses a coin for one of them, adds n - 1 others
and publishes the mean of the n readings at each time, through a quantizer. The adversary guesses which of the
two is in it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from noiseless.adversaries.game import Budget, Game, Progress, Score, as_budgets
from noiseless.adversaries.intervals import advantage, wilson
from noiseless.adversaries.membership_rounds import (
    ADVERSARIES,
    WRAPS,
    Adversary,
    Aggregate,
    MembershipExperiment,
    Question,
    Recipe,
)
from noiseless.adversaries.readings import Readings, read_readings
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.questions.additive import mean, total
from noiseless.questions.base import Attribute

BUDGETS = (0, 1, 2, 3, 4, 5, 6, 8)
PEOPLE = (2, 4, 8, 16, 32, 64)
SHORTEST = 3
"""Fewer answers have no peak between neighbours."""


def membership(
    source: Any,  # noqa: ANN401 - an array, or any frame or source
    *,
    unit: str | None = None,
    time: str | None = None,
    value: str | None = None,
    bounds: tuple[Rational | float, Rational | float] | None = None,
    step: Rational | float | None = None,
    clamp: bool = False,
    most_missing: Rational | float = Fraction(1, 1000),
    names: Sequence[str] | None = None,
    query: Question = "mean",
    people: Iterable[int] | None = None,
    budgets: Iterable[Budget | Rational | float | str] = BUDGETS,
    adversaries: Sequence[Adversary] = ADVERSARIES,
    printed: bool = False,
    window: int | None = None,
    pair: tuple[int, int] | None = None,
    rounds: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Game:
    """Play the membership game of [P1], V-A, for each group size, budget and adversary.

    A budget is what may leak about one person through *one* answer; the answers of a year together may leak
    that many times over (`total_bits`). Cells are the finest that the budget allows (Theorem 8 of [P1],
    corrected). All budgets and adversaries play the same rounds. Ties are broken by a fair coin, so that
    somebody who learns nothing is right half of the time. Intervals are Wilson's.

    Args:
        source: a wide table (a column a household), a long one, or an array of times x households.
        unit: the column that names a household, in a long table.
        time: the column that orders readings.
        value: the column of readings, in a long table.
        bounds: the smallest and the largest possible reading; those of the readings themselves if not given,
            which a real release must not do.
        step: the resolution of readings; found from their decimals if not given.
        clamp: move readings outside the bounds to the nearest.
        most_missing: the largest share of missing readings of a household that takes part.
        names: the columns' names, for text files without a header line.
        query: what is published of a group, its "mean" or its "sum".
        people: group sizes.
        budgets: bits leaked about one person, at most through one answer.
        adversaries: "correlation": guess the candidate whose readings correlate more with the answers;
            "square-error": the one nearer to them; "peaks": the one with more peaks in common with them, a
            peak being a reading above both its neighbours.
        printed: play also with as many cells as Theorem 8 of [P1] allows as printed, which is unsound.
        window: how many successive answers are published in a round, from a random time on; all if not given.
        pair: the two households that the adversary chooses, by their numbers from 0 on, in every round; two
            at random in each round if not given. Households with too many missing readings have no number.
        rounds: how many rounds are played.
        seed: where the random numbers begin.
        threads: how many threads play; the result is the same for any number.
        progress: called with the number of rounds done and their total.

    Raises:
        RequestError: there are too few households for a group, or readings lie outside the bounds.
    """
    readings = read_readings(
        source,
        unit=unit,
        time=time,
        value=value,
        bounds=bounds,
        step=step,
        clamp=clamp,
        most_missing=most_missing,
        names=names,
    )
    sizes = _sizes(people, readings.households)
    length = _length(window, readings, sizes[-1])
    if rounds < 1:
        raise RequestError("a game has at least one round")
    if unknown := set(adversaries) - set(ADVERSARIES):
        raise RequestError(f"there is no adversary {min(unknown)!r}; there are {', '.join(ADVERSARIES)}")
    protected: list[Budget | None] = [*as_budgets(budgets), None]
    recipes: list[Recipe] = ["finest", "printed"] if printed else ["finest"]
    attribute = Attribute.on("reading", readings.lattice)
    count = _counting(progress, len(sizes) * rounds)
    workers = threads or os.cpu_count() or 1
    arena = MembershipExperiment(readings, length, rounds, seed, workers, count, _pair(pair, readings))
    found: list[Score] = []
    for size in sizes:
        question = (mean if query == "mean" else total)(size, attribute)
        told = [Aggregate(question, budget, recipe) for recipe in recipes for budget in protected]
        found += _scores(arena, size, told, adversaries)
    settings = _settings(readings, length, query)
    lines = ("people", "adversary", "recipe") if printed else ("people", "adversary")
    shown = (*lines, "reach", "cells", "advantage")
    return Game("membership", "probability of a right guess", seed, settings, tuple(found), lines, shown)


def _sizes(people: Iterable[int] | None, households: int) -> list[int]:
    if people is None:
        sizes = [size for size in PEOPLE if size < households] or [1]
    else:
        sizes = sorted({int(size) for size in people})
    if not sizes or sizes[0] < 1 or sizes[-1] >= households:
        raise RequestError(
            f"there are {households:,} households: a group has from 1 to {households - 1:,} of them, "
            "for the candidate who is not in it is left out"
        )
    return sizes


def _pair(pair: tuple[int, int] | None, readings: Readings) -> tuple[int, int] | None:
    if pair is not None and not (pair[0] != pair[1] and all(0 <= one < readings.households for one in pair)):
        raise RequestError(f"a pair is two different households, from 0 to {readings.households - 1:,}")
    return pair


def _length(window: int | None, readings: Readings, largest: int) -> int:
    length = readings.times if window is None else window
    if not SHORTEST <= length <= readings.times:
        raise RequestError(f"a window has from {SHORTEST} to {readings.times:,} answers: as many as readings")
    if 2 * largest * readings.lattice.last**2 * length >= WRAPS:
        raise RequestError("the step is too fine for sums in 64 bits; declare a coarser one")
    return length


def _counting(progress: Progress | None, total: int) -> Callable[[int], None]:
    """Turn increments of rounds done into calls of `progress` with the total so far."""
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(done, total)

    return count


def _scores(
    arena: MembershipExperiment, size: int, told: Sequence[Aggregate], adversaries: Sequence[Adversary]
) -> Iterator[Score]:
    """How often each adversary is right about groups of one size."""
    played, rounds = arena.play(size, told), arena.rounds
    for adversary in (a for a in ADVERSARIES if a in adversaries):
        for one, won in zip(told, played.wins(adversary), strict=True):
            gained = advantage(won, rounds)
            details = {
                "people": size,
                "adversary": adversary,
                "recipe": one.recipe,
                "rounds": rounds,
                "successes": won,
                "advantage": gained.value,
                "advantage_low": gained.low,
                "advantage_high": gained.high,
                "cells": one.quantizer.cells,
                "reach": one.reach,
                "worst_error": one.worst_error,
                "total_bits": one.total_bits(arena.length),
            }
            yield Score(one.budget, won / rounds, *wilson(won, rounds), details)


def _settings(readings: Readings, length: int, query: Question) -> dict[str, Any]:
    lattice = readings.lattice
    return {
        "query": query,
        "households": readings.households,
        "left_out": readings.left_out,
        "readings": readings.times,
        "filled": readings.filled,
        "window": length,
        "bounds": [float(lattice.low), float(lattice.high)],
        "step": float(lattice.step),
    }
