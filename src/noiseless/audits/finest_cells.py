"""The finest cells that leave as many sensitive values possible as a rule does."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from noiseless.audits.census import Census
from noiseless.display import json_fields
from noiseless.errors import ColumnError
from noiseless.exact import Bits
from noiseless.rules.exact_values import as_moments, exact_values, ticks, ticks_of_day
from noiseless.rules.recoded_column import ColumnKind
from noiseless.tables import Tally
from noiseless.tables.base import Roles


@dataclass(frozen=True)
class FinestCells:
    """Contiguous cells of one public column, told by their middles: the least change for as many values left.

    They leave as many sensitive values possible as the rule does, so they leak no more by L0. By other
    measures they may be worse, which `maximin` and `k_anonymity` tell.

    Attributes:
        column: the public column.
        cells: how many there are.
        min_posterior: how many sensitive values the most telling cell leaves possible.
        leakage: L0, the bits that it gives away.
        maximin: I*, the bits that every group tells.
        k_anonymity: how many rows (persons) the smallest cell has.
        largest_change: how far a value is moved at most (in days, for dates).
        days: whether the column holds dates.
        scope: "all" where it is proved that no partition at all changes less, otherwise "contiguous".
    """

    column: str
    cells: int
    min_posterior: int
    leakage: Bits
    maximin: Bits
    k_anonymity: int
    largest_change: Fraction
    days: bool
    scope: str

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return json_fields(self, "days")


def finest_cells(raw: Tally, roles: Roles, posterior: int, told_as: ColumnKind | None) -> FinestCells | str:
    """The finest contiguous cells with at least this posterior, or why there are none to compare with.

    Args:
        raw: the combinations as the table has them.
        roles: the columns.
        posterior: how many sensitive values the rules leave possible.
        told_as: what the rules take the public column for; None where they do not change it.
    """
    if len(roles.public) > 1:
        return "there are several public columns; noiseless release looks for cells over all of them"
    if roles.given:
        return "the adversary knows more than the public column; noiseless release takes that into account"
    column = roles.public[0]
    groups = raw.project((column,))
    line = _line(column, groups.decode(column), told_as)
    if isinstance(line, str):
        return f"{column} {line}"
    census = Census.take(raw, (column,), roles.sensitive, roles.unit)
    return _finest(column, census, line, posterior)


def _finest(column: str, census: Census, line: "_Line", posterior: int) -> FinestCells:
    from noiseless.search.codebook import ColumnCodebook
    from noiseless.search.columns import Numbers
    from noiseless.search.loss import Length
    from noiseless.search.measures import measure
    from noiseless.search.optimum import ContiguousOptimum
    from noiseless.search.problem import Cells, Problem

    problem = Problem(census.joint, ColumnCodebook(Numbers(line.places)))
    optimum = ContiguousOptimum(problem, "distortion")
    labels = optimum.for_posterior(posterior)
    if labels is None:
        raise AssertionError("all values in one cell leave as many as there are")
    cells = Cells.from_labels(labels)
    found = measure(problem, cells)
    change = found.distortion or Length(0)
    return FinestCells(
        column,
        cells=found.cells,
        min_posterior=found.min_posterior,
        leakage=found.leakage,
        maximin=found.maximin,
        k_anonymity=int(census.heads_by(cells.cell_of).min()),
        largest_change=change.value / line.scale,
        days=line.days,
        scope="all" if change == optimum.least_of_any(posterior) else "contiguous",
    )


@dataclass(frozen=True)
class _Line:
    """Where values lie, in whole multiples of a part, and how many parts make one (a day, for dates)."""

    places: list[int]
    scale: int
    days: bool


def _line(column: str, values: pa.Array, told_as: ColumnKind | None) -> _Line | str:
    """Where the values of a column lie, or why they do not lie on a line."""
    if values.null_count:
        return "has missing values, which lie in no cell; leave them out with --missing drop"
    if told_as == "text" and not pt.is_string(values.type):
        return "is published as text, which has no order to cut into cells"
    if told_as == "date" and pt.is_string(values.type):
        values = as_moments(values)
    kind = values.type
    if pt.is_timestamp(kind):
        line = _Line([tick for tick in ticks(values) if tick is not None], ticks_of_day(kind), days=True)
        same = len(set(line.places)) < len(line.places)
        return "writes one moment in several ways" if same else line
    if not any(test(kind) for test in (pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_date)):
        return "is not a column of numbers or dates, so it has no order to cut into cells"
    try:
        return _Line(*_whole(exact_values(column, values)), days=pt.is_date(kind))
    except ColumnError as error:
        return error.problem


def _whole(values: Sequence[Any]) -> tuple[list[int], int]:
    """Numbers or days as whole multiples of a part, and how many parts make one."""
    if all(isinstance(value, int) for value in values):
        return list(values), 1
    if not all(isinstance(value, Decimal) for value in values):
        return [value.toordinal() for value in values], 1
    scale = 10 ** max(0, *(-value.as_tuple().exponent for value in values))
    return [int(Fraction(value) * scale) for value in values], scale
