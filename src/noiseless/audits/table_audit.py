"""What a table gives away, on this machine: by a census of its distinct combinations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless import measures
from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.audits import census as anonymity
from noiseless.audits.census import Census, GroupSizes
from noiseless.audits.exposure import Exposure, worst_of
from noiseless.audits.odds import Odds, odds
from noiseless.audits.remedies import remedies
from noiseless.audits.result import Audit
from noiseless.audits.witness import Witness, witnesses
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import count_blocks
from noiseless.tables import Table, Tally
from noiseless.tables.coding import DictionaryCoding
from noiseless.tables.hierarchies import ValueClasses
from noiseless.tables.spellings import kinds_of

if TYPE_CHECKING:
    from noiseless.audits.hypothesis import HypothesisAudit
    from noiseless.audits.population import PopulationRisk
    from noiseless.audits.sample import SampleRisk
    from noiseless.audits.stochastic import StochasticAudit
    from noiseless.audits.under_rules import UnderRules
    from noiseless.audits.uniques import Uniques
    from noiseless.audits.versions import Versions
    from noiseless.rules.application import Ruling

MARKS = ("group_size", "posterior_size", "leaked_bits", "homogeneous")
"""The columns of the export, after the row's number (and the unit, where there is one)."""

_STARS = re.compile(r"\s*\*+\s*")


@dataclass(frozen=True, eq=False)
class TableExposure(Exposure):
    """The measures of one sensitive target, from a census on this machine.

    Attributes:
        census: the joint range and its head counts.
        side: side information as the cell of each group, where there is any.
    """

    census: Census
    side: IntArray | None = None

    @classmethod
    def measure(
        cls,
        tally: Tally,
        target: tuple[str, ...],
        given: Sequence[str],
        public: Sequence[str],
        unit: str | None,
        *,
        classes: Mapping[str, ValueClasses],
    ) -> "TableExposure":
        """The exposure of `target` to one who knows the columns `given` and sees the columns `public`."""
        return TableExposure(target, *survey(tally, target, given, public, unit), classes=classes)

    @property
    def sensitive_values(self) -> int:
        """The values of the joint range."""
        return self.census.joint.size_x

    @cached_property
    def groups_by_posterior(self) -> Mapping[int, int]:
        """By the sizes that occur."""
        groups = np.bincount(self.census.joint.posterior_sizes)
        return {size: int(groups[size]) for size in np.flatnonzero(groups).tolist()}

    @cached_property
    def leakage(self) -> Bits:
        """With side information, what the release adds to it."""
        return self.total_leakage if self.side is None else measures.leakage(self.census.joint, self.side)

    @cached_property
    def fewest_groups(self) -> int:
        """The smallest support of a sensitive value."""
        return int(self.census.joint.support_sizes.min())

    @cached_property
    def components(self) -> int:
        """The blocks of the joint range."""
        return count_blocks(self.census.joint)

    def heads_with(self, posterior: int) -> int:
        """By the census."""
        return self.census.heads_in(self.census.joint.posterior_sizes == posterior)

    @property
    def k_anonymity(self) -> int:
        """The smallest group."""
        return int(self.census.group_sizes.min())

    @cached_property
    def entropy_l_diversity(self) -> float:
        """Of the group that is least diverse."""
        return anonymity.entropy_l_diversity(self.census)

    @cached_property
    def t_closeness(self) -> Fraction:
        """Of the group that is farthest from the table."""
        return anonymity.t_closeness(self.census)

    @property
    def memberships(self) -> int:
        """By the census."""
        return int(self.census.group_sizes.sum())

    @cached_property
    def sizes(self) -> GroupSizes:
        """By the census."""
        return GroupSizes.of(self.census.group_sizes)

    @cached_property
    def odds(self) -> Odds:
        """By the counts of the census."""
        return odds(self.census, self.side)

    @cached_property
    def width(self) -> Fraction | None:
        """Of the group whose values lie closest together."""
        return anonymity.width(self.census)

    @cached_property
    def min_classes(self) -> int | None:
        """Of the group whose values are of fewest classes."""
        if self.target_classes is None or self.census.secrets is None:
            return None
        codes = self.target_classes.codes(self.census.secrets.decode(self.target[0]))
        return anonymity.fewest_behind(self.census.joint.y, codes[self.census.joint.x])

    @cached_property
    def posterior_histogram(self) -> tuple[tuple[int, int, int], ...]:
        """With the heads of the census."""
        persons = self.census.heads_by(self.census.joint.posterior_sizes)
        return tuple((size, groups, int(persons[size])) for size, groups in self.groups_by_posterior.items())

    def most_telling(self, count: int) -> IntArray:
        """The groups with the smallest posterior sets, among equals the largest groups first."""
        joint, sizes = self.census.joint, self.census.group_sizes
        return np.lexsort((-sizes, joint.posterior_sizes))[:count]


