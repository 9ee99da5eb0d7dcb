"""Tiny worlds with random questions, whose answers are computed from the definition."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from random import Random

from noiseless.pricing.event import Event, Record
from noiseless.pricing.events import ExactCounts, GroupedAnswers, QuantizedAnswer, with_absent
from noiseless.pricing.other_events import LinearAnswer, OtherAnswer
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import (
    Attribute,
    Lattice,
    Query,
    Variance,
    Weighted,
    count,
    maximum,
    mean,
    median,
    minimum,
    quantile,
    total,
)
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Edged, Quantizer, Stepped, Uniform

Row = tuple[int, int]
"""The numbers of one row's two private attributes, x and y, as places in their domains."""
Dataset = tuple[Row, ...]


@dataclass(frozen=True)
class Question:
    event: Event
    answer: Callable[[Dataset], Hashable]


Covers = frozenset[str] | None


class World:
    """A few rows, the public cell of each, and two private attributes with small domains."""

    def __init__(self, random: Random, rows: int = 1, scene: str | None = None) -> None:
        self.random, self.rows, self.scene = random, rows, scene
        persons = random.choice((1, 1, 2, 2, 2, 3)) if rows == 1 else random.choice((1, 2))
        persons = persons if scene is None else min(persons, 2)
        self.owners = [person for person in range(persons) for _ in range(rows)]
        self.cells = [random.choice("ab") for _ in self.owners]
        first = sorted(random.sample(range(8), random.randint(2, 6 if persons < 3 else 4)))
        second = [0] if random.random() < 0.3 and scene is None else list(range(random.randint(2, 3)))
        if rows > 1:
            first, second = first[:3], second[:2]
        self.x = Attribute.among("x", [Fraction(value) for value in first])
        self.y = Attribute.among("y", [Fraction(value) for value in second])
        self.record = Record.of({"x": self.x.size, "y": self.y.size}, rows)
        # Few kinds in one world, so that questions meet their like.
        numeric = NUMERIC if rows == 1 else SEVERAL_ROWS
        self.kinds = random.sample(KINDS, random.randint(1, 3))
        self.numeric = random.sample(numeric, random.randint(1, 2))
        if scene is not None:
            self.kinds, self.numeric = list(SCENES[scene][0]), list(SCENES[scene][1])

    def question(self) -> Question:
        while True:
            covers = self.random.choice((None, None, frozenset("a"), frozenset("b"), frozenset("ab")))
            covers = None if self.scene else covers
            members = [row for row, cell in enumerate(self.cells) if covers is None or cell in covers]
            if members:
                return self.random.choice(self.kinds)(self, covers, members)

    def cellwise(self, query: Query) -> Quantizer:
        """Some grid over a question's answers."""
        span, kind = query.span, self.random.randrange(3 if self.scene is None else 4)
        assert isinstance(span, Lattice)
        if kind == 0:
            return Uniform(span, self.random.randint(1, min(span.last, 7) + 1))
        if kind == 1:
            return Stepped(span, self.random.randint(1, max(1, min(span.last, 12))))
        edges = self.random.randint(1, 4) if kind == 2 else 1
        return Edged.of(span, [span.value(self.random.randint(0, span.last)) for _ in range(edges)])

    def datasets(self) -> Iterator[Dataset]:
        rows = list(product(range(self.x.size), range(self.y.size)))
        return product(rows, repeat=len(self.owners))

    @cached_property
    def numbers(self) -> list[Fraction]:
        return [self.x.value(number) for number in self.x.numbers]

    def values(self, dataset: Dataset, members: Sequence[int]) -> list[Fraction]:
        return [self.numbers[dataset[row][0]] for row in members]


def numeric(world: World, covers: Covers, members: Sequence[int]) -> Question:
    people = len(members)
    chosen = world.random.choice(world.numeric)
    query, value = chosen(world, people)
    grid = world.cellwise(query)
    event = QuantizedAnswer(QuantizedQuery(query, grid), covers)

    @cache
    def cell(*places: int) -> int:
        return grid.cell(value([world.numbers[place] for place in places]))

    return Question(event, lambda dataset: cell(*(dataset[row][0] for row in members)))


Numeric = tuple[Query, Callable[[list[Fraction]], Fraction]]


def asked_total(world: World, people: int) -> Numeric:
    return total(people, world.x, rows=world.rows), lambda values: sum(values, Fraction(0))


def asked_mean(world: World, people: int) -> Numeric:
    return mean(people, world.x, rows=world.rows), lambda values: sum(values, Fraction(0)) / len(values)


def asked_filtered_on_itself(world: World, people: int) -> Numeric:
    low, high = sorted(world.random.choices(range(world.x.size + 1), k=2))
    chosen = world.x.numbers[low:high]
    inside = {world.x.value(number) for number in chosen}
    return total(people, world.x, chosen), lambda values: sum((v for v in values if v in inside), Fraction(0))


