from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import RequestError
from noiseless.pricing.partition import DomainPartition, Predicate, independently_refined, refined

LABELS = st.lists(st.integers(0, 3), min_size=5, max_size=5)


def dense(partition: DomainPartition) -> list[int]:
    return [partition.label_at(number) for number in range(partition.size)]


def test_values_with_equal_labels_are_a_block() -> None:
    partition = DomainPartition.of("x", "aabba")
    assert partition.starts == (0, 2, 4)
    assert partition.labels == (0, 1, 0)
    assert partition.blocks == 2
    assert not partition.is_contiguous


def test_equal_partitions_are_equal_whatever_their_labels() -> None:
    assert (
        DomainPartition.of("x", [7, 7, 1])
        == DomainPartition.of("x", ["b", "b", "a"])
        == DomainPartition.intervals("x", 3, [2])
    )


def test_partitions_of_nothing_or_of_other_sizes_are_refused() -> None:
    with pytest.raises(RequestError, match="one label for each value"):
        DomainPartition.of("x", [])
    with pytest.raises(RequestError, match="one label for each value"):
        DomainPartition.of(("x", "y"), [0, 1, 0], (2, 2))
    with pytest.raises(RequestError, match="0 to 2"):
        DomainPartition.intervals("x", 3, [3])


@given(st.lists(LABELS, min_size=1, max_size=5))
def test_atoms_are_the_different_combinations_of_blocks(all_labels: list[list[int]]) -> None:
    atoms = refined([DomainPartition.of("x", labels) for labels in all_labels])
    expected = list(zip(*all_labels, strict=True))
    assert atoms.blocks == len(set(expected))
    assert dense(atoms) == dense(DomainPartition.of("x", expected))


@given(LABELS, LABELS)
def test_a_partition_refines_another_when_its_blocks_tell_the_other_ones(
    first: list[int], second: list[int]
) -> None:
    expected = len(set(zip(first, second, strict=True))) == len(set(first))
    assert DomainPartition.of("x", first).refines(DomainPartition.of("x", second)) == expected


@given(LABELS, st.integers(0, 6), st.lists(st.integers(1, 4), min_size=4, max_size=4))
def test_spread_is_not_below_what_any_cuts_do(labels: list[int], steps: int, weights: list[int]) -> None:
    partition = DomainPartition.of("x", labels)
    numbers = dense(partition)
    most = weighted = 0
    for places in combinations(range(1, 5), min(steps, 4)):
        told = {(numbers[value], sum(place <= value for place in places)) for value in range(5)}
        most = max(most, len(told))
        weighted = max(weighted, sum(weights[label] for label, _ in told))
    assert partition.spread(steps) >= most
    assert partition.spread(steps, weights) >= weighted


def test_spread_of_blocks_of_neighbours_is_exact() -> None:
    partition = DomainPartition.intervals("x", 10, [3, 6])
    assert [partition.spread(steps) for steps in (0, 1, 4, 7, 8)] == [3, 4, 7, 10, 10]


def test_a_cut_through_interleaved_blocks_parts_them_all() -> None:
    assert DomainPartition.of("x", [0, 1, 2] * 4).spread(1) == 6
    assert DomainPartition.of("x", [0, 1, 0]).spread(1) == 3
    assert DomainPartition.each("x", 4).spread(5) == 4


def test_partitions_of_related_attributes_meet_on_combinations() -> None:
    both = DomainPartition.of(("x", "y"), [0, 1, 1, 2, 3, 3], (2, 3))
    swapped = DomainPartition.of(("y", "x"), [0, 1, 2, 3, 2, 3], (3, 2))
    assert independently_refined([swapped, both, DomainPartition.of("y", [0, 1, 1])]) == [both]


def test_too_many_combinations_are_not_listed() -> None:
    both = DomainPartition(("x", "y"), (3000, 3000), (0,), (0,))
    assert independently_refined([DomainPartition.each("x", 3000), both]) is None
    assert (
        independently_refined([DomainPartition.each("x", 3000), DomainPartition.each("y", 3000)]) is not None
    )


def test_partitions_must_agree_about_a_domain() -> None:
    with pytest.raises(RequestError, match="'x' disagree"):
        independently_refined([DomainPartition.of("x", [0, 1]), DomainPartition.of("x", [0, 1, 1])])


@given(
    st.lists(
        st.one_of(
            st.lists(st.integers(0, 2), min_size=4, max_size=4).map(
                lambda labels: DomainPartition.of("x", labels)
            ),
            st.lists(st.integers(0, 2), min_size=3, max_size=3).map(
                lambda labels: DomainPartition.of("y", labels)
            ),
            st.lists(st.integers(0, 2), min_size=2, max_size=2).map(
                lambda labels: DomainPartition.of("z", labels)
            ),
            st.lists(st.integers(0, 1), min_size=6, max_size=6).map(
                lambda labels: DomainPartition.of(("y", "z"), labels, (3, 2))
            ),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_atoms_of_independent_attributes_combine_freely(partitions: list[DomainPartition]) -> None:
    """As many as values that some partition tells apart, counted one by one."""
    told = set()
    for x, y, z in product(range(4), range(3), range(2)):
        places = {("x",): x, ("y",): y, ("z",): z, ("y", "z"): 2 * y + z}
        told.add(tuple(partition.label_at(places[partition.names]) for partition in partitions))
    found = independently_refined(partitions)
    assert found is not None
    assert prod(atoms.blocks for atoms in found) == len(told)


@given(st.sets(st.integers(0, 3)), st.sets(st.integers(0, 2)))
def test_conditions_combine(first: set[int], second: set[int]) -> None:
    x, y = Predicate.of("x", 4, first), Predicate.of("y", 3, second)
    for number, (a, b) in enumerate(product(range(4), range(3))):
        assert (x & y).holds(number) == (a in first and b in second)
        assert (x | ~y).holds(number) == (a in first or b not in second)


def test_a_range_is_the_condition_that_its_numbers_are() -> None:
    assert Predicate.of("x", 9, range(2, 5)) == Predicate.of("x", 9, [2, 3, 4])
    assert Predicate.of("x", 9, range(9)).partition.blocks == 1
    assert not Predicate.of("x", 9, range(0)).holds(0)
    with pytest.raises(RequestError, match="'x' chooses among the numbers 0 to 8"):
        Predicate.of("x", 9, [9])
