"""Cells from the top down, beside a plain Mondrian in compiled code and beside DuckDB's GROUP BY."""

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measure import best_of, exponent, in_a_process
from mondrian import Codes, plain_mondrian
from noiseless.ranges import JointRange
from noiseless.releases.certificate import make_certificate
from noiseless.releases.partition import MeasuredPartition
from noiseless.releases.pipeline import make_release
from noiseless.releases.problem import PreparedTable, choose_partition
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import ReleaseSource
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Numbers
from noiseless.search.distribution_limits import BeliefLimit, ClosenessLimit
from noiseless.search.limits import Limit, PosteriorLimit, RowLimit, WidthLimit
from noiseless.search.measures import measure
from noiseless.search.problem import Cells, Problem
from noiseless.search.top_down import top_down_cells
from noiseless.tables.kernels import compiled
from page import Form, Part, Section, Table

SECRETS, LEFT = 40, 5


def numbers(size: int) -> tuple[Problem, Codes, Codes]:
    """Two columns of different numbers: what is cut, the same as a table, and the sensitive values."""
    rng = np.random.default_rng(0)
    table = np.stack([rng.permutation(10 * size)[:size] for _ in range(2)], axis=1)
    return _problem([Numbers(column) for column in table.T], rng, table)


def texts(size: int) -> tuple[Problem, Codes, Codes]:
    """One column of different texts, in no order."""
    rng = np.random.default_rng(0)
    table = rng.permutation(size)[:, None].copy()
    return _problem([Categories(np.arange(size))], rng, table)


def _problem(columns: list[Column], rng: np.random.Generator, table: Codes) -> tuple[Problem, Codes, Codes]:
    secrets = np.append(np.arange(SECRETS), rng.integers(0, SECRETS, len(table) - SECRETS))
    joint = JointRange.from_codes(secrets, np.arange(len(table)))
    return Problem(joint, ColumnCodebook(*columns, codeword="interval")), table, secrets


