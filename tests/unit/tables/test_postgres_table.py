"""Tables on a real PostgreSQL: the same values, counts and audits as the same rows have on this machine."""

import datetime as dt
import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.errors import ColumnError, RequestError, SourceError
from noiseless.tables import Missing, Table, open_table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.postgres_session import PostgresAddress
from noiseless.tables.postgres_table import PostgresTable, StateWatch
from postgres import PostgresServer

pytest_plugins = ["databases"]

COLUMNS = {
    "whole": ("smallint", pa.int16()),
    "count": ("integer", pa.int32()),
    "big": ("bigint", pa.int64()),
    "short": ("real", pa.float32()),
    "size": ("double precision", pa.float64()),
    "price": ("numeric(38,10)", pa.decimal128(38, 10)),
    "free": ("numeric", pa.decimal128(30, 9)),
    "word": ('text COLLATE "without case"', pa.string()),
    "label": ("label", pa.string()),
    "padded": ("char(4)", pa.string()),
    "day": ("date", pa.date32()),
    "moment": ("timestamp", pa.timestamp("us")),
    "instant": ("timestamptz", pa.timestamp("us", "UTC")),
    "yes": ("boolean", pa.bool_()),
}
UTC = dt.UTC
words = st.sampled_from(
    ["a", "A", "ä", "Ä", "", "a b", "a,b", 'a"b', "a\nb", "\\N", "NULL", "NaN", "\\.", "💧"]
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "whole": st.sampled_from([-(2**15), 0, 1, 2**15 - 1]),
    "count": st.sampled_from([-(2**31), 0, 7]),
    "big": st.sampled_from([-(2**63), -1, 0, 2**63 - 1]),
    "short": st.sampled_from([0.1, -0.0, 0.0, math.nan, math.inf, 1e-45, 3.4028234663852886e38]).map(
        lambda x: struct.unpack("f", struct.pack("f", x))[0]
    ),
    "size": st.sampled_from(
        [0.1, 0.1 + 2**-55, -0.0, 0.0, math.nan, -math.inf, 5e-324, 1.7976931348623157e308]
    )
    | st.floats(width=64),
    "price": st.sampled_from(["0", "-0.0000000001", "1.5", "1234567890123456789012345678.0000000009"]).map(
        Decimal
    ),
    "free": st.sampled_from(["0", "1.0", "1", "1.50", "-123456789012345678901.000000009"]).map(Decimal),
    "word": words,
    "label": words,
    "padded": st.sampled_from(["", "a", "a ", " a", "A", "abcd"]),
    "day": st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)) | st.just(dt.date(1969, 12, 31)),
    "moment": st.sampled_from(
        [dt.datetime(1, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(2024, 2, 29, 1)]  # noqa: DTZ001
    ),
    "instant": st.sampled_from(
        [
            dt.datetime(2024, 2, 29, 1, tzinfo=UTC),
            dt.datetime(2024, 2, 29, 3, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            dt.datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        ]
    ),
    "yes": st.booleans(),
}
rows = st.lists(st.tuples(*(st.none() | values for values in VALUES.values())), max_size=10).flatmap(
    lambda found: (
        st.lists(st.sampled_from(found), min_size=len(found), max_size=2 * len(found))
        if found
        else st.just(found)
    )
)
chosen = st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4, unique=True)
many = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

Load = Callable[[Sequence[tuple[Any, ...]]], str]


def psycopg_url(url: str) -> str:
    return url.replace("+psycopg", "")


@pytest.fixture(scope="module")
def load(postgres: PostgresServer) -> Iterator[Load]:
    """Put rows into a table of all types, and tell where it is."""
    url = postgres.new_url()
    names = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    postgres.execute(
        url,
        'CREATE COLLATION "without case"'
        " (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
        f" CREATE DOMAIN label AS varchar(20); CREATE TABLE everything ({names})",
    )
    insert = f"INSERT INTO everything VALUES ({', '.join(['%s'] * len(COLUMNS))})"

    with psycopg.connect(psycopg_url(url), autocommit=True) as connection, connection.cursor() as cursor:

        def fill(values: Sequence[tuple[Any, ...]]) -> str:
            cursor.execute("DELETE FROM everything")
            if values:
                cursor.executemany(insert, values)
            return f"{url}::everything"

        yield fill


def here(values: Sequence[tuple[Any, ...]]) -> Table:
    """The same rows on this machine; the blanks that fill up a char(n) mean nothing."""
    columns = list(zip(*values, strict=True)) if values else [()] * len(COLUMNS)
    data = {
        name: pa.array([v.rstrip(" ") if name == "padded" and v else v for v in column], kind)
        for (name, (_, kind)), column in zip(COLUMNS.items(), columns, strict=True)
    }
    return open_table(pa.table(data))


