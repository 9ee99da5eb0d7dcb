"""Audit and release in the browser, on one's own machine: a surface over the library, like the commands."""
