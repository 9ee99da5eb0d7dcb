"""Time pycanon's anonymity functions on one table and print one JSON line.

Run it with the Python of an environment made from requirements-pycanon.txt:

    python pycanon_anonymity.py table.parquet age,sex,race occupation --functions k,l,entropy,t

Only the named columns are read. Loading them is not part of the seconds reported.
"""

import argparse
import json
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from pycanon import anonymity

Measure = Callable[[pd.DataFrame, list[str], list[str]], float]

FUNCTIONS: dict[str, Measure] = {
    "k": lambda data, public, _: anonymity.k_anonymity(data, public),
    "l": anonymity.l_diversity,
    "entropy": anonymity.entropy_l_diversity,
    "t": anonymity.t_closeness,
}


def names(text: str) -> list[str]:
    """Split a comma-separated list of names."""
    return [name.strip() for name in text.split(",") if name.strip()]


def load(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns of a parquet or CSV file in the form pycanon needs.

    pycanon mixes index labels with row positions, so the index is made 0, 1, 2, ...; it counts
    unused categories as empty classes, so categorical columns become plain ones.
    """
    if path.suffix == ".parquet":
        data = pd.read_parquet(path, columns=columns)
    else:
        data = pd.read_csv(path, usecols=columns, skipinitialspace=True)
    for name in columns:
        dtype = data[name].dtype
        if isinstance(dtype, pd.CategoricalDtype):
            data[name] = data[name].astype(dtype.categories.dtype)
    return data.reset_index(drop=True)


def main() -> None:
    """Read the arguments, time each function once and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path, help="parquet or CSV file")
    parser.add_argument("public", type=names, help="public columns, separated by commas")
    parser.add_argument("sensitive", help="sensitive column")
    parser.add_argument("--functions", type=names, default=list(FUNCTIONS), help="some of k,l,entropy,t")
    args = parser.parse_args()
    unknown = [name for name in args.functions if name not in FUNCTIONS]
    if unknown:
        parser.error(f"unknown functions: {', '.join(unknown)}")

    data = load(args.path, [*args.public, args.sensitive])
    seconds: dict[str, float] = {}
    values: dict[str, float] = {}
    for name in args.functions:
        start = time.perf_counter()
        value = FUNCTIONS[name](data, args.public, [args.sensitive])
        seconds[name] = time.perf_counter() - start
        values[name] = value
    result = {
        "peer": f"pycanon {version('pycanon')}",
        "python": platform.python_version(),
        "pandas": version("pandas"),
        "rows": len(data),
        "public": args.public,
        "sensitive": args.sensitive,
        "seconds": seconds,
        "values": values,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
