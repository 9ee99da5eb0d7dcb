"""The cells of every rule against what it tells of each point, one by one."""

from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import RequestError
from noiseless.questions import Continuum, Lattice
from noiseless.rules import Bottom, CensusCounts, DatePeriod, Digits, MinCell, NumberCoarsening, Round, Top
from noiseless.rules.rounded_cells import Comb

DIRECTIONS = ["half-away", "half-even", "down", "up"]
DENOMINATORS = st.sampled_from([1, 1, 2, 3, 4, 10, 100])
rationals = st.builds(Fraction, st.integers(-200, 200), DENOMINATORS)
positives = st.builds(Fraction, st.integers(1, 40), DENOMINATORS)
roundings = st.builds(Round, positives, st.sampled_from(DIRECTIONS))
of_numbers = st.one_of(
    roundings,
    roundings,
    st.builds(Digits, st.integers(1, 4)),
    st.builds(Top, rationals),
    st.builds(Bottom, rationals),
)
of_counts = st.one_of(
    st.just(CensusCounts()), st.builds(MinCell, st.integers(1, 30), zeros=st.booleans()), of_numbers
)
lattices = st.builds(Lattice, rationals, positives, st.integers(0, 120))
counts = st.builds(
    Lattice,
    st.integers(0, 40).map(Fraction),
    st.sampled_from([1, 1, 2, 7, 450, 300_000]).map(Fraction),
    st.integers(0, 120),
)


def agree(rule: NumberCoarsening, span: Lattice, draw: st.DataObject) -> None:
    labels = [rule.told(span.value(place)) for place in range(span.last + 1)]
    cells = [0]
    for before, after in pairwise(labels):
        cells.append(cells[-1] + (before != after))
    assert len(set(labels)) == cells[-1] + 1, "values told alike lie side by side"
    quantizer = rule.quantizer(span)
    begins = [cells.index(cell) for cell in range(cells[-1] + 1)] + [span.last + 1]
    assert quantizer.cells == cells[-1] + 1
    assert [quantizer.cell_at(place) for place in range(span.last + 1)] == cells
    assert quantizer.cell(span.value(span.last)) == cells[-1]
    assert [quantizer.begin(cell) for cell in range(len(begins))] == begins
    assert quantizer.edge(quantizer.cells - 1) == span.value(begins[-2])
    assert quantizer.worst_error == span.step * max(b - a - 1 for a, b in pairwise(begins)) / 2
    sweep = draw.draw(st.integers(0, span.last))
    first = draw.draw(st.integers(0, span.last - sweep))
    last = draw.draw(st.integers(first, span.last - sweep))
    met, start = quantizer.most_met(sweep, first, last)
    assert met == max(cells[place + sweep] - cells[place] + 1 for place in range(first, last + 1))
    assert first <= start <= last
    assert cells[start + sweep] - cells[start] + 1 == met


@given(of_numbers, lattices, st.data())
def test_cells_of_numbers(rule: NumberCoarsening, span: Lattice, draw: st.DataObject) -> None:
    agree(rule, span, draw)


@given(of_counts, counts, st.data())
def test_cells_of_counts(rule: NumberCoarsening, span: Lattice, draw: st.DataObject) -> None:
    agree(rule, span, draw)


@given(st.integers(1, 400), st.data())
def test_points_that_are_all_halves(twice_low: int, draw: st.DataObject) -> None:
    """Half-even tells two neighbours alike where every point of the lattice is a half."""
    span = Lattice(Fraction(twice_low - 200, 2), Fraction(1), 60)
    agree(Round(Fraction(1), "half-even"), span, draw)


def test_a_comb_of_a_thousand_teeth_has_its_longest_run() -> None:
    """The closed form of the worst error, also where only the tooth around zero is as long."""
    for low, step, base in [(-1000, 3, 10), (-997, 7, 20), (1, 4, 9), (-5000, 11, 24), (-2000, 5, 17)]:
        span = Lattice(Fraction(low), Fraction(step), 1500)
        for direction in DIRECTIONS:
            quantizer = Comb.of(span, Fraction(base), direction)  # type: ignore[arg-type]  # one of them
            begins = [quantizer.begin(cell) for cell in range(quantizer.cells + 1)]
            assert quantizer.cells > 64
            assert quantizer.worst_error == span.step * max(b - a - 1 for a, b in pairwise(begins)) / 2


