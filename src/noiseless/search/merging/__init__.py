"""Hiding a sensitive column by merging values of a public one ([P3])."""

from noiseless.search.cells import Cells, Quality, SideInformation, assess, joint_release
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.columns import Categories, Hierarchy, Numbers
from noiseless.search.loss import Length
from noiseless.search.merging.algorithms import constrained_path, leakage_path, maximin_path
from noiseless.search.merging.baselines import (
    equal_frequency,
    equal_width,
    generalise_and_suppress,
    mondrian,
    steepest_descent,
)
from noiseless.search.merging.path import MergePath, MergePoint

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
