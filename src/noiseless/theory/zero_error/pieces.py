"""A channel taken apart: blocks of inputs that no output connects."""

from dataclasses import dataclass

import numpy as np

from noiseless.errors import RequestError
from noiseless.ranges import JointRange, overlap_partition
from noiseless.theory.zero_error.graph import Graph


@dataclass(frozen=True)
class Piece:
    """A block of the overlap partition, with one input for each set of outputs.

    Attributes:
        inputs: the codes of the inputs kept.
        causes: for each output the places in `inputs` of those that can cause it.
        fewest: the smallest number of outputs of an input.
    """

    inputs: tuple[int, ...]
    causes: tuple[tuple[int, ...], ...]
    fewest: int

    def graph(self) -> Graph:
        """Its confusability graph."""
        return Graph.of_cliques(len(self.inputs), self.causes)


@dataclass(frozen=True)
class Pieces:
    """All blocks of a joint range.

    Attributes:
        single: an input for each block that has an output all of its inputs can cause: one message, no more.
        rest: the other blocks.
    """

    single: tuple[int, ...]
    rest: tuple[Piece, ...]


def check_pairs(joint: JointRange) -> None:
    """Check that there is something to send.

    Raises:
        RequestError: the range holds no pair.
    """
    if not joint.size_x:
        raise RequestError("a channel has at least one input and one output; this joint range holds no pair")


def pieces_of(joint: JointRange) -> Pieces:
    """Take the channel X -> Y apart.

    >>> pairs = [(1, "a"), (2, "a"), (3, "b"), (4, "b"), (4, "c"), (5, "c")]
    >>> pieces = pieces_of(JointRange.from_pairs(pairs))
    >>> pieces.single, pieces.rest[0].inputs, pieces.rest[0].causes
    ((0,), (2, 3, 4), ((0, 1), (1, 2)))
    """
    partition = overlap_partition(joint)
    sizes = np.bincount(partition.x_blocks, minlength=partition.count)
    whole = np.zeros(partition.count, bool)
    whole[partition.y_blocks[joint.posterior_sizes == sizes[partition.y_blocks]]] = True
    first = np.unique(partition.x_blocks, return_index=True)[1]
    back = joint.swapped()
    blocks: dict[int, list[int]] = {}
    for x in np.flatnonzero(~whole[partition.x_blocks]).tolist():
        blocks.setdefault(int(partition.x_blocks[x]), []).append(x)
    rest = tuple(_piece(back, inputs) for inputs in blocks.values())
    return Pieces(tuple(first[whole].tolist()), rest)


def _piece(back: JointRange, inputs: list[int]) -> Piece:
    kept: dict[tuple[int, ...], int] = {}
    for x in inputs:
        kept.setdefault(tuple(back.posterior(x).tolist()), x)
    causes: dict[int, list[int]] = {}
    for place, outputs in enumerate(kept):
        for y in outputs:
            causes.setdefault(y, []).append(place)
    fewest = min(len(outputs) for outputs in kept)
    return Piece(tuple(kept.values()), tuple(map(tuple, causes.values())), fewest)
