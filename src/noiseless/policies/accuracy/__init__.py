"""Accuracy first [P4]: the policy for a tolerated error that gives away least."""

from noiseless.policies.accuracy.adversary import AdversaryError, adversary_error
from noiseless.policies.accuracy.cells import fewest_cells, largest_share, least_leakage
from noiseless.policies.accuracy.counts import DatasetCounts
from noiseless.policies.accuracy.functions import FunctionVolume
from noiseless.policies.accuracy.policy import AccuracyPolicy
from noiseless.policies.accuracy.pushforward import LinearVolume, Volume
from noiseless.policies.accuracy.regions import RegionGrid, polygons

__all__ = [
    "AccuracyPolicy",
    "AdversaryError",
    "DatasetCounts",
    "FunctionVolume",
    "LinearVolume",
    "RegionGrid",
    "Volume",
    "adversary_error",
    "fewest_cells",
    "largest_share",
    "least_leakage",
    "polygons",
]
