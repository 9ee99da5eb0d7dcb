"""A client of a server: `nl.connect(url, token)`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from noiseless.client.address import Address
from noiseless.client.asking import RemoteDataset, listed_names
from noiseless.client.calls import Calls
from noiseless.client.datasets import Dataset, DatasetLine, Session, read_datasets, read_session
from noiseless.client.history import PastBatch
from noiseless.client.listings import Listing
from noiseless.client.patience import Patience
from noiseless.client.replies import Quote, Reply
from noiseless.client.transport import Token, Transport
from noiseless.display import printable
from noiseless.errors import RequestError

_FIRST_SECONDS = 10.0
_FIRST_TRIES = 4
"""How long and how often `connect` tries: who mistypes an address does not want to wait."""


def connect(
    url: str,
    token: str,
    *,
    timeout: float = 60.0,
    patience: float = 180.0,
    max_bytes: int = 64_000_000,
    ca_file: str | Path | None = None,
    insecure: bool = False,
) -> "Client":
    """A client of the server at an address, once the server has accepted the token.

    Args:
        url: such as https://data.example.org, or http://localhost:8000.
        token: as `noiseless token add` made it. It is sent to this address and nowhere else.
        timeout: seconds for one try.
        patience: seconds for all tries of a call. What cannot charge twice is tried again when the connection
            fails or the server is busy.
        max_bytes: the most bytes of a reply.
        ca_file: certificates (PEM) to trust instead of the system's.
        insecure: whether plain HTTP to another machine is allowed. Certificates are always checked.

    Raises:
        RequestError: the address is none, or the token must not be sent there.
        Unauthorised: the token is not valid.
        Unreachable: there is no server.
    """
    if not (timeout > 0 and patience > 0 and max_bytes > 0):
        raise RequestError("timeout, patience and max_bytes are more than 0")
    transport = Transport(
        Address.read(url, insecure=insecure),
        Token(token),
        timeout=timeout,
        max_bytes=max_bytes,
        ca_file=ca_file,
    )
    return Client(Calls(transport, replace(Patience(), total=patience)))


class Client:
    """A server's datasets, for the holder of a token; made by `connect`.

    Its connections are kept for the next call; it may be used by several threads, and closed by `close` or at
    the end of a `with`. Where a token is for one dataset, that one is meant unless another is named;
    `client["meters"]` names one.

    Attributes:
        session: whose token it is, as it was when the client was made.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.session: Session = read_session(
            calls.send(
                "GET", "/v1/session", total=min(_FIRST_SECONDS, calls.patience.total), tries=_FIRST_TRIES
            )
        )

    def __repr__(self) -> str:
        names = ", ".join(self.session.datasets) or "none"
        return printable(f"<{self.session.role} {self.session.name!r} at {self.url}; datasets: {names}>")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all connections; the next call makes a new one."""
        self._calls.transport.close()

    @property
    def url(self) -> str:
        """Where the server is."""
        return str(self._calls.transport.address)

    def __getitem__(self, name: str) -> RemoteDataset:
        if not isinstance(name, str):
            raise TypeError("a dataset has a name; write client['meters']")
        return RemoteDataset(self._calls, name, self.session.datasets)

    def datasets(self) -> Listing[DatasetLine]:
        """All datasets that the token may see, with what is spent of each."""
        return read_datasets(self._calls.send("GET", "/v1/datasets"))

    def dataset(self, name: str | None = None) -> Dataset:
        """A dataset's columns, its budget and what is spent of it.

        Args:
            name: which; not needed when the token is for one.
        """
        return (self._only() if name is None else self[name]).describe()

    def price(self, *sql: str) -> Quote:
        """What a batch would cost; as `RemoteDataset.price`, for the token's only dataset."""
        return self._only().price(*sql)

    def ask(self, *sql: str, key: str | None = None) -> Reply:
        """The answers to a batch; as `RemoteDataset.ask`, for the token's only dataset."""
        return self._only().ask(*sql, key=key)

    def sample(self, rows: int = 20, seed: int = 1) -> Listing[Mapping[str, Any]]:
        """Synthetic rows to try statements on; as `RemoteDataset.sample`, for the token's only dataset."""
        return self._only().sample(rows, seed)

    def history(self, limit: int = 20) -> Listing[PastBatch]:
        """Earlier batches; as `RemoteDataset.history`, for the token's only dataset."""
        return self._only().history(limit)

    # For owners

    def tokens(self) -> Listing[Mapping[str, Any]]:
        """The tokens of the datasets that the caller owns; their secrets are kept nowhere."""
        found = self._calls.send("GET", "/v1/tokens").objects("tokens")
        names = ("id", "name", "role", "datasets", "expires", "valid")
        columns = {name: [each.values.get(name) for each in found] for name in names}
        columns["datasets"] = [", ".join(each.texts("datasets")) for each in found]
        title = f"{len(found)} token{'s' * (len(found) != 1)}"
        return Listing(tuple(each.values for each in found), title, columns)

    def add_token(
        self,
        name: str,
        *,
        role: str = "analyst",
        datasets: Sequence[str] | None = None,
        expires: str | None = None,
    ) -> str:
        """A new token, which cannot be shown again; for owners. The request is never sent twice.

        Args:
            name: who gets it; an analyst's account.
            role: analyst or owner.
            datasets: what it is for; all that the caller owns unless said.
            expires: a span such as 12h, 30d or 1y, or a date; None for never.
        """
        body: dict[str, Any] = {"name": name, "role": role, "expires": expires}
        if datasets is not None:
            body["datasets"] = list(datasets)
        return self._calls.send("POST", "/v1/tokens", body, repeatable=False).text("token")

    def revoke_token(self, token: str) -> None:
        """End a token; for owners.

        Args:
            token: its `id`, as in `tokens`.
        """
        self._calls.send("DELETE", f"/v1/tokens/{quote(token, safe='')}")

    def _only(self) -> RemoteDataset:
        names = self.session.datasets
        if len(names) == 1:
            return self[names[0]]
        if not names:
            raise RequestError("the token is for no dataset; ask its owner for another")
        raise RequestError(
            f"the token is for several datasets; write client[{names[0]!r}].ask(...): {listed_names(names)}"
        )
