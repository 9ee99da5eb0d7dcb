"""The zero-error capacity's parts against their definitions, on small ranges and graphs."""

import itertools
import json
import math
import random
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from examples import Pairs
from noiseless.audits import unrelated
from noiseless.cli.main import run
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.theory.zero_error import (
    Graph,
    block_code,
    independent_set,
    largest_symmetric_leakage,
    lovasz_theta,
    zero_error_capacity,
)
from oracle import definitions as oracle


def ranges() -> Iterator[Pairs]:
    yield from itertools.islice(oracle.all_ranges(3, 3), 0, None, 3)
    yield from itertools.islice(oracle.all_ranges(4, 4), 0, None, 499)


def wider_ranges(count: int) -> Iterator[Pairs]:
    chance = random.Random(5)
    for _ in range(count):
        density = chance.choice((0.2, 0.35, 0.5))
        grid = itertools.product(range(6), range(8))
        pairs = frozenset(pair for pair in grid if chance.random() < density)
        yield pairs or frozenset({(0, 0)})


def coded(pairs: Pairs) -> JointRange:
    return JointRange.from_pairs(sorted(pairs, key=repr))


def clashes(pairs: Pairs, words: Sequence[tuple[Hashable, ...]]) -> set[tuple[int, int]]:
    """Which words, by number, can cause the same sequence of outputs."""
    outputs = {x: {y for other, y in pairs if other == x} for x in oracle.marginal_x(pairs)}
    caused = [set(itertools.product(*(outputs[letter] for letter in word))) for word in words]
    return {(a, b) for a, b in itertools.combinations(range(len(words)), 2) if caused[a] & caused[b]}


def is_code(pairs: Pairs, words: Sequence[tuple[Hashable, ...]]) -> bool:
    """(10) of [P1]: no sequence of outputs can come from two of the words."""
    return not clashes(pairs, words)


def largest_code(pairs: Pairs, length: int) -> int:
    """The size of a largest code, by trying all sets of words."""
    words = list(itertools.product(oracle.marginal_x(pairs), repeat=length))
    bad = clashes(pairs, words)
    best = 1
    while any(
        bad.isdisjoint(itertools.combinations(code, 2))
        for code in itertools.combinations(range(len(words)), best + 1)
    ):
        best += 1
    return best


def largest_symmetric_leakage_ratio(pairs: Pairs) -> Fraction:
    """The supremum in Proposition 2 of [P1], over all sub-ranges."""
    inputs = oracle.marginal_x(pairs)
    return max(
        oracle.symmetric_leakage_ratio(frozenset(pair for pair in pairs if pair[0] in kept))
        for size in range(1, len(inputs) + 1)
        for kept in itertools.combinations(inputs, size)
    )


def independence_number(graph: Graph) -> int:
    return max(
        mask.bit_count()
        for mask in range(1 << len(graph))
        if not any(graph.rows[node] & mask for node in range(len(graph)) if mask >> node & 1)
    )


def random_graph(chance: random.Random, size: int, density: float) -> Graph:
    pairs = itertools.combinations(range(size), 2)
    return Graph.from_edges(size, [pair for pair in pairs if chance.random() < density])


def test_one_letter() -> None:
    """On so few inputs every confusability graph is perfect: the bracket closes at the largest code."""
    for pairs in ranges():
        found = zero_error_capacity(coded(pairs))
        assert found.exact
        assert found.lower.words == found.independence.size == largest_code(pairs, 1), pairs
        assert is_code(pairs, [(label,) for label in found.never_confused])


def test_two_letters() -> None:
    for pairs in itertools.islice(ranges(), 0, None, 7):
        joint = coded(pairs)
        code = block_code(Graph.of_inputs(joint), 2)
        assert code.exact
        assert code.size == largest_code(pairs, 2)
        assert code.words is not None
        labels = joint.x_labels or ()
        assert is_code(pairs, [tuple(labels[letter] for letter in word) for word in code.words])


def test_two_letters_of_the_pentagon() -> None:
    """By trying all sets of six words: there are five of two letters and no more."""
    pairs: Pairs = frozenset((x, (x + step) % 5) for x in range(5) for step in (0, 1))
    found = zero_error_capacity(coded(pairs))
    words = found.words(2)
    assert words is not None
    assert is_code(pairs, words)
    assert len(words) == 5 == largest_code(pairs, 2)


