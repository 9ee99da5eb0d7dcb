"""The zero-error capacity of a channel, bracketed by numbers that are certain."""

from noiseless.theory.zero_error.block_codes import BlockCode, Rate, block_code
from noiseless.theory.zero_error.bracket import ZeroErrorBracket, zero_error_capacity
from noiseless.theory.zero_error.graph import Graph
from noiseless.theory.zero_error.independence import IndependentSet, independent_set
from noiseless.theory.zero_error.subranges import SubrangeLeakage, largest_symmetric_leakage
from noiseless.theory.zero_error.theta import Theta, lovasz_theta

__all__ = [
    "BlockCode",
    "Graph",
    "IndependentSet",
    "Rate",
    "SubrangeLeakage",
    "Theta",
    "ZeroErrorBracket",
    "block_code",
    "independent_set",
    "largest_symmetric_leakage",
    "lovasz_theta",
    "zero_error_capacity",
]
