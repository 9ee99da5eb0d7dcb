"""People whom an adversary singles out, and what an attack on one of them came to."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from noiseless.adversaries.declared_values import PrivateColumn
from noiseless.adversaries.game import Score, streams
from noiseless.adversaries.temporary_curator import PEOPLE, PERSON, Arena
from noiseless.errors import RequestError
from noiseless.exact import Bits

if TYPE_CHECKING:
    from noiseless.curator import Curator

MEASURE = "bits learnt about the target"
ROUNDING = 1e-9
"""Sums of logarithms are off by less."""


@dataclass(frozen=True)
class Target:
    """A person whom the adversary is after.

    Attributes:
        number: the person's place in the column.
        name: what the public column says of them.
    """

    number: int
    name: str


@dataclass(frozen=True)
class Part:
    """Values that lead to the same answers.

    Attributes:
        values: which the target may have.
        left: what the adversary then holds possible.
    """

    values: range
    left: range


@dataclass(frozen=True)
class Play:
    """What came of one attack on one target.

    Attributes:
        left: what remains possible of the target's value.
        charged: what the ledger charged for it, for those who paid most.
        questions: how many were answered.
        stopped: whether the ledger refused the next one.
    """

    left: range
    charged: Bits
    questions: int
    stopped: bool


def draw_targets(people: PrivateColumn, targets: int, seed: int) -> list[Target]:
    """People by lot, of those who can be singled out.

    Raises:
        RequestError: there are none.
    """
    alone = np.flatnonzero(people.alone)
    if not len(alone):
        raise RequestError(
            "nobody is alone with their values of the public columns; name more of them, or none"
        )
    if targets < 1:
        raise RequestError("attack at least one target")
    if people.people == 1:
        raise RequestError("a single person's value is asked for directly; give a table with more rows")
    (stream,) = streams(seed, 1)
    numbers = np.sort(stream.choice(alone, min(targets, len(alone)), replace=False))
    return [Target(int(number), str(place)) for place, number in enumerate(numbers, 1)]


def learnt_bits(parts: Iterable[Part], size: int) -> float:
    """log2 of all values over those left, on average over what the value may be.

    >>> learnt_bits([Part(range(2), range(2)), Part(range(2, 4), range(2, 4))], 4)
    1.0
    """
    return math.fsum(len(part.values) * math.log2(size / len(part.left)) for part in parts) / size


def unprotected(attack: str, parts: Iterable[Part], size: int) -> Score:
    """What an attack would tell if the answers were exact, and nobody counted them."""
    told = list(parts)
    bits = learnt_bits(told, size)
    fewest = min(len(part.left) for part in told)
    details = {
        "attack": attack,
        "charged": None,
        "told_apart": conclusions(told),
        "left": float(fewest),
        "fewest_left": fewest,
        "questions": None,
        "stopped": False,
    }
    return Score(None, bits, bits, bits, details)


def one_by_one(size: int) -> list[Part]:
    """Every value is told apart from all others."""
    return [Part(range(value, value + 1), range(value, value + 1)) for value in range(size)]


def conclusions(parts: Iterable[Part]) -> int:
    """How many different things the target can make the adversary conclude."""
    return len({(part.left.start, part.left.stop) for part in parts})


def is_refused(curator: "Curator", *sql: str) -> bool:
    """Ask, and say whether the ledger refused it."""
    from noiseless.pricing.history import BudgetError

    try:
        curator.ask(*sql)
    except BudgetError:
        return True
    return False


def counted_apart(arena: Arena, target: Target, curator: "Curator", number: int) -> bool:
    """Whether the target's value is the one with a number or beyond, by two counts.

    Raises:
        BudgetError: the ledger refuses.
    """
    counts = f"SELECT COUNT(*) FROM {PEOPLE} WHERE {arena.from_on(number)}"
    reply = curator.ask(counts, f"{counts} AND {PERSON} <> '{target.name}'")
    every, rest = (answer.value for answer in reply.answers)
    assert every is not None and rest is not None  # noqa: S101, PT018 - counts are numbers
    return every - rest == 1
