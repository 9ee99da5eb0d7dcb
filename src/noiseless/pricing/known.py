"""What earlier answers tell: repeated questions are free, and so are those whose answers follow."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from noiseless.errors import RequestError
from noiseless.pricing.event import Event
from noiseless.pricing.grids import cells_left
from noiseless.pricing.key import Key
from noiseless.pricing.partition import Partition
from noiseless.ranges.quantizer import Quantizer


@dataclass(frozen=True)
class Known:
    """The questions that were answered.

    Attributes:
        keys: their identities.
        grids: the cells told of each question about each set of people.
        counts: the partitions whose blocks were counted exactly, by people.
    """

    keys: frozenset[Key] = frozenset()
    grids: Mapping[Key, tuple[Quantizer, ...]] = field(default_factory=dict)
    counts: Mapping[Hashable, tuple[Partition, ...]] = field(default_factory=dict)

    def plus(self, events: Iterable[Event]) -> "Known":
        """The same with further answers."""
        answered = [source for event in checked(events) for source in (event, *event.sources)]
        grids, counts = dict(self.grids), dict(self.counts)
        for event in answered:
            if event.grid is not None and event.grid_key is not None:
                grids[event.grid_key] = (*grids.get(event.grid_key, ()), event.grid.quantizer)
            if event.partition is not None:
                counts[event.people] = (*counts.get(event.people, ()), event.partition)
        return Known(self.keys | {event.key for event in answered}, grids, counts)

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
