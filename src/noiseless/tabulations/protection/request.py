"""What a user asks to protect: tables as the reader takes them, rules, a method, weights."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.errors import RequestError
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.awareness import awareness
from noiseless.tabulations.protection.categories import MergedCategories
from noiseless.tabulations.protection.core import protect
from noiseless.tabulations.protection.intervals import PartialSuppression
from noiseless.tabulations.protection.method import ProtectionMethod
from noiseless.tabulations.protection.outcome import TableProtection
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.protection.rounding import ControlledRounding
from noiseless.tabulations.protection.suppression import CellSuppression
from noiseless.tabulations.reading import Names
from noiseless.tabulations.reading.request import TabulationRequest, read_request

MethodName = Literal["suppress", "intervals", "round", "merge", "all"]
VALUE = "value"
COUNT = "count"
TIME_LIMIT = 60.0


def protect_tables(
    tables: Any = None,  # noqa: ANN401 - any frame
    *,
    method: MethodName = "suppress",
    weights: Any = COUNT,  # noqa: ANN401 - any frame
    grid: int | Fraction | None = None,
    base: int | Fraction | None = None,
    relax: int = 0,
    ordered: Names | None = None,
    link: Sequence[Any] = (),
    rows: Names | None = None,
    cols: Names | None = None,
    value: str | None = None,
    totals: Names | Mapping[str, str | None] | None = None,
    flat: Names | None = None,
    told: Mapping[str, Any] | None = None,
    kind: Literal["count", "magnitude"] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    where: Mapping[str, str] | None = None,
    sheet: str | int | None = None,
    encoding: str | None = None,
    microdata: Any = None,  # noqa: ANN401 - any frame
    unit: str | None = None,
    bounds: tuple[int | Fraction, int | Fraction] | None = None,
    step: int | Fraction | None = None,
    secret: str | None = None,
    rules: Mapping[str, Any] | None = None,
    time_limit: float | None = TIME_LIMIT,
    aware: bool = False,
    reveal: bool = False,
) -> TableProtection:
    """Make true tables of counts or sums safe to publish, at the least loss.

    >>> import pandas as pd
    >>> people = pd.read_csv("patients.csv")
    >>> counts = pd.crosstab(people.sex, people.illness, margins=True)
    >>> protect_tables(counts, rules={"threshold": 3}).holds
    True

    Args:
        tables: the true figures, as `audit_tables` takes tables; None, where `microdata` makes them.
        method: `suppress` withholds figures, `intervals` publishes intervals on a grid, `round` multiples of
            a base that add up, `merge` larger categories; `all` compares them.
        weights: what withholding a figure costs: `count`, 1 each; `value`, its true value, which is not
            public; or a table of the same labels with the weights, such as last year's.
        grid: intervals end at multiples of this number; by default a power of 10 that the rules suggest.
        base: round to multiples of this number; by default the least that is safe.
        relax: how many bases further figures may move if the nearest multiples do not add up.
        ordered: the dimensions whose categories merge with their neighbours only; by default those whose
            labels begin with rising numbers.
        link: other tables of the same population to publish together with these.
        rows: the dimensions of the labels on the left; a crosstab names its own.
        cols: the dimensions of the labels above.
        value: the column of figures, where each row is one; of microdata, the column to add up.
        totals: the dimensions with a total, perhaps with its label; found by name if not given.
        flat: dimensions in which only the total is a sum of other labels.
        told: what marks mean: `zero`, `decimal`, `absent`.
        kind: counts, or magnitudes (sums of amounts).
        hierarchy: for each dimension that has one, a file or rows of names, each below the next.
        where: what the whole table is about, as labels of other dimensions.
        sheet: the sheet of an Excel file.
        encoding: what text files are encoded in, if not in UTF-8: `cp1252`, `latin-2`.
        microdata: the records behind the table.
        unit: the column of the records that identifies a contributor.
        bounds: the least and the largest value of a base cell.
        step: the resolution of magnitudes; by default the last decimal that unrounded ones show, or 1.
        secret: the dimension that people want to keep secret.
        rules: `threshold`, `p_percent`, `q_percent`, `dominance`, `coalition`.
        time_limit: take the best found after this many seconds, with its gap. None: no limit.
        aware: whether sensitive figures must also be safe from adversaries who know the rules and the method.
        reveal: name contributors as the records do; the result is then private.

    Raises:
        NoiselessError: something cannot be read, or does not fit together; one line says what and where.
    """
    request = read_request(
        [tables, *link] if link else tables,
        rows=rows,
        cols=cols,
        value=value,
        totals=totals,
        flat=flat,
        told=told,
        kind=kind,
        hierarchy=hierarchy,
        where=where,
        sheet=sheet,
        encoding=encoding,
        microdata=microdata,
        unit=unit,
        bounds=bounds,
        step=step,
        rules=rules,
        reveal=reveal,
    )
    return protect_request(
        request,
        method=method,
        weights=weights,
        grid=grid,
        base=base,
        relax=relax,
        ordered=ordered,
        secret=secret,
        time_limit=time_limit,
        aware=aware,
    )


def protect_request(
    request: TabulationRequest,
    *,
    method: str = "suppress",
    weights: Any = COUNT,  # noqa: ANN401 - any frame
    grid: int | Fraction | None = None,
    base: int | Fraction | None = None,
    relax: int = 0,
    ordered: Names | None = None,
    secret: str | None = None,
    time_limit: float | None = TIME_LIMIT,
    aware: bool = False,
) -> TableProtection:
    """The same for tables that were read; arguments as `protect_tables` has them."""
    rules = dict(request.rules)
    declared = rules.pop("secret", None)
    tables = TrueTables(
        request.publication,
        rules,
        request.contributions,
        declared if secret is None else secret,
        _costs(request, weights),
    )
    rounding = ControlledRounding(None if base is None else Fraction(base), relax)
    names = (ordered,) if isinstance(ordered, str) else None if ordered is None else tuple(ordered)
    chosen = _methods(method, grid, rounding, MergedCategories(names))
    if aware and len(chosen) > 1:
        raise RequestError(
            "aware: name one method, for the choice among several would give something away too"
        )
    deadline = Deadline.after(time_limit)
    found = protect(tables, chosen, time_limit)
    notes = (*request.notes, *_notes(tables, weights))
    finding = None
    if aware:
        kind = weights if isinstance(weights, str) else "given"
        finding = awareness(found.outcomes[0], chosen[0], kind, deadline)
    return replace(found, notes=notes, sources=request.sources, aware=finding)


def _methods(
    method: str, grid: int | Fraction | None, rounding: ControlledRounding, merged: MergedCategories
) -> list[ProtectionMethod]:
    made: dict[str, ProtectionMethod] = {
        "suppress": CellSuppression(),
        "intervals": PartialSuppression(None if grid is None else Fraction(grid)),
        "round": rounding,
        "merge": merged,
    }
    if method == "all":
        return list(made.values())
    if method not in made:
        raise RequestError(f"there is no method {method!r}; there are {', '.join(made)}, all")
    return [made[method]]


def _costs(request: TabulationRequest, weights: Any) -> FloatArray | None:  # noqa: ANN401 - any frame
    """The weights of all figures; None where each counts 1."""
    publication = request.publication
    if isinstance(weights, str) and weights == COUNT:
        return None
    if isinstance(weights, str) and weights == VALUE:
        return np.abs(publication.told_lower).astype(float)
    encoding = next((each.encoding for each in request.sources), None)
    is_file = isinstance(weights, str | Path)
    other = read_request(weights, encoding=encoding if is_file else None).publication
    known = dict(zip(other.row_names, other.told_lower.tolist(), strict=True))
    alone = len(other.tables) == len(publication.tables) == 1
    if alone:  # a file of its own may have a name of its own
        known = {(publication.tables[0].name, labels): found for (_, labels), found in known.items()}
    missing = [name for name in publication.row_names if name not in known]
    if missing:
        raise RequestError(f"weights: there is none for {', '.join(missing[0][1])} of {missing[0][0]!r}")
    return np.array([known[name] for name in publication.row_names], float)


def _notes(tables: TrueTables, weights: Any) -> list[str]:  # noqa: ANN401 - any frame
    found = list[str]()
    if isinstance(weights, str) and weights == VALUE:
        found.append(
            "weights are the true values, which are not public: which figures are withheld can tell "
            "something about them"
        )
    if tables.adversaries is None:
        found.append(
            "who contributed is not known, so nothing is promised about people who subtract their own part"
        )
    return found
