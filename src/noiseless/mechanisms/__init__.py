"""Mechanisms: what is done to data before it leaves. Each states its domain and guarantee when it is made."""
