"""Connected components of joint ranges that are too large for one machine, as jobs of Spark.

Each y joins the x behind it: an edge from the smallest of them to each other one is enough. These edges are
between values of one side only and mostly few; then union-find on the driver ends it. Otherwise large-star
and small-star operations alternate (Kiveris et al., Connected Components in MapReduce and Beyond, 2014) until
every component is a star: O(log^2 n) rounds, each of which ends in a checkpoint, so that plans stay short.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from noiseless.ranges.joint import roots_of_pairs
from noiseless.tables.spark_frames import cut

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ID, _A, _B = "noiseless_id", "noiseless_a", "noiseless_b"


def count_components(frame: "DataFrame", x: Sequence[str], y: Sequence[str], most: int) -> int:
    """How many components the joint range [[X, Y]] has.

    Args:
        frame: rows with the columns of X and Y, which hold missing values or not; pairs may repeat.
        x: the columns of X; give the side with fewer values.
        y: the columns of Y.
        most: how many edges may come to the driver.
    """
    values = numbered(frame.select(*x).distinct())
    return int(values.count()) - count_merges(edges_between(frame, values, x, y), most)


def numbered(values: "DataFrame") -> "DataFrame":
    """Distinct values, each with a number of its own; computed once, so that the numbers stay."""
    from pyspark.sql import functions as F  # noqa: N812

    return cut(values.withColumn(_ID, F.monotonically_increasing_id()))


def edges_between(frame: "DataFrame", values: "DataFrame", x: Sequence[str], y: Sequence[str]) -> "DataFrame":
    """The edges between values of X that have a y in common: from the smallest of a y to each other one."""
    from functools import reduce

    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    left, right = frame.select(*x, *y).alias("p"), values.alias("v")
    same = reduce(lambda a, b: a & b, (F.col(f"p.{name}").eqNullSafe(F.col(f"v.{name}")) for name in x))
    coded = left.join(right, same).select(*(F.col(f"p.{name}") for name in y), F.col(_ID).alias(_B))
    smallest = F.min(_B).over(Window.partitionBy(*y))
    return coded.withColumn(_A, smallest).where(F.col(_A) != F.col(_B)).select(_A, _B).distinct()


def count_merges(edges: "DataFrame", most: int) -> int:
    """How many values are joined to a smaller one: values less components.

    Args:
        edges: edges `_A` < `_B` between numbers, none twice.
        most: how many edges may come to the driver.
    """
    current = cut(edges)
    while (number := int(current.count())) > most:
        if _is_forest_of_stars(current, number):
            return number
        current = cut(_small_star(_large_star(current)))
    return _merges_here(current)


def _merges_here(edges: "DataFrame") -> int:
    """The same by union-find on this machine."""
    table = edges.toArrow()
    ends = [table.column(name).to_numpy() for name in (_A, _B)]
    if not len(ends[0]):
        return 0
    values, codes = np.unique(np.concatenate(ends), return_inverse=True)
    number = len(ends[0])
    roots = roots_of_pairs(codes.reshape(-1), np.tile(np.arange(number), 2), len(values), number)
    return int(np.count_nonzero(roots != np.arange(len(values))))


def _large_star(edges: "DataFrame") -> "DataFrame":
    """Each neighbour that is larger than a value is joined to the smallest of its neighbours and itself."""
    from pyspark.sql import functions as F  # noqa: N812

    both = edges.union(edges.select(F.col(_B).alias(_A), F.col(_A).alias(_B)))
    smallest = both.groupBy(_A).agg(F.least(F.col(_A), F.min(_B)).alias(_ID))
    larger = both.where(F.col(_B) > F.col(_A)).join(smallest, _A)
    return larger.select(F.col(_ID).alias(_A), _B).distinct()


def _small_star(edges: "DataFrame") -> "DataFrame":
    """A value and its smaller neighbours are joined to the smallest of them."""
    from pyspark.sql import functions as F  # noqa: N812

    smallest = edges.groupBy(_B).agg(F.min(_A).alias(_ID))
    others = edges.join(smallest, _B).where(F.col(_A) != F.col(_ID))
    moved = others.select(F.col(_ID).alias(_A), F.col(_A).alias(_B))
    return moved.union(smallest.select(F.col(_ID).alias(_A), _B)).distinct()


def _is_forest_of_stars(edges: "DataFrame", number: int) -> bool:
    """Whether each value has one smaller neighbour at most, which has none: then nothing moves any more."""
    from pyspark.sql import functions as F  # noqa: N812

    if edges.select(_B).distinct().count() < number:
        return False
    centres = edges.select(F.col(_A).alias(_B)).distinct()
    return bool(edges.join(centres, _B, "left_semi").isEmpty())
