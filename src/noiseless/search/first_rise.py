"""The stop of [P3]: where the Lagrangian of an algorithm first does not fall, for one weight or for all."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import as_fraction
from noiseless.search.choice import Choice, unproved_choice
from noiseless.search.goal import Targets
from noiseless.search.greedy import GreedyPaths
from noiseless.search.loss import Objective
from noiseless.search.measures import Memory
from noiseless.search.merging.path import MergePath, MergePoint

FIRST_RISE = "first rise"
"""What the method is called."""

_TOO_MANY = "problem (7) takes too long with this many public values; use method 'auto'"


def stopped_choice(targets: Targets, memory: Memory, paths: GreedyPaths) -> Choice:
    """The cells at which the algorithm of [P3] for an objective stops.

    Algorithms 1 and 2 stop at the end of the last iteration that lowers the Lagrangian, though later ones
    may lower it further (`--method auto` and `greedy` look at these too); the algorithm of problem (7) goes
    on until no maximin information is left, whatever the Lagrangian does.

    Raises:
        RequestError: there are too many public values for problem (7).
    """
    goal = targets.goal
    weight = as_fraction(goal.weight or 0)
    if goal.objective == "both":
        point = next((path.last for path in paths.both(weight)), None)
        if point is None:
            raise RequestError(_TOO_MANY)
        why = "where the algorithm of problem (7) of [P3] ends"
    else:
        point = _path(paths, goal.objective).first_rise(weight)
        why = "where the algorithm of [P3] first does not lower its Lagrangian"
    found = memory.add(point.cells, FIRST_RISE, setting=f"weight {float(weight):g}")
    return unproved_choice(found, targets, f"{why}; nothing is proved of these cells")


def every_stop(paths: GreedyPaths, objective: Objective) -> Iterator[tuple[Fraction, MergePoint]]:
    """The points at which an algorithm stops for some weight, each with one such weight, ascending."""
    if objective == "both":
        for path in paths.both(None):
            yield path.weight or Fraction(0), path.last
        return
    path = _path(paths, objective)
    seen = set()
    for weight in _weights(path):
        point = path.first_rise(weight)
        if point.merges not in seen:
            seen.add(point.merges)
            yield weight, point


def _path(paths: GreedyPaths, objective: Objective) -> MergePath:
    return paths.maximin if objective == "maximin" else paths.leakage


def _weights(path: MergePath) -> list[Fraction]:
    """A weight between each two at which the stop changes: it is the first step that rises at the weight.

    A step rises from some weight on: what it lowers the leak by, over what it adds to the loss. Only steps
    that rise sooner than all before them ever are the first.
    """
    leaks, losses = path.leak_floats[path.rounds], path.loss_floats[path.rounds]
    drops, rises = -np.diff(leaks), np.diff(losses)
    records, least = [], np.inf
    for drop, rise in zip(drops.tolist(), rises.tolist(), strict=True):
        if rise > 0 and drop / rise < least:
            least = drop / rise
            records.append(least)
    if not records:
        return [Fraction(0)]
    edges = [0.0, *reversed(records), 2 * records[0] + 1]
    between = [Fraction(f"{(low + high) / 2:.6g}") for low, high in pairwise(edges)]
    return [Fraction(0), *between, Fraction(f"{edges[-1]:.6g}")]
