"""Uncertain variables: finite and continuous joint ranges, and what can be told apart in them."""

from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.ranges.confusability import confusability_edges
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.ranges.joint import JointRange, mutually_unrelated
from noiseless.ranges.partition import Partition, count_blocks, overlap_partition
from noiseless.theory.continuous.taxicab import count_taxicab_blocks, taxicab_partition

__all__ = [
    "Box",
    "BoxSet",
    "ContinuousRange",
    "Interval",
    "IntervalSet",
    "JointRange",
    "Partition",
    "confusability_edges",
    "count_blocks",
    "count_taxicab_blocks",
    "mutually_unrelated",
    "overlap_partition",
    "taxicab_partition",
]
