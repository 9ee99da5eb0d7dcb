"""What a verification found: one line a claim."""

# ruff: noqa: UP007 - Python 3.9 runs this too

import re
import shlex
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Union

from noiseless.errors import printable

Shown = Union[int, str, None]
"""A number, or a few words; never a value of a sensitive column."""

_TERMINAL = 80
"""The columns of a terminal."""
_SHOWN_ROLES = {"sensitive": "hidden", "public": "released", "keep": "kept", "given": "known besides"}


@dataclass(frozen=True)
class Check:
    """One claim of a certificate, and what the tables say.

    Attributes:
        name: what the claim is about.
        holds: whether it is true.
        claimed: what the certificate says.
        found: what the tables say; None where that cannot be found out because an earlier check fails.
    """

    name: str
    holds: bool
    claimed: Shown
    found: Shown

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {"name": self.name, "holds": self.holds, "claimed": self.claimed, "found": self.found}

    def __str__(self) -> str:
        if self.holds:
            return f"holds: {self.found}"
        found = "could not be found out" if self.found is None else f"found {self.found}"
        return f"FAILS: claimed {'nothing' if self.claimed is None else self.claimed}, {found}"


@dataclass(frozen=True, repr=False)
class Findings:
    """Whether a certificate holds for two tables, claim by claim.

    Attributes:
        checks: every claim, in the order of the documentation.
        about: the columns by their roles, and how distances are measured: what the claims are about.
        not_checked: what the certificate states besides, which no table can tell.
        notes: what to bear in mind.
    """

    checks: tuple[Check, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    not_checked: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all claims are true."""
        return all(check.holds for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The claims that are not."""
        return tuple(check for check in self.checks if not check.holds)

    def __getitem__(self, name: str) -> Check:
        """The check of that name."""
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "holds": self.holds,
            "checks": [check.to_dict() for check in self.checks],
            "about": dict(self.about),
            "not_checked": dict(self.not_checked),
            "notes": list(self.notes),
        }

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.holds:
            return f"The certificate holds: all {len(self.checks)} checks pass."
        failed = ", ".join(check.name for check in self.failed if check.found is not None)
        more = f" (and {len(self._not_made)} checks could not be made)" if self._not_made else ""
        return f"The certificate DOES NOT HOLD: {failed}{more}."

    @property
    def _not_made(self) -> tuple[str, ...]:
        """The checks that fail because an earlier one does."""
        return tuple(check.name for check in self.failed if check.found is None)

    @property
    def lines(self) -> dict[str, str]:
        """A line for each check made, and one for all others, so that the cause can be seen."""
        shown = {check.name: _short(str(check)) for check in self.checks if check.name not in self._not_made}
        if self._not_made:
            shown["not made"] = f"FAIL, because of what fails above: {', '.join(self._not_made)}"
        return shown

    @property
    def subject(self) -> dict[str, str]:
        """What the claims are about, a line each."""
        roles = {word: self.about.get(role) for role, word in _SHOWN_ROLES.items()}
        shown = {word: _listed(columns) for word, columns in roles.items() if columns}
        return {**shown, **_counted(self.about), **_measured(self.about)}

    @property
    def unchecked(self) -> dict[str, str]:
        """What no table can show, a line each."""
        return {name: _listed(value) for name, value in self.not_checked.items() if value}

    @property
    def text(self) -> str:
        """Every check, and what the claims are about, for people at a terminal."""
        lines = [*_wrapped(self.verdict), *_table(self.subject), *_table(self.lines)]
        lines += [line for note in self.notes for line in ("", *_wrapped(f"Note: {note}."))]
        if self.unchecked:
            lines += ["", "Not checked, because no table can show it:", *_table(self.unchecked)[1:]]
        return "\n".join(printable(line) for line in lines)


def _short(line: str) -> str:
    """A line in which digests show how they begin; JSON has them whole."""
    return re.sub(r"(sha256:[0-9a-f]{12})[0-9a-f]{52}", r"\1...", line)


def _counted(about: Mapping[str, Any]) -> dict[str, str]:
    """Whom limits are about, what is counted, and how the original is read, where that is not as usual."""
    keys, classes = "; ".join(" + ".join(key) for key in about.get("keys", ())), about.get("classes", 0)
    shown = {
        "limits for": f"someone who knows one of these, and no more: {keys}" if keys else "",
        "persons by": _listed(about.get("unit", [])),
        "classes": f"{classes:,}, as the certificate declares them" if classes else "",
        "original read": f"with {said}" if (said := written_words(about.get("written", {}))) else "",
    }
    return {name: text for name, text in shown.items() if text}


def written_words(written: Mapping[str, Any]) -> str:
    """How a file is written, as the options that say so."""
    said = []
    for name, value in written.items():
        values = [",".join(value)] if name == "names" else value if isinstance(value, list) else [value]
        shown = ("tab" if one == "\t" else one for one in values)
        said += [f"--{name.replace('_', '-')} {shlex.quote(one)}" for one in shown]
    return " ".join(said)


def _measured(about: Mapping[str, Any]) -> dict[str, str]:
    """How distances are measured, which the certificate chooses."""
    if not about:
        return {}
    chosen = [f"{about['distance']} distance" if about["distance"] else "no distance"]
    spans = {
        name: list(map(_day, ends)) for name, ends in about["spans"].items() if about["kinds"][name] == "date"
    }
    shown = {**about, "spans": {**about["spans"], **spans}}
    chosen += [
        f"{name} {_listed(shown[name])}" for name in ("weights", "spans", "hierarchies") if about[name]
    ]
    return {"measured by": "; ".join(chosen)}


def _day(number: str) -> str:
    """A day, where it is counted from the first of the year 1."""
    known = number.isdigit() and 0 < int(number) <= date.max.toordinal()
    return date.fromordinal(int(number)).isoformat() if known else number


def _table(rows: Mapping[str, str]) -> list[str]:
    width = max(map(len, rows), default=0)
    lines = [
        line for name, text in rows.items() for line in _wrapped(text, f"  {name:<{width}}  ", width + 4)
    ]
    return ["", *lines] if lines else []


def _wrapped(text: str, start: str = "", indent: int = 0) -> list[str]:
    """A text on lines that fit a terminal; words too long for one, such as paths, stay whole."""
    return textwrap.wrap(
        start + text,
        _TERMINAL,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    ) or [start]


def _listed(value: object) -> str:
    """A value of JSON on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_listed(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_listed, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)
