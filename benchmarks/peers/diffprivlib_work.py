"""Means, sums and counts with noise by diffprivlib."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from diffprivlib import tools  # type: ignore[import-not-found]

from peers.protocol import Task, serve

Answer = Callable[[Any], float]


def _answer(query: str, epsilon: float, bounds: list[float], threshold: float) -> Answer:
    low, high = bounds
    if query == "count":
        return lambda values: float(tools.count_nonzero(values > threshold, epsilon=epsilon))
    function = {"mean": tools.mean, "sum": tools.sum}[query]
    return lambda values: float(function(values, epsilon=epsilon, bounds=(low, high)))


def answer(path: str, query: str, epsilon: float, bounds: list[float], threshold: float) -> Task:
    """One answer about each row of numbers in a file."""
    tables = np.atleast_2d(np.load(path))
    told = _answer(query, epsilon, bounds, threshold)
    return lambda: [told(values) for values in tables]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serve({"answer": answer})
