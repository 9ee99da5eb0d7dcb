"""Conditions on private attributes: which values a filter lets through."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import and_, or_

from noiseless.errors import RequestError
from noiseless.pricing.partition import Partition, refined, together


@dataclass(frozen=True)
class Predicate:
    """A condition on the values of one attribute, or on the combinations of several.

    Attributes:
        partition: two blocks, or one when the condition holds for all values or for none.
        chosen: the blocks for which it holds.
    """

    partition: Partition
    chosen: frozenset[int]

    @classmethod
    def of(cls, name: str, size: int, numbers: Collection[int]) -> "Predicate":
        """The condition that a value's number, of 0 to size - 1, is one of these.

        >>> young = Predicate.of("age", 121, range(30))
        >>> smokes = Predicate.of("smokes", 2, [1])
        >>> (young & smokes).partition.names
        ('age', 'smokes')
        """
        if numbers and (min(numbers) < 0 or max(numbers) >= size):
            raise RequestError(f"a condition on {name!r} chooses among the numbers 0 to {size - 1:,}")
        if isinstance(numbers, range) and numbers and numbers.step == 1:
            ends = {numbers[0], numbers[-1] + 1}
        else:
            numbers = frozenset(numbers)
            ends = {*numbers, *(number + 1 for number in numbers)}
        starts = sorted({0, *(end for end in ends if end < size)})
        return cls._of_truth((name,), (size,), starts, [start in numbers for start in starts])

    @classmethod
    def _of_truth(
        cls, names: tuple[str, ...], sizes: tuple[int, ...], starts: Collection[int], truth: list[bool]
    ) -> "Predicate":
        partition = Partition.of_runs(names, sizes, starts, truth)
        return cls(partition, frozenset({int(not truth[0])} if any(truth) else ()))

    def __and__(self, other: "Predicate") -> "Predicate":
        return self._combined(other, and_)

    def __or__(self, other: "Predicate") -> "Predicate":
        return self._combined(other, or_)

    def __invert__(self) -> "Predicate":
        return Predicate(self.partition, frozenset(range(self.partition.blocks)) - self.chosen)

    def holds(self, number: int) -> bool:
        """Whether it holds for the value, or the combination, with this number."""
        return self.partition.label_at(number) in self.chosen

    def _combined(self, other: "Predicate", operator: Callable[[bool, bool], bool]) -> "Predicate":
        names, sizes = together([self.partition, other.partition])
        one = Predicate(self.partition.lifted(names, sizes), self.chosen)
        two = Predicate(other.partition.lifted(names, sizes), other.chosen)
        starts = refined([one.partition, two.partition]).starts
        truth = [operator(one.holds(start), two.holds(start)) for start in starts]
        return Predicate._of_truth(names, sizes, starts, truth)
