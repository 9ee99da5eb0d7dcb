"""The audit of a table, or of several releases of the same people together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from noiseless.audits.result import Audit
from noiseless.audits.sample import constant_weight
from noiseless.audits.table_audit import TableAudit, survey
from noiseless.errors import (
    ColumnError,
    EmptyTableError,
    MissingValuesError,
    NoColumnError,
    RequestError,
    UnknownColumnError,
)
from noiseless.tables import Missing, Table, Tally, key_columns, merge_spellings, open_table, require_distinct
from noiseless.tables.base import Roles
from noiseless.tables.coding import typed
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.hierarchies import ValueClasses
from noiseless.tables.spark_groups import SparkGroups
from noiseless.tables.text_source import TextSource

Hierarchy = Path | str | Mapping[str, Sequence[str]]
"""A file of a hierarchy, or what stands above each value."""

if TYPE_CHECKING:
    from noiseless.domain import Schema
    from noiseless.rules.application import ReleaseColumns
    from noiseless.rules.assignment import AssignedRule, Rules


def audit(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    sensitive: str | Sequence[str] | None = None,
    public: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    unit: str | None = None,
    missing: Missing = "value",
    distinct_rows: bool = False,
    schema: "Schema | Path | str | None" = None,
    clamp: bool = False,
    names: Sequence[str] | None = None,
    rule: "Rules | None" = None,
    key: Sequence[str | Sequence[str]] | None = None,
    weights: str | float | None = None,
    hierarchy: Mapping[str, Hierarchy] | None = None,
    class_level: int = 1,
) -> Audit:
    """Find out what a table gives away about its sensitive columns.

    Args:
        table: a file, a glob, a table of a database or of Spark, any frame; or a list of them: releases of
            the same people, audited together through their joint range; `unit` then identifies people.
        sensitive: the columns to protect; by default the schema's private ones.
        public: the columns an adversary sees; by default the schema's public ones, or without a schema all
            other columns of the table.
        given: columns an adversary knows from elsewhere (side information).
        unit: the column that identifies a person, where people can have several rows.
        missing: treat a missing value as one ordinary value ("value"), leave its row out ("drop"), or refuse
            it ("error").
        distinct_rows: drop exact duplicates of whole rows first.
        schema: declared domains to check the columns against.
        clamp: with a schema, move values outside the bounds to the nearest bound instead of refusing.
        names: the columns' names, for text files without a header line.
        rule: disclosure rules to apply first, as `age=round:5`, `min-cell:10` or `pay=p-percent:10`; one or
            several. The audit then covers the table as published under them.
        key: sets of public columns, each a list of names or a text like `age,sex`: what an adversary may know
            of a person. Policies are then checked for each key, not for all public columns at once.
        weights: for a sample: the column that says how many people a row stands for, or one number for all
            rows. `sample` then holds estimates for the population.
        hierarchy: for sensitive columns, the classes above each value: a file, or a mapping of values to
            their levels. `min_classes` is then the fewest classes that a group leaves possible.
        class_level: the level that gives the classes; 1 is directly above the values.

    Returns:
        What is given away: `min_posterior`, `leakage`, `k_anonymity` and more; `plot()` and `to_html()` show
        it, and `to_pandas()` has the risk of each row.

    Raises:
        NoiselessError: the table, a column or a combination of arguments is wrong; it says how to mend it.

    >>> import pyarrow as pa
    >>> patients = pa.table({"age": [31, 31, 52, 47], "ward": ["a", "a", "b", "b"]})
    >>> found = audit(patients, sensitive="age", public="ward")
    >>> found.min_posterior, found.k_anonymity, found.leakage, found.homogeneous_groups
    (1, 2, Bits(3), 1)
    """
    if missing not in get_args(Missing):
        raise RequestError(f"a missing value is one of {', '.join(get_args(Missing))}, not {missing!r}")
    declared = None if schema is None else _schema(schema)
    if clamp and declared is None:
        raise RequestError("there is nothing to clamp to; declare the bounds (--schema FILE)")
    sources = list(table) if isinstance(table, list | tuple) else [table]
    if not sources:
        raise RequestError("no table is given; name at least one")
    tables = [open_table(source, names=names) for source in sources]
    columns = tables[0].columns if len(tables) == 1 else ()
    if not sensitive and declared is None:
        raise NoColumnError("sensitive", columns if columns and tables[0].has_names else ())
    roles = _roles(declared, sensitive, public, given, unit, columns=columns)
    if len(tables) == 1:  # before the rules, which are matched with these names
        tables[0].require(*roles.sensitive, *roles.given, *roles.public)
    encoding = next((each.encoding for each in sources if isinstance(each, TextSource)), None)
    classes = _classes(hierarchy, class_level, roles, encoding)
    assigned, as_text = _assigned(rule, roles, len(sources))
    weights = None if weights is None else str(weights)
    weighing = _weight_column(weights, tables, roles, assigned)
    request = _ReadRequest(roles, declared, as_text, clamp, missing, distinct_rows, weighing)
    read = _read(tables, request)
    audited, seen = read.audited, read.seen
    as_seen = replace(roles, public=seen)
    keys = _keys(key, seen)
    values = _declared_values(declared, roles.sensitive)
    if isinstance(audited, SparkGroups):  # too many combinations for one machine
        on_spark = _on_spark(audited, as_seen, assigned, weights)
        return replace(on_spark, declared_values=values, classes=classes, keys=keys)
    tally, spellings = merge_spellings(_tally(audited, as_seen, weighing), roles.sensitive)
    ruling = None
    if assigned:
        from noiseless.rules.application import apply_rules

        ruling = apply_rules(tally, assigned, as_seen, _published(seen, request, len(tables)))
        tally = ruling.tally
    census, side = survey(tally, roles.sensitive, roles.given, seen, unit)
    return TableAudit(
        target=roles.sensitive,
        census=census,
        side=side,
        source=read.whole.label,
        public=seen,
        given=roles.given,
        unit=unit,
        tally=tally,
        table=read.whole,
        dropped=read.left_out() if missing == "drop" else 0,
        releases=len(tables),
        declared_values=values,
        ruling=ruling,
        spellings=spellings,
        keys=keys,
        weights=weights,
        classes=classes,
    )


def _roles(
    declared: "Schema | None",
    sensitive: str | Sequence[str] | None,
    public: str | Sequence[str] | None,
    given: str | Sequence[str] | None,
    unit: str | None,
    *,
    columns: Sequence[str],
) -> Roles:
    """The columns that are asked for, or else those that the schema declares, or all others of a table."""
    if unit is not None and not isinstance(unit, str):
        raise RequestError("a person is named by one column; give its name as unit")
    protected = _columns(sensitive, declared.private if declared else ())
    known = _columns(given, ())
    others = [column for column in columns if column not in (*protected, *known, unit)]
    seen = _columns(public, declared.public if declared else others)
    roles = Roles(protected, seen, known, unit)
    if not roles.sensitive:
        raise NoColumnError("sensitive")
    if not roles.public:
        raise NoColumnError("public")
    require_distinct(
        sensitive=roles.sensitive, public=roles.public, given=roles.given, unit=[unit] if unit else []
    )
    return roles


def _keys(asked: Sequence[str | Sequence[str]] | None, public: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The sets of columns that are asked for, of those that are public."""
    if isinstance(asked, str):
        raise RequestError(f"a key is one of several; write key=[{asked!r}]")
    keys = []
    for columns in asked or ():
        names = key_columns(columns) if isinstance(columns, str) else list(columns)
        for name in names:
            if name not in public:
                raise UnknownColumnError(name, tuple(public))
        keys.append(tuple(dict.fromkeys(names)))
    if not all(keys):
        raise RequestError("a key names at least one public column")
    return tuple(dict.fromkeys(keys))


