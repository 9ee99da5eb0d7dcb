"""Indistinguishability [P2] and the chosen-pair game: can one of two records be told from the other?"""

from noiseless.theory.indistinguishability.chosen_pair import (
    ChosenPair,
    KnownOthers,
    known_others,
    separated_pair,
    worst_pair,
)
from noiseless.theory.indistinguishability.finite import Indistinguishability, indistinguishability
from noiseless.theory.indistinguishability.finite_mechanism import FiniteMechanism
from noiseless.theory.indistinguishability.linear import (
    largest_cells,
    linear_indistinguishability,
    printed_cells,
)
from noiseless.theory.indistinguishability.linear_query import LinearQuery

__all__ = [
    "ChosenPair",
    "FiniteMechanism",
    "Indistinguishability",
    "KnownOthers",
    "LinearQuery",
    "indistinguishability",
    "known_others",
    "largest_cells",
    "linear_indistinguishability",
    "printed_cells",
    "separated_pair",
    "worst_pair",
]