def critical(span: Continuum, edges: list[Fraction], sweep: Fraction) -> list[Fraction]:
    """Every place where the number of cells met changes, and one between each two of them."""
    last = span.high - sweep
    places = {place for edge in edges for place in (edge, edge - sweep)} | {span.low, last}
    ordered = sorted(place for place in places if span.low <= place <= last)
    return sorted({*ordered, *((a + b) / 2 for a, b in pairwise(ordered))})


def told_within(rule: NumberCoarsening, edges: list[Fraction], low: Fraction, high: Fraction) -> int:
    """How many labels a closed interval has: at its ends, at the edges inside and between them."""
    places = sorted({low, high, *(edge for edge in edges if low <= edge <= high)})
    return len({rule.told(place) for place in (*places, *((a + b) / 2 for a, b in pairwise(places)))})


@given(roundings, rationals, positives, positives, st.booleans())
def test_intervals_meet_as_many_cells_as_they_have_labels(
    rule: NumberCoarsening, low: Fraction, width: Fraction, sweep: Fraction, whole: bool
) -> None:
    """On a continuum it matters which of two cells an edge belongs to."""
    assert isinstance(rule, Round)
    span = Continuum(low, low + min(width, 8 * rule.base))
    length = span.width if whole else min(sweep, span.width)
    check_slide(rule, span, length)


@given(st.integers(1, 2), positives, positives, positives, st.booleans())
def test_the_same_of_significant_digits(
    digits: int, near: Fraction, width: Fraction, sweep: Fraction, negative: bool
) -> None:
    far = near + min(width, near / 2)
    span = Continuum(-far, -near) if negative else Continuum(near, far)
    check_slide(Digits(digits), span, min(sweep, span.width))


def check_slide(rule: NumberCoarsening, span: Continuum, sweep: Fraction) -> None:
    quantizer = rule.quantizer(span)
    edges = [quantizer.edge(cell) for cell in range(quantizer.cells + 1)]
    met, start = quantizer.most_slid(sweep)
    assert told_within(rule, edges, span.low, span.high) == quantizer.cells
    assert told_within(rule, edges, start, start + sweep) == met
    assert span.low <= start <= span.high - sweep
    places = critical(span, edges, sweep)
    assert met == max(told_within(rule, edges, place, place + sweep) for place in places)
    assert quantizer.worst_error == max(b - a for a, b in pairwise(edges)) / 2


def test_what_would_have_infinitely_many_cells_is_refused() -> None:
    span = Continuum(Fraction(0), Fraction(1))
    for rule in (Digits(2), Top(Fraction(1)), Bottom(Fraction(0))):
        with pytest.raises(RequestError, match="infinitely many"):
            rule.quantizer(span)
    for counting in (CensusCounts(), MinCell(5)):
        with pytest.raises(RequestError, match="counts"):
            counting.quantizer(span)
    with pytest.raises(RequestError, match="more than"):
        Digits(7).quantizer(Lattice(Fraction(0), Fraction(1), 10**12))
    with pytest.raises(RequestError, match="more than"):
        Digits(9).quantizer(Continuum(Fraction(1), Fraction(10)))


def test_huge_lattices_are_no_trouble() -> None:
    span = Lattice(Fraction(-(10**17)), Fraction(1, 100), 10**20)
    fives = Round(Fraction(5)).quantizer(span)
    assert fives.most_met(10**10, 0, 10**18)[0] == 2 * 10**7 + 1
    assert fives.most_met(10**10, 0, 10**19)[0] == 2 * 10**7 + 2, "halves go away from 0 on both sides of it"
    assert Digits(3).quantizer(span).cells < 10**5
    assert Digits(300).quantizer(span).cells == 10**20 + 1
    assert Top(Fraction(5)).quantizer(span).worst_error == (10**18 - 10**17 - 5) / Fraction(2)


@pytest.mark.parametrize("period", ["decade", "year", "quarter", "month", "week"])
def test_periods_as_cells(period: str) -> None:
    rule = DatePeriod(period)  # type: ignore[arg-type]  # one of them
    first = date(2018, 12, 20)
    days = [first + timedelta(days=day) for day in range(1500)]
    quantizer = rule.quantizer(days[0], days[-1])
    labels = [rule.told(day) for day in days]
    assert sorted(labels) == labels
    assert quantizer.cells == len(set(labels))
    assert [quantizer.cell_at(place) for place in range(1500)] == [
        sorted(set(labels)).index(a) for a in labels
    ]
    assert rule.quantizer(date(9999, 12, 30), date.max).cells == 1
