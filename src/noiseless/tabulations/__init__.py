"""Published tables: what they give away for certain, with proofs that need no solver."""

from noiseless.tabulations.publication import Classification, Publication, PublishedTable, Told

__all__ = ["Classification", "Publication", "PublishedTable", "Told"]
