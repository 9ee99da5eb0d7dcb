"""Asking over HTTP: prices, answers, repeats, refusals."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from curator_examples import ROWS, write_curator
from noiseless.curator import Curator
from server_examples import QUERIES, TOTAL, Example, bearer, code, example

GROUPED = "SELECT suburb, AVG(kwh) AS a, MAX(kwh) FROM meters GROUP BY suburb"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    """A server for requests that change nothing."""
    with example(tmp_path_factory.mktemp("untouched")) as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Example]:
    with example(tmp_path) as found:
        yield found


def test_an_answer_is_what_the_curator_says(server: Example) -> None:
    reply = server.analyst.ask(TOTAL).json()
    with Curator.open(server.curator) as curator:
        own = curator.ask(TOTAL).to_dict()
    (answer,), (expected,) = reply["answers"], own["answers"]
    for key in ("value", "lower", "upper", "value_exact", "lower_exact", "upper_exact"):
        assert answer["rows"][0][key] == expected[key]
    assert (answer["value"], answer["sql"], answer["bits"], answer["free"]) == (
        expected["value"],
        TOTAL,
        1,
        False,
    )
    assert (reply["batch_bits"], reply["spent"], reply["remaining"], reply["dry_run"]) == (1, 1, 5, False)
    assert reply["spent_exact"] == "1"
    assert reply["remaining_outputs"] == "32"


def test_a_repeat_is_free_and_the_same(server: Example) -> None:
    first = server.analyst.ask(TOTAL).json()
    for _ in range(3):  # computed, remembered, from memory
        again = server.analyst.ask(TOTAL).json()
        assert again["answers"][0]["rows"] == first["answers"][0]["rows"]
        assert (again["batch_bits"], again["answers"][0]["free"], again["spent"]) == (0, True, 1)


def test_a_remembered_repeat_shows_what_is_spent_now(server: Example) -> None:
    for _ in range(3):
        server.analyst.ask(TOTAL)
    server.analyst.ask("SELECT MAX(kwh) FROM meters")
    remembered = server.analyst.ask(TOTAL).json()
    with Curator.open(server.curator) as curator:
        own = curator.ask(TOTAL).to_dict()
    for key in ("batch_bits", "rule", "spent", "remaining", "warnings"):
        assert remembered[key] == own[key]


def test_groups_and_several_columns_have_a_row_a_number(server: Example) -> None:
    (answer,) = server.analyst.ask(GROUPED).json()["answers"]
    assert [column["name"] for column in answer["columns"]] == ["suburb", "a", "MAX(kwh)"]
    assert [column["group"] for column in answer["columns"]] == [True, False, False]
    assert [column["bits_exact"] for column in answer["columns"]] == ["0", "1", "1"]
    places = [(row["group"]["suburb"], row["column"]) for row in answer["rows"]]
    assert places == [(s, c) for s in ("north", "south", "west") for c in ("a", "MAX(kwh)")]
    assert answer["value"] == answer["rows"][0]["value"]


def test_a_dry_run_costs_nothing_and_says_what_it_would(server: Example) -> None:
    quote = server.analyst.ask(TOTAL, dry_run=True).json()
    assert (quote["batch_bits"], quote["allowed"], quote["dry_run"], quote["spent"]) == (1, True, True, 0)
    assert quote["answers"][0]["rows"] == []
    assert server.analyst.get("/v1/datasets").json()["datasets"][0]["spent"] == 0


def test_a_refusal_for_budget_shows_spent_asked_and_remaining(tmp_path: Path) -> None:
    write_curator(tmp_path, bits=2)
    with example(tmp_path) as server:
        server.analyst.ask(TOTAL)
        refused = server.analyst.ask("SELECT /*+ bits(2) */ MAX(kwh) FROM meters")
        assert code(refused) == (409, "budget_exceeded")
        assert refused.json()["error"]["details"] == {
            "spent": 1.0,
            "spent_exact": "1",
            "asked": 2.0,
            "asked_exact": "2",
            "remaining": 1.0,
            "remaining_exact": "1",
            "remaining_outputs": "2",
            "whose": "dataset",
        }


def test_a_refusal_never_opens_the_data(tmp_path: Path) -> None:
    write_curator(tmp_path, bits=2)
    with example(tmp_path) as server:
        (tmp_path / "meters.csv").unlink()
        refused = server.analyst.ask("SELECT /*+ bits(3) */ SUM(kwh) FROM meters")
        assert code(refused) == (409, "budget_exceeded")
        assert server.analyst.ask(TOTAL, dry_run=True).status_code == 200
        assert code(server.analyst.ask("SELECT nothing FROM meters")) == (400, "bad_query")
        changed = server.analyst.ask(TOTAL)
        assert code(changed) == (409, "data_changed")
        assert "retry-after" not in changed.headers
        assert str(tmp_path) not in changed.text
        assert server.owner.get("/v1/datasets").json()["datasets"][0]["spent"] == 0


def test_a_quota_is_an_analysts_own(tmp_path: Path) -> None:
    write_curator(tmp_path, budget="analyst_bits = 1")
    with example(tmp_path) as server:
        assert server.analyst.ask(TOTAL).status_code == 200
        refused = server.analyst.ask("SELECT MAX(kwh) FROM meters")
        assert code(refused) == (409, "budget_exceeded")
        assert refused.json()["error"]["details"]["whose"] == "analyst"
        assert server.owner.ask("SELECT MAX(kwh) FROM meters").status_code == 200


@pytest.mark.parametrize(
    "sql", ["SELECT kwh FROM meters", "", "DROP TABLE meters", "SELECT SUM(kwh) FROM other"]
)
def test_what_cannot_be_asked_is_a_bad_query(untouched: Example, sql: str) -> None:
    assert code(untouched.analyst.ask(sql)) in {(400, "bad_query"), (400, "bad_request")}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"queries": []}',
        b'{"queries": "SELECT 1"}',
        b'{"queries": [1]}',
        b'{"queries": ["a"], "dry_run": "yes"}',
        b'{"queries": ["a"], "else": 1}',
        b'{"queries": ["\\ud800"]}',
        b'{"queries": ["a\\u0000"]}',
        b'{"queries": ["a"], "key": ""}',
        b'{"queries": ["a"], "dry_run": true, "dry_run": false}',
        b'{"queries": ["a"], "dry_run": true, "dry\\u005frun": false}',
        b'{"queries": ["a"], "queries": ["b"]}',
        b'{"queries": ["a"], "dry_run": NaN}',
        b"[" * 100_000,
        b'{"queries":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"queries": [' + b"9" * 10_000 + b"]}",
        b"\xff\xfe",
    ],
)
def test_a_body_that_makes_no_sense_is_a_bad_request(untouched: Example, body: bytes) -> None:
    headers = {**bearer(untouched.analyst.token), "Content-Type": "application/json"}
    assert code(untouched.http.post(QUERIES, content=body, headers=headers)) == (400, "bad_request")


def test_other_kinds_of_bodies_are_refused(untouched: Example) -> None:
    headers = {**bearer(untouched.analyst.token), "Content-Type": "text/plain"}
    assert code(untouched.http.post(QUERIES, content=b"{}", headers=headers)) == (415, "bad_request")


def test_a_batch_has_an_end(server: Example) -> None:
    refused = server.analyst.ask(*[TOTAL] * 10_000)
    assert code(refused) == (413, "too_large")
    assert refused.json()["error"]["details"] == {"most": 100}
    assert server.analyst.ask(*[TOTAL] * 100).status_code == 200


def test_a_body_has_an_end(tmp_path: Path) -> None:
    with example(tmp_path, max_body=1000) as server:
        assert code(server.analyst.ask("SELECT " + "x" * 2000)) == (413, "too_large")
        headers = {**bearer(server.analyst.token), "Content-Type": "application/json"}
        parts = (b" " * 100 for _ in range(100))  # without a length
        assert code(server.http.post(QUERIES, content=parts, headers=headers)) == (413, "too_large")
        assert server.analyst.ask(TOTAL).status_code == 200


def test_a_retry_with_a_key_is_told_what_the_first_request_cost(server: Example) -> None:
    first = server.analyst.ask(TOTAL, key="k1").json()
    retried = server.analyst.ask(TOTAL, key="k1").json()
    assert (first["batch_bits"], first["repeated"], first["spent"]) == (1, False, 1)
    assert (retried["batch_bits"], retried["repeated"], retried["spent"]) == (1, True, 1)
    assert retried["answers"][0]["rows"] == first["answers"][0]["rows"]
    other = server.analyst.ask("SELECT MAX(kwh) FROM meters", key="k1")
    assert code(other) == (409, "key_reused")
    assert server.owner.ask(TOTAL, key="k1").json()["batch_bits"] == 0  # another caller's key


def test_a_repeat_with_a_new_key_is_answered_from_memory(
    server: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        server.analyst.ask(TOTAL)
    asked: list[object] = []
    real = Curator.ask

    def counted(self: Curator, *sql: str, analyst: str | None = None) -> object:
        asked.append(sql)
        return real(self, *sql, analyst=analyst)

    monkeypatch.setattr(Curator, "ask", counted)
    plain, keyed = server.analyst.ask(TOTAL).json(), server.analyst.ask(TOTAL, key='new "key"').json()
    assert asked == []
    assert keyed == {**plain, "key": 'new "key"', "repeated": False}


def test_a_key_that_was_charged_for_is_recognised_also_among_repeats(server: Example) -> None:
    server.analyst.ask(TOTAL, key="paid")
    for _ in range(3):
        assert server.analyst.ask(TOTAL).json()["batch_bits"] == 0
        retried = server.analyst.ask(TOTAL, key="paid").json()
        assert (retried["batch_bits"], retried["repeated"], retried["spent"]) == (1, True, 1)
    other = "SELECT COUNT(*) FROM meters"
    for _ in range(3):
        server.analyst.ask(other)
    assert code(server.analyst.ask(other, key="paid")) == (409, "key_reused")


def test_of_batches_that_come_with_one_key_at_once_one_is_charged_for(server: Example) -> None:
    several = [f"SELECT {name}(kwh) FROM meters" for name in ("SUM", "MAX", "MIN", "MEDIAN", "VAR_POP")]
    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(lambda sql: server.analyst.ask(sql, key="one"), several))
    answered = [each for each in found if each.status_code == 200]
    assert len(answered) == 1
    assert {code(each) for each in found if each not in answered} == {(409, "key_reused")}
    assert server.analyst.get("/v1/datasets").json()["datasets"][0]["spent"] == 1


def test_a_key_of_an_earlier_version_is_not_charged_for_again(server: Example, tmp_path: Path) -> None:
    assert server.analyst.ask(TOTAL, key="old").json()["batch_bits"] == 1
    write_curator(tmp_path, rows=(*ROWS, ("west", "10", "true", "gas")))
    with Curator.unchecked(server.curator) as curator:
        curator.declare_version()
    retried = server.analyst.ask(TOTAL, key="old")
    assert code(retried) == (409, "key_reused")
    assert "earlier version" in retried.text
    assert server.analyst.get("/v1/datasets").json()["datasets"][0]["spent"] == 1
    assert server.analyst.ask(TOTAL, key="new").json()["batch_bits"] == 1


@pytest.mark.parametrize("dry_run", [True, False])
def test_which_statement_of_a_batch_is_wrong_is_told(untouched: Example, dry_run: bool) -> None:
    wrong = untouched.analyst.ask(
        TOTAL, "SELECT AVG(kwh) FROM meters", "SELECT kwh FROM meters", dry_run=dry_run
    )
    assert code(wrong) == (400, "bad_query")
    assert wrong.json()["error"]["details"] == {"statement": 2}
    alone = untouched.analyst.ask("SELECT kwh FROM meters", dry_run=dry_run)
    assert alone.json()["error"]["details"] == {"statement": 0}
    assert wrong.json()["error"]["message"] == alone.json()["error"]["message"]


def test_a_token_has_a_rate(tmp_path: Path) -> None:
    with example(tmp_path, rate=0.01, burst=3) as server:
        assert [server.analyst.get("/v1/session").status_code for _ in range(4)] == [200, 200, 200, 429]
        refused = server.analyst.get("/v1/session")
        assert code(refused) == (429, "too_many")
        assert int(refused.headers["retry-after"]) >= 1
        assert server.owner.get("/v1/session").status_code == 200


def test_a_new_version_is_noticed(server: Example, tmp_path: Path) -> None:
    for _ in range(3):
        before = server.analyst.ask(TOTAL).json()
    write_curator(tmp_path, rows=(*ROWS, ("west", "10", "true", "gas")), budget="min_group = 2")
    assert server.analyst.ask(TOTAL).json()["answers"] == before["answers"]  # the declared one is known
    with Curator.unchecked(server.curator) as curator:
        curator.declare_version()
    after = server.analyst.ask(TOTAL).json()
    assert (after["batch_bits"], after["spent"]) == (1, 2)
    assert server.analyst.get("/v1/datasets/meters").json()["rows"] == 9


def test_another_schema_of_a_new_version_is_noticed(server: Example) -> None:
    assert server.analyst.ask(TOTAL).status_code == 200
    text = server.curator.read_text()
    server.curator.write_text(text.replace("bounds = [0, 10]", "bounds = [0, 20]"))
    with Curator.unchecked(server.curator) as curator:
        curator.declare_version()
    columns = server.analyst.get("/v1/datasets/meters").json()["columns"]
    assert columns[1]["bounds"] == [0, 20]
    assert server.analyst.ask(TOTAL).json()["batch_bits"] == 1
