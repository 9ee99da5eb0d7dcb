"""Time dit's channel capacity on a matrix and print one JSON line.

Run it with the Python of an environment made from requirements-dit.txt:

    python dit_capacity.py channel.npy

dit stops when two successive values of Blahut and Arimoto's iteration are close (its own tolerances are
used), which bounds nothing. Its logarithms of 0 are warnings that it discards with nansum.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from dit.algorithms import channel_capacity  # type: ignore[import-not-found]


def main() -> None:
    """Read the arguments, time one call and print the result."""
    matrix = np.load(sys.argv[1])
    with np.errstate(all="ignore"):
        start = time.perf_counter()
        bits, _ = channel_capacity(matrix)
        seconds = time.perf_counter() - start
    print(json.dumps({"peer": f"dit {version('dit')}", "bits": float(bits), "seconds": seconds}))


if __name__ == "__main__":
    main()
