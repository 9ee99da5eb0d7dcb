"""Exact counting where a person can be few things: what each of them makes of an answer, for all others.

A table has a row for everything that others can do to the answer, and a column for everything that the person
can be: the values of one attribute, or of all of a person's rows in no order. Tables of several answers are
looked at in all combinations of their rows; others can do no more than that.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np

from noiseless.arrays import IntArray
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive
from noiseless.questions.base import Influence, length
from noiseless.work import spend

AnswerTable = tuple[tuple[int, ...], ...]

_MOST_STATES = 64
"""What a person can be is listed up to here."""
_MOST_NUMBERS = 2**16
"""Numbers of a table before equal rows are one."""
_MOST_JOINT, _MOST_TABLES = 2**19, 10
"""Numbers of all combinations of rows, and tables."""
_NUMBERS_A_STEP = 32


def table_of_sum(mechanism: QuantizedQuery, size: int, rows: int) -> AnswerTable | None:
    """What a person with this many rows makes of a sum that is told in cells; None if that is too much."""
    query = mechanism.query
    if not isinstance(query, Additive) or size > _MOST_STATES or length(query.contributions) != size:
        return None
    several, (influence,) = min(rows, query.people), query.influences
    if not isinstance(influence, Influence) or min(query.rows, query.people) != several:
        return None
    states = comb(size + several - 1, several)
    if states > _MOST_STATES or states * length(influence.bases) > _MOST_NUMBERS:
        return None
    spend(states * length(influence.bases) // _NUMBERS_A_STEP)
    worth = [sum(some) for some in combinations_with_replacement(query.contributions, several)]
    bases = np.asarray(influence.bases, np.int64)
    cells = mechanism.quantizer.cells_at(bases[:, None] + np.asarray(worth, np.int64))
    return _distinct(np.asarray(cells, np.int64))


def table_of_blocks(blocks: DomainPartition, rows: int) -> AnswerTable | None:
    """A person's blocks, in no order: whatever others do, the same."""
    if (
        len(blocks.names) > 1
        or blocks.size > _MOST_STATES
        or comb(blocks.size + rows - 1, rows) > _MOST_STATES
    ):
        return None
    labels = [blocks.label_at(number) for number in range(blocks.size)]
    told = [tuple(sorted(some)) for some in combinations_with_replacement(labels, rows)]
    numbers: dict[tuple[int, ...], int] = {}
    return (tuple(numbers.setdefault(each, len(numbers)) for each in told),)


def most_joint_answers(tables: Sequence[AnswerTable]) -> int | None:
    """The most different joint answers over all combinations of rows; None if they are too many.

    >>> most_joint_answers([((0, 0, 1), (0, 1, 1)), ((0, 1, 1),)])
    3
    """
    states = len(tables[0][0])
    if len(tables) > _MOST_TABLES or any(len(table[0]) != states for table in tables):
        return None
    joint = prod(map(len, tables)) * states
    if joint > _MOST_JOINT:
        return None
    spend(joint // _NUMBERS_A_STEP)
    found = np.zeros((1, states), np.int64)
    for table in tables:
        codes = np.asarray(table, np.int64)
        found = (found[:, None, :] * states + codes[None]).reshape(-1, states)
    ordered = np.sort(found, axis=1)
    return 1 + int(np.count_nonzero(np.diff(ordered, axis=1), axis=1).max(initial=0))


def _distinct(cells: IntArray) -> AnswerTable:
    """Each row that differs from the others by more than the names of its cells."""
    names = (np.unique(row, return_inverse=True)[1].ravel().tolist() for row in np.unique(cells, axis=0))
    return tuple(dict.fromkeys(map(tuple, names)))
