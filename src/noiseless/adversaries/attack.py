"""All attacks under one name, `nl.attack`, so that completion lists what can be played."""

from noiseless.adversaries.appliances import appliances
from noiseless.adversaries.binary_search import binary_search
from noiseless.adversaries.differencing import differencing
from noiseless.adversaries.estimate import estimate
from noiseless.adversaries.homogeneity import homogeneity
from noiseless.adversaries.hypothesis import hypothesis
from noiseless.adversaries.linkage import linkage
from noiseless.adversaries.membership import membership
from noiseless.adversaries.reconstruction import reconstruction


class Attack:
    """The attacks that can be played against a table or a release; each returns a `Game`.

    >>> import noiseless as nl
    >>> game = nl.attack.homogeneity("patients.csv", sensitive="illness", public=["age", "sex"])
    >>> game.results[0].score
    0.7
    """

    appliances = staticmethod(appliances)
    binary_search = staticmethod(binary_search)
    differencing = staticmethod(differencing)
    estimate = staticmethod(estimate)
    homogeneity = staticmethod(homogeneity)
    hypothesis = staticmethod(hypothesis)
    linkage = staticmethod(linkage)
    membership = staticmethod(membership)
    reconstruction = staticmethod(reconstruction)


attack = Attack
"""The name users call it by; it is never instantiated."""
