"""Hiding a sensitive column by merging values of a public one ([P3])."""

from noiseless.search.merging.algorithms import constrained_path, leakage_path, maximin_path
from noiseless.search.merging.baselines import (
    equal_frequency,
    equal_width,
    generalise_and_suppress,
    mondrian,
    steepest_descent,
)
from noiseless.search.merging.cells import Cells, Quality, assess
from noiseless.search.merging.codebook import Codebook, ColumnCodebook
from noiseless.search.merging.columns import Categories, Hierarchy, Numbers
from noiseless.search.merging.length import Length
from noiseless.search.merging.path import MergePath, MergePoint
from noiseless.search.merging.side import SideInformation, joint_release

__all__ = [
    "Categories",
    "Cells",
    "Codebook",
    "ColumnCodebook",
    "Hierarchy",
    "Length",
    "MergePath",
    "MergePoint",
    "Numbers",
    "Quality",
    "SideInformation",
    "assess",
    "constrained_path",
    "equal_frequency",
    "equal_width",
    "generalise_and_suppress",
    "joint_release",
    "leakage_path",
    "maximin_path",
    "mondrian",
    "steepest_descent",
]
