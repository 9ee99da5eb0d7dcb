"""The search for cells that keep a limit at the least loss."""
