from math import comb

import pytest

from noiseless.pricing import composition as rules
from noiseless.pricing.composition import OutputBound
from noiseless.pricing.partition import DomainPartition, refined


def test_each_rule_names_itself() -> None:
    assert rules.grouped([3, 2, 2]) == OutputBound(5, "groups")
    assert rules.several_rows([2, 5, 3], 2) == OutputBound(15, "rows")
    assert rules.equal_rows(3, 2) == OutputBound(6, "partition")
    assert rules.hyperplanes([], 2) == OutputBound(1, "hyperplanes")


def test_partitions() -> None:
    parts = [DomainPartition.of("x", "aabb"), DomainPartition.of("x", "abab")]
    assert refined(parts).blocks == 4
    assert parts[0].spread(1) == 3
    parity = DomainPartition.of("x", [0, 1] * 5)
    assert (parity.spread(2), parity.spread(100)) == (6, 10)


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
