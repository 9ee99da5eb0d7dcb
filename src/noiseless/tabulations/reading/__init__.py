"""Reading what people have: crosstabs, CSV and Excel files, hierarchies, records, ACRO's results."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.publication import Targets
from noiseless.tabulations.reading.request import TabulationRequest, read_request

__all__ = ["TabulationRequest", "audit_tables", "read_request"]

Names = str | Sequence[str]


def audit_tables(
    tables: Any,  # noqa: ANN401 - any frame
    *,
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
    below: int | None = None,
    bounds: tuple[int | Fraction, int | Fraction] | None = None,
    step: int | Fraction | None = None,
    secret: str | None = None,
    rules: Mapping[str, Any] | None = None,
    targets: Targets | None = None,
    time_limit: float | None = None,
    sharp: bool = True,
    reveal: bool = False,
) -> TabulationAudit:
    """What published tables of counts or sums give away for certain.

    >>> import pandas as pd
    >>> people = pd.read_csv("patients.csv")
    >>> counts = pd.crosstab(people.sex, people.illness, margins=True)
    >>> audit_tables(counts.mask(counts < 3)).holds
    False

    Args:
        tables: a pandas crosstab or pivot table (`All` are totals, NaN is withheld), any frame, a CSV or
            Excel file as published, a TOML file that names several tables, ACRO's results folder, a
            `Publication`; or None, where the table is made from `microdata`.
        link: other published tables of the same population.
        rows: the dimensions of the labels on the left; a crosstab names its own.
        cols: the dimensions of the labels above.
        value: the column of figures, where each row is one; of microdata, the column to add up.
        totals: the dimensions with a total, perhaps with its label; found by name if not given.
        flat: dimensions in which only the total is a sum of other labels, though another looks like one.
        told: what marks mean and how figures are rounded: `suppressed`, `zero`, `marks`, `rounded`,
            `decimal`, `below_from`, `absent`, `totals`.
        kind: counts, or magnitudes (sums of amounts).
        hierarchy: for each dimension that has one, a file or rows of names, each below the next.
        where: what the whole table is about, as labels of other dimensions.
        sheet: the sheet of an Excel file.
        encoding: what text files are encoded in, if not in UTF-8: `cp1252`, `latin-2`.
        microdata: the records behind the table.
        unit: the column of the records that identifies a contributor.
        below: for a table made from records: publish smaller figures as "less than this".
        bounds: the least and the largest value of a base cell.
        step: the resolution of magnitudes; by default the last decimal that unrounded ones show, or 1.
        secret: the dimension that people want to keep secret.
        rules: `threshold`, `p_percent`, `q_percent`, `dominance`, `coalition`.
        targets: named groups of base cells to be audited beside the figures.
        time_limit: stop after this many seconds; what is open then is undecided, never safe.
        sharp: whether to find the ends of all intervals, or only which figures are disclosed.
        reveal: name contributors as the records do; the result is then private.

    Raises:
        NoiselessError: something cannot be read, or does not fit together; one line says what and where.
    """
    found = read_request(
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
        below=below,
        bounds=bounds,
        step=step,
        rules=rules,
        reveal=reveal,
    )
    return found.audit(secret=secret, targets=targets, time_limit=time_limit, sharp=sharp)
