"""Measures that need a prior: one file a measure, reported beside the measures of ranges and never mixed.

Each takes a `JointDistribution` first. Probabilities are exact rationals; results are exact where they are
logarithms of rationals, and otherwise lie between two floats that certainly hold them (`CertifiedNumber`).
"""

from noiseless.theory.stochastic.alpha_information import (
    SibsonCapacity,
    alpha_leakage,
    arimoto_information,
    csiszar_information,
    maximal_alpha_leakage,
    sibson_capacity,
    sibson_information,
    sibson_output,
)
from noiseless.theory.stochastic.certified import CertifiedNumber
from noiseless.theory.stochastic.f_information import (
    chi_squared,
    f_information,
    hockey_stick,
    jensen_shannon,
    squared_hellinger,
    total_variation,
)
from noiseless.theory.stochastic.joint_distribution import JointDistribution
from noiseless.theory.stochastic.leakages import (
    LocalPrivacy,
    information_privacy_nats,
    ldp_epsilon_nats,
    local_dp_attainable,
    local_dp_statement,
    local_privacy,
    maximal_leakage,
    realisable_leakage,
)
from noiseless.theory.stochastic.renyi import renyi_divergence, renyi_leakage, renyi_switch
from noiseless.theory.stochastic.shannon import (
    common_information,
    conditional_shannon_entropy,
    maximin_prior,
    mutual_information,
    shannon_entropy,
)

__all__ = [
    "CertifiedNumber",
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
