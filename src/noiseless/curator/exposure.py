"""Realised exposure: what each person could have made the answers given so far be, as the others really are.

It depends on everybody's data and is for the owner's eyes only: it is never part of a reply or of a log.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.curator.answers import plain
from noiseless.curator.exposed_answers import Ints, Records
from noiseless.curator.exposed_counting import exposed, most_of_persons, schema_sizes
from noiseless.curator.exposed_families import Body, families
from noiseless.curator.public import PublicState
from noiseless.curator.snapshot import Snapshot, distinct
from noiseless.errors import OutputError
from noiseless.exact import Bits
from noiseless.tables import written_whole

if TYPE_CHECKING:
    import pyarrow as pa

_WRAPS = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class Exposure:
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
        persons: for each named person, at most so many outputs with all of their rows together.
    """

    snapshot: Snapshot
    counts: Ints
    numbers: Mapping[str, Ints]
    outputs: Ints
    possible: Ints
    questions: int
    persons: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, bodies: Iterable[Body], snapshot: Snapshot, public: PublicState) -> "Exposure":
        """The exposure to questions, as the ledger describes them."""
        asked = list(bodies)
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

    def to_arrow(self) -> "pa.Table":
        """A class a row: its values, how many rows have them, `outputs`, `bits` and `possible`."""
        import pyarrow as pa

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
    return number if number < _WRAPS else float(number)


def _write_csv(table: "pa.Table", path: Path) -> None:
    import pyarrow.csv as pc

    pc.write_csv(table, path)


def _write_parquet(table: "pa.Table", path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path)


def _write_lines(table: "pa.Table", path: Path) -> None:
    import json

    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())
