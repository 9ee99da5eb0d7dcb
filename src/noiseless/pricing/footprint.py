"""What one person can do to an answer, in the few terms that the rules of composition speak."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from noiseless.pricing.partition import Partition, refined


@dataclass(frozen=True)
class Footprint:
    """How an answer depends on one person's private record while everybody else stays as they are.

    Attributes:
        attributes: the private attributes that it depends on, in order of their names.
        outputs: at most so many answers the person can cause.
        axis: an ordered attribute along which the answer is a step function, once the person's block of
            `selector` is known.
        cuts: how many steps there are at most along the axis, for each block of the selector (or once).
        pieces: into how many monotone pieces it falls along the axis: a piece has outputs - 1 steps at most.
        selector: blocks of attributes other than the axis. Without an axis the answer is told by the block.
        direction: for answers to linear forms of several attributes (or rows): which forms are multiples of
            each other. Their steps are then parallel hyperplanes, `cuts` of them.
        space: with several rows a person, the coordinates of which the answer is a linear form.
        rows: how many rows a person has, each with a block of its own.
        everybody: whether all rows of a person take part in the same way.
        answers: how many answers these are.
    """

    attributes: tuple[str, ...]
    outputs: int
    axis: str | None = None
    cuts: tuple[int, ...] = ()
    pieces: int = 0
    selector: Partition | None = None
    direction: Hashable = None
    space: Hashable = None
    rows: int = 1
    everybody: bool = True
    answers: int = 1

    @classmethod
    def opaque(cls, attributes: Iterable[str], outputs: int) -> "Footprint":
        """Any function of some attributes."""
        return cls(tuple(sorted(set(attributes))), outputs)

    @classmethod
    def steps(cls, axis: str, outputs: int, pieces: int) -> "Footprint":
        """A function of one ordered attribute with so many monotone pieces.

        A piece is monotone with at most `outputs` values, so it changes at most outputs - 1 times; two
        neighbouring pieces share their turning point, so there is no further change between them.
        """
        return cls((axis,), outputs, axis, (pieces * (outputs - 1),), pieces)

    @classmethod
    def told(cls, partition: Partition, rows: int = 1, *, everybody: bool = True) -> "Footprint":
        """The blocks of a person's rows."""
        names = tuple(sorted(partition.names))
        return cls(names, partition.blocks**rows, selector=partition, rows=rows, everybody=everybody)

    @classmethod
    def chosen(
        cls, selector: Partition, axis: str, outputs: int, inside: Sequence[int], pieces: int
    ) -> "Footprint":
        """Which monotone pieces are seen along the axis depends on the block of the selector.

        Args:
            selector: blocks of one or several attributes.
            axis: an ordered attribute.
            outputs: how many answers there are in all.
            inside: how many there are in each block.
            pieces: the monotone pieces within a block.
        """
        cuts = tuple(pieces * (number - 1) for number in inside)
        names = tuple(sorted({axis, *selector.names}))
        if selector.blocks == 1:
            return cls.steps(axis, outputs, pieces)
        if axis not in selector.names:
            return cls(names, outputs, axis, cuts, pieces, selector)
        if selector.names != (axis,):
            return cls.opaque(names, outputs)
        # A function of one attribute: the steps within each run of a block, and one where runs meet.
        steps = sum(cuts[label] + 1 for label in selector.labels) - 1
        return cls(names, outputs, axis, (steps,), -(-steps // max(outputs - 1, 1)))

    @classmethod
    def linear(
        cls, attributes: Iterable[str], outputs: int, direction: Hashable, space: Hashable = None
    ) -> "Footprint":
        """A linear form of several attributes or rows, told as one of so many intervals."""
        names = tuple(sorted(set(attributes)))
        return cls(names, outputs, cuts=(outputs - 1,), pieces=1, direction=direction, space=space)

    @property
    def kind(self) -> tuple[Hashable, ...]:
        """Footprints of one kind can be merged without making any bound worse."""
        selector = self.selector
        if selector is not None and self.axis is None:
            return ("told", selector.names)
        return (self.attributes, self.axis, self.pieces, selector, self.direction, self.space)

    def narrowed(self, outputs: int) -> "Footprint":
        """The same answer when it is known beforehand to be one of so many neighbouring ones.

        The values of the axis that remain are a run in each monotone piece; going from one run to the next
        the answer may change once more.
        """
        if outputs >= self.outputs:
            return self
        most = self.pieces * outputs - 1
        return replace(self, outputs=outputs, cuts=tuple(min(cut, most) for cut in self.cuts))


def merged(footprints: Iterable[Footprint]) -> tuple[Footprint, ...]:
    """One footprint of each kind: steps add up, blocks are refined, outputs multiply."""
    found: dict[tuple[Hashable, ...], list[Footprint]] = {}
    for footprint in footprints:
        found.setdefault(footprint.kind, []).append(footprint)
    return tuple(same[0] if len(same) == 1 else _merged(same) for same in found.values())


def _merged(same: Sequence[Footprint]) -> Footprint:
    first, selector = same[0], same[0].selector
    cuts: tuple[int, ...] = ()
    outputs = prod(footprint.outputs for footprint in same)
    if selector is not None and first.axis is None:
        selector = refined([footprint.selector for footprint in same if footprint.selector is not None])
        outputs = min(outputs, selector.blocks**first.rows)
    else:
        cuts = tuple(map(sum, zip(*(footprint.cuts for footprint in same), strict=True)))
    return replace(
        first,
        outputs=outputs,
        cuts=cuts,
        selector=selector,
        everybody=all(footprint.everybody for footprint in same),
        answers=sum(footprint.answers for footprint in same),
    )
