"""A release as a problem: what is to be chosen, the partition chosen for a request, and the frontier."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.releases.columns import PublicColumns, explained, never_merged, public_columns
from noiseless.releases.partition import DistanceScale, MeasuredPartition, ReadCells
from noiseless.releases.results import Progress, ReleaseFrontier, ReleasePoint, Series
from noiseless.releases.source import ReleaseSource
from noiseless.search.codebook import Codeword
from noiseless.search.merging import Cells, SideInformation
from noiseless.search.portfolio import Choice, Goal, Problem, SurveyPoint, choose, survey
from noiseless.search.problem import SeenCells
from noiseless.search.survey import least_proved


@dataclass(frozen=True, eq=False, repr=False)
class TableProblem(Problem):
    """The problem of a table: its reader sees what is written, and kept columns too.

    Kept columns are no prior knowledge, given ones are.

    Attributes:
        columns: the public columns.
        codeword: what is released for numbers that are merged.
        priors: |[[S|a]]| for each y of the joint range.
    """

    columns: PublicColumns | None = None
    codeword: Codeword = "midrange"
    priors: IntArray | None = None

    def read(self, cells: Cells, hidden: BoolArray) -> SeenCells:
        """Cells that read alike are one, and distances are to what is written."""
        if self.columns is None or self._reads_as_it_is(cells, hidden):
            return SeenCells(cells, hidden)
        found = ReadCells.of(self.columns, cells.cell_of, hidden, self.codeword)
        if found.mixes_groups:  # a text that is no number reads as merged or suppressed ones: not allowed
            return SeenCells(Cells.from_labels(np.arange(self.size)), np.zeros(self.size, bool))
        return SeenCells(Cells.from_labels(found.cell_of), found.hidden, found.distortion)

    def _reads_as_it_is(self, cells: Cells, hidden: BoolArray) -> bool:
        """Whether cells are runs of one column of numbers, whose middles and ends all differ.

        A text among the numbers may read as an interval, never as a middle.
        """
        column = None if self.columns is None else self.columns.columns[0]
        if column is None or column.kind != "number" or self.line is None or hidden.any():
            return False
        if self.codeword != "midrange" and (self.codeword != "interval" or column.holds_texts):
            return False
        along = cells.cell_of[np.lexsort((self.line, self.group_of))]
        return int(np.count_nonzero(np.diff(along))) == cells.count - 1

    @cached_property
    def prior(self) -> IntArray:
        """For each code of `seen` what the posterior sets are compared with."""
        if self.priors is None:
            return np.full(int(self.seen.max()) + 1, self.joint.size_x)
        found = np.zeros(int(self.seen.max()) + 1, np.int64)
        found[self.seen] = self.priors
        return found


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table that is ready to be released.

    Attributes:
        source: its columns, counted.
        public: its public columns.
    """

    source: ReleaseSource
    public: PublicColumns

    @classmethod
    def of(cls, source: ReleaseSource) -> "PreparedTable":
        """Find out of which kind each public column is.

        Raises:
            NoiselessError: there is nothing to hide or to merge, or a column is of another kind.
        """
        source.check()
        return cls(source, public_columns(source))

    @cached_property
    def problem(self) -> Problem:
        """What is to be chosen."""
        source, request = self.source, self.source.request
        beside = bool(request.keep or request.given)
        side = SideInformation(source.public_of_seen, source.shown_of_seen) if beside else None
        return TableProblem(
            source.joint,
            self.public.codebook(request),
            side,
            source.public.counts,
            self.public.groups,
            self.public,
            request.codeword,
            source.prior if beside else None,
        )

    def measured(self, cell_of: IntArray, suppressed: BoolArray) -> MeasuredPartition:
        """Cells as they read, measured."""
        read = ReadCells.of(self.public, cell_of, suppressed, self.source.request.codeword)
        if read.mixes_groups:
            raise AssertionError("a cell holds values that are never merged")
        return MeasuredPartition(self.source, read)


def choose_partition(
    prepared: PreparedTable, progress: Progress | None = None
) -> tuple[Choice, MeasuredPartition]:
    """The partition that serves a request best, and what it is worth as it is written.

    Raises:
        RequestError: what is asked for is impossible; the message says what is possible.
    """
    wish = _wish(prepared)
    try:
        choice = choose(prepared.problem, wish, progress)
    except RequestError as error:
        if prepared.public.groups is None:
            raise
        raise explained(error, prepared.public, suppresses=prepared.source.request.suppress > 0) from None
    return choice, prepared.measured(choice.cells.cell_of, choice.suppressed)


