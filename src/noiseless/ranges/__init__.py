"""Uncertain variables: finite joint ranges, and what can be told apart in them."""

from noiseless.ranges.joint import (
    JointRange,
    Partition,
    confusability_edges,
    count_blocks,
    overlap_partition,
)

__all__ = [
    "JointRange",
    "Partition",
    "confusability_edges",
    "count_blocks",
    "overlap_partition",
]
