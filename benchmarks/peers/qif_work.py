"""Capacity and leakage of channels by libqif.

libqif stops when the ends of Blahut and Arimoto's iteration agree absolutely *and* relatively, so a tolerance
is given for both; it returns the lower end as a float computes it, in bits.
"""

import math

import numpy as np
import qif  # type: ignore[import-not-found]

from peers.protocol import Task, serve


def capacity(path: str, tolerance: float) -> Task:
    """Capacity in bits of the channel in a file."""
    matrix = np.load(path)
    return lambda: float(qif.measure.shannon.add_capacity(matrix, tolerance, tolerance)[0])


def leakage(path: str, kind: str) -> Task:
    """Leakage in bits under a uniform prior: min-entropy's, that of the identity gain, or its largest."""
    matrix = np.load(path)
    inputs = len(matrix)
    prior = np.full(inputs, 1 / inputs)
    measure = qif.measure
    if kind == "min-entropy leakage":
        return lambda: float(measure.bayes_vuln.min_entropy_leakage(prior, matrix))
    if kind == "g-leakage, identity gain":
        gain = np.eye(inputs)
        return lambda: math.log2(measure.g_vuln.mult_leakage(gain, prior, matrix))
    return lambda: math.log2(measure.bayes_vuln.mult_capacity(matrix))


if __name__ == "__main__":
    serve({"capacity": capacity, "leakage": leakage})
