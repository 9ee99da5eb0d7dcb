"""New York as [P1] sees it: the box, and the trips that begin and end in it."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from noiseless.questions import Continuum

if TYPE_CHECKING:
    import pyarrow as pa

LONGITUDE = (Fraction("-74.27"), Fraction("-73.68"))
LATITUDE = (Fraction("40.49"), Fraction("40.92"))

COLUMNS = {
    "pickup_lon": Continuum.of(*LONGITUDE),
    "pickup_lat": Continuum.of(*LATITUDE),
    "dropoff_lon": Continuum.of(*LONGITUDE),
    "dropoff_lat": Continuum.of(*LATITUDE),
}
"""What is told of a trip, and where it can be."""


def inside(trips: "pa.Table") -> NDArray[np.bool_]:
    """Which trips begin and end in the box."""
    found = np.ones(len(trips), bool)
    for name, span in COLUMNS.items():
        values = trips[name].to_numpy()
        found &= (values >= float(span.low)) & (values <= float(span.high))
    return found


def density(trips: "pa.Table", end: str, cells: tuple[int, int]) -> NDArray[np.float64]:
    """How many trips have an end ("pickup" or "dropoff") in each cell of the box: rows are latitudes."""
    longitude, latitude = (trips[f"{end}_{name}"].to_numpy() for name in ("lon", "lat"))
    edges = [_edges(LATITUDE, cells[0]), _edges(LONGITUDE, cells[1])]
    counts: NDArray[np.float64] = np.histogram2d(latitude, longitude, bins=edges)[0]
    return counts


def _edges(ends: tuple[Fraction, Fraction], cells: int) -> NDArray[np.float64]:
    low, high = ends
    return np.array([float(low + (high - low) * i / cells) for i in range(cells + 1)])
