"""The session over a private dataset: price, charge, compute, store, reply."""