def test_largest_leakage_over_sub_ranges() -> None:
    for pairs in itertools.chain(ranges(), wider_ranges(200)):
        joint = coded(pairs)
        truth = largest_symmetric_leakage_ratio(pairs)
        found = largest_symmetric_leakage(joint)
        assert found.exact
        assert found.upper.ratio == truth, pairs
        labels = joint.x_labels or ()
        chosen = {labels[code] for code in found.inputs}
        kept = frozenset(pair for pair in pairs if pair[0] in chosen)
        assert oracle.symmetric_leakage_ratio(kept) == truth
        hurried = largest_symmetric_leakage(joint, limit=0)
        assert hurried.lower.ratio <= truth <= hurried.upper.ratio


@pytest.mark.parametrize("density", [0.15, 0.3, 0.5, 0.8])
def test_independence_number(density: float) -> None:
    chance = random.Random(7)
    for size in range(1, 12):
        for _ in range(6):
            graph = random_graph(chance, size, density)
            found = independent_set(graph)
            assert found.exact
            assert found.size == independence_number(graph)
            assert not any(graph.rows[a] >> b & 1 for a, b in itertools.combinations(found.nodes, 2))


@pytest.mark.parametrize(("size", "density"), [(12, 0.3), (16, 0.5), (20, 0.75), (24, 0.9)])
def test_lovasz_number_of_a_general_solver(size: int, density: float) -> None:
    """theta = max <J, X> over semidefinite X of trace 1 that are 0 on the edges, by another program."""
    cp = pytest.importorskip("cvxpy")
    graph = random_graph(random.Random(11), size, density)
    matrix = cp.Variable((size, size), PSD=True)
    rows, columns = np.nonzero(np.triu(graph.matrix))
    problem = cp.Problem(cp.Maximize(cp.sum(matrix)), [cp.trace(matrix) == 1, matrix[rows, columns] == 0])
    problem.solve(solver=cp.CLARABEL)
    found = lovasz_theta(graph)
    assert float(found.lower) - 1e-5 <= problem.value <= float(found.upper) + 1e-5
    assert found.upper - found.lower < Fraction(1, 10**6)


def test_the_command_brackets_what_enumerating_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Codes of one and two letters, confusable pairs and covers, from the definition."""
    for number, pairs in enumerate(itertools.islice(oracle.all_ranges(4, 4), 7, None, 4001)):
        inputs, outputs = sorted(oracle.marginal_x(pairs), key=repr), sorted({y for _, y in pairs}, key=repr)
        if len(inputs) < 2:
            continue
        rows = [[int((x, y) in pairs) for y in outputs] for x in inputs]
        path = tmp_path / f"{number}.csv"
        path.write_text("".join(",".join(str(n / sum(row)) for n in row) + "\n" for row in rows))
        assert run(["capacity", str(path), "--zero-error", "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        caused = [{y for y, n in zip(outputs, row, strict=True) if n} for row in rows]
        clashing = [
            [a + 1, b + 1] for a, b in itertools.combinations(range(len(rows)), 2) if caused[a] & caused[b]
        ]
        assert (found["confusable"], found["confusable_pairs"]) == (clashing, len(clashing))
        one, two = largest_code(pairs, 1), largest_code(pairs, 2)
        assert len(found["never_confused"]) == one
        assert found["lower"] <= found["upper"]
        assert found["upper"] >= max(math.log2(one), math.log2(two) / 2) - 1e-12
        assert found["lower"] >= math.log2(one) - 1e-12
        chosen = [caused[row - 1] for row in found["never_confused"]]
        assert all(not a & b for a, b in itertools.combinations(chosen, 2))


def test_columns_are_unrelated_when_every_combination_occurs() -> None:
    chance = random.Random(3)
    for _ in range(60):
        rows = [tuple(chance.randrange(2) for _ in range(4)) for _ in range(chance.randint(1, 14))]
        table = pa.table({name: [row[place] for row in rows] for place, name in enumerate("abcd")})
        for given in ("", "d"):
            asked = [place for place, name in enumerate("abcd") if name not in given]
            cells = {tuple(row[3:]) if given else () for row in rows}
            shares = []
            for cell in cells:
                seen = {tuple(row[p] for p in asked) for row in rows if not given or row[3:] == cell}
                grid = set(itertools.product(*({row[k] for row in seen} for k in range(len(asked)))))
                shares.append(Fraction(len(grid), len(seen)))
            found = unrelated(table, ["abcd"[p] for p in asked], given=given or ())
            assert found.holds == (max(shares) == 1)
            assert found.transmission == Bits(max(shares))
