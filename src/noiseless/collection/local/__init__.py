"""Local release [P1]: each reading is told as its cell before it leaves the person it is about."""

from noiseless.collection.local.quantization import Quantized, quantize, quantize_pipe
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.schedule import Meters, Schedule
from noiseless.collection.local.vectors import LocalVector

__all__ = ["LocalQuantizer", "LocalVector", "Meters", "Quantized", "Schedule", "quantize", "quantize_pipe"]
