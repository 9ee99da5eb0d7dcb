"""The client against a real server: what is lost on the way is asked again and charged for once."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

import noiseless as nl
from client_servers import Role, new_token
from curator_examples import write_curator
from noiseless.client import BadQuestion, BudgetRefused, Client, Forbidden, NotFound, Unauthorised, connect
from noiseless.exact import Bits
from noiseless.ledger import Ledger
from server_examples import Process
from waiting import HANGS

MEAN = "SELECT AVG(kwh) FROM meters"
MOST = "SELECT suburb, MAX(kwh) AS most FROM meters GROUP BY suburb"
BITS = 9


def write(folder: Path) -> Path:
    """A curator whose records hold so much that the budget protects them."""
    path = write_curator(folder, bits=BITS, budget="min_group = 1")
    text = path.read_text().replace("bounds = [0, 10]", "bounds = [0, 1000]")
    path.write_text(f"{text}[queries.excess]\nformula = 'max(kwh - 5, 0)'\nstep = 0.5\n")
    return path


class Place:
    """A curator, its ledger and a server."""

    def __init__(self, folder: Path) -> None:
        self.curator = write(folder)
        self.ledger = f"sqlite:///{folder / 'meters-ledger.db'}"
        self.server = Process(self.curator)

    def token(self, *, name: str = "ann", role: Role = "analyst") -> str:
        made = new_token(self.ledger, "meters", name=name, role=role)
        time.sleep(0.1)  # so long a server may not know of a token that another process made
        return made

    def charges(self) -> int:
        """How many batches were charged for, beside what is public."""
        with Ledger.open(self.ledger) as ledger:
            return sum(
                entry.kind == "charge" and entry.analyst is not None for entry in ledger.entries("meters")
            )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    found = Place(tmp_path_factory.mktemp("served"))
    found.server.start()
    yield found
    found.server.stop()


@pytest.fixture
def client(place: Place) -> Iterator[Client]:
    with connect(place.server.url, place.token(), patience=HANGS) as found:
        yield found


def test_the_client_says_what_the_curator_says(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same questions in the same order, asked here and there: the same words, numbers and frames."""
    here, there = (tmp_path_factory.mktemp(name) for name in ("here", "there"))
    asked = Place(there)
    with (
        asked.server,
        connect(asked.server.url, asked.token(), patience=HANGS) as client,
        nl.Curator.open(write(here)) as curator,
    ):
        for batch in [
            (MEAN,),
            (MEAN, MOST),
            (MOST,),
            ("SELECT heating, COUNT(*) FROM meters GROUP BY heating",),
        ]:
            assert repr(client.price(*batch)) == repr(curator.price(*batch))
            found, expected = client.ask(*batch), curator.ask(*batch)
            assert repr(found) == repr(expected)
            assert found._repr_html_() == expected._repr_html_()
            assert found.batch_bits == expected.batch_bits
            assert found.remaining_outputs == expected.remaining_outputs
            assert found.to_arrow().equals(expected.to_arrow())
            for one, other in zip(found.answers, expected.answers, strict=True):
                assert (one.value, one.lower, one.upper) == (other.value, other.lower, other.upper)
                assert (one.column, one.group, one.free) == (other.column, other.group, other.free)
                assert one.bits == other.bits


def test_datasets_samples_and_history(client: Client) -> None:
    assert [line.name for line in client.datasets()] == ["meters"]
    found = client.dataset()
    assert (found.rows, found.budget, found.min_group) == (8, Fraction(BITS), 1)
    assert [column.name for column in found.columns] == ["suburb", "kwh", "solar", "heating"]
    assert found.columns[1].step == Fraction(1, 2)
    assert [(query.name, query.columns) for query in found.queries] == [("excess", ("kwh",))]
    assert "excess()  mean of max(kwh - 5, 0), in steps of 0.5" in repr(found)
    assert client.sample(5, seed=2) == client.sample(5, seed=2)
    assert client.sample(5).to_arrow().column_names == ["suburb", "kwh", "solar", "heating"]
    asked = client.ask(MEAN)
    past = next(batch for batch in client.history() if batch.sql == (MEAN,))
    assert past.cost.outputs == 2
    assert past.results is not None
    assert past.results[0].answers[0].value == asked.answers[0].value


def test_refusals_are_told_by_their_kind(place: Place, client: Client) -> None:
    before = client.dataset().spent
    with pytest.raises(BadQuestion, match="no column is called 'nothing'"):
        client.ask("SELECT AVG(nothing) FROM meters")
    with pytest.raises(BudgetRefused, match="ask for coarser answers or for fewer") as caught:
        client.ask(*(f"SELECT /*+ bits(8) */ {what}(kwh) FROM meters" for what in ("MAX", "MEDIAN", "SUM")))
    assert caught.value.spent is not None
    assert caught.value.asked is not None
    assert caught.value.remaining is not None
    assert caught.value.asked > caught.value.remaining
    assert caught.value.spent == before.upper
    with pytest.raises(NotFound, match=r"no dataset is called 'other'.*it may see 'meters'"):
        client["other"].ask(MEAN)
    with pytest.raises(Forbidden, match="only an owner"):
        client["meters"].ledger()
    with pytest.raises(Unauthorised, match="a valid token is needed"):
        connect(place.server.url, "nls_0123456789abcdef_" + "x" * 43)
    assert client.dataset().spent == before


