"""A curator's counts as published tables: what its answers tell of the same people as an office's tables.

Every count that a curator gave, of a private column's values among people of some public groups, is a figure
over the cross of these columns; so are the sizes of the public groups, which everybody may know. They enter
the check of a new table beside the tables that were published.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from noiseless.curator.custody import PUBLIC
from noiseless.curator.fingerprints import read_partition
from noiseless.curator.public_state import PublicState
from noiseless.domain.columns import BooleanColumn, CategoryColumn
from noiseless.ledger import Ledger, UnknownDatasetError
from noiseless.ledger.publications import check_request
from noiseless.questions.question import Limits
from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.promise import NOT_KNOWN
from noiseless.tabulations.reading import read_request
from noiseless.tabulations.succession import TableCheck

ANSWERS, GROUPS = "answers of the curator", "public groups"
_Figure = tuple[dict[str, frozenset[str]], int]
"""For columns the values that a count is of, and the count; a column that is left out is of no matter."""


@dataclass(frozen=True)
class _Answered:
    """The counts of a private column's blocks among people of some public cells."""

    column: str
    blocks: tuple[tuple[int, ...], ...]
    people: frozenset[int] | None
    counts: tuple[int, ...]


def published_answers(
    ledger: Ledger, dataset: str, dimensions: Collection[str]
) -> tuple[Publication | None, tuple[str, ...]]:
    """The counts that the ledger holds of a dataset's present version as one publication, and notes about it.

    Args:
        ledger: the ledger of the dataset's curator.
        dataset: the dataset.
        dimensions: the dimensions of tables that it is compared with. Public columns that neither these nor
            answers need are added up.
    """
    try:
        version = ledger.state(dataset, cells=(), analysts=()).version
        found = ledger.told(dataset, questions=[PUBLIC])
    except UnknownDatasetError:
        return None, ()
    if not found:
        return None, ()
    public = PublicState.read(found[0].body, version, Limits())
    if public.limits.rows > 1:
        return None, (f"answers about {dataset!r} count rows, and a person has several: not comparable",)
    figures, left_out = list[_Figure](), 0
    for answered in _answered(ledger, dataset, version):
        own = list(_figures(public, answered))
        figures += own
        left_out += not own
    notes = (
        [f"{left_out:,} answers of the curator are of no product of categories, and left out"]
        if left_out
        else []
    )
    return _publication(public, figures, set(dimensions)), tuple(notes)


def _answered(ledger: Ledger, dataset: str, version: int) -> Iterator[_Answered]:
    """All counts that were answered, once each."""
    asked = dict[str, Mapping[str, Any]]()
    for entry in ledger.entries(dataset):
        if entry.kind == "charge" and entry.body["version"] == version:
            asked |= {each["question"]: each["body"] for each in entry.body.get("questions", ())}
        elif entry.kind == "answers" and entry.body["version"] == version:
            for question, answer in entry.body["answers"].items():
                body = asked.get(question, {})
                if "counts" in answer and (blocks := read_partition(body)) is not None:
                    yield _Answered(
                        blocks.names[0],
                        _blocks(blocks.starts, blocks.labels, blocks.size),
                        None if body["people"] is None else _places(body["people"]),
                        tuple(answer["counts"]),
                    )


def _places(runs: Sequence[Sequence[int]]) -> frozenset[int]:
    return frozenset(place for begin, end in runs for place in range(begin, end))


