"""Every measure and partition against its definition, on every joint range over small alphabets."""

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction

import pytest

import noiseless as m
from examples import Pairs
from noiseless import measures
from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.measures import disarray
from noiseless.ranges import JointRange, confusability_edges, overlap_partition
from noiseless.theory.accuracy import quality
from oracle import definitions as oracle


def every_range() -> Iterator[Pairs]:
    yield from oracle.all_ranges(3, 3)
    yield from itertools.islice(oracle.all_ranges(4, 4), 0, None, 97)


def coded(pairs: Pairs) -> JointRange:
    return JointRange.from_pairs(sorted(pairs, key=repr))


def named_blocks(labels: Sequence[Hashable], blocks: IntArray) -> frozenset[frozenset[Hashable]]:
    return frozenset(
        frozenset(label for label, b in zip(labels, blocks, strict=True) if b == block)
        for block in set(blocks.tolist())
    )


MEASURES: list[tuple[Callable[..., Bits], Callable[[Pairs], int | Fraction]]] = [
    (m.entropy, oracle.entropy_ratio),
    (m.conditional_entropy, oracle.conditional_entropy_ratio),
    (disarray, oracle.disarray_ratio),
    (m.information, oracle.information_ratio),
    (m.leakage, oracle.leakage_ratio),
    (m.symmetric_leakage, oracle.symmetric_leakage_ratio),
    (m.transmission, oracle.transmission_ratio),
    (m.maximin, oracle.maximin_count),
]


@pytest.mark.parametrize(("measure", "definition"), MEASURES, ids=[pair[0].__name__ for pair in MEASURES])
def test_measure_equals_its_definition(
    measure: Callable[[JointRange], Bits], definition: Callable[[Pairs], int | Fraction]
) -> None:
    for pairs in every_range():
        assert measure(coded(pairs)).ratio == definition(pairs), pairs


def test_every_measure_has_a_definition() -> None:
    assert {measure.__name__ for measure, _ in MEASURES} == set(measures.__all__)


def test_privacy_equals_its_definition() -> None:
    for pairs in every_range():
        joint = coded(pairs)
        for ours, truth in (
            (m.privacy_by_leakage(joint), oracle.privacy_p1(pairs)),
            (m.privacy_by_maximin(joint), oracle.privacy_p2(pairs)),
        ):
            assert ours == pytest.approx(truth, rel=1e-14)


def test_quality_equals_its_definition() -> None:
    for values in itertools.product(range(3), repeat=4):
        f = dict(enumerate(range(4)))
        reported = dict(enumerate(values))
        ours = quality(list(f.values()), list(values))
        assert ours == pytest.approx(oracle.quality_q(f, reported), rel=1e-14)


def test_partition_equals_the_overlap_and_the_taxicab_partition() -> None:
    for pairs in every_range():
        joint = coded(pairs)
        partition = overlap_partition(joint)
        xs, ys = joint.x_labels, joint.y_labels
        assert xs is not None
        assert ys is not None
        blocks = named_blocks(xs, partition.x_blocks)
        assert blocks == oracle.overlap_partition(pairs)
        points = frozenset(
            frozenset((x, y) for x, y in pairs if partition.x_blocks[list(xs).index(x)] == b)
            for b in range(partition.count)
        )
        assert points == oracle.taxicab_partition(pairs)


def test_decomposition_update_equals_its_definition() -> None:
    for pairs in itertools.islice(oracle.all_ranges(3, 4), 0, None, 23):
        joint = coded(pairs)
        ys = joint.y_labels
        assert ys is not None
        for raw in itertools.product(range(2), repeat=joint.size_y):
            numbers = {cell: n for n, cell in enumerate(dict.fromkeys(raw))}
            cells = [numbers[cell] for cell in raw]
            sets: list[set[Hashable]] = [
                {y for y, c in zip(ys, cells, strict=True) if c == cell} for cell in range(len(numbers))
            ]
            updated = overlap_partition(joint).after_merge(cells)
            blocks = named_blocks(ys, updated.y_blocks)
            assert blocks == oracle.decomposition_after_merge(pairs, sets)


def test_confusability_graph_equals_its_definition() -> None:
    for pairs in every_range():
        joint = coded(pairs)
        ys = joint.y_labels
        assert ys is not None
        edges = {frozenset((ys[a], ys[b])) for a, b in confusability_edges(joint).tolist()}
        assert edges == set(oracle.confusability_edges(pairs))


def test_unrelatedness_equals_its_definition() -> None:
    for pairs in every_range():
        assert coded(pairs).is_unrelated() == oracle.unrelated(pairs)


def test_side_information_equals_its_definition() -> None:
    cube = list(itertools.product(range(3), range(2), range(2)))
    for number in range(1, 2 ** len(cube), 5):
        triples = frozenset(t for i, t in enumerate(cube) if number >> i & 1)
        joint = coded(frozenset((s, (a, x)) for s, x, a in triples))
        ys = joint.y_labels
        assert ys is not None
        cells = {a: i for i, a in enumerate(sorted({a for a, _ in ys}))}
        side = [cells[a] for a, _ in ys]
        assert m.leakage(joint, side).ratio == oracle.leakage_given_ratio(triples)
        assert m.maximin(joint).ratio == oracle.conditional_maximin_count(triples)
        assert joint.is_unrelated(given=side) == oracle.conditionally_unrelated(triples)