def people(size: int, *, distinct: bool) -> tuple[dict[str, Codes], Problem]:
    """Eight columns with as many values as UCI Adult has; or with more, so that most rows differ."""
    rng = np.random.default_rng(0)

    def drawn(many: int, skew: float) -> Codes:
        shares = 1 / np.arange(1, many + 1) ** skew
        return rng.choice(many, size, p=shares / shares.sum())

    hours = np.where(rng.random(size) < 0.5, 40, np.clip(rng.normal(40, 12, size), 1, 99).astype(int))
    columns = {
        "age": np.clip(rng.gamma(6, 6.5, size).astype(int) + 17, 17, 90),
        "hours": hours,
        "class": drawn(9, 2),
        "school": drawn(16, 1),
        "status": drawn(7, 1),
        "race": drawn(5, 2),
        "sex": drawn(2, 0),
        "country": drawn(5000, 0.5) if distinct else drawn(41, 3),
    }
    if distinct:
        columns["age"] = columns["age"] * 365 + rng.integers(0, 365, size)
    keys = np.zeros(size, np.int64)
    for column in columns.values():
        keys = keys * (int(column.max()) + 1) + column
    _, first, rows, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    pairs = np.unique(rows.reshape(-1) * 14 + drawn(14, 0.5))
    parts: list[Column] = [
        Numbers(column[first]) if name in ("age", "hours") else Categories(column[first])
        for name, column in columns.items()
    ]
    joint = JointRange.from_codes(pairs % 14, pairs // 14)
    return columns, Problem(joint, ColumnCodebook(*parts, codeword="interval"), rows=counts)


def cells(problem: Problem, limit: Limit | None = None) -> list[Cells]:
    """All cells that are found; columns are coded and sorted before, as for any search."""
    return list(top_down_cells(problem, [limit or PosteriorLimit.of(problem, np.array([LEFT]))]))


def beside_mondrian(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Time, mean loss and the size of cells, beside a plain Mondrian."""
    peer, found = compiled(plain_mondrian), []
    peer(*numbers(100)[1:], SECRETS, LEFT)
    for name, make in (("two numbers", numbers), ("texts", texts)):
        for size in sizes:
            problem, table, secrets = make(size)
            mondrian = partial(peer, table, secrets, SECRETS, LEFT)
            ours, plain = cells(problem)[0], Cells.from_labels(mondrian())
            times = best_of(3, partial(cells, problem), mondrian)
            losses = [float(measure(problem, one).mean_loss or 0) for one in (ours, plain)]
            found.append(
                {
                    "table": name,
                    "rows": size,
                    "noiseless s": times[0],
                    "Mondrian s": times[1],
                    "times Mondrian": times[0] / times[1],
                    "loss / Mondrian's": losses[0] / losses[1],
                    "rows a cell": size / ours.count,
                    "Mondrian's": size / plain.count,
                }
            )
    return found


def beside_grouping(size: int) -> list[dict[str, Any]]:
    """Eight columns beside the GROUP BY of all of them, which a release needs in any case."""
    found, engine = [], duckdb.connect()
    for name, distinct in (("as in Adult", False), ("mostly different", True)):
        columns, problem = people(size, distinct=distinct)
        engine.register("people", pa.table(columns))
        query = f"SELECT count(*) FROM (SELECT {', '.join(columns)}, count(*) FROM people GROUP BY ALL)"
        cells(problem)
        times = best_of(3, partial(cells, problem), partial(_fetch, engine, query))
        found.append(
            {
                "columns": name,
                "rows": size,
                "different rows": problem.size,
                "noiseless s": times[0],
                "GROUP BY s": times[1],
                "times GROUP BY": times[0] / times[1],
            }
        )
    return found


def _fetch(engine: duckdb.DuckDBPyConnection, query: str) -> None:
    engine.sql(query).fetchall()


def stages(size: int) -> list[dict[str, Any]]:
    """A whole release of the same columns from a Parquet file, stage by stage, beside the GROUP BY."""
    stated = {"method": "", "optimal": False}
    with TemporaryDirectory() as folder:
        path, out = Path(folder, "people.parquet"), Path(folder, "out.parquet")
        _, request = written_people(path, size, distinct=False)
        prepared = PreparedTable.of(ReleaseSource.read(str(path), request))
        found = searched(prepared)
        whole = make_release(str(path), request)
        engine = duckdb.connect()
        columns = ", ".join(request.public)
        query = f"SELECT count(*) FROM (SELECT {columns}, count(*) FROM '{path}' GROUP BY ALL)"
        tasks: dict[str, Callable[[], object]] = {
            "GROUP BY": partial(_fetch, engine, query),
            "reading": lambda: PreparedTable.of(ReleaseSource.read(str(path), request)),
            "search, and all it measures": lambda: searched(PreparedTable.of(prepared.source)),
            "certificate": lambda: make_certificate(found, stated),
            "writing the table": lambda: whole.save(out),
            "writing table and certificate": lambda: whole.save(out, certificate=out.with_suffix(".json")),
            "the whole release": lambda: make_release(str(path), request),
        }
        seconds = [best_of(2, task)[0] for task in tasks.values()]
    return [
        {"stage": name, "rows": size, "seconds": one, "times GROUP BY": one / seconds[0]}
        for name, one in zip(tasks, seconds, strict=True)
    ]


def searched(prepared: PreparedTable) -> MeasuredPartition:
    """The cells that are found, measured as they read."""
    choice, chosen = choose_partition(prepared)
    return chosen.measured(choice.cells, choice.suppressed)


def written_people(path: Path, size: int, *, distinct: bool) -> tuple[str, ReleaseRequest]:
    """Eight columns and a sensitive one as a Parquet file, and what is asked for."""
    columns, _ = people(size, distinct=distinct)
    secret = np.random.default_rng(1).integers(0, 14, size)
    table = pa.table({"job": secret, **{name: _read(name, codes) for name, codes in columns.items()}})
    pq.write_table(table, path)
    options = {"sensitive": "job", "public": list(columns), "min_posterior": LEFT, "codeword": "interval"}
    return str(path), ReleaseRequest.of(options)


def _read(name: str, codes: Codes) -> pa.Array:
    """Numbers as they are, categories as texts."""
    return pa.array(codes) if name in ("age", "hours") else pa.array(codes).cast(pa.string())


def growth(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """How time grows: n log n is an exponent of about 1.07 at these sizes."""
    makers: dict[str, Callable[[int], Problem]] = {
        "two numbers": lambda size: numbers(size)[0],
        "texts": lambda size: texts(size)[0],
        "eight columns": lambda size: people(size, distinct=False)[1],
    }
    found = []
    for name, make in makers.items():
        seconds = []
        for size in sizes:
            problem = make(size)
            cells(problem)
            seconds.append(best_of(1, partial(cells, problem))[0])
        steps = {f"{size:,} rows s": one for size, one in zip(sizes, seconds, strict=True)}
        found.append({"table": name, **steps, "exponent": exponent(sizes, seconds)})
    return found


def limits(size: int) -> list[dict[str, Any]]:
    """Other limits on the same two columns."""
    problem = numbers(size)[0]
    rows = np.ones(size, np.int64)
    asked: dict[str, Limit] = {
        "5 values left": PosteriorLimit.of(problem, np.array([LEFT])),
        "5 rows": RowLimit.of(problem, LEFT),
        "width 20": WidthLimit.of(problem, range(SECRETS), 20),
        "belief 1/4": BeliefLimit.of(problem, rows, Fraction(1, 4)),
        "closeness 0.3": ClosenessLimit.of(problem, rows, Fraction(3, 10), ordered=False),
        "closeness 0.1, ordered": ClosenessLimit.of(problem, rows, Fraction(1, 10), ordered=True),
    }
    found = []
    for name, limit in asked.items():
        made = cells(problem, limit)[0]
        seconds = best_of(1, partial(cells, problem, limit))[0]
        found.append({"limit": name, "rows": size, "rows a cell": size / made.count, "seconds": seconds})
    return found


MEMORY = """
import json, sys
sys.path.insert(0, "benchmarks")
import numpy as np
from measure import peak_megabytes
from noiseless.search.limits import PosteriorLimit
from top_down_speed import LEFT, cells, people
size = int(sys.argv[1])
cells(people(size // 10, distinct=True)[1])
problem = people(size, distinct=True)[1]
limit = PosteriorLimit.of(problem, np.array([LEFT]))
book = problem.codebook
assert book.axes and book.scaled
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = peak_megabytes()
cells(problem, limit)
print(json.dumps([peak_megabytes() - before, 8 * problem.size * 8 / 2**20]))
"""


RELEASE_MEMORY = """
import json, sys
from pathlib import Path
sys.path.insert(0, "benchmarks")
from measure import peak_megabytes
from noiseless.releases.pipeline import make_release
from top_down_speed import written_people
folder, size, distinct = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "True"
small, request = written_people(folder / "small.parquet", size // 100, distinct=distinct)
make_release(small, request).save(folder / "out.parquet", certificate=folder / "out.json")
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = peak_megabytes()
done = make_release(str(folder / "people.parquet"), request)
done.save(folder / "out.parquet", certificate=folder / "out.json")
print(json.dumps([peak_megabytes() - before, 8 * done.rows * 8 / 2**20]))
"""


def memory(size: int) -> list[dict[str, Any]]:
    """How much more a process holds at its peak than before, beside eight columns of whole numbers."""
    more, columns = in_a_process(MEMORY, str(size))
    found = [("search alone, mostly different", size, more, columns)]
    for name, distinct in (("whole release, as in Adult", False), ("whole release, mostly different", True)):
        with TemporaryDirectory() as folder:
            written_people(Path(folder, "people.parquet"), 10 * size, distinct=distinct)
            more, columns = in_a_process(RELEASE_MEMORY, folder, str(10 * size), str(distinct))
        found.append((name, 10 * size, more, columns))
    names = "what", "rows", "columns MB", "more at the peak MB", "times"
    return [
        dict(zip(names, (what, rows, columns, more, more / columns), strict=True))
        for what, rows, more, columns in found
    ]


INTRODUCTION = f"""\
Cells cut from the top down so that {LEFT} of {SECRETS} sensitive values are left behind each answer, for the
mean loss and for the largest: the search alone, columns coded and, but for small tables, loops compiled.
Beside it a plain Mondrian in compiled code, which halves the widest column at its median, and DuckDB's
`GROUP BY` of the columns. A whole release also reads, writes and measures each cell, proves what it can,
and hashes both tables."""


def measured(form: Form) -> Iterator[Part]:
    """Both peers, a whole release, growth, other limits and memory."""
    yield Table(beside_mondrian(form.sizes(10**5, 10**6)), "Beside a plain Mondrian")
    yield Table(beside_grouping(form.size(10**6)), "Beside GROUP BY, eight columns")
    yield Table(stages(form.size(10**6)), "A whole release, eight columns")
    yield Table(growth(form.sizes(10**5, 10**6, 10**7)), "Growth")
    yield Table(limits(form.size(10**6)), "Other limits, two numbers")
    yield Table(memory(form.size(10**6)), "Memory, eight columns")


SECTION = Section("top-down", "Cells from the top down", INTRODUCTION, measured, "releases")


def main() -> None:
    """Print all tables."""
    for part in measured(Form("--small" in sys.argv)):
        assert isinstance(part, Table)
        print(part.title)
        print(*part.rows[0], sep=" | ")
        for row in part.rows:
            print(*(f"{v:.3g}" if isinstance(v, float) else v for v in row.values()), sep=" | ", flush=True)
        print()


if __name__ == "__main__":
    main()
