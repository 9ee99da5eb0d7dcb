"""An audit as plain text for a terminal."""

from collections.abc import Sequence

from noiseless.audits import Audit, Witness
from noiseless.audits.policy import PolicyResult
from noiseless.audits.verdict import ROWS
from noiseless.display import counted, text_table, verb
from noiseless.reports.audit_rows import closest_words, finest_text, key_rows
from noiseless.reports.notation import rounding_text, table, value_text, wrapped
from noiseless.tables.spellings import near_notes

_WITNESSES = 5

_HOW = {"missing": "--missing", "left out": "--missing drop"}
"""The options about what the summary says of missing values."""


def audit_text(audit: Audit, policy: PolicyResult | None = None, *, reveal: bool = False) -> str:
    """The verdict, the main numbers, what matters most, and where to look."""
    blocks = [
        *_headline(audit),
        _summary(audit),
        *_notes(audit),
        *_rules(audit),
        _several(audit),
        _side(audit),
        _suppressed(audit),
        _contributions(audit),
        _keys(audit),
        _witnesses(audit, audit.reveal_witnesses() if reveal else audit.witnesses),
        _policy(policy, totals=bool(audit.rules and audit.rules.totals)),
    ]
    return "\n\n".join(block for block in blocks if block)


def _headline(audit: Audit) -> list[str]:
    """The verdict; first what totals give away, where rules are about them."""
    rules = audit.rules
    if rules is None or not rules.totals:
        return [wrapped(audit.verdict)]
    header = (
        "",
        "published",
        "withheld",
        f"{audit.heads} in published",
        "closest estimate",
        "in the group of row",
    )
    rows = [
        (t.column, f"{t.told:,}", f"{t.withheld:,}", f"{t.contributors:,}", *closest_words(t))
        for t in rules.totals
    ]
    totals = table("What totals by group give away:", header, rows)
    return [wrapped(rules.totals_verdict), totals, wrapped(f"{ROWS} {audit.verdict}")]


def _summary(audit: Audit) -> str:
    found = audit.summary
    longest = max(map(len, found))
    indent = longest + len("    ")
    rows = {name: f"{text} ({_HOW[name]})" if name in _HOW else text for name, text in found.items()}
    lines = {name: wrapped(text, indent).replace("\n", "\n" + " " * indent) for name, text in rows.items()}
    title = ["All sensitive columns together:"] if len(audit.sensitive) > 1 else []
    return "\n".join([*title, *(f"  {name:<{longest}}  {text}" for name, text in lines.items())])


def _about(audit: Audit) -> str:
    """Which of several sensitive columns a table is about."""
    return f" about {audit.worst.name}" if len(audit.sensitive) > 1 else ""


def _notes(audit: Audit) -> list[str]:
    """How numbers are rounded, what would mend most, and what counts as a value."""
    near = near_notes(audit.kinds) if audit.worst.min_posterior > 1 else ()
    rounded = rounding_text(audit.entropy, audit.leakage, audit.maximin)
    return [
        wrapped(text) for text in (rounded, *audit.remedies, *(f"Note: {note}." for note in near)) if text
    ]


def _rules(audit: Audit) -> list[str]:
    rules = audit.rules
    if rules is None or not rules.ruling.changes_what_is_seen:
        return []
    from noiseless.audits.under_rules import rule_rows

    return [
        wrapped(rules.seen_verdict),
        table("What the rules change:", ("", "without", "with"), rule_rows(rules)),
        wrapped(finest_text(rules)),
    ]


def _several(audit: Audit) -> str:
    if len(audit.sensitive) == 1:
        return ""
    rows = [
        (name, f"{e.min_posterior:,} of {e.sensitive_values:,}", str(e.leakage), str(e.maximin))
        for name, e in audit.by_column.items()
    ]
    return table("Each sensitive column alone:", ("", "fewest values left", "leaked", "I*"), rows)


def _side(audit: Audit) -> str:
    side = audit.side_information
    if side is None:
        return ""
    known = ", ".join(audit.given)
    return text_table(
        f"The adversary knows {known}:",
        {
            "the release adds at most": str(audit.leakage),
            f"{known} alone gives away": str(side.leakage_alone),
            "both together give away": str(side.leakage_total),
            "the release alone would leak": str(side.leakage_without),
            "and leave at least": counted(side.min_posterior_without, "values"),
        },
    )


def _suppressed(audit: Audit) -> str:
    if not audit.suppressed_rows:
        return ""
    kept = audit.k_anonymity_unsuppressed
    count = audit.suppressed_rows
    they, them = ("It counts", "it") if count == 1 else ("They count", "them")
    without = "all are" if kept is None else f"without {them} k would be {kept:,}"
    return wrapped(
        f"{counted(count, audit.heads)} {verb(count, 'are')} suppressed (* in every public column). "
        f"{they} as a group, because suppression is visible; {without}."
    )


def _contributions(audit: Audit) -> str:
    if len(audit.public) == 1:
        return ""
    rows = [
        (
            c.column,
            str(c.leakage_alone),
            str(c.leakage_without),
            f"{c.min_posterior_without:,}",
            f"{c.spared:,}",
        )
        for c in audit.contributions
    ]
    header = ("", "leaks alone", "leak without it", "values left without it", f"{audit.heads} it pins down")
    return table(f"What each public column adds{_about(audit)}, worst first:", header, rows)


def _keys(audit: Audit) -> str:
    header = ("", "k", "fewest values left", "best guess right")
    rows = key_rows(audit)
    return table("What an adversary learns who knows only a key:", header, rows) if rows else ""


def _witnesses(audit: Audit, witnesses: Sequence[Witness]) -> str:
    shown = witnesses[:_WITNESSES]
    numbered = any(witness.first_row is not None for witness in shown)
    rows = []
    for witness in shown:
        cells = [f"{witness.size:,}", f"{witness.posterior:,}", str(witness.leaked)]
        if numbered:
            cells.insert(0, "" if witness.first_row is None else f"{witness.first_row:,}")
        if witness.values is not None and witness.possible is not None:
            cells.append(", ".join(f"{c}={value_text(v)}" for c, v in witness.values.items()))
            cells.append(", ".join(map(value_text, witness.possible)))
        rows.append(cells)
    header = ["row"] * numbered + [audit.heads, "values left", "leaked"]
    if shown and shown[0].values is not None:
        header += ["public values", f"possible {shown[0].target}"]
    how = " (find each by its first row)" if numbered else ""
    return table(f"The groups that give most away{_about(audit)}{how}:", header, rows)


def _policy(policy: PolicyResult | None, *, totals: bool) -> str:
    if policy is None:
        return ""
    header, *rows = policy.table
    about = " (it is about the rows, not about totals)" if totals else ""
    title = f"The policy is met{about}:" if policy.holds else f"THE POLICY IS NOT MET{about}:"
    return table(title, header, rows)
