"""Expressions of a row: their values and level sets over all combinations, beside sorting as many numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from measure import best_of
from noiseless.domain import Schema
from noiseless.questions.attributes import remembered
from noiseless.questions.derived import name_of
from noiseless.questions.sql.row_text import write_row
from noiseless.questions.sql.rows import read_derived
from page import Form, Part, Section, Table

_SCHEMA = """
[columns.x]
role = "private"
bounds = [0, {last}]
[columns.y]
role = "private"
bounds = [0, {last}]
step = 0.5
[columns.z]
role = "private"
type = "boolean"
"""

EXPRESSIONS = (
    "x > y",
    "x * y",
    "FLOOR(x / 100) + ROUND(y / 7, 1)",
    "CASE WHEN z THEN x WHEN y > 10 THEN y ELSE -1 END",
    "x / (y + 1)",
)


def rows(combinations: int = 10**6, repeats: int = 5) -> list[dict[str, Any]]:
    """One line an expression: everything is made anew."""
    side = int((combinations / 4) ** 0.5)
    text = _SCHEMA.format(last=side - 1)
    numbers = np.random.default_rng(0).integers(0, combinations, combinations)
    found = []
    for written in EXPRESSIONS:
        schema = Schema.parse(text)
        expression = read_derived(written, schema)
        name = name_of(write_row(expression), schema)

        def listed() -> None:
            schema.derived.forget()  # noqa: B023 - called at once
            remembered(name, expression, schema)  # noqa: B023 - called at once

        ours, sorting = best_of(repeats, listed, lambda: np.unique(numbers, return_inverse=True))
        column = remembered(name, expression, schema)
        found.append(
            {
                "expression": written,
                "combinations": column.listed,
                "values": column.size,
                "listed s": ours,
                "numpy.unique s": sorting * column.listed / combinations,
                "ratio": ours / (sorting * column.listed / combinations),
            }
        )
    return found


INTRODUCTION = """\
The values of an expression and which combinations of declared values have each, beside `numpy.unique` with
its inverse on as many numbers."""


def measured(form: Form) -> Iterator[Part]:
    """Up to the most combinations that are listed."""
    for combinations in form.sizes(10**4, 10**5, 10**6):
        yield Table(rows(combinations), f"{combinations:,} combinations")


SECTION = Section("expressions", "Expressions of a row", INTRODUCTION, measured)