def _classes(
    asked: Mapping[str, Hierarchy] | None, level: int, roles: Roles, encoding: str | None
) -> dict[str, ValueClasses]:
    """The classes of sensitive values, by their columns."""
    if not asked and level != 1:
        raise RequestError("--class-level is one of a hierarchy; name it (--hierarchy COLUMN=FILE)")
    for column in asked or ():
        if column not in roles.sensitive:
            raise RequestError(
                f"--hierarchy declares classes of sensitive columns, and {column!r} is none; leave it out"
            )
    return {
        column: ValueClasses.read(
            column, source if isinstance(source, Mapping) else Path(source), level, encoding
        )
        for column, source in (asked or {}).items()
    }


def _assigned(
    rule: "Rules | None", roles: Roles, releases: int
) -> tuple[tuple["AssignedRule", ...], tuple[str, ...]]:
    """The rules, each with its column, and the columns that they read as they are written."""
    if rule is None:
        return (), ()
    from noiseless.rules.assignment import assign, read_as_text

    assigned = assign(rule, roles, releases=releases)
    return assigned, read_as_text(assigned)


def _columns(asked: str | Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    if asked is None:
        return tuple(default)
    return (asked,) if isinstance(asked, str) else tuple(asked)


def _weight_column(
    weights: str | None, tables: Sequence[Table], roles: Roles, assigned: "Sequence[AssignedRule]"
) -> tuple[str, ...]:
    """The column of weights, unless it is public and read anyway; none where one number is for all rows.

    Raises:
        RequestError: what is audited is no rows of one table, each with a weight.
    """
    if weights is None:
        return ()
    if roles.unit is not None or assigned or len(tables) > 1:
        raise RequestError(
            "weights are of the rows of one table as it is; leave out units, rules and releases"
        )
    if weights not in tables[0].columns:
        if any(letter.isdecimal() for letter in weights):
            constant_weight(weights)
            return ()
        tables[0].require(weights)
    return () if weights in (*roles.given, *roles.public, *roles.sensitive) else (weights,)


def _tally(table: Table, roles: Roles, weights: Sequence[str] = ()) -> Tally:
    """The combinations of all columns in use, those seen or known first."""
    unit = () if roles.unit is None else (roles.unit,)
    tally = table.tally((*roles.given, *roles.public, *roles.sensitive, *unit, *weights))
    if not len(tally):
        raise EmptyTableError(f"{table.label}: there is no row to audit")
    for column in (*roles.sensitive, *roles.given, *roles.public):
        if tally.coding(column).size == 1:
            raise ColumnError(column, "has no value at all; leave it out")
    return tally


def _on_spark(
    groups: SparkGroups,
    roles: Roles,
    assigned: "Sequence[AssignedRule]",
    weights: str | None,
) -> Audit:
    from noiseless.audits.spark_audit import audit_on_spark

    if weights is not None:
        raise RequestError("weights are added up on this machine only; take fewer or coarser columns")
    if assigned:
        raise RequestError(
            f"{groups.label}: rules are applied on this machine, to at most {groups.most:,} distinct"
            " combinations; take fewer or coarser columns, or apply the rules on Spark first"
        )
    return audit_on_spark(groups, roles)


@dataclass(frozen=True)
class _ReadRequest:
    """What each table is to be read for, and how."""

    roles: Roles
    schema: "Schema | None"
    as_text: tuple[str, ...]
    clamp: bool
    missing: Missing
    distinct: bool
    weights: tuple[str, ...] = ()

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns that several releases have in common."""
        return (*self.roles.sensitive, *self.roles.given)

    def prepared(self, table: Table, columns: Sequence[str]) -> Table:
        """These columns of a table, held against the schema."""
        chosen, unit = self._selected(table, columns), self.roles.unit
        if unit is not None and (missing := chosen.count_missing(unit)):
            raise MissingValuesError(unit, missing, f"in {table.label} every row must say whose it is")
        if self.schema is None:
            return chosen
        declared = [c for c in columns if c in self.schema.columns and c != unit]  # a name is no quantity
        return chosen.conform(self.schema, declared, clamp=self.clamp)

    def _selected(self, table: Table, columns: Sequence[str]) -> Table:
        """These columns; of a text file some are read as they are written."""
        kept = [column for column in self.as_text if column in columns]
        if not (kept and table.textual and isinstance(table, DuckDBTable)):
            return table.select(columns)
        return typed(replace(table, textual=False).select(columns), kept)


@dataclass(frozen=True)
class _ReadTables:
    """All rows, those to be audited, the names of the public columns, and each table before and after."""

    whole: Table
    audited: Table
    seen: tuple[str, ...]
    parts: tuple[tuple[Table, Table], ...]

    def left_out(self) -> int:
        """How many rows are not audited because a value is missing."""
        return sum(before.count() - after.count() for before, after in self.parts)


def _read(tables: Sequence[Table], request: _ReadRequest) -> _ReadTables:
    """One table, or several releases as their join over persons; each is prepared by itself, before."""
    public, unit = request.roles.public, request.roles.unit
    _require_columns(tables, request)
    wanted, parts = (*request.shared, *public, *([unit] if unit else []), *request.weights), []
    alone = len(tables) == 1 and request.distinct
    whole = request.prepared(tables[0], wanted) if alone else None  # what is refused counts all of its rows
    for table in tables:
        columns = [column for column in wanted if column in table.columns]
        chosen = request.prepared(table.distinct_rows() if request.distinct else table, columns)
        parts.append((chosen, chosen.with_missing(columns, request.missing)))
    first, *others = (after for _, after in parts)
    if not others:
        return _ReadTables(parts[0][0] if whole is None else whole, first, public, tuple(parts))
    joined, seen = first.link(others, unit or "", request.shared, public)
    return _ReadTables(joined, joined, seen, tuple(parts))


def _require_columns(tables: Sequence[Table], request: _ReadRequest) -> None:
    """Check that releases name persons, and that each column is in one of them."""
    unit = request.roles.unit
    if unit is None and len(tables) > 1:
        raise RequestError(
            "several releases are audited person by person; name the column that identifies people "
            "(--unit COLUMN)"
        )
    for column in (*request.shared, *request.roles.public):
        if not any(column in table.columns for table in tables):
            known = tuple(dict.fromkeys(name for table in tables for name in table.columns))
            raise UnknownColumnError(column, known, from_text=not all(table.has_names for table in tables))
    if unit is not None:
        for table in tables:
            table.require(unit)


def _published(seen: Sequence[str], request: _ReadRequest, releases: int) -> "tuple[ReleaseColumns, ...]":
    """The public columns of each release, as the joined table calls them."""
    from noiseless.rules.application import ReleaseColumns

    if releases == 1:
        return (ReleaseColumns(tuple(seen)),)
    return tuple(
        ReleaseColumns(
            tuple(f"{number}.{c}" for c in request.roles.public if f"{number}.{c}" in seen),
            presence if (presence := f"in release {number}") in seen else None,
        )
        for number in range(1, releases + 1)
    )


def _schema(schema: "Schema | Path | str") -> "Schema":
    """A schema, or that of a file; without one nothing of schemas is loaded."""
    from noiseless.domain import Schema

    return schema if isinstance(schema, Schema) else Schema.read(schema)


def _declared_values(schema: "Schema | None", sensitive: Sequence[str]) -> int | None:
    """How many values the sensitive columns can take; a proposal, made from the data, does not say."""
    if schema is None or schema.proposal or any(column not in schema.columns for column in sensitive):
        return None
    return math.prod(schema.columns[column].size for column in sensitive)
