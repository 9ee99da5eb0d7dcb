"""Readings made private where they arise: quantizers, streams, blurs."""
