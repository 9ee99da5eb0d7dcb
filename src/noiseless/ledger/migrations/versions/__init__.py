"""The steps; a new table is a new step."""
