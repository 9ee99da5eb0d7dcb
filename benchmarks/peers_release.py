"""Anonymising a table at the same k, beside anjana: how long it takes and what is lost."""

import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measure import WORK, copying, scanning
from page import Form, Part, Plot, Section, Table
from side_by_side import OURS, Contender, Outcome, Race, columns_of, peaks_of, seconds_of
from wording import growth, points_of, versus

ANJANA = Contender("anjana", "anjana_work", "anjana")
PUBLIC = ("age", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = "occupation"
K = 5
OLDEST, YOUNGEST = 90, 17
_FILES = {"education": "education", "marital-status": "marital", "native-country": "country"}
_FILES |= {name: name for name in ("age", "race", "sex")}

Levels = dict[str, list[list[str]]]

INTRODUCTION = f"""\
Six public columns (age, education, marital status, race, sex, country) with at least {K} rows behind every
answer (k-anonymity), or at least {K} different occupations (l-diversity), with up to a twentieth of the
rows suppressed. The table is UCI Adult where `NOISELESS_DATA` has it, a made-up one of the same shape
otherwise. Both get the same hierarchies; noiseless takes age as a number. anjana raises whole columns level
by level (Datafly's way) until it holds; `noiseless release` merges rows and writes a certificate.

*Loss* is measured from what each publishes: for each cell of the table the number of values that it could
stand for, less one, as a share of those that the column has, less one; 0 is the original, 1 is `*`. A
suppressed row counts 1. The limits beside the times are a copy of the columns as codes in memory and
DuckDB's scan of the file."""


def measured(form: Form) -> Iterator[Part]:
    """Growing samples of the table."""
    sizes = (100, 300) if form.small else (1000, 10_000, 32_561)
    kinds = ("k",) if form.small else ("k", "l")
    contenders = (OURS, ANJANA)
    race = Race(contenders, "release", form, repeats=1)
    times, losses, peaks = (list[dict[str, Any]]() for _ in range(3))
    for kind in kinds:
        for size in sizes:
            path, levels = _files(size)
            trees: Levels = json.loads(levels.read_text())
            found = race.run(kind, **_request(path, levels, kind))
            head = {"wish": f"{kind} = {K}", "rows": size}
            times.append(head | _limits(path, trees) | seconds_of(found))
            losses.append(head | _losses(found, trees, size))
            peaks.append(head | peaks_of(found))
    columns = columns_of(contenders)
    yield Table(times, "Seconds")
    yield from versus(times, "noiseless s", {"anjana": "anjana s"}, ("wish", "rows"))
    yield race.first_calls()
    yield Table(growth(times, "rows", columns, ("wish",)), "Growth: the exponent of rows")
    yield Table(losses, "Loss at the same k")
    yield from versus(
        losses, "noiseless: mean loss", {"anjana": "anjana: mean loss"}, ("wish", "rows"), what="mean loss"
    )
    yield Table(peaks, "Peak memory of the process")
    lines = {name: points_of(times[: len(sizes)], "rows", column) for name, column in columns.items()}
    yield Plot("release", f"Seconds to anonymise, k = {K}", "rows", "seconds", lines)


def _request(path: Path, levels: Path, kind: str) -> dict[str, Any]:
    wish = {"kind": kind, "k": K, "suppress": 0.05, "public": list(PUBLIC), "sensitive": SENSITIVE}
    return {"path": str(path), "levels": str(levels), "out": str(path.with_suffix(f".{kind}")), **wish}


def _limits(path: Path, trees: Levels) -> dict[str, float]:
    rows = pq.read_table(path, columns=list(PUBLIC))
    codes = [rows[name].combine_chunks().dictionary_encode().indices.to_numpy() for name in trees]
    return {
        "copy s": copying(*codes),
        "DuckDB scan s": scanning(path, [f'"{name}"' for name in PUBLIC], text=True),
    }


def _losses(found: Mapping[str, Outcome], trees: Levels, size: int) -> dict[str, Any]:
    line: dict[str, Any] = {}
    for name, outcome in found.items():
        told: tuple[Any, ...] = (outcome.seconds if not outcome.finished else "impossible", "", "")
        if outcome.finished and outcome.value:
            told = loss_of(outcome.value["out"], trees, size)
        names = (f"{name}: {what}" for what in ("mean loss", "groups", "suppressed"))
        line |= dict(zip(names, told, strict=True))
    return line


def loss_of(path: str | Path, trees: Levels, size: int) -> tuple[float, int, int]:
    """The mean loss of a released table, how many groups it has and how many rows are suppressed."""
    rows = pq.read_table(path, columns=list(PUBLIC)).to_pylist()
    losses = {name: _loss_of_names(name, lines) for name, lines in trees.items()}
    kept = [row for row in rows if any(value != "*" for value in row.values())]
    total = sum(losses[name](str(row[name])) for row in kept for name in PUBLIC)
    gone = size - len(kept)
    groups = len({tuple(row.values()) for row in kept})
    return (total + gone * len(PUBLIC)) / (size * len(PUBLIC)), groups, gone


def _loss_of_names(name: str, lines: list[list[str]]) -> Callable[[str], float]:
    """For what may be published in a column, the share of values that it could stand for."""
    if name == "age":
        return _loss_of_ages
    leaves: dict[str, set[str]] = {}
    for line in lines:
        for above in line:
            leaves.setdefault(above, set()).add(line[0])
    return lambda value: (len(leaves[value]) - 1) / (len(lines) - 1)


def _loss_of_ages(value: str) -> float:
    if value == "*":
        return 1.0
    ends = [int(end) for end in re.findall(r"\d+", value)]
    low, high = ends[0], ends[-1]
    if value.startswith("["):  # [15, 20[ of the hierarchy
        high -= 1
    return (min(high, OLDEST) - max(low, YOUNGEST)) / (OLDEST - YOUNGEST)


def _files(size: int) -> tuple[Path, Path]:
    """So many rows as texts, with a column that numbers them, and the levels of all hierarchies."""
    WORK.mkdir(exist_ok=True)
    folder = os.environ.get("NOISELESS_DATA")
    source = "adult" if folder else "people"
    path, levels = WORK / f"{source}-{size}.parquet", WORK / f"{source}-levels.json"
    columns, trees = _adult(Path(str(folder)) / "adult") if folder else _people()
    pick = np.random.default_rng(0).permutation(len(columns[SENSITIVE]))[:size]
    rows: dict[str, Any] = {name: np.array(columns[name])[pick] for name in (*PUBLIC, SENSITIVE)}
    pq.write_table(pa.table(rows | {"row": np.arange(len(pick))}), path)
    levels.write_text(json.dumps(trees))
    return path, levels


def _adult(folder: Path) -> tuple[dict[str, list[str]], Levels]:
    with (folder / "adult.csv").open() as file:
        people = list(csv.DictReader(file, skipinitialspace=True))
    trees: Levels = {}
    for name in PUBLIC:
        with (folder / "hierarchies" / f"{_FILES[name]}.csv").open() as file:
            lines = [line for line in csv.reader(file) if line]
        if all(line[0] != "?" for line in lines) and any(person[name] == "?" for person in people):
            lines.append(["?"] + ["*"] * (len(lines[0]) - 1))
        trees[name] = lines
    return {name: [person[name] for person in people] for name in (*PUBLIC, SENSITIVE)}, trees


def _people(size: int = 32_561) -> tuple[dict[str, list[str]], Levels]:
    """A table of the same shape as Adult: skewed categories in hierarchies, ages like those of workers."""
    rng = np.random.default_rng(0)
    sizes = {"education": 16, "marital-status": 7, "race": 5, "sex": 2, "native-country": 41, SENSITIVE: 14}
    columns = {
        name: [f"{name} {code}" for code in np.minimum(rng.zipf(1.6, size) - 1, many - 1)]
        for name, many in sizes.items()
    }
    ages = YOUNGEST + rng.gamma(4, 6, size).astype(int).clip(0, OLDEST - YOUNGEST)
    columns["age"] = [str(age) for age in ages]
    trees: Levels = {
        name: [[f"{name} {code}", f"{name} part {code // 4}", "*"] for code in range(sizes[name])]
        for name in PUBLIC
        if name != "age"
    }
    trees["age"] = [[str(age), *_ages(age), "*"] for age in range(YOUNGEST, OLDEST + 1)]
    return columns, trees


def _ages(age: int) -> list[str]:
    return [f"[{age // step * step}, {(age // step + 1) * step}[" for step in (5, 10, 20, 40, 80)]


SECTION = Section("peers-release", "Anonymising a table, beside anjana", INTRODUCTION, measured, "peers")
