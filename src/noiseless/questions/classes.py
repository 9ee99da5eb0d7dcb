"""Exact counts of classes of a private attribute: histograms and the most frequent values."""

from collections.abc import Mapping
from dataclasses import dataclass

from noiseless.errors import RequestError
from noiseless.questions.base import require_listable, require_people


@dataclass(frozen=True)
class Histogram:
    """How many rows are in each class of a private attribute, exactly.

    What it tells of one person is the class they are in, so they can cause as many answers as there are
    classes, whatever the others are.

    Attributes:
        people: how many rows take part.
        name: the private attribute.
        size: how many values the attribute has.
        classes: the numbers of the values in each class; disjoint, and together all of them.
        rows: the most rows that one person may have.

    >>> Histogram.of_values(100, "tariff", 3).outputs
    3
    """

    people: int
    name: str
    size: int
    classes: tuple[frozenset[int], ...]
    rows: int = 1

    def __post_init__(self) -> None:
        require_people(self.people)
        if sorted(number for each in self.classes for number in each) != list(range(self.size)):
            raise RequestError("the classes of a histogram hold each value of the domain once")

    @classmethod
    def of_values(cls, people: int, name: str, size: int, rows: int = 1) -> "Histogram":
        """A class for each value.

        Raises:
            ColumnError: they are too many to be counted one by one.
        """
        require_listable(name, size)
        return cls(people, name, size, tuple(frozenset({number}) for number in range(size)), rows)

    @property
    def outputs(self) -> int:
        """How many answers one person can cause: a class for each of their rows, in no order."""
        present = sum(bool(each) for each in self.classes)
        rows, found = min(self.rows, self.people), 1
        for chosen in range(rows):  # multisets of `rows` classes: C(present + rows - 1, rows)
            found = found * (present + chosen) // (chosen + 1)
        return found

    def counts(self, counts: Mapping[int, int]) -> tuple[int, ...]:
        """How many rows are in each class, given how many have each number."""
        return tuple(sum(counts.get(number, 0) for number in each) for each in self.classes)


@dataclass(frozen=True)
class TopCounts:
    """The most frequent classes of a histogram, with their counts; ties go to the class that stands first.

    It is a function of the histogram and never tells more than it (Theorem 7 of [P1]).

    >>> TopCounts(Histogram.of_values(100, "tariff", 3), most=1).outputs
    3
    """

    histogram: Histogram
    most: int

    def __post_init__(self) -> None:
        if self.most < 1:
            raise RequestError("ask for at least one of the most frequent values")

    @property
    def outputs(self) -> int:
        """At most what the histogram tells; one if it is empty of choice."""
        return self.histogram.outputs

    def counts(self, counts: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
        """(class, how many rows are in it), most frequent first."""
        found = enumerate(self.histogram.counts(counts))
        return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0]))[: self.most])
