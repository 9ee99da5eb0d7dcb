"""Questions: what an answer can be, what one person can do to it, and how it is computed exactly."""

from noiseless.questions.additive import Additive, LinearOnBox, Weighted, count, mean, total
from noiseless.questions.base import Attribute, CountedQuery, Images, Influence, Quantity, Query, Slide
from noiseless.questions.order import (
    MiddleMedian,
    MiddleMedianOnInterval,
    OrderOnInterval,
    OrderStatistic,
    maximum,
    median,
    minimum,
    quantile,
)
from noiseless.questions.own import OwnQuery
from noiseless.questions.statistics import Variance
from noiseless.ranges.spans import Continuum, Lattice, Span

__all__ = [
    "Additive",
    "Attribute",
    "Continuum",
    "CountedQuery",
    "Images",
    "Influence",
    "Lattice",
    "LinearOnBox",
    "MiddleMedian",
    "MiddleMedianOnInterval",
    "OrderOnInterval",
    "OrderStatistic",
    "OwnQuery",
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
