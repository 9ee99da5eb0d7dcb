"""What every answered question states about itself, as far as prices need it.

An event is frozen and holds nothing about anybody's data. `covers` says which people take part: a set of
public cells (any hashable keys for combinations of public attributes), or None for everybody. It also tells
questions apart, so it must be exact; `about` tells apart what `covers` cannot.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.pricing.footprint import Footprint
from noiseless.pricing.key import Key
from noiseless.pricing.partition import Partition
from noiseless.pricing.quantized import QuantizedQuery
from noiseless.pricing.record import Record

Cells = Collection[Hashable] | None


class Event(ABC):
    """An answer that was or will be given."""

    covers: Cells
    about: Hashable

    def __post_init__(self) -> None:
        """Keep the public cells as a set.

        Raises:
            RequestError: nobody takes part.
        """
        if self.covers is not None:
            object.__setattr__(self, "covers", frozenset(self.covers))
            if not self.covers:
                raise RequestError(
                    "nobody takes part; name public cells, or leave `covers` out for everybody"
                )

    @property
    @abstractmethod
    def key(self) -> Key:
        """The identity of the question: equal keys have equal answers."""

    @abstractmethod
    def footprint(self, record: Record) -> Footprint:
        """What one person with such a record can do to the answer.

        Raises:
            ColumnError: it depends on an attribute that the record does not have.
        """

    @property
    def people(self) -> Hashable:
        """Who takes part."""
        return (self.covers, self.about)

    @property
    def capacity(self) -> Fraction:
        """Bits of a randomised answer, beside its footprint."""
        return Fraction(0)

    @property
    def repeatable(self) -> bool:
        """Whether the same question has the same answer again: then it is free the second time."""
        return True

    @property
    def sources(self) -> "tuple[Event, ...]":
        """The answers from which this one is computed; itself when it looks at data."""
        return (self,)

    @property
    def grid(self) -> QuantizedQuery | None:
        """The question and the cells, where the answer is a cell of a question's answers."""
        return None

    @property
    def grid_key(self) -> Key | None:
        """The identity of the question that the grid is over, whatever its cells."""
        return None

    @property
    def partition(self) -> Partition | None:
        """The blocks whose sizes are told exactly, where that is so."""
        return None

    def follows_from(self, _counts: Partition) -> bool:
        """Whether the answer can be computed from exact counts of these blocks among the same people."""
        return False