def test_owners_see_the_ledger_and_look_after_tokens_and_budgets(place: Place) -> None:
    with connect(place.server.url, place.token(name="olga", role="owner")) as owner:
        made = owner.add_token("bob", datasets=["meters"], expires="1d")
        with connect(place.server.url, made) as bob:
            assert bob.session.name == "bob"
            (listed,) = (token for token in owner.tokens() if token["name"] == "bob")
            assert made not in repr(listed)
            owner.revoke_token(str(listed["id"]))
            with pytest.raises(Unauthorised):
                bob.datasets()
        assert owner["meters"].ledger()[0]["kind"] == "dataset"
        assert owner["meters"].exposure()["rows"] == 8
        assert owner["meters"].change_budget(Bits(600), "a little more").budget == Bits(600)
        assert owner["meters"].change_budget(BITS, "as it was").budget == BITS


@contextmanager
def lossy(port: int, losses: int) -> Iterator[str]:
    """A way to a server on which so many replies to questions are lost, after the server sent them."""
    left = [losses]
    lock = threading.Lock()
    with socket.create_server(("127.0.0.1", 0)) as way:

        def carry() -> None:
            while True:
                try:
                    caller, _ = way.accept()
                except OSError:
                    return
                threading.Thread(target=exchange, args=(caller,), daemon=True).start()

        def exchange(caller: socket.socket) -> None:
            with caller, socket.create_connection(("127.0.0.1", port)) as server:
                while asked := _message(caller):
                    server.sendall(asked)
                    said = _message(server)
                    with lock:
                        lost = asked.startswith(b"POST") and left[0] > 0
                        left[0] -= lost
                    if lost or not said:
                        return
                    caller.sendall(said)

        threading.Thread(target=carry, daemon=True).start()
        yield f"http://127.0.0.1:{way.getsockname()[1]}"
        way.shutdown(socket.SHUT_RDWR)


def _message(source: socket.socket) -> bytes:
    """A request or a reply with a length, head and body."""
    found = b""
    try:
        while b"\r\n\r\n" not in found:
            part = source.recv(65536)
            if not part:
                return b""
            found += part
        head, _, body = found.partition(b"\r\n\r\n")
        lines = [line.lower() for line in head.split(b"\r\n")]
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        while len(body) < length:
            body += source.recv(65536)
    except OSError:
        return b""
    return head + b"\r\n\r\n" + body


def test_a_reply_that_is_lost_is_charged_for_once(place: Place) -> None:
    asked = "SELECT COUNT(*) FROM meters WHERE kwh >= 5"
    with lossy(place.server.port, losses=3) as url, connect(url, place.token(name="lea")) as client:
        before, charges = client.dataset(), place.charges()
        found = client.ask(asked)
        assert found.answers[0].value == 3
        assert found.repeated
        assert found.batch_bits == 1  # what the try cost whose reply was lost
        assert place.charges() == charges + 1
        after = client.dataset()
        assert after.spent.outputs == before.spent.outputs * 2
        assert client.ask(asked).batch_bits == 0
        assert client.dataset().spent == after.spent


def test_many_who_lose_replies_together_are_charged_for_each_question_once(place: Place) -> None:
    questions = [
        f"SELECT COUNT(*) FROM meters WHERE suburb = '{name}' AND solar" for name in ("north", "south")
    ]
    found: list[Fraction | None] = []
    with lossy(place.server.port, losses=6) as url, connect(url, place.token(name="mia")) as client:
        charges = place.charges()

        def ask(number: int) -> None:
            found.append(client.ask(questions[number % 2]).answers[0].value)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [2] * 8
    assert place.charges() == charges + 2


def test_a_server_killed_between_charge_and_reply_answers_when_it_is_back(tmp_path: Path) -> None:
    """Killed right after the charge, started again and killed right before the reply, and started again."""
    place = Place(tmp_path)
    place.server.failpoint = "charged"
    place.server.start()
    codes: list[int] = []

    def look_after() -> None:
        for failpoint in ("replied", None):
            codes.append(place.server.wait())
            place.server.failpoint = failpoint
            place.server.start()

    with connect(place.server.url, place.token(), patience=HANGS) as client:
        keeper = threading.Thread(target=look_after)
        keeper.start()
        found = client.ask(MEAN)
        keeper.join()
        assert codes == [-9, -9]
        assert (found.batch_bits, found.repeated) == (Bits(2), True)
        assert found.spent.outputs == 2
        assert client.ask(MEAN).batch_bits == 0
        assert client.dataset().spent.outputs == 2
    assert place.charges() == 1
    place.server.stop()
    with nl.Curator.open(place.curator) as curator:
        assert curator.ask(MEAN).answers[0].value == found.answers[0].value
        assert curator.ledger.verify().ok
