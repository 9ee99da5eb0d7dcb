"""Ranges and variables on a continuum: boxes, lines, the taxicab partition, measures in nats."""

from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.continuous.taxicab import count_taxicab_blocks, taxicab_partition

__all__ = [
    "Box",
    "BoxSet",
    "ContinuousRange",
    "Interval",
    "IntervalSet",
    "count_taxicab_blocks",
    "taxicab_partition",
]
