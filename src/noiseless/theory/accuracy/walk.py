"""The feasibility walk: can one step from the smallest answer to the largest, each step being one cell?

With a target m for the smallest share, from an edge a the next edge lies between F^-1(F(a) + m), so that the
cell holds enough, and a + 2e, so that it is not too wide. Both grow with a. Over a finite number of places
for edges that is a graph in which each place leads to a run of places; a target is feasible when the last
place can be reached, and the fewest steps are found by breadth first. A bisection on m gives the optimum.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction


def fewest_steps(first: Sequence[int], last: Sequence[int], goal: int) -> list[int] | None:
    """The places from 0 to the goal with the fewest steps, or None when it cannot be reached.

    >>> fewest_steps([1, 3, 3, 3, 5], [2, 3, 4, 4, 4], 4)
    [0, 2, 4]
    """
    before = [-1] * (goal + 1)
    fresh = list(range(goal + 2))  # from each place on, the next one that has not been reached

    def unreached(place: int) -> int:
        root = place
        while fresh[root] != root:
            root = fresh[root]
        while fresh[place] != root:
            fresh[place], place = root, fresh[place]
        return root

    fresh[0] = 1
    layer = [0]
    while layer and before[goal] < 0:
        reached = []
        for place in layer:
            stop = min(last[place], goal)
            following = unreached(min(max(first[place], 0), goal + 1))
            while following <= stop:
                before[following] = place
                fresh[following] = following + 1
                reached.append(following)
                following = unreached(following + 1)
        layer = reached
    return _path(before, goal) if goal == 0 or before[goal] >= 0 else None


def _path(before: Sequence[int], goal: int) -> list[int]:
    path = [goal]
    while path[-1]:
        path.append(before[path[-1]])
    return path[::-1]


def first_enough(held: Sequence[int], until: Sequence[int], target: int) -> list[int]:
    """For each place the first one until which there is more than before it by a target.

    Args:
        held: what lies before each place, as the start of a cell.
        until: what lies before each place, as the end of a cell; both ascend.
        target: how much a cell must hold.
    """
    found, place = [], 0
    for start in held:
        while place < len(until) and until[place] - start < target:
            place += 1
        found.append(place)
    return found


def last_near(starts: Sequence[Fraction], ends: Sequence[Fraction], width: Fraction) -> list[int]:
    """For each place the last place that is not farther from it than a width; both sequences ascend."""
    found, place = [], -1
    for start in starts:
        while place + 1 < len(ends) and ends[place + 1] - start <= width:
            place += 1
        found.append(place)
    return found


def largest_target(attained: Callable[[int], int | None], known: int, most: int) -> int:
    """The largest feasible whole target.

    Args:
        attained: what a target's best try attains, at least the target; None if the target is not feasible.
        known: a feasible target.
        most: no larger target is feasible.
    """
    low, high = known, most + 1
    while high - low > 1:
        better = attained(low + 1)  # the optimum is often met long before bisection closes in on it
        if better is None:
            return low
        low = better
        middle = (low + high) // 2
        if middle > low:
            found = attained(middle)
            low, high = (low, middle) if found is None else (found, high)
    return low
