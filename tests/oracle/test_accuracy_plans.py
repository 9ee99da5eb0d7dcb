"""Plans that begin with an error, against all datasets and all policies, listed one by one."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.questions import Additive, Attribute, Continuum, OrderStatistic, mean, total
from noiseless.ranges.quantizer import Listed, Stepped, Uniform
from noiseless.theory.accuracy import DatasetCounts, LinearVolume, adversary_error
from noiseless.theory.accuracy.peaks import (
    LatticeSumLaw,
    LinearLaw,
    OrderLaw,
    OrderVolume,
    PeakedLaw,
    full_cells,
)
from noiseless.theory.accuracy.plans import finest_with_error
from noiseless.theory.accuracy.uniform_sums import Tilt
from noiseless.theory.explanation import explanation, smallest_share
from noiseless.theory.polytopes import Distance, smallest_enclosing_ball


def answers(query: Additive | OrderStatistic, people: int, size: int) -> dict[tuple[int, ...], int]:
    """The position of the answer of every dataset."""
    return {data: query.position(Counter(data)) for data in product(range(size), repeat=people)}


QUERIES: list[Callable[[int, int], Additive | OrderStatistic]] = [
    lambda people, size: mean(people, Attribute("x", range(size))),
    lambda people, size: OrderStatistic(people, Attribute("x", range(size)), 1),
    lambda people, size: OrderStatistic(people, Attribute("x", range(size)), (people + 1) // 2),
]


def law_of(query: Additive | OrderStatistic, size: int) -> PeakedLaw:
    if isinstance(query, OrderStatistic):
        return OrderLaw(query.people, query.rank, size)
    return LatticeSumLaw(query.people, size - 1)


@pytest.mark.parametrize("kind", range(len(QUERIES)))
@pytest.mark.parametrize(("people", "size"), [(1, 7), (2, 5), (3, 4), (4, 3), (5, 2)])
def test_laws_hold_as_many_datasets_as_there_are(kind: int, people: int, size: int) -> None:
    query = QUERIES[kind](people, size)
    told = Counter(answers(query, people, size).values())
    law = law_of(query, size)
    for points in range(1, query.span.last + 2):
        low = sum(number for place, number in told.items() if place < points)
        high = sum(number for place, number in told.items() if place > query.span.last - points)
        assert law.first(points).lower == law.first(points).upper == Fraction(low, size**people)
        assert law.last(points).lower == Fraction(high, size**people)
        windows = [
            sum(told[place] for place in range(start, start + points))
            for start in range(query.span.last + 2 - points)
        ]
        assert law.narrowest(points).lower == Fraction(min(windows), size**people)


@given(people=st.integers(2, 80), most=st.integers(1, 12), data=st.data())
@settings(max_examples=60, deadline=None)
def test_exponential_bounds_hold_the_share(people: int, most: int, data: st.DataObject) -> None:
    top = data.draw(st.integers(1, max(1, people * most // 2 - 1)))
    below, above = Tilt(((most + 1, people),), whole=True).bounds(Fraction(top))
    exact = LatticeSumLaw(people, most).first(top + 1)
    assert below <= exact.lower == exact.upper <= above


@pytest.mark.parametrize("kind", range(len(QUERIES)))
@pytest.mark.parametrize(("people", "size"), [(3, 12), (4, 9), (6, 5), (9, 3), (12, 2)])
def test_full_cells_are_optimal_where_they_say_so(kind: int, people: int, size: int) -> None:
    query = QUERIES[kind](people, size)
    counts = DatasetCounts.of(query)
    claimed = 0
    law = law_of(query, size)
    for steps in range(query.span.last):
        error = query.span.step * Fraction(steps, 2)
        found = full_cells(law, query.span, error)
        if found is None:
            continue
        claimed += 1
        held = Counter(found.quantizer.cell_at(place) for place in counts.positions)
        assert len(held) == found.cells == found.least_cells
        shares = [
            Fraction(
                sum(
                    number
                    for place, number in zip(counts.positions, counts.counts, strict=True)
                    if found.quantizer.cell_at(place) == cell
                ),
                counts.total,
            )
            for cell in range(found.cells)
        ]
        assert all(e.lower <= share <= e.upper for e, share in zip(found.shares, shares, strict=True))
        assert min(shares) == found.smallest_share
        assert found.smallest_share * counts.total == counts.largest_smallest(error)  # of any policy
        assert found.worst_error <= error
    assert claimed


@given(people=st.integers(2, 60), places=st.integers(3, 40), part=st.fractions(0, 1, max_denominator=9))
@settings(max_examples=40, deadline=None)
def test_full_cells_of_an_interval_leave_what_the_walk_leaves(
    people: int, places: int, part: Fraction
) -> None:
    volume = LinearVolume.of((Fraction(1),) * people, [(0, 1)] * people)
    error = Fraction(people) / (2 * (places + part))
    found = full_cells(LinearLaw.of_volume(volume), volume.span, error)
    edges = None if found is None else [found.quantizer.edge(cell) for cell in range(found.cells + 1)]
    if found is None or edges is None:
        return
    shares = volume.shares(edges)
    assert found.cells == ceil(volume.span.width / (2 * error))
    assert max(after - before for before, after in pairwise(edges)) <= 2 * error
    assert min(share.lower for share in shares) == found.smallest_share == volume.below(2 * error).lower


@pytest.mark.parametrize("kind", range(len(QUERIES)))
@pytest.mark.parametrize(("people", "size"), [(1, 6), (2, 6), (3, 4), (4, 3)])
def test_the_adversarys_error_is_the_radius_of_the_datasets(kind: int, people: int, size: int) -> None:
    query = QUERIES[kind](people, size)
    told = answers(query, people, size)
    for points in range(1, query.span.last + 2):
        quantizer = Stepped(query.span, points)
        found = adversary_error(query, quantizer)
        for cell in range(quantizer.cells):
            datasets = [data for data, place in told.items() if quantizer.cell_at(place) == cell]
            assert found.errors[cell] == Distance(smallest_enclosing_ball(datasets).squared_radius)


@pytest.mark.parametrize("people", [1, 2, 3, 4, 5, 7, 12, 30])
def test_a_corner_leaves_the_least_error(people: int) -> None:
    volume = LinearVolume.of((Fraction(1, people),) * people, [(0, 1)] * people)
    for cells in [*range(1, 40), 59, 60, 61, 100]:
        if cells < 4 and people < 4 and cells < 2 * people - 1:
            continue
        errors = adversary_error(volume, Uniform(volume.span, cells)).errors
        if cells >= 2 * people - 1 or min(cells, people) >= 4:
            assert min(errors) == errors[0]


@pytest.mark.parametrize("people", [4, 5, 9])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_corner_of_a_lattice_leaves_the_least_error(people: int, size: int) -> None:
    query = total(people, Attribute("x", range(size)))
    for cells in range(4, query.span.last + 2):
        begins = tuple(cell * (query.span.last + 1) // cells for cell in range(cells))
        errors = adversary_error(query, Listed(query.span, begins)).errors
        assert min(errors) == errors[0]


@pytest.mark.parametrize("people", [1, 2, 3, 6])
@pytest.mark.parametrize("wanted", [Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])
def test_no_more_equal_cells_leave_the_error(people: int, wanted: Fraction) -> None:
    volumes = [
        LinearVolume.of((Fraction(1, people),) * people, [(0, 1)] * people),
        OrderVolume(Continuum.of(0, 1), people, people),
    ]
    for volume in volumes:
        if adversary_error(volume, Uniform(volume.span, 1)).smallest < wanted:
            with pytest.raises(nl.NoiselessError, match="even a constant answer"):
                finest_with_error(volume, Distance(wanted**2))
            continue
        quantizer, least = finest_with_error(volume, Distance(wanted**2))
        granted = [adversary_error(volume, Uniform(volume.span, q)).smallest for q in range(1, 40)]
        best = max(q for q, error in enumerate(granted, 1) if error >= wanted)
        assert quantizer.cells == best
        assert least == granted[best - 1]


def test_example_iv_2_as_a_plan() -> None:
    found = nl.plan("mean", n=2, bounds=(100, 250), min_adversary_error=10)
    assert found.cells == 21
    assert 1 / found.worst_error == Fraction(21, 75)
    assert found.to_dict()["adversary_error"] == pytest.approx(10.1015, abs=1e-4)
    many = nl.plan("mean", n=1000, bounds=(100, 250), min_adversary_error=10)
    assert many.cells == floor(150 * (1000 * 999) ** 0.5 / 10)


@pytest.mark.parametrize("kind", range(len(QUERIES)))
@pytest.mark.parametrize(("people", "size"), [(2, 6), (3, 4), (4, 3)])
def test_the_smallest_share_of_any_cells(kind: int, people: int, size: int) -> None:
    query = QUERIES[kind](people, size)
    told = answers(query, people, size)
    for quantizer in [
        *(Stepped(query.span, points) for points in range(1, query.span.last + 2)),
        *(Uniform(query.span, cells) for cells in range(1, query.span.last + 2)),
    ]:
        least = min(Counter(map(quantizer.cell_at, told.values())).values())
        found = smallest_share(query, quantizer)
        assert found is not None
        assert found.lower <= Fraction(least, size**people) <= found.upper
        if isinstance(quantizer, Stepped) and kind == 0:
            assert found.lower == found.upper


def test_what_is_said_of_a_plan() -> None:
    for plan in (
        nl.plan("variance", n=3, bounds=(0, 3), step=1, budget=2),
        nl.plan("median", n=4, bounds=(0, 1), budget=2),
        nl.plan("sum", n=9, bounds=(0, 9), step=1, max_error=4, least="leakage"),
    ):
        found = explanation(plan)
        told = found.to_dict()
        assert (told["dmin"] is None) == (plan.query != "sum")
        assert found.consequences == nl.consequences(plan)
    assert explanation(nl.plan("variance", n=3, bounds=(0, 3), step=1, budget=2)).leakage is not None
    assert explanation(nl.plan("median", n=4, bounds=(0, 1), budget=2)).leakage is None
