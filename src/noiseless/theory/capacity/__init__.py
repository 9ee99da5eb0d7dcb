"""Channel capacity, always as a certified bracket."""

from noiseless.theory.capacity.bracket import Capacity
from noiseless.theory.capacity.search import capacity

__all__ = ["Capacity", "capacity"]
