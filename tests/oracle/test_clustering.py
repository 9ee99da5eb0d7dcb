"""What [P3] has at the command line: the stop at the first rise, squared distances, (S, X) released jointly.

Each is held against a brute force on tiny tables: the paper's algorithms, and all partitions.
"""

import math
import subprocess
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.search.first_rise import every_stop
from noiseless.search.goal import Goal
from noiseless.search.greedy import GreedyPaths
from noiseless.search.loss import Objective
from noiseless.search.merging import ColumnCodebook, Numbers
from noiseless.search.portfolio import Problem, choose
from noiseless.verification import standalone_script
from oracle.merging import Cell, Partition, Range, algorithm_1, algorithm_2, start

WEIGHTS = st.fractions(0, 5, max_denominator=8)
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=2, max_size=8, unique=True).filter(
    lambda pairs: min(len({s for s, _ in pairs}), len({x for _, x in pairs})) > 1
)
NEAR = 1e-9
OBJECTIVES: tuple[Objective, ...] = ("leakage", "maximin")


class Game:
    """A tiny table as the algorithms see it: values of x in order, and the middle of a cell."""

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self.values = sorted({x for _, x in pairs})
        self.range = Range(frozenset((s, self.values.index(x), 0) for s, x in pairs))

    def middle(self, cell: Cell) -> Fraction:
        held = [self.values[x] for x in cell]
        return Fraction(min(held) + max(held), 2)

    def cost(self, cell: Cell) -> Fraction:
        """The largest squared distance to the middle."""
        return max((self.values[x] - self.middle(cell)) ** 2 for x in cell)

    def iterations(self, objective: str) -> Iterator[Partition]:
        """What each iteration of Algorithm 1 or 2 ends with."""
        yield start(self.range)
        if objective == "leakage":
            yield from (steps[-1] for steps in algorithm_1(self.range, self.cost))
        else:
            yield from algorithm_2(self.range, self.cost, largest_first=False)

    def lagrangian(self, q: Partition, objective: str, weight: Fraction) -> float:
        leak = self.range.leak(q) if objective == "leakage" else len(self.range.subgraphs(q))
        return math.log2(leak) + float(weight * max(map(self.cost, q)))

    def stop(self, objective: str, weight: Fraction) -> Partition:
        """Where the paper stops: before the first iteration that does not lower the Lagrangian."""
        now, *later = self.iterations(objective)
        for q in later:
            change = self.lagrangian(q, objective, weight) - self.lagrangian(now, objective, weight)
            assume(abs(change) > NEAR or change == 0)  # floats cannot tell
            if change >= 0:
                break
            now = q
        return now


def as_cells(members: Iterable[Iterable[int]]) -> Partition:
    return frozenset(frozenset(map(int, cell)) for cell in members)


@given(pairs=PAIRS, weight=WEIGHTS, objective=st.sampled_from(OBJECTIVES))
@settings(deadline=None)
def test_a_release_stops_where_the_paper_does(
    pairs: list[tuple[int, int]], weight: Fraction, objective: Objective
) -> None:
    game = Game(pairs)
    stop = game.stop(objective, weight)
    assume(len({game.middle(cell) for cell in stop}) == len(stop))  # cells that read alike are one
    secrets, shown = zip(*pairs, strict=True)
    done = nl.release(
        pa.table({"s": secrets, "x": shown}),
        sensitive="s",
        public="x",
        objective=objective,
        method="first-rise",
        weight=str(weight),
        distance="squared",
        codeword="midrange",
        keep_order=True,
    )
    told = done.table["x"].to_pylist()
    expected = {game.values[x]: game.middle(cell) for cell in stop for x in cell}
    assert [Fraction(text) for text in told] == [expected[x] for x in shown]
    assert done.point.distortion == max(map(game.cost, stop))
    assert not done.optimal
    assert done.gap is None


@given(pairs=PAIRS, objective=st.sampled_from(OBJECTIVES))
@settings(deadline=None)
def test_a_frontier_has_the_stop_of_every_weight(pairs: list[tuple[int, int]], objective: Objective) -> None:
    game = Game(pairs)
    joint = nl.JointRange.from_pairs([(s, x) for x in game.values for s, y in sorted(pairs) if y == x])
    problem = Problem(joint, ColumnCodebook(Numbers(game.values), distance="squared"))
    found = {
        as_cells(point.cells.members)
        for _, point in every_stop(GreedyPaths(problem, "distortion"), objective)
    }
    for weight in (Fraction(n, 16) for n in (0, 1, 3, 7, 11, 20, 40, 90)):
        goal = Goal(objective, "distortion", weight=weight, method="first-rise")
        assert as_cells(choose(problem, goal).cells.members) in found


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for part in partitions(rest):
        yield [[first], *part]
        for place, cell in enumerate(part):
            yield [*part[:place], [first, *cell], *part[place + 1 :]]


@given(
    pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=6, unique=True),
    k=st.integers(1, 3),
)
@settings(deadline=None, max_examples=60)
def test_a_joint_release_of_secrets_and_public_values(pairs: list[tuple[int, int]], k: int) -> None:
    """V-C of [P3]: Y = (S, X) is merged; what a cell leaves is counted with S itself among what is seen."""
    secrets, shown = zip(*pairs, strict=True)
    assume(len(set(secrets)) >= max(2, k))
    table = pa.table({"s": secrets, "x": shown})
    done = nl.release(
        table,
        sensitive="s",
        public=["x", "s"],
        min_posterior=k,
        utility="resolution",
        codeword="interval",
        keep_order=True,
    )
    told = list(zip(*(done.table[name].to_pylist() for name in ("x", "s")), strict=True))
    behind: dict[object, set[int]] = {}
    for seen, secret in zip(told, secrets, strict=True):
        behind.setdefault(seen, set()).add(secret)
    least = min(map(len, behind.values()))
    assert done.point.min_posterior == least >= k
    assert done.point.leakage.ratio == Fraction(len(set(secrets)), least)
    fewest = min(
        max(map(len, part))
        for part in partitions(list(range(len(pairs))))
        if all(len({secrets[y] for y in cell}) >= k for cell in part)
    )
    largest = max(sum(told[y] == seen for y in range(len(pairs))) for seen in behind)
    assert largest >= fewest
    if done.optimal and done.scope == "all":
        assert largest == fewest
    assert "s is released itself" in " ".join(done.warnings)


def test_both_verifiers_know_a_joint_release(tmp_path: Path) -> None:
    table = pa.table({"ill": ["Flu", "flu", "cold", "asthma"], "ward": ["a", "b", "b", "c"]})
    original, out, certificate = (tmp_path / name for name in ("original.csv", "out.csv", "c.json"))
    pyarrow.csv.write_csv(table, original)
    done = nl.release(original, sensitive="ill", public=["ward", "ill"], min_posterior=2)
    done.save(out, certificate=certificate)
    assert done.sensitive_values == 3  # spellings count once
    assert nl.verify(certificate, original=original, released=out).holds
    script = tmp_path / "verifier.py"
    script.write_text(standalone_script())
    words = ["--original", str(original), "--released", str(out)]
    ran = subprocess.run([sys.executable, script, certificate, *words], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
