"""Realised exposure: what each person could have made the answers given so far be, as the others really are.

It depends on everybody's data and is for the owner's eyes only: it is never part of a reply or of a log.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.parquet import write_table

from noiseless.curator.answer_families import AnswerFamily, Body, Ints, Records, families
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Snapshot, distinct, sorted_runs
from noiseless.errors import OutputError, RequestError
from noiseless.exact import Bits
from noiseless.ranges.spans import WRAPS, whole_numbers
from noiseless.replies import plain
from noiseless.tables import written_whole

_CHUNK = 2**21
"""This many combinations of a record and a value are looked at together."""


def schema_sizes(snapshot: Snapshot) -> dict[str, int]:
    """How many values each private column has."""
    return {name: snapshot.schema.columns[name].size for name in snapshot.schema.private}


def exposed(records: Records, asked: Sequence[AnswerFamily], sizes: Mapping[str, int]) -> tuple[Ints, Ints]:
    """Outputs and records still possible; columns that no answer relates are independent: they multiply."""
    exact = whole_numbers(prod(sizes.values()))
    outputs, possible = np.ones(len(records), exact), np.ones(len(records), exact)
    for names in _related(asked, sizes):
        own = [family for family in asked if set(family.columns) <= set(names)]
        keys = [records.cells, *(records.own[name] for name in names)]
        cells, *numbers = distinct(keys, np.ones(len(records), np.int64)).numbers
        few = Records(cells, dict(zip(names, numbers, strict=True)))
        caused, left = _of_columns(few, own, {name: sizes[name] for name in names})
        order, begins = sorted_runs(keys)
        place = np.empty(len(order), np.intp)
        place[order] = np.cumsum(begins) - 1
        outputs, possible = outputs * caused[place], possible * left[place]
    return outputs, possible


def _related(asked: Sequence[AnswerFamily], sizes: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Columns that some answer depends on together."""
    found = [{name} for name in sizes]
    for family in asked:
        touched = [names for names in found if names & set(family.columns)]
        found = [names for names in found if not names & set(family.columns)] + [set().union(*touched)]
    return [tuple(sorted(names)) for names in found]


def _of_columns(
    records: Records, asked: Sequence[AnswerFamily], sizes: Mapping[str, int]
) -> tuple[Ints, Ints]:
    """The same for some related columns: people whom the same answers are about are taken together."""
    exact = whole_numbers(prod(sizes.values()))
    outputs = np.ones(len(records), exact)
    possible = np.full(len(records), prod(sizes.values()), exact)
    if not asked:
        return outputs, possible
    kinds, kind = np.unique(np.stack([family.group >= 0 for family in asked]), axis=1, return_inverse=True)
    of_record = kind.ravel()[records.cells]
    for number in range(kinds.shape[1]):
        own = [family for place, family in enumerate(asked) if kinds[place, number]]
        chosen = np.flatnonzero(of_record == number)
        if own and len(chosen):
            outputs[chosen], possible[chosen] = _counted(records.some(chosen), own, sizes)
    return outputs, possible


