"""Published tables: the audit beside that of tau-Argus, and tables that it calls safe and that are not."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from measure import ROOT, WORK
from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.audit import audit_tables
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.verification import verify_tables
from page import Form, Part, Section, Table, Words
from side_by_side import OURS, Contender, Outcome, Race, columns_of, seconds_of
from wording import versus

RULE = "P(10,1)|FREQ(3,10)"
ARGUS = Contender("pytauargus", "tauargus_work", "pytauargus", work="audit")
PATTERN = Contender("pytauargus", "tauargus_work", "pytauargus", work="protect")

AUDIT = """\
The sharp interval of every withheld cell of a square table of counts with its margins, about a quarter of its
cells withheld. pytauargus solves two linear programs a cell; noiseless uses flows, and every end is attained
by a table of integers. pytauargus runs once in a fresh process and an empty folder. The intervals agree."""

SAFE = """\
Tables whose suppressed cells pytauargus chooses itself (method OPT, rule `P(10,1)|FREQ(3,10)`) or audits, and
calls safe. *Contributors who learn* are alone in a suppressed cell: they subtract what is theirs, and know
another contributor's withheld figure exactly. Each such finding of noiseless has a proof in the internal
certificate, which is verified here."""


def audits(form: Form) -> Iterator[Part]:
    """Squares of growing size."""
    ours, theirs = Race((OURS,), "tables", form, repeats=3), Race((ARGUS,), "audit", form, repeats=0)
    rows = list[dict[str, Any]]()
    for size in (10, 20) if form.small else (20, 50, 100):
        path = _square(size)
        found = ours.run(path=str(path)) | theirs.run(path=str(path))
        _agree(found)
        hidden = int(np.load(path)["hidden"].sum())
        rows.append({"cells": (size + 1) ** 2, "withheld": hidden} | seconds_of(found))
    columns = columns_of((ARGUS,))
    yield Table(rows, "Seconds")
    yield from versus(rows, "noiseless s", columns, ("cells",))
    yield ours.first_calls()


def _square(size: int) -> Path:
    """A table of counts with its margins, for us and in the engine's format."""
    chance = np.random.default_rng(size)
    values = chance.integers(0, 20, (size, size))
    hidden = np.zeros((size + 1, size + 1), bool)
    hidden[:size, :size] = chance.random((size, size)) < 0.2443
    figures = np.pad(values, (0, 1))
    figures[size, :size], figures[:size, size] = values.sum(0), values.sum(1)
    figures[size, size] = values.sum()
    numbers = np.arange((size + 1) ** 2).reshape(size + 1, size + 1)
    sums = [*(line.tolist() for line in numbers), *(line.tolist() for line in numbers.T)]
    WORK.mkdir(exist_ok=True)
    path = WORK / f"table-{size}.npz"
    np.savez(path, figures=figures, hidden=hidden)
    levels = np.zeros(figures.size)
    path.with_suffix(".jj").write_text(_engine_format(figures.ravel(), hidden.ravel(), levels, sums))
    return path


def _engine_format(
    values: np.ndarray, hidden: np.ndarray, levels: np.ndarray, sums: Sequence[Sequence[int]]
) -> str:
    """A table as the engine reads it; the last number of each sum is the total of the others."""
    most = 10 * int(values.max()) + 10
    lines = ["0", str(len(values))]
    lines += [
        f"{place} {value} 1 {'u' if hide else 's'} 0 {most} {level:.3f} {level:.3f} 0"
        for place, (value, hide, level) in enumerate(zip(values, hidden, levels, strict=True))
    ]
    lines.append(str(len(sums)))
    for *parts, total in sums:
        terms = " ".join(f"{part} (1)" for part in parts)
        lines.append(f"0 {len(parts) + 1} : {total} (-1) {terms}")
    return "\n".join(lines) + "\n"


def _agree(found: dict[str, Outcome]) -> None:
    ours, theirs = found["noiseless"], found["pytauargus"]
    if theirs.finished and [row[:3] for row in theirs.value] != ours.value:
        raise AssertionError("noiseless and pytauargus find different intervals")


def called_safe(form: Form) -> Iterator[Part]:
    """What the peer calls safe, and what is known all the same."""
    yield Table(list(_contributors(form)), "Patterns that OPT chooses, and contributors")
    yield Words(_cube(form))


def _contributors(form: Form) -> Iterator[dict[str, Any]]:
    """Random tables of amounts, most cells with few contributors."""
    for seed in range(1 if form.small else 3):
        size = 6 if form.small else 12
        records = _records(seed, size)
        WORK.mkdir(exist_ok=True)
        path = WORK / f"records-{seed}-{size}.json"
        path.write_text(json.dumps(records))
        made = Race((PATTERN,), "protect", form, repeats=0).run(path=str(path), rule=RULE)["pytauargus"]
        if not made.finished:
            continue
        publication = _published(records, size, made.value)
        given = zip(*(records[key] for key in "rcv"), strict=True)
        amounts = ContributorAmounts.of(
            publication, [(str(who), (row, col), int(v)) for who, (row, col, v) in enumerate(given)]
        )
        audit = audit_tables(publication, contributions=amounts)
        proved = verify_tables(audit.certificate(public=False), publication).holds
        yield {
            "seed": seed,
            "cells": (size + 1) ** 2,
            "suppressed": int((publication.told_lower < publication.told_upper).sum()),
            "disclosed to everybody": len(audit.disclosed),
            "contributors alone in a cell": len(audit.contributors),
            "contributors who learn": sum(bool(each.learns) for each in audit.contributors),
            "proofs verified": "yes" if proved else "no",
        }


