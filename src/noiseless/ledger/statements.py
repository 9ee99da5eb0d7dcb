"""The ledger's SQL: built with SQLAlchemy once, compiled once for each kind of database.

The statements are then run as texts by the drivers themselves: a charge is a handful of statements of a few
microseconds each, and building or looking up a compiled statement takes longer than running it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ClauseElement,
    ColumnElement,
    Select,
    Table,
    Text,
    any_,
    bindparam,
    case,
    func,
    insert,
    literal_column,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.dialects.sqlite import pysqlite
from sqlalchemy.engine import Dialect

from noiseless.ledger.schema import (
    accounts,
    analysts,
    batches,
    datasets,
    entries,
    metadata,
    notes,
    text_of,
    told,
)

if TYPE_CHECKING:
    from noiseless.ledger.transaction import DatabaseTransaction


_CHAIN_LOCK = 0x6C65646765  # any number that other programs in the database do not lock

_TOLD = (told.c.question, told.c.grid, told.c.people, told.c.body, told.c.answer, told.c.charge)


class KeyedSelect(NamedTuple):
    """Rows by a column: a statement for one value, which is faster, and one for any number.

    Parameters are given in their order; the value, or the values, come last.
    """

    one: str
    some: str


class RowWrite(NamedTuple):
    """A row: its values are given in the order of the table's columns, what it is found by last.

    Attributes:
        one: for one row.
        some: for several rows at once, given as columns; None where they are written one by one.
    """

    one: str
    some: str | None = None


@dataclass(frozen=True)
class Statements:
    """All statements, as texts of one kind of database; parameters are named unless it says otherwise."""

    dialect: Dialect

    def _text(self, statement: ClauseElement) -> str:
        return text_of(statement, self.dialect)

    def _in_order(self, statement: ClauseElement) -> str:
        """The text whose parameters are given in their order: those that every question needs."""
        return str(statement.compile(dialect=self._positional))

    @cached_property
    def _positional(self) -> Dialect:
        if self.is_postgresql:
            return psycopg.dialect(paramstyle="format")  # type: ignore[no-untyped-call]
        return pysqlite.dialect(paramstyle="qmark")

    def _columns(self, **columns: ColumnElement[Any]) -> Any:  # noqa: ANN401 - a table of SQLAlchemy
        """Rows that are given as columns (PostgreSQL)."""
        arrays = [bindparam(name, type_=postgresql.ARRAY(column.type)) for name, column in columns.items()]
        return func.unnest(*arrays).table_valued(*columns, name="given").render_derived()

    def _writing(self, insertion: Any, table: Table, finish: Callable[[Any], ClauseElement]) -> RowWrite:  # noqa: ANN401 - of a dialect
        """Insert rows; what happens where they are there already is for `finish` to say."""
        one = self._in_order(finish(insertion))
        if not self.is_postgresql:
            return RowWrite(one)
        given = self._columns(**{column.name: column for column in table.columns})
        names = [column.name for column in table.columns]
        several = insertion.from_select(names, select(*(given.c[name] for name in names)))
        return RowWrite(one, self._in_order(finish(several)))

    def _among(
        self, column: ColumnElement[Any], name: str = "keys", *, one: bool = False
    ) -> ColumnElement[bool]:
        """Whether a column is one of a list, or one value; statements do not depend on how many there are."""
        if one:
            return column == bindparam(name, type_=column.type)
        if self.is_postgresql:
            return column == any_(bindparam(name, type_=postgresql.ARRAY(column.type)))
        return column.in_(select(func.json_each(bindparam(name, type_=Text)).table_valued("value").c.value))

    def _insertion(self, table: Table) -> Any:  # noqa: ANN401 - of a dialect
        return postgresql.insert(table) if self.is_postgresql else sqlite.insert(table)

    def _put(self, table: Table, *changing: str) -> RowWrite:
        """Insert a row; where it is there already, change some columns."""
        insertion, keys = self._insertion(table), list(table.primary_key)
        new = {name: insertion.excluded[name] for name in changing}
        return self._writing(
            insertion, table, lambda some: some.on_conflict_do_update(index_elements=keys, set_=new)
        )

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL; SQLite otherwise."""
        return self.dialect.name == "postgresql"

    # The chain

    @cached_property
    def head(self) -> str:
        """The last entry's place."""
        last = select(entries.c.seq, entries.c.hash).order_by(entries.c.seq.desc())
        return self._text(last.limit(literal_column("1")).offset(literal_column("0")))

    @cached_property
    def lock_chain(self) -> str:
        """Nobody else appends until the end of the transaction (PostgreSQL; SQLite has one writer anyway)."""
        return f"SELECT pg_advisory_xact_lock({_CHAIN_LOCK})"

    @cached_property
    def append(self) -> RowWrite:
        """Write an entry."""
        return self._writing(self._insertion(entries), entries, lambda some: some)

    @cached_property
    def entry_hash(self) -> str:
        """The hash of one entry."""
        return self._text(select(entries.c.hash).where(entries.c.seq == bindparam("seq")))

    @cached_property
    def count_entries(self) -> str:
        """How many entries there are."""
        return self._text(select(func.count()).select_from(entries))

    @cached_property
    def chain(self) -> str:
        """All entries, whatever numbers they have."""
        return self._text(select(entries).order_by(entries.c.seq))

    @cached_property
    def everything(self) -> dict[str, str]:
        """All rows of a table, by its name."""
        return {name: self._text(select(table)) for name, table in metadata.tables.items()}

    # Datasets and accounts

    @cached_property
    def dataset(self) -> str:
        """A dataset by its name."""
        return self._text(select(datasets).where(datasets.c.name == bindparam("name")))

    @cached_property
    def locked_dataset(self) -> str:
        """A dataset's row and the last entry's place, for whoever holds the lock of the chain."""
        last = select(entries.c.seq).order_by(entries.c.seq.desc()).limit(literal_column("1"))
        found = select(
            *datasets.columns,
            last.scalar_subquery(),
            last.with_only_columns(entries.c.hash).scalar_subquery(),
        )
        return self._text(found.where(datasets.c.name == bindparam("name")).with_for_update(of=datasets))

    @cached_property
    def all_datasets(self) -> str:
        """All datasets."""
        return self._text(select(datasets).order_by(datasets.c.id))

    @cached_property
    def add_dataset(self) -> str:
        """A new dataset."""
        return self._text(insert(datasets))

    @cached_property
    def change_dataset(self) -> str:
        """All of a dataset but its name and where it begins."""
        changing = [column.name for column in datasets.columns if column.name not in {"id", "name"}]
        values: dict[str, BindParameter[Any]] = {name: bindparam(name) for name in changing}
        return self._text(update(datasets).where(datasets.c.id == bindparam("of_id")).values(values))

    @cached_property
    def change_accounts(self) -> RowWrite:
        """The accounts of a dataset."""
        here = update(datasets).where(datasets.c.id == bindparam("of_id"))
        return RowWrite(self._in_order(here.values(accounts=bindparam("accounts"))))

    @cached_property
    def surpluses(self) -> KeyedSelect:
        """The surpluses of some cells."""
        return self._search(self._of_dataset(accounts), accounts.c.key)

    @cached_property
    def all_surpluses(self) -> str:
        """The surpluses of all cells."""
        return self._text(self._of_dataset(accounts))

    @cached_property
    def put_surplus(self) -> RowWrite:
        """Set the surplus of a cell."""
        return self._put(accounts, "ratio", "capacity")

    @cached_property
    def quotas(self) -> KeyedSelect:
        """What some analysts spent."""
        return self._search(self._of_dataset(analysts), analysts.c.analyst)

    @cached_property
    def all_quotas(self) -> str:
        """What all analysts spent."""
        return self._text(self._of_dataset(analysts))

    @cached_property
    def put_quota(self) -> RowWrite:
        """Set what an analyst spent."""
        return self._put(analysts, "factors", "capacity")

    @cached_property
    def forget_cells(self) -> str:
        """Drop the accounts of all cells: a new version."""
        return self._text(accounts.delete().where(accounts.c.dataset == bindparam("dataset")))

    @cached_property
    def forget_analysts(self) -> str:
        """Drop the accounts of all analysts: a new version that carries nothing over."""
        return self._text(analysts.delete().where(analysts.c.dataset == bindparam("dataset")))

    @staticmethod
    def _of_dataset(table: Table, name: str = "dataset") -> Select[Any]:
        columns = [column for column in table.columns if column.name not in {"dataset", "key"}]
        return select(*columns).where(table.c.dataset == bindparam(name))

    # Questions

    @cached_property
    def told_by(self) -> dict[str, KeyedSelect]:
        """Questions by their fingerprints, by those of their grids, or of who takes part."""
        columns = {"question": told.c.key, "grid": told.c.grid_key, "people": told.c.people_key}
        return {what: self._search(select(*_TOLD), column) for what, column in columns.items()}

    @cached_property
    def fetch(self) -> str:
        """Questions, surpluses and quotas in one statement (PostgreSQL); the first column says which.

        Parameters in their order: keys of questions, of grids and of people; the dataset and keys of cells;
        the dataset and analysts.
        """
        kinds = {"question": told.c.key, "grid": told.c.grid_key, "people": told.c.people_key}
        parts = [
            select(literal_column("'told'"), *_TOLD).where(self._among(column, kind))
            for kind, column in kinds.items()
        ]
        nothing: list[ColumnElement[Any]] = [
            literal_column(f"NULL::{kind}") for kind in ("text", "text", "bigint")
        ]
        for what, table, column in (
            ("surplus", accounts, accounts.c.key),
            ("quota", analysts, analysts.c.analyst),
        ):
            own = self._of_dataset(table, f"{what}_dataset").where(self._among(column, what))
            parts.append(own.with_only_columns(literal_column(f"'{what}'"), *own.selected_columns, *nothing))
        return self._in_order(union_all(*parts))

    def _search(self, found: Select[Any], column: ColumnElement[Any]) -> KeyedSelect:
        one, some = (found.where(self._among(column, one=one)) for one in (True, False))
        return KeyedSelect(self._in_order(one), self._in_order(some))

    @cached_property
    def put_told(self) -> RowWrite:
        """A question that was charged for; the first charge stands, if it is for the same question.

        Another one that happens to have its key would lose its text, which the table refuses.
        """
        insertion = self._insertion(told)
        same = case((told.c.question == insertion.excluded.question, told.c.question))
        return self._writing(
            insertion,
            told,
            lambda some: some.on_conflict_do_update(index_elements=[told.c.key], set_={"question": same}),
        )

    @cached_property
    def note_batch(self) -> RowWrite:
        """What an analyst asked; the first note of it stands."""
        return self._writing(self._insertion(batches), batches, lambda some: some.on_conflict_do_nothing())

    @cached_property
    def put_note(self) -> RowWrite:
        """Remember something about a dataset."""
        return self._put(notes, "value")

    @cached_property
    def answer(self) -> RowWrite:
        """Set the answer of a question that has none; of several, the questions whose answers were set."""
        same = (told.c.key == bindparam("of_key")) & (told.c.question == bindparam("of_question"))
        here = same & told.c.answer.is_(None)
        new: dict[str, BindParameter[Any]] = {name: bindparam(name) for name in ("answer", "answered")}
        one = self._in_order(update(told).where(here).values(new))
        if not self.is_postgresql:
            return RowWrite(one)
        given = self._columns(
            answer=told.c.answer, answered=told.c.answered, of_key=told.c.key, of_question=told.c.question
        )
        same = (told.c.key == given.c.of_key) & (told.c.question == given.c.of_question)
        several = update(told).where(same & told.c.answer.is_(None))
        several = several.values(answer=given.c.answer, answered=given.c.answered)
        return RowWrite(one, self._in_order(several.returning(told.c.question)))


