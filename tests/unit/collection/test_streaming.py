from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.schedule import Meters, Schedule, Spending, affordable
from noiseless.collection.local.vectors import LocalVector
from noiseless.errors import RequestError
from noiseless.questions import Continuum

FINE = LocalQuantizer.finest(Continuum.of(0, 16), 16)


def stages(schedule: Schedule) -> list[tuple[int, int | None]]:
    return [(stage.mechanism.reach, stage.readings) for stage in schedule.stages]


def test_stopping_spends_what_whole_readings_cost() -> None:
    assert stages(Schedule.stopping(FINE, 30)) == [(16, 7)]
    assert Schedule.stopping(FINE, 30).spending().bits == 28
    assert stages(Schedule.stopping(FINE, 3)) == [(16, 0)]


def test_coarsening_halves_cells_as_halves_of_the_budget_go() -> None:
    schedule = Schedule.of(FINE, 64, "coarsen")
    assert stages(schedule) == [(16, 8), (8, 5), (4, 4), (2, 9)]
    assert schedule.ends == (8, 13, 17, 26)
    assert schedule.spending().bits == 64
    assert schedule.spending(10).bits == 32 + 6
    assert schedule.spending(10**6).bits == 64


def test_a_vector_is_coarsened_too() -> None:
    square = LocalVector.finest({"a": Continuum.of(0, 1), "b": Continuum.of(0, 1)}, 16)
    assert stages(Schedule.coarsening(square, 16)) == [(16, 2), (8, 1), (4, 1), (2, 3)]


def test_a_constant_costs_nothing() -> None:
    constant = LocalQuantizer.finest(Continuum.of(0, 1), 1)
    assert stages(Schedule.of(constant, 0, "stop")) == [(1, None)]
    assert stages(Schedule.of(constant, 0, "coarsen")) == [(1, None)]


def test_readings_without_end_have_no_total() -> None:
    schedule = Schedule.endless(FINE)
    assert schedule.spending(1000).bits == 4000
    with pytest.raises(RequestError, match="endless readings"):
        schedule.spending()
    with pytest.raises(RequestError, match="0 or more"):
        Schedule.stopping(FINE, -1)


def test_spending_is_compared_exactly() -> None:
    """3^306 lies just below 2^485, 3^665 just above 2^1054."""
    assert affordable(3, Fraction(485)) == 306
    assert affordable(3, Fraction(1054)) == 664
    assert Spending(((3, 306),)).is_within(Fraction(485))
    assert not Spending(((3, 665),)).is_within(Fraction(1054))
    assert affordable(2, Fraction(10**9)) == 10**9


def test_each_person_has_a_budget_of_their_own() -> None:
    meters = Meters(Schedule.of(FINE, 9, "coarsen"))
    assert stages(meters.schedule) == [(16, 1), (8, 0), (4, 1), (2, 3)]
    assert meters.stages(pa.array(list("aabaaaaab"))).tolist() == [0, 2, 0, 3, 3, 3, 4, 4, 2]
    assert meters.counts == {"a": 7, "b": 2}
    assert meters.silent == 2
    assert meters.schedule.spending(7).bits == 9


@given(st.lists(st.integers(0, 4), max_size=40), st.lists(st.integers(0, 10), max_size=4))
def test_chunks_do_not_matter(persons: list[int], cuts: list[int]) -> None:
    whole = Meters(Schedule.of(FINE, 20, "coarsen"))
    expected = whole.stages(pa.array(persons)).tolist()
    parts, found = Meters(whole.schedule), list[int]()
    ends = sorted({min(cut, len(persons)) for cut in cuts} | {len(persons)})
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        found += parts.stages(pa.array(persons[begin:end])).tolist()
    assert found == expected
    assert parts.counts == whole.counts
