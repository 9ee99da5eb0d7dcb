"""One file a measure. Each takes a joint range first and answers in exact bits, in nats on a continuum."""

from noiseless.measures.disarray import disarray
from noiseless.measures.entropy import conditional_entropy, entropy
from noiseless.measures.information import information
from noiseless.measures.leakage import leakage, symmetric_leakage
from noiseless.measures.maximin import maximin
from noiseless.theory.accuracy.privacy import privacy_by_leakage, privacy_by_maximin
from noiseless.theory.accuracy.quality import quality
from noiseless.measures.transmission import transmission

__all__ = [
    "conditional_entropy",
    "disarray",
    "entropy",
    "information",
    "leakage",
    "maximin",
    "privacy_by_leakage",
    "privacy_by_maximin",
    "quality",
    "symmetric_leakage",
    "transmission",
]
