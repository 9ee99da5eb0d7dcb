"""What a cell costs, word by word: the largest distance of a member to the cell's codeword."""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.loss import Length


def cost_by_definition(book: ColumnCodebook, members: Sequence[int]) -> Length:
    """What a cell costs; in the unit of its columns, as the docstring of a codebook has it."""
    words: list[Sequence[int] | None] = [None] if book.word != "medoid" else [[member] for member in members]
    return min(max(_distance(book, members, member, word) for member in members) for word in words)


def _distance(
    book: ColumnCodebook, members: Sequence[int], member: int, word: Sequence[int] | None
) -> Length:
    share = Fraction(1, len(book.columns)) if book.distance == "gower" else Fraction(1)
    parts = [
        share
        * column.weight
        * _gap(book, column, (word and [member, *word]) or members, member, word is not None)
        for column in book.columns
    ]
    if book.distance in ("max", "discrete"):
        return Length(max(parts))
    if book.distance in ("euclidean", "squared"):
        return Length(sum(part**2 for part in parts), root=book.distance == "euclidean")
    return Length(sum(parts))


def _gap(book: ColumnCodebook, column: Column, cell: Sequence[int], member: int, to_last: bool) -> Fraction:
    """How far a member is from the word of its cell, or from the cell's last value, in a column."""
    gower = book.distance == "gower"
    if isinstance(column, Categories):
        return Fraction(len({int(column.codes[value]) for value in cell}) > 1)
    if isinstance(column, Hierarchy):
        costs = column.node_costs
        node = reduce(column.common_node, [int(column.leaf[value]) for value in cell])
        return Fraction(int(costs[node]), max(1, int(costs.max())) if gower else 1)
    assert isinstance(column, Numbers)
    numbers = [column.value(value) for value in cell]
    low, high = min(numbers), max(numbers)
    if to_last:
        far = abs(column.value(member) - numbers[-1])
    elif book.word == "interval":
        far = (high - low) / 2
    else:
        middle = sum(numbers, Fraction(0)) / len(numbers) if book.word == "centroid" else (low + high) / 2
        far = abs(column.value(member) - middle)
    return far / (column.span[1] - column.span[0]) if gower and column.span else far
