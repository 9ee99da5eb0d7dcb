"""Hiding a sensitive column by merging one ordered public column: the exact optimum with contiguous cells."""

from noiseless.policies.contiguous.blocks import FewestBlocks, fewest_blocks
from noiseless.policies.contiguous.counting import deal, least_cell_size, most_answers
from noiseless.policies.contiguous.frontier import Frontier, Point, contiguous_release, frontier
from noiseless.policies.contiguous.order import OrderedRange
from noiseless.policies.contiguous.release import ContiguousRelease

__all__ = [
    "ContiguousRelease",
    "FewestBlocks",
    "Frontier",
    "OrderedRange",
    "Point",
    "contiguous_release",
    "deal",
    "fewest_blocks",
    "frontier",
    "least_cell_size",
    "most_answers",
]
