"""Noiseless against noise: a count of patients."""

from fractions import Fraction

import numpy as np

from noiseless.gallery.data import Data
from noiseless.gallery.figure import Check, Figure, Outcome
from noiseless.gallery.noise_mechanisms import Question
from noiseless.gallery.noise_race import Race, below_one_bit, panels, race
from noiseless.questions import Lattice

BITS = tuple(map(Fraction, ("1/10", "1/4", "1/2", "3/4", "9/10", "1", "2")))
FEWER_BITS = tuple(map(Fraction, ("1/2", "1")))


def make(data: Data) -> Outcome:
    """How many patients are at least so old, for every age that occurs."""
    ages = np.asarray(data.heart()["age"].to_numpy(), np.int64)
    limits = np.unique(ages)
    truths = (ages[:, None] >= limits).sum(axis=0)
    bases = truths - (ages[np.arange(len(limits)) % len(ages)] >= limits)
    bits = FEWER_BITS if data.synthetic else BITS
    results = race(Question("count", len(ages), Lattice.of(0, 1, 1)), bits, truths, bases)
    return Outcome(
        panels(results, "people", zero=True),
        (below_one_bit(results, "people"), _exact(results), _everything(results), _doubt(results)),
        (
            f"{len(limits)} counts of {len(ages)} patients: how many are at least so old, for every age.",
            (
                "One person moves a count by one: it has a reach of 2, and an exact count costs 1 bit. Noise"
                " that keeps to 1 bit or more is no noise at all."
            ),
            "Both adversaries know everybody else's age, and want to know whether one person is counted.",
        ),
    )


def _exact(results: Race) -> Check:
    from_one = [one for line in results.values() for one in line if one.bits >= 1]
    return Check(
        "From 1 bit on a noiseless count is exact, and noise need not be added either",
        f"largest error {max(one.told.worst for one in from_one):g} from 1 bit on, with every mechanism",
        "no error at all from 1 bit on",
        all(one.told.worst == 0 and one.average == 0 for one in from_one),
    )


def _everything(results: Race) -> Check:
    one = next(one for one in results["noiseless"] if one.bits >= 1)
    return Check(
        "One bit of a one-bit secret is everything",
        f"at 1 bit whoever knows all others is right with probability {one.ends:g}",
        "the probability is 1",
        one.ends == 1,
    )


def _doubt(results: Race) -> Check:
    last = {name: [one for one in line if one.bits < 1][-1] for name, line in results.items()}
    told = [f"{one.ends:.3f} ({name})" for name, one in last.items()]
    return Check(
        "Below 1 bit noise leaves little doubt before it leaves none, a noiseless constant tells nothing",
        f"at {float(last['noiseless'].bits):g} bits the guess is right with probability {', '.join(told)}",
        "noiseless 1/2, every noise between 1/2 and 1 at every number of bits below 1",
        all(
            one.ends == 1 / 2 if name == "noiseless" else 1 / 2 < one.ends < 1
            for name, line in results.items()
            for one in line
            if one.bits < 1
        ),
    )


FIGURE = Figure(
    name="noise-count",
    paper="Comparison: count",
    title="A count without noise and with it, at equal bits",
    claim="A count costs exactly 1 bit and is then exact, with or without noise; for less than that a"
    " noiseless answer is a constant, and noise is the only way to say anything.",
    needs=("heart",),
    make=make,
)
