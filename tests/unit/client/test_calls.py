"""Refusals are final, failures that pass are waited for, and nothing is sent where it should not be."""

import copy
import pickle

import pytest

from client_servers import (
    IMPATIENT,
    SESSION,
    FakeTime,
    Say,
    Seen,
    fake,
    refusal,
    reply,
    statement,
    unguessable,
)
from noiseless.client import (
    BadQuestion,
    BadReply,
    BudgetRefused,
    Forbidden,
    NotFound,
    Redirected,
    ServerError,
    TooLarge,
    TooMany,
    Unauthorised,
    Unavailable,
    Unreachable,
    connect,
)
from noiseless.errors import NoiselessError, RequestError

SQL = "SELECT AVG(kwh) FROM meters"
ANSWER = Say(reply(statement()))
TOKEN = unguessable()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Turns:
    """Replies to questions one after the other; the last one stands."""

    def __init__(self, *said: Say | None) -> None:
        self.said = list(said)

    def __call__(self, seen: Seen) -> Say | None:
        if seen.path == "/v1/session":
            return None
        return self.said.pop(0) if len(self.said) > 1 else self.said[0]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    "failure",
    [
        None,  # the connection is dropped after the request was read
        refusal(502, "bad_gateway", "no"),
        refusal(503, "timeout", "the answer takes longer; ask again"),
        Say("<html>", 504, {"Content-Type": "text/html"}),
        refusal(429, "too_many", "too many requests"),
        refusal(408, "timeout", "the request took too long to arrive; send it again"),
        Say(raw=HEAD + b"Content-Length: 100\r\n\r\n{"),
        Say(raw=HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{"),
    ],
)
def test_what_passes_is_tried_again_under_the_same_key(
    failure: Say | None, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake(Turns(*[failure] * times, ANSWER)) as server, connect(server.url, TOKEN) as client:
        monkeypatch.setattr("noiseless.client.calls.Patience.wait", lambda *_: 0.001)
        assert client.ask(SQL).spent.outputs == 2
        keys = [seen.body["key"] for seen in server.asked()]
        assert len(keys) == times + 1
        assert len(set(keys)) == 1
        client.ask(SQL)
        assert server.asked()[-1].body["key"] not in keys
        client.ask(SQL, key="mine")
        assert server.asked()[-1].body["key"] == "mine"


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "bad_query", BadQuestion),
        (401, "unauthorised", Unauthorised),
        (403, "forbidden", Forbidden),
        (404, "not_found", NotFound),
        (405, "method_not_allowed", ServerError),
        (409, "budget_exceeded", BudgetRefused),
        (409, "key_reused", ServerError),
        (413, "too_large", TooLarge),
        (500, "internal", ServerError),
        (418, "teapot", ServerError),
    ],
)
def test_refusals_are_final(status: int, code: str, kind: type[ServerError]) -> None:
    script = Turns(refusal(status, code, "do otherwise", most=3), ANSWER)
    with fake(script) as server, connect(server.url, TOKEN) as client:
        with pytest.raises(ServerError, match=r"^do otherwise$") as caught:
            client.ask(SQL)
        assert type(caught.value) is kind
        assert (caught.value.status, caught.value.code) == (status, code)
        assert caught.value.details == {"most": 3}
        assert isinstance(caught.value, NoiselessError)
        assert len(server.asked()) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 504, 599])
@pytest.mark.parametrize("body", ["a page", ["a list"], {"error": "a text"}, {"error": {"message": 7}}, None])
def test_refusals_of_another_shape_are_told_in_our_words(status: int, body: object) -> None:
    with fake(Turns(Say(body, status))) as server, connect(server.url, TOKEN) as client:
        client._calls.patience = IMPATIENT
        with pytest.raises(ServerError, match=r"; .") as caught:
            client.ask(SQL)
        assert "\n" not in str(caught.value)
        assert caught.value.status == status
        assert caught.value.details == {}


def test_a_refusal_for_budget_says_how_much() -> None:
    details = {"spent": 2.0, "asked": 4.392317422778761, "remaining": 4.0, "remaining_outputs": "16"}
    with fake(Turns(refusal(409, "budget_exceeded", "too dear", **details, whose="analyst"))) as server:
        client = connect(server.url, TOKEN)
        with pytest.raises(BudgetRefused) as caught:
            client.ask(SQL)
        client.close()
    error = caught.value
    assert (error.spent, error.asked, error.remaining) == (2.0, 4.392317422778761, 4.0)
    assert (error.remaining_outputs, error.whose) == (16, "analyst")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.asked, again.status) == ("too dear", error.asked, 409)
    assert copy.copy(error).details == error.details


def test_a_refusal_for_budget_without_numbers_says_none() -> None:
    error = BudgetRefused("too dear", details={"spent": "x", "asked": [], "remaining_outputs": "many"})
    assert (error.spent, error.asked, error.remaining, error.remaining_outputs) == (None,) * 4
    assert error.whose == "dataset"
    assert BudgetRefused("too dear", details={"remaining_outputs": "0x10"}).remaining_outputs == 16


def test_a_server_says_when_to_come_back() -> None:
    busy = refusal(429, "too_many", "too many requests")
    busy.headers = {"Retry-After": "3"}
    fake_time = FakeTime()
    with fake(Turns(busy, ANSWER)) as server, connect(server.url, TOKEN) as client:
        client._calls.patience = fake_time.patience()
        client.ask(SQL)
        assert fake_time.waits == [3]
        assert len(server.asked()) == 2


