"""All benchmarks in one run: prints and writes a page of ratios (`bench/results.md`)."""

import argparse
import platform
import shutil
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

import audit_speed
import capacity_speed
import components_speed
import curator_speed
import engines_speed
import frontier_speed
import games_speed
import ledger_speed
import merging_speed
import peers_speed
import prices_speed
import quantize_speed
import selection_speed
import server_speed
import spark_speed
import streams_speed
import theta_speed
from measure import WORK, best_of, in_a_process


def main() -> None:
    """Run the benchmarks and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the sizes, to see that all works")
    parser.add_argument("--no-peers", action="store_true", help="leave the peers out")
    chosen = parser.parse_args()
    scale = 10 if chosen.small else 1
    large = 10**7 // scale

    page = ["# Benchmarks", _machine()]
    page += ["## Audit of a Parquet file", _table(audit_speed.rows((large // 10, large)))]
    exponents = audit_speed.growth(large // 10, large)
    page += ["### Growth", _table([{"table": k, "exponent of rows": v} for k, v in exponents.items()])]
    page += ["### Memory", _table(audit_speed.memory(large))]
    page += ["## Maximin information of loose pairs", _table(components_speed.rows(large))]
    page += ["## Quantising readings", _table(quantize_speed.rows(large))]
    page += ["## Prices of batches", _table(prices_speed.rows(10**4 // scale))]
    million = 10**6 // scale
    page += ["## The exact frontier of one ordered column", _table(frontier_speed.rows(million))]
    page += ["### Growth", _table(frontier_speed.growth(million // 10, million))]
    page += ["## Greedy merging of one ordered column", _table(merging_speed.rows(million))]
    page += ["### Growth", _table(merging_speed.growth(million // 10, million))]
    page += ["### Two columns", _table(merging_speed.general(20_000 // scale))]
    page += ["### Against the algorithms word for word", _table(merging_speed.literal())]
    page += ["## Choosing a release of six columns", _table(selection_speed.columns(30_000 // scale))]
    page += ["## The ledger", _table([ledger_speed.writing()])]
    page += ["### Reading", _table([ledger_speed.reading((100, million))])]
    page += ["## The curator", _table(curator_speed.rows())]
    page += ["### Prices", _table([curator_speed.pricing()])]
    page += ["## The server", _table(server_speed.rows())]
    page += ["## Attack games", _table(games_speed.rows(scale))]
    page += ["## PostgreSQL", _table(engines_speed.postgresql(million))]
    if shutil.which("java"):
        lines = spark_speed.spark((million, large))
        page += ["## Spark", _table(lines), "### Growth", _table(spark_speed.growth(lines))]
    page += ["## Streams", _table(streams_speed.rows(million))]
    page += ["### Growth", _table(streams_speed.growth((million // 10, million, large)))]
    sizes = (64, 256, 1024) if chosen.small else (256, 1024, 4096)
    page += ["## Channel capacity of mechanisms", _table(capacity_speed.mechanisms(sizes))]
    page += ["### Large random channels", _table(capacity_speed.large(1000 // scale))]
    page += ["## Lovasz's number", _table(theta_speed.rows((10, 25) if chosen.small else (25, 50, 100)))]
    if not chosen.no_peers:
        page += ["## Against pycanon, k and l", _table(peers_speed.rows(10**6 // scale))]
        page += ["## Capacity against libqif and dit", _table(capacity_speed.against_peers())]
    page += ["## Import", _table([{"import noiseless s": _import_seconds()}])]
    (WORK / "results.md").write_text("\n\n".join(page) + "\n")


def _machine() -> str:
    parts = ", ".join(
        f"{name} {version(name)}" for name in ("noiseless", "duckdb", "numpy", "numba", "scipy")
    )
    return f"Python {platform.python_version()}, {platform.machine()}; {parts}. Best of several runs in turn."


def _import_seconds() -> float:
    clock = "time.perf_counter()"
    code = f"import time, json; t = {clock}; import noiseless; print(json.dumps({clock} - t))"
    found = []
    best_of(5, lambda: found.append(in_a_process(code)))
    return float(min(found))


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    lines = list(rows)
    header = list(lines[0])
    text = [header, ["---"] * len(header), *([_cell(row[name]) for name in header] for row in lines)]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in text)
    print(table, end="\n\n", flush=True)
    return table


def _cell(value: object) -> str:
    return (
        f"{value:,.3g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


if __name__ == "__main__":
    main()
