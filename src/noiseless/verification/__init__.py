"""Re-checking a certificate from data alone; shares nothing with what made it."""
