"""Hiding a sensitive column by merging one ordered public column: the exact optimum with contiguous cells."""

from noiseless.search.contiguous.blocks import FewestBlocks, fewest_blocks
from noiseless.search.contiguous.counting import deal, least_cell_size, most_answers
from noiseless.search.contiguous.frontier import Frontier, Point, contiguous_release, frontier
from noiseless.search.contiguous.order import OrderedRange
from noiseless.search.contiguous.release import ContiguousRelease

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
