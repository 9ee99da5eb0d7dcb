"""The merging algorithms as shipped against the word-for-word ones, tie-breaks and all."""

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.codebook import CODEWORDS, DISTANCES
from noiseless.search.loss import Lagrangian
from noiseless.search.measures import measure
from noiseless.search.merging import (
    Categories,
    Cells,
    ColumnCodebook,
    Hierarchy,
    Length,
    MergePath,
    Numbers,
    SideInformation,
    constrained_path,
    leakage_path,
    maximin_path,
    steepest_descent,
)
from noiseless.search.problem import Problem
from oracle import merging as literal
from oracle.plain_merging import plain_path
from soaking import seeds

WEIGHTS = [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3)]
TREE = {leaf: (f"group {leaf // 3}", f"half {leaf // 6}", "any") for leaf in range(12)}
Case = tuple[literal.Range, JointRange, SideInformation | None]


def shipped(triples: Sequence[literal.Triple]) -> tuple[JointRange, SideInformation | None]:
    """Triples (s, x, a) with x = 0, 1, ... as the package takes them."""
    s: dict[int, int] = {}
    answers: dict[tuple[int, int], int] = {}
    known: dict[int, int] = {}
    pairs = [
        (s.setdefault(a, len(s)), answers.setdefault((x, b), len(answers)))
        for a, x, b in sorted(triples, key=_by_x)
    ]
    joint = JointRange.from_codes(*zip(*pairs, strict=True))
    if {b for _, _, b in triples} == {0}:
        return joint, None
    given_codes = [known.setdefault(b, len(known)) for _, b in answers]
    return joint, SideInformation([x for x, _ in answers], given_codes)


def _by_x(triple: literal.Triple) -> tuple[int, int, int]:
    return triple[1], triple[2], triple[0]


@st.composite
def cases(draw: st.DrawFn, values: int = 6, known: int = 1) -> Case:
    size = draw(st.integers(2, values))
    sets = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, known - 1)), min_size=1, max_size=3)
    triples = [(s, x, a) for x in range(size) for s, a in draw(sets)]
    joint, side = shipped(triples)
    return literal.Range(frozenset(triples)), joint, side


def spread(cell: literal.Cell, values: Sequence[Fraction], word: str) -> Fraction:
    """The largest distance to the codeword on a line, by definition."""
    held = [values[x] for x in cell]
    if word == "medoid":
        return min(max(abs(v - w) for w in held) for v in held)
    middle = sum(held, Fraction(0)) / len(held) if word == "centroid" else (min(held) + max(held)) / 2
    return max(abs(v - middle) for v in held)


def partition(cells: Cells) -> literal.Partition:
    return frozenset(frozenset(cell) for cell in cells.members)


def figures(path: MergePath, rule: literal.Range) -> None:
    """All that a path says of its points is so."""
    for point in path:
        cells = partition(point.cells)
        assert point.leakage.ratio == rule.leak(cells)
        assert point.maximin.ratio == len(rule.subgraphs(cells))
        assert point.min_posterior == rule.min_posterior(cells)
        assert point.resolution.ratio == Fraction(len(rule.values), max(len(cell) for cell in cells))


@given(cases(), st.sampled_from(["resolution", *CODEWORDS]), st.data())
def test_algorithm_1(case: Case, word: str, data: st.DataObject) -> None:
    _algorithm_1(case, word, data)


@given(cases(5, known=2), st.sampled_from(["resolution", *CODEWORDS]), st.data())
def test_algorithm_1_with_side_information(case: Case, word: str, data: st.DataObject) -> None:
    _algorithm_1(case, word, data)


def _drawn(rule: literal.Range, word: str, data: st.DataObject) -> tuple[Any, ColumnCodebook | None]:
    if word == "resolution":
        return len, None
    number = st.fractions(0, 4, max_denominator=3)
    values = data.draw(st.lists(number, min_size=len(rule.values), max_size=len(rule.values)))
    return lambda cell: spread(cell, values, word), ColumnCodebook(Numbers(values), codeword=word)  # type: ignore[arg-type]


def _algorithm_1(case: Case, word: str, data: st.DataObject) -> None:
    rule, joint, side = case
    cost, codebook = _drawn(rule, word, data)
    rounds = list(literal.algorithm_1(rule, cost))
    path = leakage_path(joint, codebook, side=side)
    assert [partition(point.cells) for point in path] == [
        literal.start(rule),
        *(q for steps in rounds for q in steps),
    ]
    assert path.rounds.tolist() == np.cumsum([0, *map(len, rounds)]).tolist()
    figures(path, rule)
    if codebook is not None and path.distortions is not None:
        assert [d.value for d in path.distortions] == [
            max(cost(cell) for cell in partition(point.cells)) for point in path
        ]
    weight = data.draw(st.sampled_from(WEIGHTS))
    assert partition(path.first_rise(weight).cells) == _stopped(rule, rounds, path, weight)


def _stopped(
    rule: literal.Range, rounds: list[list[literal.Partition]], path: MergePath, weight: Fraction
) -> literal.Partition:
    """Lines 11 to 13 of Algorithm 1, mended."""
    now, at = literal.start(rule), 0
    for steps in rounds:
        following = at + len(steps)
        if path.lagrangian(following, weight).compare(path.lagrangian(at, weight)) >= 0:
            return now
        now, at = steps[-1], following
    return now


