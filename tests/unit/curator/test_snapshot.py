import datetime as dt
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from noiseless.curator.snapshot import Snapshot
from noiseless.domain import Schema
from noiseless.errors import DomainError, EmptyTableError, MissingValuesError
from noiseless.questions.question import Population
from noiseless.tables import open_table

SCHEMA = Schema.parse(
    """
    [columns.kwh]
    role = "private"
    bounds = [-1, 10]
    step = 0.1
    [columns.class]
    role = "public"
    categories = [3, 1, 2]
    [columns.day]
    role = "public"
    bounds = [2024-01-01, 2024-12-31]
    [columns.solar]
    role = "private"
    type = "boolean"
    """
)
DAY = dt.date(2024, 5, 1)
TABLE = pa.table(
    {
        "class": [1, 2, 1, 3, 1],
        "kwh": [0.3, 10.0, -1.0, 0.7, 0.3],
        "day": [DAY, DAY, DAY, DAY + dt.timedelta(1), DAY],
        "solar": [True, False, True, True, True],
        "who": ["u", "v", "u", "w", "v"],
    }
)


def test_rows_become_numbers_of_their_domains_in_a_canonical_order() -> None:
    found = Snapshot.take(open_table(TABLE), SCHEMA)
    assert list(found.numbers) == ["class", "day", "kwh", "solar"]
    assert found.numbers["class"].tolist() == [0, 1, 1, 2]
    assert found.numbers["kwh"].tolist() == [17, 0, 13, 110]
    assert (found.counts.tolist(), found.rows, found.most_rows) == ([1, 1, 2, 1], 5, 1)
    assert found.population.cells == ((3, DAY + dt.timedelta(1)), (1, DAY), (2, DAY))
    assert found.population.sizes == (1, 3, 1)


@pytest.mark.parametrize("form", ["csv", "parquet", "reordered", "arrow decimals"])
def test_the_digest_does_not_depend_on_order_format_or_engine(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"table.{'parquet' if form != 'csv' else 'csv'}"
    if form == "csv":
        pc.write_csv(TABLE, path)
    elif form == "parquet":
        pq.write_table(TABLE, path)
    elif form == "reordered":
        pq.write_table(TABLE.take([3, 1, 4, 0, 2]).select(["who", "solar", "day", "kwh", "class"]), path)
    else:
        place = TABLE.column_names.index("kwh")
        decimals = TABLE["kwh"].cast(pa.decimal128(5, 1))
        pq.write_table(TABLE.set_column(place, "kwh", decimals), path)
    for unit in (None, "who"):
        expected = Snapshot.take(open_table(TABLE), SCHEMA, unit).digest(b"key", unit, 2)
        assert Snapshot.take(open_table(str(path)), SCHEMA, unit).digest(b"key", unit, 2) == expected


def test_the_digest_depends_on_every_cell_on_counts_on_persons_and_on_the_key() -> None:
    def digest(table: pa.Table, unit: str | None = None, key: bytes = b"key") -> str:
        return Snapshot.take(open_table(table), SCHEMA, unit).digest(key)

    def with_column(name: str, values: list[object]) -> pa.Table:
        return TABLE.set_column(TABLE.column_names.index(name), name, pa.array(values))

    variants = [
        digest(TABLE),
        digest(TABLE, key=b"other"),
        digest(TABLE, "who"),
        digest(with_column("who", ["u", "v", "u", "w", "u"]), "who"),
        digest(with_column("kwh", [0.3, 10.0, -1.0, 0.7, 0.4])),
        digest(pa.concat_tables([TABLE, TABLE.slice(0, 1)])),
        digest(TABLE.slice(1)),
    ]
    assert len(set(variants)) == len(variants)


def test_persons_are_counted() -> None:
    assert Snapshot.take(open_table(TABLE), SCHEMA, "who").most_rows == 2


def test_counts_are_those_of_the_slow_way() -> None:
    random = np.random.default_rng(5)
    schema = Schema.parse(
        """
        [columns.g]
        role = "public"
        categories = ["a", "b", "c"]
        [columns.x]
        role = "private"
        bounds = [0, 9]
        [columns.y]
        role = "private"
        type = "boolean"
        """
    )
    table = pa.table(
        {
            "g": random.choice(["a", "b", "c"], 200),
            "x": random.integers(0, 10, 200),
            "y": random.random(200) < 0.5,
        }
    )
    snapshot = Snapshot.take(open_table(table), schema)
    groups = table["g"].to_pylist()
    assert snapshot.population == Population(
        ("g",), (("a",), ("b",), ("c",)), tuple(map(groups.count, "abc"))
    )
    rows = list(zip(groups, table["x"].to_pylist(), strict=True))
    for cells in (None, frozenset({0}), frozenset({1, 2})):
        chosen = [x for group, x in rows if cells is None or "abc".index(group) in cells]
        expected = {number: chosen.count(number) for number in range(10)}
        found = snapshot.count(("x",), cells)
        assert found.by_number == {number: count for number, count in expected.items() if count}
        assert found.in_runs([0, 3, 7]) == [
            sum(expected[n] for n in part) for part in (range(3), range(3, 7), range(7, 10))
        ]
    both = snapshot.count(("x", "y"))
    assert int(both.counts.sum()) == 200


@pytest.mark.parametrize(
    ("column", "value", "error"),
    [
        ("kwh", 0.35, DomainError),
        ("class", 4, DomainError),
        ("kwh", None, MissingValuesError),
        ("who", None, MissingValuesError),
    ],
)
def test_what_is_not_declared_is_refused_without_showing_it(
    column: str, value: object, error: type[Exception]
) -> None:
    values = [value, *TABLE[column].to_pylist()[1:]]
    table = TABLE.set_column(TABLE.column_names.index(column), column, pa.array(values))
    with pytest.raises(error) as caught:
        Snapshot.take(open_table(table), SCHEMA, "who")
    assert str(value) not in str(caught.value).replace("missing", "")
    assert "--" not in str(caught.value)  # no option of a command mends a curator's source


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(EmptyTableError):
        Snapshot.take(open_table(TABLE.slice(0, 0)), SCHEMA)


def test_nothing_of_the_data_is_shown_by_accident() -> None:
    snapshot = Snapshot.take(open_table(TABLE), SCHEMA)
    for thing in (snapshot, snapshot.count(("kwh",))):
        assert re.fullmatch(r"<noiseless\S+ object at 0x[0-9a-f]+>", repr(thing))


def test_all_columns_with_missing_values_are_named_at_once() -> None:
    table = TABLE
    for column in ("kwh", "solar"):
        place = table.column_names.index(column)
        table = table.set_column(place, column, pa.array([None, None, *table[column].to_pylist()[2:]]))
    with pytest.raises(MissingValuesError, match=r"'kwh' has 2 missing .*; so has 'solar' \(2\)$"):
        Snapshot.take(open_table(table), SCHEMA)
