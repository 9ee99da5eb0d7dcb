"""[P1] Fig. 5: the map of New York, and the trips in it."""

from fractions import Fraction

import numpy as np
import pyarrow as pa

from noiseless.arrays import BoolArray, FloatArray
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Panel, Parts, Raster, reproduces
from noiseless.questions import Continuum

LONGITUDE = (Fraction("-74.27"), Fraction("-73.68"))
LATITUDE = (Fraction("40.49"), Fraction("40.92"))

COLUMNS = {
    "pickup_lon": Continuum.of(*LONGITUDE),
    "pickup_lat": Continuum.of(*LATITUDE),
    "dropoff_lon": Continuum.of(*LONGITUDE),
    "dropoff_lat": Continuum.of(*LATITUDE),
}
"""What is published about a trip, and where it can be."""

FINE = (160, 160)
BITS_A_COLUMN = (4, 6)
NEARLY_ALL = 0.99


def inside(trips: pa.Table) -> BoolArray:
    """Which trips begin and end in the box."""
    found = np.ones(len(trips), bool)
    for name, span in COLUMNS.items():
        values = trips[name].to_numpy()
        found &= (values >= float(span.low)) & (values <= float(span.high))
    return found


def density(trips: pa.Table, end: str, cells: tuple[int, int]) -> FloatArray:
    """How many trips have an end ("pickup" or "dropoff") in each cell of the box: rows are latitudes."""
    longitude, latitude = (trips[f"{end}_{name}"].to_numpy() for name in ("lon", "lat"))
    edges = [_edges(LATITUDE, cells[0]), _edges(LONGITUDE, cells[1])]
    counts: FloatArray = np.histogram2d(latitude, longitude, bins=edges)[0]
    return counts


def _edges(ends: tuple[Fraction, Fraction], cells: int) -> FloatArray:
    low, high = ends
    return np.array([float(low + (high - low) * i / cells) for i in range(cells + 1)])


@reproduces(
    "[P1] Fig. 5",
    "The box around New York",
    "Trips that begin and end within latitude 40.49 to 40.92 and longitude -74.27 to -73.68 are those"
    " in New York City.",
    needs=("taxi",),
)
def figure(data: Data) -> Parts:
    """Where trips begin: as it is, and as a few bits tell it."""
    trips = data.taxi()
    kept = inside(trips)
    share = float(kept.mean())
    shown = trips.filter(pa.array(kept))
    yield _map("Where trips begin", shown, "pickup", FINE)
    yield _map("Where trips end", shown, "dropoff", FINE)
    filled = []
    for bits in BITS_A_COLUMN:
        cells = 2**bits
        yield _map(f"Beginnings in {cells} x {cells} cells", shown, "pickup", (cells, cells))
        counts = density(shown, "pickup", (cells, cells))
        filled.append(f"{int((counts > 0).sum()):,} of {cells * cells:,} cells at {2 * bits} bits")
    yield ClaimCheck(
        "The box of latitude 40.49 to 40.92 and longitude -74.27 to -73.68 holds the trips in New York",
        f"{share:.4%} of {len(trips):,} trips begin and end in it; beginnings fill {' and '.join(filled)}",
        f"at least {NEARLY_ALL:.0%} of all trips",
        share >= NEARLY_ALL,
        about="figure",
    )
    yield (
        "The paper shows a street map; here is the map that the trips themselves draw, which is also"
        " what a release must not draw too finely."
    )
    yield "Yellow cabs of 2009 to 2015 in place of the first million trips of 2014."


def _map(title: str, trips: pa.Table, end: str, cells: tuple[int, int]) -> Panel:
    box = [(float(low), float(high)) for low, high in (LONGITUDE, LATITUDE)]
    image = Raster.of("trips in a cell", box[0], box[1], density(trips, end, cells), log=True)
    return Panel.of(title, "longitude (degrees)", "latitude (degrees)", image)
