"""Time libqif's channel capacity on a matrix and print one JSON line.

Run it with the Python of an environment made from requirements-qif.txt:

    python qif_capacity.py channel.npy 1e-9

libqif stops when the ends of Blahut and Arimoto's iteration agree absolutely *and* relatively, so the
tolerance is given for both; it returns the lower end as a float computes it, in bits.
"""

import json
import sys
import time

import numpy as np
import qif  # type: ignore[import-not-found]


def main() -> None:
    """Read the arguments, time one call and print the result."""
    matrix, tolerance = np.load(sys.argv[1]), float(sys.argv[2])
    start = time.perf_counter()
    bits, _ = qif.measure.shannon.add_capacity(matrix, tolerance, tolerance)
    seconds = time.perf_counter() - start
    print(json.dumps({"peer": f"qif {qif.__version__}", "bits": bits, "seconds": seconds}))


if __name__ == "__main__":
    main()
