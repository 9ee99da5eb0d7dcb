"""Tables of counts or totals that are published instead of rows: audited, and protected, in files."""

from collections.abc import Mapping
from json import dumps
from pathlib import Path
from typing import Any

from noiseless.studio.command import python, shell, table_name
from noiseless.studio.project import Project
from noiseless.studio.roles import columns_in
from noiseless.tables.base import Table

_WRITE = """\
result.write("counts.csv")
result.to_html("counts.html")
with open("counts-certificate.json", "w", encoding="utf-8", newline="\\n") as file:
    file.write(json.dumps(result.certificate("counts.csv"), indent=1) + "\\n")"""
"""What writes the same files as the command, in Python."""


def audit_crosstab(table: Table, project: Project, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a table would give away; small counts are withheld, totals are held against their rule.

    Args:
        table: the rows.
        project: what its columns are for.
        asked: `rows` and `cols`, with `below` for counts, or `value` and `p_percent` for totals.
    """
    from noiseless.reports import tabulation_html
    from noiseless.reports.tabulation_rows import AuditView, status_of_tables, verdict_sentence
    from noiseless.tabulations.reading import audit_tables

    figures, rules = _figures(project, asked), _rules(asked)
    given = {"rules": rules} if figures.get("kind") else {"below": asked["below"] or None}
    found = audit_tables(None, microdata=_records(table, figures), **figures, **given)
    Path("tables.html").write_text(tabulation_html(found), "utf-8")
    view = AuditView(found)
    return {
        "tables": found.to_dict(),
        "mark": status_of_tables(view).mark,
        "verdict": f"{status_of_tables(view).words}: {verdict_sentence(view)}",
    }


def protect_crosstab(table: Table, project: Project, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The table to publish instead, with its certificate and report.

    Args:
        table: the rows.
        project: what its columns are for.
        asked: as for the audit, and the `method`.
    """
    from noiseless.reports.protection_page import write_protection_html
    from noiseless.reports.protection_text import protection_text
    from noiseless.tabulations.protection.request import protect_tables

    figures, rules = _figures(project, asked), _rules(asked)
    options = figures | {"method": asked.get("method", "suppress")}
    found = protect_tables(None, microdata=_records(table, figures), rules=rules, **options)
    files = {"-o": "counts.csv", "--certificate": "counts-certificate.json", "--html": "counts.html"}
    write_protection_html(found, Path(files["--html"]))
    if found.holds:
        found.write(Path(files["-o"]))
        text = dumps(found.certificate(Path(files["-o"])), indent=1)
        Path(files["--certificate"]).write_text(f"{text}\n", "utf-8", newline="\n")
    name = table_name(project.source)
    command = shell("tables", "protect", {"microdata": name, **options, **rules}, files)
    said = {str(key): value for key, value in project.written.items()}
    lines = python("protect_tables", name, {**options, "rules": rules}, said, _WRITE, keyword="microdata")
    return {
        "protection": found.to_dict(),
        "text": protection_text(found),
        "command": command if not project.written else None,
        "python": f"import json\n\n{lines}",
    }


def _figures(project: Project, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What the table shows: counts, with the secret that groups could share, or totals of a column."""
    rows, cols = list(asked["rows"]), list(asked["cols"])
    person = columns_in(project.roles, "person")
    if asked.get("value"):
        unit = {"unit": person[0]} if person else {}
        return {"rows": rows, "cols": cols, "value": asked["value"], "kind": "magnitude", **unit}
    secret = next((name for name in (*rows, *cols) if project.roles.get(name) == "sensitive"), None)
    return {"rows": rows, "cols": cols, "secret": secret}


def _records(table: Table, figures: Mapping[str, Any]) -> Table:
    """The columns of a table that its figures are made from."""
    wanted = [*figures["rows"], *figures["cols"], figures.get("value"), figures.get("unit")]
    return table.select([name for name in wanted if name is not None])


def _rules(asked: Mapping[str, Any]) -> dict[str, int]:
    """What must stay unknown: small counts, or the amounts of contributors."""
    return {"p_percent": asked["p_percent"]} if asked.get("value") else {"threshold": asked["below"]}
