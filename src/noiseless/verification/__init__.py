"""Re-checking a certificate from data alone; shares nothing with what made it."""

from noiseless.verification.results import Check, Verification
from noiseless.verification.verifier import SCHEMA, STANDALONE, verify

__all__ = ["SCHEMA", "STANDALONE", "Check", "Verification", "verify"]
