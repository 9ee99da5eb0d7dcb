"""Definition 5 of [P2] by enumerating every dataset, against the fast code.

Linear queries: with records in 0..S_i for whole S_i and q cells over R = sum S_i, everything that matters
happens at multiples of 1/q. [[c.x|x_i]] is an interval of length R - S_i, so it enters or leaves a cell at
multiples of R/q, less R - S_i: a grid of step 1/q holds every such place, both ends of each interval, and
(as R/q >= 1/q) a point of each cell between them. Datasets on that grid cause all outputs that there are.
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noiseless.theory import chosen_pair
from noiseless.theory.chosen_pair import FiniteMechanism, known_others, worst_pair
from noiseless.theory.indistinguishability import (
    indistinguishability,
    largest_cells,
    linear_indistinguishability,
)
from noiseless.theory.linear_query import LinearQuery


def conditional_ranges(datasets: dict[tuple[int, ...], int]) -> dict[tuple[int, int], set[int]]:
    """[[Y|x_i]] for every record i and value x_i."""
    found: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for dataset, output in datasets.items():
        for record, value in enumerate(dataset):
            found[record, value].add(output)
    return found


def worst_by_definition(datasets: dict[tuple[int, ...], int]) -> tuple[int, bool]:
    """The largest symmetric difference over all records and pairs, and whether some pair shares no output."""
    found = conditional_ranges(datasets)
    pairs = [
        (one, two) for (i, a), one in found.items() for (j, b), two in found.items() if i == j and a != b
    ]
    return max((len(a ^ b) for a, b in pairs), default=0), any(not a & b for a, b in pairs)


def on_grid(spans: tuple[int, ...], cells: int) -> dict[tuple[int, ...], int]:
    """The cell of every dataset on the grid of step 1/cells; values are numbers of steps."""
    whole = sum(spans)
    values = [range(span * cells + 1) for span in spans]
    return {x: min(cells - 1, sum(x) // whole) for x in itertools.product(*values)}


@pytest.mark.parametrize("records", [1, 2, 3])
def test_quantised_linear_queries(records: int) -> None:
    largest, most_cells = {1: (3, 9), 2: (4, 7), 3: (2, 4)}[records]
    for spans in itertools.combinations_with_replacement(range(largest + 1), records):
        if not any(spans):
            continue
        query = LinearQuery.of([1] * records, [(0, span) for span in spans])
        for cells in range(1, most_cells + 1):
            found = linear_indistinguishability(query, cells)
            assert (found.size, found.separated) == worst_by_definition(on_grid(spans, cells)), (spans, cells)


def runs(span: int, whole: int, cells: int) -> set[tuple[int, int]]:
    """First and last cell of [[c.x|x_i]] for every place on the grid."""
    rest = (whole - span) * cells
    return {
        (min(cells - 1, t // whole), min(cells - 1, (t + rest) // whole)) for t in range(span * cells + 1)
    }


def worst_of_runs(span: int, whole: int, cells: int) -> int:
    found = [set(range(first, last + 1)) for first, last in runs(span, whole, cells)]
    return max(len(a ^ b) for a in found for b in found)


@given(st.lists(st.integers(0, 7), min_size=1, max_size=4).filter(any), st.integers(1, 16), st.data())
def test_signs_offsets_and_scales(spans: list[int], cells: int, data: st.DataObject) -> None:
    """Any coefficients and bounds with the same spans behave the same, and the witness attains the size."""
    scales = data.draw(
        st.lists(
            st.fractions(-3, 3, max_denominator=5).filter(bool), min_size=len(spans), max_size=len(spans)
        )
    )
    bounds = [(scale, scale + Fraction(span) / abs(scale)) for scale, span in zip(scales, spans, strict=True)]
    query = LinearQuery.of(scales, bounds)
    found = linear_indistinguishability(query, cells)
    assert found.size == max(worst_of_runs(span, sum(spans), cells) for span in spans)
    assert found.record is not None
    assert len(query.pair(found.record, found.value, found.other, cells).decided) == found.size
    first_above = found.whole_epsilon
    assert found.size <= 2**first_above
    assert first_above == 0 or found.size > 2 ** (first_above - 1)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=4).filter(any), st.integers(0, 9))
def test_the_largest_number_of_cells(spans: list[int], outputs: int) -> None:
    """Every q up to `largest_cells` is sound, and no larger one is."""
    query = LinearQuery.of([1] * len(spans), [(0, span) for span in spans])
    whole = sum(spans)
    found = largest_cells(query, outputs=outputs)
    horizon = 30
    sound = [
        max(worst_of_runs(span, whole, cells) for span in spans) <= outputs for cells in range(1, horizon + 1)
    ]
    assert sound == [cells <= found for cells in range(1, horizon + 1)]


@pytest.mark.parametrize("n", [2, 3, 4, 7])
@pytest.mark.parametrize("epsilon", [1, 2, 3, 4])
def test_the_average(n: int, epsilon: int) -> None:
    """q = n (2^(epsilon-1) + 1) - 1 is the largest sound number of cells for the average of n >= 2."""
    best = n * (2 ** (epsilon - 1) + 1) - 1
    assert largest_cells(LinearQuery.average(n, 0, 1), epsilon) == best
    assert worst_of_runs(1, n, best) <= 2**epsilon < worst_of_runs(1, n, best + 1)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
def test_queries_as_they_are(spans: list[int]) -> None:
    """mu([[Y|x_i]] sym-diff [[Y|x_i']]), the largest over a grid with the ends of each record's interval."""
    whole = sum(spans)
    query = LinearQuery.of([1] * len(spans), [(0, span) for span in spans])

    def difference(span: int, a: Fraction, b: Fraction) -> Fraction:
        overlap = max(Fraction(0), min(a, b) + whole - span - max(a, b))
        return 2 * (whole - span) - 2 * overlap

    steps = [[Fraction(k, 4) for k in range(4 * span + 1)] for span in spans]
    largest = max(
        difference(span, a, b)
        for span, values in zip(spans, steps, strict=True)
        for a in values
        for b in values
    )
    found = linear_indistinguishability(query)
    assert found.size == largest
    assert found.record is not None
    pair = query.pair(found.record, found.value, found.other)
    assert pair.decided.measure == largest
    assert found.separated == any(span > whole - span for span in spans)


domains = st.lists(st.integers(1, 3), min_size=1, max_size=3)


@pytest.mark.parametrize("dense", [0, 2**24])
@given(domains, st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_finite_mechanisms(
    dense: int, monkeypatch: pytest.MonkeyPatch, sizes: list[int], data: st.DataObject
) -> None:
    """Counts, witnesses, reach and both games, from all datasets; with sparse and with full matrices."""
    monkeypatch.setattr(chosen_pair, "_DENSE", dense)
    keys = list(itertools.product(*map(range, sizes)))
    outputs = data.draw(st.lists(st.integers(0, 5), min_size=len(keys), max_size=len(keys)))
    table = dict(zip(keys, outputs, strict=True))
    mechanism = FiniteMechanism.of(table, [range(size) for size in sizes])
    found = indistinguishability(mechanism)
    assert (found.size, found.separated) == worst_by_definition(table)
    pair = worst_pair(mechanism)
    if pair is None:
        assert set(sizes) == {1}
        return
    ranges = conditional_ranges(table)
    assert pair.ranges.p0 == ranges[pair.record, pair.value]
    assert pair.ranges.p1 == ranges[pair.record, pair.other]
    assert len(pair.ranges.decided) == found.size
    images: defaultdict[tuple[int, tuple[int, ...]], set[int]] = defaultdict(set)
    for dataset, output in table.items():
        for record in range(len(sizes)):
            images[record, dataset[:record] + dataset[record + 1 :]].add(output)
    game = known_others(mechanism)
    assert game.reach == mechanism.reach == max(map(len, images.values()))
    if game.pair is None:
        assert game.performance == -math.inf
        assert len(set(outputs)) == 1
    else:
        move = game.pair
        assert move.known is not None
        with_value = (*move.known[: move.record], move.value, *move.known[move.record :])
        with_other = (*move.known[: move.record], move.other, *move.known[move.record :])
        assert (move.ranges.p0, move.ranges.p1) == ({table[with_value]}, {table[with_other]})
        assert move.ranges.p0 != move.ranges.p1
