"""The blur [P2]: a yes/no fact is hidden near its boundary, and nothing moves far."""

from noiseless.collection.blur.continuum import ContinuousBlur
from noiseless.collection.blur.lattice import Blur, BlurredTable, blur

__all__ = ["Blur", "BlurredTable", "ContinuousBlur", "blur"]
