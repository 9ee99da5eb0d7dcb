"""The audit in one sentence that a data steward can read out, and in a few lines."""

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow.types as pt

from noiseless.display import counted, percent_above, singular, verb
from noiseless.tables.spellings import spelling_texts

if TYPE_CHECKING:
    from noiseless.audits.exposure import Exposure
    from noiseless.audits.result import Audit


def verdict(audit: "Audit") -> str:
    """What the release gives away about the sensitive column that fares worst."""
    worst = audit.worst
    name, total = worst.name, worst.sensitive_values
    if total == 1:
        return (
            f"NOTHING TO PROTECT: {name} has the same value in every row; anyone known to be in the table "
            "has it, and no release can hide that."
        )
    if worst.min_posterior == 1:
        exposed = worst.homogeneous_persons
        heads, groups = counted(audit.persons, audit.heads), counted(audit.public_values, "groups")
        own = "its" if exposed == 1 and audit.unit is None else "their"
        return (
            f"NOT PRIVATE: {exposed:,} of {heads} {verb(exposed, 'have')} {own} "
            f"{name} given away completely, in {worst.homogeneous_groups:,} of {groups}"
            f"{_told_apart(worst.components, name) if exposed < audit.persons else ''}."
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


def _added(audit: "Audit") -> str:
    if not audit.given:
        return "it leaks "
    return f"beyond {' and '.join(audit.given)}, it leaks "


def _told_apart(components: int, name: str) -> str:
    if components == 1:
        return ""
    return f", and every row reveals which of {components:,} classes its {name} falls into"


def summary(audit: "Audit") -> dict[str, str]:
    """The main numbers in words; what there is nothing to say of is left out."""
    ruling = None if audit.rules is None else audit.rules.ruling
    odds = audit.odds
    found = {
        "audited": (
            f"{audit.source}: {counted(audit.rows, 'rows')}, {counted(audit.public_values, 'groups')}"
        ),
        "missing": missing_text(audit),
        "left out": dropped_text(audit),
        "spellings": "; ".join(spelling_texts(audit.spellings)),
        "seen under": "" if ruling is None else ruling.seen_text,
        "totals published under": "" if ruling is None else ruling.totals_text,
        "total secret, H0": str(audit.entropy),
        "bits leaked, L0": str(audit.leakage),
        "always revealed, I*": str(audit.maximin),
        "fewest values left": f"{audit.min_posterior:,} of {counted(audit.sensitive_values, 'values')}",
        f"{audit.heads} in such groups": f"{audit.persons_at_min_posterior:,} of {audit.persons:,}",
        "fewest classes left": "" if audit.min_classes is None else f"{audit.min_classes:,}",
        "k-anonymity": f"{audit.k_anonymity:,}",
        "distinct l-diversity": f"{audit.distinct_l_diversity:,}",
        "homogeneous groups": (
            f"{audit.homogeneous_groups:,} ({counted(audit.homogeneous_persons, audit.heads)})"
        ),
        "best guess right": f"{percent_above(odds.best_guess)} (blind: {odds.blind_text})",
        f"{singular(audit.heads)} found": found_text(audit),
        "narrowest group": f"{width} wide" if (width := width_text(audit, audit)) else "",
    }
    return {name: text for name, text in found.items() if text}


def found_text(audit: "Audit") -> str:
    """How likely somebody is found who is known to be in the table."""
    worst, mean = map(percent_above, (audit.prosecutor_risk, audit.marketer_risk))
    return f"{worst} at worst, {mean} on average"


def width_text(audit: "Audit", target: "Exposure") -> str:
    """How far apart the sensitive numbers or dates of a group lie; empty for what is something else."""
    if target.width is None:
        return ""
    if target.width == 0:
        return "0"  # not "at least": the values of a group are one
    shown = Decimal(math.floor(target.width * 10**_PLACES)).scaleb(-_PLACES).normalize()
    kind = audit.kinds[target.target[0]]
    days = " days" if pt.is_temporal(kind) or pt.is_string(kind) else ""
    return f"at least {shown:,f}{days}"


_PLACES = 4
"""How many decimals a width is shown with."""

_MOST_LACKING = 5
"""This many columns with missing values are named."""


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
