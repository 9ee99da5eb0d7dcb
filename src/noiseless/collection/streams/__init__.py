"""Streams that outlive a process: persons' budgets and what has been told are kept, durable, beside them."""

from noiseless.collection.streams.running import quantize_stream
from noiseless.collection.streams.state import Progress, StreamState

__all__ = ["Progress", "StreamState", "quantize_stream"]
