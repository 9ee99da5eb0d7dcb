"""k, l, entropy-l and t of a frame in memory, beside pycanon and anjana."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from measure import copying, scanning
from page import Form, Part, Plot, Section, Table
from side_by_side import OURS, Contender, Outcome, Race, columns_of, peaks_of, seconds_of
from tables import PUBLIC, SHAPES, arrays, parquet
from wording import beside_limit, growth, points_of, versus

PYCANON = Contender("pycanon", "anonymity_work", "pycanon")
ANJANA = Contender("anjana", "anonymity_work", "anjana")

INTRODUCTION = """\
k-anonymity, distinct and entropy l-diversity and t-closeness of the same pandas frame with four public
columns and one sensitive column (50 values). anjana has no measures of its own: it calls the older pycanon
of its environment, and stands here for k and l only. Each number is one call on a frame that is already in
memory, in a fresh process. The limits beside it are a copy of the five columns in memory and DuckDB's scan
of the same columns from their Parquet file. All answers agree (pycanon rounds entropy l down to a whole
number; so does the check)."""


def measured(form: Form) -> Iterator[Part]:
    """Few groups for all measures and everybody; many groups for k and l, and pycanon alone."""
    few = (300, 3000) if form.small else (10**3, 10**4, 10**5, 10**6)
    many = few[:3]
    measures = ("k",) if form.small else ("k", "l", "entropy l", "t")
    yield from _shape("few groups", few, measures, (OURS, PYCANON, ANJANA), form)
    yield from _shape("millions of groups", many, ("l",) if form.small else ("k", "l"), (OURS, PYCANON), form)


def _shape(
    shape: str,
    sizes: tuple[int, ...],
    measures: tuple[str, ...],
    contenders: tuple[Contender, ...],
    form: Form,
) -> Iterator[Part]:
    race = Race(contenders, "measure", form)
    for measure in ("entropy l", "t"):
        race.leave_out(ANJANA, measure)
    limits = {size: _limits(shape, size) for size in sizes}
    times, peaks = list[dict[str, Any]](), list[dict[str, Any]]()
    for measure in measures:
        for size in sizes:
            path = str(parquet(shape, size))
            found = race.run(measure, path=path, name=measure, public=list(PUBLIC), sensitive="s")
            _agree(measure, found)
            head = {"measure": measure, "rows": size}
            times.append(head | limits[size] | seconds_of(found))
            peaks.append(head | {"columns MB": 5 * 4 * size / 2**20} | peaks_of(found))
    columns = columns_of(contenders)
    others = {name: column for name, column in columns.items() if name != OURS.name}
    groups = math.prod(SHAPES[shape][:4])
    called = "3,072 groups" if shape == "few groups" else f"up to {groups:,} groups, most of one row"
    yield Table(times, f"Seconds, {called}")
    yield from versus(times, "noiseless s", others, ("measure", "rows"))
    yield beside_limit(times, "noiseless s", "DuckDB scan s", "DuckDB's scan of the file")
    yield race.first_calls()
    yield Table(growth(times, "rows", columns, ("measure",)), "Growth: the exponent of rows")
    if shape == "few groups":
        yield Table(peaks, "Peak memory of the process, data and libraries included")
        yield from _plots(times, measures, columns)


def _plots(
    times: list[dict[str, Any]], measures: tuple[str, ...], columns: Mapping[str, str]
) -> Iterator[Plot]:
    for measure in dict.fromkeys((measures[0], measures[-1])):
        mine = [row for row in times if row["measure"] == measure]
        lines = {name: points_of(mine, "rows", column) for name, column in columns.items()}
        lines["copy of the columns"] = points_of(mine, "rows", "copy s")
        lines["DuckDB scan"] = points_of(mine, "rows", "DuckDB scan s")
        title = f"Seconds to find {measure}, 3,072 groups"
        yield Plot(f"anonymity-{measure}", title, "rows", "seconds", lines)


def _limits(shape: str, size: int) -> dict[str, float]:
    path, columns = parquet(shape, size), (*PUBLIC, "s")
    return {"copy s": copying(*arrays(path)), "DuckDB scan s": scanning(path, columns)}


def _agree(measure: str, found: Mapping[str, Outcome]) -> None:
    values = [outcome.value for outcome in found.values() if outcome.finished]
    if measure == "entropy l":
        values = [math.floor(value + 1e-9) for value in values]
    if any(not math.isclose(value, values[0], rel_tol=1e-9) for value in values):
        raise AssertionError(f"{measure}: they disagree: {values}")


SECTION = Section("peers-anonymity", "Anonymity, beside pycanon and anjana", INTRODUCTION, measured, "peers")
