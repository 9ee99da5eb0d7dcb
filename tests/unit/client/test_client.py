"""What a client gives its user, from replies as servers write them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_servers import SESSION, TOKEN, FakeServer, Say, Seen, fake, number, reply, statement
from noiseless.client import BadReply, Quote, Reply, connect
from noiseless.client.datasets import read_dataset, read_datasets, read_session
from noiseless.client.frames import read_sample
from noiseless.client.json_objects import JsonObject, read_object
from noiseless.client.replies import read_batch, read_reply
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.replies import shown

Budget = int | Fraction | Decimal | Bits
SQL = "SELECT AVG(kwh) FROM meters"
STANDING = {"spent": 1.6, "spent_exact": "log2(3)", "remaining": 4.4, "remaining_outputs": "21"}
LINE = {"name": "meters", "rows": 1234, "version": 2, "budget": 6.0, "budget_exact": "6", **STANDING}
DATASET: dict[str, Any] = {
    **LINE,
    "digest": "5a1e",
    "unit": "household",
    "max_rows": 48,
    "columns": [
        {"name": "suburb", "role": "public", "kind": "category", "size": 2, "describe": "2 categories"}
        | {"missing": None, "categories": ["north", 7]},
        {"name": "kwh", "role": "private", "kind": "number", "size": 101, "describe": "0..10"}
        | {
            "missing": 0.1,
            "bounds": [0, 10],
            "bounds_exact": ["0", "10.0"],
            "step": 0.1,
            "step_exact": "0.1",
        },
        {"name": "born", "role": "private", "kind": "date", "size": 9, "describe": "days"}
        | {"bounds_exact": ["1900-01-01", "1900-01-09"], "step_exact": "1"},
    ],
    "budget": {"bits": 6.0, "bits_exact": "6", "query_bits_exact": "79/50", "analyst_bits_exact": "log2(3)"}
    | {"min_group": 5},
    "analyst_spent": 1.0,
    "analyst_spent_exact": "1",
    "warnings": ["beware"],
}
GROUPED = [
    {"name": "suburb", "group": True, "bits": 0.0, "bits_exact": "0", "free": True},
    {"name": "most", "group": False, "bits": 1.0, "bits_exact": "1", "free": False},
    {"name": "n", "group": False, "bits": 0.0, "bits_exact": "0", "free": True},
]
ROWS = [
    number("151/20", "51/10", "10", column="most", group={"suburb": "north"}),
    number("4", "4", "4", column="n", group={"suburb": "north"}),
    number(None, None, None, column="most", group={"suburb": "south"}),
    number("5", "5", "5", column="n", group={"suburb": "south"}, may_be_missing=True),
]
BATCH = {
    "time": "2026-11-15T15:24:43.000001Z",
    "analyst": "ann",
    "version": 2,
    "sql": [SQL],
    "charge": 3,
    "bits": 1.0,
    "bits_exact": "1",
    "answers": [statement(number("3/2", "1", "2"))],
}


def members(value: object) -> JsonObject:
    """A value as it comes over the wire."""
    return read_object(json.dumps(value, default=float).encode())


def pages(seen: Seen) -> Say | None:
    """A server with one dataset."""
    if seen.method == "POST":
        rows = [] if seen.body["dry_run"] else ROWS
        return Say(reply(statement(*rows, columns=GROUPED), allowed=False if seen.body["dry_run"] else None))
    path, _, query = seen.path.removeprefix("/v1/datasets").partition("?")
    if path == "/meters/history":
        return Say({"batches": [BATCH] * 2, "next": None if "before" in query else "then"})
    found = {
        "": {"datasets": [LINE, {**LINE, "name": "heart", "budget_exact": None, "remaining": None}]},
        "/meters": DATASET,
        "/meters/sample": {"rows": [{"kwh": 0.1, "solar": True}, {"kwh": 1, "solar": False}], "seed": 3},
    }
    return Say(found[path]) if path in found else None


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake(pages) as found:
        yield found


def test_a_quote_is_shown_with_its_price(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        quote = client.price(SQL)
    assert type(quote) is Quote
    assert quote.batch_bits == Bits(2) == 1
    assert repr(quote) == (
        "the batch would cost too much: 1.00 bits (reach); 1.00 bits are spent, 5.00 bits are left\n"
        f"  most: 1.00 bits  {SQL}\n"
        f"  n: free  {SQL}"
    )
    assert ">n</td>" in quote._repr_html_()
    assert ">free</td>" in quote._repr_html_()
    assert [(answer.column, answer.value, answer.free) for answer in quote.answers] == [
        ("most", None, False),
        ("n", None, True),
    ]


def test_a_reply_is_shown_and_exact(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        found = client.ask(SQL)
    assert repr(found).splitlines() == [
        "the answers cost 1.00 bits (reach); 1.00 bits are spent, 5.00 bits are left",
        "  suburb  most       n",
        "  north   5.1 to 10  4",
        "  south   none       5, or none",
    ]
    assert found.answers[0].lower == Fraction(51, 10)
    assert found.answers[0].value == Fraction(151, 20)
    assert found.remaining_outputs == 32
    assert ">5.1 to 10</td>" in found._repr_html_()


def test_frames_are_those_of_the_curator(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        found = client.ask(SQL)
    table = found.to_arrow()
    assert table.column_names == ["suburb", "most", "most_lower", "most_upper", "n", "n_lower", "n_upper"]
    assert table.to_pylist()[1] == {
        "suburb": "south",
        "most": None,
        "most_lower": None,
        "most_upper": None,
        "n": 5.0,
        "n_lower": 5.0,
        "n_upper": 5.0,
    }
    assert found.to_pandas()["most_lower"][0] == 5.1
    assert found.to_polars().shape == (2, 7)
    assert found.results[0].to_pandas().shape == (2, 7)


def test_several_statements_are_one_frame_of_answers() -> None:
    several = reply(statement(*ROWS, columns=GROUPED), statement(number("3/2", "1", "2")))
    found = read_reply(members(several), Reply)
    table = found.to_arrow()
    names = ["sql", "column", "suburb", "value", "lower", "upper", "bits", "free"]
    assert (table.column_names, table.num_rows) == (names, 5)
    assert table.column("suburb").to_pylist() == ["north", "north", "south", "south", None]
    assert table.column("free").to_pylist() == [False, True, False, True, False]


def test_infinite_ends_are_infinite() -> None:
    row = number("1", "1", "1") | {"lower": "-inf", "lower_exact": None, "value": None, "value_exact": None}
    answer = read_reply(members(reply(statement(row))), Reply).answers[0]
    assert (answer.value, answer.lower, answer.upper) == (None, float("-inf"), 1)
    assert shown(answer.interval) == "-inf to 1"


def test_datasets_are_listed(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        found = client.datasets()
    assert repr(found) == (
        "2 datasets; budgets in bits\n"
        "  name    rows   version  budget  spent  remaining\n"
        "  meters  1,234  2        6.00    1.59   4.40\n"
        "  heart   1,234  2        none    1.59   none"
    )
    assert (found[0].spent.bits, found[0].budget, found[1].budget) == (Bits(3), Fraction(6), None)
    assert [line.name for line in found[0:2]] == [line.name for line in found] == ["meters", "heart"]
    assert found.to_pandas()["budget"][0] == 6
    assert ">1,234</td>" in found._repr_html_()


def test_a_dataset_is_described(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        found = client.dataset()
    assert found == read_dataset(members(DATASET))
    suburb, kwh, born = found.columns
    assert (kwh.bounds, kwh.step, kwh.missing) == ((Decimal(0), Decimal(10)), Decimal("0.1"), Decimal("0.1"))
    assert (born.bounds, suburb.categories) == ((date(1900, 1, 1), date(1900, 1, 9)), ("north", 7))
    assert (found.query_budget, found.analyst_budget, found.min_group) == (Fraction(79, 50), Bits(3), 5)
    assert (
        repr(found).splitlines()[0]
        == "meters, version 2: 1,234 rows; 1.59 bits are spent, 4.40 bits are left"
    )
    assert "2 categories, public: 'north', 7\n" in repr(found)
    many = replace(suburb, categories=tuple(f"s{place}" for place in range(15)))
    assert "'s11', and 3 more\n" in repr(replace(found, columns=(many,)))
    assert "a person, with at most 48 rows" in repr(found)
    assert repr(found).endswith("beware")
    assert ">suburb</th>" in found._repr_html_()


def test_a_sample_is_a_frame(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        found = client.sample(rows=2, seed=3)
    assert server.seen[-1].path == "/v1/datasets/meters/sample?rows=2&seed=3"
    assert found[0] == {"kwh": Decimal("0.1"), "solar": True}
    assert found.to_arrow().to_pydict() == {"kwh": [0.1, 1.0], "solar": [True, False]}
    assert repr(found).splitlines()[:2] == [
        "2 synthetic rows of the declared domain (seed 3)",
        "  kwh  solar",
    ]


def test_the_history_is_read_page_by_page(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        assert len(client.history(limit=3)) == 3
        asked = [seen.path.partition("?")[2] for seen in server.asked()]
        assert asked == ["limit=3", "limit=1&before=then"]
        found = client.history()
    assert len(found) == 4
    assert found[0].results is not None
    assert found[0].results[0].answers[0].value == Fraction(3, 2)
    assert "2026-11-15 15:24:43  ann      1.00" in repr(found)
    assert found.to_pandas().shape == (4, 4)


def test_an_empty_list_is_shown(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        found = client.history(limit=0)
    assert repr(found) == "0 batches, the latest first"
    assert found._repr_html_() == "<p><b>0 batches, the latest first</b></p>"
    assert found.to_arrow().num_rows == 0


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "the token is for no dataset; ask its owner"),
        (["meters", "heart"], r"write client\['meters'\]\.ask\(\.\.\.\): 'meters', 'heart'"),
        ([f"d{number}" for number in range(20)], "'d7', ...$"),
    ],
)
def test_a_token_for_several_datasets_needs_a_name(names: list[str], said: str) -> None:
    def script(seen: Seen) -> Say | None:
        return Say(SESSION | {"datasets": names}) if seen.path == "/v1/session" else pages(seen)

    with fake(script) as server, connect(server.url, TOKEN) as client:
        for ask in (client.ask, client.price):
            with pytest.raises(RequestError, match=said):
                ask(SQL)
        with pytest.raises(RequestError, match=said):
            client.dataset()
        assert client["meters"].ask(SQL).spent.outputs == 2
        assert client.dataset("meters").name == "meters"


def test_mistakes_are_told_before_anything_is_sent(server: FakeServer) -> None:
    wrong: Any
    with connect(server.url, TOKEN) as client:
        with pytest.raises(RequestError, match="there is no statement"):
            client.ask()
        wrong = [SQL]
        with pytest.raises(RequestError, match=r"write ask\(\*statements\)"):
            client.ask(wrong)
        with pytest.raises(TypeError, match="a dataset has a name"):
            list(client)  # type: ignore[call-overload]
        for wrong in (1.5, "7", True, Fraction(1, 3), Bits(Fraction(1, 2))):
            with pytest.raises(RequestError):
                client["meters"].change_budget(wrong, "why")
        assert server.asked() == []
    for name in ("timeout", "patience", "max_bytes"):
        wrong = {name: 0}
        with pytest.raises(RequestError, match="are more than 0"):
            connect(server.url, TOKEN, **wrong)


@pytest.mark.parametrize(
    ("bits", "said"),
    [
        (7, "7"),
        (Decimal("1.58"), "1.58"),
        (Fraction(79, 50), "1.58"),
        (Bits(3), "reach 3"),
        (Decimal("1e1"), "10"),
    ],
)
def test_budgets_are_sent_exactly(bits: Budget, said: str, server: FakeServer) -> None:
    server.script = lambda seen: Say({}) if seen.path.endswith("/budget") else pages(seen)
    with connect(server.url, TOKEN) as client:
        assert client["meters"].change_budget(bits, "more").name == "meters"
    assert server.asked()[0].body == {"bits": said, "reason": "more"}


def test_the_client_says_who_it_is(server: FakeServer) -> None:
    with connect(server.url, TOKEN) as client:
        assert repr(client) == f"<analyst 'ann' at {server.url}; datasets: meters>"
        assert repr(client["heart"]) == f"<'heart' at {server.url}>"


# Replies that are not what they should be

GOOD: list[tuple[Any, Any]] = [
    (reply(statement(*ROWS, columns=GROUPED)), lambda found: read_reply(found, Reply)),
    (DATASET, read_dataset),
    ({"datasets": [LINE]}, read_datasets),
    (SESSION, read_session),
    (BATCH, read_batch),
    ({"rows": [{"kwh": 1}], "seed": 1}, read_sample),
]
ODD = st.sampled_from([None, True, -1, 10**40, Decimal("0.5"), "", "1/0", "inf", "x", [], [1], {}, {"a": 1}])


@given(st.sampled_from(GOOD), ODD, st.lists(st.integers(0, 50), min_size=1, max_size=6))
def test_whatever_a_member_is_there_is_a_reply_or_one_kind_of_error(
    good: tuple[Any, Any], odd: object, way: list[int]
) -> None:
    value, read = good
    changed = _changed(value, odd, way)
    if not isinstance(changed, dict):
        return
    try:
        found = read(members(changed))
    except BadReply:
        return
    repr(found)
    if hasattr(found, "_repr_html_"):
        found._repr_html_()


def _changed(value: object, odd: object, way: list[int]) -> object:
    """The value with one part of it replaced."""
    if not way or not value or not isinstance(value, list | dict):
        return odd
    if isinstance(value, list):
        place = way[0] % len(value)
        return [*value[:place], _changed(value[place], odd, way[1:]), *value[place + 1 :]]
    name = list(value)[way[0] % len(value)]
    return {**value, name: _changed(value[name], odd, way[1:])}


@pytest.mark.parametrize(
    "row",
    [
        number("3", "1", "2"),
        number("1", "2", "1"),
        number("1", "1", "1") | {"lower": None, "lower_exact": None},
        number("1", None, None),
        number("1", "1", "1") | {"column": "other"},
        number("1", "1", "1") | {"group": {"suburb": "north"}},
        number("1", "1", "1") | {"group": {"suburb": []}},
        number(None, "1", "1") | {"lower": "inf", "lower_exact": None},
    ],
)
def test_intervals_that_are_none_are_told(row: dict[str, Any]) -> None:
    with pytest.raises(BadReply):
        read_reply(members(reply(statement(row))), Reply)


def test_rows_that_do_not_fit_their_columns_are_told() -> None:
    for rows in (ROWS[:3], [ROWS[0], ROWS[3]]):
        with pytest.raises(BadReply, match="rows that do not fit"):
            read_reply(members(reply(statement(*rows, columns=GROUPED))), Reply)
    with pytest.raises(BadReply, match="rows that do not fit"):
        read_reply(members(reply(statement(ROWS[0], columns=GROUPED[:1]))), Reply)


def test_numbers_do_not_pass_through_floats() -> None:
    found = read_object(b'{"a": 0.1, "b_exact": "1/3", "c": 123456789012345678901234567890}')
    assert found.values["a"] == Decimal("0.1")
    assert found.fraction_or_none("b_exact") == Fraction(1, 3)
    assert found.whole("c") == 123456789012345678901234567890


def test_exact_numbers_that_are_too_long_are_read_as_they_were_rounded() -> None:
    row = number("5/4", "1/2", "2") | {"value_exact": None, "lower_exact": None}
    with fake(lambda seen: Say(SESSION if seen.path == "/v1/session" else reply(statement(row)))) as server:
        (answer,) = connect(server.url, TOKEN).ask("SELECT AVG(kwh) FROM meters").answers
    assert (answer.value, answer.lower, answer.upper) == (Fraction(5, 4), Fraction(1, 2), Fraction(2))
