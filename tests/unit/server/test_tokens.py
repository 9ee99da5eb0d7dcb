"""Tokens: what is kept of them, and that those which are not valid are refused alike."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator_examples import write_curator
from noiseless.curator import CuratorFile
from noiseless.errors import RequestError
from noiseless.ledger import Ledger
from noiseless.ledger.analysts import (
    NewToken,
    Token,
    add_token,
    expiry,
    list_tokens,
    revoke_token,
    token_hash,
    token_id,
)
from noiseless.ledger.entries import now
from noiseless.server import callers
from server_examples import QUERIES, Example, bearer, code, example, new_token

pytest_plugins = ["databases"]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    folder = tmp_path / "other"
    folder.mkdir()
    write_curator(folder)
    path = folder / "curator.toml"
    path.write_text(path.read_text().replace('name = "meters"', 'name = "others"'))
    return path


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    """A server for requests that change nothing."""
    with example(tmp_path_factory.mktemp("untouched")) as found:
        yield found


@pytest.fixture
def server(tmp_path: Path, other: Path) -> Iterator[Example]:
    with example(tmp_path, [other]) as found:
        yield found


def test_a_token_is_kept_as_its_hash(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        assert list_tokens(ledger) == []
        made = NewToken.random()
        add_token(ledger, ["a", "b"], name="ann", role="owner", token=made, by="olga")
        found = list_tokens(ledger)
        assert [(token.dataset, token.id, token.name, token.role) for token in found] == [
            ("a", made.id, "ann", "owner"),
            ("b", made.id, "ann", "owner"),
        ]
        assert {token.hash for token in found} == {token_hash(made.text)}
        assert made.text not in repr(found)
        assert revoke_token(ledger, made.id, ["a"], by="olga") == 1
        assert revoke_token(ledger, made.id, ["a"], by="olga") == 0
        assert [token.is_valid(now()) for token in list_tokens(ledger)] == [False, True]
        assert ledger.verify().ok


def test_a_ledger_with_tokens_can_be_verified_backed_up_and_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        ledger.declare("a", digest="d", budget=1)
        add_token(ledger, ["a"], name="ann", role="owner", token=NewToken.random())
        ledger.backup(tmp_path / "backup.db")
    with Ledger.open(path) as ledger:
        assert ledger.verify().ok
        assert len(list_tokens(ledger)) == 1
    with Ledger.open(tmp_path / "backup.db") as ledger:
        assert ledger.verify().ok
        assert len(list_tokens(ledger)) == 1
    with Ledger.open(tmp_path / "restored.db") as ledger:
        ledger.restore(tmp_path / "backup.db")
        assert ledger.verify().ok
        assert list_tokens(ledger) == []  # a restored ledger trusts nobody yet


def test_tokens_are_random() -> None:
    several = {NewToken.random().text for _ in range(100)}
    assert len(several) == 100
    assert all(len(text) == len("nls_") + 16 + 1 + 43 for text in several)


@pytest.mark.parametrize("text", ["", "soon", "0d", "-1d", "2001-01-01", "99999999999y", "999999y"])
def test_an_expiry_that_makes_no_sense(text: str) -> None:
    with pytest.raises(RequestError):
        expiry(text)


def test_expiries() -> None:
    assert expiry(None) is None
    assert expiry("2999-01-01T02:00:00+02:00") == "2999-01-01T00:00:00.000000Z"
    assert str(expiry("1h")) > now()
    token = Token("a", "i", "n", "analyst", "h", now(), "o", expires="2030-01-01T00:00:00.000000Z")
    assert token.is_valid("2029-12-31T23:59:59.999999Z")
    assert not token.is_valid("2030-01-01T00:00:00.000000Z")


def test_all_tokens_that_are_not_valid_are_refused_alike(server: Example, tmp_path: Path) -> None:
    valid = server.analyst.token
    expired = new_token(server.curator, expires="2001-01-01T00:00:00.000000Z")
    revoked = new_token(server.curator)
    with Ledger.open(tmp_path / "meters-ledger.db") as ledger:
        revoke_token(ledger, revoked.split("_")[1], ["meters"])
    secret = valid[:-43] + ("A" * 43)
    unknown = NewToken.random().text
    assert server.http.get("/v1/session", headers=bearer(valid)).status_code == 200
    headers = [
        *(
            {"Authorization": f"Bearer {text}"}
            for text in (expired, revoked, secret, unknown, "x", valid + "x")
        ),
        {"Authorization": f"Basic {valid}"},
        {"Authorization": valid},
        {},
    ]
    for path in ("/v1/session", "/v1/datasets/meters", "/v1/datasets/none", "/v1/nothing", QUERIES):
        found = [server.http.get(path, headers=each) for each in headers]
        assert {code(response) for response in found} == {(401, "unauthorised")}
        assert len({response.content for response in found}) == 1
        heads = [{k: v for k, v in r.headers.items() if k not in {"x-request-id", "date"}} for r in found]
        assert all(head == heads[0] for head in heads)


def test_another_dataset_is_as_one_that_is_not_there(server: Example, other: Path) -> None:
    stranger = server.client(new_token(other))
    assert stranger.get("/v1/datasets/others").status_code == 200
    for ending in ("", "/sample", "/history", "/ledger", "/exposure"):
        found = [stranger.get(f"/v1/datasets/{name}{ending}") for name in ("meters", "nothing")]
        assert {code(response) for response in found} == {(404, "not_found")}
        assert found[0].content == found[1].content
    for ending in ("queries", "budget"):
        body = {"queries": ["SELECT 1"]}
        found = [stranger.post(f"/v1/datasets/{name}/{ending}", body) for name in ("meters", "nothing")]
        assert {code(response) for response in found} == {(404, "not_found")}
        assert found[0].content == found[1].content


def test_another_role_is_refused_alike(server: Example) -> None:
    found = [
        *(server.analyst.get(f"/v1/datasets/meters/{ending}") for ending in ("ledger", "exposure")),
        server.analyst.post("/v1/datasets/meters/budget", {"bits": 9, "reason": "more"}),
        server.analyst.get("/v1/tokens"),
        server.analyst.post("/v1/tokens", {"name": "me"}),
        server.analyst.delete("/v1/tokens/0123"),
    ]
    assert {code(response) for response in found} == {(403, "forbidden")}
    assert len({response.content for response in found}) == 1


def test_a_session_says_whose_token_it_is(server: Example, other: Path) -> None:
    both = server.client(new_token(server.curator, other, name="bob", expires="2999-01-01T00:00:00.000000Z"))
    assert both.get("/v1/session").json() == {
        "name": "bob",
        "role": "analyst",
        "datasets": ["meters", "others"],
        "roles": {"meters": "analyst", "others": "analyst"},
        "expires": "2999-01-01T00:00:00.000000Z",
    }
    assert [line["name"] for line in both.get("/v1/datasets").json()["datasets"]] == ["meters", "others"]
    assert [line["name"] for line in server.analyst.get("/v1/datasets").json()["datasets"]] == ["meters"]


def test_an_owner_makes_lists_and_revokes_tokens(server: Example) -> None:
    made = server.owner.post("/v1/tokens", {"name": "carl", "expires": "1d"})
    assert made.status_code == 201
    token = made.json()
    carl = server.client(token["token"])
    assert carl.get("/v1/session").json()["name"] == "carl"
    listed = {each["id"]: each for each in server.owner.get("/v1/tokens").json()["tokens"]}
    assert listed[token["id"]]["created_by"] == "olga"
    assert listed[token["id"]]["valid"]
    assert token["token"] not in server.owner.get("/v1/tokens").text
    assert server.owner.delete(f"/v1/tokens/{token['id']}").json() == {
        "id": token["id"],
        "datasets": ["meters"],
    }
    assert code(carl.get("/v1/session")) == (401, "unauthorised")
    listed = {each["id"]: each for each in server.owner.get("/v1/tokens").json()["tokens"]}
    assert not listed[token["id"]]["valid"]
    assert listed[token["id"]]["revoked_by"] == "olga"
    assert code(server.owner.delete("/v1/tokens/none")) == (404, "not_found")


def test_an_owner_of_one_dataset_has_no_say_over_another(server: Example, other: Path) -> None:
    body = {"name": "carl", "datasets": ["others"]}
    assert code(server.owner.post("/v1/tokens", body)) == (404, "not_found")
    both = new_token(server.curator, other, name="bob")
    assert "bob" in server.owner.get("/v1/tokens").text
    assert server.owner.delete(f"/v1/tokens/{both.split('_')[1]}").json()["datasets"] == ["meters"]
    assert server.client(both).get("/v1/session").json()["datasets"] == ["others"]


@pytest.mark.parametrize(
    "body",
    [{}, {"name": ""}, {"name": "a", "role": "king"}, {"name": "a", "expires": "soon"}, {"name": "a\n"}],
)
def test_a_token_that_makes_no_sense(untouched: Example, body: dict[str, str]) -> None:
    assert code(untouched.owner.post("/v1/tokens", body)) == (400, "bad_request")


class FakeTime:
    """What a server takes for the time; it goes on when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    found = FakeTime()
    monkeypatch.setattr(callers, "time", found)
    return found


