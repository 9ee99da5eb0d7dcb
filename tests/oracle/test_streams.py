"""All streams of a person over tiny domains: what is told never has more outcomes than is stated."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.collection.local.column_release import ColumnRelease
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.schedule import Schedule
from noiseless.collection.local.vectors import LocalVector
from noiseless.questions import Lattice
from noiseless.tables import Missing

Rule = Literal["stop", "coarsen"]
CASES = [
    (cells, budget, rule)
    for cells in (2, 3, 4)
    for budget in ("0", "1", "1.58", "2", "3", "3.2", "4", "5", "7.5")
    for rule in ("stop", "coarsen")
]


Reading = int | None
Told = tuple[str | None, ...]


def told(schedule: Schedule, streams: Sequence[tuple[Reading, ...]]) -> list[Told]:
    """What is told of each stream: that of a person of its own, whose readings come among all others'."""
    missing: Missing = "value" if schedule.stages[0].mechanism.parts[0].missing else "error"
    release = ColumnRelease(schedule, "interval", missing=missing, unit="who")
    turns = max(map(len, streams), default=0)
    rows = [
        (who, stream[turn])
        for turn in range(turns)
        for who, stream in enumerate(streams)
        if turn < len(stream)
    ]
    values = pa.array([None if value is None else str(value) for _, value in rows], pa.string())
    found, kept = release.release({"x": values, "who": pa.array([str(who) for who, _ in rows], pa.string())})
    release.check()
    assert kept is None
    outputs: list[list[str | None]] = [[] for _ in streams]
    for (who, _), text in zip(rows, found["x"].to_pylist(), strict=True):
        outputs[who].append(text)
    return [tuple(texts) for texts in outputs]


@pytest.mark.parametrize(("cells", "budget", "rule"), CASES)
def test_no_more_streams_are_told_than_the_budget_allows(cells: int, budget: str, rule: Rule) -> None:
    """|{outputs of T readings}| = product of the readings' reaches <= 2^budget, for every T."""
    fine = LocalQuantizer.finest(Lattice.of(0, 3, 1), cells, "x")
    schedule = Schedule.of(fine, Fraction(budget), rule)
    for length in range(6):
        outcomes = set(told(schedule, [*product(range(4), repeat=length)]))
        spent = schedule.spending(length)
        stated = prod(reach**readings for reach, readings in spent.parts)
        assert len(outcomes) == stated
        assert spent.is_within(Fraction(budget))
        numerator, denominator = Fraction(budget).as_integer_ratio()
        assert stated**denominator <= 2**numerator


@pytest.mark.parametrize(("cells", "budget", "rule"), CASES)
def test_silence_tells_nothing(cells: int, budget: str, rule: Rule) -> None:
    """Which readings are not told is the same for all values: it depends on their numbers alone."""
    schedule = Schedule.of(LocalQuantizer.finest(Lattice.of(0, 3, 1), cells, "x"), Fraction(budget), rule)
    streams = [*product(range(4), repeat=5)]
    assert len({tuple(text is None for text in texts) for texts in told(schedule, streams)}) == 1


def test_a_missing_reading_is_an_output_that_is_paid_for() -> None:
    fine = LocalQuantizer.finest(Lattice.of(0, 3, 1), 3, "x", missing=True)
    schedule = Schedule.of(fine, 4, "coarsen")
    for length in range(5):
        outcomes = set(told(schedule, [*product((0, 1, 2, 3, None), repeat=length)]))
        assert len(outcomes) <= prod(reach**n for reach, n in schedule.spending(length).parts) <= 2**4


def test_two_numbers_of_one_reading_share_the_budget() -> None:
    square = LocalVector.finest({"x": Lattice.of(0, 1, 1), "y": Lattice.of(0, 2, 1)}, 6)
    schedule = Schedule.of(square, Fraction(6), "coarsen")
    for length in range(4):
        outcomes = set()
        for readings in product(product(range(2), range(3)), repeat=length):
            release = ColumnRelease(schedule, "cell", unit="who")
            columns = {c: pa.array([str(r[i]) for r in readings], pa.string()) for i, c in enumerate("xy")}
            found, _ = release.release({**columns, "who": pa.array(["me"] * length, pa.string())})
            outcomes.add(tuple(zip(*(found[c].to_pylist() for c in "xy"), strict=True)))
        assert len(outcomes) <= prod(reach**n for reach, n in schedule.spending(length).parts) <= 2**6


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 15)), max_size=30),
    st.integers(2, 16),
    st.fractions(0, 20, max_denominator=7),
    st.sampled_from(["stop", "coarsen"]),
)
def test_what_a_person_is_told_does_not_depend_on_others(
    rows: list[tuple[str, int]], cells: int, budget: Fraction, rule: Rule
) -> None:
    """A person's outputs are those of the person's readings alone, and cost the budget at most."""
    schedule = Schedule.of(LocalQuantizer.finest(Lattice.of(0, 15, 1), cells, "x"), budget, rule)
    release = ColumnRelease(schedule, "interval", unit="who")
    columns = {
        "x": pa.array([str(x) for _, x in rows], pa.string()),
        "who": pa.array([w for w, _ in rows], pa.string()),
    }
    together = release.release(columns)[0]["x"].to_pylist()
    for person in "abc":
        (alone,) = told(schedule, [tuple(x for who, x in rows if who == person)])
        assert tuple(text for text, (who, _) in zip(together, rows, strict=True) if who == person) == alone
        assert schedule.spending(len(alone)).is_within(budget)
