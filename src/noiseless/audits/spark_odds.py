"""What a bettor wins, where pairs are too many for one machine: Spark brings back a few counts."""

import math
from collections.abc import Sequence
from fractions import Fraction

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that
from pyspark.sql.types import DateType, DecimalType, FractionalType, NumericType

from noiseless.audits.odds import NEAR, Odds, keeps_enhanced, largest_of
from noiseless.tables.hierarchies import ValueClasses
from noiseless.tables.spark_frames import joined

HELD = "noiseless_held"
_GROUP, _BEFORE, _ALL, _SUPPORT, _VALUES = (
    f"noiseless_{name}" for name in ("group", "before", "all", "support", "values")
)
_LOW, _HIGH, _CLASS = "noiseless_low", "noiseless_high", "noiseless_class"
_COUNTS = (HELD, _ALL, _GROUP, _BEFORE)


def spark_odds(pairs: DataFrame, seen: Sequence[str], target: Sequence[str], given: Sequence[str]) -> Odds:
    """The odds of pairs of a group and a sensitive value, each with the heads it holds.

    Args:
        pairs: a row a pair, with its heads.
        seen: the fields that make a group.
        target: the sensitive fields.
        given: those of a group that are known beforehand.
    """
    groups = pairs.groupBy(*seen).agg(
        F.sum(HELD).alias(_GROUP), F.max(HELD).alias(_VALUES), F.count(F.lit(1)).alias(_SUPPORT)
    )
    priors = pairs.groupBy(*given, *target).agg(F.sum(HELD).alias(_BEFORE))
    cells = priors.groupBy(*given).agg(
        F.sum(_BEFORE).alias(_ALL), F.max(_BEFORE).alias(_VALUES), F.count(F.lit(1)).alias(_SUPPORT)
    )
    total, blind = map(int, cells.agg(F.sum(_ALL), F.sum(_VALUES)).first())
    (best,) = map(int, groups.agg(F.sum(_VALUES)).first())
    counted = joined(pairs, groups.select(*seen, _GROUP), seen)
    counted = joined(counted, priors, [*given, *target])
    counted = joined(counted, cells.select(*given, _ALL), given).select(*_COUNTS).distinct().cache()
    open_ = joined(
        groups.select(*seen, _SUPPORT), cells.select(*given, F.col(_SUPPORT).alias(_VALUES)), given
    )
    try:
        ruled_out = open_.filter(F.col(_SUPPORT) < F.col(_VALUES)).limit(1).count() > 0
        gain = (F.col(HELD) / F.col(_GROUP)) * (F.col(_ALL) / F.col(_BEFORE))
        slack = F.log(F.col(_ALL) / F.col(_BEFORE)) + 1 - gain
        one = F.lit(1).cast("long")
        belief = _largest(counted.select(HELD, one.alias(_ALL), _GROUP, one.alias(_BEFORE)))
        return Odds(
            blind_guess=Fraction(blind, total),
            best_guess=Fraction(best, total),
            largest_belief=belief,
            largest_gain=_largest(counted),
            largest_loss=math.inf if ruled_out else _largest(counted.select(_GROUP, _BEFORE, HELD, _ALL)),
            is_enhanced=keeps_enhanced(_rows(counted.filter(slack <= NEAR))),
        )
    finally:
        counted.unpersist()


def _largest(counts: DataFrame) -> Fraction:
    """The largest a b / (c d) of four columns, doubles first."""
    a, b, c, d = (F.col(name) for name in counts.columns)
    quotient: Column = (a / c) * (b / d)
    (most,) = counts.agg(F.max(quotient)).first()
    return largest_of(_rows(counts.filter(quotient >= most * (1 - NEAR))))


def _rows(counts: DataFrame) -> list[tuple[int, ...]]:
    return [tuple(map(int, row)) for row in counts.distinct().collect()]


def narrowest(frame: DataFrame, seen: Sequence[str], field: str) -> Fraction | None:
    """How far apart the numbers or dates of a group lie at least, in their unit or in days.

    None where some are no finite numbers.
    """
    kind, column, ticks = frame.schema[field].dataType, F.col(field), 1
    if isinstance(kind, DateType):
        column = F.unix_date(column)
    elif not isinstance(kind, NumericType):
        column, ticks = F.unix_micros(column.cast("timestamp")), 24 * 60 * 60 * 10**6
    elif isinstance(kind, FractionalType) and not isinstance(kind, DecimalType):
        endless = F.isnan(column) | (F.abs(column) == math.inf)
        if frame.filter(endless).limit(1).count():
            return None
    ends = frame.groupBy(*seen).agg(F.min(column).alias(_LOW), F.max(column).alias(_HIGH))
    span = F.coalesce((F.col(_HIGH) - F.col(_LOW)).cast("double"), F.lit(0.0))
    slack = F.coalesce((F.abs(_LOW) + F.abs(_HIGH)).cast("double") * NEAR, F.lit(0.0))  # of doubles
    (least,) = ends.agg(F.min(span + slack)).first()
    near = ends.filter(span - slack <= least).select(_LOW, _HIGH).distinct().collect()
    return min(Fraction(str(high or 0)) - Fraction(str(low or 0)) for low, high in near) / ticks


def fewest_classes(frame: DataFrame, seen: Sequence[str], field: str, classes: ValueClasses) -> int:
    """The fewest classes that the values of a group are of.

    No more values are fetched than are declared, a missing one, and one beyond, which is refused.
    """
    values = frame.select(field).distinct().limit(len(classes.names) + 2).toArrow()
    codes = pa.array(classes.codes(values.column(field).combine_chunks()))
    known = frame.sparkSession.createDataFrame(values.append_column(_CLASS, codes))
    within = joined(frame.select(*seen, field).distinct(), known, [field])
    many = within.groupBy(*seen).agg(F.count_distinct(_CLASS).alias(_CLASS))
    return int(many.agg(F.min(_CLASS)).first()[0])
