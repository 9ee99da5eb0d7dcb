"""What each column is taken for, proposed with a reason, and a small picture of what it holds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from noiseless.domain import ColumnSummary

Role = Literal["identifier", "person", "public", "sensitive", "ignored"]

BARS = 24
"""How many bars a small picture has at most."""

_SECRETS = (
    "illness disease diagnosis diagnose condition symptom treatment therapy drug medication procedure "
    "outcome result salary income pay wage earnings debt loan default arrears overdue credit balance cost "
    "religion belief party politics vote ethnicity orientation conviction crime grade score hiv cancer "
    "pregnant disability"
)
_NAMES = (
    "name forename surname firstname lastname email mail phone telephone mobile address street ssn "
    "passport iban id uuid"
)
_PERSONS = (
    "person patient customer client user member household pupil student employee subject participant account"
)
_UNKNOWN = "nothing tells what it is: check whether others know it, or it is a secret"
_NUMBERS = frozenset(("id", "no", "nr", "number", "key", "code"))


@dataclass(frozen=True)
class RoleProposal:
    """A role and why."""

    role: Role
    reason: str


def words_of(name: str) -> set[str]:
    """The words of a column's name, in small letters.

    >>> sorted(words_of("patientId")), sorted(words_of("HIV_status"))
    (['id', 'patient'], ['hiv', 'status'])
    """
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def propose_role(column: ColumnSummary, rows: int) -> RoleProposal:
    """What a column is probably for; a person decides. The first reason that holds is given."""
    words, repeats = words_of(column.name), column.distinct < rows
    persons, many = set(_PERSONS.split()), column.distinct * 10 > rows
    candidates: tuple[tuple[bool, Role, str], ...] = (
        (column.distinct == 0, "ignored", "it holds nothing"),
        (column.distinct + bool(column.missing) == 1, "ignored", "every row has the same value"),
        (
            bool(words & set(_NAMES.split())) and column.distinct * 2 > rows,
            "identifier",
            "its name and its values point at one person",
        ),
        (not repeats and column.kind in ("text", "integer"), "identifier", "it is different in every row"),
        (
            bool(words & persons and (words & _NUMBERS or (words <= persons and many))),
            "person",
            "its name sounds like an identifier of people, and it repeats",
        ),
        (bool(words & set(_SECRETS.split())), "sensitive", "its name sounds like something to keep secret"),
    )
    fitting = [RoleProposal(role, reason) for holds, role, reason in candidates if holds]
    return fitting[0] if fitting else RoleProposal("public", _UNKNOWN)


def propose_roles(columns: Iterable[ColumnSummary], rows: int) -> dict[str, RoleProposal]:
    """A role for each column; no more than one of them tells people apart."""
    found, person = dict[str, RoleProposal](), False
    for column in columns:
        proposal = propose_role(column, rows)
        if proposal.role == "person":
            if person:
                proposal = RoleProposal("identifier", "another column identifies people already")
            person = True
        found[column.name] = proposal
    return found


def rules_for(column: ColumnSummary) -> dict[str, list[str]]:
    """Rules of the catalogue to choose from: for a public column, and for totals of a sensitive one."""
    totals = ["p-percent:10", "nk:2:85", "15/15"]
    if column.kind == "date":
        return {
            "public": [f"date:{period}" for period in ("month", "quarter", "year", "decade")],
            "sensitive": [],
        }
    if column.kind == "text":
        return {"public": ["prefix:1", "prefix:2", "prefix:3"], "sensitive": []}
    if column.kind == "boolean" or not isinstance(column.low, int | Decimal):
        return {"public": [], "sensitive": []}
    low, high = column.low, column.high if isinstance(column.high, int | Decimal) else column.low
    rounds = [f"round:{base}" for base in (5, 10, 100, 1000) if base <= high - low]
    ends = [f"{end}:{at}" for end, at in (("top", 90), ("bottom", 10)) if low < at < high]
    counts = ["census-counts"] if low >= 0 and column.kind == "integer" else []
    return {"public": [*rounds, "digits:1", "digits:2", *ends, *counts], "sensitive": totals}


def columns_in(roles: Mapping[str, str], *wanted: Role) -> list[str]:
    """The columns with some roles, in order."""
    return [name for name, role in roles.items() if role in wanted]


def described(column: ColumnSummary, bars: Sequence[int], proposal: RoleProposal) -> dict[str, Any]:
    """A column as the page shows it: no value of it but the ends of numbers and days."""
    return {
        "name": column.name,
        "kind": column.kind,
        "distinct": column.distinct,
        "missing": column.missing,
        "low": _plain(column.low),
        "high": _plain(column.high),
        "bars": list(bars),
        "role": proposal.role,
        "reason": proposal.reason,
        "rules": rules_for(column),
    }


def _plain(value: int | Decimal | date | None) -> str | None:
    return None if value is None else str(value)
