"""Measures of anonymity by pycanon, in its own environment or in anjana's, which measures through pycanon."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from pycanon import anonymity

from peers.protocol import Task, serve

Measure = Callable[[pd.DataFrame, list[str], list[str]], Any]

FUNCTIONS: dict[str, Measure] = {
    "k": lambda data, public, _: anonymity.k_anonymity(data, public),
    "l": anonymity.l_diversity,
    "entropy l": anonymity.entropy_l_diversity,
    "t": anonymity.t_closeness,
}


def measure(path: str, name: str, public: list[str], sensitive: str) -> Task:
    """One measure of a frame in memory.

    pycanon mixes index labels with row positions, so the index is made 0, 1, 2, ...; it counts unused
    categories as empty classes, so columns are plain ones.
    """
    data = pd.read_parquet(path, columns=[*public, sensitive]).reset_index(drop=True)
    return lambda: float(FUNCTIONS[name](data, public, [sensitive]))


if __name__ == "__main__":
    serve({"measure": measure})
