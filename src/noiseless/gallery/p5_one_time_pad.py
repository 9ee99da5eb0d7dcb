"""[P5] Example 4: a one-time pad and its key tell nothing each, and everything together."""

import math
from fractions import Fraction

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR
from noiseless.theory.differential import Database, compose_sequential, mi_dp

SIZES = (2, 3, 4, 6, 8, 12, 16)
VALUES = 5
REUSED = tuple(Fraction(i, 10) for i in range(11))


def padded(size: int) -> Database:
    """X + U modulo size, with a uniform key U."""
    return Database.from_function(
        lambda x: {(x + u) % size: Fraction(1, size) for u in range(size)}, range(size)
    )


def key(size: int) -> Database:
    """The key alone, whatever X is."""
    return Database.from_function(lambda _: {u: Fraction(1, size) for u in range(size)}, range(size))


def both(size: int, reused: Fraction = Fraction(1)) -> Database:
    """The padded entry and a second output: with probability `reused` its key, otherwise a fresh one."""

    def told(x: int) -> dict[tuple[int, int], Fraction]:
        fresh = (1 - reused) / size
        return {
            ((x + u) % size, v): (fresh + (reused if u == v else 0)) / size
            for u in range(size)
            for v in range(size)
        }

    return Database.from_function(told, range(size))


@reproduces(
    "[P5] Example 4",
    "A one-time pad and its key: noise that is used twice",
    "Two outputs can tell nothing each and everything together if they share their noise: composition "
    "needs outputs that are independent given the database.",
)
def figure() -> Parts:
    """Over the alphabet, and over how often the key is used again."""
    alone = [mi_dp(padded(size)) for size in SIZES]
    keys = [mi_dp(key(size)) for size in SIZES]
    together = [mi_dp(both(size)) for size in SIZES]
    partly = [mi_dp(both(VALUES, share)) for share in REUSED]
    yield Panel.of(
        "What is revealed about the entry",
        "values of the entry",
        "nats",
        Curve.dashed("ln N", SIZES, math.log),
        Curve.dashed("sum of the two prices", SIZES, 0.0),
        Curve.dots("both", SIZES, (each.upper_nats for each in together)),
        Curve.dots("padded entry alone", SIZES, (each.upper_nats for each in alone)),
        log_x=True,
    )
    yield Panel.of(
        f"{VALUES} values: how often the key is used again",
        "probability that the second output is the key",
        "nats",
        Curve.of("both", REUSED, (each.upper_nats for each in partly)),
        Curve.dashed("ln N", (0, 1), math.log(VALUES)),
        note="0: outputs independent given the entry, as Corollary 2 asks",
    )
    most = max(each.upper_nats for each in (*alone, *keys))
    off = max(abs(each.upper_nats - math.log(n)) for each, n in zip(together, SIZES, strict=True))
    rises = [each.upper_nats for each in partly]
    fresh = float(compose_sequential([alone[0].upper_nats, keys[0].upper_nats]))
    yield ClaimCheck(
        "The padded entry tells nothing, and neither does the key.",
        f"at most {most} nats, for N up to {SIZES[-1]}",
        "0 nats exactly",
        most == 0,
    )
    yield ClaimCheck(
        "Together they reveal the entry.",
        f"ln N within {off:.0e} nats, for N up to {SIZES[-1]}",
        f"ln N within {NEAR} nats",
        off <= NEAR,
    )
    yield ClaimCheck(
        "Corollary 2 needs outputs that are independent given the entry: then prices add.",
        f"with a fresh key both tell {rises[0]:.1e} nats, the sum of prices is {fresh}; with the key "
        f"used again they tell up to {rises[-1]:.4f}",
        "at most the sum with a fresh key; rising with the probability that it is used again, above the "
        "sum at once",
        rises[0] <= fresh + NEAR and rises == sorted(rises) and rises[1] > fresh,
    )