def _counted(records: Records, asked: Sequence[AnswerFamily], sizes: Mapping[str, int]) -> tuple[Ints, Ints]:
    """Part each column where an answer may change, and compare the answers of all combinations of parts."""
    starts = {name: _starts(records, asked, name, size) for name, size in sizes.items()}
    combinations = prod(found.shape[1] for found in starts.values())
    step = max(_CHUNK // combinations, 1)
    parts = []
    for first in range(0, len(records), step):
        chosen = slice(first, first + step)
        own = {name: found[chosen] for name, found in starts.items()}
        parts.append(_compared(records.some(chosen), asked, own, sizes))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _starts(records: Records, asked: Sequence[AnswerFamily], name: str, size: int) -> Ints:
    """Where parts of a column begin, for each record, ascending; the column's end stands for none."""
    found = [np.zeros(len(records), np.int64)]
    for family in asked:
        if name in family.columns:
            found += family.changes(records, name)
    table = np.sort(np.stack(found, axis=1), axis=1)
    table[:, 1:][table[:, 1:] == table[:, :-1]] = size
    table = np.sort(table, axis=1)
    return table[:, : max(int((table < size).sum(axis=1).max()), 1)]


def _compared(
    records: Records, asked: Sequence[AnswerFamily], starts: Mapping[str, Ints], sizes: Mapping[str, int]
) -> tuple[Ints, Ints]:
    names, exact = list(starts), whole_numbers(prod(sizes.values()))
    shape = tuple(starts[name].shape[1] for name in names)
    grid = np.indices(shape).reshape(len(names), -1)
    values, weights, own = {}, np.ones((len(records), grid.shape[1]), exact), np.zeros(len(records), np.intp)
    for name, places, length in zip(names, grid, shape, strict=True):
        begins = starts[name]
        ends = np.concatenate([begins[:, 1:], np.full((len(records), 1), sizes[name])], axis=1)
        values[name] = np.minimum(begins, sizes[name] - 1)[:, places]
        weights = weights * (ends - begins)[:, places]
        own = own * length + (begins <= records.own[name][:, None]).sum(axis=1) - 1
    codes, size = np.zeros(weights.shape, np.int64), 1
    for family in asked:
        labels = family.labels(records, {name: values[name] for name in family.columns})
        codes, size = _joined(codes, size, np.broadcast_to(labels, weights.shape))
    mine = codes[np.arange(len(records)), own][:, None]
    possible = np.where(codes == mine, weights, 0).sum(axis=1)
    return _distinct_in_rows(np.where(weights > 0, codes, codes[:, :1])).astype(exact), possible


def _joined(codes: Ints, size: int, labels: Ints) -> tuple[Ints, int]:
    """One number for a number and a label, small enough not to wrap: only rows are compared."""
    labels = labels - labels.min(axis=1, keepdims=True)
    width = int(labels.max()) + 1
    if width >= WRAPS // size:
        codes, labels = _ranked(codes), _ranked(labels)
        size, width = codes.shape[1], codes.shape[1]
    return codes * width + labels.astype(np.int64), size * width


def _ranked(codes: Ints) -> Ints:
    """Equal numbers of a row as equal small ones."""
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    ranks = np.zeros(codes.shape, np.int64)
    ranks[:, 1:] = np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1)
    found = np.empty_like(ranks)
    np.put_along_axis(found, order, ranks, axis=1)
    return found


def _distinct_in_rows(codes: Ints) -> Ints:
    ordered = np.sort(codes, axis=1)
    found: Ints = 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)
    return found


def most_of_persons(snapshot: Snapshot, asked: Sequence[AnswerFamily]) -> list[int]:
    """At most this many outputs each person could have caused with all of their rows together."""
    persons, counts = snapshot.persons, snapshot.counts
    if persons is None:
        return []
    found = [1] * (int(persons.max()) + 1)
    for family in asked:
        group = family.group[snapshot.cells]
        covered = np.flatnonzero(group >= 0)
        worth = family.contributed({name: snapshot.numbers[name][covered] for name in family.columns})
        keys = [persons[covered], group[covered]]
        several = distinct(keys, counts[covered])
        own = distinct(keys, worth * counts[covered]).counts
        most = family.most(several.counts, own, several.numbers[1])
        for person, number in zip(several.numbers[0], most, strict=True):
            found[person] *= int(number)
    values = prod(schema_sizes(snapshot).values())
    rows = np.bincount(persons, counts).astype(np.int64).tolist()
    return [min(number, values**times) for number, times in zip(found, rows, strict=True)]


def _check_known(body: Body, public: PublicState) -> None:
    """Refuse what would have to be evaluated for everything that everybody could be."""
    what = body["what"]
    if "persons" in body:
        raise RequestError("the exposure to answers about numbers of persons' rows is not worked out")
    if what[0] == "sql":
        raise RequestError("the exposure to answers of the owner's SQL is not worked out")
    named = [what[1], what[2] if what[0] in ("sum", "mean") else None]
    if what[0] in ("order", "variance") or any(
        n is not None and n not in public.schema.columns for n in named
    ):
        raise RequestError(
            "the exposure to answers about expressions, and to order statistics and variances over private"
            " filters, is not worked out"
        )