def _records(seed: int, size: int) -> dict[str, list[Any]]:
    """Who contributed what: row, column, amount."""
    chance = np.random.default_rng(seed)
    cells = [
        (f"r{row:02}", f"c{col:02}")
        for row, col in np.ndindex(size, size)
        for _ in range(int(chance.choice([1, 2, 3, 5, 8, 12], p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.2])))
    ]
    amounts = (10 * (1 + chance.pareto(1.5, len(cells)))).astype(int).astype(float)
    return {"r": [row for row, _ in cells], "c": [col for _, col in cells], "v": amounts.tolist()}


def _published(records: dict[str, list[Any]], size: int, chosen: Sequence[Sequence[str]]) -> Publication:
    """The table that the peer would publish: what it does not call safe is withheld."""
    dimensions = tuple(
        Classification(
            axis, tuple(f"{axis}{place:02}" for place in range(size)), {"Total": tuple(range(size))}
        )
        for axis in "rc"
    )
    place = {label: number for each in dimensions for number, label in enumerate(each.categories)}
    values = np.zeros((size, size), np.int64)
    for row, col, amount in zip(*(records[key] for key in "rcv"), strict=True):
        values[place[row], place[col]] += int(amount)
    figures = np.pad(values, (0, 1))
    figures[size, :size], figures[:size, size] = values.sum(0), values.sum(1)
    figures[size, size] = values.sum()
    hidden = np.zeros(figures.shape, bool)
    for row, col, status in chosen:
        hidden[place.get(row, size), place.get(col, size)] = status != "S"
    labels = {each.name: each.labels for each in dimensions}
    ends = np.where(hidden, 0, figures), np.where(hidden, UNBOUNDED, figures)
    return Publication(dimensions, (PublishedTable.of_grid("t", labels, *ends, "magnitude"),))


def _cube(form: Form) -> str:
    """The 3 x 3 x 3 table whose two-way margins leave one table of integers, and many of fractions."""
    held = json.loads((ROOT / "tests" / "oracle" / "tables_golden.json").read_text("utf-8"))["cases"]
    case = next(each for each in held if each["id"] == "g07")
    truth = {name: 6 if low == high else 1 for name, (low, high) in case["domain"].items()}
    rows = [row["of"] for row in case["published"] if len(row["of"]) > 1]
    names = [*case["cells"], *("+".join(row) for row in rows)]
    place = {name: number for number, name in enumerate(names)}
    values = np.array([*truth.values(), *(sum(truth[name] for name in row) for row in rows)])
    hidden = np.array([name in case["forms"] for name in names])
    sums = [[*(place[name] for name in row), place["+".join(row)]] for row in rows]
    path = WORK / "cube.jj"
    path.write_text(_engine_format(values, hidden, np.where(hidden, 1.0, 0.0), sums))
    found = Race((ARGUS,), "audit", form, repeats=0).run(path=str(path))["pytauargus"]
    told = [(name, Told.exact(truth[name])) for name in case["cells"] if name not in case["forms"]]
    publication = Publication.of_rows(
        case["cells"],
        [tuple(case["domain"][name]) for name in case["cells"]],
        [
            *(([name], of) for name, of in told),
            *((row, Told.exact(sum(truth[n] for n in row))) for row in rows),
        ],
    )
    audit = audit_tables(publication, targets={name: {"atom": [name]} for name in case["forms"]})
    known = {cell.of[1][0] for cell in audit.disclosed if cell.of[0] == "group"} & set(case["forms"])
    proved = verify_tables(audit.certificate(), publication).holds
    if not found.finished:
        return "pytauargus did not audit the cube."
    safe = [names[cell] for cell, *_, unsafe in found.value if not unsafe]
    return (
        f"A cube of 3 x 3 x 3 cells, 18 of them withheld, each of them 1, all two-way margins published. "
        f"Each is to be protected by 1 on both sides. pytauargus calls {len(safe)} of the 18 safe "
        f"({', '.join(safe)}: between 0 and 2 by its linear programs). noiseless proves that all "
        f"{len(known)} are known: one table of integers fits. The proof is {'verified' if proved else 'NOT verified'}."
    )


SECTIONS = (
    Section("peers-tables", "Audits of published tables, beside pytauargus", AUDIT, audits, "peers"),
    Section("peers-tables-safe", "Tables that pytauargus calls safe", SAFE, called_safe, "peers"),
)
