"""What earlier answers tell: repeated questions are free, and so are those whose cells or counts follow."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.pricing.event import Event, Key
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Lattice, Query
from noiseless.ranges.quantizer import Edged, Listed, Quantizer
from noiseless.work import spend

_MOST_CELLS = 2**14
"""Grids with more cells than this in all are not put together: their price is then that of other rules."""


def common_grid(query: Query, quantizers: Sequence[Quantizer]) -> QuantizedQuery | None:
    """One grid that tells exactly what all of the grids tell together; None when they have too many cells."""
    if sum(quantizer.cells for quantizer in quantizers) > _MOST_CELLS:
        return None
    spend(sum(quantizer.cells for quantizer in quantizers))
    span = query.span
    if isinstance(span, Lattice):
        begins = {quantizer.begin(cell) for quantizer in quantizers for cell in range(quantizer.cells)}
        return QuantizedQuery(query, Listed(span, tuple(sorted(begins))))
    edges = {quantizer.edge(cell) for quantizer in quantizers for cell in range(quantizer.cells)}
    return QuantizedQuery(query, Edged.of(span, sorted(edges)))


def cells_left(known: Sequence[Quantizer], asked: Quantizer) -> int:
    """How many cells of a grid are possible at most when the cells of other grids on the question are known.

    1 when every edge is an edge of a known grid, so that the answer follows from known ones.

    >>> from noiseless.ranges.quantizer import Uniform
    >>> from noiseless.questions import Continuum
    >>> four, three, two = (Uniform(Continuum.of(0, 1), cells) for cells in (4, 3, 2))
    >>> cells_left([four], two), cells_left([three], two)
    (1, 2)
    """
    if not known or asked.cells > _MOST_CELLS:
        return asked.cells
    spend(asked.cells * len(known))
    on_lattice = isinstance(asked.span, Lattice)
    inside: Counter[tuple[int, ...]] = Counter()
    for cell in range(1, asked.cells):
        edge = asked.begin(cell) if on_lattice else asked.edge(cell)
        met = [_cell_and_begin(grid, edge) for grid in known]
        if all(begin != edge for _, begin in met):
            inside[tuple(number for number, _ in met)] += 1
    return 1 + max(inside.values(), default=0)


def _cell_and_begin(grid: Quantizer, edge: Fraction | int) -> tuple[int, Fraction | int]:
    """The cell that another grid's edge lies in, and where that cell begins; positions are whole numbers."""
    if isinstance(edge, int):
        cell = grid.cell_at(edge)
        return cell, grid.begin(cell)
    cell = grid.cell(edge)
    return cell, grid.edge(cell)


@dataclass(frozen=True)
class Knowledge:
    """The questions that were answered.

    Attributes:
        keys: their identities.
        grids: the cells told of each question about each set of people.
        counts: the partitions whose blocks were counted exactly, by people.
    """

    keys: frozenset[Key] = frozenset()
    grids: Mapping[Key, tuple[Quantizer, ...]] = field(default_factory=dict)
    counts: Mapping[Hashable, tuple[DomainPartition, ...]] = field(default_factory=dict)

    def plus(self, events: Iterable[Event]) -> "Knowledge":
        """The same with further answers."""
        answered = [source for event in checked(events) for source in (event, *event.sources)]
        grids, counts = dict(self.grids), dict(self.counts)
        for event in answered:
            if event.grid is not None and event.grid_key is not None:
                grids[event.grid_key] = (*grids.get(event.grid_key, ()), event.grid.quantizer)
            if event.partition is not None:
                counts[event.people] = (*counts.get(event.people, ()), event.partition)
        return Knowledge(self.keys | {event.key for event in answered}, grids, counts)

    def fresh(self, events: Iterable[Event]) -> list[Event]:
        """The events that look at data and do not follow from earlier answers, each question once."""
        found: list[Event] = []
        seen = set(self.keys)
        for event in checked(events):
            for source in event.sources:
                again = source.key in seen and (source.repeatable or source is not event)
                if not again and not self.implies(source):
                    found.append(source)
                seen.add(source.key)
        return found

    def implies(self, event: Event) -> bool:
        """Whether exact counts or cells that were told determine the answer."""
        if self.counts and any(event.follows_from(counts) for counts in self.counts.get(event.people, ())):
            return True
        return self.cells_left(event) == 1

    def cells_left(self, event: Event) -> int | None:
        """How many cells remain possible at most, given cells told of the question; None if none were."""
        told = self.grids.get(event.grid_key) if self.grids and event.grid_key is not None else None
        return None if told is None or event.grid is None else cells_left(told, event.grid.quantizer)


def checked(events: Iterable[Event]) -> list[Event]:
    """The events, all of known kinds.

    Raises:
        RequestError: something else is among them.
    """
    found = list(events)
    for event in found:
        if not isinstance(event, Event):
            raise RequestError(
                f"a {type(event).__name__} is no event with a price; give its reach as OtherAnswer"
            )
    return found
