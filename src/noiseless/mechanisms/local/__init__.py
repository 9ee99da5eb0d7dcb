"""Local release [P1]: each reading is told as its cell before it leaves the person it is about."""

from noiseless.mechanisms.local.on_pipe import quantize_pipe
from noiseless.mechanisms.local.on_table import Quantized, quantize
from noiseless.mechanisms.local.scalar import LocalQuantizer
from noiseless.mechanisms.local.streaming import Meters, Schedule, release_chunks
from noiseless.mechanisms.local.vectors import LocalVector

__all__ = [
    "LocalQuantizer",
    "LocalVector",
    "Meters",
    "Quantized",
    "Schedule",
    "quantize",
    "quantize_pipe",
    "release_chunks",
]
