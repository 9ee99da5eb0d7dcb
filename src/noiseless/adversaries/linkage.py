"""Linkage: anyone who knows the cells of a record's columns finds it when no other record has the same ones.

The game of [P1] V-C: each taxi trip is published as the cells of its origin and destination; a trip whose
pair of cells no other trip has can be pointed at by anyone who saw it begin and end.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
from flint import fmpz

from noiseless.adversaries.columns import as_floats, read_columns
from noiseless.adversaries.game import Budget, Game, Progress, Score, as_budgets, reach_of, reported
from noiseless.arrays import IntArray
from noiseless.collection.local.readings import encode, float_cells
from noiseless.collection.local.scalar import LocalQuantizer, describe
from noiseless.collection.local.vectors import LocalVector
from noiseless.errors import EmptyTableError, RequestError
from noiseless.exact import Rational
from noiseless.questions import Continuum, Span
from noiseless.ranges.quantizer import Uniform
from noiseless.tables import Missing

Split = Literal["even", "optimal"]
"""Equal bits for every column, or the cells with the smallest worst error."""

Outside = Literal["error", "drop", "clamp"]
"""What happens to values outside their domain: refused, their rows left out, or moved into it."""


MOST_BITS_A_COLUMN = 12
"""Without budgets the game is played for 1 up to this many bits a column."""


class LinkageCounts(NamedTuple):
    """What the groups of equal records say.

    Attributes:
        unique: how many records no other one is equal to.
        groups: how many different records there are.
        rows: how many records there are.
    """

    unique: int
    groups: int
    rows: int


def linkage(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    columns: Mapping[str, Span],
    *,
    budgets: Iterable[Budget | Rational | float | str] | None = None,
    split: Split | Sequence[Split] = "even",
    weights: Mapping[str, Rational] | None = None,
    outside: Outside = "error",
    missing: Missing = "error",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Game:
    """The share of records that are unique in the released columns, for each budget.

    Each column is released as its cell. The scores are exact: they are about the records of this table, not
    about a population that it might be drawn from (resampling rows would make equal ones and bias every
    score). In a larger table of the same kind fewer records are unique.

    >>> from noiseless.questions import Lattice
    >>> trips = pa.table({"from": [1, 2, 6, 7], "to": [7, 7, 1, 6]})
    >>> game = linkage(trips, dict.fromkeys(["from", "to"], Lattice.of(0, 7, 1)), budgets=[0, 2, 6])
    >>> [score.score for score in game.results]
    [0.0, 0.5, 1.0, 1.0]

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        columns: the columns to release, and the domain of each.
        budgets: the bits that a record may leak, all columns together; without them, 1 to 12 for each column.
        split: how to split them: "even" gives every column the same bits ([P1]), "optimal" the cells with the
            smallest worst error; or both, to compare them.
        weights: for the optimal split, what an error of 1 counts in a column; 1 where none is given.
        outside: values outside their domain are an "error", their rows are left out ("drop"), or they are
            moved into it ("clamp").
        missing: missing values are an "error", or their rows are left out ("drop").
        names: the columns' names, for text files without a header line.
        progress: called with the number of budgets done and their total.

    Raises:
        DomainError: values lie outside their domain.
        RequestError: no column is named, or an argument is unknown.
    """
    splits = _splits(split)
    if not columns:
        raise RequestError(
            "name the columns that an adversary sees, each with its bounds: --column COL=LO:HI"
        )
    if outside not in get_args(Outside) or missing == "value":
        raise RequestError(
            "values outside are refused, dropped or clamped, and missing ones refused or dropped"
        )
    wanted = as_budgets(
        range(len(columns), (MOST_BITS_A_COLUMN + 1) * len(columns), len(columns))
        if budgets is None
        else budgets
    )
    rows, left_out = _within(
        read_columns(table, list(columns), missing=missing, names=names), columns, outside
    )
    results = []
    for way, budget in reported(list(product(splits, wanted)), progress):
        told = _mechanism(columns, budget, way, weights)
        results.append(_score(budget, way, linked(_cells(told, rows)), told))
    whole = linked(rows.columns)
    results += [_score(None, way, whole, None) for way in splits]
    domains = {name: describe(span) for name, span in columns.items()}
    settings = {"columns": domains, "rows": len(rows), "left_out": left_out}
    return Game("linkage", "share of records that are unique", None, settings, tuple(results), ("split",))


def linked(columns: Sequence[IntArray | pa.ChunkedArray]) -> LinkageCounts:
    """Count the groups of rows that agree in every column.

    >>> linked([np.array([0, 0, 1]), np.array([5, 5, 5])])
    LinkageCounts(unique=1, groups=2, rows=3)
    """
    table = pa.table({str(number): column for number, column in enumerate(columns)})
    counts = table.group_by(table.column_names).aggregate([([], "count_all")])["count_all"].to_numpy()
    return LinkageCounts(int(np.count_nonzero(counts == 1)), len(counts), len(table))


def _splits(split: Split | Sequence[Split]) -> tuple[Split, ...]:
    found = (split,) if isinstance(split, str) else tuple(dict.fromkeys(split))
    if not found or any(way not in get_args(Split) for way in found):
        raise RequestError(f"a budget is split {' or '.join(get_args(Split))}")
    return found


def _within(rows: pa.Table, columns: Mapping[str, Span], outside: Outside) -> tuple[pa.Table, int]:
    """The rows whose values lie in their domains (or are moved there), and how many are left out."""
    kept = rows
    if outside == "drop":
        inside = np.ones(len(rows), bool)
        for name, span in columns.items():
            ends = float_cells(Uniform(Continuum.of(span.low, span.high), 1), "decimal")
            values = as_floats(rows, name)
            inside &= (values >= ends.low) & (values <= ends.high)
        kept = rows.filter(pa.array(inside))
        if not len(kept):
            raise EmptyTableError("no row lies within the bounds; declare wider ones")
    for name, span in columns.items():
        # One cell refuses exactly what many refuse.
        whole = LocalQuantizer.finest(span, 1, name)
        whole.check(encode(whole.quantizer, kept.column(name), "decimal"), clamp=outside == "clamp")
    return kept, len(rows) - len(kept)


def _mechanism(
    columns: Mapping[str, Span], budget: Budget, split: Split, weights: Mapping[str, Rational] | None
) -> LocalVector:
    """The cells of each column: as many outputs altogether as the budget allows, or fewer."""
    if split == "optimal":
        return LocalVector.finest(columns, reach_of(budget), weights)
    share = _root(budget, len(columns))
    parts = tuple(LocalQuantizer.finest(span, share, name) for name, span in columns.items())
    return LocalVector(parts, (Fraction(1),) * len(parts))


def _root(budget: Budget, columns: int) -> int:
    """The largest whole number whose power, with a factor for each column, is within the budget.

    >>> from noiseless.exact import Bits
    >>> _root(Fraction(8), 4), _root(Bits(26), 3), _root(Bits(27), 3)
    (4, 2, 3)
    """
    if isinstance(budget, Fraction):
        return reach_of(budget / columns)
    return int(fmpz(int(budget.ratio)).root(columns))


def _cells(told: LocalVector, rows: pa.Table) -> list[IntArray]:
    """The number of each value's cell; values outside were already refused, dropped or moved."""
    coded = [encode(part.quantizer, rows.column(part.name), "decimal") for part in told.parts]
    return [cells.codes.astype(np.int64) for cells in coded]


def _score(budget: Budget | None, split: Split, found: LinkageCounts, told: LocalVector | None) -> Score:
    """The share of records that can be pointed at for certain; a hit is picking one of those equal to it."""
    share = found.unique / found.rows
    details = {
        "split": split,
        "unique": found.unique,
        "groups": found.groups,
        "hit": found.groups / found.rows,
        "cells": None if told is None else list(told.cells),
    }
    return Score(budget, share, share, share, details)
