"""Microaggregation of one column by microagg1d, with the method it takes itself."""

from typing import Any

import microagg1d  # type: ignore[import-not-found]
import numpy as np

from peers.protocol import Task, serve


def microaggregate(path: str, k: int, out: str) -> Task:
    """The group of each number: at least k in each, and the least squared error, in floats."""
    numbers = np.load(path)

    def task() -> dict[str, Any]:
        np.save(f"{out}.microagg1d.npy", microagg1d.univariate_microaggregation(numbers, k))
        return {"out": f"{out}.microagg1d.npy"}

    return task


if __name__ == "__main__":
    serve({"microaggregate": microaggregate})
