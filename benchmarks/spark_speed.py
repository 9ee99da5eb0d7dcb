"""The audit on Spark against the bare group-by that it needs, and what both cost in cores and in shuffles.

Seconds are those of the clock. What a cluster is sized by (CPU seconds, bytes shuffled) is read from Spark's
own event log, so that a busy machine does not spoil it.
"""

import json
import math
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import noiseless as nl
from measure import best_of, scanning
from noiseless.collection.local import LocalQuantizer
from noiseless.collection.local.spark import quantize_frame
from noiseless.questions import Lattice
from noiseless.tables.spark_table import SparkTable
from page import Form, Part, Section, Table, Words
from tables import PUBLIC, parquet

_TAG = "noiseless.benchmark"
_LOG = tempfile.mkdtemp(prefix="noiseless-spark-events-")
_ONCE = 10**7
"""Larger tables are measured once."""

_CPU, _WRITTEN = "Executor CPU Time", "Shuffle Bytes Written"


def spark(sizes: tuple[int, ...] = (10**6, 10**7), repeats: int = 3) -> list[dict[str, Any]]:
    """One line a shape and a size: the audit beside `SELECT ..., count(*) ... GROUP BY ...`."""
    return [_row(shape, size, repeats) for shape in ("few groups", "millions of groups") for size in sizes]


def growth(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The exponents of CPU time against rows, of the smallest and the largest size of each shape."""
    found = []
    for shape in dict.fromkeys(line["table"] for line in lines):
        first, *_, last = (line for line in lines if line["table"] == shape)
        times = math.log(last["CPU s"] / first["CPU s"])
        rows, pairs = (math.log(last[key] / first[key]) for key in ("rows", "distinct pairs"))
        found.append(
            {
                "table": shape,
                "exponent of rows": times / rows,
                "exponent of pairs": times / pairs if pairs else None,
            }
        )
    return found


def quantising(size: int = 10**6) -> list[dict[str, Any]]:
    """Telling a column as cells, written to nowhere: rows a second of CPU."""
    path = parquet("few groups", size)
    mechanism = LocalQuantizer.finest(Lattice.of(0, 49, 1), 8, "s")
    _tell(path, mechanism)
    _tagged("quantize", partial(_tell, path, mechanism))
    (seconds,) = best_of(2, partial(_tell, path, mechanism))
    return [{"rows": size, "quantize s": seconds, "JVM CPU s": _cost("quantize")[0]}]


def _tell(path: Path, mechanism: LocalQuantizer) -> None:
    released: Any = quantize_frame(_session().read.parquet(str(path)), mechanism).table
    released.write.format("noop").mode("overwrite").save()


def _row(shape: str, size: int, repeats: int) -> dict[str, Any]:
    path = str(parquet(shape, size))
    bare, ours = partial(_bare, path), partial(_audit, path)
    tag, pairs = f"{shape} {size}", 0

    def tagged() -> None:
        nonlocal pairs
        pairs = _tagged(tag, ours)

    if size > _ONCE:  # smaller tables have warmed Spark up, and a warm-up takes as long as the run
        audit, group = best_of(1, tagged, bare)
    else:
        bare(), ours()
        tagged()
        audit, group = best_of(repeats if size <= 10**6 else 2, ours, bare)
    cpu, shuffled = _cost(tag)
    return {
        "table": shape,
        "rows": size,
        "distinct pairs": pairs,
        "DuckDB scan s": scanning(path, (*PUBLIC, "s")),
        "audit s": audit,
        "Spark group-by s": group,
        "ratio": audit / group,
        "CPU s": cpu,
        "rows a CPU second": size / cpu,
        "bytes shuffled a row": shuffled / size,
    }


def _audit(path: str) -> int:
    """k, l, the sizes of all posterior sets, L0 and I*."""
    found = nl.audit(SparkTable.of(_session().read.parquet(path)), sensitive="s", public=PUBLIC)
    _ = found.k_anonymity, found.distinct_l_diversity, found.posterior_histogram, found.leakage, found.maximin
    return found.pairs


def _bare(path: str) -> None:
    """The group-by alone; its result goes nowhere."""
    columns = ", ".join((*PUBLIC, "s"))
    query = f"SELECT {columns}, count(*) FROM parquet.`{path}` GROUP BY {columns}"
    _session().sql(query).write.format("noop").mode("overwrite").save()


@cache
def _session() -> Any:  # noqa: ANN401 - a SparkSession
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {
        "spark.master": "local[2]",
        "spark.driver.memory": "4g",
        "spark.driver.maxResultSize": "2g",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{_LOG}",
        "spark.eventLog.compress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.appName("noiseless benchmark")
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _tagged(tag: str, task: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the task returns
    """Run a task so that its stages can be told from others in the event log."""
    context = _session().sparkContext
    context.setLocalProperty(_TAG, tag)
    try:
        return task()
    finally:
        context.setLocalProperty(_TAG, None)


def _cost(tag: str) -> tuple[float, float]:
    """The CPU seconds of all tasks of a tagged run, and the bytes that they shuffled."""
    tags: dict[int, str | None] = {}
    costs: dict[str | None, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for file in sorted(path for path in Path(_LOG).rglob("*") if path.is_file()):
        for line in file.read_text().splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("Event") == "SparkListenerStageSubmitted":
                tags[event["Stage Info"]["Stage ID"]] = (event.get("Properties") or {}).get(_TAG)
            elif event.get("Event") == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                cost = costs[tags.get(event["Stage ID"])]
                cost[0] += event["Task Metrics"][_CPU] / 1e9
                cost[1] += event["Task Metrics"]["Shuffle Write Metrics"][_WRITTEN]
    return costs[tag][0], costs[tag][1]


INTRODUCTION = """\
The audit on [Spark](spark.md), beside the bare group-by that it needs, on two cores. CPU seconds and bytes
are from Spark's own event log. DuckDB's scan of the same file is the limit of one machine."""


def measured(form: Form) -> Iterator[Part]:
    """Two shapes at three sizes, where there is Java."""
    if not shutil.which("java"):
        yield Words("There is no Java where this page was made, and so no Spark.")
        return
    try:
        lines = spark((10**4,), 1) if form.small else spark((10**5, 10**6, 5 * 10**6))
        yield Table(lines)
        if not form.small:
            yield Table(growth(lines), "Growth of CPU time")
            yield Table(quantising(), "Quantising")
    finally:
        _session().stop()


SECTION = Section("spark", "Spark", INTRODUCTION, measured, "engines")


if __name__ == "__main__":
    chosen = tuple(int(float(size)) for size in sys.argv[1:]) or (10**6, 10**7)
    found = spark(chosen)
    for line in (*found, *growth(found), *quantising(chosen[0])):
        print(json.dumps(line))
