"""Accuracy first [P4]: the policy for a tolerated error that gives away least."""

from noiseless.theory.accuracy.adversary import AdversaryError, adversary_error
from noiseless.theory.accuracy.cells import fewest_cells, largest_share, least_leakage, least_leaking
from noiseless.theory.accuracy.counts import DatasetCounts
from noiseless.theory.accuracy.function_volume import FunctionVolume
from noiseless.theory.accuracy.peaks import OrderVolume
from noiseless.theory.accuracy.policy import AccuracyPolicy, privacy_by_leakage, privacy_by_maximin, quality
from noiseless.theory.accuracy.pushforward import LinearVolume, Volume
from noiseless.theory.accuracy.regions import RegionGrid, polygons

__all__ = [
    "AccuracyPolicy",
    "AdversaryError",
    "DatasetCounts",
    "FunctionVolume",
    "LinearVolume",
    "OrderVolume",
    "RegionGrid",
    "Volume",
    "adversary_error",
    "fewest_cells",
    "largest_share",
    "least_leakage",
    "least_leaking",
    "polygons",
    "privacy_by_leakage",
    "privacy_by_maximin",
    "quality",
]
