"""A game's results as a readable table, in a terminal and in a notebook."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from noiseless.display import html_rows

_LAST = ("score", "low", "high")
"""Columns at the end; everything else that tells results apart stands before them."""
_PAID = ("budget", "charged")
"""Columns of bits that are paid: rounded up, as everywhere."""


def as_text(title: str, results: Sequence[Mapping[str, Any]], shown: Sequence[str] = ()) -> str:
    """A title and a line a result.

    >>> print(as_text("a game", [{"budget": 1.0, "score": 0.5, "low": 0.4, "high": 0.6, "rounds": 9}]))
    a game
      budget  score   95 % interval
           1  0.500  0.400 to 0.600
    """
    rows = _rows(results, shown)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join([title, *(f"  {line}" for line in lines)])


def as_html(title: str, results: Sequence[Mapping[str, Any]], shown: Sequence[str] = ()) -> str:
    """The same as a small HTML table."""
    return html_rows(_rows(results, shown), title)


def _rows(results: Sequence[Mapping[str, Any]], shown: Sequence[str]) -> list[list[str]]:
    """The names of columns, then a row a result."""
    every = dict.fromkeys(name for one in results for name in one)
    names = ["budget", *shown] if shown else [name for name in every if _differs(name, results)]
    rows = [[name.replace("_", " ") for name in names] + ["score", "95 % interval"]]
    for one in results:
        interval = f"{one['low']:.3f} to {one['high']:.3f}" if one["low"] < one["high"] else "exact"
        rows.append([_cell(name, one.get(name, "")) for name in names] + [f"{one['score']:.3f}", interval])
    return rows


def _differs(name: str, results: Sequence[Mapping[str, Any]]) -> bool:
    """The budget, and what is short and differs between results."""
    if name in _LAST:
        return False
    values = [one.get(name) for one in results]
    short = all(isinstance(value, str | int | float | None) for value in values)
    return short and (name == "budget" or len(set(values)) > 1)


def _cell(name: str, value: Any) -> str:  # noqa: ANN401 - a number, a text or nothing
    """A number, a text or nothing as it is shown.

    >>> _cell("budget", 1.2223924), _cell("hit", 1.2223924), _cell("budget", 1.585)
    ('1.23', '1.222', '1.585')
    """
    if isinstance(value, float):
        short = f"{value:.4g}"
        return f"{ceil(value * 100) / 100:g}" if name in _PAID and float(short) != value else short
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)
