"""The same work by numpy alone: Laplace noise on a mean, a sum or a count, cells by digitize, and sorting."""

from typing import Any

import numpy as np

from peers.protocol import Task, serve


def answer(path: str, query: str, epsilon: float, bounds: list[float], threshold: float) -> Task:
    """One answer about each row of numbers in a file; floats and their leaks are nobody's concern here."""
    tables = np.atleast_2d(np.load(path))
    rng = np.random.default_rng(1)
    low, high = bounds
    people = tables.shape[1]
    sweep = {"mean": (high - low) / people, "sum": high - low, "count": 1.0}[query]

    def told(values: Any) -> float:  # noqa: ANN401 - an array
        if query == "count":
            truth = float(np.count_nonzero(values > threshold))
        else:
            truth = float(values.mean() if query == "mean" else values.sum())
        return truth + float(rng.laplace(0, sweep / epsilon))

    return lambda: [told(values) for values in tables]


def quantise(path: str, edges: list[float]) -> Task:
    """Cells of readings by `numpy.digitize`."""
    values, cuts = np.load(path), np.array(edges)
    return lambda: len(np.digitize(values, cuts))


def sort(path: str, **others: Any) -> Task:  # noqa: ANN401, ARG001 - what contenders are told
    """The order of the numbers."""
    values = np.load(path)
    return lambda: len(np.argsort(values, kind="stable"))


def copy(path: str) -> Task:
    """A copy of the readings to memory that was touched before."""
    values = np.load(path)
    target = np.copy(values)

    def task() -> int:
        np.copyto(target, values)
        return len(target)

    return task


if __name__ == "__main__":
    serve({"answer": answer, "quantise": quantise, "copy": copy, "sort": sort})
