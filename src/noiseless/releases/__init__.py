"""Table releases and their certificates."""
