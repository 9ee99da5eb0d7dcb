from math import comb

import pytest

from noiseless.pricing import composition as rules
from noiseless.pricing.composition import OutputBound
from noiseless.pricing.partition import DomainPartition


def test_each_rule_names_itself() -> None:
    assert rules.product([2, 3, 4]) == OutputBound(24, "product")
    assert rules.cuts([1] * 1000) == OutputBound(1001, "cuts")
    assert rules.cuts_of([2, 3], [1, 2]) == OutputBound(6, "cuts")
    assert rules.filtered([3, 1]) == OutputBound(6, "filter")
    assert rules.grouped([3, 2, 2]) == OutputBound(5, "groups")
    assert rules.several_rows([2, 5, 3], 2) == OutputBound(15, "rows")
    assert rules.equal_rows(3, 2) == OutputBound(6, "partition")
    assert rules.public_groups([OutputBound(2, "cuts"), OutputBound(3, "product")]) == OutputBound(
        3, "product"
    )


def test_nothing_asked_is_one_output() -> None:
    assert rules.product([]).outputs == rules.cuts([]).outputs == rules.hyperplanes([], 2).outputs == 1


def test_partitions() -> None:
    parts = [DomainPartition.of("x", "aabb"), DomainPartition.of("x", "abab")]
    assert rules.atoms(parts) == OutputBound(4, "partition")
    assert rules.cuts_and_atoms([DomainPartition.of("x", "aabb")], [1]) == OutputBound(
        3, "cuts and partition"
    )


def test_a_record_has_no_more_outputs_than_values() -> None:
    assert rules.capped(OutputBound(10, "cuts"), 10) == OutputBound(10, "record")
    assert rules.capped(OutputBound(10, "cuts"), 11) == OutputBound(10, "cuts")
    assert rules.capped(OutputBound(10, "cuts"), None) == OutputBound(10, "cuts")


@pytest.mark.parametrize(
    ("classes", "dimensions", "cells"),
    [
        ([1, 1, 1], 2, 7),  # three lines
        ([1, 1, 1, 1], 3, 15),  # four planes
        ([5], 3, 6),  # parallel planes
        ([2, 3], 2, 12),  # a grid
        ([2, 0, 3], 5, 12),
    ],
)
def test_hyperplanes(classes: list[int], dimensions: int, cells: int) -> None:
    assert rules.hyperplanes(classes, dimensions).outputs == cells


def test_very_many_hyperplanes_are_counted_without_their_classes() -> None:
    assert rules.hyperplanes([1] * 2000, 1000).outputs == sum(comb(2000, i) for i in range(1001))
    assert rules.hyperplanes([2] * 600_000, 2).outputs == 1 + 1_200_000 + 1_200_000 * 1_199_999 // 2
