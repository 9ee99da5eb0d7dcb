"""Making a release: from a table and a request to a sanitised table with a certificate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.audits.odds import odds
from noiseless.display import counted, verb
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.releases.canonical import typed_words
from noiseless.releases.certificate import make_certificate, public_of_kept
from noiseless.releases.changes import column_changes
from noiseless.releases.partition import MeasuredPartition
from noiseless.releases.problem import PreparedTable, choose_partition, survey_table
from noiseless.releases.request import HierarchyCost, Recoding, ReleaseRequest
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.releases.source import ReleaseSource
from noiseless.search.codebook import Codeword, Distance
from noiseless.search.loss import Method, Objective, Preference, Utility
from noiseless.search.mean_loss import MeanLossName
from noiseless.search.measures import ReleasePoint, measure
from noiseless.search.survey import Progress
from noiseless.tables import Missing
from noiseless.tables.kernels import ranked
from noiseless.tables.spellings import kinds_of, near_notes, spelling_texts
from noiseless.work import Cancellation, active

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
    min_rows: int | None = None,
    unit: str | None = None,
    largest_belief: Number | None = None,
    pointwise_leakage: Number | None = None,
    beta_likeness: Number | None = None,
    enhanced_beta_likeness: Number | None = None,
    delta_disclosure: Number | None = None,
    entropy_l_diversity: Number | None = None,
    t_closeness: Number | None = None,
    width: Number | None = None,
    min_classes: int | None = None,
    classes: Path | str | Mapping[str, Sequence[str]] | None = None,
    class_level: int | None = None,
    key: Sequence[str | Sequence[str]] | None = None,
    max_leakage: Number | None = None,
    max_maximin: Number | None = None,
    max_distortion: Number | None = None,
    min_resolution: Number | None = None,
    suppress: Number = 0,
    method: Method = "auto",
    prefer: Preference = "worst",
    mean_loss: MeanLossName = "ncp",
    time_limit: float | None = None,
    codeword: Codeword = "interval",
    distance: Distance | None = None,
    recoding: Recoding = "local",
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
        public: the columns to publish, merged as far as needed. A sensitive column may be one of them: it is
            then released too, as its cell, and all limits count with that (section V-C of [P3]).
        given: columns that an adversary knows from elsewhere (side information).
        keep: columns to publish as they are; they count as seen.
        objective: what is to be small: `leakage` (L0), `maximin` (I*), or `both` (problem (7) of [P3]).
        utility: what is to be kept: a small `distortion` (U2) or a large `resolution` (U1).
        weight: the multiplier lambda of the Lagrangian L - weight * U, instead of a target.
        min_posterior: the fewest sensitive values that may be left behind an answer.
        min_rows: the fewest rows, or persons with a unit, that may look alike (k-anonymity).
        unit: the column that says whose each row is.
        largest_belief: the largest share that a sensitive value may have of the rows that look alike.
        pointwise_leakage: the most bits by which that may exceed its share of the table.
        beta_likeness: the most by which it may, as a multiple of the latter (basic beta-likeness).
        enhanced_beta_likeness: the same, and at most -ln of the latter.
        delta_disclosure: what the logarithm of their quotient must be below, on both sides, in nats.
        entropy_l_diversity: the least exp(entropy) of the sensitive values of rows that look alike.
        t_closeness: the largest earth mover's distance of these from the whole table's.
        width: how far apart the least and the largest of these must be (numbers, or dates in days).
        min_classes: how many different classes the sensitive values of rows that look alike must be of.
        classes: the hierarchy of the sensitive column: a file, or for each value what stands above it.
        class_level: which of its levels makes the classes; 1 by default, what stands right above the values.
        key: sets of public columns, each a list of names or a text like `age,sex`: what an adversary may know
            of a person. All limits on what is given away hold for each, and not for all public columns.
        max_leakage: the most bits that may leak.
        max_maximin: the most bits that every row may tell, I*.
        max_distortion: the furthest that a value may be from what is released for it.
        min_resolution: the fewest bits of the public columns to keep.
        suppress: the share of rows that may be released as `*`.
        method: `exact` (one ordered column), `greedy`, `first-rise` (the algorithm of [P3] for the weight,
            until its Lagrangian first does not fall), or the best of what applies.
        prefer: which loss comes first: the largest change (`worst`), with the mean loss among equals; or the
            `mean` over rows and columns, with the largest change among equals.
        mean_loss: what the mean loss is: the share of a column that a row's cell spans (`ncp`), the squared
            error (`squares`), `discernibility`, or `entropy`.
        time_limit: after how many seconds the search ends with the best that it has found.
        codeword: how merged numbers are written: `interval`, `midrange`, `centroid`, `medoid`.
        distance: `absolute`, `euclidean`, `squared`, `max`, `gower`, `hamming` or `discrete`; by default
            absolute for one column, gower for several.
        recoding: `local` cells, each as fine as it can be; `full-domain`, one level of its hierarchy for
            each column, which is then the best of all such choices; or `suppression`, every value as it is
            or as `*`.
        hierarchy: for each column a file, a mapping of each value to what stands above it, or a rule to make
            a tree by: `intervals:5,10,20`, `prefixes`, `dates`, `frequencies:10,100`.
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
        progress: called with the share of the work that is done.

    Raises:
        NoiselessError: the table, a column or a target is wrong, and how to mend it.

    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> done = release(patients, sensitive="age", public="chol", min_posterior=2)
    >>> done.table["chol"].to_pylist()
    ['180-190', '180-190', '180-190', '230-240', '230-240', '230-240']
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
    """The best trade-offs found, beside what other methods reach.

    For one ordered column these are all undominated ones with contiguous cells, unless the `note` of a series
    says that some were left out. The `scope` of the result says what is proved.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide.
        public: the columns to publish.
        progress: called with the share of the work that is done.
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
    before = measure(prepared.problem, prepared.problem.unchanged)
    with _time(request).active():
        choice, found = choose_partition(prepared, progress)
    prepared = replace(prepared)  # what the search made of it is not needed any more
    stated = {"optimal": choice.optimal, "gap": choice.gap, "scope": choice.scope, "proof": choice.proof}
    return Release(
        _coded=_table(found),
        point=ReleasePoint.of(found.measures, choice.method),
        before=ReleasePoint.of(before, "unmerged"),
        certificate=make_certificate(found, {"method": choice.method, **stated}),
        optimal=choice.optimal,
        gap=choice.gap,
        scope=choice.scope,
        proof=choice.proof,
        odds=found.odds,
        sizes=found.sizes,
        odds_before=odds(*source.census(np.arange(len(source.public)))),
        risks=found.risks,
        key_points=found.key_points,
        least_mean_loss=choice.least_mean_loss,
        method=choice.method,
        changes=column_changes(found),
        request=request,
        source=source.table.label,
        rows=source.rows,
        sensitive_values=source.joint.size_x,
        public_values=len(source.public),
        warnings=_warnings(found),
        sources=(*source.table.files, *request.files),
        _survey=lambda tell: survey_table(prepared, tell),
        _came_as=source.table.came_as,
    )


