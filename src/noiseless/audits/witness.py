"""Witnesses: the groups that give a person away, named by row number and, only on request, by value."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from noiseless.display import json_value
from noiseless.exact import Bits

if TYPE_CHECKING:
    from noiseless.audits.table_audit import TableAudit

SHOWN = 10
"""How many groups are shown."""

VALUES_SHOWN = 10
"""How many of a group's possible sensitive values are shown."""


@dataclass(frozen=True)
class Witness:
    """A group that gives much away.

    Attributes:
        target: the sensitive column.
        size: how many rows (persons) are in the group.
        posterior: how many sensitive values it leaves possible.
        leaked: the bits it gives away.
        first_row: the number of a row in the group, counted from 1; None when rows have no numbers.
        values: the group's public values, if asked for.
        possible: the sensitive values it leaves possible (the first few), if asked for.
    """

    target: str
    size: int
    posterior: int
    leaked: Bits
    first_row: int | None
    values: dict[str, Any] | None = None
    possible: tuple[Any, ...] | None = None

    @property
    def homogeneous(self) -> bool:
        """Whether all its members share one sensitive value."""
        return self.posterior == 1

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        plain: dict[str, Any] = {
            "target": self.target,
            "size": self.size,
            "posterior": self.posterior,
            "leaked": self.leaked.upper,
            "homogeneous": self.homogeneous,
            "first_row": self.first_row,
        }
        if self.values is not None and self.possible is not None:
            plain["values"] = {c: json_value(v) for c, v in self.values.items()}
            plain["possible"] = [json_value(v) for v in self.possible]
        return plain


def witnesses(audit: "TableAudit", *, reveal: bool) -> tuple[Witness, ...]:
    """The most telling groups for the worst sensitive column."""
    exposure = audit.worst
    joint, seen = exposure.census.joint, audit.seen
    chosen = exposure.most_telling(SHOWN)
    pairs = audit.tally.project((*seen, *exposure.target))
    starts = joint.starts[chosen]
    columns = {c: pairs.coding(c).decode(pairs.codes(c)[starts]) for c in seen}
    if audit.ruling is None:
        rows = audit.table.locate(columns, audit.needed)
    else:  # the rows read otherwise than the group that they are told as
        rows = audit.ruling.behind.first_rows(audit.table, chosen, audit.needed)
    telling = []
    for position, group in enumerate(chosen.tolist()):
        span = slice(joint.starts[group], min(joint.starts[group + 1], joint.starts[group] + VALUES_SHOWN))
        behind = [pairs.coding(c).decode(pairs.codes(c)[span]) for c in exposure.target] if reveal else []
        telling.append(
            Witness(
                target=exposure.name,
                size=int(exposure.census.group_sizes[group]),
                posterior=int(joint.posterior_sizes[group]),
                leaked=exposure.entropy - Bits(int(joint.posterior_sizes[group])),
                first_row=rows[position],
                values={c: shown(columns[c])[position] for c in seen} if reveal else None,
                possible=tuple(combined(behind)) if reveal else None,
            )
        )
    return tuple(telling)


def combined(columns: list[pa.Array]) -> list[Any]:
    """The values of one column, or the combinations of several."""
    values = [shown(column) for column in columns]
    return values[0] if len(values) == 1 else list(zip(*values, strict=True))


def shown(values: pa.Array) -> list[Any]:
    """Values as Python has them, or as text where it has none (days before the year 1, infinity)."""
    try:
        return list(values.to_pylist())
    except (OverflowError, ValueError):
        return list(values.cast(pa.string()).to_pylist())
