"""The same work by noiseless, run and timed as the peers are."""

import json
import shutil
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import noiseless as nl
from noiseless.theory import stochastic
from peers.protocol import Task, serve

MEASURES = {
    "k": "k_anonymity",
    "l": "distinct_l_diversity",
    "entropy l": "entropy_l_diversity",
    "t": "t_closeness",
}


def measure(path: str, name: str, public: list[str], sensitive: str) -> Task:
    """One measure of a frame in memory."""
    data = pd.read_parquet(path, columns=[*public, sensitive])

    def task() -> float:
        found = nl.audit(data, sensitive=sensitive, public=public)
        return float(getattr(found, MEASURES[name]))

    return task


def release(  # noqa: PLR0917 - a request as JSON
    path: str, levels: str, public: list[str], sensitive: str, kind: str, k: int, suppress: float, out: str
) -> Task:
    """Release a table with at least k rows (or k sensitive values) behind every answer."""
    rows = pq.read_table(path, columns=[*public, sensitive])
    wish = _wish(levels, public, sensitive, kind, k, suppress)

    def task() -> dict[str, Any]:
        pq.write_table(nl.release(rows, **wish).table, f"{out}.noiseless")
        return {"out": f"{out}.noiseless"}

    return task


def search(  # noqa: PLR0917 - a request as JSON
    path: str,
    levels: str,
    public: list[str],
    sensitive: str,
    kind: str,
    k: int,
    suppress: float,
    out: str,  # noqa: ARG001 - as of releases
) -> Task:
    """The search of such a release alone: rows are counted before, and nothing is written."""
    from noiseless.releases.problem import PreparedTable, choose_partition
    from noiseless.releases.request import ReleaseRequest
    from noiseless.releases.source import ReleaseSource

    rows = pq.read_table(path, columns=[*public, sensitive])
    wish = ReleaseRequest.of(_wish(levels, public, sensitive, kind, k, suppress))
    source = ReleaseSource.read(rows, wish)
    return lambda: float(choose_partition(PreparedTable.of(source))[0].quality.mean_loss or 0)


def _wish(  # noqa: PLR0917 - as above
    levels: str, public: list[str], sensitive: str, kind: str, k: int, suppress: float
) -> dict[str, Any]:
    trees = {
        name: {row[0]: tuple(row[1:]) for row in lines}
        for name, lines in json.loads(Path(levels).read_text()).items()
        if name != "age"
    }
    shape = {"numeric": "age", "hierarchy": trees, "hierarchy_cost": "leaves", "codeword": "interval"}
    limit = {"min_rows" if kind == "k" else "min_posterior": k, "suppress": suppress, "prefer": "mean"}
    return {"sensitive": sensitive, "public": public} | shape | limit


def microaggregate(path: str, k: int, out: str) -> Task:
    """The group of each number: at least k in each, and the least squared error."""
    from noiseless.search.codebook import ColumnCodebook
    from noiseless.search.columns import Numbers
    from noiseless.search.mean_loss import SquaredError
    from noiseless.search.optimum import ContiguousOptimum
    from noiseless.search.problem import Problem

    numbers = np.load(path)

    def task() -> dict[str, Any]:
        values, where, rows = np.unique(numbers, return_inverse=True, return_counts=True)
        behind = nl.JointRange.from_codes(np.zeros(len(values), np.int64), np.arange(len(values)))
        problem = Problem(behind, ColumnCodebook(Numbers(values)), rows=rows)
        groups = ContiguousOptimum(problem, "distortion", rows=k).for_mean(1, SquaredError())
        if groups is None:
            raise AssertionError("there are as many numbers")
        np.save(f"{out}.noiseless.npy", groups[where])
        return {"out": f"{out}.noiseless.npy"}

    return task


def information(path: str, kind: str) -> Task:
    """From pairs and their counts to certain ends of a number of bits."""
    x, y, counts = np.load(path)
    function = {
        "common information": stochastic.common_information,
        "mutual information": stochastic.mutual_information,
    }[kind]
    return lambda: float(function(stochastic.JointDistribution.from_counts(x, y, counts=counts)))


def capacity(path: str, tolerance: float) -> Task:
    """Both ends of the capacity in bits of the channel in a file."""
    matrix = np.load(path)

    def task() -> list[float]:
        found = nl.capacity(matrix, tolerance=tolerance)
        return [found.lower, found.upper]

    return task


def leakage(path: str, kind: str) -> Task:
    """Maximal leakage of the channel in a file; of a deterministic one also L0(Y;X), from its pairs."""
    matrix = np.load(path)
    if kind == "range":
        x, y = np.nonzero(matrix)
        return lambda: float(nl.leakage(nl.JointRange.from_codes(y, x)))
    return lambda: float(stochastic.maximal_leakage(nl.Channel.of(matrix)))


def answer(path: str, query: str, bits: int, bounds: list[float], threshold: float, step: str) -> Task:  # noqa: PLR0917
    """One answer about each row of numbers in a file, in whole numbers of steps: the middle of its cell."""
    tables = np.atleast_2d(np.load(path))
    low, high = (int(end) for end in bounds)
    declared: dict[str, Any] = {} if query == "count" else {"bounds": (low, high), "step": step}
    mechanism = nl.plan(query, n=tables.shape[1], budget=bits, **declared).mechanism
    steps = round(1 / float(step))

    def told(values: Any) -> float:  # noqa: ANN401 - an array
        ticks = values > threshold if query == "count" else np.rint((values - low) * steps).astype(np.int64)
        counts = dict(enumerate(np.bincount(ticks).tolist()))
        position = mechanism.query.position(counts)  # type: ignore[attr-defined]
        found = mechanism.answer(mechanism.quantizer.cell_at(position))
        return float(found.lower + found.upper) / 2

    return lambda: [told(values) for values in tables]