def _blocks(starts: Sequence[int], labels: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """The values of each block, by their numbers."""
    found: list[list[int]] = [[] for _ in range(max(labels) + 1)]
    for begin, end, label in zip(starts, (*starts[1:], size), labels, strict=True):
        found[label] += range(begin, end)
    return tuple(map(tuple, found))


def _figures(public: PublicState, answered: _Answered) -> Iterator[_Figure]:
    """The figures of an answer; none if the column has no categories, or the people are no product."""
    column = public.schema.columns[answered.column]
    if not isinstance(column, CategoryColumn | BooleanColumn):
        return
    people = _group(public, answered.people)
    if people is None:
        return
    for block, count in zip(answered.blocks, answered.counts, strict=True):
        yield {**people, answered.column: frozenset(str(column.value(each)) for each in block)}, count


def _group(public: PublicState, people: frozenset[int] | None) -> dict[str, frozenset[str]] | None:
    """The values of each public column that people have, if these are all who have one of each."""
    if people is None:
        return {}
    names, cells = public.population.columns, public.population.cells
    chosen = {name: frozenset(str(cells[place][axis]) for place in people) for axis, name in enumerate(names)}
    inside = {
        place
        for place, cell in enumerate(cells)
        if all(str(value) in chosen[name] for name, value in zip(names, cell, strict=True))
    }
    if inside != people:
        return None
    return {name: of for name, of in chosen.items() if len(of) < len(_values(public, name))}


def _values(public: PublicState, name: str) -> tuple[str, ...]:
    column = public.schema.columns[name]
    return tuple(str(column.value(number)) for number in range(column.size or 0))


def _publication(public: PublicState, figures: Sequence[_Figure], wanted: set[str]) -> Publication | None:
    """All figures as tables: one for each set of columns, and the sizes of public groups."""
    used = {name for of, _ in figures for name in of} | wanted
    names = [name for name in public.population.columns if name in used]
    tables = dict[tuple[str, ...], dict[tuple[str, ...], Told]]()
    groups = dict[str, dict[str, tuple[int, ...]]]()
    for of, count in figures:
        columns = tuple(sorted(of))
        labels = tuple(_label(name, of[name], _values(public, name), groups) for name in columns)
        tables.setdefault(columns, {})[labels] = Told.exact(count)
    if names:
        sizes = _sizes(public, names)
        tables.setdefault(tuple(names), {}).update(sizes)
    if not tables:
        return None
    known = dict.fromkeys(name for columns in tables for name in columns)
    made = [
        PublishedTable.of(
            GROUPS if columns == tuple(names) else f"{ANSWERS}: {', '.join(columns)}",
            columns,
            list(cells.items()),
        )
        for columns, cells in tables.items()
    ]
    classifications = [Classification(name, _values(public, name), groups.get(name, {})) for name in known]
    return Publication(tuple(classifications), tuple(made))


def _label(
    name: str,
    values: frozenset[str],
    every: Sequence[str],
    groups: dict[str, dict[str, tuple[int, ...]]],
) -> str:
    """The label of some values of a column: one of them, or a group."""
    if len(values) == 1:
        return next(iter(values))
    label = " or ".join(each for each in every if each in values)
    groups.setdefault(name, {})[label] = tuple(place for place, each in enumerate(every) if each in values)
    return label


def _sizes(public: PublicState, names: Sequence[str]) -> dict[tuple[str, ...], Told]:
    """How many people are in each public group."""
    found = dict.fromkeys(product(*(_values(public, name) for name in names)), 0)
    axes = [public.population.columns.index(name) for name in names]
    for cell, size in zip(public.population.cells, public.population.sizes, strict=True):
        found[tuple(str(cell[axis]) for axis in axes)] += int(np.int64(size))
    return {labels: Told.exact(size) for labels, size in found.items()}


def check_tables(
    tables: Any,  # noqa: ANN401 - any frame
    *,
    ledger: str | Path,
    population: str | None = None,
    quantity: str | None = None,
    at_least: int = NOT_KNOWN,
    secret: str | None = None,
    rules: Mapping[str, Any] | None = None,
    record: bool = False,
    published: bool = False,
    answers: bool = True,
    by: str = "owner",
    time_limit: float | None = None,
    **reading: Any,  # noqa: ANN401 - as audit_tables takes them
) -> TableCheck:
    """Whether tables may join those that a ledger has recorded for the same population.

    Args:
        tables: the new tables, as `audit_tables` takes them.
        ledger: a ledger's URL, a SQLite file, or a curator's file.
        population: whom the tables are about, unless their TOML file or the curator's file says it.
        quantity: what sums add up; by default the column `value`. Tables of other quantities are left out.
        at_least: the fewest values that each withheld or rounded figure must leave possible, now and later.
        secret: the dimension that people want to keep secret, now and later.
        rules: `threshold`, `p_percent`, `q_percent`, `dominance`, `coalition`, now and later.
        record: record the tables in the ledger if they break no promise.
        published: record them whatever the check finds, because they are published already.
        answers: whether to include the answers of the population's curator that the ledger holds.
        by: who publishes them.
        time_limit: stop after this many seconds; what is open then is undecided, and not recorded.
        reading: how the tables are read: `rows`, `cols`, `value`, `totals`, `told`, `kind`, `hierarchy`,
            `microdata`, `unit`, and so on.

    Raises:
        NoiselessError: something cannot be read, or does not fit together; one line says what and where.
    """
    request = read_request(tables, rules=rules, whole=True, **reading)
    return check_request(
        request,
        ledger,
        population=population,
        quantity=quantity,
        at_least=at_least,
        secret=secret,
        record=record,
        published=published,
        by=by,
        time_limit=time_limit,
        heard=published_answers if answers else None,
    )
