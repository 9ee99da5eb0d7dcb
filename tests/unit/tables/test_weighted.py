import csv
import datetime as dt
import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.domain import Schema
from noiseless.errors import ColumnError, DomainError, MissingValuesError, RequestError, SourceError
from noiseless.questions import Continuum
from noiseless.tables import Table, open_table
from noiseless.tables.duckdb_table import COUNT, DuckDBTable, at_hand, weighted_table

KINDS = {
    "whole": pa.int32(),
    "size": pa.float64(),
    "price": pa.decimal128(38, 10),
    "text": pa.string(),
    "day": pa.date32(),
    "yes": pa.bool_(),
}
SCHEMA = Schema.parse(
    """
    [columns.whole]
    role = "private"
    bounds = [0, 4]
    missing = 0
    [columns.size]
    role = "public"
    bounds = [0, 10]
    step = 0.5
    [columns.text]
    role = "public"
    categories = ["a", "b"]
    """
)
rows = st.lists(
    st.tuples(
        st.none() | st.integers(-1, 5),
        st.none() | st.sampled_from([0.0, -0.0, math.nan, 0.5, 0.1, 1e300, math.inf]),
        st.none() | st.sampled_from([Decimal("0.1"), Decimal("12345678901234567890123456.0000000001")]),
        st.none() | st.sampled_from(["a", "A", "", "b", " b", "ä"]),
        st.none() | st.sampled_from([dt.date(1969, 12, 31), dt.date(2024, 2, 29)]),
        st.none() | st.booleans(),
    ),
    max_size=12,
)


def as_table(values: Sequence[tuple[Any, ...]]) -> pa.Table:
    columns = zip(*values, strict=True) if values else [()] * len(KINDS)
    return pa.table({n: pa.array(c, k) for (n, k), c in zip(KINDS.items(), columns, strict=True)})


class Grouped(Table):
    """A server of its own: it groups what is in memory."""

    label = "there"

    def __init__(self, values: Sequence[tuple[Any, ...]], *, distinct: bool = False) -> None:
        self.values = values
        self.distinct = distinct

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(KINDS)

    def count(self) -> int:
        return len(self.values)

    def distinct_rows(self) -> Self:
        return type(self)(self.values, distinct=True)

    def select(self, columns: Sequence[str]) -> DuckDBTable:
        self.require_plain(*columns)
        places = [self.columns.index(name) for name in columns]
        counted = Counter(tuple(map(repr, row)) for row in self.values)
        lines = list({tuple(map(repr, row)): row for row in self.values}.values())
        counts = [1 if self.distinct else counted[tuple(map(repr, row))] for row in lines]
        arrays = [pa.array([row[p] for row in lines], KINDS[n]) for p, n in zip(places, columns, strict=True)]
        data = pa.table([*arrays, pa.array(counts, pa.int64())], [*columns, COUNT])
        return weighted_table(data, self.label).select(columns)


def here(values: Sequence[tuple[Any, ...]]) -> Table:
    return open_table(as_table(values))


