"""Figures of [P1]: what they compute, on stand-ins and, where that is cheap, on the real data."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from noiseless.gallery import named_figure
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Curve, Outcome
from noiseless.gallery.p1_fig3 import ADVERSARIES, FUSE, MembershipGames, telling_pair
from noiseless.gallery.p1_fig5 import LATITUDE, LONGITUDE, density, inside
from noiseless.gallery.reproduction import make


def curves(outcome: Outcome, panel: int) -> dict[str, Curve]:
    return {curve.label: curve for curve in outcome.panels[panel].curves}


@pytest.fixture(scope="module")
def membership() -> Outcome:
    return make(named_figure("p1-fig3"), Data(None))


def test_three_adversaries_with_daily_totals_and_with_half_hours(membership: Outcome) -> None:
    assert len(membership.panels) == 10
    for panel in range(6):
        found = curves(membership, panel)
        assert list(found)[:4] == ["n = 2", "n = 4", "n = 8", "n = 16"]
        assert ("n = 4 and 8, cells as printed (unsound)" in found) == (panel < 3)
        assert found["n = 4"].x == (0, 1, 2, 3, 4, 5, 6, 8, 9)
    assert membership.panels[0].title == "By correlation: 28 daily totals"
    assert membership.panels[3].title == "By correlation: 1,344 half hours"
    for panel in range(6, 10):
        assert list(curves(membership, panel)) == [
            "by correlation",
            "by mean square error",
            "by common peaks",
        ]


def test_only_daily_totals_are_the_papers_experiment(membership: Outcome) -> None:
    shown = [check.claim for check in membership.checks if check.about == "figure"]
    assert shown == [
        "For n = 4 at 2 bits the advantage is almost zero",
        "For n = 8 at 3 bits the advantage is almost zero",
        "As the budget grows the advantage tends to the one without protection",
    ]
    assert membership.synthetic
    assert membership.reproduces is None  # a stand-in says nothing about the paper


def test_on_the_london_homes_the_claim_holds_for_four_and_not_for_eight(data: Path) -> None:
    halves = Data(data).meters()
    days = np.round(halves.reshape(-1, 48, halves.shape[1]).sum(axis=1), 3)
    found = MembershipGames(days, 48 * FUSE, 1000).scores({4, 8}, budgets=[2, 3])
    rates = {key[:2]: [score.score for score in line[:2]] for key, line in found.items()}
    assert [rates[4, name][0] for name in ADVERSARIES] == [0.487, 0.486, 0.493]
    assert [rates[8, name][1] for name in ADVERSARIES] == [0.690, 0.588, 0.712]


def test_the_pair_that_an_adversary_chooses_varies_much_and_not_together() -> None:
    days = np.array([[0.0, 9.0, 0.0, 1.0], [9.0, 0.0, 9.0, 0.0], [0.0, 9.0, 0.0, 1.0], [9.0, 0.0, 9.0, 0.0]])
    assert telling_pair(days) in {(0, 1), (1, 2)}


def test_without_bits_nothing_is_gained_and_the_interval_says_so(membership: Outcome) -> None:
    for panel in range(3, 6):
        for label, curve in curves(membership, panel).items():
            assert curve.y[0] < 0.25, label
    fair = membership.checks[-1]
    assert fair.agrees
    assert "1/2" in fair.criterion


def test_the_printed_cells_never_tell_less(membership: Outcome) -> None:
    first = [curve for curve in membership.panels[0].curves if curve.style == "dashed"]
    assert len(first) == 2  # at 2 bits and n = 4 16 cells in place of 12
    assert all(max(curve.y) > 0 for curve in first)


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
