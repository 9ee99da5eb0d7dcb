"""Means, sums and counts with noise, and the account of many of them, by OpenDP.

One person's value is replaced: a symmetric distance of 2. The number of people is public, and the bounds are
declared, so that nothing has to be clamped or resized: OpenDP's shortest way.
"""

from typing import Any

import numpy as np
import opendp.prelude as dp  # type: ignore[import-not-found]

from peers.protocol import Task, serve

_REPLACED = 2


def _measurement(query: str, people: int, epsilon: float, bounds: list[float]) -> Any:  # noqa: ANN401 - OpenDP's
    low, high = (float(end) for end in bounds)
    metric = dp.symmetric_distance()
    if query == "count":
        truths = dp.vector_domain(dp.atom_domain(bounds=(0, 1)), size=people)
        exact = (truths, metric) >> dp.t.then_sum()
    else:
        numbers = dp.vector_domain(dp.atom_domain(bounds=(low, high), nan=False), size=people)
        exact = (numbers, metric) >> (dp.t.then_mean() if query == "mean" else dp.t.then_sum())
    return dp.binary_search_chain(
        lambda scale: exact >> dp.m.then_laplace(scale), d_in=_REPLACED, d_out=epsilon
    )


def answer(path: str, query: str, epsilon: float, bounds: list[float], threshold: float) -> Task:
    """One answer about each row of numbers in a file; the measurement is made once, before."""
    tables = np.atleast_2d(np.load(path))
    measurement = _measurement(query, tables.shape[1], epsilon, bounds)

    def told(values: Any) -> float:  # noqa: ANN401 - an array
        seen = (values > threshold).astype(np.int32) if query == "count" else values
        return float(measurement(seen))

    return lambda: [told(values) for values in tables]


def account(questions: int, epsilon: float) -> Task:
    """The epsilon of so many Laplace answers asked together, each made anew."""
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def task() -> float:
        answers = [dp.m.make_laplace(*space, scale=1 / epsilon) for _ in range(questions)]
        return float(dp.c.make_composition(answers).map(1.0))

    return task


if __name__ == "__main__":
    dp.enable_features("contrib")
    serve({"answer": answer, "account": account})
