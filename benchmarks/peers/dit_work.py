"""Common and mutual information, and channel capacity, by dit.

dit's capacity stops when two successive values of Blahut and Arimoto's iteration are close (its own
tolerances are used), which bounds nothing. Its logarithms of 0 are warnings that it discards with nansum.
"""

import warnings

import dit  # type: ignore[import-not-found]
import numpy as np
from dit.algorithms import channel_capacity  # type: ignore[import-not-found]

from peers.protocol import Task, serve


def information(path: str, kind: str) -> Task:
    """From pairs and their counts to a number of bits."""
    x, y, counts = np.load(path)
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    shares = (counts / counts.sum()).tolist()

    def task() -> float:
        joint = dit.Distribution(pairs, shares)
        if kind == "common information":
            return float(dit.multivariate.gk_common_information(joint))
        return float(dit.shannon.mutual_information(joint, [0], [1]))

    return task


def capacity(path: str) -> Task:
    """Capacity in bits of the channel in a file."""
    matrix = np.load(path)
    return lambda: float(channel_capacity(matrix)[0])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serve({"information": information, "capacity": capacity})
