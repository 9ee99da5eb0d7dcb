"""Making a release: from a table and a request to a sanitised table with a certificate."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.display import counted, verb
from noiseless.releases.certificate import make_certificate, public_of_kept
from noiseless.releases.changes import column_changes
from noiseless.releases.columns import PublicColumn
from noiseless.releases.partition import MeasuredPartition
from noiseless.releases.problem import PreparedTable, choose_partition, survey_table
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.releases.source import ReleaseSource
from noiseless.search.measures import ReleasePoint, measure
from noiseless.tables.canonical import typed_words
from noiseless.tables.coding import DictionaryCoding
from noiseless.tables.engine import give_back
from noiseless.tables.kernels import ranked
from noiseless.tables.spellings import kinds_of, near_notes, spelling_texts
from noiseless.tables.stray_rows import StrayDates, StrayRows, stray_dates, stray_numbers
from noiseless.tables.written_forms import misread_letters
from noiseless.work import Cancellation, Progress, active

_STATED = ("method", "optimal", "gap", "scope", "proof")
"""What is said of a choice that the two tables cannot tell."""


def make_release(table: Any, request: ReleaseRequest, progress: Progress | None = None) -> Release:  # noqa: ANN401
    """Make the release that a request describes."""
    return release_rows(ReleaseSource.read(table, request), progress)


def release_rows(source: ReleaseSource, progress: Progress | None = None) -> Release:
    """Make the release that is asked for of rows that are counted."""
    prepared, request = PreparedTable.of(source), source.request
    give_back()
    before = measure(prepared.problem, prepared.problem.unchanged)
    give_back()
    with _time(request).active():
        choice, chosen = choose_partition(prepared, progress)
    prepared = replace(prepared)  # what the search made of it is not needed any more
    found = chosen.measured(choice.cells, choice.suppressed)
    stated, least = {name: getattr(choice, name) for name in _STATED}, choice.least_mean_loss
    del choice, chosen
    if request.unit is not None:
        _ = source.digest  # reads the table once more, which is what was released now and may not be later
    return Release(
        **stated,
        _coded=_table(found),
        point=ReleasePoint.of(found.measures, stated["method"]),
        before=ReleasePoint.of(before, "unmerged"),
        odds=found.odds,
        sizes=found.sizes,
        odds_before=source.odds,
        fewest_of_each=found.fewest_of_each,
        risks=found.risks,
        key_points=found.key_points,
        least_mean_loss=least,
        changes=column_changes(found),
        request=request,
        distance=prepared.public.distance,
        source=source.table.label,
        rows=source.rows,
        sensitive_values=source.joint.size_x,
        public_values=len(source.public),
        warnings=_warnings(found),
        sources=(*source.table.files, *request.files),
        _certify=partial(make_certificate, found, stated),
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
    return frontier_of_rows(ReleaseSource.read(table, request), progress, baselines=baselines)


def frontier_of_rows(
    source: ReleaseSource, progress: Progress | None = None, *, baselines: bool = True
) -> ReleaseFrontier:
    """Find the frontier of rows that are counted."""
    with _time(source.request).active():
        return survey_table(PreparedTable.of(source), progress, baselines=baselines)


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


_FEWEST_ROWS = 10
"""In fewer rows texts differ by chance."""


def _is_name(column: PublicColumn, rows: int) -> bool:
    """Whether each row has a text of its own, and not by chance."""
    is_text = pt.is_string(column.type) or pt.is_large_string(column.type)
    return rows >= _FEWEST_ROWS and is_text and len(column.texts) - int(column.texts.null_count) == rows


def _warnings(found: MeasuredPartition) -> tuple[str, ...]:
    """What a reader should know."""
    source, request = found.source, found.source.request
    told = [source.table.notice] if source.table.notice else []
    told += [*_missing(source), *spelling_texts(source.secrets[1])]
    codings = {column: source.tally.coding(column) for column in source.tally.columns}
    told += [
        f"column {column!r} {stray}"
        for column, coding in codings.items()
        if isinstance(coding, DictionaryCoding) and (stray := misread_letters(coding.values))
    ]
    if found.measures.leakage.ratio == 1 and len(found.read) == 1:
        told.append("all public values became one: the release says nothing about the public columns")
    columns = [column for column in found.read.public.columns if column.name not in request.categorical]
    doubtful = [column for column in columns if column.doubt]
    in_order = not source.dropped and not request.distinct_rows
    names = [column.name for column in doubtful]
    strays: dict[str, StrayRows | StrayDates] = {
        **stray_dates(source.table, names, in_order=in_order),
        **stray_numbers(source.table, names, in_order=in_order),
    }
    told += [f"column {column.name!r} {column.doubt_about(strays.get(column.name))}" for column in doubtful]
    told += _sets_with_missing(found)
    told += [
        f"column {column.name!r} has another text in every row, as names and identifiers have; they stand in "
        "the release, in sets: leave the column out unless they may be read"
        for column in found.read.public.columns
        if column.kind == "category" and _is_name(column, source.rows)
    ]
    told += [
        f"{column} is released itself, as its cell; all limits count with that"
        for column in request.released_secrets
    ]
    each = found.fewest_of_each
    fewer = any(left < found.measures.min_posterior for left, _ in each.values())
    if fewer and request.min_posterior_each is None:
        alone = (f"{left:,} of {counted(many, 'values')} of {name}" for name, (left, many) in each.items())
        told.append(
            "limits are on combinations of the sensitive columns; by itself a column may leave fewer values "
            f"possible: {', '.join(alone)}; --min-posterior-each limits each"
        )
    if request.key:
        told.append(f"the limits hold for someone who knows one of these, and no more: {request.key_text}")
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
