"""The columns that games read: private ones by their declared domain, others as they stand in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.domain import CategoryColumn, Column, NumberColumn, Schema
from noiseless.errors import ColumnError, DomainError, EmptyTableError, RequestError, SchemaError
from noiseless.exact import Rational
from noiseless.questions.base import require_listable
from noiseless.tables import Missing, open_table, require_distinct
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.replacement import rewritten
from noiseless.tables.spellings import is_text
from noiseless.tables.tally import Tally
from noiseless.tables.written_forms import DECIMAL_COMMA

MissingRows = Literal["drop", "error"]
"""Rows without a value are left out, or an error."""

_DIGITS = 60
_LEAST = 2
"""A secret has at least this many values."""


@dataclass(frozen=True, eq=False)
class PrivateColumn:
    """The values people have in a private column.

    Attributes:
        name: of the column.
        domain: the values it may hold, numbered from 0.
        positions: the number of each person's value, ascending.
        alone: whether nobody else has the person's values of the public columns.
    """

    name: str
    domain: Column
    positions: IntArray
    alone: BoolArray

    @property
    def people(self) -> int:
        """How many there are."""
        return len(self.positions)

    @property
    def size(self) -> int:
        """How many values there can be."""
        return self.domain.size

    @property
    def step(self) -> Fraction:
        """The distance between neighbouring values.

        Raises:
            RequestError: it holds no numbers.
        """
        if not isinstance(self.domain, NumberColumn):
            raise RequestError(f"column {self.name!r} holds no numbers; give its bounds (--bounds LO HI)")
        return Fraction(self.domain.step)


def require_filtered(people: PrivateColumn) -> None:
    """Check that a curator can count by this column, before a game begins.

    Raises:
        ColumnError: it has too many possible values.
    """
    try:
        require_listable(people.name, people.size)
    except ColumnError as error:
        raise ColumnError(error.column, f"{error.problem}, and round the column to it first") from None


def positions_of(values: pa.Array, domain: Column) -> IntArray:
    """The number of each value, given that all lie in the domain."""
    coded = values.dictionary_encode()
    numbers = [domain.index(value) for value in coded.dictionary.to_pylist()]
    return np.asarray(np.array(numbers, np.int64)[coded.indices.to_numpy()])


def number_domain(bounds: tuple[Rational, Rational], step: Rational) -> NumberColumn:
    """A private column of numbers.

    Raises:
        RequestError: the bounds or the step make no sense.
    """
    fields = {"role": "private", "bounds": tuple(map(_decimal, bounds)), "step": _decimal(step)}
    try:
        return NumberColumn.model_validate(fields)
    except SchemaError as error:
        raise RequestError(f"the bounds or the step make no domain: {error}") from None


def _decimal(number: Rational) -> int | Decimal:
    """A fraction as the decimal that it is."""
    if not isinstance(number, Fraction):
        return number
    with localcontext(Context(prec=_DIGITS)):
        found = Decimal(number.numerator) / Decimal(number.denominator)
    if Fraction(found) != number:
        raise RequestError(f"{number} has no end as a decimal; bounds and steps are decimals")
    return found


def read_private(
    table: Any,  # noqa: ANN401 - any frame or source
    column: str,
    *,
    bounds: tuple[Rational, Rational] | None = None,
    step: Rational = 1,
    public: Sequence[str] = (),
    missing: MissingRows = "error",
    names: Sequence[str] | None = None,
) -> PrivateColumn:
    """The private values of a table's people, and who is alone in the public columns.

    Args:
        table: any table; a row is a person.
        column: the private column.
        bounds: the smallest and the largest number it may hold; without them the values that occur are
            taken for categories.
        step: the resolution of numbers.
        public: columns that everybody knows; without any, everybody is taken to be known by something.
        missing: whether rows without a value are left out or an error.
        names: the columns' names, for text files without a header line.

    Raises:
        DomainError: values lie outside the domain; they are counted, never shown.
        RequestError: the domain has a single value: there is no secret.
    """
    require_distinct(column=[column], public=public)
    opened = cast("DuckDBTable", open_table(table, names=names)).select([*public, column])
    opened = opened.with_missing([column], missing)
    domain: Column | None = None
    if bounds is not None:
        domain = number_domain(bounds, step)
        schema = Schema({column: domain})
        if count := opened.strangers(schema, [column])[column]:
            raise _misfit(opened.tally([column]), column, domain, count)
        opened = opened.conform(schema, [column])
    tally = opened.tally([*public, column])
    if not len(tally):
        raise EmptyTableError(f"{opened.label}: there is no row to play with")
    codes, place = np.unique(tally.codes(column), return_inverse=True)
    values = tally.coding(column).decode(codes).to_pylist()
    if domain is None:
        texts = [str(value) for value in values]
        if len(texts) < _LEAST:
            raise RequestError(f"column {column!r} has one value only: there is no secret to find out")
        domain = CategoryColumn.model_validate({"role": "private", "categories": texts})
        numbers = [domain.index(text) for text in texts]
    else:
        numbers = [domain.index(value) for value in values]
    if domain.size < _LEAST:
        raise RequestError(f"column {column!r} has one possible value: there is no secret to find out")
    positions = np.array(numbers, np.int64)[place]
    alone = np.ones(len(tally), bool)
    if public:
        _, group, members = np.unique(tally.prefix(len(public)), return_inverse=True, return_counts=True)
        alone = (members[group] == 1) & (tally.counts == 1)
    order = np.argsort(positions, kind="stable")
    repeats = tally.counts[order]
    return PrivateColumn(
        column, domain, np.repeat(positions[order], repeats), np.repeat(alone[order], repeats)
    )


def _misfit(tally: Tally, column: str, domain: NumberColumn, count: int) -> ColumnError:
    """Why some values are not in their domain: they are texts, out of bounds, or between two steps."""
    values = tally.decode(column)
    if is_text(values.type):
        written = pc.fill_null(pc.match_substring_regex(values, DECIMAL_COMMA), False)
        commas = int(tally.counts[written.to_numpy(zero_copy_only=False)].sum())
        remedy = "blank or mend those that are no numbers"
        if commas:
            remedy = f"{commas:,} have decimal commas: {remedy}, if any, and read the file with --decimal ,"
        return ColumnError(column, f"holds texts, not numbers; {remedy}")
    if not (pt.is_integer(values.type) or pt.is_floating(values.type) or pt.is_decimal(values.type)):
        return ColumnError(column, "does not hold numbers; leave its bounds out")
    numbers = np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    low, high = domain.value(0), domain.value(domain.size - 1)
    beyond = int(tally.counts[(numbers < float(low)) | (numbers > float(high))].sum())
    if beyond:
        return DomainError(column, beyond, f"{low}..{high}", "declare wider bounds")
    remedy = "round the column to the step first, or declare a finer step"
    return DomainError(column, count, f"the steps of {domain.step} from {low}", remedy)


def read_columns(
    source: Any,  # noqa: ANN401 - anything that open_table opens
    columns: Sequence[str],
    *,
    missing: Missing = "error",
    names: Sequence[str] | None = None,
) -> pa.Table:
    """Some columns of a table, rows in their order.

    Args:
        source: a file, a glob, a database table, any frame.
        columns: the columns.
        missing: a missing value is an "error", its row is left out ("drop"), or it stays ("value").
        names: the columns' names, for text files without a header line.

    Raises:
        EmptyTableError: no row is left.
        NoiselessError: the table cannot be read, or lacks a column.
    """
    table = open_table(source, names=names)
    require_distinct(column=columns)
    chosen = table.select(columns).with_missing(columns, missing)
    found = rewritten(chosen, lambda batch: batch, {})
    if not len(found):
        raise EmptyTableError(f"{table.label}: there is no row to play with")
    return found


def as_floats(table: pa.Table, column: str) -> FloatArray:
    """A column of numbers as floats.

    Raises:
        ColumnError: it holds something else.
    """
    values = table.column(column)
    if not (pt.is_integer(values.type) or pt.is_floating(values.type) or pt.is_decimal(values.type)):
        raise ColumnError(column, "does not hold numbers; name a column of numbers")
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), np.float64)
