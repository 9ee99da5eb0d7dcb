"""Noiseless against noise: a mean over smart meters, and the membership game of [P1] against each."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.adversaries.intervals import wilson
from noiseless.arrays import FloatArray, IntArray
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.noise_count import (
    CAPACITY,
    FEWER_BITS,
    MORE_BITS,
    checks,
    compare_mechanisms,
    panels,
)
from noiseless.gallery.noise_mechanisms import GroupQuestion, bits_text
from noiseless.questions import Lattice

PEOPLE, ANSWERS = 8, 48
"""A group, and a day of its means."""

FUSE, STEP = Fraction(23, 2), Fraction(1, 1000)
BASES = 200
ROUNDS, FEWER_ROUNDS = 1000, 200


@dataclass(frozen=True)
class Rounds:
    """Rounds that all mechanisms play: the readings of both candidates, the group's, and the coins.

    Attributes:
        candidates: the readings of both, rounds x 2 x answers.
        sums: the group's sums, rounds x answers.
        taken: which candidate is in the group.
        coins: what is guessed when both fit equally well.
    """

    candidates: FloatArray
    sums: IntArray
    taken: IntArray
    coins: IntArray


def drawn(meters: IntArray, rounds: int, seed: int = 0) -> Rounds:
    """Draw groups, days and coins.

    Args:
        meters: readings as positions, times x households.
        rounds: how many.
        seed: where random numbers begin.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    times, households = meters.shape
    candidates, sums = [], []
    taken, coins = rng.integers(0, 2, (2, rounds))
    for coin in taken.tolist():
        chosen = rng.choice(households, PEOPLE + 1, replace=False)
        day = meters[(start := int(rng.integers(0, times - ANSWERS + 1))) : start + ANSWERS]
        candidates.append(day[:, chosen[:2]].T)
        sums.append(day[:, [chosen[coin], *chosen[2:]]].sum(axis=1))
    return Rounds(np.array(candidates, np.float64), np.array(sums), taken, coins)


def successes(rounds: Rounds, told: FloatArray) -> int:
    """How often the candidate whose readings correlate more with what is published is the right one."""
    fits = np.stack([_correlation(rounds.candidates[:, i], told) for i in range(2)])
    guess = np.where(fits[0] == fits[1], rounds.coins, np.argmax(fits, axis=0))
    return int(np.count_nonzero(guess == rounds.taken))


def _correlation(left: FloatArray, right: FloatArray) -> FloatArray:
    """Of each round; 0 where one of both does not vary."""
    left = left - left.mean(axis=1, keepdims=True)
    right = right - right.mean(axis=1, keepdims=True)
    size = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    found: FloatArray = np.divide((left * right).sum(axis=1), size, out=np.zeros(len(size)), where=size > 0)
    return found


def play(
    meters: IntArray, values: Lattice, bits: Sequence[Fraction], rounds: int
) -> dict[str, list[tuple[Fraction, int]]]:
    """How often each mechanism's answers give the household away, by bits for one answer."""
    question = GroupQuestion("mean", PEOPLE, values)
    games = drawn(meters, rounds)
    found: dict[str, list[tuple[Fraction, int]]] = {}
    for seed, amount in enumerate(bits):
        for told in question.told(amount):
            heard = told.tell(games.sums.ravel(), seed).reshape(games.sums.shape)
            found.setdefault(told.name, []).append((amount, successes(games, heard)))
    return found


def panel(played: dict[str, list[tuple[Fraction, int]]], rounds: int) -> Panel:
    """The probability of a right guess with its interval."""
    curves = []
    for name, line in played.items():
        ends = [wilson(won, rounds) for _, won in line]
        curves.append(
            Curve.of(
                name,
                [bits for bits, _ in line],
                [won / rounds for _, won in line],
                band=([low for low, _ in ends], [high for _, high in ends]),
            )
        )
    return Panel.of(
        f"Who is among {PEOPLE}? By correlation, one day",
        "bits leaked about one person, at most through one answer",
        "probability of a right guess",
        *curves,
    )


def check(played: dict[str, list[tuple[Fraction, int]]], rounds: int) -> ClaimCheck:
    """Whether a noiseless answer hides a household better than noise does."""
    rows = list(zip(*played.values(), strict=True))
    told, never_worse = [], True
    for (bits, ours), *noisy in rows:
        others = [won / rounds for _, won in noisy]
        told.append(f"{bits_text(bits)}: {ours / rounds:.3f} against {min(others):.3f} to {max(others):.3f}")
        never_worse &= wilson(ours, rounds)[0] <= max(others)
    return ClaimCheck(
        "At equal bits a household is not easier to find through noiseless answers than through noise",
        f"probability of a right guess through noiseless against noise, {'; '.join(told)}",
        "the 95 % interval of noiseless reaches down to the probability through some noise, at all bits",
        bool(never_worse),
        about="ours",
    )


@reproduces(
    "Comparison: mean",
    "A mean without noise and with it, at equal bits",
    "At equal bits a noiseless mean is never off by more than half a cell, where noise can be off by"
    " the whole range; on average noise is nearer to the truth. One noiseless bit tells two extreme values"
    " apart for certain.",
    needs=("meters",),
)
def figure(data: Data) -> Parts:
    """The mean of all households in each half hour."""
    meters = np.rint(data.meters() / float(STEP)).astype(np.int64)
    times, households = meters.shape
    values = Lattice.of(0, FUSE, STEP)
    truths = meters.sum(axis=1)
    some = np.arange(0, times, max(1, times // BASES))
    bases = truths[some] - meters[some, some % households]
    bits = FEWER_BITS if data.synthetic else MORE_BITS
    results = compare_mechanisms(GroupQuestion("mean", households, values), bits, truths, bases)
    rounds = FEWER_ROUNDS if data.synthetic else ROUNDS
    played = play(meters, values, bits, rounds)
    yield from panels(results, "kWh")
    yield panel(played, rounds)
    yield from checks(results, "kWh")
    yield check(played, rounds)
    yield (
        f"{times:,} means of {households} households, one for each half hour; a reading lies within 0"
        f" and {float(FUSE)} kWh. Each answer may leak this many bits about one person."
    )
    yield CAPACITY
    yield (
        "The first adversary knows all other readings and has to tell 0 from the largest possible"
        " reading, the second estimates a reading that may be anything, the third looks for a"
        " household in a group of 8."
    )
