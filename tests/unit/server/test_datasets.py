"""Looking at datasets: columns, samples, history."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.server import gate as requests
from server_examples import TOTAL, Example, code, example
from waiting import wait_until


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    """A server for requests that change nothing."""
    with example(tmp_path_factory.mktemp("untouched")) as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Example]:
    with example(tmp_path) as found:
        yield found


def test_a_dataset_says_what_its_columns_may_hold(server: Example) -> None:
    found = server.analyst.get("/v1/datasets/meters").json()
    suburb, kwh, solar, heating = found["columns"]
    assert (suburb["role"], suburb["kind"], suburb["categories"]) == (
        "public",
        "category",
        ["north", "south", "west"],
    )
    assert (kwh["bounds"], kwh["bounds_exact"], kwh["step"], kwh["step_exact"]) == (
        [0, 10],
        ["0", "10"],
        0.5,
        "0.5",
    )
    assert (solar["kind"], solar["size"], heating["size"]) == ("boolean", 2, 3)
    assert (found["rows"], found["version"], found["max_rows"], found["unit"]) == (8, 1, 1, None)
    assert found["budget"] == {
        "bits": 6.0,
        "bits_exact": "6",
        "query_bits": 1.0,
        "query_bits_exact": "1",
        "analyst_bits": None,
        "analyst_bits_exact": None,
        "min_group": None,
    }
    assert (found["spent"], found["remaining"], found["analyst_spent"]) == (0, 6, 0)
    server.analyst.ask(TOTAL)
    assert server.analyst.get("/v1/datasets/meters").json()["analyst_spent"] == 1
    assert server.owner.get("/v1/datasets/meters").json()["analyst_spent"] == 0


def test_a_dataset_says_what_can_be_asked_by_name(tmp_path: Path) -> None:
    path = write_curator(tmp_path)
    path.write_text(path.read_text() + '[queries.excess]\nformula = "max(kwh - 5, 0)"\nstep = 0.5\n')
    with example(tmp_path) as server:
        assert server.analyst.get("/v1/datasets/meters").json()["queries"] == [
            {
                "name": "excess",
                "columns": ["kwh"],
                "definition": "mean of max(kwh - 5, 0), in steps of 0.5",
            }
        ]
        (answer,) = server.analyst.ask("SELECT excess() FROM meters").json()["answers"]
        assert answer["lower"] <= (3.5 + 5 + 2) / 8 <= answer["upper"]


def test_dates_and_reaches_are_plain_json(tmp_path: Path) -> None:
    write_curator(tmp_path, bits='"reach 20"')
    path = tmp_path / "curator.toml"
    date = '[columns.day]\nrole = "public"\nbounds = [2024-01-01, 2024-01-31]\nmissing = 2024-01-02\n'
    path.write_text(path.read_text() + date)
    rows = (tmp_path / "meters.csv").read_text().splitlines()
    (tmp_path / "meters.csv").write_text(
        "\n".join([rows[0] + ",day", *(f"{row},2024-01-03" for row in rows[1:])])
    )
    with example(tmp_path) as server:
        found = server.analyst.get("/v1/datasets/meters").json()
        assert found["budget"]["bits_exact"] == "log2(20)"
        assert found["columns"][-1]["bounds"] == ["2024-01-01", "2024-01-31"]
        assert found["columns"][-1]["missing"] == "2024-01-02"
        (row,) = server.analyst.get("/v1/datasets/meters/sample?rows=1").json()["rows"]
        assert row["day"].startswith("2024-01-")


def test_a_sample_depends_on_the_declarations_alone(server: Example, tmp_path: Path) -> None:
    (tmp_path / "meters.csv").unlink()
    first = server.analyst.get("/v1/datasets/meters/sample", params={"rows": 50, "seed": 3}).json()
    assert (len(first["rows"]), first["seed"], first["synthetic"]) == (50, 3, True)
    assert server.analyst.get("/v1/datasets/meters/sample?rows=50&seed=3").json() == first
    assert server.analyst.get("/v1/datasets/meters/sample?rows=50&seed=4").json() != first
    assert {row["suburb"] for row in first["rows"]} == {"north", "south", "west"}
    assert all(row["kwh"] * 2 == int(row["kwh"] * 2) and 0 <= row["kwh"] <= 10 for row in first["rows"])


@pytest.mark.parametrize(
    "query", ["rows=0", "row=1", "rows=1001", "rows=x", "seed=-1", "seed=99999999999999999999"]
)
def test_parameters_that_make_no_sense(untouched: Example, query: str) -> None:
    assert code(untouched.analyst.get(f"/v1/datasets/meters/sample?{query}")) == (400, "bad_request")


def test_history_is_an_analysts_own_and_an_owners_of_everybody(server: Example) -> None:
    asked = server.analyst.ask(TOTAL).json()
    server.owner.ask("SELECT MAX(kwh) FROM meters", "SELECT COUNT(*) FROM meters")
    (own,) = server.analyst.get("/v1/datasets/meters/history").json()["batches"]
    assert (own["analyst"], own["sql"], own["bits"], own["charge"]) == ("ann", [TOTAL], 1, 5)
    assert own["answers"][0]["rows"] == asked["answers"][0]["rows"]
    everybody = server.owner.get("/v1/datasets/meters/history").json()
    assert [batch["analyst"] for batch in everybody["batches"]] == ["olga", "ann"]
    page = server.owner.get("/v1/datasets/meters/history?limit=1").json()
    assert page["batches"] == everybody["batches"][:1]
    rest = server.owner.get("/v1/datasets/meters/history", params={"before": page["next"]}).json()
    assert (rest["batches"], rest["next"]) == (everybody["batches"][1:], None)


def test_pages_of_the_history_are_short_and_reach_every_batch(
    server: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        server.analyst.ask(f"SELECT COUNT(*) FROM meters WHERE kwh > {number}")
    everything = server.analyst.get("/v1/datasets/meters/history").json()["batches"]
    for most in (1, 2500):
        monkeypatch.setattr(requests, "PAGE_BYTES", most)
        found: list[object] = []
        before = "9"
        while before is not None:
            page = server.analyst.get("/v1/datasets/meters/history", params={"before": before})
            batches, before = page.json()["batches"], page.json()["next"]
            assert len(batches) == 1 or len(page.content) < most + 100
            found += batches
        assert found == everything
        assert len(everything) == 4


def test_a_batch_that_was_free_is_in_the_history_soon(server: Example) -> None:
    server.analyst.ask(TOTAL)
    server.owner.ask(TOTAL)
    server.owner.ask(TOTAL)

    def both() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = server.owner.get("/v1/datasets/meters/history").json()["batches"]
        return found if len(found) == 2 else []

    batches = wait_until(both, "free batches are noted")
    assert [(batch["analyst"], batch["bits"], batch["charge"]) for batch in batches] == [
        ("olga", 0, None),
        ("ann", 1, 5),
    ]


def test_looking_at_the_history_costs_nothing(server: Example, tmp_path: Path) -> None:
    server.analyst.ask(TOTAL)
    with (tmp_path / "meters.csv").open("a") as file:
        file.write("west,3,true,gas\n")
    with Curator.unchecked(server.curator) as curator:
        curator.declare_version()
    (batch,) = server.analyst.get("/v1/datasets/meters/history").json()["batches"]
    assert (batch["version"], batch["answers"]) == (1, None)
    assert server.analyst.get("/v1/datasets").json()["datasets"][0]["spent"] == 1
