"""Local noiseless privacy: what cells of a person's own value tell, and that no better ones exist."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.collection.local import float_cells as array_kernels
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.schedule import Schedule, affordable
from noiseless.collection.local.vectors import LocalVector
from noiseless.comparison import (
    AdditiveNoise,
    Exponential,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    RandomisedResponse,
)
from noiseless.exact import Bits
from noiseless.measures import maximin
from noiseless.pricing.reach import allowed_reach
from noiseless.questions import Continuum, Lattice, Span
from noiseless.ranges import JointRange
from noiseless.theory.capacity import capacity

fractions = st.fractions(-1000, 1000, max_denominator=1000)
widths = st.fractions(Fraction(1, 1000), 10**6, max_denominator=1000)
lattices = st.builds(
    Lattice, fractions, st.fractions(Fraction(1, 100), 5, max_denominator=100), st.integers(0, 11)
)
continua = st.builds(lambda low, width: Continuum(low, low + width), fractions, widths)


def values(lattice: Lattice) -> list[Fraction]:
    return [lattice.value(position) for position in range(lattice.last + 1)]


@given(lattices, st.integers(1, 14))
def test_the_reach_of_a_local_release_is_the_number_of_its_outputs(lattice: Lattice, reach: int) -> None:
    """Definition 2 of [P1]: of a release of x_i alone a person can cause every output."""
    release = LocalQuantizer.finest(lattice, reach)
    outputs = {release.release(value) for value in values(lattice)}
    assert len(outputs) == release.reach <= reach
    assert all(release.release(v).lower <= v <= release.release(v).upper for v in values(lattice))


@given(lattices.filter(lambda lattice: lattice.last > 0), st.integers(1, 14))
def test_information_of_a_local_release_is_its_bits(lattice: Lattice, reach: int) -> None:
    """I*(X;Y) = log2 cells = the capacity of the channel from X to Y (deterministic mechanisms)."""
    release = LocalQuantizer.finest(lattice, reach)
    cells = [release.cell(value) for value in values(lattice)]
    assert maximin(JointRange.from_codes(np.arange(len(cells)), np.array(cells))) == release.bits
    matrix = np.eye(release.cells)[cells]
    assert capacity(matrix).exact == release.bits


@given(lattices, st.integers(1, 6))
def test_no_cells_beat_the_finest(lattice: Lattice, reach: int) -> None:
    """Of all partitions into at most k runs none has a smaller worst error; of those as good none has fewer
    runs, and of those none has a larger smallest run."""
    release = LocalQuantizer.finest(lattice, reach)
    size = lattice.last + 1
    partitions = [
        [b - a for a, b in zip((0, *cuts), (*cuts, size), strict=True)]
        for cells in range(1, min(reach, size) + 1)
        for cuts in combinations(range(1, size), cells - 1)
    ]
    best = min(max(runs) for runs in partitions)
    assert release.worst_error == lattice.step * (best - 1) / 2
    as_good = [runs for runs in partitions if max(runs) == best]
    fewest = min(map(len, as_good))
    assert release.cells == fewest
    assert release.smallest_posterior == max(min(runs) for runs in as_good if len(runs) == fewest)


@given(st.one_of(lattices, continua), st.fractions(Fraction(1, 50), 10**5, max_denominator=50))
def test_the_coarsest_keeps_to_the_error_and_fewer_cells_do_not(span: Span, error: Fraction) -> None:
    """Theorem IV.2 of [P4]: ceil(R / 2e) cells, on a lattice ceil((N + 1) / (floor(2e / step) + 1))."""
    release = LocalQuantizer.coarsest(span, error)
    assert release.worst_error <= error
    assert release.cells == 1 or LocalQuantizer.finest(span, release.cells - 1).worst_error > error


@given(continua, st.integers(1, 20), st.integers(1, 4))
def test_the_uniform_quantizer_attains_the_estimation_bound(span: Continuum, cells: int, power: int) -> None:
    """E|X - Xh|^p >= rho mu^(p+1) N^-p / ((p+1) 2^p), with equality for uniform X and equal cells."""
    release = LocalQuantizer.finest(span, cells)
    mean = Fraction(0)
    for cell in range(release.cells):
        answer = release.answer(cell)
        half = (answer.upper - answer.lower) / 2
        mean += 2 * half ** (power + 1) / (power + 1) / span.width
    assert mean == span.width**power * Fraction(1, cells) ** power / ((power + 1) * 2**power)


@given(continua, st.integers(1, 64), st.data())
def test_a_float_lands_where_its_exact_value_does(span: Continuum, cells: int, data: st.DataObject) -> None:
    """Floats at, just below and just above each edge, and any others, are told as exactly as rationals."""
    release = LocalQuantizer.finest(span, cells)
    edges = [float(release.quantizer.edge(cell)) for cell in range(release.cells + 1)]
    tried = [math.nextafter(e, side) for e in edges for side in (-math.inf, math.inf)] + edges
    tried += data.draw(st.lists(st.floats(float(span.low), float(span.high)), max_size=20))
    inside = np.array([v for v in tried if span.low <= Fraction(v) <= span.high])
    assume(len(inside))
    expected = [release.quantizer.cell(Fraction(float(v))) for v in inside]
    assert release.encode(inside).tolist() == expected
    many = np.resize(inside, array_kernels.SMALL + len(inside))
    assert release.encode(many).tolist() == np.resize(np.array(expected), len(many)).tolist()


spans = st.one_of(lattices, continua)


@given(
    st.lists(spans, min_size=1, max_size=3),
    st.lists(st.fractions(Fraction(1, 4), 4, max_denominator=4), min_size=3, max_size=3),
    st.integers(1, 24),
)
def test_no_split_of_a_budget_beats_the_finest(
    domains: list[Span], weights: list[Fraction], reach: int
) -> None:
    """Of all cells whose product is at most k none has a smaller worst weighted error."""
    named = {str(number): span for number, span in enumerate(domains)}
    release = LocalVector.finest(named, reach, {name: weights[int(name)] for name in named})
    assert release.reach <= reach
    best = min(
        max(
            weights[number] * LocalQuantizer.finest(span, cells).worst_error
            for number, (span, cells) in enumerate(zip(domains, split, strict=True))
        )
        for split in product(range(1, reach + 1), repeat=len(domains))
        if math.prod(split) <= reach
    )
    assert release.worst_error == best


@given(st.integers(2, 40), st.fractions(0, 200, max_denominator=7))
def test_a_budget_over_time_pays_for_the_most_readings(reach: int, bits: Fraction) -> None:
    """Prices of readings add (Theorem 6 of [P1]): T readings fit iff reach^T <= 2^bits, in whole numbers."""
    readings = affordable(reach, bits)
    power, root = 2**bits.numerator, bits.denominator
    assert reach ** (readings * root) <= power < reach ** ((readings + 1) * root)


@given(st.integers(2, 40), st.fractions(0, 200, max_denominator=7), st.sampled_from(["stop", "coarsen"]))
def test_no_schedule_spends_more_than_its_budget(cells: int, bits: Fraction, rule: str) -> None:
    """The product of the reaches of all readings of a person is at most 2^bits."""
    schedule = Schedule.of(LocalQuantizer.finest(Continuum.of(0, 1), cells), bits, rule)  # type: ignore[arg-type]
    outputs = math.prod(stage.mechanism.reach ** (stage.readings or 0) for stage in schedule.stages)
    assert outputs**bits.denominator <= 2**bits.numerator
    assert schedule.spending().is_within(bits)
    assert Bits(outputs) == Bits(1) or schedule.spending().bits >= Bits(outputs).lower


@given(st.fractions(1, 12, max_denominator=3))
def test_a_vector_keeps_to_its_bits_exactly(bits: Fraction) -> None:
    """Example V-C of [P1]: the product of the cells of latitude and longitude is at most 2^eps."""
    city = {
        "latitude": Continuum.of(Fraction(405, 10), Fraction(409, 10)),
        "longitude": Continuum.of(-75, -73),
    }
    release = LocalVector.finest(city, allowed_reach(bits))
    assert math.prod(release.cells) ** bits.denominator <= 2**bits.numerator


scales = st.floats(0.2, 30)
lattice = Lattice(Fraction(0), Fraction(1), 14)
noises = st.one_of(*(st.builds(kind, scales) for kind in (LaplaceNoise, GeometricNoise, GaussianNoise)))
mechanisms = st.one_of(
    st.builds(lambda noise: AdditiveNoise(lattice, noise), noises),
    st.builds(lambda rate: Exponential(lattice, rate), st.floats(0.01, 2)),
    st.builds(lambda keep: RandomisedResponse(lattice, keep), st.floats(0.01, 0.99)),
)


@given(mechanisms, st.integers(1, 14), st.data())
def test_bits_of_a_randomised_mechanism_hold_at_every_base(
    mechanism: AdditiveNoise, sweep: int, data: st.DataObject
) -> None:
    """sup over others of the capacity from one person to the answer is at most `bits` (MI-DP of [P5])."""
    base = data.draw(st.integers(0, lattice.last - sweep))
    channel = mechanism.channel(sweep, base)
    assert np.abs(channel.matrix.sum(axis=1) - 1).max() < 1e-12
    assert capacity(channel).lower <= mechanism.bits(sweep)


@given(st.sampled_from([LaplaceNoise, GeometricNoise]), scales, st.integers(1, 14))
def test_differential_privacy_bounds_the_bits(kind: type[LaplaceNoise], scale: float, sweep: int) -> None:
    """eps-DP tells at most k - 1 - ln k nats with k = eps / (1 - e^-eps), and eps = sweep / scale."""
    epsilon = sweep / scale
    mechanism = AdditiveNoise(lattice, kind(scale))
    matrix = mechanism.channel(sweep).matrix
    assert np.log(matrix.max(axis=0) / matrix.min(axis=0)).max() <= epsilon * (1 + 1e-12) + 1e-12
    k = epsilon / -math.expm1(-epsilon)
    assert mechanism.bits(sweep) * math.log(2) <= k - 1 - math.log(k) + 1e-9