def asked_count(world: World, people: int) -> Numeric:
    chosen = [n for n in world.x.numbers if world.random.random() < 0.5]
    inside = {world.x.value(number) for number in chosen}
    return count(people, world.x, chosen, world.rows), lambda values: Fraction(
        sum(v in inside for v in values)
    )


def asked_minimum(world: World, people: int) -> Numeric:
    return minimum(people, world.x), min


def asked_maximum(world: World, people: int) -> Numeric:
    return maximum(people, world.x), max


def asked_median(world: World, people: int) -> Numeric:
    def middle(values: list[Fraction]) -> Fraction:
        ordered = sorted(values)
        return (ordered[(people - 1) // 2] + ordered[people // 2]) / 2

    return median(people, world.x), middle


def asked_quantile(world: World, people: int) -> Numeric:
    share = Fraction(world.random.randint(0, 4), 4)
    query = quantile(people, world.x, share)
    return query, lambda values: sorted(values)[query.rank - 1]


def asked_weighted(world: World, people: int) -> Numeric:
    weights = tuple(Fraction(world.random.choice((-2, -1, 1, 3))) for _ in range(people))
    query = Weighted(weights, world.x)
    return query, lambda values: sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))


def asked_variance(world: World, people: int) -> Numeric:
    def spread(values: list[Fraction]) -> Fraction:
        middle = sum(values, Fraction(0)) / len(values)
        return sum(((v - middle) ** 2 for v in values), Fraction(0)) / len(values)

    return Variance(people, world.x), spread


NUMERIC: tuple[Callable[[World, int], Numeric], ...] = (
    asked_total,
    asked_mean,
    asked_count,
    asked_filtered_on_itself,
    asked_minimum,
    asked_maximum,
    asked_median,
    asked_quantile,
    asked_weighted,
    asked_variance,
)


SEVERAL_ROWS = (asked_total, asked_mean, asked_count, asked_minimum, asked_maximum, asked_quantile)