def combinations(table: Table, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    found = table.tally(columns)
    decoded = zip(*(found.decode(c).to_pylist() for c in columns), strict=True)
    return dict(zip(decoded, found.counts.tolist(), strict=True))


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except (ColumnError, RequestError) as error:
        return type(error), str(error)


@many
@given(rows, chosen)
def test_values_and_counts_are_those_of_the_rows(
    load: Load, values: list[tuple[Any, ...]], columns: list[str]
) -> None:
    one, there = here(values), open_table(load(values))
    other = there.select(columns)
    assert there.count() == other.count() == len(values)
    assert combinations(one.select(columns), columns) == combinations(other, columns)
    assert one.select(columns).summarise() == other.summarise()
    distinct = one.distinct_rows(), there.distinct_rows()
    assert distinct[0].count() == distinct[1].count()
    assert combinations(distinct[0].select(columns), columns) == combinations(
        distinct[1].select(columns), columns
    )


@many
@given(rows.filter(bool), chosen, st.sampled_from(["value", "drop", "error"]), st.booleans())
def test_audits_are_the_same(
    load: Load, values: list[tuple[Any, ...]], columns: list[str], missing: Missing, distinct: bool
) -> None:
    def audited(table: Table) -> dict[str, Any]:
        found = nl.audit(
            table,
            sensitive=columns[0],
            public=columns[1:] or [next(name for name in COLUMNS if name != columns[0])],
            missing=missing,
            distinct_rows=distinct,
        )
        return without_places(found)

    try:
        expected: object = audited(here(values))
    except nl.NoiselessError as error:
        with pytest.raises(type(error)):
            audited(open_table(load(values)))
        return
    assert expected == audited(open_table(load(values)))


SIZES = [0.1, 0.1 + 2**-55, -0.0, 0.0, math.nan, -math.inf, 5e-324, 1.7976931348623157e308, 1 / 3]
LISTED: dict[str, list[Any]] = {
    "short": [0.1, -0.0, 0.0, math.nan, math.inf, 1e-45, 0.30000001192092896, 16777217.0],
    "size": SIZES,
    "price": [Decimal("0.1"), Decimal("0.1000000001"), Decimal("1234567890123456789012345678.0000000009")],
    "free": [Decimal("1.0"), Decimal(1), Decimal("1.000000001"), Decimal("NaN")],
    "word": ["a", "A", "ä", "Ä", "", " ", "a ", "a,b", 'a"b', "a\nb", "a\rb", "\\N", "NULL", "\\.", "💧"],
    "label": ["a", "a ", "", "A"],
    "padded": ["", " ", "a", "a ", " a", "A"],
    "moment": [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(1970, 1, 1)],  # noqa: DTZ001
}


@pytest.mark.parametrize("column", LISTED)
def test_each_value_is_itself_and_no_other(load: Load, column: str) -> None:
    place = list(COLUMNS).index(column)
    values = [
        tuple(value if i == place else None for i in range(len(COLUMNS)))
        for value in (*LISTED[column], None, *LISTED[column][::2])
    ]
    there = combinations(open_table(load(values)), [column])
    plain = [tuple(None if isinstance(v, Decimal) and v.is_nan() else v for v in row) for row in values]
    assert combinations(here(plain).select([column]), [column]) == there
    rounded = struct.unpack("f", struct.pack("f", 0.1))[0]
    assert column != "short" or (rounded,) in there


def test_a_real_table(data: Path, postgres: PostgresServer) -> None:
    path, url = data / "adult" / "adult.csv", postgres.new_url()
    table = cast("DuckDBTable", open_table(path).select(open_table(path).columns))
    kinds = {"BIGINT": "bigint", "VARCHAR": "text"}
    columns = ", ".join(f'"{name}" {kinds[kind]}' for name, kind in table.kinds.items())
    postgres.execute(url, f"CREATE TABLE adult ({columns})")
    with (
        psycopg.connect(psycopg_url(url), autocommit=True) as connection,
        connection.cursor() as cursor,
        cursor.copy("COPY adult FROM STDIN") as copy,
    ):
        for row in table.fetch("SELECT * FROM noiseless_source"):
            copy.write_row(row)
    names = table.columns
    for sensitive, public in ((names[-1], names[:3]), (names[0], [names[1], names[-2], names[-1]])):
        one, other = (nl.audit(t, sensitive=sensitive, public=public) for t in (path, f"{url}::adult"))
        assert one.rows == other.rows
        assert without_places(one) == without_places(other)


def without_places(audit: nl.Audit) -> dict[str, Any]:
    found = audit.to_dict() | {"source": ""}
    for witness in found["witnesses"]:
        witness["first_row"] = None
    return found


def test_other_types_are_compared_as_text(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    postgres.execute(
        url,
        "CREATE TABLE odd (span interval, many numeric, id uuid, body jsonb, list int[], raw bytea,"
        " tall numeric(3, -2));"
        " INSERT INTO odd VALUES ('1 month', 'Infinity', NULL, '{\"a\": 1}', '{1,2}', '\\x00ff', 1234),"
        " ('30 days', 1e60, NULL, NULL, NULL, NULL, NULL), ('30 days', 'NaN', NULL, NULL, NULL, NULL, NULL)",
    )
    table = open_table(f"{url}::odd")
    assert combinations(table, ["span"]) == {("1 mon",): 1, ("30 days",): 2}  # equal for the server
    assert combinations(table, ["many"]) == {("Infinity",): 1, ("1" + "0" * 60,): 1, (None,): 1}
    assert combinations(table, ["body", "list", "raw"])['{"a": 1}', "{1,2}", "\\x00ff"] == 1
    assert combinations(table, ["id"]) == {(None,): 3}
    assert combinations(table, ["tall"]) == {(Decimal(1200),): 1, (None,): 2}


def test_ends_of_time(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    postgres.execute(
        url,
        "CREATE TABLE ends (day date, moment timestamp, hour time);"
        " INSERT INTO ends VALUES ('infinity', 'infinity', '24:00'), ('-infinity', '-infinity', '00:00'),"
        " ('4713-01-01 BC', '4713-01-01 BC', NULL), ('5874897-12-31', '294246-12-31 23:59:59.999999', NULL)",
    )
    table = PostgresTable.open(f"{url}::ends").select(["day", "moment", "hour"])
    expected = (
        "SELECT * FROM (VALUES ('infinity'::DATE, 'infinity'::TIMESTAMP), ('-infinity', '-infinity'),"
        " ('4713-01-01 (BC)', '4713-01-01 (BC)'), ('5874897-12-31', '294246-12-31 23:59:59.999999'))"
    )
    there = table.fetch("SELECT day, moment FROM noiseless_source EXCEPT " + expected)
    assert there == []
    assert len(table.tally(["day", "moment"])) == 4
    assert len(table.tally(["hour"])) == 3
    postgres.execute(url, "INSERT INTO ends (moment) VALUES ('294276-12-31')")
    with pytest.raises(SourceError, match="beyond the year"):
        open_table(f"{url}::ends").select(["moment"])


@pytest.fixture
def people(postgres: PostgresServer) -> str:
    """A small table."""
    url = postgres.new_url()
    postgres.execute(
        url,
        'CREATE TABLE people (id int PRIMARY KEY, ward text, age int, "Shoe size" int);'
        " INSERT INTO people VALUES (1, 'a', 31, 40), (2, 'a', 31, 41), (3, 'b', 52, 40), (4, 'b', 47, 41)",
    )
    return url


def test_one_snapshot_for_all_operations(people: str, postgres: PostgresServer) -> None:
    table = open_table(f"{people}::people")
    assert isinstance(table, PostgresTable)
    postgres.execute(people, "UPDATE people SET age = 99; INSERT INTO people VALUES (5, 'c', 1, 1)")
    assert table.count() == 4
    assert combinations(table, ["age"]) == {(31,): 2, (52,): 1, (47,): 1}
    assert table.distinct_rows().count() == 4
    with pytest.raises(psycopg.errors.LockNotAvailable):  # it would empty the table within the snapshot
        postgres.execute(people, "SET lock_timeout = 50; TRUNCATE people")
    chosen = table.select(["age"])
    table.close()
    postgres.execute(people, "TRUNCATE people")
    assert chosen.count() == 4
    assert open_table(f"{people}::people").count() == 0
    with pytest.raises(SourceError, match="connection to the server is lost; open the table again"):
        table.count()


def statements(log: Path, since: int) -> list[str]:
    """What the server was told, without the words of its log."""
    text = log.read_text()[since:]
    found = re.findall(r"LOG:  (?:statement|execute [^:]*): (.*?)(?=\n\d{4}-|\Z)", text, re.DOTALL)
    return [" ".join(statement.split()) for statement in found]


def test_rows_are_grouped_in_the_server(people: str, postgres: PostgresServer, tmp_path: Path) -> None:
    log = postgres.folder / "log"
    since = len(log.read_text())
    source = people.replace("options=", "options=-clog_statement%3Dall%20") + "::people"
    nl.audit(source, sensitive="age", public="ward", missing="drop", distinct_rows=True)
    nl.audit(source, sensitive="age", public="ward", unit="id").write_records(tmp_path / "records.csv")
    table = open_table(source)
    table.summarise()
    table.count()
    table.count_missing("age")
    table.tally(["age", "ward"])
    told = [s for s in statements(log, since) if '"people"' in s]
    assert len(told) > 8
    for statement in told:
        grouped = re.search(r"\bGROUP BY\b", statement) and "count(*)" in statement
        counted = statement.startswith("SELECT count(*) FROM")
        assert grouped or counted or statement.startswith("LOCK TABLE"), statement
    (plan,) = [PostgresTable.open(source)]
    steps = " ".join(row[0] for row in plan.session.rows(f"EXPLAIN {plan.grouping(['ward', 'age'])}"))
    assert "Aggregate" in steps


def test_views_and_other_kinds_of_tables(people: str, postgres: PostgresServer) -> None:
    postgres.execute(
        people,
        "CREATE VIEW old AS SELECT ward, age FROM people WHERE age > 40;"
        " CREATE MATERIALIZED VIEW kept AS SELECT * FROM old;"
        " CREATE TABLE parted (n int) PARTITION BY RANGE (n);"
        " CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10);"
        " INSERT INTO parted VALUES (1), (1)",
    )
    assert combinations(open_table(f"{people}::old"), ["ward"]) == {("b",): 2}
    assert combinations(open_table(f"{people}::kept"), ["ward"]) == {("b",): 2}
    assert combinations(open_table(f"{people}::parted"), ["n"]) == {(1,): 2}
    assert StateWatch(f"{people}::old").now() is None  # what a view shows may depend on the clock
    assert StateWatch(f"{people}::parted").now() is not None


def test_names_of_tables(people: str, postgres: PostgresServer) -> None:
    schema = re.search(r"search_path%3D(\w+)", people)[1]  # type: ignore[index]
    postgres.execute(people, 'CREATE TABLE "Odd.Name" (n int); INSERT INTO "Odd.Name" VALUES (1)')
    for name in ("people", "PEOPLE", f"{schema}.people", f'"{schema}"."people"'):
        assert open_table(f"{people}::{name}").count() == 4
    assert open_table(f'{people}::"Odd.Name"').count() == 1
    with pytest.raises(SourceError, match=r"there is no such table; did you mean people\?"):
        open_table(f"{people}::peopel")
    with pytest.raises(SourceError, match=rf"there is no such table; the database has {schema}\."):
        open_table(f"{people}::nothing_like_it")
    with pytest.raises(ColumnError, match="did you mean 'Shoe size'"):
        open_table(f"{people}::people").select(["shoe size"])


@pytest.mark.parametrize(
    "source",
    [
        "postgresql://me:topsecret@host/db",
        "postgresql://me:topsecret@host/db::",
        "postgresql://me:top::secret@host/db",
        "postgresql://me:topsecret@host/db::a.b.c",
        "postgresql://me:topsecret@[::1]/db",
        "postgresql://me:topsecret@host:none/db?nonsense=1::t",
        "postgresql://me:topsecret@localhost:1/db?password=topsecret::t",
        "postgres://me:topsecret@localhost:1/db::t",
        "postgresql://localhost:topsecret/db::t",
    ],
)
def test_addresses_that_lead_nowhere_are_told_without_a_password(source: str) -> None:
    with pytest.raises(SourceError) as caught:
        open_table(source)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not re.search("secret", repr(caught.value.__cause__))


def test_labels() -> None:
    for source, label in {
        "postgres://me:pw@h:5433/db::t": "postgresql://me@h:5433/db::t",
        "postgresql+psycopg://h/db?password=pw::s.t": "postgresql://h/db::s.t",
        "postgresql:///db?host=/run/pg::t": "postgresql:///db::t",
        "postgresql://me:p%3A%3Aw@[::1]/db::t": "postgresql://me@::1/db::t",
    }.items():
        assert PostgresAddress.parse(source).label == label


def test_what_the_server_refuses(people: str, postgres: PostgresServer) -> None:
    base, options = people.split("?")
    with pytest.raises(SourceError, match="has no such database"):
        open_table(f"{base.replace('/postgres', '/nowhere')}?{options}::people")
    with pytest.raises(SourceError, match="knows no such user"):
        open_table(f"{people.replace('noiseless@', 'nobody:topsecret@')}::people")
    postgres.execute(people, "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN")
    schema = re.search(r"search_path%3D(\w+)", people)[1]  # type: ignore[index]
    reader = people.replace("noiseless@", "reader@") + "::people"
    postgres.execute(
        people, f"GRANT USAGE ON SCHEMA {schema} TO reader; GRANT SELECT (ward) ON people TO reader"
    )
    assert combinations(open_table(reader), ["ward"]) == {("a",): 2, ("b",): 2}
    with pytest.raises(SourceError, match=r"may not be read by this user.*GRANT SELECT"):
        open_table(reader).select(["age"])
    postgres.execute(people, "DROP OWNED BY reader; DROP ROLE reader")


def test_time_is_limited(people: str, postgres: PostgresServer) -> None:
    postgres.execute(people, "CREATE VIEW slow AS SELECT ward, pg_sleep(1)::text AS rest FROM people")
    assert PostgresTable.open(f"{people}::people").session.rows("SHOW statement_timeout") == [("1h",)]
    hasty = people.replace("options=", "options=-cstatement_timeout%3D100%20")
    with pytest.raises(SourceError, match="took too long"):
        open_table(f"{hasty}::slow").select(["rest"])
    hasty = people.replace("options=", "options=-clock_timeout%3D50%20")
    with psycopg.connect(psycopg_url(people)) as other:
        other.execute("LOCK TABLE people IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(SourceError, match="is locked by somebody"):
            open_table(f"{hasty}::people")


def test_records_and_links(people: str, postgres: PostgresServer, tmp_path: Path) -> None:
    source = f"{people}::people"
    with pytest.raises(RequestError, match="its rows have no numbers"):
        nl.audit(source, sensitive="age", public="ward").write_records(tmp_path / "records.csv")
    nl.audit(source, sensitive="age", public="ward", unit="id").write_records(tmp_path / "records.csv")
    assert (tmp_path / "records.csv").read_text().splitlines()[:2] == [
        "id,group_size,posterior_size,leaked_bits,homogeneous",
        "1,2,1,1.5849625007211563,true",
    ]
    postgres.execute(people, "CREATE TABLE later AS SELECT id, age / 10 AS decade FROM people WHERE id > 1")
    both = nl.audit([source, f"{people}::later"], sensitive="age", public=["ward", "decade"], unit="id")
    assert both.public == ("1.ward", "2.decade", "in release 2")


def test_a_change_anywhere_is_noticed(people: str, postgres: PostgresServer) -> None:
    watch = StateWatch(f"{people}::people")
    for _ in range(3):  # the server may be cleaning up in between
        table = PostgresTable.open(f"{people}::people")
        if (state := table.state) == watch.now():
            break
    assert state is not None
    assert state == watch.now()
    table.close()
    postgres.execute(people, "UPDATE people SET age = age")
    assert watch.now() not in (state, None)
    postgres.execute(people, "ALTER TABLE people RENAME TO persons")
    assert watch.now() is None
    watch.close()


def test_uncommitted_changes_are_not_seen(people: str) -> None:
    watch = StateWatch(f"{people}::people")
    with psycopg.connect(psycopg_url(people)) as other:
        other.execute("UPDATE people SET age = 0")
        table = PostgresTable.open(f"{people}::people")
        assert combinations(table, ["age"]) == {(31,): 2, (52,): 1, (47,): 1}
        before = table.state
        other.commit()
        assert watch.now() != before  # the number of transactions is the same: one fewer is running


def test_a_restart_is_survived(own_postgres: PostgresServer) -> None:
    people = own_postgres.new_url()
    own_postgres.execute(people, "CREATE TABLE people AS SELECT 31 AS age")
    watch, table = StateWatch(f"{people}::people"), open_table(f"{people}::people")
    before = watch.now()
    own_postgres.restart("fast")
    assert watch.now() not in (before, None)
    with pytest.raises(SourceError, match="connection to the server is lost"):
        table.count()


def test_names_are_for_text_files(people: str) -> None:
    with pytest.raises(RequestError, match="a database names its columns"):
        open_table(f"{people}::people", names=["a"])


def test_spellings_of_a_secret_are_one_value_as_here(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    texts = ["Flu", " flu", "cold", "7", "007", "x"]
    postgres.execute(url, "CREATE TABLE people (ill text, zip integer)")
    for number, text in enumerate(texts):
        postgres.execute(url, f"INSERT INTO people VALUES ('{text}', {number // 2})")
    found = nl.audit(f"{url}::people", sensitive="ill", public="zip")
    here = nl.audit(pa.table({"ill": texts, "zip": [0, 0, 1, 1, 2, 2]}), sensitive="ill", public="zip")
    assert found.spellings == here.spellings == {"ill": 2}
    assert found.posterior_histogram == here.posterior_histogram == ((1, 1, 2), (2, 2, 4))
