"""A release as a problem: what is to be chosen, the partition chosen for a request, and the frontier."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.errors import RequestError
from noiseless.releases.columns import PublicColumns, explained, never_merged, public_columns
from noiseless.releases.partition import MANY, DistanceScale, MeasuredPartition, ReadCells
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.results import ReleaseFrontier
from noiseless.releases.risks import MINIMA, AnswerRisks, limit_text
from noiseless.releases.source import ReleaseSource
from noiseless.search.goal import Targets
from noiseless.search.level_choice import choose_levels, survey_levels
from noiseless.search.limits import within_rows
from noiseless.search.mean_loss import LOSSES
from noiseless.search.portfolio import Choice, Goal, choose, measure, survey
from noiseless.search.problem import Cells, Problem, SeenCells
from noiseless.search.survey import least_proved
from noiseless.tables.engine import give_back
from noiseless.work import Progress


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
        codebook, groups = self.public.codebook(request), self.public.groups
        rows, loss = source.seen.counts, LOSSES[request.mean_loss]
        reader = replace(self)._read  # noqa: SLF001 - its own would be a circle that keeps all a search makes
        made = Problem(source.joint, codebook, source.side, rows, groups, reader, self._rounds, loss)
        keys = tuple(tuple(map(request.public.index, key)) for key in request.key)
        return replace(made, limits=self.risks.limits(made) if self.risks.asked else (), keys=keys)

    @cached_property
    def risks(self) -> AnswerRisks:
        """The limits on bets, widths and persons."""
        return AnswerRisks(self.source)

    def on_levels(self, levels: Sequence[int]) -> "PreparedTable":
        """The same with each column on one level of its hierarchy."""
        return replace(self, public=self.public.on_levels(levels))

    @property
    def _rounds(self) -> bool:
        """Whether means are written to some decimals, or middles of days, among several columns, as days."""
        kinds, word = [column.kind for column in self.public.columns], self.source.request.codeword
        if word == "centroid":
            return "number" in kinds or "date" in kinds
        return word == "midrange" and "date" in kinds and len(kinds) > 1

    def _read(self, problem: Problem, cells: Cells, hidden: BoolArray) -> SeenCells:
        """Cells that read alike are one, and distances are to what is written."""
        if self._reads_as_it_is(problem, cells, hidden):
            return SeenCells(cells, hidden)
        found = self._written(cells, hidden)
        if found.mixes_groups:  # a text that is no number reads as merged or suppressed ones: not allowed
            return SeenCells(Cells.from_labels(np.arange(problem.size)), np.zeros(problem.size, bool))
        lost = found.distortion
        return SeenCells(Cells.from_labels(found.cell_of), found.hidden, lost)

    def _written(self, cells: Cells, hidden: BoolArray) -> ReadCells:
        if cells.count > MANY:  # what the search held before
            give_back()
        found = ReadCells.of(self.public, cells.cell_of, hidden, self.source.request.codeword)
        if cells.count > MANY:  # texts that cells were read by
            give_back()
        return found

    def measured(self, cells: Cells, hidden: BoolArray) -> MeasuredPartition:
        """Cells as they are written, measured anew."""
        read = self._written(cells, hidden)
        if read.mixes_groups:
            raise AssertionError("a cell holds values that are never merged")
        found = measure(self.problem, Cells.from_labels(read.cell_of), read.hidden)
        return MeasuredPartition(self.source, read, replace(found, distortion=read.distortion))

    def _reads_as_it_is(self, problem: Problem, cells: Cells, hidden: BoolArray) -> bool:
        """Whether nothing is merged, or cells are runs of one column of numbers: middles and ends all differ.

        A text among the numbers may read as an interval, never as a middle.
        """
        if cells.count == problem.size and all(column.level is None for column in self.public.columns):
            return not hidden.any()
        column, codeword = self.public.columns[0], self.source.request.codeword
        if column.kind != "number" or problem.line is None or hidden.any():
            return False
        if codeword != "midrange" and (codeword != "interval" or column.holds_texts):
            return False
        along = cells.cell_of[np.lexsort((problem.line, problem.group_of))]
        return int(np.count_nonzero(np.diff(along))) == cells.count - 1


def choose_partition(
    prepared: PreparedTable, progress: Progress | None = None
) -> tuple[Choice, PreparedTable]:
    """The partition that serves a request best, and the table without what the search made of it.

    Columns that are released on one level are on that.

    Raises:
        RequestError: what is asked for is impossible; the message says what is possible.
    """
    goal = _goal(prepared)
    if prepared.source.request.recoding == "full-domain":
        return _choose_levels(prepared, goal)
    try:
        choice = choose(prepared.problem, goal, progress)
    except RequestError as error:
        if prepared.public.groups is None:
            raise
        raise explained(error, prepared.public, suppresses=prepared.source.request.suppress > 0) from None
    return _apart(choice, replace(prepared))


def _choose_levels(prepared: PreparedTable, goal: Goal) -> tuple[Choice, PreparedTable]:
    choice, levels = choose_levels(prepared.problem, goal, lambda levels: prepared.on_levels(levels).problem)
    return _apart(choice, prepared.on_levels(levels))


def _apart(choice: Choice, prepared: PreparedTable) -> tuple[Choice, PreparedTable]:
    """A choice for a table as it was before the search."""
    return replace(choice, problem=prepared.problem), prepared


def _goal(prepared: PreparedTable) -> Goal:
    request = prepared.source.request
    values, hidden = prepared.source.joint.size_x, ", ".join(request.sensitive)
    if request.min_posterior is not None and request.min_posterior > values:
        raise RequestError(
            f"{hidden} has {values:,} different values, so at most {values:,} can hide behind an answer; ask "
            f"for --min-posterior {values} or less"
        )
    if request.min_rows is not None and request.min_rows > prepared.source.rows:
        rows = prepared.source.rows
        raise RequestError(f"there are {rows:,} rows; ask for --min-rows {rows} or less")
    if request.min_rows is not None and request.unit is not None:
        persons = int(prepared.source.members[1].max()) + 1
        if request.min_rows > persons:
            raise RequestError(f"there are {persons:,} persons; ask for --min-rows {persons} or less")
    if not request.suppress:
        _check_risks(prepared)
    if request.weight is None and not request.targets:
        raise RequestError(
            "there is no target: say how much to hide (--min-posterior, --min-rows, --max-leakage, "
            "--max-maximin, --largest-belief, --width, ...), how much may be lost (--max-distortion, "
            "--min-resolution), or how to weigh them "
            "(--weight)"
        )
    return Goal(
        objective=request.objective,
        utility=request.utility,
        weight=request.weight,
        min_posterior=request.min_posterior,
        min_rows=None if request.unit else request.min_rows,
        max_leakage=request.max_leakage,
        max_maximin=request.max_maximin,
        max_distortion=_usable(prepared, request.max_distortion),
        min_resolution=request.min_resolution,
        suppress=request.suppress,
        method=request.method,
        prefer=request.prefer,
        limited=bool(prepared.risks.asked),
    )


def _check_risks(prepared: PreparedTable) -> None:
    """Refuse limits that no merging keeps: a cell of all that may be merged is no worse than its parts."""
    public = prepared.public
    whole = np.zeros(len(prepared.source.public), np.int64) if public.groups is None else public.groups
    for name, found in prepared.risks.missed(whole).items():
        reached = limit_text(found, up=name not in MINIMA, places=2)
        side = "or less" if name in MINIMA else "or more"
        option = name.replace("_", "-")
        advice = f"ask for {reached} {side}" if reached[0].isdigit() else "leave it out"
        raise RequestError(
            f"--{option} cannot be kept: with all that may be merged in one cell it is {reached}; {advice}, "
            "or suppress rows"
        )


def _usable(prepared: PreparedTable, limit: Fraction | None) -> Fraction | None:
    """A limit on the distortion as far as it can be used up: the middle of days is written as a day."""
    public, days = prepared.public, prepared.public.columns[0].kind == "date"
    unit = DistanceScale.of(public, [Fraction(1)] * len(public.columns)).unit
    if public.distance == "squared":
        unit **= 2
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
    _check_risks(prepared)
    if request.recoding == "full-domain":
        found = survey_levels(
            _limited(prepared), lambda levels: _limited(prepared.on_levels(levels)), progress
        )
    else:
        _limited(prepared)
        found = survey(
            prepared.problem,
            objective=request.objective,
            utility=request.utility,
            method=request.method,
            prefer=request.prefer,
            min_rows=None if request.unit else request.min_rows,
            baselines=baselines,
            progress=progress,
            until_stopped=request.time_limit is not None,
        )
    points = found.unbeaten
    if not points:
        raise RequestError("no release within the limits was found; ease them")
    return ReleaseFrontier(
        source=source.table.label,
        sensitive=request.sensitive,
        public=request.public,
        sensitive_values=source.joint.size_x,
        public_values=len(source.public),
        rows=source.rows,
        points=points,
        series=found.series,
        method=" + ".join(dict.fromkeys(point.series for point in points)),
        scope=least_proved(points),
        objective=request.objective,
        utility=request.utility,
        given=request.given,
        keep=request.keep,
        key=request.key,
        note="; ".join(
            filter(
                None,
                (_readers(request), _most_left(prepared), _unsuppressed(prepared), _CUT * found.is_cut),
            )
        ),
        is_complete=found.is_complete,
    )


_CUT = "the search was stopped before all levels and methods were looked at, so better releases may exist"


def _limited(prepared: PreparedTable) -> Problem:
    """The problem of a frontier: all of its releases have as many rows alike as are asked for."""
    problem, rows = prepared.problem, prepared.source.request.min_rows
    if rows is None or prepared.source.request.unit is not None:
        return problem
    most = int(Targets(problem, Goal(min_rows=rows)).most_rows.min())
    if rows > most:
        raise RequestError(f"at most {most:,} rows can look alike; ask for --min-rows {most} or less")
    return within_rows(problem, rows)


def _readers(request: ReleaseRequest) -> str:
    """Whom limits and figures are about, where that is not someone who knows all public columns."""
    if not request.key:
        return ""
    known = request.key_text
    return f"limits and figures are about someone who knows one of these, and no more: {known}"


def _most_left(prepared: PreparedTable) -> str:
    """Why no release leaves all values possible; empty where one can."""
    source, request = prepared.source, prepared.source.request
    most, total = int(prepared.problem.largest_posteriors.min()), source.joint.size_x
    if most == total or request.objective == "maximin":
        return ""
    if prepared.public.groups is not None:
        why = never_merged(prepared.public)
    else:
        why = f"{', '.join((*request.keep, *request.given))} reveals the rest, whatever is merged"
    hidden = ", ".join(request.sensitive)
    return (
        f"no release without suppressed rows leaves more than {most:,} of {total:,} values of {hidden}: {why}"
    )


def _unsuppressed(prepared: PreparedTable) -> str:
    """That a frontier suppresses nothing, where a release may."""
    if not prepared.source.request.suppress:
        return ""
    return "none of these suppresses rows: with --suppress a release may do better than all of them"
