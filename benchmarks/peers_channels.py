"""Capacity and leakage of channels, beside libqif and dit."""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from capacity_speed import RANDOM, TOLERANCE, Matrix, geometric
from measure import WORK, copying
from page import Form, Part, Plot, Section, Table
from side_by_side import OURS, Contender, Outcome, Race, columns_of, peaks_of, seconds_of
from wording import growth, points_of, versus

QIF = Contender("libqif", "qif_work", "qif", arguments={"tolerance": TOLERANCE})
DIT = Contender("dit", "dit_work", "dit")
NOISELESS = Contender("noiseless", "noiseless_work", arguments={"tolerance": TOLERANCE})

CAPACITY = f"""\
Shannon capacity of square channels. noiseless returns two ends that certainly hold it, at most
{TOLERANCE:g} nats apart; libqif iterates to the same tolerance; dit stops by its own rule, which certifies
nothing: *dit off by* is how far its number lies outside the certain ends. The limit is a copy of the
matrix."""

LEAKAGE = """\
The min-entropy leakage of a deterministic channel under a uniform prior, its g-leakage for the identity
gain, its multiplicative Bayes capacity, and L0(Y;X) are one number: log2 of how many outputs there are.
libqif computes the first three from a matrix of floats. noiseless computes the capacity (maximal leakage)
exactly from the same matrix, and L0 from the pairs that can occur, which need no matrix. The limit is a
copy of the matrix. The numbers agree to 1e-9."""


def capacities(form: Form) -> Iterator[Part]:
    """Random channels of growing size and a mechanism."""
    sizes = (10, 40) if form.small else (50, 100, 200, 400)
    makers: dict[str, Callable[[int], Matrix]] = {
        **RANDOM,
        "geometric, 8 nats over the range": lambda size: geometric(size, 8 / (size - 1)),
    }
    contenders = (NOISELESS, QIF, DIT)
    race = Race(contenders, "capacity", form, repeats=3)
    times, peaks = list[dict[str, Any]](), list[dict[str, Any]]()
    for name, make in makers.items():
        for size in sizes:
            matrix = make(size)
            found = race.run(name, path=str(_saved(matrix)))
            head = {"channel": name, "inputs": size}
            line = head | {"copy s": copying(matrix)} | seconds_of(found)
            times.append(line | {"dit off by bits": _error(found)})
            peaks.append(head | peaks_of(found))
    columns = columns_of(contenders)
    others = {name: column for name, column in columns.items() if name != OURS.name}
    yield Table(times, "Seconds")
    yield from versus(times, "noiseless s", others, ("channel", "inputs"))
    yield race.first_calls()
    yield Table(growth(times, "inputs", columns, ("channel",)), "Growth: the exponent of inputs")
    yield Table([row for row in peaks if row["inputs"] == sizes[-1]], "Peak memory of the process")
    mine = [row for row in times if row["channel"] == next(iter(makers))]
    lines = {name: points_of(mine, "inputs", column) for name, column in columns.items()}
    lines["copy of the matrix"] = points_of(mine, "inputs", "copy s")
    yield Plot("capacity", f"Seconds to find capacity, {next(iter(makers))}", "inputs", "seconds", lines)


def _error(found: Mapping[str, Outcome]) -> float | str:
    """How far dit is off; libqif must lie within its tolerance."""
    if not found["noiseless"].finished:
        return ""
    lower, upper = found["noiseless"].value
    qif, dit = found["libqif"], found["dit"]
    if qif.finished and not lower - 1e-8 <= qif.value <= upper + 1e-8:
        raise AssertionError(f"noiseless and libqif disagree: {lower} to {upper}, {qif.value}")
    return float(max(lower - dit.value, dit.value - upper, 0.0)) if dit.finished else ""


def leakages(form: Form) -> Iterator[Part]:
    """Deterministic channels with ten inputs for each output."""
    sizes = (50, 200) if form.small else (300, 1000, 3000)
    contenders = (
        Contender("noiseless, matrix", "noiseless_work", arguments={"kind": "matrix"}),
        Contender("noiseless, pairs", "noiseless_work", arguments={"kind": "range"}),
        Contender("libqif, min-entropy", "qif_work", "qif", arguments={"kind": "min-entropy leakage"}),
        Contender("libqif, g-leakage", "qif_work", "qif", arguments={"kind": "g-leakage, identity gain"}),
        Contender("libqif, capacity", "qif_work", "qif", arguments={"kind": "capacity"}),
    )
    race = Race(contenders, "leakage", form)
    times, peaks = list[dict[str, Any]](), list[dict[str, Any]]()
    for size in sizes:
        matrix = np.zeros((size, size // 10))
        matrix[np.arange(size), np.random.default_rng(0).permutation(size) % (size // 10)] = 1
        found = race.run(path=str(_saved(matrix)))
        for name, outcome in found.items():
            if outcome.finished and not math.isclose(outcome.value, math.log2(size // 10), rel_tol=1e-9):
                raise AssertionError(f"{name} finds {outcome.value}")
        head = {"inputs": size, "bits": math.log2(size // 10)}
        times.append(head | {"copy s": copying(matrix)} | seconds_of(found))
        peaks.append(head | peaks_of(found))
    columns = columns_of(contenders)
    yield Table(times, "Seconds")
    peers = {name: column for name, column in columns.items() if name.startswith("libqif")}
    yield from versus(times, "noiseless, pairs s", peers, ("inputs",), us="noiseless from pairs")
    same = {"libqif, capacity": "libqif, capacity s"}
    yield from versus(times, "noiseless, matrix s", same, ("inputs",), us="noiseless from the matrix")
    yield race.first_calls()
    yield Table(growth(times, "inputs", columns), "Growth: the exponent of inputs")
    yield Table(peaks, "Peak memory of the process")


def _saved(matrix: Matrix) -> Path:
    WORK.mkdir(exist_ok=True)
    path = WORK / f"channel-{matrix.shape[0]}-{matrix.shape[1]}.npy"
    np.save(path, matrix)
    return path


SECTIONS = (
    Section("peers-capacity", "Channel capacity, beside libqif and dit", CAPACITY, capacities, "peers"),
    Section("peers-leakage", "Leakage of deterministic channels, beside libqif", LEAKAGE, leakages, "peers"),
)
