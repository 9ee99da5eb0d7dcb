"""The audit of a table by the releases that were made of it: each certificate says what a row reads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from noiseless.audits import TableAudit, audit
from noiseless.audits.auditor import Hierarchy
from noiseless.errors import RequestError, SourceError
from noiseless.releases.application import apply_release, checked_certificate, counted_source
from noiseless.tables import Table, open_table
from noiseless.tables.duckdb_table import at_hand
from noiseless.tables.engine import SOURCE, identifiers


def audit_releases(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    certificates: Sequence[Any],
    *,
    sensitive: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    unit: str | None = None,
    names: Sequence[str] | None = None,
    key: Sequence[str | Sequence[str]] | None = None,
    hierarchy: Mapping[str, Hierarchy] | None = None,
    class_level: int = 1,
) -> TableAudit:
    """Find out what several releases of one table give away together.

    Released tables do not say who is who; their certificates, applied to the original, do. A group of the
    audit is what a row reads in all of the releases: column `age` of the second one is `2.age`.

    Args:
        table: the original, with all columns of the certificates.
        certificates: the releases' certificates: JSON files, or as they are in memory.
        sensitive: the columns to protect; by default those that the releases hide.
        given: columns that an adversary knows from elsewhere.
        unit: the column that names a person, where a person can have several rows.
        names: the columns' names, for a text file without a header line.
        key: sets of released columns that an adversary may know, as for `audit`.
        hierarchy: classes of sensitive values, as for `audit`.
        class_level: the level of them that counts.

    Raises:
        NoiselessError: the table or a certificate is wrong, or a certificate is of another table.

    >>> original = pa.table({"age": [31, 32, 41, 42], "ward": list("nsns"), "illness": list("abab")})
    >>> from noiseless import release
    >>> by_age = release(original, sensitive="illness", public="age", min_posterior=2)
    >>> found = audit_releases(original, [by_age.certificate])
    >>> found.public, found.min_posterior
    (('1.age',), 2)
    """
    if not certificates or isinstance(certificates, str | Path):
        raise RequestError("releases are named by a list of their certificates; give at least one")
    hidden = dict.fromkeys(n for each in certificates for n in checked_certificate(each).columns.sensitive)
    protected = tuple(hidden) if sensitive is None else _tuple(sensitive)
    facts = list(dict.fromkeys((*protected, *_tuple(given or ()), *([unit] if unit else []))))
    known = at_hand(open_table(table, names=names))
    known.require(*facts)
    opened, _ = known.owned(known.columns)  # rows are matched by their place: a relation is computed once
    columns = {
        f"{number}.{name}": column
        for number, each in enumerate(certificates, 1)
        for name, column in _released(opened, each).items()
    }
    rows = at_hand(opened.select(facts)).arrow(f"SELECT {identifiers(facts)} FROM {SOURCE}")
    if clash := next((name for name in facts if name in columns), None):
        raise RequestError(f"column {clash!r} is named like a released one; rename it first")
    for name, column in columns.items():
        rows = rows.append_column(name, column)
    whole = replace(at_hand(open_table(rows)), label=opened.label, files=opened.files)
    found = audit(
        whole,
        sensitive=protected,
        public=list(columns),
        given=given,
        unit=unit,
        key=key,
        hierarchy=hierarchy,
        class_level=class_level,
    )
    if not isinstance(found, TableAudit):
        raise TypeError("an audit of rows on this machine is a TableAudit")
    return replace(found, releases=len(certificates))


def _tuple(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _released(table: Table, certificate: Any) -> dict[str, pa.ChunkedArray]:  # noqa: ANN401 - of any form
    """What each row of the original reads in a release, in the original's order."""
    label = str(certificate) if isinstance(certificate, str | Path) else "a certificate"
    claimed = checked_certificate(certificate)
    if claimed.options.distinct_rows:
        raise SourceError(
            label, "is of rows without duplicates, which are no people; audit these by themselves"
        )
    source, lacking = counted_source(table, claimed, keep_order=True)
    if source.dropped:
        raise SourceError(label, "leaves rows out (--missing drop); audit the table without them")
    if lacking or source.digest != claimed.original.digest:
        raise SourceError(label, "is of another table; name the one that the release was made from")
    done = apply_release(table, certificate, keep_order=True)
    return {name: done.table.column(name) for name in done.table.column_names}
