"""Branch and bound: look at boxes, halve those in most doubt, until the doubt or the patience is used up."""

from collections.abc import Callable
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Protocol, TypeVar

Box = TypeVar("Box")


class _Finding(Protocol):
    @property
    def doubt(self) -> Fraction | float:
        """What halving could still gain; infinite where nothing is known yet."""


Finding = TypeVar("Finding", bound=_Finding)


def branch(
    whole: Box,
    look: Callable[[Box], Finding],
    halve: Callable[[Box], list[Box]],
    most_boxes: int,
    enough: Fraction | int = 0,
) -> list[Finding]:
    """What was found on boxes that make up the whole.

    Args:
        whole: the box to begin with.
        look: what can be said of a box.
        halve: the parts of a box.
        most_boxes: how many boxes are halved.
        enough: boxes with no more doubt than this are not halved.
    """
    done: list[Finding] = []
    waiting: list[tuple[Fraction | float, int, Box, Finding]] = []
    number = count()

    def take(box: Box) -> None:
        finding = look(box)
        if finding.doubt > enough:
            heappush(waiting, (-finding.doubt, next(number), box, finding))
        else:
            done.append(finding)

    take(whole)
    for _ in range(most_boxes):
        if not waiting:
            break
        for part in halve(heappop(waiting)[2]):
            take(part)
    return [*done, *(entry[3] for entry in waiting)]
