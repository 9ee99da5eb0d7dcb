"""Noiseless against noise: a mean over smart meters."""

from fractions import Fraction

import numpy as np

from noiseless.gallery import noise_membership
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Figure, Outcome
from noiseless.gallery.noise_mechanisms import Question
from noiseless.gallery.noise_race import checks, panels, race
from noiseless.questions import Lattice

BITS = tuple(map(Fraction, ("1/4", "1/2", "3/4", "1", "3/2", "2", "3", "4")))
FEWER_BITS = tuple(map(Fraction, ("1/2", "1")))
FUSE, STEP = Fraction(23, 2), Fraction(1, 1000)
BASES = 200
ROUNDS, FEWER_ROUNDS = 1000, 200


def make(data: Data) -> Outcome:
    """The mean of all households in each half hour."""
    meters = np.rint(data.meters() / float(STEP)).astype(np.int64)
    times, households = meters.shape
    values = Lattice.of(0, FUSE, STEP)
    truths = meters.sum(axis=1)
    some = np.arange(0, times, max(1, times // BASES))
    bases = truths[some] - meters[some, some % households]
    bits = FEWER_BITS if data.synthetic else BITS
    results = race(Question("mean", households, values), bits, truths, bases)
    rounds = FEWER_ROUNDS if data.synthetic else ROUNDS
    played = noise_membership.play(meters, values, bits, rounds)
    return Outcome(
        (*panels(results, "kWh"), noise_membership.panel(played, rounds)),
        (*checks(results, "kWh"), noise_membership.check(played, rounds)),
        (
            (
                f"{times:,} means of {households} households, one for each half hour; a reading lies within 0"
                f" and {float(FUSE)} kWh. One person may tell so many bits through each answer."
            ),
            (
                "Bits are the capacity from one person to the answer: exactly log2 of the reach of a"
                " noiseless answer, and bounded from above for noise, which is then as small as the bound"
                " allows."
            ),
            (
                "The first adversary knows all other readings and has to tell 0 from the largest possible"
                " reading, the second estimates a reading that may be anything, the third looks for a"
                " household in a group of 8."
            ),
        ),
    )


FIGURE = Figure(
    name="noise-mean",
    paper="Comparison: mean",
    title="A mean without noise and with it, at equal bits",
    claim="At equal bits a noiseless mean is never off by more than half a cell, where noise can be off by"
    " the whole range; on average noise is nearer to the truth. One noiseless bit tells two extreme values"
    " apart for certain.",
    needs=("meters",),
    make=make,
)
