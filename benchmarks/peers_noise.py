"""A mean, a sum and a count told without noise, beside noise that tells as many bits: time and error."""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import noiseless as nl
from measure import WORK, copying, scanning
from page import Form, Part, Plot, Section, Table, Words
from side_by_side import Contender, Outcome, Race, columns_of, peaks_of, seconds_of
from wording import growth, points_of, versus

BOUNDS, STEP, THRESHOLD = (0, 100), "0.01", 50.0
QUERIES = ("mean", "sum", "count")
PEERS = ("diffprivlib", "opendp", "numpy Laplace")

INTRODUCTION = f"""\
Values between {BOUNDS[0]} and {BOUNDS[1]} in steps of {STEP}; their mean, their sum, and how many lie above
{THRESHOLD:g}. The number of people is public and one person's value is replaced. Noise gets the largest
epsilon whose guarantee is no more bits than the noiseless answer leaks, by the tight
[conversion](convert.md): epsilon-DP lets through at most k - 1 - ln k nats of a person, k = epsilon / (1 -
exp(-epsilon)).

*noiseless* is the library on an array in memory, as the peers are. *curator* opens a dataset it has never
seen, checks every value against the declaration, prices the question, makes the charge durable, and
answers: the peers keep no account. The limits are a copy of the values, and DuckDB's scan of them in a
Parquet file."""

ERRORS = """\
Errors are those of many tables of 1,000 people whose truths are spread over the range, in units of what one
person can move the answer. A noiseless answer also has a largest error; noise has none. *Laplace, own
capacity* is the expected error of Laplace noise calibrated to its own capacity instead of to what epsilon
alone guarantees, as [`noiseless compare`](compare.md) does it: as little of it as these bits allow."""


@cache
def epsilon_for(bits: int) -> float:
    """The largest epsilon (to 1e-9) whose tight guarantee is at most so many bits."""
    low, high = 0.0, 10.0 * bits + 10
    while high - low > 1e-9:
        middle = (low + high) / 2
        told = nl.convert("dp", "mi", epsilon=middle).epsilon
        low, high = (middle, high) if told is not None and told <= bits * math.log(2) else (low, middle)
    return low


def contenders(bits: int, *, curator: bool) -> tuple[Contender, ...]:
    """Who answers, all told as many bits."""
    exact, noise = {"bits": bits, "step": STEP}, {"epsilon": epsilon_for(bits)}
    found = [
        Contender("noiseless", "noiseless_work", arguments=exact),
        Contender("curator", "noiseless_work", work="ask", arguments=exact),
        Contender("diffprivlib", "diffprivlib_work", "diffprivlib", arguments=noise),
        Contender("opendp", "opendp_work", "opendp", arguments=noise),
        Contender("numpy Laplace", "numpy_work", arguments=noise),
    ]
    return tuple(one for one in found if curator or one.name != "curator")


def measured(form: Form) -> Iterator[Part]:
    """Times of one answer over growing columns, then errors."""
    yield from _times(form)
    yield Words(ERRORS)
    yield from _errors(form)


def _times(form: Form) -> Iterator[Part]:
    everybody = contenders(1, curator=True)
    race = Race(everybody, "answer", form)
    times, peaks = list[dict[str, Any]](), list[dict[str, Any]]()
    for query in QUERIES[:1] if form.small else QUERIES:
        for size in (10**3, 10**5) if form.small else (10**4, 10**5, 10**6):
            path, limits = _column(size)
            found = race.run(query, path=str(path), query=query, bounds=list(BOUNDS), threshold=THRESHOLD)
            head = {"question": query, "people": size}
            times.append(head | limits | seconds_of(found))
            peaks.append(head | {"column MB": 8 * size / 2**20} | peaks_of(found))
    columns = columns_of(everybody)
    yield Table(times, "Seconds for one answer of one bit")
    yield from versus(times, "noiseless s", {name: columns[name] for name in PEERS}, ("question", "people"))
    yield race.first_calls()
    yield Table(growth(times, "people", columns, ("question",)), "Growth: the exponent of people")
    yield Table([row for row in peaks if row["question"] == "mean"], "Peak memory of the process, for a mean")
    mine = [row for row in times if row["question"] == "mean"]
    lines = {name: points_of(mine, "people", column) for name, column in columns.items()}
    lines["copy of the column"] = points_of(mine, "people", "copy s")
    yield Plot("noise", "Seconds for one mean", "people", "seconds", lines)