def combinations(table: Table, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    found = table.tally(columns)
    decoded = zip(*(found.decode(c).to_pylist() for c in columns), strict=True)
    return dict(zip(decoded, found.counts.tolist(), strict=True))


def lines(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except (ColumnError, RequestError) as error:
        return type(error), str(error)


@given(rows, st.permutations(list(KINDS)).flatmap(lambda n: st.integers(1, len(n)).map(lambda k: n[:k])))
def test_groups_count_as_their_rows_do(values: list[tuple[Any, ...]], columns: list[str]) -> None:
    one, other = here(values).select(columns), Grouped(values).select(columns)
    assert other.columns == tuple(columns)
    assert other.count() == len(values)
    assert combinations(one, columns) == combinations(other, columns)
    assert combinations(one, columns[:1]) == combinations(other, columns[:1])
    assert [one.count_missing(c) for c in columns] == [other.count_missing(c) for c in columns]
    assert one.summarise() == other.summarise()
    dropped = one.with_missing(columns, "drop"), other.with_missing(columns, "drop")
    assert dropped[0].count() == dropped[1].count()
    assert outcome(lambda: one.with_missing(columns, "error").count()) == outcome(
        lambda: other.with_missing(columns, "error").count()
    )


@given(rows, st.booleans())
def test_domains_are_checked_alike(values: list[tuple[Any, ...]], clamp: bool) -> None:
    columns = list(SCHEMA.columns)
    one, other = here(values).select(columns), Grouped(values).select(columns)
    assert one.strangers(SCHEMA, columns) == other.strangers(SCHEMA, columns)
    assert Grouped(values).strangers(SCHEMA, columns) == other.strangers(SCHEMA, columns)
    assert outcome(lambda: combinations(one.conform(SCHEMA, columns, clamp=clamp), columns)) == outcome(
        lambda: combinations(other.conform(SCHEMA, columns, clamp=clamp), columns)
    )


@given(rows.filter(bool), st.booleans())
def test_audits_are_the_same(values: list[tuple[Any, ...]], distinct: bool) -> None:
    def audited(table: Table) -> dict[str, Any]:
        found = nl.audit(table, sensitive="whole", public=["size", "text"], distinct_rows=distinct)
        return found.to_dict() | {"source": ""}

    def shown(table: Table) -> object:
        found = outcome(lambda: audited(table))
        if isinstance(found, dict):
            for witness in found["witnesses"]:
                witness["first_row"] = None
        return found

    assert shown(here(values)) == shown(Grouped(values))


def test_duplicates_of_whole_rows_are_dropped_before_columns_are_chosen() -> None:
    values = [
        (1, None, None, "a", None, True),
        (1, None, None, "a", None, True),
        (1, None, None, "a", None, False),
    ]
    assert Grouped(values).distinct_rows().select(["whole"]).count() == 2
    assert Grouped(values).select(["whole"]).distinct_rows().count() == 1


def test_nothing_is_located() -> None:
    assert Grouped([]).locate({"whole": pa.array([1, 2])}) == [None, None]


def test_records_are_written_beside_what_tells_them_apart(tmp_path: Path) -> None:
    values = [
        (2, 1.0, None, "a", None, True),
        (1, 2.0, None, "b", None, True),
        (1, 2.0, None, "b", None, True),
    ]
    marks = pa.table({"text": ["a", "b"], "group_size": [1, 2]})
    out = tmp_path / "records.csv"
    assert Grouped(values).annotate(["text"], marks, out, keep=["whole"]) == 3
    assert lines(out) == [["whole", "group_size"], ["1", "2"], ["1", "2"], ["2", "1"]]
    Grouped([*values, (3, None, None, "a", None, None)]).annotate(
        ["text"], marks, out, keep=["whole"], present=["size"]
    )
    assert lines(out)[-1] == ["3", ""]


def test_records_without_a_name_are_refused(tmp_path: Path) -> None:
    values = [(2, 1.0, None, "a", None, True)]
    marks = pa.table({"text": ["a"], "group_size": [1]})
    with pytest.raises(RequestError, match=r"there: its rows have no numbers; name .* \(--unit COLUMN\)"):
        Grouped(values).annotate(["text"], marks, tmp_path / "records.csv")
    with pytest.raises(RequestError, match="change the ending"):
        Grouped(values).annotate(["text"], marks, tmp_path / "records.txt", keep=["whole"])
    assert not list(tmp_path.iterdir())


RELEASES = [
    [(1, 0.5, None, "a", None, True), (1, 0.5, None, "a", None, True), (2, 1.0, None, "b", None, False)],
    [(1, 1.5, None, "a", None, True), (3, 1.5, None, "b", None, False)],
]


def test_releases_are_linked() -> None:
    def audited(tables: list[Table]) -> dict[str, Any]:
        found = nl.audit(tables, sensitive="text", public=["size", "yes"], unit="whole")
        return found.to_dict() | {"source": ""}

    local, remote = [here(v) for v in RELEASES], [Grouped(v) for v in RELEASES]
    assert audited(local) == audited([*remote]) == audited([remote[0], local[1]])
    joined, public = remote[0].link([remote[1]], "whole", ["text"], ["size"])
    assert joined.count() == 4
    assert public == ("1.size", "2.size", "in release 1", "in release 2")
    assert remote[0].select(["whole", "size"]).link([remote[1]], "whole", [], ["size"])[0].count() == 4


def test_what_needs_rows_says_so() -> None:
    table = Grouped(RELEASES[0])
    words = r"there: this needs the rows one by one.*Parquet"
    for each in (table, table.select(["whole"])):
        with pytest.raises(RequestError, match=words):
            at_hand(each)
        with pytest.raises(RequestError, match=words):
            nl.blur(each, "whole >= 2", max_change=1, bounds={"whole": (0, 5)})
        with pytest.raises(RequestError, match=words):
            nl.quantize(each, LocalQuantizer.finest(Continuum.of(0, 5), 2, "whole"))


def test_names_are_checked() -> None:
    with pytest.raises(SourceError, match="upper and lower case"):
        weighted_table(pa.table({"a": [1], "A": [1], COUNT: [1]}), "there")
    table = weighted_table(pa.table({"noiseless_x": [1], COUNT: [1]}), "there")
    with pytest.raises(ColumnError, match="kept for the package"):
        table.select(["noiseless_x"])
    with pytest.raises(ColumnError, match="not in the table"):
        table.select([COUNT])
    assert repr(table) == "DuckDBTable('there', 1 columns)"


def test_counts_of_errors_are_those_of_rows() -> None:
    values = [(7, None, None, "a", None, None)] * 3
    with pytest.raises(DomainError, match="3 values are outside"):
        Grouped(values).conform(SCHEMA, ["whole"])
    with pytest.raises(MissingValuesError, match="3 missing values"):
        Grouped(values).with_missing(["size"], "error")
