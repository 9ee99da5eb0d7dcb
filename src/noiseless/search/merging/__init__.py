"""Hiding a sensitive column by merging values of a public one ([P3])."""

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
from noiseless.search.merging.subsets import submodular_agglomeration
from noiseless.search.problem import Cells, SideInformation

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
    "SideInformation",
    "constrained_path",
    "equal_frequency",
    "equal_width",
    "generalise_and_suppress",
    "leakage_path",
    "maximin_path",
    "mondrian",
    "steepest_descent",
    "submodular_agglomeration",
]
