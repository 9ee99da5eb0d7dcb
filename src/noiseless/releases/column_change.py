"""What a release did to one public column, and what became of some of its values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from noiseless.display import counted, html_table
from noiseless.search.merging import Length

Kind = Literal["number", "date", "category", "hierarchy"]


@dataclass(frozen=True)
class Example:
    """What became of some values of a column.

    Attributes:
        released: what is released, as text; None for a missing value.
        values: original values that read so (some of them, ascending), as text; None for a missing value.
        more: how many others do.
    """

    released: str | None
    values: tuple[str | None, ...]
    more: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {"released": self.released, "values": list(self.values), "more": self.more}

    def __str__(self) -> str:
        more = f" and {self.more:,} more" if self.more else ""
        return f"{', '.join(map(_shown, self.values))}{more} -> {_shown(self.released)}"


@dataclass(frozen=True, repr=False)
class ColumnChange:
    """What a release did to one public column.

    Attributes:
        name: the column.
        kind: `number`, `date`, `category` or `hierarchy`.
        before: how many different values it had.
        after: how many different values are released.
        changed_rows: in how many rows it reads otherwise.
        largest: the largest change of a number that is released, None for other kinds.
        mean: the mean change over the rows, None for other kinds.
        examples: what became of some values.
    """

    name: str
    kind: Kind
    before: int
    after: int
    changed_rows: int
    largest: Fraction | None
    mean: Fraction | None
    examples: tuple[Example, ...]

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "before": self.before,
            "after": self.after,
            "changed_rows": self.changed_rows,
            "largest": None if self.largest is None else float(self.largest),
            "mean": None if self.mean is None else float(self.mean),
            "examples": [example.to_dict() for example in self.examples],
        }

    def __repr__(self) -> str:
        told = [f"{self.kind}, {self.before:,} -> {counted(self.after, 'values')}"]
        told += [f"{counted(self.changed_rows, 'rows')} changed", *self._moved]
        return f"ColumnChange({self.name!r}: {', '.join(told)})"

    def _repr_html_(self) -> str:
        rows = {
            "kind": self.kind,
            "different values": f"{self.before:,} -> {self.after:,}",
            "rows changed": f"{self.changed_rows:,}",
            "how far": ", ".join(self._moved),
            "for example": "; ".join(map(str, self.examples)),
        }
        return html_table(self.name, {name: text for name, text in rows.items() if text})

    @property
    def _moved(self) -> list[str]:
        """How far values were moved; nothing for what has no distance."""
        unit = "days" if self.kind == "date" else ""
        changes = {"by up to": self.largest, "on average": self.mean}
        return [f"{how} {Length(x)} {unit}".strip() for how, x in changes.items() if x is not None]


def _shown(text: str | None) -> str:
    return "(missing)" if text is None else text
