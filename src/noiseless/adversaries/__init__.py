"""Attack games: what an adversary gains from a release, by budget, with confidence intervals.

Each game is a module and a function of the same name that returns a `Game`. Names are imported when they are
first used, so that importing this package stays fast.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "Advantage": "intervals",
    "Game": "game",
    "Score": "game",
    "advantage": "intervals",
    "appliances": "appliances",
    "binary_search": "binary_search",
    "differencing": "differencing",
    "estimate": "estimate",
    "homogeneity": "homogeneity",
    "hypothesis": "hypothesis",
    "linkage": "linkage",
    "membership": "membership",
    "reconstruction": "reconstruction",
    "wilson": "intervals",
}
"""Where each public name lives."""

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
    "wilson",
]


class _Games(ModuleType):
    """A game's module and its function have one name here; it stands for the function, always.

    Importing a module binds its name in its package: without this, what the name means would depend on
    whether the module or the function was asked for first.
    """

    def __setattr__(self, name: str, value: object) -> None:
        bound = getattr(value, name, value) if isinstance(value, ModuleType) else value
        super().__setattr__(name, bound)


sys.modules[__name__].__class__ = _Games


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Load a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
