"""For owners: the ledger, exposure, budgets."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.errors import RequestError
from noiseless.ledger import Ledger
from noiseless.ledger.entries import canonical
from noiseless.server import gate as requests
from noiseless.server.service import Service
from noiseless.server.settings import Settings
from noiseless.server.telemetry import LOGGER, JsonLines
from server_examples import TOTAL, Example, code, example


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    """A server for requests that change nothing."""
    with example(tmp_path_factory.mktemp("untouched")) as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Example]:
    with example(tmp_path) as found:
        yield found


def test_the_ledger_page_by_page(server: Example, tmp_path: Path) -> None:
    server.analyst.ask(TOTAL)
    found = server.owner.get("/v1/datasets/meters/ledger?verify=true").json()
    with Ledger.open(tmp_path / "meters-ledger.db") as ledger:
        assert found["entries"] == [entry.to_dict() for entry in ledger.entries()]
        assert found["head"] == str(ledger.head)
    assert (found["chain_ok"], found["spent"], found["analysts"], found["next"]) == (
        True,
        1,
        {"ann": 1},
        None,
    )
    page = server.owner.get("/v1/datasets/meters/ledger?limit=3").json()
    assert (len(page["entries"]), page["next"], page["chain_ok"]) == (3, 3, None)
    assert page["head"] == found["head"]
    rest = server.owner.get("/v1/datasets/meters/ledger?after=3").json()
    assert [*page["entries"], *rest["entries"]] == found["entries"]


def test_pages_of_the_ledger_are_short_and_reach_every_entry(
    server: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        server.analyst.ask(f"SELECT COUNT(*) FROM meters WHERE kwh > {number}")
    everything = server.owner.get("/v1/datasets/meters/ledger").json()["entries"]
    for most in (1, 700, 1500):
        monkeypatch.setattr(requests, "PAGE_BYTES", most)
        found, after, pages = [], 0, 0
        while after is not None:
            page = server.owner.get(f"/v1/datasets/meters/ledger?after={after}").json()
            texts = [len(canonical(entry["body"])) for entry in page["entries"]]
            assert len(texts) == 1 or sum(texts) <= most
            found += page["entries"]
            after, pages = page["next"], pages + 1
        assert found == everything
        assert pages > 1


def test_exposure_names_nobody(server: Example) -> None:
    before = server.owner.get("/v1/datasets/meters/exposure").json()
    assert (before["questions"], before["most_bits"]) == (0, 0)
    server.analyst.ask("SELECT /*+ bits(9) */ SUM(kwh) FROM meters")
    found = server.owner.get("/v1/datasets/meters/exposure").json()
    assert found["questions"] == 1
    assert sum(each["rows"] for each in found["histogram"]) == found["rows"] == 8
    assert found["most_bits"] == found["histogram"][-1]["bits"] > 0
    assert [set(each) for each in found["top"]] == [{"number", "rows", "outputs", "bits", "possible"}] * 8
    assert found["persons"] is None


def test_exposure_of_persons_is_counted_without_their_names(tmp_path: Path) -> None:
    rows = tuple(
        (name, suburb, kwh, "true", "gas")
        for name, suburb, kwh in (("ada", "north", "1"), ("ada", "north", "2"), ("bob", "south", "3"))
    )
    write_curator(
        tmp_path,
        dataset='unit = "person"\nmax_rows = 2',
        rows=rows,
        header="person,suburb,kwh,solar,heating",
    )
    with example(tmp_path) as server:
        assert server.analyst.ask(TOTAL).status_code == 200
        found = server.owner.get("/v1/datasets/meters/exposure")
        assert sum(each["persons"] for each in found.json()["persons"]) == 2
        assert "ada" not in found.text


@pytest.mark.parametrize(
    ("bits", "exact"), [(9, "9"), (1.1, "11/10"), ("1.1", "11/10"), ("reach 3", "log2(3)"), (0, "0")]
)
def test_a_budget_is_changed_and_recorded(server: Example, bits: object, exact: str, tmp_path: Path) -> None:
    found = server.owner.post("/v1/datasets/meters/budget", {"bits": bits, "reason": "review"})
    assert (found.status_code, found.json()["budget_exact"]) == (200, exact)
    with Ledger.open(tmp_path / "meters-ledger.db") as ledger:
        *_, last = ledger.entries()
    assert (last.seq, last.kind) == (found.json()["entry"], "budget")
    assert (last.body["by"], last.body["reason"]) == ("olga", "review")


def test_a_lower_budget_holds_at_once(server: Example) -> None:
    server.analyst.ask(TOTAL)
    server.owner.post("/v1/datasets/meters/budget", {"bits": 1, "reason": "enough"})
    assert code(server.analyst.ask("SELECT MAX(kwh) FROM meters")) == (409, "budget_exceeded")
    assert server.analyst.ask(TOTAL).json()["remaining"] == 0


def test_a_changed_budget_outlives_the_server(tmp_path: Path) -> None:
    with example(tmp_path) as server:
        server.owner.post("/v1/datasets/meters/budget", {"bits": 3, "reason": "review"})
    with example(tmp_path) as server:  # the file still says 6
        assert server.analyst.get("/v1/datasets").json()["datasets"][0]["budget"] == 3
        server.owner.post("/v1/datasets/meters/budget", {"bits": 4, "reason": "review"})
    path = tmp_path / "curator.toml"
    path.write_text(path.read_text().replace("bits = 6", "bits = 4"))
    with example(tmp_path) as server, Curator.open(path) as curator:
        assert server.analyst.get("/v1/datasets").json()["datasets"][0]["budget"] == 4
        assert curator.state.budget == 4
    path.write_text(path.read_text().replace("bits = 4", "bits = 2"))
    with pytest.raises(RequestError, match="another budget"), example(tmp_path):
        pass  # the owner wrote something new, which must be declared
    path.write_text(path.read_text().replace("bits = 2", "bits = 6"))
    with pytest.raises(RequestError, match="another budget"), example(tmp_path):
        pass  # or something that it said long ago


def test_a_restored_ledger_is_served_straight_away_and_has_no_tokens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger_file = tmp_path / "meters-ledger.db"
    with example(tmp_path) as server:
        first = server.analyst.ask(TOTAL).json()
        server.owner.post("/v1/datasets/meters/budget", {"bits": 4, "reason": "review"})
        token = server.analyst.token
    with Ledger.open(ledger_file) as ledger:
        ledger.backup(tmp_path / "backup.db")
    for file in tmp_path.glob("meters-ledger.db*"):
        file.unlink()
    with Ledger.open(ledger_file) as ledger:
        ledger.restore(tmp_path / "backup.db")
    monkeypatch.setattr(logging.getLogger(LOGGER), "propagate", True)
    office = Service(Settings((str(tmp_path / "curator.toml"),)))
    with caplog.at_level(logging.WARNING, LOGGER):
        office.warn_of_missing_tokens()
    office.close_at_once()
    *_, line = [JsonLines().format(record) for record in caplog.records]
    assert "noiseless token add curator.toml --name NAME --role owner" in line
    with example(tmp_path) as server:
        assert code(server.client(token).get("/v1/session")) == (401, "unauthorised")
        again = server.analyst.ask(TOTAL).json()
        assert (again["batch_bits"], again["spent"], again["remaining"]) == (0, 1, 3)
        assert again["answers"][0]["rows"] == first["answers"][0]["rows"]


@pytest.mark.parametrize(
    "body",
    [
        {"bits": -1, "reason": "x"},
        {"bits": 10_001, "reason": "x"},
        {"bits": "many", "reason": "x"},
        {"bits": "reach x", "reason": "x"},
        {"bits": "nan", "reason": "x"},
        {"bits": True, "reason": "x"},
        {"bits": "5_0", "reason": "x"},
        {"bits": "\uff11\uff12", "reason": "x"},
        {"bits": "1e-9999999", "reason": "x"},
        {"bits": "1e3", "reason": "x"},
        {"bits": 1e-300, "reason": "x"},
        {"bits": "0." + "1" * 31, "reason": "x"},
        {"bits": "reach " + "9" * 2600, "reason": "x"},
        {"bits": 3},
        {"bits": 3, "reason": ""},
        {"reason": "x"},
    ],
)
def test_a_budget_that_makes_no_sense(untouched: Example, body: dict[str, Any]) -> None:
    assert code(untouched.owner.post("/v1/datasets/meters/budget", body)) == (400, "bad_request")
    assert untouched.owner.get("/v1/datasets").json()["datasets"][0]["budget"] == 6