_CURATOR = """
[dataset]
name = "people"
source = "people.parquet"
[budget]
bits = 40
query_bits = {bits}
[columns.value]
role = "private"
bounds = [{low}, {high}]
step = {step}
"""


def ask(path: str, query: str, bits: int, bounds: list[float], threshold: float, step: str) -> Task:  # noqa: PLR0917
    """Open a curator on a file that it has never seen and ask: priced, charged durably, answered."""
    low, high = (int(end) for end in bounds)
    asked = {"mean": "AVG(value)", "sum": "SUM(value)", "count": "COUNT(*)"}[query]
    where = f" WHERE value > {threshold}" if query == "count" else ""
    home = Path(tempfile.mkdtemp())
    pq.write_table(pa.table({"value": np.load(path)}), home / "people.parquet")

    def task() -> float:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(home / "people.parquet", folder)
            file = Path(folder) / "people.toml"
            file.write_text(_CURATOR.format(bits=bits, low=low, high=high, step=step))
            with nl.Curator.open(file) as curator:
                interval: Any = curator.ask(f"SELECT {asked} FROM people{where}").answers[0].interval
        return float(interval.lower + interval.upper) / 2

    return task


def account(questions: int, values: int) -> Task:
    """The bits of so many means over the same people, each of one bit, everything made anew."""
    from noiseless.pricing.reach import QuantizedQuery
    from noiseless.questions import Attribute, mean
    from noiseless.ranges.quantizer import Uniform

    age = Attribute("age", range(values), Fraction(0), Fraction(1))

    def task() -> float:
        told = []
        for number in range(questions):
            question = mean(1000 + number, age)
            mechanism = QuantizedQuery(question, Uniform(question.span, 1000 + number))
            told.append(nl.QuantizedAnswer(mechanism))
        return float(nl.price(told, nl.Record.of({"age": values})).bits)

    return task


def quantise(path: str, bounds: list[int], cells: int) -> Task:
    """Cells of readings; edges are exact."""
    from noiseless.collection.local.scalar import LocalQuantizer
    from noiseless.questions import Continuum

    values = np.load(path)
    release = LocalQuantizer.finest(Continuum.of(*bounds), cells)
    return lambda: len(release.encode(values))


def tables(path: str) -> Task:
    """The sharp intervals of all withheld cells of a two-way table with its margins, in the order of rows."""
    from noiseless.tabulations import Classification, Publication, PublishedTable
    from noiseless.tabulations.publication import UNBOUNDED

    held = np.load(path)
    figures, hidden = held["figures"], held["hidden"]
    dimensions = tuple(
        Classification(axis, tuple(f"{axis}{place}" for place in range(size)), {"All": tuple(range(size))})
        for axis, size in zip("rc", (many - 1 for many in figures.shape), strict=True)
    )
    table = PublishedTable.of_grid(
        "t",
        {each.name: each.labels for each in dimensions},
        np.where(hidden, 0, figures),
        np.where(hidden, UNBOUNDED, figures),
    )
    places = np.flatnonzero(hidden).tolist()

    def task() -> list[list[int]]:
        audit = nl.audit_tables(Publication(dimensions, (table,)))
        found = [audit.cells[place] for place in places]
        return [[place, cell.lower, cell.upper or 0] for place, cell in zip(places, found, strict=True)]

    return task


def suppress(path: str, levels: str, contributors: bool) -> Task:
    """Cell suppression of a table of records at given protection levels, the exact audit included.

    Args:
        path: the records, and how many neighbours make a group of each dimension.
        levels: a file of the sensitive cells: row, column, how far below and above must stay possible.
        contributors: whether each record is a contributor who must not learn a sensitive cell.
    """
    from noiseless.tabulations.protection import TrueTables, protect
    from noiseless.tabulations.protection.suppression import CellSuppression
    from peers.magnitude_tables import amounts_of, publication_of, wanted_levels

    records = json.loads(Path(path).read_text())
    publication = publication_of(records)
    wanted = wanted_levels(publication, json.loads(Path(levels).read_text()))
    costs = publication.told_lower.astype(float)
    given = amounts_of(publication, records) if contributors else None
    rules = {"p_percent": 10, "threshold": 3} if contributors else {}
    tables = TrueTables(publication, rules, given, None, costs, None if contributors else wanted)

    def task() -> list[Any]:
        outcome = protect(tables, [CellSuppression()], 50).outcomes[0]
        proposal = outcome.proposal
        loss = None if proposal is None else proposal.loss - float(costs[tables.sensitive].sum())
        bound = None if proposal is None or proposal.gap is None else proposal.gap
        return [outcome.safe, loss, bound]

    return task


WORKS: dict[str, Callable[..., Task]] = {
    "measure": measure,
    "release": release,
    "search": search,
    "microaggregate": microaggregate,
    "information": information,
    "capacity": capacity,
    "leakage": leakage,
    "answer": answer,
    "ask": ask,
    "account": account,
    "quantise": quantise,
    "tables": tables,
    "suppress": suppress,
}

if __name__ == "__main__":
    serve(WORKS)