@pytest.mark.parametrize(("status", "kind"), [(429, TooMany), (503, Unavailable)])
def test_nobody_waits_longer_than_their_patience(status: int, kind: type[ServerError]) -> None:
    busy = refusal(status, "busy", "ask again in an hour")
    busy.headers = {"Retry-After": "3600"}
    fake_time = FakeTime()
    with fake(Turns(busy)) as server, connect(server.url, TOKEN) as client:
        client._calls.patience = fake_time.patience()
        with pytest.raises(kind, match="in an hour") as caught:
            client.ask(SQL)
        assert fake_time.waits == []  # there is no use in it
        assert caught.value.retry_after == 3600
        assert len(server.asked()) == 1


def test_patience_ends() -> None:
    fake_time = FakeTime()
    with fake(Turns(None)) as server, connect(server.url, TOKEN) as client:
        client._calls.patience = fake_time.patience(10)
        with pytest.raises(Unreachable, match="the connection was lost; asking again is safe"):
            client.ask(SQL)
        assert 4 <= sum(fake_time.waits) <= 10
        full = [min(5.0, 0.2 * 2**place) for place in range(len(fake_time.waits))]
        assert all(most / 2 <= wait <= most for wait, most in zip(fake_time.waits, full, strict=True))
        assert len(server.asked()) == len(fake_time.waits) + 1


@pytest.mark.parametrize(
    "failure", [None, refusal(503, "timeout", "ask again"), refusal(429, "too_many", "no")]
)
def test_what_would_happen_twice_is_sent_once(failure: Say | None) -> None:
    with fake(Turns(failure)) as server, connect(server.url, TOKEN) as client:
        with pytest.raises(ServerError) as caught:
            client.add_token("bob")
        assert "asking again is safe" not in str(caught.value)
        with pytest.raises(ServerError):
            client["meters"].change_budget(7, "more people")
        assert len(server.asked()) == 2


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_a_token_is_not_sent_elsewhere(status: int) -> None:
    with fake(lambda _: Say(SESSION)) as other:
        elsewhere = Say({}, status, {"Location": f"{other.url}/v1/session"})
        with fake(Turns(elsewhere)) as server, connect(server.url, TOKEN) as client:
            with pytest.raises(Redirected, match="points elsewhere, and a token is not sent there"):
                client.ask(SQL)
            assert len(server.asked()) == 1
        with fake(lambda _: elsewhere) as server, pytest.raises(Redirected):
            connect(server.url, TOKEN)
        assert other.seen == []


def test_nothing_shows_the_token() -> None:
    spaced = " ".join(TOKEN[i : i + 5] for i in range(0, len(TOKEN), 5))
    echo = refusal(
        400, f"code {TOKEN}", f"no {TOKEN} \x1b[2J{TOKEN[:9]}\x07{TOKEN[9:]}", a=[TOKEN, {TOKEN: 1}]
    )
    echo.headers = {"X-Request-Id": TOKEN}
    with fake(Turns(echo)) as server, connect(server.url, TOKEN) as client:
        with pytest.raises(BadQuestion) as caught:
            client.ask(SQL)
        error = caught.value
        shown = [str(error), repr(error), repr(vars(error)), repr(client), repr(client["meters"]), client.url]
        shown += [repr(vars(client._calls)), repr(vars(client._calls.transport)), str(vars(client))]
        assert not [text for text in shown if TOKEN in text or spaced in text]
        assert str(error) == "no ... [2J..."
        assert all(TOKEN not in seen.path for seen in server.seen)
        with pytest.raises(TypeError):
            pickle.dumps(client)


@pytest.mark.parametrize("token", ["", "  ", "two words", "new\nline", "tök", "a\x00b", None, 7])
def test_what_is_no_token_is_refused_and_not_repeated(token: object) -> None:
    with pytest.raises(RequestError, match="the token is none") as caught:
        connect("https://data.example.org", token)  # type: ignore[arg-type]
    assert not str(token or "").strip() or str(token) not in str(caught.value)


def test_a_token_that_was_read_from_a_file_may_end_its_line() -> None:
    with fake(lambda _: None) as server:
        connect(server.url, f"{TOKEN}\n").close()
        assert server.seen[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe{}",
        b'{"answers": NaN}',
        b'{"answers": 1e9999999999999999999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_proper_json_is_told(content: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    with fake(Turns(Say(raw=head.encode() + content))) as server, connect(server.url, TOKEN) as client:
        with pytest.raises(BadReply, match=r"is this the address of a noiseless server|no proper"):
            client.ask(SQL)
        assert len(server.asked()) == 1


def test_a_page_of_another_server_is_told() -> None:
    page = Say("<html>", headers={"Content-Type": "text/html"})
    with fake(lambda _: page) as server, pytest.raises(BadReply, match="does not answer in JSON"):
        connect(server.url, TOKEN)


def test_a_server_below_a_path_is_found() -> None:
    def script(seen: Seen) -> Say | None:
        return Say(SESSION) if seen.path == "/data/v1/session" else ANSWER

    with fake(script) as server, connect(f"{server.url}/data/", TOKEN) as client:
        client["a/b?c"].ask(SQL)
        assert server.seen[-1].path == "/data/v1/datasets/a%2Fb%3Fc/queries"
