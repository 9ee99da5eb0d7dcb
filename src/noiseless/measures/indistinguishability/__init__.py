"""Indistinguishability [P2] and the chosen-pair game: can one of two records be told from the other?"""

from noiseless.measures.indistinguishability.chosen_pair import (
    ChosenPair,
    KnownOthers,
    known_others,
    separated_pair,
    worst_pair,
)
from noiseless.measures.indistinguishability.finite import Indistinguishability, indistinguishability
from noiseless.measures.indistinguishability.finite_mechanism import FiniteMechanism
from noiseless.measures.indistinguishability.linear import (
    largest_cells,
    linear_indistinguishability,
    printed_cells,
)
from noiseless.measures.indistinguishability.linear_query import LinearQuery

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
