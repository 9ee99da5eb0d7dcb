"""Releases in parts beside the release of the whole: processor time, memory and what the cuts lose."""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import in_a_process
from page import Form, Part, Section, Table
from top_down_speed import written_people

RUN = """
import json, resource, sys, time
from pathlib import Path
sys.path.insert(0, "benchmarks")
import duckdb
from noiseless import release, release_parts, verify
folder, parts, checked = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "True"
table, out = str(folder / "people.parquet"), folder / f"out-{parts}"
public = ["age", "hours", "class", "school", "status", "race", "sex", "country"]
asked = {"sensitive": "job", "public": public, "min_posterior": 5, "prefer": "mean"}
start, clock = time.process_time(), time.perf_counter()
if parts:
    release_parts(table, out, certificates=folder / f"certificates-{parts}", parts=parts, **asked)
else:
    out.mkdir()
    release(table, **asked).save(out / "all.parquet", certificate=folder / "all.json")
made = time.process_time() - start, time.perf_counter() - clock
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
lost = []
for name in public:
    if name in ("age", "hours"):
        ends = f"string_split({name}::VARCHAR, '-')"
        low, high = f"{ends}[1]::DOUBLE", f"{ends}[-1]::DOUBLE"
        span = f"(SELECT max({name}) - min({name}) FROM '{table}')"
        lost.append(f"avg({high} - {low}) / {span}")
    else:
        many = f"(SELECT count(DISTINCT {name}) FROM '{table}')"
        several = f"len(string_split({name}::VARCHAR, '|'))"
        lost.append(f"avg(CASE WHEN {several} > 1 THEN {several} / {many} ELSE 0 END)")
sql = f"SELECT ({' + '.join(lost)}) / {len(public)} FROM '{out}/*.parquet'"
loss = duckdb.sql(sql).fetchall()[0][0]
start, found = time.process_time(), None
if parts and checked:
    found = verify(folder / f"certificates-{parts}" / "manifest.json", original=table, released=out).holds
print(json.dumps([*made, peak, loss, found, time.process_time() - start]))
"""
"""The loss is what a row's cell spans of a column: its part of the range, or of the categories."""


def beside_the_whole(sizes: tuple[int, ...], counts: tuple[int, ...]) -> list[dict[str, Any]]:
    """The same table whole (0 parts) and in parts."""
    found = []
    for size in sizes:
        with TemporaryDirectory() as folder:
            written_people(Path(folder, "people.parquet"), size, distinct=True)
            first: list[float] = []
            for parts in (0, *counts):
                cpu, clock, peak, loss, holds, checking = in_a_process(
                    RUN, folder, str(parts), str(size <= 10**6)
                )
                first = first or [cpu, peak, loss]
                found.append(
                    {
                        "rows": size,
                        "parts": parts or "whole",
                        "CPU s": cpu,
                        "clock s": clock,
                        "CPU / whole's": cpu / first[0],
                        "peak MB": peak,
                        "peak / whole's": peak / first[1],
                        "mean loss": loss,
                        "loss / whole's": loss / first[2],
                        "verified": holds,
                        "verify CPU s": checking,
                    }
                )
                print(*found[-1].values(), flush=True, file=sys.stderr)
    return found


INTRODUCTION = """\
Eight columns, most rows another, 5 of 14 values left behind each answer: one release of the whole, and
releases in parts, each with its certificates, from a Parquet file. The peak is that of the whole process."""


def measured(form: Form) -> Iterator[Part]:
    """One table."""
    yield Table(beside_the_whole(form.sizes(10**6, 10**7), (4, 16)), "Whole and in parts")


SECTION = Section("parts", "Releases in parts", INTRODUCTION, measured, "releases")


def main() -> None:
    """Print the table."""
    beside_the_whole((10**5,) if "--small" in sys.argv else (10**6, 10**7), (4, 16))


if __name__ == "__main__":
    main()
