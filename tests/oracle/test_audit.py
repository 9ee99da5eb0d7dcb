"""The audit against the definitions, on every tiny table and on random ones."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.audits import Audit, audit
from oracle import definitions as oracle

Rows = Sequence[Mapping[str, Hashable]]


def frame(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist([dict(row) for row in rows])


def check(rows: Rows, found: Audit, public: list[str], sensitive: list[str], unit: str | None = None) -> None:
    assert found.rows == len(rows)
    assert found.k_anonymity == oracle.k_anonymity(rows, public, unit)
    assert found.distinct_l_diversity == oracle.distinct_l(rows, public, sensitive)
    assert found.min_posterior == oracle.min_posterior(rows, public, sensitive)
    assert found.persons_at_min_posterior == oracle.persons_at_min_posterior(rows, public, sensitive, unit)
    assert found.entropy_l_diversity == pytest.approx(
        oracle.entropy_l(rows, public, sensitive, unit), rel=1e-9
    )
    assert found.homogeneous_groups == len(oracle.homogeneous_groups(rows, public, sensitive))
    pairs = frozenset((tuple(r[c] for c in sensitive), tuple(r[c] for c in public)) for r in rows)
    assert found.pairs == len(pairs)
    assert found.sensitive_values == len(oracle.marginal_x(pairs))
    assert found.public_values == len(oracle.marginal_y(pairs))
    assert found.leakage.ratio == oracle.leakage_ratio(pairs)
    assert found.information.ratio == oracle.information_ratio(pairs)
    assert found.leakage_symmetric.ratio == oracle.symmetric_leakage_ratio(pairs)
    assert found.components == oracle.maximin_count(pairs)


def test_every_table_of_four_rows() -> None:
    for rows in itertools.islice(oracle.all_tables(4, [0, 1], ["a", "b"]), 0, None, 3):
        check(rows, audit(frame(rows), sensitive="s", public="x"), ["x"], ["s"])


tables = st.lists(
    st.fixed_dictionaries(
        {
            "x": st.integers(-1, 1),
            "z": st.sampled_from(["u", "v", "*"]),
            "s": st.integers(0, 3),
            "r": st.sampled_from(["p", "q"]),
            "a": st.booleans(),
            "id": st.integers(0, 4),
        }
    ),
    min_size=1,
    max_size=9,
)


@given(tables)
def test_random_tables(rows: list[dict[str, Any]]) -> None:
    check(rows, audit(frame(rows), sensitive="s", public=["x", "z"]), ["x", "z"], ["s"])


@given(tables)
def test_persons_instead_of_rows(rows: list[dict[str, Any]]) -> None:
    found = audit(frame(rows), sensitive="s", public=["x", "z"], unit="id")
    check(rows, found, ["x", "z"], ["s"], "id")
    assert found.persons == len({row["id"] for row in rows})


@given(tables)
def test_several_sensitive_columns(rows: list[dict[str, Any]]) -> None:
    found = audit(frame(rows), sensitive=["s", "r"], public="x")
    check(rows, found, ["x"], ["s", "r"])
    for column, exposure in found.by_column.items():
        alone = audit(frame(rows), sensitive=column, public="x")
        assert exposure.to_dict() == super(Audit, alone).to_dict()


@given(tables)
def test_t_closeness(rows: list[dict[str, Any]]) -> None:
    for column, ordered in (("s", True), ("r", False)):
        found = audit(frame(rows), sensitive=column, public=["x", "z"]).t_closeness
        assert found == oracle.t_closeness_exact(rows, ["x", "z"], column, ordered)


@given(tables)
def test_side_information(rows: list[dict[str, Any]]) -> None:
    found = audit(frame(rows), sensitive="s", public="x", given="a")
    triples = frozenset((row["s"], row["x"], row["a"]) for row in rows)
    assert found.leakage.ratio == oracle.leakage_given_ratio(triples)
    assert found.components == oracle.conditional_maximin_count(triples)
    side = found.side_information
    assert side is not None
    assert side.leakage_without.ratio == oracle.leakage_ratio(frozenset((s, x) for s, x, _ in triples))
    assert side.leakage_alone.ratio == oracle.leakage_ratio(frozenset((s, a) for s, _, a in triples))
    assert side.leakage_total.ratio == oracle.leakage_ratio(frozenset((s, (x, a)) for s, x, a in triples))


@given(tables)
def test_contributions(rows: list[dict[str, Any]]) -> None:
    found = {c.column: c for c in audit(frame(rows), sensitive="s", public=["x", "z"]).contributions}
    for column, other in (("x", "z"), ("z", "x")):
        alone = frozenset((row["s"], row[column]) for row in rows)
        without = frozenset((row["s"], row[other]) for row in rows)
        assert found[column].leakage_alone.ratio == oracle.leakage_ratio(alone)
        assert found[column].leakage_without.ratio == oracle.leakage_ratio(without)
        assert found[column].k_without == oracle.k_anonymity(rows, [other])
        assert found[column].min_posterior_without == oracle.min_posterior(rows, [other], ["s"])


def releases() -> st.SearchStrategy[list[list[dict[str, Any]]]]:
    first = st.fixed_dictionaries({"id": st.integers(0, 3), "x": st.integers(0, 1), "s": st.integers(0, 2)})
    second = st.fixed_dictionaries({"id": st.integers(0, 3), "x": st.integers(0, 2), "s": st.integers(0, 2)})
    return st.tuples(st.lists(first, min_size=1, max_size=5), st.lists(second, min_size=1, max_size=5)).map(
        list
    )


@given(releases())
def test_several_releases_are_judged_by_their_joint_range(tables: list[list[dict[str, Any]]]) -> None:
    assume({row["id"] for row in tables[0]} & {row["id"] for row in tables[1]})
    rows = oracle.joint_release_rows(tables, "id", ["s"], ["x"])
    marked = [
        {**row, **{f"{i}.present": any(r["id"] == row["id"] for r in t) for i, t in enumerate(tables, 1)}}
        for row in rows
    ]
    found = audit([frame(t) for t in tables], sensitive="s", public="x", unit="id")
    public = [c for c in marked[0] if c.endswith((".x", ".present"))]
    check(marked, found, public, ["s"], "id")