@given(cases(), st.sampled_from(["resolution", *CODEWORDS]), st.data())
def test_algorithm_2(case: Case, word: str, data: st.DataObject) -> None:
    _algorithm_2(case, word, data)


@given(cases(5, known=2), st.sampled_from(["resolution", *CODEWORDS]), st.data())
def test_algorithm_2_with_side_information(case: Case, word: str, data: st.DataObject) -> None:
    _algorithm_2(case, word, data)


def _algorithm_2(case: Case, word: str, data: st.DataObject) -> None:
    rule, joint, side = case
    cost, codebook = _drawn(rule, word, data)
    expected = list(literal.algorithm_2(rule, cost, largest_first=codebook is None))
    path = maximin_path(joint, codebook, side=side)
    assert [partition(point.cells) for point in path] == [literal.start(rule), *expected]
    figures(path, rule)


@given(cases(5), st.sampled_from(["resolution", *CODEWORDS]), st.sampled_from(WEIGHTS), st.data())
def test_problem_7(case: Case, word: str, weight: Fraction, data: st.DataObject) -> None:
    _problem_7(case, word, weight, data)


@given(cases(4, known=2), st.sampled_from(["resolution", *CODEWORDS]), st.sampled_from(WEIGHTS), st.data())
def test_problem_7_with_side_information(
    case: Case, word: str, weight: Fraction, data: st.DataObject
) -> None:
    _problem_7(case, word, weight, data)


def _problem_7(case: Case, word: str, weight: Fraction, data: st.DataObject) -> None:
    rule, joint, side = case
    cost, codebook = _drawn(rule, word, data)

    def compare(first: tuple[Fraction, Any], second: tuple[Fraction, Any]) -> int:
        return _value(first, weight, codebook).compare(_value(second, weight, codebook))

    expected = list(literal.problem_7(rule, cost, compare))
    path = constrained_path(joint, weight, codebook, side=side)
    assert [partition(point.cells) for point in path] == [literal.start(rule), *expected]
    figures(path, rule)


def _value(both: tuple[Fraction, Any], weight: Fraction, codebook: ColumnCodebook | None) -> Lagrangian:
    return Lagrangian(both[0], Bits(both[1]) if codebook is None else Length(both[1]), weight)


# --- the same against sets and loops, on many random ranges ------------------------------------------


def random_range(rng: random.Random, known: int = 0) -> tuple[JointRange, SideInformation | None]:
    size, sensitive = rng.randint(2, 24), rng.choice([1, 2, 3, 5, 8, 24])
    triples = []
    for x in range(size):
        answers = rng.sample(range(known), rng.randint(1, known)) if known else [0]
        few = rng.sample(range(sensitive), min(sensitive, rng.choice([1, 1, 1, 2, 4])))
        triples += [(s, x, a) for a in answers for s in few]
    return shipped(triples)


