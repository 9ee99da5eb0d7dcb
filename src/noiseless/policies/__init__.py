"""Choosing: the finest answer that a budget allows, the fewest cells that an accuracy needs."""