@dataclass(frozen=True, eq=False, repr=False)
class RealisedExposure:
    """For every class of equal rows: how many outputs its owner could have caused, all else as it is.

    Where persons have several rows, a row is looked at while the person's other rows stay as they are too,
    and `persons` says how many outputs a person could have caused at most with all of them.

    Attributes:
        snapshot: the data.
        counts: how many rows each class has.
        numbers: the classes: numbers of all declared columns.
        outputs: the number of different answers, all that were given so far together.
        possible: how many records an adversary who knows everybody else still holds possible.
        questions: how many questions were charged for.
        persons: for each named person, at most this many outputs with all of their rows together.
    """

    snapshot: Snapshot
    counts: Ints
    numbers: Mapping[str, Ints]
    outputs: Ints
    possible: Ints
    questions: int
    persons: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, bodies: Iterable[Body], snapshot: Snapshot, public: PublicState) -> "RealisedExposure":
        """The exposure to questions, as the ledger describes them."""
        asked = list(bodies)
        for body in asked:
            _check_known(body, public)
        schema = snapshot.schema
        names = (*schema.public, *schema.private)
        classes = distinct([snapshot.cells, *(snapshot.numbers[name] for name in names)], snapshot.counts)
        cells, *columns = classes.numbers
        numbers = dict(zip(names, columns, strict=True))
        records = Records(cells, {name: numbers[name] for name in schema.private})
        given = families(asked, snapshot, public)
        outputs, possible = exposed(records, given, schema_sizes(snapshot))
        persons = dict(zip(snapshot.names, most_of_persons(snapshot, given), strict=True))
        return cls(snapshot, classes.counts, numbers, outputs, possible, len(asked), persons)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        most, least = Bits(int(self.outputs.max())), int(self.possible.min())
        return (
            f"Exposure({len(self):,} classes of rows to {self.questions:,} questions;"
            f" {most} at most, {least:,} records possible at least)"
        )

    def to_arrow(self) -> pa.Table:
        """A class a row: its values, how many rows have them, `outputs`, `bits` and `possible`."""
        schema = self.snapshot.schema
        columns: dict[str, Any] = {}
        for name, numbers in self.numbers.items():
            known = {n: plain(schema.columns[name].value(n)) for n in np.unique(numbers).tolist()}
            columns[name] = [known[number] for number in numbers.tolist()]
        outputs = [int(number) for number in self.outputs.tolist()]
        bits = {number: Bits(number).upper for number in set(outputs)}
        return pa.table(
            {
                **columns,
                "rows": self.counts,
                "outputs": [_fitting(number) for number in outputs],
                "bits": [bits[number] for number in outputs],
                "possible": [_fitting(int(number)) for number in self.possible.tolist()],
            }
        )

    def write(self, path: str | Path) -> None:
        """Write it to a CSV, Parquet or JSON-lines file that only its owner may read.

        Raises:
            OutputError: the ending is another one, or the file cannot be written.
        """
        out = Path(path)
        writers = {".csv": _write_csv, ".parquet": _write_parquet, ".jsonl": _write_lines}
        if out.suffix.lower() not in writers:
            raise OutputError(str(out), f"exposure is written as {', '.join(writers)}; change the ending")
        table = self.to_arrow()
        with written_whole(out, private=True) as part:
            writers[out.suffix.lower()](table, part)


def _fitting(number: int) -> int | float:
    return number if number < WRAPS else float(number)


def _write_csv(table: pa.Table, path: Path) -> None:
    from pyarrow.csv import write_csv

    write_csv(table, path)


def _write_parquet(table: pa.Table, path: Path) -> None:
    write_table(table, path)


def _write_lines(table: pa.Table, path: Path) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()]
    path.write_text("".join(lines), "utf-8")
