"""The curator behind HTTP: tokens, limits, logs, metrics, one error shape."""