def counts(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """COUNT(*) WHERE some condition on x, on y, or on both."""
    inside_x = [place for place in range(world.x.size) if world.random.random() < 0.5]
    inside_y = [place for place in range(world.y.size) if world.random.random() < 0.5]
    on_x, on_y = Predicate.of("x", world.x.size, inside_x), Predicate.of("y", world.y.size, inside_y)
    which = world.random.choice(("x", "x", "y", "and", "or not"))
    condition = {"x": on_x, "y": on_y, "and": on_x & on_y, "or not": on_x | ~on_y}[which]

    def holds(x: int, y: int) -> bool:
        in_x, in_y = x in inside_x, y in inside_y
        return {"x": in_x, "y": in_y, "and": in_x and in_y, "or not": in_x or not in_y}[which]

    return Question(
        ExactCounts.where(condition, covers), lambda dataset: sum(holds(*dataset[row]) for row in members)
    )


def thresholds(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """COUNT(*) WHERE x is in an interval."""
    low = world.random.randrange(world.x.size)
    inside = range(low, world.random.randint(low, world.x.size))
    event = ExactCounts.where(Predicate.of("x", world.x.size, inside), covers)
    return Question(event, lambda dataset: sum(dataset[row][0] in inside for row in members))


def histogram(world: World, covers: Covers, members: Sequence[int]) -> Question:
    name, place, size = world.random.choice((("x", 0, world.x.size), ("y", 1, world.y.size)))
    labels = [world.random.randrange(3) for _ in range(size)]

    def answer(dataset: Dataset) -> Hashable:
        return tuple(sorted(labels[dataset[row][place]] for row in members))

    return Question(ExactCounts(DomainPartition.of(name, labels), covers), answer)


def filtered(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """SUM(x) WHERE a condition on y."""
    inside = [place for place in range(world.y.size) if world.random.random() < 0.5]
    query = total(len(members), with_absent(world.x), rows=world.rows)
    grid = world.cellwise(query)

    cell = cache(grid.cell)

    def answer(dataset: Dataset) -> Hashable:
        kept = [row for row in members if dataset[row][1] in inside]
        return cell(sum(world.values(dataset, kept), Fraction(0)))

    condition = Predicate.of("y", world.y.size, inside)
    return Question(GroupedAnswers.filtered(condition, QuantizedQuery(query, grid), "x", covers), answer)


def grouped(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """SUM(x) GROUP BY y, each group with a grid of its own."""
    query = total(len(members), with_absent(world.x), rows=world.rows)
    grids = [world.cellwise(query) for _ in range(world.y.size)]

    def answer(dataset: Dataset) -> Hashable:
        kept = [[row for row in members if dataset[row][1] == place] for place in range(world.y.size)]
        sums = [sum(world.values(dataset, rows), Fraction(0)) for rows in kept]
        return tuple(grid.cell(value) for grid, value in zip(grids, sums, strict=True))

    told = tuple(QuantizedQuery(query, grid) for grid in grids)
    return Question(GroupedAnswers(DomainPartition.each("y", world.y.size), told, "x", covers), answer)


def filtered_mean(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """AVG(x) WHERE a condition on y, or on x itself; none where too few pass."""
    least, own = world.random.randint(1, len(members)), world.random.random() < 0.4
    size = world.x.size if own else world.y.size
    inside = [place for place in range(size) if world.random.random() < 0.6]
    numbers = frozenset(world.x.numbers[place] for place in inside) if own else None
    query = FilteredMean(len(members), world.x, least, numbers)
    grid = Uniform(query.span, world.random.randint(1, 4))
    told = QuantizedQuery(query, grid)

    def answer(dataset: Dataset) -> Hashable:
        kept = [row for row in members if dataset[row][0 if own else 1] in inside]
        values = world.values(dataset, kept)
        return None if len(values) < least else grid.cell(sum(values, Fraction(0)) / len(values))

    condition = Predicate.of("y", world.y.size, [] if own else inside)
    event = QuantizedAnswer(told, covers) if own else GroupedAnswers.filtered(condition, told, "x", covers)
    return Question(event, answer)


def grouped_by_itself(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """SUM(x) GROUP BY a band of x."""
    bands = [world.random.randrange(2) for _ in range(world.x.size)]
    partition = DomainPartition.of("x", bands)
    query = total(len(members), with_absent(world.x), rows=world.rows)
    grids = [world.cellwise(query) for _ in range(partition.blocks)]

    def answer(dataset: Dataset) -> Hashable:
        sums = [Fraction(0)] * partition.blocks
        for row in members:
            sums[partition.label_at(dataset[row][0])] += world.values(dataset, [row])[0]
        return tuple(grid.cell(value) for grid, value in zip(grids, sums, strict=True))

    told = tuple(QuantizedQuery(query, grid) for grid in grids)
    return Question(GroupedAnswers(partition, told, "x", covers), answer)


def most_frequent(world: World, covers: Covers, members: Sequence[int]) -> Question:
    def answer(dataset: Dataset) -> Hashable:
        places = [dataset[row][0] for row in members]
        return max(sorted(set(places)), key=places.count)

    return Question(OtherAnswer("mode", ("x",), world.x.size, covers), answer)


def linear(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """Is the sum of a x + b y at least a threshold? Two outputs."""
    a, b = world.random.choice(((1, 1), (2, 1), (1, -2), (3, 0)))
    threshold = world.random.randint(-4, 16)

    def answer(dataset: Dataset) -> Hashable:
        return sum(a * world.values(dataset, [row])[0] + b * dataset[row][1] for row in members) >= threshold

    return Question(LinearAnswer.of((threshold,), {"x": a, "y": b}, 2, covers), answer)


def numeric_of_y(world: World, covers: Covers, members: Sequence[int]) -> Question:
    """The largest y, or their sum."""
    query, value = world.random.choice(
        ((maximum(len(members), world.y), max), (total(len(members), world.y), sum))
    )
    grid = world.cellwise(query)
    event = QuantizedAnswer(QuantizedQuery(query, grid), covers)
    return Question(event, lambda dataset: grid.cell(Fraction(value([dataset[row][1] for row in members]))))


Kind = Callable[[World, Covers, Sequence[int]], Question]
KINDS: tuple[Kind, ...] = (
    numeric,
    counts,
    thresholds,
    histogram,
    filtered,
    grouped,
    grouped_by_itself,
    most_frequent,
    linear,
    filtered_mean,
)
SCENES: dict[str, tuple[Sequence[Kind], Sequence[Callable[[World, int], Numeric]]]] = {
    "turns": ((numeric, thresholds), (asked_variance,)),
    "odd sums": ((numeric, thresholds), (asked_filtered_on_itself, asked_total)),
    "one question": ((numeric,), (asked_total,)),
    "one question that turns": ((numeric,), (asked_variance,)),
    "bands": ((grouped_by_itself, grouped_by_itself, thresholds), ()),
    "filters and steps": ((filtered, numeric_of_y, histogram), ()),
    "filters and counts": ((filtered, grouped, counts), ()),
    "means": ((filtered_mean, filtered_mean, filtered), ()),
    "means and counts": ((filtered_mean, counts, thresholds), ()),
    "means and steps": ((filtered_mean, numeric, numeric_of_y), (asked_total, asked_maximum)),
    "order": ((numeric, numeric, thresholds), (asked_minimum, asked_maximum, asked_quantile, asked_median)),
    "order and sums": ((numeric, filtered), (asked_minimum, asked_quantile, asked_total)),
    "forms": ((linear, linear, linear, thresholds), ()),
}
"""Kinds of questions that meet in one rule, and the numbers that are asked for."""
