"""Figures of the gallery on stand-ins: made once, for all tests that look at them."""

from functools import cache

from noiseless.gallery import named_figure
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Outcome
from noiseless.gallery.reproduction import make


@cache
def made(name: str) -> Outcome:
    """A figure."""
    return make(named_figure(name), Data(None))
