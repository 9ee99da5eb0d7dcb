"""Few tables that together show every end of every range: tables are shared among figures.

Parts of a publication that nothing links are independent: the first table of one goes with the first of each
other. Within the network each table is packed: cells are brought to their ends one after the other, and those
that got there are held. Of an integer program's tables those are taken that show most of what is still open.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from noiseless.arrays import IntArray
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.ranges import SumRanges

_Goal = tuple[bytes, int]
"""Places in an integer program, and a value of their sum."""


@dataclass(eq=False)
class _Goals:
    arcs: dict[tuple[int, bool], int] = field(default_factory=dict)
    forms: dict[int, set[_Goal]] = field(default_factory=lambda: defaultdict(set))


def witness_tables(ranges: SumRanges, numbers: Sequence[int]) -> list[IntArray]:
    """Integer tables of all base cells that show the ends (and counted values) of some sums.

    None, where the time limit came before any table was found that fits.
    """
    goals = _Goals()
    for number in numbers:
        _collect(ranges, number, goals)
    if not all(len(program.tables) for program in ranges.found.programs.values()):
        return []
    flows = _flows(ranges, goals.arcs)
    chosen = {part: _cover(ranges, part, wanted) for part, wanted in goals.forms.items()}
    many = max([2, len(flows), *map(len, chosen.values())])
    tables = [_table(ranges, place, flows, chosen) for place in range(many)]
    for number in numbers:
        _add_missing(ranges, number, tables)
    return _distinct(tables)


def _collect(ranges: SumRanges, number: int, goals: _Goals) -> None:
    """What each piece of a sum must show."""
    for arc, least, most in ranges.arc_ends(number):
        goals.arcs[arc, False] = least
        if most is not None:
            goals.arcs[arc, True] = most
    for part, form, values in ranges.form_values(number):
        goals.forms[part] |= {(form.tobytes(), value) for value in values}


def _flows(ranges: SumRanges, goals: dict[tuple[int, bool], int]) -> list[IntArray]:
    """Circulations that show all ends of arcs."""
    if ranges.network is None:
        return []
    flows = [ranges.network.flow.copy()]
    wanted = np.array([(arc, up, goal) for (arc, up), goal in goals.items()], np.int64).reshape(-1, 3)
    while True:
        wanted = wanted[flows[-1][wanted[:, 0]] != wanted[:, 2]]
        if not len(wanted):
            return flows
        flows.append(ranges.network.packed(wanted[:, 0], wanted[:, 1] > 0, wanted[:, 2]))


def _cover(ranges: SumRanges, part: int, wanted: set[_Goal]) -> list[IntArray]:
    """Tables of an integer program, each the one that shows most of what those before do not."""
    program = ranges.found.program(part)
    shows: list[set[_Goal]] = [set() for _ in program.tables]
    for goal in wanted:
        for place in np.flatnonzero(program.values(np.frombuffer(goal[0], np.int64)) == goal[1]).tolist():
            shows[place].add(goal)
    left, chosen = set(wanted), list[IntArray]()
    while left and shows:
        best = max(range(len(shows)), key=lambda place: len(shows[place] & left))
        if not shows[best] & left:
            break
        left -= shows[best]
        chosen.append(program.tables[best])
    return chosen or list(program.tables[:1])


def _table(
    ranges: SumRanges, place: int, flows: Sequence[IntArray], chosen: dict[int, list[IntArray]]
) -> IntArray:
    """A table of all cells: the one of that place of each part, or its last."""
    found, history = ranges.found, ranges.found.history
    table = history.lower.copy()
    if place % 2:  # cells that no figure is about: their other end
        loose = ranges.loose_atoms()
        upper = history.upper[loose]
        table[loose] = np.where(upper < UNBOUNDED, upper, history.lower[loose] + 1)
    if flows:
        inside = found.constraints.atoms[found.in_network]
        table[inside] = flows[min(place, len(flows) - 1)][: len(inside)]
    for part, program in found.programs.items():
        tables = chosen.get(part) or list(program.tables[:1])
        if tables and not found.in_network[found.part == part].any():
            table[program.atoms] = tables[min(place, len(tables) - 1)]
    return table


def _add_missing(ranges: SumRanges, number: int, tables: list[IntArray]) -> None:
    """A table of its own for each end of a sum, and each counted value, that none shows."""
    atoms, found = ranges.atoms(number), ranges[number]
    shown = {int(table[atoms].sum()) for table in tables}
    for up, end in ((False, found.least), (True, found.most)):
        if end is not None and end not in shown:
            tables.append(_changed(tables[0], ranges.extreme_pieces(number, up)))
            shown.add(end)
    pieces = list(ranges.form_values(number))
    if len(pieces) == 1 and not list(ranges.arc_ends(number)):
        part, form, values = pieces[0]
        program = ranges.found.program(part)
        for value in values:
            table = program.tables[int(np.argmax(program.values(form) == value))]
            changed = _changed(tables[0], [(program.atoms, table)])
            if int(changed[atoms].sum()) not in shown:
                tables.append(changed)
                shown.add(int(changed[atoms].sum()))


def _changed(table: IntArray, pieces: Iterable[tuple[IntArray, IntArray]]) -> IntArray:
    changed = table.copy()
    for places, values in pieces:
        changed[places] = values
    return changed


def _distinct(tables: Iterable[IntArray]) -> list[IntArray]:
    return list({table.tobytes(): table for table in tables}.values())
