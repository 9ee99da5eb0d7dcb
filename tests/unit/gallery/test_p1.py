"""Figures of [P1]: what they compute, on stand-ins and, where that is cheap, on the real data."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from noiseless.gallery import named_figure
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Curve, Outcome
from noiseless.gallery.p1_fig5 import LATITUDE, LONGITUDE, density, inside
from noiseless.gallery.reproduction import make


def curves(outcome: Outcome, panel: int) -> dict[str, Curve]:
    return {curve.label: curve for curve in outcome.panels[panel].curves}


@pytest.fixture(scope="module")
def membership() -> Outcome:
    return make(named_figure("p1-fig3"), Data(None))


def test_three_adversaries_over_all_answers_and_over_a_day(membership: Outcome) -> None:
    assert len(membership.panels) == 6
    for panel in range(6):
        found = curves(membership, panel)
        assert list(found)[:4] == ["n = 2", "n = 4", "n = 8", "n = 16"]
        assert found["n = 4, cells as printed (unsound)"].style == "dashed"
        assert found["n = 4"].x == (0, 1, 2, 3, 4, 5, 6, 8, 9)


def test_without_bits_nothing_is_gained_and_the_interval_says_so(membership: Outcome) -> None:
    for panel in range(6):
        for label, curve in curves(membership, panel).items():
            assert curve.y[0] < 0.25, label
    fair = membership.checks[-1]
    assert fair.agrees
    assert "1/2" in fair.criterion


def test_the_printed_cells_never_tell_less(membership: Outcome) -> None:
    sound = np.array(curves(membership, 0)["n = 4"].y)
    printed = np.array(curves(membership, 0)["n = 4, cells as printed (unsound)"].y)
    assert printed[2] > sound[2]  # at 2 bits 16 cells in place of 12


def test_appliances_are_recognised_better_with_more_bits() -> None:
    outcome = make(named_figure("p1-fig4"), Data(None))
    assert all(check.agrees for check in outcome.checks)
    for panel in range(2):
        mean = curves(outcome, panel)["mean of all five"]
        assert mean.low is not None
        assert mean.high is not None
        assert all(low <= y <= high for low, y, high in zip(mean.low, mean.y, mean.high, strict=True))
        assert len(curves(outcome, panel)) == 6


def test_trips_in_the_box(data: Path) -> None:
    outcome = make(named_figure("p1-fig5"), Data(data))
    assert outcome.agrees
    assert not outcome.synthetic
    image = outcome.panels[0].image
    assert image is not None
    assert sum(map(sum, image.values)) == inside(Data(data).taxi()).sum()


def test_the_density_counts_each_trip_once() -> None:
    west, east = map(float, LONGITUDE)
    south, north = map(float, LATITUDE)
    trips = pa.table(
        {
            "pickup_lon": [west, east, east, 0.0],
            "pickup_lat": [south, north, south, 0.0],
            "dropoff_lon": [west] * 4,
            "dropoff_lat": [south] * 4,
        }
    )
    kept = trips.filter(pa.array(inside(trips)))
    assert density(kept, "pickup", (2, 3)).tolist() == [[1, 0, 1], [0, 0, 1]]
    assert density(kept, "dropoff", (1, 1)).tolist() == [[3]]


def test_unique_trips_become_fewer_with_fewer_bits_and_more_trips() -> None:
    outcome = make(named_figure("p1-fig6"), Data(None))
    even = curves(outcome, 0)["as many bits for each coordinate"]
    assert even.y[0] == 0
    assert even.y[-1] == pytest.approx(1, abs=1e-3)
    assert list(even.y) == sorted(even.y)
    hit = curves(outcome, 0)["chance to find a trip by picking one of its cell"]
    assert all(share <= chance for share, chance in zip(even.y, hit.y, strict=True))
    few = curves(outcome, 1)["30 trips"]
    assert all(a >= b for a, b in zip(few.y, even.y, strict=True))
