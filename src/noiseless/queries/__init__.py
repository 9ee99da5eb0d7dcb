"""Questions: what an answer can be, what one person can do to it, and how it is computed exactly."""

from noiseless.queries.additive import Additive, EqualOnBox, LinearOnBox, Weighted, count, mean, total
from noiseless.queries.attribute import Attribute, Quantity
from noiseless.queries.base import CountedQuery, Query
from noiseless.queries.influence import Images, Influence, Slide
from noiseless.queries.order import (
    MiddleMedian,
    MiddleMedianOnInterval,
    OrderOnInterval,
    OrderStatistic,
    maximum,
    median,
    minimum,
    quantile,
)
from noiseless.queries.spans import Continuum, Lattice, Span
from noiseless.queries.variance import Variance

__all__ = [
    "Additive",
    "Attribute",
    "Continuum",
    "CountedQuery",
    "EqualOnBox",
    "Images",
    "Influence",
    "Lattice",
    "LinearOnBox",
    "MiddleMedian",
    "MiddleMedianOnInterval",
    "OrderOnInterval",
    "OrderStatistic",
    "Quantity",
    "Query",
    "Slide",
    "Span",
    "Variance",
    "Weighted",
    "count",
    "maximum",
    "mean",
    "median",
    "minimum",
    "quantile",
    "total",
]