def test_a_revocation_elsewhere_takes_less_than_a_second(
    server: Example, tmp_path: Path, clock: FakeTime
) -> None:
    assert server.analyst.get("/v1/session").status_code == 200
    with Ledger.open(tmp_path / "meters-ledger.db") as ledger:  # as another process does
        revoke_token(ledger, server.analyst.token.split("_")[1], ["meters"])
    clock.now += 0.99
    assert code(server.analyst.get("/v1/session")) == (401, "unauthorised")


def test_tokens_are_not_trusted_when_they_cannot_be_checked(
    server: Example, clock: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from noiseless.ledger import LedgerError

    def fail(_: object) -> list[Token]:
        raise LedgerError("/secret/path: the disk is gone")

    assert server.analyst.get("/v1/session").status_code == 200
    monkeypatch.setattr(callers, "list_tokens", fail)
    clock.now += 0.9
    refused = server.analyst.get("/v1/session")
    assert code(refused) == (503, "unavailable")
    assert "secret" not in refused.text


def test_whatever_is_wrong_with_a_token_its_refusal_takes_the_same_steps(
    server: Example, clock: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the time that a refusal takes would tell which tokens there are."""
    read: list[object] = []

    def counted(ledger: Ledger) -> list[Token]:
        read.append(ledger)
        return list_tokens(ledger)

    monkeypatch.setattr(callers, "list_tokens", counted)
    known = server.analyst.token
    revoked = new_token(server.curator, name="rex")
    number = token_id(revoked)
    assert server.owner.delete(f"/v1/tokens/{number}").status_code == 200
    for token in (f"{known[:-5]}xxxxx", f"nls_{'0' * 16}_{'x' * 43}", revoked):
        assert server.analyst.get("/v1/session").status_code == 200
        clock.now += 0.1
        before = len(read)
        assert code(server.client(token).get("/v1/session")) == (401, "unauthorised")
        assert len(read) >= before + 2  # both ledgers


def test_a_token_counts_only_in_the_ledger_of_its_dataset(server: Example, other: Path) -> None:
    """A ledger may name any dataset: those who can write one have no say about datasets of another."""
    made = NewToken.random()
    with Ledger.open(CuratorFile.read(server.curator).ledger) as ledger:
        add_token(ledger, ["others"], name="eve", role="owner", token=made)
    assert server.client(made.text).get("/v1/datasets").status_code == 401
    with Ledger.open(CuratorFile.read(server.curator).ledger) as ledger:
        add_token(ledger, ["meters"], name="eve", role="owner", token=made)
    server.office.callers.forget()
    eve = server.client(made.text)
    assert [line["name"] for line in eve.get("/v1/datasets").json()["datasets"]] == ["meters"]
    assert eve.get("/v1/datasets/others/ledger").status_code == 404
    olga = server.client(new_token(other, name="olga", role="owner"))
    server.office.callers.forget()
    assert made.id not in {token["id"] for token in olga.get("/v1/tokens").json()["tokens"]}


def test_a_token_of_another_ledger_cannot_take_the_place_of_one(server: Example, other: Path) -> None:
    """Two ledgers may hold tokens of the same name; each counts for the datasets of its own."""
    one, two = NewToken.random(), NewToken.random()
    two = NewToken(two.text.replace(two.id, one.id), one.id)
    for path, dataset, token in ((server.curator, "meters", one), (other, "others", two)):
        with Ledger.open(CuratorFile.read(path).ledger) as ledger:
            add_token(ledger, [dataset], name="ann", role="analyst", token=token)
    server.office.callers.forget()
    for token, dataset in ((one, "meters"), (two, "others")):
        found = server.client(token.text).get("/v1/datasets").json()["datasets"]
        assert [line["name"] for line in found] == [dataset]
