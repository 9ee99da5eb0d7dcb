"""One question about one public group: what is told, and how the answer is read off it."""

from dataclasses import dataclass, replace
from fractions import Fraction

from noiseless.curator.cell_telling import CellTelling
from noiseless.curator.counts_telling import CountsTelling
from noiseless.curator.tellings import Stored, Telling
from noiseless.domain import Value
from noiseless.questions.population import Group
from noiseless.questions.sql.intervals import Interval

ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True, eq=False)
class Part:
    """What a question comes to for one group.

    Attributes:
        telling: what is told; None where everybody knows the answer.
        fixed: the answer that everybody knows; None if there is none.
        labels: the blocks whose rows are counted; None for a count of each value.
        factor: the answer is shift + factor times what is told.
        shift: see `factor`.
        group: the values that name the group.
    """

    telling: Telling | None
    fixed: Interval | None = None
    labels: frozenset[int] | None = None
    factor: Fraction = ONE
    shift: Fraction = ZERO
    group: tuple[Value, ...] = ()

    @classmethod
    def known(cls, number: int) -> "Part":
        """A number that everybody knows."""
        return cls(None, Interval.of(number))

    @classmethod
    def missing(cls) -> "Part":
        """No answer, which everybody knows."""
        return cls(None)

    def of(self, group: Group) -> "Part":
        """The same, for a named group."""
        return replace(self, group=group.values) if group.values else self

    def value(self, answer: Stored | None, number: int = 0) -> Interval | None:
        """The answer; of a histogram, how many rows have the value with a number."""
        found = self.fixed
        if answer is None:
            pass
        elif type(self.telling) is CellTelling:
            found = self.telling.interval(answer)
        elif type(self.telling) is CountsTelling:
            found = self._count(self.telling, answer["counts"], number)
        if found is None or (self.factor is ONE and self.shift is ZERO):
            return found
        ends = (self.shift + self.factor * found.lower, self.shift + self.factor * found.upper)
        return Interval(*(ends if self.factor > 0 else ends[::-1]))

    def _count(self, telling: CountsTelling, counts: list[int], number: int) -> Interval:
        if self.labels is not None:
            return Interval.of(sum(counts[label] for label in self.labels))
        label = telling.partition.label_at(number)
        alone = telling.block_sizes[label] == 1
        return Interval.of(counts[label] if alone else 0, counts[label])
