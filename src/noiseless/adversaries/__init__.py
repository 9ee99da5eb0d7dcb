"""Attack games: what an adversary gains from a release, by budget, with confidence intervals.

Each game is a module and a function of the same name that returns a `Game`; here its name is the function.
"""

from noiseless.adversaries.appliances import appliances
from noiseless.adversaries.binary_search import binary_search
from noiseless.adversaries.differencing import differencing
from noiseless.adversaries.estimate import estimate
from noiseless.adversaries.game import Game, Score
from noiseless.adversaries.homogeneity import homogeneity
from noiseless.adversaries.hypothesis import hypothesis
from noiseless.adversaries.intervals import Advantage, advantage, wilson
from noiseless.adversaries.linkage import linkage
from noiseless.adversaries.membership import membership
from noiseless.adversaries.reconstruction import reconstruction
from noiseless.adversaries.tables import tables

__all__ = [
    "Advantage",
    "Game",
    "Score",
    "advantage",
    "appliances",
    "binary_search",
    "differencing",
    "estimate",
    "homogeneity",
    "hypothesis",
    "linkage",
    "membership",
    "reconstruction",
    "tables",
    "wilson",
]
