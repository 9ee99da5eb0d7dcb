"""Measures that need a prior: one file a measure, reported beside the measures of ranges and never mixed.

Each takes a `JointDistribution` first. Probabilities are exact rationals; results are exact where they are
logarithms of rationals, and otherwise lie between two floats that certainly hold them (`Enclosure`).
"""

from noiseless.measures.stochastic.alpha_leakage import alpha_leakage, maximal_alpha_leakage
from noiseless.measures.stochastic.arimoto import arimoto_information
from noiseless.measures.stochastic.base import JointDistribution
from noiseless.measures.stochastic.csiszar import csiszar_information
from noiseless.measures.stochastic.enclosure import Enclosure
from noiseless.measures.stochastic.f_information import (
    chi_squared,
    f_information,
    hockey_stick,
    jensen_shannon,
    squared_hellinger,
    total_variation,
)
from noiseless.measures.stochastic.gacs_korner import common_information, maximin_prior
from noiseless.measures.stochastic.local_dp import (
    LocalPrivacy,
    information_privacy_nats,
    ldp_epsilon_nats,
    local_dp_attainable,
    local_dp_statement,
    local_privacy,
)
from noiseless.measures.stochastic.maximal_leakage import maximal_leakage
from noiseless.measures.stochastic.realisable_leakage import realisable_leakage
from noiseless.measures.stochastic.renyi import renyi_divergence, renyi_leakage, renyi_switch
from noiseless.measures.stochastic.shannon import (
    conditional_shannon_entropy,
    mutual_information,
    shannon_entropy,
)
from noiseless.measures.stochastic.sibson import sibson_information, sibson_output
from noiseless.measures.stochastic.sibson_capacity import SibsonCapacity, sibson_capacity

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
