"""For owners: the ledger, exposure, budgets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.errors import RequestError
from noiseless.ledger import Ledger
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
    rest = server.owner.get("/v1/datasets/meters/ledger?after=3").json()
    assert [*page["entries"], *rest["entries"]] == found["entries"]


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


@pytest.mark.parametrize(
    "body",
    [
        {"bits": -1, "reason": "x"},
        {"bits": 10_001, "reason": "x"},
        {"bits": "many", "reason": "x"},
        {"bits": "reach x", "reason": "x"},
        {"bits": "nan", "reason": "x"},
        {"bits": True, "reason": "x"},
        {"bits": 3},
        {"bits": 3, "reason": ""},
        {"reason": "x"},
    ],
)
def test_a_budget_that_makes_no_sense(untouched: Example, body: dict[str, Any]) -> None:
    assert code(untouched.owner.post("/v1/datasets/meters/budget", body)) == (400, "bad_request")
    assert untouched.owner.get("/v1/datasets").json()["datasets"][0]["budget"] == 6