def runs_of_one_s(rng: random.Random, order: Sequence[int]) -> JointRange:
    """S constant on long runs of the public column: where a naive search is quadratic."""
    size, many = len(order), rng.randint(2, 4)
    codes = np.empty(size, np.int64)
    codes[np.asarray(order)] = [place * many // size for place in range(size)]
    return JointRange.from_codes(np.unique(codes, return_inverse=True)[1], range(size))


def random_columns(rng: random.Random, size: int) -> ColumnCodebook:
    columns: list[Numbers | Categories | Hierarchy] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.randint(0, 3)
        if kind <= 1:
            numbers = [rng.randint(0, rng.choice([3, 10, 1000])) for _ in range(size)]
            weight = rng.choice([Fraction(1), Fraction(2), Fraction(1, 3)])
            columns.append(Numbers(numbers, weight=weight, span=(0, 1000)))
        elif kind == 2:
            columns.append(Categories([rng.randint(0, 2) for _ in range(size)], weight=rng.choice([1, 3])))
        else:
            cost: Literal["height", "leaves"] = rng.choice(["height", "leaves"])
            columns.append(Hierarchy([rng.randint(0, 11) for _ in range(size)], TREE, cost=cost))
    return ColumnCodebook(*columns, distance=rng.choice(DISTANCES), codeword=rng.choice(CODEWORDS))


def on_a_line(rng: random.Random, size: int) -> ColumnCodebook:
    values = rng.sample(range(rng.choice([size, 3 * size, 1000])), size)
    return ColumnCodebook(Numbers(sorted(values) if rng.random() < 0.4 else values))


def same(found: MergePath, expected: MergePath) -> None:
    for name in ("kept", "absorbed", "rounds", "min_posteriors", "components", "largest_cells"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
    assert [found.leak(t) for t in range(len(found))] == [expected.leak(t) for t in range(len(expected))]
    if found.distortions is not None and expected.distortions is not None:
        assert list(found.distortions) == list(expected.distortions)


Path = Callable[..., MergePath]


def _objectives(rng: random.Random) -> Iterator[tuple[Path, Path]]:
    """Each algorithm as it is shipped, and with sets and loops."""
    weight = rng.choice(WEIGHTS)
    yield leakage_path, partial(plain_path, "leakage")
    yield maximin_path, partial(plain_path, "maximin")
    yield (
        lambda joint, codebook, **options: constrained_path(joint, weight, codebook, **options),
        partial(plain_path, "both", weight=weight),
    )


@pytest.mark.parametrize("seed", seeds(2))
def test_any_columns(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        for path, plain in _objectives(rng):
            joint, _ = random_range(rng)
            line = on_a_line(rng, joint.size_y)
            if rng.random() < 0.3:
                joint = runs_of_one_s(rng, np.argsort(line.scaled.positions(slice(None))[0]).tolist())
            for codebook in (None, line, random_columns(rng, joint.size_y)):
                same(path(joint, codebook), plain(joint, codebook))


def test_side_information_of_any_kind() -> None:
    rng = random.Random(0)
    for _ in seeds(50):
        joint, side = random_range(rng, known=rng.choice([2, 3]))
        size = joint.size_y if side is None else int(side.public.max()) + 1
        for codebook in (None, random_columns(rng, size)):
            for path, plain in _objectives(rng):
                same(path(joint, codebook, side=side), plain(joint, codebook, side=side))


def test_priors_any_way() -> None:
    """What is released as it is has the prior |[[S]]|; where nothing helps the worst cell the path ends."""
    rng = random.Random(1)
    ended = 0
    for _ in seeds(50):
        joint, side = random_range(rng, known=3)
        if side is None:
            continue
        prior = np.full(int(side.given.max()) + 1, joint.size_x)
        shown = SideInformation(side.public, side.given, prior)
        codebook = random_columns(rng, int(side.public.max()) + 1)
        fast = leakage_path(joint, codebook, side=shown)
        same(fast, plain_path("leakage", joint, codebook, side=shown))
        ended += fast.last.leakage > Bits(1)
        for point in fast:
            assert point.leakage == measure(Problem(joint, codebook, shown), point.cells).leakage
    assert ended > 10


class AnyBook:
    """A codebook of one's own that comes to the same as another one."""

    def __init__(self, codebook: ColumnCodebook) -> None:
        self.codebook = codebook

    def __len__(self) -> int:
        return len(self.codebook)

    def cost(self, members: Sequence[int]) -> Length:
        return self.codebook.cost(members)

    def codeword(self, members: Sequence[int]) -> Any:  # noqa: ANN401 - as codebooks have it
        return self.codebook.codeword(members)


@pytest.mark.parametrize("seed", seeds(2))
def test_any_codebook(seed: int) -> None:
    """Also with one's own."""
    rng = random.Random(seed)
    for _ in range(40):
        known = rng.choice([0, 1, 1, 2, 3])
        joint, side = wide_range(rng, known)
        size = joint.size_y if side is None else int(side.public.max()) + 1
        path, plain = rng.choice(list(_objectives(rng)))
        columns = random_columns(rng, size)
        for codebook in (None, on_a_line(rng, size), columns, AnyBook(columns)):
            expected = plain(joint, codebook, side=side)
            same(path(joint, codebook, side=side), expected)


def test_steepest_descent_with_a_codebook_of_ones_own() -> None:
    rng = random.Random(3)
    for _ in range(20):
        joint, _ = random_range(rng)
        columns, weight = random_columns(rng, joint.size_y), rng.choice(WEIGHTS)
        for objective in ("leakage", "maximin"):
            run = partial(steepest_descent, joint, weight, objective=objective)
            assert run(AnyBook(columns)) == run(columns)


def wide_range(rng: random.Random, known: int) -> tuple[JointRange, SideInformation | None]:
    """A range with few or with more than 64 sensitive values, and the pairs (x, a) coded in any order."""
    size, sensitive = rng.randint(2, 16), rng.choice([2, 5, 16, 80])
    places = [
        (x, a)
        for x in range(size)
        for a in (rng.sample(range(known), rng.randint(1, known)) if known else [0])
    ]
    if known:
        places += [(size, a) for a in range(known)]  # so that every known value occurs
    rng.shuffle(places)
    pairs = {(rng.randrange(sensitive), y) for y in range(len(places)) for _ in range(rng.choice([1, 1, 4]))}
    codes = {s: code for code, s in enumerate(sorted({s for s, _ in pairs}))}
    joint = JointRange.from_codes([codes[s] for s, _ in pairs], [y for _, y in pairs])
    if not known:
        return joint, None
    public, given = zip(*places, strict=True)
    return joint, SideInformation(public, given)


def test_one_known_value_is_no_side_information() -> None:
    """Where the reader knows the same of everybody the merges are those without side information."""
    rng = random.Random(5)
    for size in (12, 61):
        for _ in range(4):
            joint = JointRange.from_codes(range(size), range(size))
            codebook = random_columns(rng, size)
            side = SideInformation(range(size), [0] * size)
            for path in (leakage_path, maximin_path):
                same(path(joint, codebook, side=side), path(joint, codebook))
                assert path(joint, codebook, side=side).components[-1] == 1
