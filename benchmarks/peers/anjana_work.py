"""Anonymising a table by anjana: its k-anonymity is Datafly's way through the levels of hierarchies."""

import contextlib
import io
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
from anjana.anonymity import k_anonymity, l_diversity  # type: ignore[import-not-found]

from peers.protocol import Task, serve


def release(  # noqa: PLR0917 - a request as JSON
    path: str, levels: str, public: list[str], sensitive: str, kind: str, k: int, suppress: float, out: str
) -> Task:
    """Release a table of texts with at least k rows (or k sensitive values) behind every answer."""
    data = pd.read_parquet(path, columns=[*public, sensitive]).reset_index(drop=True)
    trees = {
        name: {level: pd.Series(names).to_numpy() for level, names in enumerate(zip(*rows, strict=True))}
        for name, rows in json.loads(Path(levels).read_text()).items()
    }

    def task() -> dict[str, Any] | None:
        percent, hierarchies = 100 * suppress, deepcopy(trees)  # anjana changes what it is given
        with contextlib.redirect_stdout(io.StringIO()):
            if kind == "k":
                done = k_anonymity(data.copy(), [], public, k, percent, hierarchies)
            else:
                done = l_diversity(data.copy(), [], public, sensitive, k, k, percent, hierarchies)
        if not len(done):
            return None  # no level of generalisation is enough
        done[[*public, sensitive]].to_parquet(f"{out}.anjana")
        return {"out": f"{out}.anjana"}

    return task


if __name__ == "__main__":
    serve({"release": release})
