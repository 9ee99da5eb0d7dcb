"""Channel capacity, always as a certified bracket."""

from noiseless.measures.capacity.bracket import Capacity
from noiseless.measures.capacity.search import capacity

__all__ = ["Capacity", "capacity"]
