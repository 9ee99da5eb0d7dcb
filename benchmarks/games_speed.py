"""Attack games over tables as large as the papers': how long a whole sweep takes. One function a game."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from measure import best_of, copying
from noiseless.adversaries import appliances, linkage, membership
from noiseless.questions import Continuum, Span
from page import Form, Part, Section, Table

Floats = npt.NDArray[np.float64]

HALF_HOURS = 17_520
HOUSEHOLDS = 87


def rows(scale: int = 1) -> list[dict[str, Any]]:
    """One line a game; `scale` divides the sizes."""
    return [game(scale) for game in GAMES]


def membership_row(scale: int = 1) -> dict[str, Any]:
    """1,000 rounds x 6 group sizes x 8 budgets x 3 adversaries over a year of half hours."""
    readings = _meters(HALF_HOURS // scale)
    rounds = 1000 // scale
    (seconds,) = best_of(1, lambda: membership(readings, bounds=(0, 10), step=0.001, rounds=rounds))
    sizes = f"{rounds:,} rounds x 6 sizes x 8 budgets x 3 adversaries x {len(readings):,} half hours"
    return {"game": "membership", "played": sizes, "copy s": copying(readings), "s": seconds}


def _meters(times: int) -> Floats:
    """Readings like those of meters: mostly small, few large, with a daily rhythm; multiples of 0.001."""
    rng = np.random.default_rng(0)
    rhythm = 1 + 0.6 * np.sin(np.arange(times) * 2 * np.pi / 48)[:, None]
    used = rng.gamma(0.8, 0.27, (times, HOUSEHOLDS)) * rhythm
    return np.asarray(used.clip(0, 9.999).round(3))


def appliances_row(scale: int = 1) -> dict[str, Any]:
    """500,000 readings x 5 appliances x 8 budgets, both adversaries."""
    house = _house(500_000 // scale)
    circuits = [name for name in house.column_names if name != "mains"]
    (seconds,) = best_of(
        1, lambda: appliances(house, meter="mains", circuits=circuits, bounds=(0, 12_500), step=1)
    )
    sizes = f"{len(house):,} readings x {len(circuits)} appliances x 8 budgets x 2 adversaries"
    limit = copying(*(house[name].to_numpy() for name in house.column_names))
    return {"game": "appliances", "played": sizes, "copy s": limit, "s": seconds}


def _house(times: int) -> pa.Table:
    """Five appliances that run for a while at one of two levels, and what nobody measures; whole watts."""
    rng = np.random.default_rng(0)
    circuits = {}
    for number, (share, length, watts) in enumerate(
        [(0.26, 300, 190), (0.02, 40, 1500), (0.17, 600, 45), (0.55, 2000, 80), (0.05, 900, 1100)]
    ):
        level = rng.choice(
            [0, watts, 2 * watts], times // length + 1, p=[1 - share, share * 0.8, share * 0.2]
        )
        circuits[f"circuit {number}"] = np.repeat(level, length)[:times] + rng.integers(0, 8, times)
    used = np.sum(list(circuits.values()), axis=0) + 90 + rng.integers(0, 300, times)
    return pa.table({"mains": used, **circuits})


def linkage_row(scale: int = 1) -> dict[str, Any]:
    """150,000 trips x 20 budgets over four coordinates."""
    rng = np.random.default_rng(0)
    count = 150_000 // scale
    ends = {"lon": (-74.27, -73.68), "lat": (40.49, 40.92)}
    spans: dict[str, Span] = {}
    trips = {}
    for place in ("pickup", "dropoff"):
        for name, (low, high) in ends.items():
            where = rng.normal((low + high) / 2, (high - low) / 10, count).clip(low, high)
            trips[f"{place} {name}"] = where.round(6)
            spans[f"{place} {name}"] = Continuum.of(*(Fraction(str(end)) for end in (low, high)))
    (seconds,) = best_of(1, lambda: linkage(pa.table(trips), spans, budgets=range(2, 42, 2)))
    limit = copying(*trips.values())
    return {"game": "linkage", "played": f"{count:,} trips x 20 budgets", "copy s": limit, "s": seconds}


# A line a game: a function above, and its name here.
GAMES: tuple[Callable[[int], dict[str, Any]], ...] = (membership_row, appliances_row, linkage_row)


INTRODUCTION = """\
[Attack games](attacks.md) over made-up tables as large as the papers' own: how long a whole sweep takes.
The limit is a copy of the readings, once."""


def measured(form: Form) -> Iterator[Part]:
    """All games."""
    yield Table(rows(20 if form.small else 1))


SECTION = Section("games", "Attack games", INTRODUCTION, measured)


if __name__ == "__main__":
    for line in rows():
        print({name: round(value, 3) if isinstance(value, float) else value for name, value in line.items()})
