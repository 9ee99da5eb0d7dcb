"""The blur [P2]: a yes/no fact is hidden near its boundary, and nothing moves far."""

from noiseless.collection.blur.on_continuum import ContinuousBlur
from noiseless.collection.blur.on_lattice import Blur
from noiseless.collection.blur.on_table import BlurredTable, blur

__all__ = [
    "Blur",
    "BlurredTable",
    "ContinuousBlur",
    "blur",
]
