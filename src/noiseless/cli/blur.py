"""`noiseless blur`: hide a yes/no fact about each row by moving one column a little."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import (
    Format,
    FormatOption,
    NamesOption,
    columns_before_equals,
    print_json,
    say,
    split_names,
    working,
)

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from noiseless.collection.blur.lattice import BlurredTable

HELP = """Hide a yes/no fact about each row by moving one column a little; the rest of the table stays.

Examples:

  noiseless blur people.csv --hypothesis "weight >= 30*(height/100)**2" --max-change 5 --bounds weight=0:200
  --bounds height=50:250 -o blurred.csv

  noiseless blur pay.parquet --hypothesis "income > 50000" --max-change 2000 --bounds income=0:500000:100
  -o blurred.parquet
"""


class Mode(StrEnum):
    """How values near the boundary are merged."""

    stretch = "stretch"
    collapse = "collapse"


class MissingRows(StrEnum):
    """What happens to rows without a value."""

    drop = "drop"
    error = "error"


def blur_command(  # noqa: PLR0917 - typer calls it by keywords
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV, TSV, JSON-lines, Parquet or Excel file, a glob, or duckdb:///file.db::table.",
        ),
    ],
    hypothesis: Annotated[
        str,
        typer.Option(
            "--hypothesis",
            metavar="TEXT",
            help="What to hide: a column compared with an expression of others.",
        ),
    ],
    max_change: Annotated[
        str, typer.Option("--max-change", metavar="D", help="The most that a value may move.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="OUT", help="The blurred table (CSV, TSV, Parquet, JSON lines)."),
    ],
    bounds: Annotated[
        list[str] | None,
        typer.Option(
            "--bounds",
            metavar="COL=LO:HI[:STEP]",
            autocompletion=columns_before_equals,
            help="What a column of the hypothesis may hold; its step is 1 unless given.",
        ),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="Declared domains, instead of --bounds.")
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option("--mode", help="Keep released values spread out, or release one value a fibre."),
    ] = Mode.stretch,
    missing: Annotated[
        MissingRows, typer.Option("--missing", help="Leave rows without a value out, or refuse them.")
    ] = MissingRows.error,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> int:
    """Blur the table, write it, and say what that protects.

    Returns:
        The exit code: 0.
    """
    from noiseless.collection.blur.lattice import blur
    from noiseless.tables import open_table
    from noiseless.tables.replacement import check_table_output

    declared = _bounds(bounds or [])
    change = _number(max_change, "--max-change")
    with working("blurring"):
        opened = open_table(table, names=split_names(names))
        check_table_output(out, opened.files)
        result = blur(
            opened,
            hypothesis,
            max_change=change,
            bounds=declared,
            schema=schema,
            mode=mode.value,
            missing=missing.value,
        )
        answer = result.to_dict()  # before anything is written: the declared range may divide by 0 somewhere
        result.write(out)
    if output is Format.json:
        print_json({**answer, "out": str(out)})
    else:
        say(f"{_text(result)}\n  {'written to':<15}  {out}")
    return 0


def _bounds(texts: list[str]) -> dict[str, tuple["Decimal", ...]]:
    """The domains that `--bounds` declares; a column's name may hold = and : itself."""
    from noiseless.errors import RequestError

    found: dict[str, tuple[Decimal, ...]] = {}
    for text in texts:
        name, sign, numbers = text.rpartition("=")
        parts = numbers.split(":")
        if not sign or not name or len(parts) not in (2, 3):
            raise RequestError(
                f"--bounds {text!r} is not COL=LO:HI or COL=LO:HI:STEP, such as weight=0:200:0.5"
            )
        if name in found:
            raise RequestError(f"--bounds are given twice for column {name!r}; give them once")
        found[name] = tuple(_number(part, "--bounds") for part in parts)
    return found


def _number(text: str, option: str) -> "Decimal":
    from decimal import Decimal, InvalidOperation

    from noiseless.errors import RequestError

    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise RequestError(f"{option}: {text!r} is not a number; write digits such as 5 or 0.5")
    return number


def _text(result: "BlurredTable") -> str:
    """What was done and what it protects, for people."""
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
        "largest change": f"{_decimal(result.max_change)} of {_decimal(mechanism.max_change)} allowed",
        "mode": mechanism.mode,
    }
    return "\n".join([_verdict(result), "", *(f"  {name:<15}  {value}" for name, value in rows.items())])


def _verdict(result: "BlurredTable") -> str:
    fact = result.mechanism.hypothesis
    if not result.mechanism.census.merged_at_most:  # the share may be a lower bound, and that may be 0
        return f"NOTHING IS PROTECTED: within the declared bounds {fact} never depends on {fact.column}."
    if not result.protected_rows:
        return f"No row is near the boundary of {fact}: nothing was changed."
    rows = f"{result.protected_rows:,} row{'s' * (result.protected_rows != 1)}"
    return f"{fact} is hidden for {rows}; {result.moved:,} {'was' if result.moved == 1 else 'were'} moved."


def _bits(nats: float) -> "Fraction | float":
    """Nats in bits, not rounded up: 1 / ln 2 is 1.44269504088896340..."""
    import math
    from fractions import Fraction

    return nats if math.isinf(nats) else Fraction(nats) * Fraction("1.4426950408889634")


def _down(value: "Fraction | float", places: int) -> str:
    """A promise, rounded down."""
    import math
    from decimal import Decimal
    from fractions import Fraction

    if math.isinf(value):
        return "inf"
    return f"{Decimal(math.floor(Fraction(value) * 10**places)).scaleb(-places):.{places}f}"


def _decimal(value: "Fraction") -> str:
    """An exact number as people write it, where it has an end."""
    from decimal import Decimal

    whole = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{whole:f}" if whole.as_integer_ratio() == value.as_integer_ratio() else str(value)
