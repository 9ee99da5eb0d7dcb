"""Re-checking a certificate from data alone; shares only the reading of tables with what made it."""

from noiseless.verification.findings import Check
from noiseless.verification.standalone import standalone_script
from noiseless.verification.verifier import SCHEMA, Verification, verify, verify_tables

__all__ = ["SCHEMA", "Check", "Verification", "standalone_script", "verify", "verify_tables"]
