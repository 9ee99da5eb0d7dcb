"""Differential privacy in the same currency [P5]: conversions, groups, composition, variants."""

from noiseless.theory.differential.composition import (
    compose_disjoint,
    compose_independent,
    compose_sequential,
)
from noiseless.theory.differential.conversions import (
    dp_to_delta,
    dp_to_dp,
    dp_to_kl,
    kl_to_delta,
    mi_to_delta,
)
from noiseless.theory.differential.groups import (
    database_information,
    group_delta,
    group_epsilon,
    group_information,
)
from noiseless.theory.differential.guarantee import Conversion, Kind, convert
from noiseless.theory.differential.information_bounds import delta_to_mi, dp_to_mi, kl_to_mi
from noiseless.theory.differential.renyi_bound import sibson_bound
from noiseless.theory.differential.tradeoff import delta_floor, kl_to_dp, mi_to_dp
from noiseless.theory.differential.variants import Variant, adversarial, bayesian, free_lunch, personalised

__all__ = [
    "Conversion",
    "Kind",
    "Variant",
    "adversarial",
    "bayesian",
    "compose_disjoint",
    "compose_independent",
    "compose_sequential",
    "convert",
    "database_information",
    "delta_floor",
    "delta_to_mi",
    "dp_to_delta",
    "dp_to_dp",
    "dp_to_kl",
    "dp_to_mi",
    "free_lunch",
    "group_delta",
    "group_epsilon",
    "group_information",
    "kl_to_delta",
    "kl_to_dp",
    "kl_to_mi",
    "mi_to_delta",
    "mi_to_dp",
    "personalised",
    "sibson_bound",
]