def survey(
    tally: Tally, target: Sequence[str], given: Sequence[str], public: Sequence[str], unit: str | None
) -> tuple[Census, IntArray | None]:
    """The census of a target, and side information as the cell of each group."""
    seen = (*given, *public)
    census = Census.take(tally, seen, target, unit)
    if not given:
        return census, None
    return census, tally.project(seen).prefix_ranks(len(given))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableAudit(Audit, TableExposure):
    """An audit on this machine.

    Attributes:
        tally: the distinct combinations of all columns in use.
        table: where the rows are, for row numbers and the export of records.
        releases: how many releases were joined.
        ruling: the rules under which the table is seen, if any; `tally` is then what they make of it.
        weights: the column of sampling weights, or one number for all rows.
    """

    tally: Tally
    table: Table
    releases: int = 1
    ruling: "Ruling | None" = None
    weights: str | None = None

    def __post_init__(self) -> None:
        """Weights that are none are refused at once."""
        if self.weights is not None:
            self._row_weights()

    @property
    def rows(self) -> int:
        """Those of the tally."""
        return self.tally.total

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns a row must have values in to have been audited."""
        unit = () if self.unit is None else (self.unit,)
        return (*self.seen, *self.sensitive, *unit) if self.dropped and self.releases == 1 else ()

    @cached_property
    def persons(self) -> int:
        """Those that the unit names."""
        return self.rows if self.unit is None else len(self.tally.project((self.unit,)))

    @property
    def kinds(self) -> Mapping[str, pa.DataType]:
        """As the tally has their values."""
        return kinds_of(self.tally, self.sensitive)

    @cached_property
    def by_column(self) -> Mapping[str, TableExposure]:
        """Its own measures where there is one column."""
        if len(self.sensitive) == 1:
            return {self.sensitive[0]: self}
        return {column: self.exposure((column,), self.public, self.given) for column in self.sensitive}

    @cached_property
    def worst(self) -> TableExposure:
        """The column that fares worst."""
        return worst_of(self.by_column.values(), self)

    def exposure(
        self, target: tuple[str, ...], public: tuple[str, ...], given: tuple[str, ...] = ()
    ) -> TableExposure:
        """By a census of its own."""
        return TableExposure.measure(self.tally, target, given, public, self.unit, classes=self.classes)

    @cached_property
    def suppressed(self) -> BoolArray:
        """For each group whether every public column is suppressed in it, that is, reads `*`."""
        return self.suppressed_in(self.tally.project(self.seen))

    def suppressed_in(self, groups: Tally) -> BoolArray:
        """The same for the combinations of a tally that has all public columns."""
        hidden = np.ones(len(groups), bool)
        for column in self.public:
            hidden &= np.isin(groups.codes(column), _stars(groups, column))
        return hidden

    @property
    def suppressed_rows(self) -> int:
        """The heads of these groups."""
        return self.census.heads_in(self.suppressed)

    @property
    def k_anonymity_unsuppressed(self) -> int | None:
        """The smallest of the others."""
        kept = self.census.group_sizes[~self.suppressed]
        return int(kept.min()) if len(kept) else None

    @cached_property
    def rules(self) -> "UnderRules | None":
        """What the rules that were applied change."""
        if self.ruling is None:
            return None
        from noiseless.audits.under_rules import UnderRules

        return UnderRules(self, self.ruling)

    @cached_property
    def remedies(self) -> tuple[str, ...]:
        """What would mend most of it: blanks filled in, a few rows suppressed."""
        return tuple(remedies(self))

    @cached_property
    def versions(self) -> "Versions | None":
        """By the cells that each group has in each release."""
        from noiseless.audits.versions import versions

        return versions(self) if self.releases > 1 else None

    @cached_property
    def sample(self) -> "SampleRisk | None":
        """By the sums of the weights."""
        if self.weights is None:
            return None
        from noiseless.audits.sample import sample_risk

        width = len(self.seen) + len(self.sensitive)
        return sample_risk(self.tally, self.census, width, self._row_weights())

    def _row_weights(self) -> FloatArray:
        """The weight of a row of each combination."""
        from noiseless.audits.sample import check_weights, constant_weight

        weights = self.weights or ""
        if weights not in self.tally.columns:
            return np.full(len(self.tally), constant_weight(weights))
        return check_weights(weights, self.tally.decode(weights))

    def test(self, hypothesis: str) -> "HypothesisAudit":
        """By what its groups say."""
        from noiseless.audits.hypothesis import hypothesis_audit

        return hypothesis_audit(self, hypothesis)

    def stochastic(self) -> "StochasticAudit":
        """By the heads of its groups."""
        from noiseless.audits.stochastic import stochastic_audit

        return stochastic_audit(self)

    def in_population(self, population: Any) -> "PopulationRisk":  # noqa: ANN401 - anything that opens
        """By the rows of each group."""
        from noiseless.audits.population import population_risk

        if self.unit is not None:
            raise RequestError("rows are looked for in a population, and here persons count; leave out unit")
        return population_risk(self.tally.project(self.seen), population)

    def uniques(self, size: int = 3) -> "Uniques":
        """By what its rows have in common."""
        from noiseless.audits.uniques import minimal_uniques

        if self.unit is not None:
            raise RequestError("uniques are rows, and here persons are counted; leave out unit")
        return minimal_uniques(self.tally, self.seen, size)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """By their rows."""
        return witnesses(self, reveal=False)

    def reveal_witnesses(self) -> tuple[Witness, ...]:
        """By their values too."""
        return witnesses(self, reveal=True)

    def write_records(self, out: Path | str) -> int:
        """Write for each row of the table how exposed it is, for the sensitive column that fares worst.

        Rows that were left out because of missing values have empty marks.
        """
        clash = {"row", *MARKS} & {name.casefold() for name in (*self.seen, self.unit or "")}
        if clash:
            raise RequestError(f"a column is named {clash.pop()!r}, like one of the export; rename it first")
        census = self.worst.census
        sizes = census.joint.posterior_sizes
        leaked = np.zeros(int(sizes.max()) + 1)
        for size in np.unique(sizes).tolist():
            leaked[size] = (self.worst.entropy - Bits(size)).upper
        marks: Sequence[npt.NDArray[Any]] = (census.group_sizes, sizes, leaked[sizes], sizes == 1)
        groups = self.tally.project(self.seen)
        if self.ruling is not None:  # a row is found by what it holds, and marked as the group it is told as
            groups = self.ruling.behind.raw
            marks = [mark[self.ruling.behind.groups] for mark in marks]
        columns = {column: groups.decode(column) for column in self.seen}
        keep = () if self.unit is None else (self.unit,)
        table = pa.table(columns | dict(zip(MARKS, marks, strict=True)))
        return self.table.annotate(self.seen, table, Path(out), keep=keep, present=self.needed)

    def rows_without(self, column: str) -> int:
        """A release that somebody is absent from is marked so."""
        tally = self.tally
        lacking = tally.codes(column) == 0
        mark = f"in release {column.partition('.')[0]}"
        if self.releases > 1 and column in self.public and mark in self.public:
            lacking &= tally.decode(mark).to_numpy(zero_copy_only=False).astype(bool)
        return int(tally.counts[lacking].sum())


def _stars(tally: Tally, column: str) -> list[int]:
    """The codes of a column that mean a suppressed value."""
    coding = tally.coding(column)
    if not isinstance(coding, DictionaryCoding) or not pa.types.is_string(coding.values.type):
        return []
    texts = coding.values.to_pylist()
    return [code for code, text in enumerate(texts, 1) if _STARS.fullmatch(text)]
