import datetime as dt
from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.arrays import IntArray
from noiseless.tables import Tally, duckdb_table, kernels, open_table, tally
from noiseless.tables import row_keys as packing
from noiseless.tables.coding import IntegerCoding
from noiseless.tables.tally import Word, split_into_words

I64 = st.integers(-(2**63), 2**63 - 1)
VALUES: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "small": (pa.int8(), st.integers(-3, 3)),
    "wide": (pa.int64(), I64),
    "middle": (pa.int64(), st.integers(-(2**40), 2**40)),
    "unsigned": (pa.uint64(), st.integers(2**64 - 5, 2**64 - 1)),
    "truth": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates(dt.date(1960, 1, 1), dt.date(1980, 1, 1))),
    "text": (pa.string(), st.sampled_from(["a", "B", "ü", "*", " "])),
    "real": (pa.float64(), st.sampled_from([0.5, -1.25, 1e300])),
    "money": (pa.decimal128(10, 2), st.decimals(-9, 9, places=2)),
    "moment": (pa.timestamp("us"), st.datetimes()),
}


@st.composite
def arrow_tables(draw: st.DrawFn) -> pa.Table:
    names = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 12))
    columns = {
        name: pa.array(
            draw(st.lists(st.none() | VALUES[name][1], min_size=rows, max_size=rows)), VALUES[name][0]
        )
        for name in names
    }
    return pa.table(columns)


def combinations(found: Tally) -> dict[tuple[Any, ...], int]:
    columns = [found.decode(name).to_pylist() for name in found.columns]
    return dict(zip(zip(*columns, strict=True), found.counts.tolist(), strict=True))


def counted(table: pa.Table, names: list[str]) -> dict[tuple[Any, ...], int]:
    return dict(Counter(tuple(row[n] for n in names) for row in table.to_pylist()))


@given(arrow_tables())
def test_tally_counts_every_combination(table: pa.Table) -> None:
    for source in (table, duckdb.from_arrow(table)):
        found = open_table(source).tally(table.column_names)
        assert combinations(found) == counted(table, table.column_names)
        assert found.total == len(table)
        assert (np.diff(found.keys) > 0).all()


@given(st.lists(st.tuples(I64, st.integers(-3, 3), st.integers(0, 2**32 - 1)), min_size=1, max_size=12))
def test_numbers_in_memory_are_counted_as_on_the_engine(rows: list[tuple[int, int, int]]) -> None:
    types = [("a", pa.int64()), ("b", pa.int8()), ("c", pa.uint32())]
    table = pa.table({n: pa.array([row[i] for row in rows], t) for i, (n, t) in enumerate(types)})
    for columns in (["a", "b", "c"], ["c", "b"], ["b"]):
        here = open_table(table).tally(columns)
        there = open_table(duckdb.from_arrow(table)).tally(columns)
        assert combinations(here) == combinations(there) == counted(table, columns)


@given(arrow_tables(), st.data())
def test_projection_is_the_tally_of_fewer_columns(table: pa.Table, data: st.DataObject) -> None:
    names = data.draw(st.permutations(table.column_names))[: data.draw(st.integers(1, table.num_columns))]
    found = open_table(table).tally(table.column_names).project(names)
    assert combinations(found) == counted(table, names)
    assert (np.diff(found.keys) > 0).all()


@given(arrow_tables())
def test_prefixes_and_the_last_column_come_apart(table: pa.Table) -> None:
    found = open_table(table).tally(table.column_names)
    starts, codes = found.split_last()
    assert codes.tolist() == found.codes(found.columns[-1]).tolist()
    assert starts[:-1].tolist() == kernels.run_starts(found.prefix(len(found.columns) - 1)).tolist()
    assert starts[-1] == len(found)
    assert set(found.prefix(0).tolist()) <= {0}


@given(arrow_tables())
def test_codes_sort_as_values_do(table: pa.Table) -> None:
    found = open_table(table).tally(table.column_names)
    for name in found.columns:
        values, codes = found.decode(name).to_pylist(), found.codes(name).tolist()
        ranked = [v for _, v in sorted({(c, v) for c, v in zip(codes, values, strict=True) if v is not None})]
        assert ranked == sorted(ranked)
        assert all((c == 0) == (v is None) for c, v in zip(codes, values, strict=True))


def test_engine_grouping_gives_the_same_as_packed_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    data = pa.table({name: rng.integers(0, 9, 500) for name in "abc"})
    packed = open_table(duckdb.from_arrow(data)).tally("abc")
    monkeypatch.setattr(duckdb_table, "ROWS_IN_MEMORY", 100)
    grouped = open_table(duckdb.from_arrow(data)).tally("abc")
    assert combinations(packed) == combinations(grouped) == counted(data, list("abc"))


ODD_TEXTS = st.sampled_from(
    ["", "'", "a'b", '"', "ü", "a", "A", " a", "a ", "\n", "%", "\\", "ENUM('x')", "\0"]
)