def _wish(prepared: PreparedTable) -> Goal:
    request = prepared.source.request
    values, hidden = prepared.source.joint.size_x, ", ".join(request.sensitive)
    if request.min_posterior is not None and request.min_posterior > values:
        raise RequestError(
            f"{hidden} has {values:,} different values, so at most {values:,} can hide behind an answer; ask "
            f"for --min-posterior {values} or less"
        )
    if request.weight is None and not request.targets:
        raise RequestError(
            "there is no target: say how much to hide (--min-posterior, --max-leakage, --max-maximin), how "
            "much may be lost (--max-distortion, --min-resolution), or how to weigh them (--weight)"
        )
    return Goal(
        objective=request.objective,
        utility=request.utility,
        weight=request.weight,
        min_posterior=request.min_posterior,
        max_leakage=request.max_leakage,
        max_maximin=request.max_maximin,
        max_distortion=_written(prepared, request.max_distortion),
        min_resolution=request.min_resolution,
        suppress=request.suppress,
        method=request.method,
    )


def _written(prepared: PreparedTable, limit: Fraction | None) -> Fraction | None:
    """A limit on the distortion as far as it can be used up: the middle of days is written as a day."""
    public, days = prepared.public, prepared.public.columns[0].kind == "date"
    unit = DistanceScale.of(public, [Fraction(1)] * len(public.columns)).unit
    if limit is None or not days or len(public.columns) > 1 or prepared.source.request.codeword != "midrange":
        return limit
    return limit // unit * unit if unit else limit


def survey_table(
    prepared: PreparedTable, progress: Progress | None = None, *, baselines: bool = True
) -> ReleaseFrontier:
    """The frontier of a prepared table.

    Raises:
        RequestError: the methods do not apply.
    """
    source = prepared.source
    request = source.request
    found = survey(
        prepared.problem,
        objective=request.objective,
        utility=request.utility,
        method=request.method,
        baselines=baselines,
        progress=progress,
    )
    series = tuple(
        Series(one.name, tuple(_point(p) for p in one.points), one.scope, not one.ours, one.note)
        for one in found.series
    )
    points = found.unbeaten
    return ReleaseFrontier(
        source=source.table.label,
        sensitive=request.sensitive,
        public=request.public,
        sensitive_values=source.joint.size_x,
        public_values=len(source.public),
        rows=source.rows,
        points=tuple(_point(point) for point in points),
        series=series,
        method=" + ".join(dict.fromkeys(point.series for point in points)),
        scope=least_proved(points),
        objective=request.objective,
        utility=request.utility,
        given=request.given,
        keep=request.keep,
        note="; ".join(filter(None, (_most_left(prepared), _unsuppressed(prepared)))),
    )


def _most_left(prepared: PreparedTable) -> str:
    """Why no release leaves all values possible; empty where one can."""
    source, request = prepared.source, prepared.source.request
    most, total = int(prepared.problem.largest_posteriors.min()), source.joint.size_x
    if most == total or request.objective == "maximin":
        return ""
    if prepared.public.groups is not None:
        why = never_merged(prepared.public)
    else:
        why = f"{', '.join((*request.keep, *request.given))} tells the rest, whatever is merged"
    hidden = ", ".join(request.sensitive)
    return (
        f"no release without suppressed rows leaves more than {most:,} of {total:,} values of {hidden}: {why}"
    )


def _unsuppressed(prepared: PreparedTable) -> str:
    """That a frontier suppresses nothing, where a release may."""
    if not prepared.source.request.suppress:
        return ""
    return "none of these suppresses rows: with --suppress a release may do better than all of them"


def _point(point: SurveyPoint) -> ReleasePoint:
    found = point.quality
    return ReleasePoint(
        found.cells,
        found.leakage,
        found.maximin,
        found.min_posterior,
        Bits(found.resolution.ratio),
        found.distortion,
        found.suppressed_rows,
        f"{point.series}, {point.setting}" if point.setting else point.series,
    )
