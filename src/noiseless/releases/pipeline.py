"""Making a release: from a table and a request to a sanitised table with a certificate."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.audits.verdict import kinds_of, near_notes, spelling_texts
from noiseless.display import counted, verb
from noiseless.exact import Rational
from noiseless.releases.certificate import make_certificate, public_of_kept
from noiseless.releases.changes import column_changes
from noiseless.releases.output import typed_numbers
from noiseless.releases.partition import MeasuredPartition
from noiseless.releases.problem import PreparedTable, choose_partition, survey_table
from noiseless.releases.request import HierarchyCost, ReleaseRequest
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.releases.source import ReleaseSource
from noiseless.search.codebook import Codeword, Distance
from noiseless.search.loss import Method, Objective, Preference, Utility
from noiseless.search.measures import ReleasePoint, measure
from noiseless.search.problem import Cells
from noiseless.search.survey import Progress
from noiseless.tables import Missing
from noiseless.tables.kernels import ranked

Columns = str | Sequence[str]
Number = Rational | float | str


def release(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    sensitive: Columns,
    public: Columns,
    given: Columns = (),
    keep: Columns = (),
    objective: Objective = "leakage",
    utility: Utility = "distortion",
    weight: Number | None = None,
    min_posterior: int | None = None,
    max_leakage: Number | None = None,
    max_maximin: Number | None = None,
    max_distortion: Number | None = None,
    min_resolution: Number | None = None,
    suppress: Number = 0,
    method: Method = "auto",
    prefer: Preference = "worst",
    codeword: Codeword = "midrange",
    distance: Distance | None = None,
    hierarchy: Mapping[str, Path | str | Mapping[str, Sequence[str]]] | None = None,
    hierarchy_cost: HierarchyCost = "height",
    column_weight: Mapping[str, Number] | None = None,
    span: Mapping[str, tuple[Number, Number]] | None = None,
    numeric: Columns = (),
    categorical: Columns = (),
    missing: Missing = "value",
    distinct_rows: bool = False,
    keep_order: bool = False,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Release:
    """Publish columns so that a sensitive one stays hidden behind them, changing them as little as possible.

    Values of the public columns are merged into cells, and each is released as its cell. Give at least one
    target (`min_posterior`, `max_leakage`, ...) or a weight.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide; several are hidden together.
        public: the columns to publish, merged as far as needed.
        given: columns that an adversary knows from elsewhere (side information).
        keep: columns to publish as they are; they count as seen.
        objective: what is to be small: `leakage` (L0), `maximin` (I*), or `both` (problem (7) of [P3]).
        utility: what is to be kept: a small `distortion` (U2) or a large `resolution` (U1).
        weight: the multiplier lambda of the Lagrangian L - weight * U, instead of a target.
        min_posterior: the fewest sensitive values that may be left behind an answer.
        max_leakage: the most bits that may leak.
        max_maximin: the most bits that every row may tell, I*.
        max_distortion: the furthest that a value may be from what is released for it.
        min_resolution: the fewest bits of the public columns to keep.
        suppress: the share of rows that may be released as `*`.
        method: `exact` (one ordered column), `greedy`, or the best of what applies.
        prefer: which loss comes first: the largest change (`worst`), with the mean loss among equals; or the
            `mean` over rows and columns, with the largest change among equals.
        codeword: what is released for numbers that are merged: `midrange`, `centroid`, `medoid`, `interval`.
        distance: `absolute`, `euclidean`, `max`, `gower`, `hamming` or `discrete`; by default absolute for
            one column, gower for several.
        hierarchy: for columns of categories, a file or a mapping of each value to what stands above it.
        hierarchy_cost: a node costs its `height`, or the number of other `leaves` that it could stand for.
        column_weight: what a difference in a column counts; 1 by default.
        span: declared ranges (low, high) that the distance of Gower divides by; the data's by default.
        numeric: columns of text to read as numbers; texts that are none are never merged with a number.
        categorical: columns to take as categories, though they hold numbers or days.
        missing: a missing value is one ordinary value ("value"), its row is left out ("drop"), or an error
            ("error"). In a column of numbers it is never merged with a number.
        distinct_rows: drop exact duplicates of whole rows first.
        keep_order: leave the rows in the table's order; by default they are sorted, for the order tells too.
        names: the columns' names, for text files without a header line.
        progress: told the share of the work that is done.

    Raises:
        NoiselessError: the table, a column or a target is wrong, and how to mend it.

    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> done = release(patients, sensitive="age", public="chol", min_posterior=2)
    >>> done.table["chol"].to_pylist()
    [185, 185, 185, 235, 235, 235]
    """
    options = {name: value for name, value in locals().items() if name not in ("table", "progress")}
    return make_release(table, ReleaseRequest.of(options), progress)


def frontier(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    sensitive: Columns,
    public: Columns,
    progress: Progress | None = None,
    baselines: bool = True,
    **options: Any,  # noqa: ANN401 - as for `release`
) -> ReleaseFrontier:
    """The releases of a table that none found beats, beside what other methods reach.

    For one ordered column these are all undominated ones with contiguous cells, unless the `note` of a series
    says that some were left out. The `scope` of the result says what is proved.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide.
        public: the columns to publish.
        progress: told the share of the work that is done.
        baselines: whether other people's methods are run too.
        options: as for `release`; targets are not needed.

    Raises:
        NoiselessError: the table, a column or an option is wrong, and how to mend it.

    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> found = frontier(patients, sensitive="age", public="chol")
    >>> [(point.min_posterior, str(point.distortion)) for point in found.points]
    [(1, '0'), (3, '5'), (5, '30')]
    """
    request = ReleaseRequest.of({"sensitive": sensitive, "public": public, **options})
    return make_frontier(table, request, progress, baselines=baselines)


def make_release(table: Any, request: ReleaseRequest, progress: Progress | None = None) -> Release:  # noqa: ANN401
    """Make the release that a request describes."""
    prepared = PreparedTable.of(ReleaseSource.read(table, request))
    source = prepared.source
    choice, found = choose_partition(prepared, progress)
    before = measure(prepared.problem, Cells.from_labels(np.arange(prepared.problem.size)))
    stated = {"optimal": choice.optimal, "gap": choice.gap, "scope": choice.scope, "proof": choice.proof}
    rows = _rows(found)
    return Release(
        table=_table(found, rows),
        point=ReleasePoint.of(found.measures, choice.method),
        before=ReleasePoint.of(before, "unmerged"),
        certificate=make_certificate(found, {"method": choice.method, **stated}),
        optimal=choice.optimal,
        gap=choice.gap,
        scope=choice.scope,
        proof=choice.proof,
        method=choice.method,
        changes=column_changes(found),
        request=request,
        source=source.table.label,
        rows=source.rows,
        sensitive_values=source.joint.size_x,
        public_values=len(source.public),
        warnings=_warnings(found),
        sources=(*source.table.files, *request.files),
        surveyed=lambda tell: survey_table(prepared, tell),
    )


def make_frontier(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    request: ReleaseRequest,
    progress: Progress | None = None,
    *,
    baselines: bool = True,
) -> ReleaseFrontier:
    """Find the frontier that a request describes."""
    return survey_table(PreparedTable.of(ReleaseSource.read(table, request)), progress, baselines=baselines)


def _rows(found: MeasuredPartition) -> IntArray:
    """For each released row, the number of its combination of public and kept columns."""
    source = found.source
    if source.request.keep_order:
        return source.ordered_rows()
    cells = found.read.cell_of[public_of_kept(source)]
    kept = [source.kept.codes(name) for name in source.request.keep]
    order = np.lexsort([*reversed(kept), cells])
    return np.repeat(order, np.asarray(source.kept.counts)[order])


def _table(found: MeasuredPartition, rows: IntArray) -> pa.Table:
    """The released table."""
    source, read = found.source, found.read
    cells = pa.array(read.cell_of[public_of_kept(source)][rows])
    columns = {}
    for column, word in zip(read.public.columns, read.words, strict=True):
        texts = word.texts
        if column.kind == "number" and source.request.codeword != "interval":
            texts = typed_numbers(texts)
        elif column.kind == "date" and source.request.codeword != "interval":
            texts = _typed_days(texts)
        columns[column.name] = texts.take(cells)
    for name in source.request.keep:
        codes, places = ranked(source.kept.codes(name))
        values = source.kept.coding(name).decode(codes)
        columns[name] = values.take(pa.array(places[rows]))
    return pa.table(columns)


def _typed_days(texts: pa.Array) -> pa.Array:
    try:
        return texts.cast(pa.date32())
    except pa.ArrowInvalid:  # some read `*`
        return texts


def _missing(source: ReleaseSource) -> Iterator[str]:
    """What became of rows in which a value is missing, as far as it is about what is hidden."""
    if source.dropped:
        yield f"{counted(source.dropped, 'rows')} with a missing value {verb(source.dropped, 'are')} left out"
    for column in source.request.sensitive:
        if rows := source.rows_without(column):
            lacking = f"{rows:,} of {counted(source.rows, 'rows')} {verb(rows, 'have')} no {column}"
            yield f"{lacking}; a missing one counts as one more value, also among the values left"


def _sets_with_missing(found: MeasuredPartition) -> Iterator[str]:
    """How a missing value reads within a set of categories."""
    for column, word in zip(found.read.public.columns, found.read.words, strict=True):
        if column.kind != "category" or not column.texts.null_count:
            continue
        if any(text is not None and text.startswith("|") for text in word.texts.to_pylist()):
            yield f"in column {column.name!r} a set that begins with | holds the missing value too"


def _warnings(found: MeasuredPartition) -> tuple[str, ...]:
    """What a reader should know."""
    source, request = found.source, found.source.request
    told = [*_missing(source), *spelling_texts(source.secrets[1])]
    if found.measures.leakage.ratio == 1 and len(found.read) == 1:
        told.append("all public values became one: the release says nothing about the public columns")
    columns = [column for column in found.read.public.columns if column.name not in request.categorical]
    told += [f"column {column.name!r} {column.doubt}" for column in columns if column.doubt]
    told += _sets_with_missing(found)
    if request.keep_order:
        told.append("the rows are in the order of the table, which tells something too")
    return (*told, *near_notes(kinds_of(source.tally, request.sensitive)))
