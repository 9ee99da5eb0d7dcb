"""IAC-MDSF of [50] of [P3] against its definition: entropies of the partitions themselves, all subsets."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.search.merging.subsets import MergeChange, submodular_agglomeration

TABLES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(1, 4)), min_size=2, max_size=9
).map(lambda rows: {(s, x): n for s, x, n in rows})


def information(pairs: dict[tuple[object, object], float]) -> float:
    """I(A;B) in bits, from its formula."""
    total, of_a, of_b = sum(pairs.values()), dict[object, float](), dict[object, float]()
    for (a, b), n in pairs.items():
        of_a[a], of_b[b] = of_a.get(a, 0) + n, of_b.get(b, 0) + n
    return math.fsum(
        n / total * math.log2(n * total / (of_a[a] * of_b[b])) for (a, b), n in pairs.items() if n
    )


def lagrangian(table: dict[tuple[int, int], int], cell_of: dict[int, int], weight: float) -> float:
    """I(S;Xh) - weight I(X;Xh) of a partition."""
    secrets, values = dict[tuple[object, object], float](), dict[tuple[object, object], float]()
    for (s, x), n in table.items():
        secrets[s, cell_of[x]] = secrets.get((s, cell_of[x]), 0) + n
        values[x, cell_of[x]] = values.get((x, cell_of[x]), 0) + n
    return information(secrets) - weight * information(values)


@given(table=TABLES, weight=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@settings(deadline=None)
def test_what_a_merge_changes_is_the_difference_of_the_lagrangians(
    table: dict[tuple[int, int], int], weight: float
) -> None:
    values = sorted({x for _, x in table})
    shares = np.zeros((len(values), 3))
    for (s, x), n in table.items():
        shares[values.index(x), s] = n / sum(table.values())
    change, alone = MergeChange(shares, 1 - weight), dict(zip(values, range(len(values)), strict=True))
    before, least = lagrangian(table, alone, weight), math.inf
    for size in range(2, len(values) + 1):
        for subset in combinations(range(len(values)), size):
            chosen = np.isin(np.arange(len(values)), subset)
            merged = {x: subset[0] if at in subset else at for x, at in alone.items()}
            assert change.of(chosen) == pytest.approx(lagrangian(table, merged, weight) - before, abs=1e-9)
            if size == 2:
                least = min(least, change.of(chosen))
    if len(values) > 1:  # the subset that is merged is at least as good as every pair
        assert change.best_subset().sum() > 1
        assert change.of(change.best_subset()) <= least + 1e-9


@given(table=TABLES, weight=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@settings(deadline=None)
def test_it_lowers_the_lagrangian_until_no_pair_does(
    table: dict[tuple[int, int], int], weight: float
) -> None:
    order = sorted(table, key=lambda pair: (pair[1], pair[0]))
    joint = nl.JointRange.from_pairs(order)
    of_x, of_y = joint.x_labels or (), joint.y_labels or ()
    counts = [table[of_x[s], of_y[x]] for s, x in zip(joint.x, joint.y, strict=True)]
    cells = submodular_agglomeration(joint, weight, counts)
    cell_of = {x: int(cell) for x, cell in zip(of_y, cells.cell_of, strict=True)}
    ended = lagrangian(table, cell_of, weight)
    assert ended <= lagrangian(table, {x: x for x in cell_of}, weight) + 1e-9
    for one, two in combinations(range(cells.count), 2):
        joined = {x: one if cell == two else cell for x, cell in cell_of.items()}
        assert lagrangian(table, joined, weight) >= ended - 1e-9


def test_a_subset_of_three_is_merged_at_once() -> None:
    """Three values that only together say nothing: after one merge there is one cell."""
    joint = nl.JointRange.from_pairs([("a", 0), ("b", 1), ("c", 2)])
    change = MergeChange(np.eye(3) / 3, 1.0)
    assert change.best_subset().tolist() == [True, True, True]
    assert submodular_agglomeration(joint, 0).count == 1


def test_weights_and_sizes_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = nl.JointRange.from_pairs([("a", 0), ("b", 1)])
    with pytest.raises(RequestError, match="not negative"):
        submodular_agglomeration(joint, -1)
    monkeypatch.setattr("noiseless.search.merging.subsets.MOST_ENTRIES", 1)
    with pytest.raises(RequestError, match="too many values"):
        submodular_agglomeration(joint, 0.5)