def _column(size: int) -> tuple[Path, dict[str, float]]:
    WORK.mkdir(exist_ok=True)
    values = np.random.default_rng(0).integers(0, 10_001, size) / 100
    path, file = WORK / f"values-{size}.npy", WORK / f"values-{size}.parquet"
    np.save(path, values)
    duckdb.from_arrow(_arrow(values)).write_parquet(str(file))
    return path, {"copy s": copying(values), "DuckDB scan s": scanning(file, ["value"])}


def _arrow(values: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    return pa.table({"value": values})


def _errors(form: Form, people: int = 1000) -> Iterator[Part]:
    tables = _tables(40 if form.small else 400, people)
    path = WORK / f"tables-{len(tables)}.npy"
    np.save(path, tables)
    rows = list[dict[str, Any]]()
    for bits in (1,) if form.small else (1, 2, 3):
        everybody = contenders(bits, curator=False)
        race = Race(everybody, "answer", form, repeats=0)
        for query in QUERIES:
            found = race.run(query, path=str(path), query=query, bounds=list(BOUNDS), threshold=THRESHOLD)
            line = {"question": query, "bits": bits, "epsilon": epsilon_for(bits)}
            rows.append(line | _line(query, bits, people, _truths(query, tables), found))
    yield Table(rows, "Errors at equal bits, in units of what one person can move the answer")
    theirs = {name: f"{name}: mean" for name in (*PEERS, "Laplace, own capacity")}
    yield from versus(rows, "noiseless: mean", theirs, ("question", "bits"), what="mean error")


def _tables(count: int, people: int) -> Any:  # noqa: ANN401 - an array
    """Tables whose means are spread over the range: each is drawn around a middle of its own."""
    rng = np.random.default_rng(0)
    middles = rng.uniform(5, 95, (count, 1))
    return rng.normal(middles, 20, (count, people)).clip(*BOUNDS).round(2)


def _truths(query: str, tables: Any) -> Any:  # noqa: ANN401 - arrays
    exact = np.rint(tables * 100).astype(np.int64).sum(axis=1)
    if query == "count":
        return (tables > THRESHOLD).sum(axis=1)
    return exact / 100 / (tables.shape[1] if query == "mean" else 1)


def _line(query: str, bits: int, people: int, truths: Any, found: Mapping[str, Outcome]) -> dict[str, Any]:  # noqa: ANN401
    width = BOUNDS[1] - BOUNDS[0]
    sweep = {"mean": width / people, "sum": width, "count": 1}[query]
    line: dict[str, Any] = {}
    for name, outcome in found.items():
        errors = np.abs(np.array(outcome.value) - truths) / sweep if outcome.finished else None
        line[f"{name}: mean"] = outcome.seconds if errors is None else round(float(errors.mean()), 6)
        line[f"{name}: largest seen"] = outcome.seconds if errors is None else round(float(errors.max()), 6)
    declared: dict[str, Any] = {} if query == "count" else {"bounds": BOUNDS, "step": STEP}
    compared = {one.name: one for one in nl.compare(query, n=people, bits=bits, **declared).mechanisms}
    line["Laplace, own capacity: mean"] = compared["laplace"].mean_error / sweep
    return line


SECTION = Section(
    "peers-noise", "Answers beside noise: diffprivlib, OpenDP, numpy", INTRODUCTION, measured, "peers"
)
