"""One file a measure. Each takes a finite joint range first and answers in exact bits."""

from noiseless.measures.disarray import disarray
from noiseless.measures.entropy import conditional_entropy, entropy
from noiseless.measures.information import information
from noiseless.measures.leakage import leakage, symmetric_leakage
from noiseless.measures.maximin import maximin
from noiseless.measures.transmission import transmission

__all__ = [
    "conditional_entropy",
    "disarray",
    "entropy",
    "information",
    "leakage",
    "maximin",
    "symmetric_leakage",
    "transmission",
]
