"""Noiseless against noise: a sum over a census."""

import numpy as np

from noiseless.gallery.data import Data
from noiseless.gallery.figure import Parts, reproduces
from noiseless.gallery.noise_count import (
    CAPACITY,
    FEWER_BITS,
    MORE_BITS,
    checks,
    compare_mechanisms,
    panels,
)
from noiseless.gallery.noise_mechanisms import GroupQuestion
from noiseless.questions import Lattice

LEAST, MOST = 1, 99
PEOPLE = 100


@reproduces(
    "Comparison: sum",
    "A sum without noise and with it, at equal bits",
    "At equal bits a noiseless sum is never off by more than half a cell, where noise can be off by"
    " the whole range; on average noise is nearer to the truth. One noiseless bit tells two extreme values"
    " apart for certain.",
    needs=("adult",),
)
def figure(data: Data) -> Parts:
    """The hours that a hundred people work in a week, for each hundred of the table."""
    hours = np.asarray(data.adult()["hours-per-week"].to_numpy(), np.int64)
    groups = hours[: len(hours) // PEOPLE * PEOPLE].reshape(-1, PEOPLE) - LEAST
    truths = groups.sum(axis=1)
    own = groups[np.arange(len(groups)), np.arange(len(groups)) % PEOPLE]
    bits = FEWER_BITS if data.synthetic else MORE_BITS
    results = compare_mechanisms(
        GroupQuestion("sum", PEOPLE, Lattice.of(LEAST, MOST, 1)), bits, truths, truths - own
    )
    yield from panels(results, "hours")
    yield from checks(results, "hours")
    yield (
        f"Weekly hours of work of {len(groups)} hundreds of people in the order of the table;"
        f" somebody works {LEAST} to {MOST} hours."
    )
    yield CAPACITY
    yield (
        "The first adversary knows everybody else's hours and has to tell 1 hour from 99, the second"
        " estimates hours that may be any number."
    )
