"""What a release gives away about one target, when its pairs are too many for one machine: jobs of Spark.

The same measures as `Exposure`, under the same names. Each job brings back a few numbers: sizes, extremes and
the histogram of posterior sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import NoReturn

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that
from pyspark.sql.types import DateType, NumericType, StringType, TimestampNTZType, TimestampType

from noiseless.audits.census import GroupSizes
from noiseless.audits.exposure import Exposure
from noiseless.audits.odds import Odds
from noiseless.audits.spark_odds import HELD, fewest_classes, narrowest, spark_odds
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges.spark_components import count_components
from noiseless.tables.duckdb_table import COUNT
from noiseless.tables.spark_frames import joined, readable_spark_errors
from noiseless.tables.spark_groups import SparkGroups

POSTERIOR, SIZE, _PRIOR = "noiseless_posterior", "noiseless_size", "noiseless_prior"
_STARS = r"(?U)\A[\s\x1c-\x1f]*\*+[\s\x1c-\x1f]*\z"


@dataclass(frozen=True, eq=False)
class SparkExposure(Exposure):
    """The measures of one sensitive target, each computed by Spark when first asked for.

    Attributes:
        groups: the distinct combinations of all columns, on Spark.
        given: columns an adversary knows from elsewhere.
        public: the columns an adversary sees.
        unit: the column that names a person; None when a row is a person.
    """

    groups: SparkGroups
    given: tuple[str, ...]
    public: tuple[str, ...]
    unit: str | None

    @property
    def seen(self) -> tuple[str, ...]:
        """All that the adversary sees or knows."""
        return (*self.given, *self.public)

    @cached_property
    def by_group(self) -> DataFrame:
        """A row a group: the size of its posterior set and how many rows (persons) it has."""
        frame = self.groups.frame
        size = F.sum(COUNT) if self.unit is None else F.count_distinct(self._columns((self.unit,)))
        possible = F.count_distinct(self._columns(self.target))
        return frame.groupBy(*self.fields(self.seen)).agg(possible.alias(POSTERIOR), size.alias(SIZE))

    def fields(self, columns: tuple[str, ...]) -> list[str]:
        """What columns are called on Spark."""
        return [self.groups.field(column) for column in columns]

    @cached_property
    def posterior_histogram(self) -> tuple[tuple[int, int, int], ...]:
        """From the sizes that a job brings back."""
        heads = self._persons_by_posterior if self.unit is not None else {}
        return tuple((size, groups, heads.get(size, rows)) for size, (groups, rows, _) in self._sizes.items())

    @property
    def k_anonymity(self) -> int:
        """The fewest rows (persons) of any size."""
        return min(smallest for _, _, smallest in self._sizes.values())

    @property
    def groups_by_posterior(self) -> Mapping[int, int]:
        """From the same job."""
        return {size: groups for size, (groups, _, _) in self._sizes.items()}

    @property
    def sensitive_values(self) -> int:
        """By a job over the sensitive values."""
        return self._other_side[0]

    def heads_with(self, posterior: int) -> int:
        """By the histogram."""
        return next((heads for size, _, heads in self.posterior_histogram if size == posterior), 0)

    @cached_property
    def leakage(self) -> Bits:
        """With side information, by what it alone leaves possible."""
        if not self.given:
            return self.total_leakage
        return Bits(max(Fraction(prior, size) for size, prior in self._priors.items()))

    @property
    def fewest_groups(self) -> int:
        """By the same job as the sensitive values."""
        return self._other_side[1]

    @cached_property
    def components(self) -> int:
        """By jobs that join neighbours."""
        few, many = self.fields(self.target), self.fields(self.seen)
        if self.sensitive_values > self.public_values:
            few, many = many, few
        with readable_spark_errors(self.groups.label):
            return count_components(self.groups.frame, few, many, self.groups.most)

    @property
    def memberships(self) -> int:
        """By the job of the sizes."""
        return sum(rows for _, rows, _ in self._sizes.values())

    @cached_property
    def sizes(self) -> GroupSizes:
        """By a job that counts groups of each size."""
        with readable_spark_errors(self.groups.label):
            return GroupSizes(dict(map(tuple, self.by_group.groupBy(SIZE).count().collect())))

    @cached_property
    def odds(self) -> Odds:
        """By the heads of each pair, persons once for each group and value."""
        seen, target = self.fields(self.seen), self.fields(self.target)
        heads = F.sum(COUNT) if self.unit is None else F.count_distinct(self._columns((self.unit,)))
        with readable_spark_errors(self.groups.label):
            pairs = self.groups.frame.groupBy(*seen, *target).agg(heads.alias(HELD))
            return spark_odds(pairs, seen, target, self.fields(self.given))

    @cached_property
    def width(self) -> Fraction | None:
        """By the ends of each group, the closest of them."""
        (field, *others) = self.fields(self.target)
        kind = self.groups.frame.schema[field].dataType
        if others or not isinstance(kind, NumericType | DateType | TimestampType | TimestampNTZType):
            return None
        with readable_spark_errors(self.groups.label):
            return narrowest(self.groups.frame, self.fields(self.seen), field)

    @cached_property
    def min_classes(self) -> int | None:
        """By the classes of the values that occur, which are looked up on this machine."""
        if self.target_classes is None:
            return None
        (field,) = self.fields(self.target)
        with readable_spark_errors(self.groups.label):
            return fewest_classes(self.groups.frame, self.fields(self.seen), field, self.target_classes)

    @property
    def not_computed(self) -> tuple[str, ...]:
        """Measures that need the counts of single groups on one machine."""
        return ("t_closeness",) if self.min_posterior == 1 else ("entropy_l_diversity", "t_closeness")

    @property
    def entropy_l_diversity(self) -> float:
        """1 where a group is homogeneous; otherwise it is not computed for this many groups."""
        if self.min_posterior > 1:
            self._refuse("entropy l-diversity")
        return 1.0

    @property
    def t_closeness(self) -> Fraction:
        """Not computed for this many groups."""
        self._refuse("t-closeness")

    def _refuse(self, measure: str) -> NoReturn:
        raise RequestError(
            f"{self.groups.label}: {measure} is not computed for more than {self.groups.most:,} distinct"
            " combinations; take fewer or coarser columns"
        )

    @cached_property
    def _sizes(self) -> dict[int, tuple[int, int, int]]:
        """For each size of a posterior set: its groups, the rows (persons) in each added up, the fewest."""
        counts = [F.count(F.lit(1)), F.sum(SIZE), F.min(SIZE)]
        with readable_spark_errors(self.groups.label):
            found = self.by_group.groupBy(POSTERIOR).agg(*counts).collect()
        return {size: (groups, rows, least) for size, groups, rows, least in sorted(map(tuple, found))}

    @cached_property
    def _other_side(self) -> tuple[int, int]:
        """How many sensitive values there are, and the fewest groups that one of them is in."""
        frame = self.groups.frame.groupBy(*self.fields(self.target))
        support = frame.agg(F.count_distinct(self._columns(self.seen)).alias(SIZE))
        with readable_spark_errors(self.groups.label):
            values, fewest = support.agg(F.count(F.lit(1)), F.min(SIZE)).first()
        return int(values), int(fewest)

    @cached_property
    def _priors(self) -> dict[int, int]:
        """For each size of a posterior set the most values that the side information alone leaves there."""
        given = self.fields(self.given)
        prior = self.groups.frame.groupBy(*given).agg(
            F.count_distinct(self._columns(self.target)).alias(_PRIOR)
        )
        met = joined(self.by_group, prior, given)
        with readable_spark_errors(self.groups.label):
            return dict(map(tuple, met.groupBy(POSTERIOR).agg(F.max(_PRIOR)).collect()))

    @cached_property
    def _persons_by_posterior(self) -> dict[int, int]:
        """How many different persons are in groups with each size of the posterior set."""
        seen, unit = self.fields(self.seen), self.fields((self.unit or "",))
        members = self.groups.frame.select(*seen, *unit).distinct()
        met = joined(members, self.by_group.select(*seen, POSTERIOR), seen).select(POSTERIOR, *unit)
        with readable_spark_errors(self.groups.label):
            return dict(map(tuple, met.distinct().groupBy(POSTERIOR).count().collect()))

    def hidden(self) -> Column | None:
        """Whether every public column of a group is suppressed, that is, reads `*`; None where none can."""
        fields = self.fields(self.public)
        if not all(isinstance(self.groups.frame.schema[field].dataType, StringType) for field in fields):
            return None
        stars = (F.coalesce(F.col(field).rlike(_STARS), F.lit(False)) for field in fields)
        return reduce(lambda a, b: a & b, stars)

    def _columns(self, columns: tuple[str, ...]) -> Column:
        """Columns as one value, which counts also where some of them are missing."""
        return F.struct(*self.fields(columns))
