"""What a question comes to for one public group, and how fine that may be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from noiseless.curator.disclosure import CellDisclosure, CountsDisclosure, Disclosure, StoredAnswer
from noiseless.intervals import AnswerInterval

ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True, eq=False)
class GroupAnswer:
    """What a question comes to for one group.

    Attributes:
        disclosure: what is published; None where everybody knows the answer.
        fixed: the answer that everybody knows; None if there is none.
        labels: the blocks whose rows are counted; None for a count of each value.
        factor: the answer is shift + factor times what is published.
        shift: see `factor`.
        numbers: the numbers that values of a private GROUP BY have in what is counted.
        each: the answers for all values of a private GROUP BY, one by one.
    """

    disclosure: Disclosure | None
    fixed: AnswerInterval | None = None
    labels: frozenset[int] | None = None
    factor: Fraction = ONE
    shift: Fraction = ZERO
    numbers: tuple[int | None, ...] | None = None
    each: tuple["GroupAnswer", ...] = ()

    @property
    def disclosures(self) -> Iterator[Disclosure]:
        """All that is told."""
        for part in self.each or (self,):
            if part.disclosure is not None:
                yield part.disclosure

    def shown(self, answers: Mapping[str, StoredAnswer], number: int = 0) -> AnswerInterval | None:
        """The answer, given all answers by their fingerprints; that for one value of a private GROUP BY."""
        part = self.each[number] if self.each else self
        told = part.disclosure
        return part.value(None if told is None else answers[told.question], number)

    def value(self, answer: StoredAnswer | None, number: int = 0) -> AnswerInterval | None:
        """The answer; of a histogram, how many rows have the value with a number."""
        if self.numbers is not None:
            place = self.numbers[number]
            if place is None:
                return AnswerInterval.of(0)
            number = place
        found = self.fixed
        if answer is None:
            pass
        elif type(self.disclosure) is CellDisclosure:
            found = self.disclosure.interval(answer)
        elif type(self.disclosure) is CountsDisclosure:
            found = self._count(self.disclosure, answer["counts"], number)
        if found is None or (self.factor is ONE and self.shift is ZERO):
            return found
        ends = (self.shift + self.factor * found.lower, self.shift + self.factor * found.upper)
        return AnswerInterval(*(ends if self.factor > 0 else ends[::-1]))

    def _count(self, disclosure: CountsDisclosure, counts: list[int], number: int) -> AnswerInterval:
        if self.labels is not None:
            return AnswerInterval.of(sum(counts[label] for label in self.labels))
        label = disclosure.partition.label_at(number)
        alone = disclosure.partition.block_sizes[label] == 1
        return AnswerInterval.of(counts[label] if alone else 0, counts[label])


@dataclass(frozen=True)
class Precision:
    """How fine an answer may be.

    Attributes:
        outputs: how many outputs one person may cause at most.
        error: how far the middle may be from the truth instead; the price is then what that costs.
        least_leakage: whether cells within that error leak least of all people together; else they are few.
    """

    outputs: int
    error: Fraction | None = None
    least_leakage: bool = False

    def scaled(self, factor: Fraction) -> "Precision":
        """The same for a number, of which the answer is this multiple."""
        return self if self.error is None else replace(self, error=self.error / factor)
