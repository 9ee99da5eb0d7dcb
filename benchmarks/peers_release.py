"""Anonymising tables at the same k, beside anjana, Mondrian and full-domain recoding: time and loss."""

import csv
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measure import WORK, copying, in_a_process, scanning
from mondrian import mondrian_cells
from noiseless.releases.problem import PreparedTable
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import ReleaseSource
from noiseless.search.columns import Hierarchy, Numbers
from noiseless.search.goal import Targets
from noiseless.search.lattice import full_domain
from noiseless.search.portfolio import Goal, Problem, choose, measure
from noiseless.search.problem import Cells
from page import Form, Part, Plot, Section, Table
from side_by_side import OURS, Contender, Outcome, Race, columns_of, peaks_of, seconds_of
from wording import growth, points_of, versus

ANJANA = Contender("anjana", "anjana_work", "anjana")
SEARCH = Contender("the search alone", "noiseless_work", work="search")
PUBLIC = ("age", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = "occupation"
K = 5
OLDEST, YOUNGEST = 90, 17
_FILES = {"education": "education", "marital-status": "marital", "native-country": "country"}
_FILES |= {name: name for name in ("age", "race", "sex", "workclass", "occupation")}

Levels = dict[str, list[list[str]]]

INTRODUCTION = f"""\
Six public columns (age, education, marital status, race, sex, country) with at least {K} rows behind every
answer (k-anonymity), or at least {K} different occupations (l-diversity), with up to a twentieth of the
rows suppressed. The table is UCI Adult where `NOISELESS_DATA` has it, a made-up one of the same shape
otherwise. Both get the same hierarchies; noiseless takes age as a number and the least mean loss. anjana
raises whole columns level by level (Datafly's way) until it holds; `noiseless release` merges rows and writes
a certificate.

*Loss* is measured from what each publishes: for each cell of the table the number of values that it could
stand for, less one, as a share of those that the column has, less one; 0 is the original, 1 is `*`. A
suppressed row counts 1. The limits beside the times are a copy of the columns as codes in memory and
DuckDB's scan of the file.

Then the mean loss of several tables without suppressed rows, beside a plain Mondrian in compiled code and the
best full-domain generalisation (one level for each column, exactly). Then the search for that one alone, on
the table that ARX is measured by: Adult without missing values, 30,162 rows in eight columns, five alike.
For ARX, whose algorithm is [Flash](https://arx.deidentifier.org/development/algorithms/), 0.026 s were
published, and 1.16 s with suppressed rows, on a desktop of 2016: these are not measured here, and the share
of rows and the loss may differ from ours. Times of searches are of the processor."""

EIGHT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def measured(form: Form) -> Iterator[Part]:
    """Beside anjana, beside Mondrian and full-domain recoding, the lattice alone, and a first call."""
    yield from _beside_anjana(form)
    found = list(_mean_losses(form))
    yield Table(found, "Mean loss of several tables, nothing suppressed")
    theirs = {"Mondrian": "Mondrian: mean loss", "full-domain recoding": "full-domain: mean loss"}
    yield from versus(found, "noiseless: mean loss", theirs, ("table", "wish"), what="mean loss")
    if (folder := os.environ.get("NOISELESS_DATA")) and not form.small:
        yield Table(
            list(_lattices(Path(folder) / "adult")), "The lattice of Adult, 30,162 rows in eight columns"
        )
    first = in_a_process(FIRST)
    yield Table([{"rows": 2000, "public columns": 3, "CPU s": first}], "A first release, imports left out")


def _beside_anjana(form: Form) -> Iterator[Part]:
    """Growing samples of the table."""
    sizes = (100, 300) if form.small else (1000, 10_000, 32_561)
    kinds = ("k",) if form.small else ("k", "l")
    contenders = (OURS, ANJANA)
    race = Race((*contenders, SEARCH), "release", form, repeats=1)
    times, busy, losses, peaks = (list[dict[str, Any]]() for _ in range(4))
    for kind in kinds:
        for size in sizes:
            path, levels = _files(size)
            trees: Levels = json.loads(levels.read_text())
            found = race.run(kind, **_request(path, levels, kind))
            head = {"wish": f"{kind} = {K}", "rows": size}
            times.append(head | _limits(path, trees) | seconds_of(found))
            busy.append(head | {f"{name} CPU s": one.cpu or one.seconds for name, one in found.items()})
            del found[SEARCH.name]
            losses.append(head | _losses(found, trees, size))
            peaks.append(head | peaks_of(found))
    columns = columns_of(contenders)
    yield Table(times, "Seconds")
    yield Table(busy, "Seconds of the processor")
    yield from versus(busy, "noiseless CPU s", {"anjana": "anjana CPU s"}, ("wish", "rows"))
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


def _mean_losses(form: Form) -> Iterator[dict[str, Any]]:
    """Ours beside others', each measured on the same problem."""
    for name, (frame, options) in _tables(form).items():
        for limit, what in (("min_rows", "k"), ("min_posterior", "l")):
            asked = ReleaseRequest.of({**options, limit: K, "prefer": "mean", "codeword": "interval"})
            problem = PreparedTable.of(ReleaseSource.read(frame, asked)).problem
            by_rows = limit == "min_rows"
            rows, values = (K, None) if by_rows else (None, K)
            goal = Goal(utility="distortion", prefer="mean", min_rows=rows, min_posterior=values)
            targets = Targets(problem, goal)
            halved = partial(mondrian_cells, problem, K, by_rows=by_rows)
            halved()  # compiled
            plain, cells = _timed(halved)
            levels = full_domain(targets, [_tree(problem, at) for at in range(len(asked.public))])
            ours, choice = _timed(partial(choose, problem, goal))
            yield {
                "table": name,
                "wish": f"{what} = {K}",
                "rows": len(frame),
                "different": problem.size,
                "noiseless CPU s": ours,
                "Mondrian CPU s": plain,
                "noiseless: mean loss": float(choice.quality.mean_loss or 0),
                "Mondrian: mean loss": float(measure(problem, cells).mean_loss or 0),
                "full-domain: mean loss": "none"
                if levels is None
                else float(measure(problem, Cells.from_labels(levels.labels), levels.hidden).mean_loss or 0),
            }


def _timed(task: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = task()
    return time.process_time() - start, found


def _tree(problem: Problem, at: int) -> Hierarchy:
    """The hierarchy of a column; of numbers intervals of 1, 2, 4, ... times a hundredth of their span."""
    column = problem.codebook.columns[at]  # type: ignore[union-attr]
    if isinstance(column, Hierarchy):
        return column
    codes = np.asarray(column.steps if isinstance(column, Numbers) else column.codes, np.int64)
    far = (codes - codes.min()) // max(
        1, int(np.ptp(codes)) // 100 if isinstance(column, Numbers) else len(codes)
    )
    names = {
        int(code): tuple(f"{step}: {place >> step}" for step in range(int(far.max()).bit_length() + 1))
        for code, place in zip(codes.tolist(), far.tolist(), strict=True)
    }
    return Hierarchy(codes.tolist(), names)


def _tables(form: Form) -> dict[str, tuple[pa.Table, dict[str, Any]]]:
    """Tables of many rows: real ones where they are named, and random ones."""
    rng, size, folder = np.random.default_rng(0), form.size(10**5), os.environ.get("NOISELESS_DATA")
    middles = rng.integers(0, 1000, (50, 3))[rng.integers(0, 50, size)]
    spread = rng.integers(0, 40, size)
    found = {
        "random": [*rng.integers(0, 1000, (3, size)), spread],
        "random, in clusters": [*(middles + rng.normal(0, 30, (size, 3)).astype(int)).T, spread],
    }
    if folder and not form.small:
        found |= {"taxi": _taxi(Path(folder)), "meters": _meters(Path(folder))}
    tables = {
        name: (pa.table(dict(zip("abcs", columns, strict=True))), {"sensitive": "s", "public": list("abc")})
        for name, columns in found.items()
    }
    path, levels = _files(1000 if form.small else 32_561)
    trees = {
        name: {row[0]: row[1:] for row in lines} for name, lines in json.loads(levels.read_text()).items()
    }
    shape = {"public": list(PUBLIC), "sensitive": SENSITIVE, "hierarchy": trees, "hierarchy_cost": "leaves"}
    return {"Adult" if folder else "people": (pq.read_table(path), shape), **tables}


def _taxi(folder: Path) -> list[Any]:
    """Where trips begin and how far north they end, in thousandths of a degree; the fare in dollars."""
    names = {"pickup_lon": 1000, "pickup_lat": 1000, "dropoff_lat": 1000, "fare_amount": 1}
    rows = pq.read_table(folder / "taxi" / "trips.parquet", columns=list(names)).to_pandas().dropna()
    return [np.rint(rows[name] * times).astype(int).to_numpy() for name, times in names.items()]


def _meters(folder: Path) -> list[Any]:
    """A million readings: half hour, day, and hundredths of a kilowatt hour; the household."""
    rows = pq.read_table(folder / "meters" / "lcl_100_households_2013.parquet").to_pandas()
    kwh = rows.select_dtypes("number").to_numpy()
    when, house = np.nonzero(~np.isnan(kwh))
    pick = np.random.default_rng(0).permutation(len(when))[: 10**6]
    when, house = when[pick], house[pick]
    return [when % 48, when // 48, np.rint(kwh[when, house] * 100).astype(int), house]


def _lattices(folder: Path) -> Iterator[dict[str, Any]]:
    """The search for the best levels, for the largest change and for the mean loss."""
    with (folder / "adult.csv").open() as file:
        people = [one for one in csv.DictReader(file, skipinitialspace=True) if "?" not in one.values()]
    frame = pa.table({name: [person[name] for person in people] for name in (*EIGHT, "salary-class")})
    trees = {name: {row[0]: row[1:] for row in _lines(folder, name)} for name in EIGHT}
    shape = {"public": list(EIGHT), "sensitive": "salary-class", "hierarchy": trees, "min_rows": K}
    for share, published in ((Fraction(0), 0.026), (Fraction(1, 20), 1.16)):
        for prefer in ("worst", "mean"):
            asked = ReleaseRequest.of(
                {**shape, "suppress": share, "prefer": prefer, "hierarchy_cost": "leaves"}
            )
            source = ReleaseSource.read(frame, asked)
            goal = Goal(utility="distortion", min_rows=K, suppress=share, prefer=prefer)
            for _ in range(2):  # the second time everything is compiled
                seconds, found = _timed(partial(full_domain, Targets(PreparedTable.of(source).problem, goal)))
            yield {
                "rows": len(frame),
                "suppressed at most": float(share),
                "least": "largest change" if prefer == "worst" else "mean loss",
                "proved": found.proved,
                "noiseless CPU s": seconds,
                "ARX, published s": published,
            }


FIRST = """
import json, time
import numpy as np, pyarrow as pa
import noiseless as nl
from noiseless.releases import pipeline
rng = np.random.default_rng(0)
many = {"a": 1000, "b": 1000, "c": 50, "s": 40}
table = pa.table({name: rng.integers(0, most, 2000) for name, most in many.items()})
start = time.process_time()
nl.release(table, sensitive="s", public=["a", "b", "c"], min_posterior=5)
print(json.dumps(time.process_time() - start))
"""


def _files(size: int) -> tuple[Path, Path]:
    """So many rows as texts, and the levels of all hierarchies."""
    WORK.mkdir(exist_ok=True)
    folder = os.environ.get("NOISELESS_DATA")
    source = "adult" if folder else "people"
    path, levels = WORK / f"{source}-{size}.parquet", WORK / f"{source}-levels.json"
    columns, trees = _adult(Path(str(folder)) / "adult") if folder else _people()
    pick = np.random.default_rng(0).permutation(len(columns[SENSITIVE]))[:size]
    rows: dict[str, Any] = {name: np.array(columns[name])[pick] for name in (*PUBLIC, SENSITIVE)}
    pq.write_table(pa.table(rows), path)
    levels.write_text(json.dumps(trees))
    return path, levels


def _adult(folder: Path) -> tuple[dict[str, list[str]], Levels]:
    with (folder / "adult.csv").open() as file:
        people = list(csv.DictReader(file, skipinitialspace=True))
    trees: Levels = {}
    for name in PUBLIC:
        lines = _lines(folder, name)
        if all(line[0] != "?" for line in lines) and any(person[name] == "?" for person in people):
            lines.append(["?"] + ["*"] * (len(lines[0]) - 1))
        trees[name] = lines
    return {name: [person[name] for person in people] for name in (*PUBLIC, SENSITIVE)}, trees


def _lines(folder: Path, name: str) -> list[list[str]]:
    with (folder / "hierarchies" / f"{_FILES[name]}.csv").open() as file:
        return [line for line in csv.reader(file) if line]


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


SECTION = Section("peers-release", "Releases against peers", INTRODUCTION, measured, "peers")
