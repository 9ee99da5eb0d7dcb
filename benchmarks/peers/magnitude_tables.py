"""Tables of amounts with groups of neighbours, made from records: for us and for what the peer chose."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from noiseless.tabulations import Classification, Publication, PublishedTable
from noiseless.tabulations.magnitudes import ContributorAmounts, ProtectionLevel
from noiseless.tabulations.publication import UNBOUNDED

Records = Mapping[str, Any]
"""Columns r, c and v, and under `groups` how many neighbours make a group of each axis; 0 for none."""


def classification(records: Records, axis: str) -> Classification:
    """The labels of an axis, its groups and its total."""
    labels = tuple(sorted(set(records[axis])))
    width = records["groups"][axis]
    starts = range(0, len(labels), width) if width else ()
    groups = {f"{axis}g{at // width}": tuple(range(at, min(at + width, len(labels)))) for at in starts}
    return Classification(axis, labels, {**groups, "Total": tuple(range(len(labels)))})


def publication_of(records: Records, hidden: Sequence[Sequence[str]] = ()) -> Publication:
    """The true table, or the one in which some cells are withheld: row and column of each."""
    rows, columns = (classification(records, axis) for axis in "rc")
    values = np.zeros((len(rows.categories), len(columns.categories)), np.int64)
    places = [{label: at for at, label in enumerate(each.categories)} for each in (rows, columns)]
    for row, column, amount in zip(*(records[key] for key in "rcv"), strict=True):
        values[places[0][row], places[1][column]] += int(amount)
    figures = _sums(rows) @ values @ _sums(columns).T
    hide = np.zeros(figures.shape, bool)
    for row, column in hidden:
        hide[rows.labels.index(row), columns.labels.index(column)] = True
    lower, upper = np.where(hide, 0, figures), np.where(hide, UNBOUNDED, figures)
    table = PublishedTable.of_grid("t", {"r": rows.labels, "c": columns.labels}, lower, upper, "magnitude")
    return Publication((rows, columns), (table,))


def _sums(each: Classification) -> np.ndarray:
    matrix = np.zeros((len(each.labels), len(each.categories)), np.int64)
    members, starts = each.members
    for label in range(len(each.labels)):
        matrix[label, members[starts[label] : starts[label + 1]]] = 1
    return matrix


def amounts_of(publication: Publication, records: Records) -> ContributorAmounts:
    """Each record is a contributor."""
    given = enumerate(zip(*(records[key] for key in "rcv"), strict=True))
    return ContributorAmounts.of(
        publication, [(str(who), (row, col), int(v)) for who, (row, col, v) in given]
    )


def wanted_levels(publication: Publication, levels: Sequence[Sequence[Any]]) -> tuple[ProtectionLevel, ...]:
    """What must stay possible of the sensitive cells, as the peer says it."""
    place = {labels: row for row, (_, labels) in enumerate(publication.row_names)}
    found = list[ProtectionLevel]()
    for row, column, below, above in levels:
        at = place[row, column]
        value = int(publication.told_lower[at])
        found.append(ProtectionLevel(at, "given", max(0, value - int(below)), value + int(above), 0))
    return tuple(found)
