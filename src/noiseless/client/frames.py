"""What replies have in common: frames for programs, aligned columns for people, tables for notebooks."""

from collections.abc import Sequence
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class Framed:
    """Something that can be made a frame of."""

    def to_arrow(self) -> "pa.Table":
        """The frame in pyarrow."""
        raise NotImplementedError

    def to_pandas(self) -> Any:  # noqa: ANN401 - a pandas DataFrame
        """The frame in pandas, which must be installed."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - a polars DataFrame
        """The frame in polars, which must be installed."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())


def plain(value: object) -> Any:  # noqa: ANN401 - whatever a frame holds
    """A value as frames hold it."""
    return float(value) if isinstance(value, Decimal) else value


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """A head and rows as lines."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]


def html(table: Sequence[Sequence[str]]) -> str:
    """A head and rows as a small HTML table."""
    if not table:
        return ""
    head, *rows = table
    names = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{names}</tr>{lines}</table>"
