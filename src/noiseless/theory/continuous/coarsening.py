"""Merging the values of Y into cells: what is behind each cell, and whether cells overlap."""

from collections.abc import Iterator, Sequence

from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import Cut, Interval
from noiseless.theory.continuous.lines import Line


def overlap(cells: Sequence[BoxSet]) -> bool:
    """Whether two of several sets have a point in common, by a sweep along the first axis."""
    return next(meetings(cells), None) is not None


def meetings(sets: Sequence[BoxSet]) -> Iterator[tuple[int, int]]:
    """The pairs of sets that have a point in common, some of them several times."""
    boxes = sorted(
        ((box.sides[0].start, box.sides[0].stop, i, box) for i, boxes in enumerate(sets) for box in boxes),
        key=lambda entry: entry[:3],
    )
    passing: list[tuple[Cut, int, Box]] = []
    for start, stop, i, box in boxes:
        passing = [entry for entry in passing if entry[0] > start]
        for _, j, other in passing:
            if i != j and box.meet(other):
                yield j, i
        passing.append((stop, i, box))


def behind(boxes: BoxSet, size_y: int, lines: Sequence[Line], cells: Sequence[BoxSet]) -> list[BoxSet]:
    """[[X|Y in cell]] for each cell of a joint range given by its boxes (y, x) and lines."""
    size_x = boxes.dimension - size_y
    sections = list(boxes.sections(size_y))
    stretches = [(image, line.inverse) for line in lines for image in line.image]
    found = []
    for cell in cells:
        parts = {id(x): x for y, x in sections if any(_meet(y, box) for box in cell)}
        values = [box for part in parts.values() for box in part]
        values += [Box((x,)) for x in _on_lines(cell, stretches)]
        found.append(BoxSet.union(values, dimension=size_x))
    return found


def _meet(a: Box, b: Box) -> bool:
    return all(u.start < v.stop and v.start < u.stop for u, v in zip(a.sides, b.sides, strict=True))


def _on_lines(cell: BoxSet, stretches: Sequence[tuple[Interval, Line]]) -> Iterator[Interval]:
    """The x of the points on lines whose y lies in a cell."""
    for box in cell:
        for image, back in stretches:
            common = image.meet(box.sides[0])
            if common:
                yield common.affine(back.slope, back.offset)