_MOST, _MOST_CHARACTERS = 1000, 4_000_000
"""Entries of a page, and characters of their bodies, which may be of any length."""


def read_page(session: "DatabaseTransaction", dataset: str | None, after: int) -> list[tuple[Any, ...]]:
    """The rows of the next entries of the ledger, or of one dataset, after a number; none at the end."""
    parameters: dict[str, object] = {"after": after, "most": _MOST, "characters": _MOST_CHARACTERS}
    if dataset is not None:
        parameters["of_dataset"] = dataset
    statement = _page(is_of_dataset=dataset is not None)
    return session.rows(statement, parameters)


@lru_cache(maxsize=2)
def _page(*, is_of_dataset: bool) -> Select[Any]:
    wanted = [entries.c.seq > bindparam("after", type_=entries.c.seq.type)]
    if is_of_dataset:
        wanted.append(entries.c.dataset == bindparam("of_dataset"))
    size = func.length(entries.c.body)
    few = select(entries.c.seq, size.label("size")).where(*wanted).order_by(entries.c.seq)
    some = (
        few.limit(bindparam("most")).offset(literal_column("0")).subquery()
    )  # SQLite's would be a parameter without a name
    before = (func.sum(some.c.size).over(order_by=some.c.seq) - some.c.size).label("before")
    sized = select(some.c.seq, before).subquery()
    last = select(func.max(sized.c.seq)).where(sized.c.before < bindparam("characters")).scalar_subquery()
    return select(entries).where(*wanted, entries.c.seq <= last).order_by(entries.c.seq)
