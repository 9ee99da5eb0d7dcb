"""Hiding a sensitive column by merging one ordered public column: the exact optimum with contiguous cells."""

from noiseless.search.contiguous.blocks import FewestBlocks, fewest_blocks
from noiseless.search.contiguous.frontier import (
    ContiguousRelease,
    Frontier,
    Point,
    contiguous_release,
    frontier,
)
from noiseless.search.contiguous.line import OrderedRange, deal, least_cell_size, most_answers

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
