"""The ledger's SQL: built with SQLAlchemy once, compiled once for each kind of database.

The statements are then run as texts by the drivers themselves: a charge is a handful of statements of a few
microseconds each, and building or looking up a compiled statement takes longer than running it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect

from noiseless.ledger.schema import accounts, analysts, datasets, entries, told

_CHAIN_LOCK = 0x6C65646765  # any number that other programs in the database do not lock

_TOLD = (told.c.question, told.c.grid, told.c.people, told.c.body, told.c.answer, told.c.charge)


class Search(NamedTuple):
    """Rows by a column: a statement for one value, which is faster, and one for any number."""

    one: str
    some: str


@dataclass(frozen=True)
class Statements:
    """All statements, as texts of one kind of database; parameters are named."""

    dialect: Dialect

    def _text(self, statement: ClauseElement) -> str:
        return str(statement.compile(dialect=self.dialect))

    def _locking(self, statement: Select[Any]) -> Select[Any]:
        return statement.with_for_update() if self.is_postgresql else statement

    def _among(self, column: ColumnElement[Any], *, one: bool = False) -> ColumnElement[bool]:
        """Whether a column is one of a list, or one value; statements do not depend on how many there are."""
        if one:
            return column == bindparam("keys", type_=column.type)
        if self.is_postgresql:
            return column == any_(bindparam("keys", type_=postgresql.ARRAY(column.type)))
        return column.in_(select(func.json_each(bindparam("keys", type_=Text)).table_valued("value").c.value))

    def _put(self, table: Table, *changing: str) -> str:
        """Insert a row; where it is there already, change some columns."""
        insertion = postgresql.insert(table) if self.is_postgresql else sqlite.insert(table)
        keys = list(table.primary_key)
        new = {name: insertion.excluded[name] for name in changing}
        return self._text(insertion.on_conflict_do_update(index_elements=keys, set_=new))

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL; SQLite otherwise."""
        return self.dialect.name == "postgresql"

    # The chain

    @cached_property
    def head(self) -> str:
        """The last entry's place."""
        last = select(func.max(entries.c.seq)).scalar_subquery()
        return self._text(select(entries.c.seq, entries.c.hash).where(entries.c.seq == last))

    @cached_property
    def lock_chain(self) -> str:
        """Nobody else appends until the end of the transaction (PostgreSQL; SQLite has one writer anyway)."""
        return f"SELECT pg_advisory_xact_lock({_CHAIN_LOCK})"

    @cached_property
    def append(self) -> str:
        """Write an entry."""
        return self._text(insert(entries))

    @cached_property
    def entry_hash(self) -> str:
        """The hash of one entry."""
        return self._text(select(entries.c.hash).where(entries.c.seq == bindparam("seq")))

    @cached_property
    def count_entries(self) -> str:
        """How many entries there are."""
        return self._text(select(func.count()).select_from(entries))

    @cached_property
    def page(self) -> str:
        """Some entries after a place."""
        return self._text(self._page())

    @cached_property
    def page_of_dataset(self) -> str:
        """Some entries of a dataset after a place."""
        return self._text(self._page().where(entries.c.dataset == bindparam("dataset")))

    @staticmethod
    def _page() -> Select[Any]:
        return (
            select(entries)
            .where(entries.c.seq > bindparam("after", type_=entries.c.seq.type))
            .order_by(entries.c.seq)
            .limit(bindparam("most"))
            .offset(literal_column("0"))  # SQLite's would be a parameter without a name of ours
        )

    # Datasets and accounts

    @cached_property
    def dataset(self) -> str:
        """A dataset by its name."""
        return self._text(select(datasets).where(datasets.c.name == bindparam("name")))

    @cached_property
    def lock_dataset(self) -> str:
        """The same, and nobody else charges for it until the end of the transaction."""
        return self._text(self._locking(select(datasets).where(datasets.c.name == bindparam("name"))))

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
    def change_accounts(self) -> str:
        """The accounts of a dataset."""
        here = update(datasets).where(datasets.c.id == bindparam("of_id"))
        return self._text(here.values(accounts=bindparam("accounts")))

    @cached_property
    def surpluses(self) -> Search:
        """The surpluses of some cells."""
        return self._search(self._of_dataset(accounts), accounts.c.key)

    @cached_property
    def all_surpluses(self) -> str:
        """The surpluses of all cells."""
        return self._text(self._of_dataset(accounts))

    @cached_property
    def all_cells(self) -> str:
        """The cells that have surpluses, and what they are found by."""
        return self._text(select(accounts.c.cell, accounts.c.key))

    @cached_property
    def put_surplus(self) -> str:
        """Set the surplus of a cell."""
        return self._put(accounts, "ratio", "capacity")

    @cached_property
    def quotas(self) -> Search:
        """What some analysts spent."""
        return self._search(self._of_dataset(analysts), analysts.c.analyst)

    @cached_property
    def all_quotas(self) -> str:
        """What all analysts spent."""
        return self._text(self._of_dataset(analysts))

    @cached_property
    def put_quota(self) -> str:
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

    @cached_property
    def account_datasets(self) -> tuple[str, str]:
        """The datasets that have accounts of cells or analysts."""
        return tuple(self._text(select(table.c.dataset).distinct()) for table in (accounts, analysts))  # type: ignore[return-value]

    @staticmethod
    def _of_dataset(table: Table) -> Select[Any]:
        columns = [column for column in table.columns if column.name not in {"dataset", "key"}]
        return select(*columns).where(table.c.dataset == bindparam("dataset"))

    # Questions

    @cached_property
    def told_by(self) -> dict[str, Search]:
        """Questions by their fingerprints, by those of their grids, or of who takes part."""
        columns = {"question": told.c.key, "grid": told.c.grid_key, "people": told.c.people_key}
        return {what: self._search(select(*_TOLD), column) for what, column in columns.items()}

    def _search(self, found: Select[Any], column: ColumnElement[Any]) -> Search:
        one, some = (found.where(self._among(column, one=one)) for one in (True, False))
        return Search(self._text(one), self._text(some))

    @cached_property
    def all_told(self) -> str:
        """All questions."""
        return self._text(select(told))

    @cached_property
    def put_told(self) -> str:
        """A question that was charged for; the first charge stands, if it is for the same question.

        Another one that happens to have its key would lose its text, which the table refuses.
        """
        insertion = postgresql.insert(told) if self.is_postgresql else sqlite.insert(told)
        same = case((told.c.question == insertion.excluded.question, told.c.question))
        return self._text(
            insertion.on_conflict_do_update(index_elements=[told.c.key], set_={"question": same})
        )

    @cached_property
    def answer(self) -> str:
        """Set the answer of a question that has none."""
        same = (told.c.key == bindparam("of_key")) & (told.c.question == bindparam("of_question"))
        here = same & told.c.answer.is_(None)
        new: dict[str, BindParameter[Any]] = {name: bindparam(name) for name in ("answer", "answered")}
        return self._text(update(told).where(here).values(new))
