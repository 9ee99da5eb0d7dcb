"""Push-forwards on lattices: how many datasets lead to each answer, and the best cells by exact counting."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce, singledispatch
from itertools import accumulate, combinations_with_replacement, pairwise
from math import comb, factorial, floor, prod

from noiseless.errors import RequestError
from noiseless.intervals import Enclosure
from noiseless.questions import Additive, Attribute, CountedQuery, Lattice, OrderStatistic, Query, Weighted
from noiseless.questions.statistics import few_groups
from noiseless.ranges.quantizer import Edged
from noiseless.theory.accuracy.policy import AccuracyPolicy, Scope
from noiseless.theory.accuracy.walk import best_walk, largest_target

MOST_ANSWERS = 2**13
"""Different answers up to this many are told apart."""

MOST_TERMS = 2**18
"""Terms that are added up for an order statistic."""

MOST_DATASETS = 50_000
"""Datasets of people who are alike are listed one by one up to this many, where nothing quicker is known."""


@dataclass(frozen=True)
class DatasetCounts:
    """How many datasets lead to each answer that can occur.

    Attributes:
        span: the lattice of answers.
        positions: the answers that occur, ascending.
        counts: how many datasets lead to each.
    """

    span: Lattice
    positions: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, query: Query) -> "DatasetCounts":
        """Of a question about people whose values are on a lattice.

        Raises:
            RequestError: datasets cannot be counted, or there are too many answers.
        """
        span = query.span
        if not isinstance(span, Lattice):
            raise RequestError(
                "volumes are known for sums and means of quantities, and for formulas; declare a step"
            )
        occurring = {position: count for position, count in sorted(_counted(query).items()) if count}
        return cls(span, tuple(occurring), tuple(occurring.values()))

    @cached_property
    def before(self) -> list[int]:
        """How many datasets have an answer before each one of those that occur, and at the end all."""
        return list(accumulate(self.counts, initial=0))

    @property
    def total(self) -> int:
        """How many datasets there are."""
        return self.before[-1]

    def reaching(self, error: Fraction) -> list[int]:
        """For each answer how many answers lie before the first that is more than 2e above it."""
        steps = floor(2 * error / self.span.step)
        return [bisect_right(self.positions, position + steps) for position in self.positions]

    def fewest(self, error: Fraction) -> list[int]:
        """Where cells begin when each holds all it can: no policy has fewer (Theorem IV.2 of [P4])."""
        ends, begins = self.reaching(error), [0]
        while (following := ends[begins[-1]]) < len(self.positions):
            begins.append(following)
        return begins

    def least_leaking(self, error: Fraction) -> list[int]:
        """Where contiguous cells begin that maximise the smallest count; of those, the fewest cells."""
        ends = [*self.reaching(error), len(self.positions)]
        most = self.total // len(self.fewest(error))
        _, walk = best_walk(self.before, self.before, ends, 1, most)
        return (walk or [])[:-1]

    def largest_smallest(self, error: Fraction, known: int = 1) -> int:
        """The largest smallest count of any policy, even of one that is no function of the answer.

        Sort datasets by their answers: by the argument of `least_leakage` consecutive runs of datasets are
        optimal, which may part datasets with the same answer. For a target m a run that begins at the c-th
        dataset, its answer being the k-th, may end anywhere from c + m to the end of what is within 2e.

        Args:
            error: e.
            known: a smallest count that some policy attains.
        """
        ends = [self.before[place] for place in self.reaching(error)]

        def attained(target: int) -> int | None:
            runs: list[tuple[int, int]] = [(0, 0)]  # where runs may end: whole intervals, both ends ascending
            place = 0
            for start, stop, end in zip(self.before, self.before[1:], ends, strict=False):
                while place < len(runs) and runs[place][1] < start:
                    place += 1
                if place == len(runs):
                    return None
                begin = max(runs[place][0], start)
                if begin < stop and begin + target <= end:
                    runs.append((begin + target, end))
            return target if runs[-1][1] == self.total else None

        return largest_target(attained, known, self.total // len(self.fewest(error)))

    def policy(self, begins: Sequence[int], error: Fraction, optimal: Scope | None = None) -> AccuracyPolicy:
        """The policy with cells that begin at some of the answers."""
        inner = [self.span.value(self.positions[place]) for place in begins[1:]]
        runs = list(zip(begins, [*begins[1:], len(self.positions)], strict=True))
        held = [self.before[stop] - self.before[start] for start, stop in runs]
        widest = max(self.positions[stop - 1] - self.positions[start] for start, stop in runs)
        best = self.largest_smallest(error, min(held))
        return AccuracyPolicy(
            Edged.of(self.span, inner),
            error,
            self.span.step * widest / 2,
            tuple(Enclosure.exactly(Fraction(count, self.total)) for count in held),
            Fraction(best, self.total),
            len(self.fewest(error)),
            counted=True,
            optimal_in="all" if min(held) == best else optimal,
        )


@singledispatch
def _counted(query: Query) -> Counter[int]:
    """How many datasets lead to each position; by listing them when nothing quicker is known."""
    attribute = getattr(query, "attribute", None)
    if not isinstance(query, CountedQuery) or not isinstance(attribute, Attribute):
        raise RequestError("datasets are counted for sums, counts, means and order statistics on a lattice")
    people = query.people
    if not few_groups(attribute.size, people + 1, MOST_DATASETS * attribute.size):
        raise RequestError(
            f"there are more than {MOST_DATASETS:,} datasets, and no quicker way to count them;"
            " ask for the fewest cells"
        )
    datasets: Counter[int] = Counter()
    for chosen in combinations_with_replacement(attribute.numbers, people):
        counts = Counter(chosen)
        orders = factorial(people) // prod(factorial(times) for times in counts.values())
        datasets[query.position(counts)] += orders
    return datasets


@_counted.register
def _of_additive(query: Additive) -> Counter[int]:
    """A power of the polynomial of what a row contributes."""
    return _powers([(Counter(query.contributions), query.people)])


@_counted.register
def _of_weighted(query: Weighted) -> Counter[int]:
    """A product of such powers, one for each weight."""
    kinds = Counter(query.weights)
    moved = [(Counter(_moves(query, weight)), times) for weight, times in kinds.items()]
    return _powers(moved)


def _moves(query: Weighted, weight: Fraction) -> list[int]:
    size, numbers = int(weight / query.unit), query.attribute.numbers
    return [size * number if size >= 0 else -size * (numbers[-1] - number) for number in numbers]


@_counted.register
def _of_order(query: OrderStatistic) -> Counter[int]:
    """At most v: at least `rank` of the people have one of the numbers up to v."""
    size, people, numbers = query.attribute.size, query.people, query.attribute.numbers
    _require(size)
    if size * (people - query.rank + 1) > MOST_TERMS:
        raise RequestError("there are too many people to count their datasets; ask for the fewest cells")
    upto = [
        sum(comb(people, k) * c**k * (size - c) ** (people - k) for k in range(query.rank, people + 1))
        for c in range(size + 1)
    ]
    return Counter(
        {number: after - before for number, (before, after) in zip(numbers, pairwise(upto), strict=True)}
    )


def _powers(parts: Iterable[tuple[Counter[int], int]]) -> Counter[int]:
    """The coefficients of a product of powers of polynomials, which count ways to reach each sum."""
    from flint import fmpz_poly

    listed = list(parts)
    _require(sum(max(part) * times for part, times in listed) + 1)
    polynomials = [
        fmpz_poly([part.get(k, 0) for k in range(max(part) + 1)]) ** times for part, times in listed
    ]
    product = reduce(lambda a, b: a * b, polynomials)
    return Counter({place: int(count) for place, count in enumerate(product.coeffs()) if count})


def _require(answers: int) -> None:
    if answers > MOST_ANSWERS:
        raise RequestError(f"the lattice has {answers:,} answers; up to {MOST_ANSWERS:,} are told apart")
