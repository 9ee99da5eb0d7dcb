"""Accuracy first [P4]: the policy for a tolerated error that gives away least."""

from noiseless.theory.accuracy.cells import fewest_cells, largest_share, least_leakage
from noiseless.theory.accuracy.counts import DatasetCounts
from noiseless.theory.accuracy.function_volume import FunctionVolume
from noiseless.theory.accuracy.policy import (
    AccuracyPolicy,
    AdversaryError,
    adversary_error,
    privacy_by_leakage,
    privacy_by_maximin,
    quality,
)
from noiseless.theory.accuracy.pushforward import LinearVolume, Volume
from noiseless.theory.accuracy.regions import RegionGrid, polygons

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
    "privacy_by_leakage",
    "privacy_by_maximin",
    "quality",
]
