"""The audit in one sentence that a data steward can read out, and in a few lines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.display import counted, verb
from noiseless.tables import Tally

if TYPE_CHECKING:
    from noiseless.audits.result import Audit


def verdict(audit: "Audit") -> str:
    """What the release gives away about the sensitive column that fares worst."""
    worst = audit.worst
    name, total = worst.name, worst.sensitive_values
    if total == 1:
        return f"NOTHING TO PROTECT: {name} has the same value in every row."
    if worst.min_posterior == 1:
        exposed = worst.homogeneous_persons
        heads, groups = counted(audit.persons, audit.heads), counted(audit.public_values, "groups")
        own = "its" if exposed == 1 and audit.unit is None else "their"
        return (
            f"NOT PRIVATE: {exposed:,} of {heads} {verb(exposed, 'have')} {own} "
            f"{name} given away completely, in {worst.homogeneous_groups:,} of {groups}"
            f"{_told_apart(worst.components, name)}."
        )
    if worst.is_unrelated:
        return f"PRIVATE: every group leaves all {total:,} values of {name} possible; nothing leaks."
    return (
        f"PARTLY PRIVATE: no group narrows {name} to fewer than {worst.min_posterior:,} of {total:,} values; "
        f"{_added(audit)}at most {worst.leakage.rounded_up(2)} of {worst.entropy.rounded_up(2)} bits"
        f"{_told_apart(worst.components, name)}."
    )


ROWS = "The rows themselves, if they were published:"
"""What stands before a verdict about rows where only totals are told under a rule."""


def headline(audit: "Audit") -> str:
    """The verdict; where rules are about totals, which are no rows, first what the totals give away."""
    if audit.rules is None or not audit.rules.totals_verdict:
        return audit.verdict
    return f"{audit.rules.totals_verdict} {ROWS} {audit.verdict}"


def _seen_under(audit: "Audit") -> dict[str, str]:
    """The rules under which rows are seen, and those under which totals are told."""
    if audit.rules is None:
        return {}
    ruling = audit.rules.ruling
    found = {"seen under": ruling.seen_text, "totals told under": ruling.totals_text}
    return {name: text for name, text in found.items() if text}


def _added(audit: "Audit") -> str:
    if not audit.given:
        return "it gives away "
    return f"to what {' and '.join(audit.given)} tells it adds "


def _told_apart(components: int, name: str) -> str:
    if components == 1:
        return ""
    return f", and {components:,} classes of {name} can be told apart for certain"


def summary(audit: "Audit") -> dict[str, str]:
    """The main numbers in words."""
    return {
        "audited": (
            f"{audit.source}: {counted(audit.rows, 'rows')}, {counted(audit.public_values, 'groups')}"
        ),
        **_lacking(audit),
        **_spelt(audit),
        **_seen_under(audit),
        "bits there are, H0": str(audit.entropy),
        "bits leaked, L0": str(audit.leakage),
        "bits that every group tells, I*": str(audit.maximin),
        "fewest values left": f"{audit.min_posterior:,} of {counted(audit.sensitive_values, 'values')}",
        f"{audit.heads} in such groups": f"{audit.persons_at_min_posterior:,} of {audit.persons:,}",
        "k-anonymity": f"{audit.k_anonymity:,}",
        "distinct l-diversity": f"{audit.distinct_l_diversity:,}",
        "homogeneous groups": (
            f"{audit.homogeneous_groups:,} ({counted(audit.homogeneous_persons, audit.heads)})"
        ),
    }


_MOST_LACKING = 5
"""So many columns with missing values are named."""


def missing_text(audit: "Audit") -> str:
    """In how many rows columns are missing, and what that counts as; empty where none is."""
    missing = audit.missing
    if not missing:
        return ""
    rows = counted(audit.rows, "rows")
    if len(missing) == 1:
        ((column, number),) = missing.items()
        return f"{number:,} of {rows} {verb(number, 'have')} no {column}, counted as one more value"
    named = [f"{column} in {number:,}" for column, number in list(missing.items())[:_MOST_LACKING]]
    more = f"; {counted(others, 'columns')} more" if (others := len(missing) - len(named)) else ""
    return f"{', '.join(named[:-1])} and {named[-1]} of {rows}{more}, each counted as one more value"


def dropped_text(audit: "Audit") -> str:
    """How many rows are not audited; empty where all are."""
    return f"{counted(audit.dropped, 'rows')} with a missing value" if audit.dropped else ""


def _lacking(audit: "Audit") -> dict[str, str]:
    """What is said about missing values."""
    found = {"missing": missing_text(audit), "left out": dropped_text(audit)}
    return {name: text for name, text in found.items() if text}


def spelling_texts(spellings: Mapping[str, int]) -> list[str]:
    """For each column of which spellings count with another one, how many do.

    >>> spelling_texts({"illness": 2})
    ['2 values of illness differ from another one in spelling only, and count with it']
    """
    return [
        f"{counted(spare, 'values')} of {column} {verb(spare, 'differ')} from another one in spelling only, "
        f"and {verb(spare, 'count')} with it"
        for column, spare in spellings.items()
    ]


def _spelt(audit: "Audit") -> dict[str, str]:
    """What is said about spellings."""
    texts = spelling_texts(audit.spellings)
    return {"spellings": "; ".join(texts)} if texts else {}


def kinds_of(tally: Tally, columns: Sequence[str]) -> dict[str, pa.DataType]:
    """What some columns of a tally hold."""
    nobody = np.empty(0, np.int64)
    return {column: tally.coding(column).decode(nobody).type for column in columns}


def near_notes(kinds: Mapping[str, pa.DataType]) -> Iterator[str]:
    """A note on each sensitive column of numbers or dates: near ones are different.

    >>> list(near_notes({"pay": pa.float64(), "ward": pa.string()}))
    ['pay holds numbers, and near ones count as different: 41 and 42 are two values']
    """
    for column, kind in kinds.items():
        if pt.is_temporal(kind):
            yield f"{column} holds dates or times, and near ones count as different"
        elif pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
            yield f"{column} holds numbers, and near ones count as different: 41 and 42 are two values"
