"""The levels chosen for a goal, with what is proved of them; and the frontier of all choices of levels."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from noiseless.errors import RequestError
from noiseless.search.choice import Choice
from noiseless.search.generalisation import Generalisations, Levels
from noiseless.search.goal import Goal, Targets
from noiseless.search.lattice import FullDomain, LatticeSearch, full_domain, node_limit
from noiseless.search.limits import limits_of
from noiseless.search.mean_loss import CertaintyPenalty
from noiseless.search.measures import Measures, ReleasePoint, Scope, measure, measure_read
from noiseless.search.problem import Cells, Problem, SeenCells
from noiseless.search.survey import Series, Survey, least_proved, undominated
from noiseless.work import Progress

FULL_DOMAIN = "exact, full-domain"
"""What the method is called where it proves something."""

STOPPED = "those that leak less are left out: there are too many levels to look at"
"""What is said of a frontier that was not followed to its end."""

OnLevels = Callable[[Levels], Problem]
"""A problem as it reads with each column on one level."""


def choose_levels(problem: Problem, goal: Goal, on_levels: OnLevels | None = None) -> tuple[Choice, Levels]:
    """The best full-domain generalisation for a goal, and its levels.

    Args:
        problem: what is to be merged; each column has a hierarchy.
        goal: limits on what is given away, and on the distortion besides.
        on_levels: the problem as it reads on some levels; by default it reads as its hierarchies say.

    Raises:
        RequestError: the goal is another one, or cannot be met.
    """
    problem.check()
    targets = Targets(problem, goal)
    plain = goal.objective == "leakage" and goal.utility == "distortion" and goal.method != "greedy"
    if goal.aim != "loss" or not plain or goal.max_maximin is not None or goal.min_resolution is not None:
        raise RequestError(
            "full-domain recoding needs a limit on what is given away, such as a minimum posterior or number "
            "of rows or a largest leakage or belief, and takes a largest distortion besides"
        )
    if goal.by_mean and not isinstance(problem.loss, CertaintyPenalty):
        raise RequestError(
            f"full-domain recoding does not look for the least {problem.loss.name}; leave the mean loss out"
        )
    targets.check()
    if problem.keys and targets.budget:
        raise RequestError(
            "suppressed rows are missing from what is seen of every key, and could break limits; leave the "
            "keys or the suppression out"
        )
    found = full_domain(targets)
    if found is None:
        raise RequestError(
            "no full-domain generalisation was found within these limits; allow more distortion or more "
            "suppression, or hide less"
        )
    at = (on_levels or partial(raised, problem))(found.levels)
    read, quality = _measured(at, found)
    if not problem.keys and not Targets(at, goal).allow(quality):
        raise AssertionError("levels that were found within limits are not")
    lost = quality.mean_loss if goal.by_mean else quality.distortion
    whole, proof = lost == 0, "the best of what was found"
    if whole:
        proof = "no partition does better: nothing is lost"
    elif found.proved:
        proof = "no other choice of a level for each column does better: all were looked at or ruled out"
    choice = Choice(
        at,
        read.cells,
        read.hidden,
        quality,
        FULL_DOMAIN if found.proved else "full-domain",
        "mean loss" if goal.by_mean else "distortion",
        optimal=whole or found.proved,
        gap=0.0 if whole else None,
        scope="all" if whole else "full-domain",
        proof=proof,
    )
    return choice, found.levels


def raised(problem: Problem, levels: Levels) -> Problem:
    """A problem with each column on one level of its hierarchy."""
    return replace(problem, codebook=Generalisations.of(problem).book_on(levels))


def _measured(problem: Problem, found: FullDomain) -> tuple[SeenCells, Measures]:
    cells = Cells.from_labels(found.labels)
    read, quality = measure_read(problem, cells, found.hidden)
    if read.cells != cells or not np.array_equal(read.hidden, found.hidden):
        raise AssertionError("cells on one level read alike")
    return read, quality


def _to_readers(lattice: Generalisations, levels: Levels, quality: Measures) -> Measures:
    """What is given away: to someone who knows all columns, or the most to someone who knows a key."""
    problem = lattice.problem
    plain = Problem(problem.joint, None, problem.side, problem.rows)
    seen = (Cells.from_labels(lattice.cells(levels, key).cell_of) for key in problem.keys)
    return quality.to_readers(measure(plain, cells) for cells in seen)


def survey_levels(
    problem: Problem, on_levels: OnLevels | None = None, progress: Progress | None = None
) -> Survey:
    """All full-domain generalisations that none beats: what is given away against the largest change.

    Args:
        problem: what is to be merged; each column has a hierarchy. Where it names keys, all points keep its
            limits for each key, and what they give away is the most that someone learns who knows one.
        on_levels: the problem as it reads on some levels.
        progress: called with the share of the work that is done, from 0 to 1.
    """
    problem.check()
    report = progress or (lambda _: None)
    lattice, points = Generalisations.of(problem), list[ReleasePoint]()
    prior, left = problem.prior, node_limit(lattice)
    need = np.ones_like(prior)
    while True:
        search = LatticeSearch(lattice, limits_of(problem, need), nodes=left)
        proved, found = search.run(), search.found
        left -= search.looked
        if found is None:
            stopped = not proved
            break
        at = (on_levels or partial(raised, problem))(found.levels)
        quality = _to_readers(lattice, found.levels, _measured(at, found)[1])
        scope: Scope | None = "full-domain" if proved else None
        setting = f"levels {', '.join(map(str, found.levels))}"
        name = FULL_DOMAIN if proved else "full-domain"
        cells = Cells.from_labels(found.labels)
        facts = {"series": name, "setting": setting, "scope": scope, "partition": cells}
        points.append(ReleasePoint.of(quality, f"{name}, {setting}", hidden=found.hidden, **facts))
        if stopped := left <= 0:
            break
        ratio = quality.leakage.ratio
        need = np.array([int(one / ratio) + 1 for one in prior.tolist()])  # less leakage than that
        report(1 - quality.leakage.upper / max(points[0].leakage.upper, 1e-9))
    report(1.0)
    if stopped and points:  # one to come might lose no more than the last
        points[-1] = replace(points[-1], scope=None)
    shown = undominated(points, "leakage", "distortion")
    series = Series(FULL_DOMAIN, shown, least_proved(shown), note=STOPPED if stopped else "")
    return Survey(problem, "leakage", "distortion", "auto", (series,), shown, series.scope is not None)
