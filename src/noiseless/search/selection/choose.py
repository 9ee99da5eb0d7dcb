"""The best partition for a wish: every method that applies, and what is proved about the best of them."""

from functools import partial

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.search.selection.choice import Choice
from noiseless.search.selection.claims import chosen
from noiseless.search.selection.levels import Levels
from noiseless.search.selection.pool import Found
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.refusal import refuse
from noiseless.search.selection.searching import Search
from noiseless.search.selection.survey import Progress, SurveyPoint
from noiseless.search.selection.surveying import METHODS, Makes, portfolio
from noiseless.search.selection.targets import Targets
from noiseless.search.selection.wish import Wish


def choose(problem: Problem, wish: Wish, progress: Progress | None = None) -> Choice:
    """The best partition for a wish that the methods find, and what is proved about it.

    >>> from noiseless import JointRange
    >>> from noiseless.search.merging import ColumnCodebook, Numbers
    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3)])
    >>> problem = Problem(hidden, ColumnCodebook(Numbers([0, 1, 2, 3])))
    >>> found = choose(problem, Wish(min_posterior=2, utility="distortion"))
    >>> found.cells.members, found.quality.distortion, found.method, found.optimal, found.scope
    (((0, 2), (1, 3)), Length(1), 'greedy', True, 'all')

    Args:
        problem: what is to be merged.
        wish: limits, or a weight.
        progress: told the share of the work that is done, from 0 to 1.

    Raises:
        RequestError: the wish cannot be met; the message says what is possible.
    """
    report = progress or (lambda _: None)
    report(0.0)
    problem.check()
    targets = Targets(problem, wish)
    targets.check()
    search, few = Search.of(targets), Levels.are_few(problem)
    quick, thorough = portfolio(problem, wish.objective, wish.utility, wish.method) if few else ([], [])
    if few:  # what a survey shows, so that the two agree
        search.bound_contiguous()
        _take(search, quick)
    else:
        search.exactly_and_greedily()
    report(0.6)
    if targets.budget:
        search.suppressing()
        report(0.8)
    found = search.pool.best
    choice = None if found is None else chosen(targets, found, search.contiguous)
    if wish.method != "exact" and (choice is None or choice.gap != 0):
        if few:
            _take(search, thorough)
            search.improve_suppressed()
        else:
            search.improving()
        report(0.9)
        if search.pool.best is not None and search.pool.best is not found:
            choice = chosen(targets, search.pool.best, search.contiguous)
    if choice is None:
        search.suppress_any()
        search.improve_suppressed()
        if search.pool.best is not None:
            choice = chosen(targets, search.pool.best, search.contiguous)
    if choice is None:
        raise refuse(targets, choose)
    report(1.0)
    return choice


def _take(search: Search, makers: list[Makes]) -> None:
    """Look at every point of some methods."""
    none = np.zeros(search.targets.problem.size, bool)
    for make in makers:
        for point in make().points:
            search.pool.take(point.quality, partial(_found, point, none))


def _found(point: SurveyPoint, none: BoolArray) -> Found:
    return Found(point.cells, none, point.quality, METHODS.get(point.setting, point.series))
