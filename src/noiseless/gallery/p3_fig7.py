"""Fig. 7 of [P3]: I* against the loss for the example, by Algorithm 2 and by all partitions."""

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import EXAMPLE, LAMBDA, centroids
from noiseless.measures import maximin
from noiseless.search.measures import Measures, measure
from noiseless.search.merging import Cells, MergePoint, maximin_path
from noiseless.search.problem import Problem

BOOK = centroids("4")
"""Of Example 4: x7 is 4."""


class Place(NamedTuple):
    """What is given away and what is lost, exactly: subgraphs, and the largest cell or the distortion."""

    subgraphs: int
    loss: Fraction


@reproduces(
    "[P3] Fig. 7",
    "Frontier of the example: I* against the loss",
    "Varying lambda traces the Pareto frontier, which holds the solutions of Examples 3 and 4; a "
    "resolution of log2 7/3 can be kept with I* = 0.",
)
def figure() -> Parts:
    """Every partition is looked at, so the frontier is the true one."""
    problem = Problem(EXAMPLE, BOOK)
    every = [measure(problem, cells) for cells in every_partition(EXAMPLE.size_y)]
    counted, measured = {*map(_counted, every)}, {*map(_measured, every)}
    by_size = maximin_path(EXAMPLE)
    resolution = [_counted(point) for point in by_size]
    distortion = [_measured(point) for point in maximin_path(EXAMPLE, BOOK)]
    most = max(place.loss for place in frontier(measured))
    yield _panel("Resolution, U1", "1 - I0(X;Xh) / H0(X)", counted, resolution, resolution[-1], _by_size)
    yield _panel(
        "Distortion, U2, x7 = 4",
        "U2 / the worst U2 of the frontier",
        measured,
        distortion,
        distortion[3],
        lambda d: float(d / most),
    )
    end = by_size.first_rise(LAMBDA)
    least = min(place.loss for place in counted if place.subgraphs == 1)
    kept = Fraction(EXAMPLE.size_y) / least
    yield ClaimCheck(
        "With a resolution of log2 7/3 the information I* can be brought to 0, as in Example 3",
        f"Example 3 ends with I* = {end.maximin} and I0 = log2 {end.resolution.ratio}; no partition with "
        f"I* = 0 keeps more than log2 {kept}",
        "I* = 0 and I0 = log2 7/3, and no partition is better",
        end.maximin.ratio == 1 and end.resolution.ratio == kept == Fraction(7, 3),
        about="figure",
    )
    yield _optimal("Algorithm 2 with U1", resolution, counted)
    yield _optimal("Algorithm 2 with U2", distortion, measured)
    printed = distortion[3]
    better = sorted(
        place for place in measured if place.subgraphs <= printed.subgraphs and place.loss < printed.loss
    )
    words = f"; {better[0].subgraphs} subgraphs cost {float(better[0].loss):.4f} otherwise" if better else ""
    yield ClaimCheck(
        "The solution of Example 4 (two subgraphs) is on the frontier",
        f"its distortion is {float(printed.loss):.4f}{words}",
        "no partition with as few subgraphs has a smaller distortion",
        not better,
    )
    yield f"All {len(every)} partitions of the seven values were looked at."


def every_partition(size: int) -> Iterator[Cells]:
    """All partitions of this many values, by restricted growth of their labels."""

    def grown(labels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(labels) == size:
            yield labels
            return
        for label in range(max(labels, default=-1) + 2):
            yield from grown((*labels, label))

    return (Cells.from_labels(labels) for labels in grown(()))


def frontier(places: Iterable[Place]) -> list[Place]:
    """The undominated places, from the most to the least given away."""
    found: list[Place] = []
    for place in sorted(places):
        if not found or place.loss < found[-1].loss:
            found.append(place)
    return found[::-1]


def _counted(found: "Measures | MergePoint") -> Place:
    return Place(int(found.maximin.ratio), EXAMPLE.size_y / found.resolution.ratio)


def _measured(found: "Measures | MergePoint") -> Place:
    return Place(
        int(found.maximin.ratio), Fraction(0) if found.distortion is None else found.distortion.value
    )


def _by_size(size: Fraction) -> float:
    return math.log2(size) / math.log2(EXAMPLE.size_y)


def _panel(  # noqa: PLR0917 - passed on in order
    title: str,
    x_label: str,
    every: set[Place],
    path: list[Place],
    solution: Place,
    loss: Callable[[Fraction], float],
) -> Panel:
    whole = float(maximin(EXAMPLE))

    def curve(label: str, places: Iterable[Place], style: str) -> Curve:
        rows = [(loss(place.loss), math.log2(place.subgraphs) / whole) for place in places]
        return Curve.of(label, *zip(*rows, strict=True), style=style)  # type: ignore[arg-type]

    shown = frontier(every)
    inside = [place for place in sorted(every) if loss(place.loss) <= 1]
    return Panel.of(
        title,
        x_label,
        "I*(S;Xh) / I*(S;X)",
        curve("all partitions", inside, "dots"),
        curve("frontier of all partitions", shown, "steps"),
        curve("Algorithm 2", path, "dots"),
        curve("the solution of Example 3 or 4", [solution], "dots"),
    )


def _optimal(name: str, path: list[Place], every: set[Place]) -> ClaimCheck:
    best = frontier(every)
    on = [place for place in path if place in best]
    missed = [place for place in best if place not in path]
    return ClaimCheck(
        f"The points of {name} form the Pareto frontier",
        f"{len(on)} of its {len(path)} points are on the frontier of all partitions, which has "
        f"{len(best)} points; it misses {len(missed)} of these",
        "the undominated points of the path are those of all partitions",
        set(frontier(path)) == set(best),
        about="figure",
    )