def make_frontier(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    request: ReleaseRequest,
    progress: Progress | None = None,
    *,
    baselines: bool = True,
) -> ReleaseFrontier:
    """Find the frontier that a request describes."""
    prepared = PreparedTable.of(ReleaseSource.read(table, request))
    if request.key:
        raise RequestError("a frontier is of all public columns together; leave --key out")
    with _time(request).active():
        return survey_table(prepared, progress, baselines=baselines)


def _time(request: ReleaseRequest) -> Cancellation:
    """How long a search may take; without a limit as long as its caller waits."""
    return active() if request.time_limit is None else Cancellation(request.time_limit)


def _table(found: MeasuredPartition) -> pa.Table:
    """The released table."""
    source, read = found.source, found.read
    words = {
        column.name: typed_words(word.texts, column.kind)
        for column, word in zip(read.public.columns, read.words, strict=True)
    }
    return released_table(source, read.cell_of, words)


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
    told += [
        f"{column} is released itself, as its cell; all limits count with that"
        for column in request.released_secrets
    ]
    if request.key:
        known = "; ".join(" + ".join(key) for key in request.key)
        told.append(f"the limits hold for someone who knows one of these, and no more: {known}")
    if request.keep_order:
        told.append("the rows keep the table's order, which is information too")
    if request.width is None:
        told += near_notes(kinds_of(source.tally, request.sensitive))
    return tuple(told)


def released_table(source: ReleaseSource, cell_of: IntArray, words: Mapping[str, pa.Array]) -> pa.Table:
    """The rows of a table as they are released, sorted unless their order is to be kept.

    A column is held as what it can read and, for each row, which of that: public columns share the latter.

    Args:
        source: the table.
        cell_of: the cell of each public tuple.
        words: what each public column reads in each cell.
    """
    tally = source.kept
    cells: IntArray = cell_of[public_of_kept(source)].astype(np.int32)
    if source.request.keep_order:
        rows = source.ordered_rows()
    else:
        order = np.lexsort([*(tally.codes(name) for name in reversed(source.request.keep)), cells])
        rows = np.repeat(order, np.asarray(tally.counts)[order])
    shown = pa.array(cells[rows])
    columns = {name: pa.DictionaryArray.from_arrays(shown, words[name]) for name in source.request.public}
    for name in source.request.keep:
        codes, places = ranked(tally.codes(name))
        kept = pa.array(places.astype(np.int32)[rows])
        columns[name] = pa.DictionaryArray.from_arrays(kept, tally.coding(name).decode(codes))
    return pa.table(columns)
