"""Datasets as a server tells of them: what everybody may know."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from noiseless.amounts import Budget, Cost, budget_bits, rounded_down, rounded_up, shown_budget
from noiseless.client.frames import Listing
from noiseless.client.json_objects import JsonObject, bad
from noiseless.display import html_table, printable, text_table

_SHOWN = 12
"""This many categories are listed."""


@dataclass(frozen=True)
class TokenHolder:
    """Whose token it is.

    Attributes:
        name: who they are; the account of an analyst.
        role: owner or analyst.
        datasets: what the token is for.
        expires: when it ends by itself, if it does.
    """

    name: str
    role: str
    datasets: tuple[str, ...]
    expires: str | None


@dataclass(frozen=True)
class DatasetSummary:
    """A dataset in a list.

    Attributes:
        name: what it is called.
        rows: how many rows it has.
        version: the number of its version.
        budget: for the dataset, over all analysts together; None without end.
        spent: what all batches cost so far, for those who paid most.
        remaining: bits that are left, rounded down; None without end.
        remaining_outputs: the most outputs that a batch about everybody may still have; None without end.
    """

    name: str
    rows: int
    version: int
    budget: Budget | None
    spent: Cost
    remaining: float | None
    remaining_outputs: int | None


@dataclass(frozen=True)
class ColumnDescription:
    """What a column may hold.

    Attributes:
        name: what it is called.
        role: public or private.
        kind: number, category, boolean or date.
        size: how many values it may have.
        describe: its domain in words.
        bounds: the least and the largest value of a number or a date.
        step: between neighbouring values.
        categories: the values of a category.
        missing: what a missing value counts as; None if there must be none.
    """

    name: str
    role: str
    kind: str
    size: int
    describe: str
    bounds: tuple[Decimal, Decimal] | tuple[date, date] | None = None
    step: Decimal | None = None
    categories: tuple[str | int, ...] | None = None
    missing: Any = None


@dataclass(frozen=True)
class QueryDescription:
    """A query that the owner declares.

    Attributes:
        name: SELECT name() asks it.
        columns: the private columns that it depends on.
        definition: what it is, in words.
    """

    name: str
    columns: tuple[str, ...]
    definition: str


@dataclass(frozen=True, repr=False)
class DatasetDescription:
    """All that an analyst may know of a dataset.

    Attributes:
        name: what it is called.
        version: the number of its version.
        digest: of the version's data, made with a secret key.
        rows: how many rows it has.
        unit: the column that names a person; None where a row is one.
        max_rows: the most rows that a person may have.
        columns: what they may hold.
        budget: for the dataset, over all analysts together; None without end.
        query_budget: what a question may spend unless it says otherwise.
        analyst_budget: what the questions of one analyst may spend; None without end.
        min_group: the smallest group that a filtered mean is told for.
        spent: what all batches cost so far, for those who paid most.
        remaining: bits that are left, rounded down; None without end.
        remaining_outputs: the most outputs that a batch about everybody may still have; None without end.
        analyst_spent: what the caller's own batches made the dataset pay.
        warnings: what is not protected, if anything.
        queries: what the owner lets analysts ask by a name.
    """

    name: str
    version: int
    digest: str
    rows: int
    unit: str | None
    max_rows: int
    columns: tuple[ColumnDescription, ...]
    budget: Budget | None
    query_budget: Budget | None
    analyst_budget: Budget | None
    min_group: int | None
    spent: Cost
    remaining: float | None
    remaining_outputs: int | None
    analyst_spent: Cost
    warnings: tuple[str, ...] = ()
    queries: tuple[QueryDescription, ...] = ()

    def __repr__(self) -> str:
        facts = {printable(name): printable(value) for name, value in self._facts().items()}
        return "\n".join([text_table(printable(self._title()), facts), *map(printable, self.warnings)])

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._facts())

    def _title(self) -> str:
        left = "" if self.remaining is None else f", {rounded_down(self.remaining)} bits are left"
        return f"{self.name}, version {self.version}: {self.rows:,} rows; {self.spent} are spent{left}"

    def _facts(self) -> dict[str, str]:
        columns = {each.name: _told(each) for each in self.columns}
        persons = (
            {} if self.unit is None else {f"({self.unit})": f"a person, with at most {self.max_rows} rows"}
        )
        queries = {f"{each.name}()": each.definition for each in self.queries}
        return {**columns, **persons, **queries} or {"columns": "none"}


def _told(column: ColumnDescription) -> str:
    """What a column may hold, with the first of its values."""
    told = f"{column.describe}, {column.role}"
    if not column.categories:
        return told
    more = f", and {len(column.categories) - _SHOWN:,} more" if len(column.categories) > _SHOWN else ""
    return f"{told}: {', '.join(map(repr, column.categories[:_SHOWN]))}{more}"


def read_session(members: JsonObject) -> TokenHolder:
    """Whose token it is.

    Raises:
        BadReply: it is not well formed.
    """
    return TokenHolder(
        members.text("name"),
        members.text("role"),
        members.texts("datasets"),
        members.text_or_none("expires"),
    )


def read_datasets(members: JsonObject) -> Listing[DatasetSummary]:
    """All datasets that a token may see.

    Raises:
        BadReply: they are not well formed.
    """
    lines = tuple(map(_line, members.objects("datasets")))
    left = [None if line.remaining is None else rounded_down(line.remaining) for line in lines]
    columns: dict[str, list[object]] = {
        "name": [line.name for line in lines],
        "rows": [line.rows for line in lines],
        "version": [line.version for line in lines],
        "budget": [budget_bits(line.budget) for line in lines],
        "spent": [line.spent.upper for line in lines],
        "remaining": [line.remaining for line in lines],
    }
    shown = {
        "rows": [f"{line.rows:,}" for line in lines],
        "budget": [shown_budget(line.budget) for line in lines],
        "spent": [rounded_up(line.spent.upper) for line in lines],
        "remaining": [text or "none" for text in left],
    }
    title = f"{len(lines)} dataset{'s' * (len(lines) != 1)}; budgets in bits"
    return Listing(lines, title, columns, shown)


def read_dataset(members: JsonObject) -> DatasetDescription:
    """A dataset.

    Raises:
        BadReply: it is not well formed.
    """
    budgets = members.member("budget")
    return DatasetDescription(
        **_standing(members),
        digest=members.text("digest"),
        unit=members.text_or_none("unit"),
        max_rows=members.whole("max_rows"),
        columns=tuple(map(_column, members.objects("columns"))),
        budget=budgets.budget("bits"),
        query_budget=budgets.budget("query_bits"),
        analyst_budget=budgets.budget("analyst_bits"),
        min_group=budgets.whole_or_none("min_group"),
        analyst_spent=members.cost("analyst_spent"),
        warnings=members.texts("warnings"),
        queries=tuple(map(_query, members.objects("queries"))) if "queries" in members else (),
    )


def _query(members: JsonObject) -> QueryDescription:
    return QueryDescription(members.text("name"), members.texts("columns"), members.text("definition"))


def _line(members: JsonObject) -> DatasetSummary:
    return DatasetSummary(**_standing(members), budget=members.budget("budget"))


def _standing(members: JsonObject) -> dict[str, Any]:
    """What lists and datasets tell alike."""
    return {
        "name": members.text("name"),
        "version": members.whole("version"),
        "rows": members.whole("rows"),
        "spent": members.cost("spent"),
        "remaining": members.number_or_none("remaining"),
        "remaining_outputs": members.count_or_none("remaining_outputs"),
    }


def _column(members: JsonObject) -> ColumnDescription:
    kind = members.text("kind")
    return ColumnDescription(
        name=members.text("name"),
        role=members.text("role"),
        kind=kind,
        size=members.whole("size"),
        describe=members.text("describe"),
        bounds=_bounds(kind, members.texts("bounds_exact")) if "bounds_exact" in members else None,
        step=_decimal("step_exact", members.text("step_exact")) if "step_exact" in members else None,
        categories=_categories(members.values["categories"]) if "categories" in members else None,
        missing=members.values.get("missing"),
    )


def _bounds(kind: str, texts: tuple[str, ...]) -> tuple[Decimal, Decimal] | tuple[date, date]:
    try:
        low, high = texts
        if kind == "date":
            return date.fromisoformat(low), date.fromisoformat(high)
    except ValueError:
        bad("bounds_exact")
    return _decimal("bounds_exact", low), _decimal("bounds_exact", high)


def _decimal(name: str, text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        bad(name)


def _categories(values: object) -> tuple[str | int, ...]:
    if not isinstance(values, list) or not all(isinstance(each, str | int) for each in values):
        bad("categories")
    return tuple(values)
