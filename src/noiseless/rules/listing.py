"""Finding where the cells of a rule begin on a lattice, one after another."""

from collections.abc import Callable
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.ranges.spans import Lattice
from noiseless.rules.base import MOST_CELLS


def begins_by(lattice: Lattice, last_alike: Callable[[Fraction], Fraction]) -> tuple[int, ...]:
    """Where cells begin, given the largest number that is told like a number.

    Raises:
        RequestError: there are too many.
    """
    found, position = [], 0
    while position <= lattice.last:
        found.append(position)
        if len(found) > MOST_CELLS:
            raise too_many("this rule")
        end = last_alike(lattice.value(position))
        position = int((end - lattice.low) // lattice.step) + 1
    return tuple(found)


def too_many(name: str) -> RequestError:
    """What is said of more cells than can be listed."""
    return RequestError(
        f"{name} tells more than {MOST_CELLS:,} answers apart here; take a coarser rule or a coarser step"
    )