@given(
    st.lists(
        st.tuples(st.none() | ODD_TEXTS, st.none() | ODD_TEXTS, st.integers(0, 2)), min_size=1, max_size=15
    )
)
def test_texts_packed_as_numbers(rows: list[tuple[str | None, str | None, int]]) -> None:
    table = pa.table({n: pa.array([row[i] for row in rows]) for i, n in enumerate("abc")})
    table = table.set_column(0, "a", table["a"].cast(pa.string())).set_column(
        1, "b", table["b"].cast(pa.string())
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_MANY", 0)
        found = open_table(table).select(["a", "b", "c"]).tally(["a", "b", "c"])
    assert combinations(found) == counted(table, ["a", "b", "c"])
    assert (np.diff(found.keys) > 0).all()


def test_sorting_gives_the_same_as_counting_in_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pa.table({name: np.random.default_rng(5).integers(0, 4, 500) for name in "abc"})
    slots = open_table(data).tally("abc")
    monkeypatch.setattr(tally, "_DENSE_FACTOR", 0)
    assert combinations(open_table(data).tally("abc")) == combinations(slots)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine code that large inputs get, for small ones."""
    monkeypatch.setattr(kernels, "SMALL", 1)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_runs_of_keys(kind: type[np.signedinteger[Any]]) -> None:
    rng = np.random.default_rng(1)
    keys = np.sort(rng.integers(0, 3000, 5000)).astype(kind)
    values, first, counts = np.unique(keys, return_index=True, return_counts=True)
    found, times = kernels.distinct_keys(keys)
    assert (found.tolist(), times.tolist()) == (values.tolist(), counts.tolist())
    starts, codes = kernels.split_last(values, 7)
    groups, begins = np.unique(values // 7, return_index=True)
    assert starts.tolist() == [*begins.tolist(), len(values)]
    assert codes.tolist() == (values % 7).tolist()
    amounts = rng.integers(0, 9, 5000).astype(kind)
    assert kernels.add_by_code(keys, amounts, 3000).tolist() == np.bincount(keys, amounts, 3000).tolist()
    runs = np.append(first, len(keys))
    assert kernels.add_runs(amounts, runs).tolist() == np.add.reduceat(amounts, first).tolist()
    assert len(groups) == len(starts) - 1


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("limit", [1, 2, 2**11, 2**11 + 1, 2**31, 2**60, 2**63])
@pytest.mark.parametrize("companions", [1, 2, 3])
def test_sorting_takes_companions_along(limit: int, companions: int) -> None:
    rng = np.random.default_rng(limit % 97)
    keys = rng.integers(0, limit, 3000)
    others: list[IntArray] = [rng.integers(0, 99, 3000) for _ in range(companions)]
    others[0] = others[0].astype(np.int32)
    rows = sorted(zip(keys.tolist(), *(o.tolist() for o in others), strict=True))
    found, along = kernels.sort_together(keys.copy(), limit, [o.copy() for o in others])
    assert (np.diff(found) >= 0).all()
    assert sorted(zip(found.tolist(), *(o.tolist() for o in along), strict=True)) == rows


@pytest.mark.parametrize("small", [0, 10**6])
def test_places_by_code(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "SMALL", small)
    codes = np.random.default_rng(0).permutation(np.arange(3000) % 700)
    order, starts = kernels.order_by_code(codes, 700)
    assert order.tolist() == sorted(range(3000), key=lambda place: (codes[place], place))
    assert codes[order[starts]].tolist() == list(range(700))


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    "sizes", [(5, 2**50, 2**40), (2**30, 5, 2**60), (2**31 - 2, 3, 2), (2**20, 2**10, 2)]
)
def test_narrow_and_wide_keys_of_compiled_code(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(7)
    data = pa.table(
        {n: rng.integers(0, size, 400) // (1 + size // 9) for n, size in zip("abc", sizes, strict=True)}
    )
    far = pa.table({n: [0, size - 2] for n, size in zip("abc", sizes, strict=True)})
    whole = pa.concat_tables([data, far])
    assert combinations(open_table(whole).tally("abc")) == counted(whole, list("abc"))
    by_engine = open_table(duckdb.from_arrow(whole)).tally("abc")
    assert combinations(by_engine) == counted(whole, list("abc"))


@pytest.mark.parametrize("largest", [5, 2**40])
def test_weights_follow_their_keys_however_long_both_are(largest: int) -> None:
    random = np.random.default_rng(3)
    keys, weights = random.integers(0, 2**40, 50).repeat(2), random.integers(1, largest, 100)
    expected: dict[int, int] = {}
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        expected[key] = expected.get(key, 0) + weight
    order = random.permutation(100)
    found = Tally.from_words([Word((IntegerCoding("a", 0, 2**40, pa.int64()),), keys[order])], weights[order])
    assert dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True)) == expected


def test_words_are_as_few_as_fit() -> None:
    assert split_into_words([10, 10, 10], 100) == [[0, 1, 2]]
    assert split_into_words([2**40, 2**20, 2**20, 4], 1000) == [[0, 1], [2, 3]]
    assert split_into_words([2**62, 2**53, 2**53], 1000) is not None
    assert split_into_words([2**62, 2**60], 1000) is None
    assert split_into_words([2**64], 1) is None


def test_several_words_keep_every_column() -> None:
    rng = np.random.default_rng(3)
    codings = [IntegerCoding(name, 0, 2**30, pa.int64()) for name in "abcd"]
    columns = [rng.integers(1, 2**30, 300) for _ in "abcd"]
    columns[0][:] = columns[0][0]
    columns[1][100:] = columns[1][5]
    words = [
        Word((codings[0], codings[1]), columns[0] * 2**30 + columns[1]),
        Word((codings[2],), columns[2].copy()),
        Word((codings[3],), columns[3].copy()),
    ]
    found = Tally.from_words(words)
    rows = {tuple(int(c[i]) - 1 for c in columns) for i in range(300)}
    assert set(combinations(found)) == rows
    assert found.total == 300
