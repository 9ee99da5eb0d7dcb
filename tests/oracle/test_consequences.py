"""The certificate of noiseless privacy against its definitions: every dataset of a tiny domain is listed."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from statistics import median as middle
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import (
    Attribute,
    Continuum,
    LinearOnBox,
    OrderOnInterval,
    Quantity,
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
from noiseless.questions.base import sums
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Edged, Quantizer, Stepped, Uniform
from noiseless.theory.consequences import consequences
from noiseless.theory.estimation import least_estimation_error, least_guessing_error
from noiseless.theory.posteriors import smallest_posterior
from oracle import definitions as oracle

Truth = Callable[[Sequence[Fraction]], Fraction | None]


class World(NamedTuple):
    """A question about a few people, the values they can have, how many rows each has, and the truth."""

    query: Query
    domain: tuple[Fraction, ...]
    persons: int
    rows: int
    truth: Truth

    def told(self, quantizer: Quantizer, records: Sequence[tuple[Fraction, ...]]) -> Hashable:
        value = self.truth([value for record in records for value in record])
        return "too few" if value is None else quantizer.cell(value)

    def channels(self, quantizer: Quantizer) -> list[oracle.Pairs]:
        """[[X_i, Y]] for each person and all that others can be: pairs of a record and the answer."""
        records = list(product(self.domain, repeat=self.rows))
        return [
            frozenset(
                (own, self.told(quantizer, [*others[:person], own, *others[person:]])) for own in records
            )
            for person in range(self.persons)
            for others in product(records, repeat=self.persons - 1)
        ]

    def unknown_others(self, quantizer: Quantizer, person: int) -> oracle.Pairs:
        """[[X_i, Y]] when nothing is known of the others."""
        records = list(product(self.domain, repeat=self.rows))
        everybody = product(records, repeat=self.persons)
        return frozenset((each[person], self.told(quantizer, each)) for each in everybody)


def _variance(values: Sequence[Fraction]) -> Fraction:
    average = sum(values, Fraction(0)) / len(values)
    return sum((v * v for v in values), Fraction(0)) / len(values) - average**2


@st.composite
def worlds(draw: st.DrawFn) -> World:
    numbers = draw(
        st.integers(1, 5).map(range) | st.sets(st.integers(0, 8), min_size=1, max_size=5).map(sorted)
    )
    origin, unit = Fraction(draw(st.integers(-2, 2)), 2), draw(st.sampled_from([Fraction(1), Fraction(3, 2)]))
    domain = tuple(origin + unit * number for number in numbers)
    attribute = Attribute.among("x", domain)
    persons = draw(st.integers(1, 3))
    rows = draw(st.integers(1, 2)) if len(domain) <= 3 and persons <= 2 else 1
    people = persons * rows
    chosen = draw(st.sets(st.sampled_from(domain)))
    passing = frozenset(n for n in attribute.numbers if attribute.value(n) in chosen)
    weights = tuple(Fraction(draw(st.integers(-3, 3))) for _ in range(people))
    share = Fraction(draw(st.integers(0, 4)), 4)
    rank = max(1, -(-(share * people).numerator // (share * people).denominator))
    least = draw(st.integers(1, people))

    def filtered(values: Sequence[Fraction]) -> Fraction | None:
        kept = [value for value in values if value in chosen]
        return sum(kept, Fraction(0)) / len(kept) if len(kept) >= least else None

    kinds: dict[str, tuple[Query, Truth]] = {
        "sum": (total(people, attribute, rows=rows), lambda v: sum(v, Fraction(0))),
        "mean": (mean(people, attribute, rows=rows), lambda v: sum(v, Fraction(0)) / people),
        "count": (
            count(people, attribute, passing, rows),
            lambda v: Fraction(sum(value in chosen for value in v)),
        ),
        "sum where": (
            total(people, attribute, passing, rows),
            lambda v: sum((value for value in v if value in chosen), Fraction(0)),
        ),
    }
    if rows == 1:
        kinds |= {
            "weighted": (
                Weighted(weights, attribute),
                lambda v: sum((w * value for w, value in zip(weights, v, strict=True)), Fraction(0)),
            ),
            "min": (minimum(people, attribute), min),
            "max": (maximum(people, attribute), max),
            "median": (median(people, attribute), lambda v: Fraction(middle(v))),
            "quantile": (quantile(people, attribute, share), lambda v: sorted(v)[rank - 1]),
            "variance": (Variance(people, attribute), _variance),
            "mean where": (FilteredMean(people, attribute, least, passing), filtered),
        }
    query, truth = kinds[draw(st.sampled_from(sorted(kinds)))]
    return World(query, domain, persons, rows, truth)


@st.composite
def quantizers(draw: st.DrawFn, query: Query) -> Quantizer:
    span = query.span
    kinds = ["uniform", "edged"] + (["stepped"] if hasattr(span, "step") else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "uniform":
        return Uniform(span, draw(st.integers(1, 12)))
    if kind == "stepped":
        return Stepped(span, draw(st.integers(1, 8)))  # type: ignore[arg-type]  # a lattice
    tenths = draw(st.lists(st.integers(0, 10), max_size=4))
    return Edged.of(span, [span.low + span.width * Fraction(tenth, 10) for tenth in tenths])


@given(worlds(), st.data())
def test_the_smallest_posterior_set(world: World, data: st.DataObject) -> None:
    """The fewest records behind an answer, over all persons, others and answers; and so L0(X_i;Y)."""
    quantizer = data.draw(quantizers(world.query))
    channels = world.channels(quantizer)
    true = min(oracle.disarray_ratio(pairs) for pairs in channels)
    found = consequences(QuantizedQuery(world.query, quantizer))
    assert found.smallest_posterior <= true
    assert isinstance(found.record_leakage, Bits)
    assert found.record_leakage >= max(Bits(oracle.leakage_ratio(pairs)) for pairs in channels)
    assert found.entropy_of_record == Bits(oracle.entropy_ratio(channels[0]))
    if found.posterior.exact:
        assert found.smallest_posterior == true
    assert found.posterior.exact or found.smallest_posterior == 1 or not found.reach.exact


@given(worlds(), st.data())
def test_everything_that_theorem_1_bounds(world: World, data: st.DataObject) -> None:
    """For known others I*(X_i;Y) <= L0s <= L0(Y;X_i) <= eps; the worst others attain an exact reach."""
    quantizer = data.draw(quantizers(world.query))
    found = consequences(QuantizedQuery(world.query, quantizer))
    answers = []
    for pairs in world.channels(quantizer):
        few = len(oracle.marginal_x(pairs)) <= 5  # the definition looks at all partitions
        maximin, symmetric = oracle.maximin_count(pairs) if few else 1, oracle.symmetric_leakage_ratio(pairs)
        leakage = oracle.leakage_ratio(oracle.swap(pairs))
        assert maximin <= symmetric <= leakage == len(oracle.marginal_y(pairs))
        answers.append(leakage)
        assert Bits(maximin) <= found.bits
        assert Bits(symmetric) <= found.bits
        assert Bits(leakage) <= found.bits
    if found.reach.exact:
        assert Bits(max(answers)) == found.bits


@given(worlds(), st.data())
def test_no_test_performs_better(world: World, data: st.DataObject) -> None:
    """Any hypothesis about x_i, others known: the answers at which it is decided are at most 2^eps."""
    quantizer = data.draw(quantizers(world.query))
    found = consequences(QuantizedQuery(world.query, quantizer))
    told_apart = False
    for pairs in world.channels(quantizer):
        records = sorted(oracle.marginal_x(pairs), key=repr)
        for size in range(1, min(len(records), 3)):
            for null in combinations(records, size):
                first = {y for x, y in pairs if x in null}
                second = {y for x, y in pairs if x not in null}
                decided = len(first ^ second)
                told_apart |= decided > 0
                if found.tests_are_bounded:
                    assert decided == 0
                else:
                    assert decided <= found.reach.outputs
    if found.reach.exact:
        assert told_apart is not found.tests_are_bounded


@given(worlds(), st.data())
def test_unknown_unrelated_others(world: World, data: st.DataObject) -> None:
    """Against unknown, unrelated others I*(X_i;Y) <= eps still holds."""
    quantizer = data.draw(quantizers(world.query))
    found = consequences(QuantizedQuery(world.query, quantizer))
    for person in range(world.persons if world.rows == 1 else 0):
        pairs = world.unknown_others(quantizer, person)
        assert Bits(oracle.maximin_count(pairs)) <= found.bits


@st.composite
def long_windows(draw: st.DrawFn) -> tuple[Query, Quantizer, int]:
    """A regular sweep over cells of any size: a sum of a few people whose values have gaps, or have not."""
    numbers = draw(
        st.integers(2, 30).map(range)
        | st.sets(st.integers(1, 30), min_size=1, max_size=6).map(lambda s: [0, *sorted(s)])
    )
    people = draw(st.integers(1, 4))
    asked = total(people, Attribute("x", tuple(numbers) if isinstance(numbers, list) else numbers))
    edges = draw(st.lists(st.integers(0, asked.span.last), max_size=5))
    return asked, Edged.of(asked.span, [Fraction(edge) for edge in edges]), people


@given(long_windows())
def test_formula_and_enumeration_of_windows(case: tuple[Query, Quantizer, int]) -> None:
    asked, quantizer, people = case
    numbers = asked.numbers  # type: ignore[attr-defined]  # a sum
    others, _ = sums([(numbers, people - 1)])
    true = min(
        min(cells.count(cell) for cell in set(cells))
        for cells in ([quantizer.cell_at(base + number) for number in numbers] for base in others)
    )
    found = smallest_posterior(QuantizedQuery(asked, quantizer))
    assert found.exact
    assert found.smallest == true


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=3),
    st.lists(st.integers(1, 23), max_size=3),
    st.integers(1, 3),
)
def test_continuous_windows(weights: list[int], cuts: list[int], fineness: int) -> None:
    """On ever finer lattices the shortest set that agrees with an answer comes down to the stated length."""
    question = LinearOnBox(tuple(map(Fraction, weights)), Quantity("x", Continuum.of(0, 1)))
    span = question.span
    quantizer = Edged.of(span, [span.low + span.width * Fraction(cut, 24) for cut in cuts])
    stated = smallest_posterior(QuantizedQuery(question, quantizer))
    parts = 24 * fineness
    lattice = [Fraction(k, parts) for k in range(parts + 1)]
    shortest = Fraction(1)
    for weight in set(weights):
        slack = span.width - abs(weight)
        low = span.low - min(weight, 0)
        for base in {low + slack * t for t in lattice}:
            cells = [quantizer.cell(base + weight * own) for own in lattice]
            runs = [cells.count(cell) - 1 for cell in set(cells)]  # the step after the last belongs to others
            shortest = min(shortest, Fraction(min(runs), parts))
    assert stated.exact
    assert stated.smallest <= shortest + Fraction(2, parts)
    if stated.smallest == 0:
        assert shortest <= Fraction(1, 8)
    else:
        assert shortest >= stated.smallest - Fraction(2, parts)


def test_order_statistics_of_quantities() -> None:
    asked = OrderOnInterval(5, Quantity("x", Continuum.of(0, 10)))
    found = smallest_posterior(QuantizedQuery(asked, Edged.of(asked.span, [Fraction(1), Fraction(4)])))
    assert [found.smallest, found.whole, found.counted, found.exact] == [1, 10, False, True]


@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(0, 4)), min_size=1, max_size=6, unique_by=lambda p: p[0]
    ),
    st.integers(1, 4),
    st.integers(1, 2),
)
def test_the_best_partition_of_a_lattice(pairs: list[tuple[int, int]], outputs: int, power: int) -> None:
    """Over all partitions into at most N sets, contiguous or not, and the best estimate behind each."""
    weights = [weight for _, weight in pairs]
    whole = sum(weights)
    if not whole:
        return
    values, prior = [value for value, _ in pairs], [Fraction(weight, whole) for weight in weights]
    found = least_estimation_error(values, outputs, power, prior)
    true = min(
        sum((_cost([(values[i], prior[i]) for i in block], power) for block in blocks), Fraction(0))
        for blocks in _partitions(list(range(len(values))))
        if len(blocks) <= outputs
    )
    assert found.error == true
    cells = [[(int(v), prior[values.index(int(v))]) for v in cell] for cell in found.cells]
    assert sum((_cost(cell, power) for cell in cells), Fraction(0)) == true
    assert sorted(v for cell in found.cells for v in cell) == sorted(values)
    assert len(found.cells) <= outputs
    assert all(max(a) < min(b) for a, b in pairwise(found.cells))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any), st.integers(1, 5))
def test_guessing(weights: list[int], outputs: int) -> None:
    """No partition into N sets lets more be guessed right than the N likeliest values."""
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    right = max(
        sum((max(prior[i] for i in block) for block in blocks), Fraction(0))
        for blocks in _partitions(list(range(len(prior))))
        if len(blocks) <= outputs
    )
    assert least_guessing_error(prior, outputs) == 1 - right


def _cost(cell: list[tuple[int, Fraction]], power: int) -> Fraction:
    """The least expected error of one estimate: at one of the values (p = 1), or at the mean (p = 2)."""
    weight = sum((p for _, p in cell), Fraction(0))
    if not weight:
        return Fraction(0)
    places = [Fraction(v) for v, _ in cell]
    if power == 2:
        places = [sum((p * v for v, p in cell), Fraction(0)) / weight]
    return min(sum((p * abs(v - place) ** power for v, p in cell), Fraction(0)) for place in places)


def _partitions(items: list[int]) -> list[list[list[int]]]:
    if not items:
        return [[]]
    first, rest = items[0], items[1:]
    found = []
    for blocks in _partitions(rest):
        found.append([[first], *blocks])
        found += [[*blocks[:k], [first, *block], *blocks[k + 1 :]] for k, block in enumerate(blocks)]
    return found
