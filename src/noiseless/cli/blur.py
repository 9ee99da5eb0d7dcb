"""`noiseless blur`: hide a yes/no fact about each row by moving one column a little."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from noiseless.cli.options import (
    TABLES,
    FormatOption,
    Gaps,
    NamesOption,
    number_option,
    option,
    per_column,
    show,
    working,
)
from noiseless.cli.values import read_ranges
from noiseless.display import text_table

if TYPE_CHECKING:
    from noiseless.collection.blur.lattice import BlurredTable

HELP = """Hide a yes/no fact about each row by moving one column a little.

Examples:

  noiseless blur people.csv --hypothesis "weight >= 30*(height/100)**2" --max-change 5 --bounds weight=0:200
  --bounds height=50:250 -o blurred.csv

  noiseless blur pay.parquet --hypothesis "income > 50000" --max-change 2000 --bounds income=0:500000:100
  -o blurred.parquet
"""


HypothesisBounds = Annotated[
    list[str] | None,
    per_column("What a column of the hypothesis may hold; its step is 1 unless given.", "COL=LO:HI[:STEP]"),
]
DomainsOption = Annotated[Path | None, option("Declared domains, instead of --bounds.", "FILE")]
ModeOption = Annotated[
    Literal["stretch", "collapse"],
    option("Keep released values spread out, or release one value for each fibre."),
]


def blur_command(  # noqa: PLR0917 - typer calls it by keywords
    table: Annotated[str, typer.Argument(metavar="TABLE", help=TABLES)],
    hypothesis: Annotated[
        str, option("What to hide: a column compared with an expression of others.", "TEXT")
    ],
    max_change: Annotated[Decimal, number_option("--max-change", "D", "The most that a value may move.")],
    out: Annotated[Path, option("The blurred table (CSV, TSV, Parquet, JSON lines).", "OUT", "--out", "-o")],
    bounds: HypothesisBounds = None,
    schema: DomainsOption = None,
    mode: ModeOption = "stretch",
    missing: Annotated[Gaps, option("Drop rows without a value, or refuse them.")] = "error",
    names: NamesOption = None,
    output: FormatOption = "text",
) -> int:
    """Blur the table, write it, and say what that protects.

    Returns:
        The exit code: 0.
    """
    from noiseless.collection.blur.lattice import blur
    from noiseless.tables import open_table
    from noiseless.tables.replacement import check_table_output

    declared = read_ranges("--bounds", bounds)
    with working("blurring"):
        opened = open_table(table, names=names)
        check_table_output(out, opened.files)
        result = blur(
            opened,
            hypothesis,
            max_change=max_change,
            bounds=declared,
            schema=schema,
            mode=mode,
            missing=missing,
        )
        answer = result.to_dict()  # before anything is written: the declared range may divide by 0 somewhere
        result.write(out)
    show(output, {**answer, "out": str(out)}, f"{_text(result)}\n  {'written to':<15}  {out}")
    return 0


def _text(result: "BlurredTable") -> str:
    """What was done and what it protects, for people."""
    from noiseless.rules.base import number_text

    answer, mechanism = result.to_dict(), result.mechanism
    exact = answer["protected_share_exact"] or "a lower bound"
    privacy = [_down(answer[key], 4) for key in ("privacy_nats", "privacy_x_nats")]
    bits = [_down(_bits(answer[key]), 4) for key in ("privacy_nats", "privacy_x_nats")]
    rows = {
        "rows": f"{result.rows:,}" + (f" ({result.dropped:,} left out)" if result.dropped else ""),
        "protected rows": f"{result.protected_rows:,}: both answers stay possible",
        "other rows": f"{result.rows - result.protected_rows:,}: the answer can be read off",
        "protected share": f"{_down(100 * result.protected_share, 2)} % of the declared range ({exact})",
        "privacy": (
            f"{privacy[0]} nats ({bits[0]} bits) with reference h0(Y), {privacy[1]} ({bits[1]}) with h0(X)"
        ),
        "largest change": f"{number_text(result.max_change)} of {number_text(mechanism.max_change)} allowed",
        "mode": mechanism.mode,
    }
    return f"{_verdict(result)}\n{text_table('', rows)}"


def _verdict(result: "BlurredTable") -> str:
    fact = result.mechanism.hypothesis
    if not result.mechanism.census.merged_at_most:  # the share may be a lower bound, and that may be 0
        return f"NOTHING IS PROTECTED: within the declared bounds {fact} never depends on {fact.column}."
    if not result.protected_rows:
        return f"No row is near the boundary of {fact}: nothing was changed."
    rows = f"{result.protected_rows:,} row{'s' * (result.protected_rows != 1)}"
    return f"{fact} is hidden for {rows}; {result.moved:,} {'was' if result.moved == 1 else 'were'} moved."


def _bits(nats: float) -> Fraction | float:
    """Nats in bits, not rounded up: 1 / ln 2 is 1.44269504088896340..."""
    return nats if math.isinf(nats) else Fraction(nats) * Fraction("1.4426950408889634")


def _down(value: Fraction | float, places: int) -> str:
    """A promise, rounded down."""
    if math.isinf(value):
        return "inf"
    return f"{Decimal(math.floor(Fraction(value) * 10**places)).scaleb(-places):.{places}f}"
