"""The studio on a million rows: opening, a change of role, a release, the first page, memory."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from measure import best_of, in_a_process
from noiseless.studio.jobs import Desk
from page import Form, Part, Section, Table

INTRODUCTION = """\
What `noiseless studio` does behind its page, on ten columns of made-up people: numbers, days, texts and a
decimal. *Open and profile* is beside DuckDB's own `SUMMARIZE` of the same file; it also types the columns
exactly, keeps the table, and counts the bars of a small histogram of each. The *verdict* after a change of
role is what the page shows first, and the *limit* DuckDB counting the different combinations of the same
columns in a table that it holds. A *step* of the slider, once the frontier was computed, is until the page
has the release at that point: its figures, and each column before and after. Its *files*, with the
certificate, are made when it is taken away. The *first page* is a
whole process until a browser has the page, and its limit `python -c "import numpy, duckdb"`. *Memory* is
the peak of a process that opens the table and audits three public columns, less that of one that does so
with the first 20,000 rows of the same kind of file and so has loaded the same code, in multiples of the
whole table in Arrow: all ten columns are held, open for the next question."""

ROWS, FEW = 1_000_000, 20_000
PEOPLE = {"age": "public", "sex": "public", "region": "public", "diagnosis": "sensitive"}

_WORK = """
import json, sys, tempfile; sys.path.insert(0, "benchmarks")
from noiseless.studio.jobs import Desk
from peers.protocol import peak_megabytes
desk, project = Desk(tempfile.mkdtemp()), {"source": sys.argv[1], "roles": json.loads(sys.argv[2])}
for job in ("open", "audit"):
    desk.do(job, {"project": project}, lambda *_: None)
print(json.dumps(peak_megabytes()))
"""


def measured(form: Form) -> Iterator[Part]:
    """Each part in turn, on files that are gone afterwards."""
    people = _people(form.size(ROWS))
    with TemporaryDirectory() as name:
        folder = Path(name)
        pa.csv.write_csv(people, folder / "people.csv")
        pa.parquet.write_table(people, folder / "people.parquet")
        few = people.slice(0, min(FEW, len(people) // 10))
        pa.csv.write_csv(few, folder / "few.csv")
        pa.parquet.write_table(few, folder / "few.parquet")
        yield Table([_opened(folder / file) for file in ("people.csv", "people.parquet")], "Open and profile")
        yield Table(list(_asked(folder / "people.parquet", people)), "A change of role, a release")
        yield Table([_first_page(folder, 1 if form.small else 3)], "The first page")
        yield Table([_memory(folder / file, people) for file in ("people.csv", "people.parquet")], "Memory")


def _opened(file: Path) -> dict[str, Any]:
    def summarise() -> None:
        with duckdb.connect() as engine:
            engine.sql(f"SUMMARIZE SELECT * FROM '{file}'").fetchall()

    def opened() -> None:
        Desk(str(file.parent)).do("open", {"project": {"source": str(file)}}, lambda *_: None)

    theirs, ours = best_of(3, summarise, opened)
    return {
        "file": file.name,
        "SUMMARIZE s": theirs,
        "open s": ours,
        "open / SUMMARIZE": ours / theirs,
        "aim": 3,
    }


class _Heard(Exception):  # noqa: N818 - what was waited for
    """The first news of a job: the page has its verdict."""


def _asked(file: Path, people: pa.Table) -> Iterator[dict[str, Any]]:
    """Verdicts after changes of role; releases of one column once its frontier is known."""
    desk = Desk(str(file.parent))
    with duckdb.connect() as engine:
        engine.execute(f"CREATE TABLE people AS SELECT * FROM '{file}'")

        def row(what: str, roles: Mapping[str, str], ask: Callable[[], object]) -> dict[str, Any]:
            combinations = f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(roles)} FROM people)"
            limit, seconds = best_of(3, lambda: engine.execute(combinations).fetchall(), ask)
            return {"what": what, "limit s": limit, "s": seconds, "s / limit": seconds / limit}

        def asked(roles: Mapping[str, str], **limits: int) -> dict[str, Any]:
            return {"project": {"source": str(file), "roles": roles, "limits": limits}}

        for more in ((), ("postcode",), ("postcode", "job", "born")):
            roles = PEOPLE | dict.fromkeys(more, "public")
            found = row(
                f"verdict, {len(roles) - 1} public columns", roles, partial(_verdict, desk, asked(roles))
            )
            yield found | {"aim s": 0.5}
        for name in ("age", "income"):
            roles = {name: "public", "diagnosis": "sensitive"}
            desk.do("frontier", asked(roles), _nothing)
            for job, what, aim in (("release", "step", {"aim s": 0.3}), ("files", "step and files", {})):
                steps = (asked(roles, min_posterior=least) for least in range(4, 12))
                found = row(what, roles, partial(_step, desk, job, steps))
                yield {"values": len(people[name].unique())} | found | aim


def _step(desk: Desk, job: str, steps: Iterator[Mapping[str, Any]]) -> None:
    """Do the next step."""
    desk.do(job, next(steps), _nothing)


def _nothing(_share: float, _found: Any = None, /) -> None:  # noqa: ANN401 - JSON
    """Hear nothing."""


def _verdict(desk: Desk, asked: Mapping[str, Any]) -> None:
    """An audit until its verdict is there."""

    def heard(_share: float, found: Any = None, /) -> None:  # noqa: ANN401 - JSON
        if found is not None:
            raise _Heard

    with suppress(_Heard):
        desk.do("audit", asked, heard)


def _first_page(folder: Path, turns: int) -> dict[str, Any]:
    def loaded() -> None:
        subprocess.run((sys.executable, "-c", "import numpy, duckdb"), check=True)

    limit, seconds = best_of(turns, loaded, lambda: _page(folder))
    return {"limit s": limit, "first page s": seconds, "first page / limit": seconds / limit, "aim s": 2}


def _page(folder: Path) -> None:
    """Start the studio, open its link and read its page, as a browser does."""
    command = (sys.executable, "-m", "noiseless", "studio", str(folder / "people.csv"), "--no-browser")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = re.search(r"http\S+", process.stdout.readline())
        assert link is not None
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(link.group(0)) as page:
            assert b"<title>noiseless studio" in page.read()
    finally:
        process.terminate()
        process.wait()


def _memory(file: Path, people: pa.Table) -> dict[str, Any]:
    few, many = (in_a_process(_WORK, str(path), json.dumps(PEOPLE)) for path in (file.with_stem("few"), file))
    table = people.nbytes / 2**20
    return {
        "file": file.name,
        "table MB": table,
        "few rows MB": few,
        "all rows MB": many,
        "(all - few) / table": (many - few) / table,
        "aim": 3,
    }


def _people(rows: int) -> pa.Table:
    draw = np.random.default_rng(5)

    def one_of(name: str, many: int) -> Any:  # noqa: ANN401 - numpy's
        return np.array([f"{name} {place}" for place in range(many)])[draw.integers(0, many, rows)]

    return pa.table(
        {
            "age": draw.integers(0, 100, rows),
            "sex": one_of("sex", 2),
            "region": one_of("region", 30),
            "postcode": draw.integers(1000, 4000, rows),
            "job": one_of("job", 200),
            "born": np.datetime64("1930-01-01") + draw.integers(0, 30_000, rows),
            "income": draw.integers(10_000, 120_000, rows),
            "height": np.round(draw.normal(170, 10, rows), 1),
            "smokes": draw.integers(0, 2, rows).astype(bool),
            "diagnosis": one_of("diagnosis", 50),
        }
    )


SECTION = Section("studio", "The studio", INTRODUCTION, measured)
