"""A small private table and the file of its curator, for tests."""

from pathlib import Path

FILE = """
[dataset]
name = "meters"
source = "meters.csv"
{dataset}
[budget]
bits = {bits}
query_bits = {query_bits}
{budget}
[columns.suburb]
role = "public"
categories = ["north", "south", "west"]
[columns.kwh]
role = "private"
bounds = [0, 10]
step = 0.5
[columns.solar]
role = "private"
type = "boolean"
[columns.heating]
role = "private"
categories = ["gas", "oil", "pump"]
"""

ROWS = (
    ("north", "1.5", "true", "gas"),
    ("north", "2", "false", "gas"),
    ("north", "8.5", "true", "pump"),
    ("south", "10", "true", "oil"),
    ("south", "0.5", "true", "gas"),
    ("south", "3", "false", "pump"),
    ("south", "3", "false", "gas"),
    ("west", "7", "true", "oil"),
)


def write_rows(folder: Path, rows: tuple[tuple[str, ...], ...] = ROWS, header: str = "") -> Path:
    """Write the table."""
    names = header or "suburb,kwh,solar,heating"
    path = folder / "meters.csv"
    path.write_text("\n".join([names, *(",".join(row) for row in rows)]) + "\n")
    return path


def write_curator(
    folder: Path,
    *,
    bits: object = 6,
    query_bits: object = 1,
    budget: str = "",
    dataset: str = "",
    rows: tuple[tuple[str, ...], ...] = ROWS,
    header: str = "",
) -> Path:
    """Write the table and the curator's file; where that is."""
    write_rows(folder, rows, header)
    path = folder / "curator.toml"
    path.write_text(FILE.format(bits=bits, query_bits=query_bits, budget=budget, dataset=dataset))
    return path
