"""Reach and the choice of cells against brute force: every dataset of a tiny domain is enumerated."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from statistics import median as middle
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.pricing.reach import QuantizedQuery, coarsest, finest, first_in_range, printed_cells, reach
from noiseless.questions import (
    Attribute,
    Continuum,
    CountedQuery,
    Influence,
    Lattice,
    LinearOnBox,
    MiddleMedianOnInterval,
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
from noiseless.ranges.quantizer import Edged, Quantizer, Stepped, Uniform


class Case(NamedTuple):
    """A question, the possible records, and its answer by the textbook."""

    query: Query
    domain: tuple[Fraction, ...]
    people: int
    truth: Callable[[Sequence[Fraction]], Fraction]

    def datasets(self) -> list[tuple[Fraction, ...]]:
        return list(product(self.domain, repeat=self.people))

    def images(self) -> list[set[Fraction]]:
        """What one person can make of the answer, for each of them and all that others can be."""
        return [
            {self.truth((*rest[:person], own, *rest[person:])) for own in self.domain}
            for person in range(self.people)
            for rest in product(self.domain, repeat=self.people - 1)
        ]


def _variance(values: Sequence[Fraction]) -> Fraction:
    average = sum(values, Fraction(0)) / len(values)
    return sum((v * v for v in values), Fraction(0)) / len(values) - average**2


@st.composite
def cases(draw: st.DrawFn) -> Case:
    numbers = draw(
        st.one_of(
            st.integers(1, 4).map(range), st.sets(st.integers(0, 7), min_size=1, max_size=4).map(sorted)
        )
    )
    origin, unit = Fraction(draw(st.integers(-3, 3)), 2), draw(st.sampled_from([Fraction(1), Fraction(3, 2)]))
    domain = tuple(origin + unit * number for number in numbers)
    attribute = Attribute.among("x", domain)
    people = draw(st.integers(1, 3))
    chosen = draw(st.sets(st.sampled_from(domain)))
    passing = frozenset(n for n in attribute.numbers if attribute.value(n) in chosen)
    share = Fraction(draw(st.integers(0, 4)), 4)
    weights = tuple(Fraction(draw(st.integers(-3, 3))) for _ in range(people))
    rank = max(1, -(-(share * people).numerator // (share * people).denominator))
    kinds: dict[str, tuple[Query, Callable[[Sequence[Fraction]], Fraction]]] = {
        "sum": (total(people, attribute), lambda v: sum(v, Fraction(0))),
        "mean": (mean(people, attribute), lambda v: sum(v, Fraction(0)) / people),
        "count": (count(people, attribute, passing), lambda v: Fraction(sum(x in chosen for x in v))),
        "filtered sum": (
            total(people, attribute, passing),
            lambda v: sum((x for x in v if x in chosen), Fraction(0)),
        ),
        "weighted": (
            Weighted(weights, attribute),
            lambda v: sum((w * x for w, x in zip(weights, v, strict=True)), Fraction(0)),
        ),
        "min": (minimum(people, attribute), min),
        "max": (maximum(people, attribute), max),
        "median": (median(people, attribute), lambda v: Fraction(middle(v))),
        "quantile": (quantile(people, attribute, share), lambda v: sorted(v)[rank - 1]),
        "variance": (Variance(people, attribute), _variance),
    }
    query, truth = kinds[draw(st.sampled_from(sorted(kinds)))]
    return Case(query, domain, people, truth)


@st.composite
def quantizers(draw: st.DrawFn, query: Query) -> Quantizer:
    span = query.span
    kind = draw(st.sampled_from(["uniform", "stepped", "edged"]))
    if kind == "uniform":
        return Uniform(span, draw(st.integers(1, 12)))
    if kind == "stepped":
        return Stepped(span, draw(st.integers(1, 8)))  # type: ignore[arg-type]  # spans of cases are lattices
    tenths = draw(st.lists(st.integers(0, 10), max_size=4))
    return Edged.of(span, [span.low + span.width * Fraction(tenth, 10) for tenth in tenths])


@given(cases(), st.data())
def test_reach_is_what_one_person_can_cause(case: Case, data: st.DataObject) -> None:
    quantizer = data.draw(quantizers(case.query))
    true = max(len({quantizer.cell(value) for value in image}) for image in case.images())
    found = reach(case.query, quantizer)
    assert found.outputs >= true
    if found.exact:
        assert found.outputs == true


@given(cases(), st.data())
def test_an_answer_certainly_holds_the_truth(case: Case, data: st.DataObject) -> None:
    told = QuantizedQuery(case.query, data.draw(quantizers(case.query)))
    worst = Fraction(0)
    for dataset in case.datasets():
        truth = case.truth(dataset)
        answer = told.answer(told.quantizer.cell(truth))
        assert answer.lower <= truth <= answer.upper
        worst = max(worst, abs(truth - answer.value))
    if case.query.attainable is not None:
        assert told.worst_error == worst
    assert told.worst_error >= worst


@given(cases(), st.data())
def test_answers_are_exact(case: Case, data: st.DataObject) -> None:
    dataset = data.draw(st.sampled_from(case.datasets()))
    assume(isinstance(case.query, CountedQuery))
    assert isinstance(case.query, CountedQuery)
    span = case.query.span
    origin = min(case.domain)
    unit = Attribute.among("x", case.domain).unit
    position = case.query.position(Counter(int((value - origin) / unit) for value in dataset))
    assert span.low + span.step * position == case.truth(dataset)  # type: ignore[union-attr]


@given(cases(), st.integers(1, 4))
def test_the_finest_cells_are_the_best_sound_ones(case: Case, allowed: int) -> None:
    """Best of all equal divisions, and of all divisions where a person sweeps over consecutive values."""
    values = sorted({case.truth(dataset) for dataset in case.datasets()})
    assume(len(values) <= 10)
    images = case.images()
    chosen = finest(case.query, allowed)
    assert _most_met(_cells(values, chosen.quantizer), images) <= chosen.reach.outputs <= allowed
    span = case.query.span
    assert isinstance(span, Lattice)
    sizes = range(1, span.last + 2)
    equal: list[Quantizer] = [
        *(Uniform(span, q) for q in sizes),
        *(Stepped(span, points) for points in sizes),
    ]
    divisions = [_cells(values, quantizer) for quantizer in equal]
    moves = [i.moves for i in case.query.influences if isinstance(i, Influence)]
    if all(isinstance(each, range) and each.step == 1 for each in moves):
        divisions += [_divided(values, cuts) for cuts in product([False, True], repeat=len(values) - 1)]
    sound = [cells for cells in divisions if _most_met(cells, images) <= allowed]
    assert 2 * chosen.worst_error == min(max(max(cell) - min(cell) for cell in cells) for cells in sound)


def _cells(values: list[Fraction], quantizer: Quantizer) -> list[list[Fraction]]:
    cells = [quantizer.cell(value) for value in values]
    return _divided(values, [before != after for before, after in pairwise(cells)])


def _divided(values: list[Fraction], cuts: Sequence[bool]) -> list[list[Fraction]]:
    cells = [[values[0]]]
    for value, cut in zip(values[1:], cuts, strict=True):
        if cut:
            cells.append([])
        cells[-1].append(value)
    return cells


def _most_met(cells: list[list[Fraction]], images: list[set[Fraction]]) -> int:
    return max(sum(any(value in image for value in cell) for cell in cells) for image in images)


@given(cases(), st.fractions(0, 10, max_denominator=8))
def test_the_coarsest_cells_keep_the_error(case: Case, error: Fraction) -> None:
    told = coarsest(case.query, error)
    values = sorted({case.truth(dataset) for dataset in case.datasets()})
    fewest, covered = 0, None
    for value in values:
        if covered is None or value > covered:
            fewest, covered = fewest + 1, value + 2 * error
    met = len({told.quantizer.cell(value) for value in values})
    assert met == fewest or case.query.attainable is None
    for dataset in case.datasets():
        truth = case.truth(dataset)
        assert abs(truth - told.answer(told.quantizer.cell(truth)).value) <= error


def test_the_printed_recipe_is_unsound() -> None:
    """Theorem 8 of [P1] as printed: 2n cells for one bit; one of n people then causes three answers."""
    records = [Fraction(k, 4) for k in range(5)]
    question = mean(2, Attribute.among("x", records))
    cells = printed_cells(question, 1)
    quantizer = Uniform(question.span, cells)
    caused = max(len({quantizer.cell((x + other) / 2) for x in records}) for other in records)
    assert (cells, caused) == (4, 3)
    assert reach(question, quantizer).outputs == 3


def test_the_measure_of_the_answers_is_no_sensitivity() -> None:
    """Theorem 8 of [P1] with S = mu(f(..)): of three points S = 0 allows any q at one bit; 3 are caused.

    By the other form, the largest difference, S is 2. For a gap the two differ as well: [0, 1] u [9, 10] has
    mu = 2, hence q = 2 * 10 / 2 = 10 cells for one bit, and three of them are met.
    """
    asked = total(1, Attribute("x", range(3)))
    assert reach(asked, Uniform(asked.span, 3)).outputs == 3
    apart = total(1, Attribute.among("x", [Fraction(k, 2) for k in (0, 1, 2, 18, 19, 20)]))
    assert reach(apart, Uniform(apart.span, 10)).outputs == 3


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(1, 12), st.integers(1, 12))
def test_reach_on_a_continuum(weights: list[int], cells: int, fineness: int) -> None:
    """A closed interval on half-open cells meets no fewer cells than any lattice in it shows."""
    question = LinearOnBox(tuple(map(Fraction, weights)), Quantity("x", Continuum(Fraction(0), Fraction(1))))
    quantizer = Uniform(question.span, cells)
    lattice = [Fraction(k, fineness * cells) for k in range(fineness * cells + 1)]
    others = sum(weights) - max(weights)
    caused = max(
        len({quantizer.cell(base * others + max(weights) * own) for own in lattice}) for base in lattice
    )
    assert reach(question, quantizer).outputs >= caused


@given(st.sampled_from([2, 4]), st.integers(1, 5), st.integers(1, 3))
def test_reach_of_a_median_of_an_even_number_on_a_continuum(people: int, cells: int, fineness: int) -> None:
    """All datasets of a lattice in the interval; fine enough it shows every answer that one person causes."""
    question = MiddleMedianOnInterval(people, Quantity("x", Continuum(Fraction(0), Fraction(1))))
    quantizer = Uniform(question.span, cells)
    lattice = [Fraction(k, 2 * fineness * cells) for k in range(2 * fineness * cells + 1)]
    ends = [Fraction(0), Fraction(1)] * (people // 2 - 1)  # where the other others leave most to the person
    caused = max(len({quantizer.cell(middle([own, other, *ends])) for own in lattice}) for other in lattice)
    assert reach(question, quantizer).outputs >= caused
    if fineness > 1:
        assert reach(question, quantizer).outputs == caused
    if people * cells <= 8:
        every = product([Fraction(k, 2 * cells) for k in range(2 * cells + 1)], repeat=people - 1)
        assert reach(question, quantizer).outputs >= max(
            len({quantizer.cell(middle([own, *others])) for own in lattice}) for others in every
        )


def test_first_in_range() -> None:
    for modulus in range(2, 24):
        for factor in range(30):
            for low in range(1, modulus):
                for high in range(low, modulus):
                    found = next((x for x in range(modulus) if low <= factor * x % modulus <= high), None)
                    assert first_in_range(factor, modulus, low, high) == found
