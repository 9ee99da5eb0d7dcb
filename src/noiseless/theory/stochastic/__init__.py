"""Measures that need a prior: one file a measure, reported beside the measures of ranges and never mixed.

Each takes a `JointDistribution` first. Probabilities are exact rationals; results are exact where they are
logarithms of rationals, and otherwise lie between two floats that certainly hold them (`Enclosure`).
"""

from noiseless.theory.stochastic.alpha_leakage import alpha_leakage, maximal_alpha_leakage
from noiseless.theory.stochastic.arimoto import arimoto_information
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.csiszar import csiszar_information
from noiseless.theory.stochastic.enclosure import Enclosure
from noiseless.theory.stochastic.f_information import (
    chi_squared,
    f_information,
    hockey_stick,
    jensen_shannon,
    squared_hellinger,
    total_variation,
)
from noiseless.theory.stochastic.gacs_korner import common_information, maximin_prior
from noiseless.theory.stochastic.local_dp import (
    LocalPrivacy,
    information_privacy_nats,
    ldp_epsilon_nats,
    local_dp_attainable,
    local_dp_statement,
    local_privacy,
)
from noiseless.theory.stochastic.maximal_leakage import maximal_leakage
from noiseless.theory.stochastic.realisable_leakage import realisable_leakage
from noiseless.theory.stochastic.renyi import renyi_divergence, renyi_leakage, renyi_switch
from noiseless.theory.stochastic.shannon import (
    conditional_shannon_entropy,
    mutual_information,
    shannon_entropy,
)
from noiseless.theory.stochastic.sibson import sibson_information, sibson_output
from noiseless.theory.stochastic.sibson_capacity import SibsonCapacity, sibson_capacity

__all__ = [
    "Enclosure",
    "JointDistribution",
    "LocalPrivacy",
    "SibsonCapacity",
    "alpha_leakage",
    "arimoto_information",
    "chi_squared",
    "common_information",
    "conditional_shannon_entropy",
    "csiszar_information",
    "f_information",
    "hockey_stick",
    "information_privacy_nats",
    "jensen_shannon",
    "ldp_epsilon_nats",
    "local_dp_attainable",
    "local_dp_statement",
    "local_privacy",
    "maximal_alpha_leakage",
    "maximal_leakage",
    "maximin_prior",
    "mutual_information",
    "realisable_leakage",
    "renyi_divergence",
    "renyi_leakage",
    "renyi_switch",
    "shannon_entropy",
    "sibson_capacity",
    "sibson_information",
    "sibson_output",
    "squared_hellinger",
    "total_variation",
]
