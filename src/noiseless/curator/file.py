"""A curator's file: table, budget, ledger, what each column may hold; and a draft to begin with."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, PositiveInt, StrictStr, ValidationError

from noiseless.amounts import Budget, checked_budget, most_outputs
from noiseless.domain import ColumnSummary, Schema
from noiseless.domain.schema import write_comment, write_key, write_text, write_value
from noiseless.errors import NoiselessError, RequestError, SchemaError
from noiseless.exact import Bits
from noiseless.questions.declared_query import DeclaredQuery
from noiseless.questions.public_table import MOST_KEYS, PublicTable
from noiseless.questions.question import Limits
from noiseless.tables.text_source import TextSource

_DRAFT = "draft one: noiseless schema {} --curator -o NAME.toml"
_MOST_BITS = 10_000
"""More bits than any record has: a budget beyond is a slip of the pen."""


def read_budget(value: object) -> Budget:
    """A number of bits as it is written, or a reach: "reach 3" is exactly log2(3) bits.

    >>> read_budget(Decimal("1.5")), read_budget("reach 3")
    (Decimal('1.5'), Bits(3))
    """
    if isinstance(value, str):
        word, _, rest = value.strip().partition(" ")
        if word.lower() == "reach" and rest.strip().isdecimal() and 0 < len(rest.strip()) <= _MOST_BITS // 4:
            return Bits(max(int(rest), 1))
    elif isinstance(value, int | Decimal) and not isinstance(value, bool):
        budget = checked_budget(value)
        if budget <= _MOST_BITS:
            return budget
    raise ValueError


Allowance = Annotated[Any, BeforeValidator(read_budget)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class _Dataset(_Section):
    name: StrictStr
    source: StrictStr
    unit: StrictStr | None = None
    max_rows: PositiveInt | None = None
    encoding: StrictStr | None = None
    separator: StrictStr | None = None
    decimal: StrictStr | None = None
    date_format: StrictStr | list[StrictStr] | None = None
    sheet: StrictStr | None = None


class _Budget(_Section):
    bits: Allowance
    query_bits: Allowance = 1
    analyst_bits: Allowance | None = None
    min_group: PositiveInt | None = None


class _Ledger(_Section):
    url: StrictStr | None = None


class _Table(_Section):
    source: StrictStr
    key: StrictStr


class _Document(_Section):
    dataset: _Dataset
    budget: _Budget
    ledger: _Ledger = _Ledger()
    columns: dict[str, Any]
    queries: Any = None
    tables: dict[str, _Table] = {}


_BITS = 'must be a number of bits from 0 to 10,000, or "reach K"'
_HINTS = {
    "dataset": (
        "must be a table; write [dataset] and below it name and source (`noiseless schema TABLE --curator` "
        "drafts all of it)"
    ),
    "dataset.name": 'must be a text; write e.g. name = "meters"',
    "dataset.source": 'must be a text; write e.g. source = "meters.parquet"',
    "dataset.unit": 'must be the name of a column; write e.g. unit = "household"',
    "dataset.max_rows": "must be a whole number above 0; write e.g. max_rows = 48",
    "dataset.encoding": 'must be a text; write e.g. encoding = "latin-1"',
    "dataset.separator": 'must be a text; write e.g. separator = ";"',
    "dataset.decimal": 'must be a text; write e.g. decimal = ","',
    "dataset.date_format": 'must be a text or a list of them; write e.g. date_format = "DD.MM.YYYY"',
    "budget": "must be a table; write [budget] and below it bits",
    "budget.bits": f"{_BITS}; write e.g. bits = 40",
    "budget.query_bits": f"{_BITS}; write e.g. query_bits = 1",
    "budget.analyst_bits": f"{_BITS}; write e.g. analyst_bits = 20",
    "budget.min_group": "must be a whole number above 0; write e.g. min_group = 5",
    "ledger": "must be a table; write [ledger] and below it url",
    "ledger.url": 'must be a text; write e.g. url = "sqlite:///ledger.db"',
    "columns": "must be tables; write e.g. [columns.kwh] and below it its role and bounds",
    "tables": "must be tables; write e.g. [tables.regions] and below it source and key",
    "tables.source": 'must be a text; write e.g. source = "regions.csv"',
    "tables.key": 'must be the name of a column; write e.g. key = "suburb"',
}


@dataclass(frozen=True)
class CuratorFile:
    """What the owner of a dataset declares.

    Attributes:
        path: the file.
        name: what the dataset is called, also in SQL.
        source: the table, seen from anywhere.
        unit: the column that names a person, where persons have several rows.
        rows: the most rows that a person may have.
        budget: for the dataset, over all analysts together.
        query_budget: what a question may spend unless it says otherwise.
        analyst_budget: what the questions of one analyst may spend.
        least_group: the smallest group for which a filtered mean is answered.
        ledger: the ledger's address.
        schema: the columns.
        queries: what analysts may ask by a name.
        tables: public tables that analysts may join.
        written: how the source is written, where that is said.
    """

    path: Path
    name: str
    source: str
    unit: str | None
    rows: int
    budget: Budget
    query_budget: Budget
    analyst_budget: Budget | None
    least_group: int | None
    ledger: str
    schema: Schema
    queries: tuple[DeclaredQuery, ...] = ()
    tables: tuple[PublicTable, ...] = ()
    written: TextSource | None = None

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """The file at a path; what it names is looked for beside it.

        Raises:
            SchemaError: it cannot be read or is not well formed, in one line that names it.
        """
        place = Path(path)
        try:
            schema = Schema.read(place)  # also says what is wrong with a file that is no TOML at all
        except SchemaError as error:
            if place.suffix.lower() != ".toml" and place.exists():
                raise SchemaError(f"{path}: is no curator's file (TOML); {_DRAFT.format(path)}") from None
            raise SchemaError(
                str(error) if place.exists() else f"{error}; {_DRAFT.format('TABLE')}"
            ) from None
        try:
            schema.require_declared()
            document = _checked(tomllib.loads(place.read_text("utf-8-sig"), parse_float=Decimal))
            return cls._of(place, document, schema)
        except SchemaError as error:
            raise SchemaError(f"{path}: {error}") from None

    @classmethod
    def _of(cls, path: Path, document: _Document, schema: Schema) -> Self:
        dataset, budget, folder = document.dataset, document.budget, path.resolve().parent
        if (dataset.unit is None) != (dataset.max_rows is None):
            raise SchemaError("[dataset] unit and max_rows go together; write both or neither")
        if dataset.unit is None and (of := [n for n, c in schema.columns.items() if c.per is not None]):
            raise SchemaError(
                f"column {of[0]!r} is per person; name persons with [dataset] unit and max_rows"
            )
        if not dataset.name.strip():
            raise SchemaError('[dataset] name is empty; write e.g. name = "meters"')
        if set(dataset.name) & set("/\\\0"):
            raise SchemaError("[dataset] name is also part of file names; write it without / and \\")
        source, written = _beside(folder, dataset.source), _written(dataset)
        url = document.ledger.url or f"sqlite:///{dataset.name}-ledger.db"
        return cls(
            path=path.resolve(),
            name=dataset.name,
            source=source,
            unit=dataset.unit,
            rows=dataset.max_rows or 1,
            budget=budget.bits,
            query_budget=budget.query_bits,
            analyst_budget=budget.analyst_bits,
            least_group=budget.min_group,
            ledger=_beside(folder, url),
            schema=schema,
            queries=() if document.queries is None else _queries(document.queries, schema, dataset.name),
            tables=tuple(_read_table(name, each, folder) for name, each in document.tables.items()),
            written=None if written is None else replace(written, source=source),
        )

    @property
    def limits(self) -> Limits:
        """What is declared about persons and groups."""
        return Limits(self.rows, self.least_group, self.queries, self.unit, self.tables)

    @property
    def query_outputs(self) -> int:
        """How many outputs a question may have unless it says otherwise."""
        return most_outputs(self.query_budget)


def _read_table(name: str, declared: _Table, folder: Path) -> PublicTable:
    """A public table that can be joined.

    Raises:
        SchemaError: it cannot be read, or has no keys.
    """
    from noiseless.tables import open_table

    try:
        tally = (table := open_table(_beside(folder, declared.source))).tally(table.columns)
        if len(tally) > MOST_KEYS:
            raise SchemaError(f"has over {MOST_KEYS:,} rows; join smaller tables")
        rows = {each: tally.coding(each).decode(tally.codes(each)).to_pylist() for each in table.columns}
        return PublicTable.of(name, declared.key, rows)
    except NoiselessError as error:
        raise SchemaError(f"[tables.{name}]: {error}") from None


def _queries(tables: object, schema: Schema, dataset: str) -> tuple[DeclaredQuery, ...]:
    from noiseless.curator.declared_queries import read_queries

    return read_queries(tables, schema, dataset)


def _written(dataset: _Dataset) -> TextSource | None:
    """How the source is written; None where nothing is said of it."""
    said = dataset.encoding, dataset.decimal, dataset.date_format, dataset.separator, dataset.sheet
    try:
        return None if all(one is None for one in said) else TextSource(dataset.source, *said)
    except RequestError as error:
        raise SchemaError(f"[dataset] {error}") from None


def _beside(folder: Path, address: str) -> str:
    """A path or an address of a file as it is seen from anywhere."""
    for scheme in ("sqlite:///", "duckdb:///"):
        if address.startswith(scheme):
            rest = address.removeprefix(scheme)
            return address if rest in ("", ":memory:") else f"{scheme}{folder / rest}"
    return address if "://" in address or "::" in address else str(folder / address)


def _checked(data: Mapping[str, Any]) -> _Document:
    """The sections.

    Raises:
        SchemaError: a key is unknown, missing or wrong; the nearest known name is offered.
    """
    known = set(_Document.model_fields)
    data = {key: value for key, value in data.items() if key != "proposal"}
    if strange := next((key for key in data if key not in known), None):
        raise SchemaError(f"there is no table [{strange}]; {_nearest(strange, known)}")
    try:
        return _Document.model_validate(data)
    except ValidationError as error:
        raise SchemaError(_explained(error)) from None
    except NoiselessError as error:  # of a budget that is out of range
        raise SchemaError(f"[budget]: {error}") from None


def _explained(error: ValidationError) -> str:
    """The first mistake, an unknown key before any other: it is often why another is missing."""
    details = error.errors(include_url=False, include_input=False)
    first = min(details, key=lambda detail: detail["type"] != "extra_forbidden")
    section, *rest = map(str, first["loc"])
    key = rest[0] if rest else ""
    if first["type"] == "extra_forbidden":
        known = {name.partition(".")[2] for name in _HINTS if name.startswith(f"{section}.")}
        return f"[{section}] has no key {key!r}; {_nearest(key, known)}"
    hint = _HINTS[f"{section}.{key}" if key else section]
    if first["type"] == "missing":
        example = hint.partition("; ")[2]
        return f"[{section}] {key} is missing; {example}" if key else f"[{section}] is missing; {example}"
    return f"[{section}] {key} {hint}" if key else f"[{section}] {hint}"


def _nearest(name: str, known: set[str]) -> str:
    close = get_close_matches(name, sorted(known), n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(known))}"


_FEWEST_ROWS = 10
"""In fewer rows values differ by chance."""
_PEOPLE = {"account", "client", "customer", "employee", "household", "member", "meter", "participant"}
_PEOPLE |= {"patient", "person", "subject", "user"}
_IDENTIFIERS = _PEOPLE | {"id", "identifier", "key", "no", "nr", "number"} | {f"{who}id" for who in _PEOPLE}


def draft_sections(source: str | TextSource, summaries: Sequence[ColumnSummary] = (), rows: int = 0) -> str:
    """The sections of a curator's file to begin with; the columns are a schema's.

    Args:
        source: the table, with how it is written where that was said.
        summaries: of its columns, to see which of them may name persons or rows.
        rows: how many rows it has.

    >>> print(draft_sections("data/half hours.csv").splitlines()[1])
    name = "half_hours"    # what the table is called in SQL
    """
    written = [
        f"{key} = {write_value(said)}\n"
        for key in ("encoding", "separator", "decimal", "date_format", "sheet")
        if (said := getattr(source, key, None))
    ]
    source = fspath(source)
    place = source.rpartition("::")[2] if "::" in source else Path(source).stem
    name = re.sub(r"\W+", "_", place).strip("_") or "dataset"
    return (
        f"[dataset]\nname = {write_text(name)}    # what the table is called in SQL\n"
        f"source = {write_text(source)}    # seen from this file\n"
        f"{''.join(written)}"
        "# Without unit and max_rows the budget protects a single row, not all rows of a person.\n"
        f"{_unit(summaries, rows)}"
        f"{''.join(map(write_comment, _doubts(summaries, rows)))}\n"
        "[budget]\nbits = 8          # for all answers to all analysts together: choose it with care\n"
        "query_bits = 1    # for each question, unless it says otherwise\n"
        "# min_group = 5   # the smallest group for which a mean over a private filter is answered\n"
    )


def _unit(summaries: Sequence[ColumnSummary], rows: int) -> str:
    """The lines about persons: for each column that may name them one to use, by deleting its #."""
    people = [
        one
        for one in summaries
        if one.kind in ("integer", "text") and 1 < one.distinct < rows and _is_identifier(one.name)
    ]
    lines = [
        f"# unit = {write_text(one.name)}    # if it names a person: {one.distinct:,} different values in"
        f" {rows:,} rows{'' if _is_left_out(one) else '; then delete its table below'}\n"
        for one in people
        if rows >= _FEWEST_ROWS
    ]
    least = -(-rows // people[0].distinct) if lines else 2
    lines = lines or ['# unit = "..."    # the column that names a person, where one has several rows\n']
    return (
        f"{''.join(lines)}# max_rows = {least}    # the most rows that a person may have\n"
        '# Then write per = "person" in the table of each column that is the same in all rows of a person:\n'
        "# answers for groups of it cost less.\n"
    )


def _doubts(summaries: Iterable[ColumnSummary], rows: int) -> Iterator[str]:
    """Columns that may only name rows."""
    for column in summaries:
        if (
            rows >= _FEWEST_ROWS
            and column.kind in ("integer", "text")
            and column.distinct == rows
            and not _is_left_out(column)
        ):
            yield (
                f"{write_key(column.name)} is different in every row: if it only names rows, delete its table"
                " below; it makes a record look larger than the secret it holds"
            )


def _is_left_out(column: ColumnSummary) -> bool:
    """Whether a draft has no table for a column, texts with many values."""
    return column.kind == "text" and column.values is None


def _is_identifier(name: str) -> bool:
    """Whether a name sounds like that of an identifier.

    >>> [_is_identifier(name) for name in ("Meter No", "patientId", "user_id", "notes", "Postcode")]
    [True, True, True, False, False]
    """
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return any(word.lower() in _IDENTIFIERS for word in words)
