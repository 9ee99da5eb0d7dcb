"""A call: one request, tried again on a fixed schedule where that cannot do harm, and what its reply says."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from urllib3 import Retry
from urllib3.exceptions import InvalidHeader

from noiseless.client.errors import (
    BadQuestion,
    BadReply,
    BudgetRefused,
    DataChanged,
    Forbidden,
    NotFound,
    Redirected,
    ServerError,
    TooLarge,
    TooMany,
    Unauthorised,
    Unavailable,
    Unreachable,
)
from noiseless.client.json_objects import JsonObject, read_object
from noiseless.client.transport import LostError, Request, Response, Transport


@dataclass(frozen=True)
class Patience:
    """How long to go on trying, and how often.

    Attributes:
        total: seconds for a call with all its tries.
        first: seconds before the second try, at most; each later one waits up to twice as long.
        most: seconds that are never exceeded, unless the server asks for more.
        clock: tells seconds.
        sleep: waits.
    """

    total: float = 180.0
    first: float = 0.2
    most: float = 5.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self, seed: str, attempt: int) -> float:
        """Seconds before the next try, after `attempt` that failed.

        Between half of the full wait and all of it: where clients are cut off at the same time, they do not
        come back at the same time, because their seeds differ. The same seed waits the same.

        >>> patience = Patience()
        >>> [patience.wait("a", 1) == patience.wait("a", 1), patience.wait("a", 1) == patience.wait("b", 1)]
        [True, False]
        """
        full = min(self.most, self.first * 2.0 ** min(attempt - 1, 30))
        share = int.from_bytes(sha256(f"{seed}/{attempt}".encode()).digest()[:4]) / 2**32
        return full * (1 + share) / 2


def seconds_after(text: str | None) -> float | None:
    """Seconds that a `Retry-After` asks for: a number, or a date.

    >>> seconds_after("3"), seconds_after(None), seconds_after("soon"), seconds_after("-1")
    (3.0, None, None, None)
    """
    try:
        return None if text is None else float(Retry().parse_retry_after(text))
    except (InvalidHeader, ValueError, OverflowError):
        return None


_PASSING = frozenset({408, 429, 502, 503, 504})
"""What may be otherwise a little later. All else is a refusal, and stays one."""

_KINDS: dict[int, type[ServerError]] = {
    400: BadQuestion,
    401: Unauthorised,
    403: Forbidden,
    404: NotFound,
    413: TooLarge,
    429: TooMany,
    **dict.fromkeys((408, 502, 503, 504), Unavailable),
}
_CONFLICTS: dict[str | None, type[ServerError]] = {
    "budget_exceeded": BudgetRefused,
    "data_changed": DataChanged,
}
_SAID = {
    400: "the server does not understand the request; is the client as new as the server?",
    401: "a valid token is needed; ask the dataset's owner",
    403: "only an owner of the dataset may do that; use an owner's token",
    404: "there is no such thing, or this token may not see it; look at client.datasets()",
    413: "the request is too large; ask for fewer things at once",
    429: "too many requests; ask again later",
    **dict.fromkeys((408, 502, 503, 504), "the server cannot answer now; ask again later"),
}
_DONE, _ELSEWHERE = 2, 3
"""The hundreds of a status."""

_AGAIN = "; asking again is safe: what was charged is free then"
_MOST_LETTERS = 500


class Calls:
    """All calls of a client."""

    def __init__(self, transport: Transport, patience: Patience) -> None:
        self.transport, self.patience = transport, patience

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        repeatable: bool = True,
        seed: str | None = None,
        total: float | None = None,
        tries: int | None = None,
    ) -> JsonObject:
        """What a request with a JSON body, or none, comes to; as `call`."""
        content = None if body is None else json.dumps(body).encode()
        request = Request(method, path, content, repeatable)
        return self.call(request, seed or secrets.token_hex(8), total, tries)

    def call(
        self, request: Request, seed: str, total: float | None = None, tries: int | None = None
    ) -> JsonObject:
        """What a request comes to.

        Args:
            request: what to send.
            seed: what the schedule of further tries depends on.
            total: seconds for all tries.
            tries: how many there are at most; None as many as the seconds allow.

        Raises:
            ServerError: it is refused, or there is no proper reply in time.
        """
        clock = self.patience.clock
        ends = clock() + (self.patience.total if total is None else total)
        attempt = 0
        while True:
            attempt += 1
            found = self._once(request, ends - clock())
            if isinstance(found, JsonObject):
                return found
            error, passing = found
            wait = max(self.patience.wait(seed, attempt), error.retry_after or 0.0)
            if not passing or attempt == tries or clock() + wait >= ends:
                raise error
            self.patience.sleep(wait)

    def _once(self, request: Request, seconds: float) -> JsonObject | tuple[ServerError, bool]:
        """The reply; or why there is none, and whether another try may help and does no harm."""
        try:
            response = self.transport.send(request, seconds)
        except LostError as lost:
            charging = request.method == "POST" and request.repeatable
            again = _AGAIN if charging and lost.passing else ""
            error = Unreachable(f"{self.transport.address} cannot be reached: {lost.reason}{again}")
            return error, lost.passing and (request.repeatable or not lost.sent)
        if response.status // 100 == _DONE:
            return self._content(response)
        return self._refusal(response), request.repeatable and response.status in _PASSING

    def _content(self, response: Response) -> JsonObject:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise BadReply(
                f"{self.transport.address} does not answer in JSON; is a noiseless server there?",
                status=response.status,
            )
        return read_object(response.body)

    def _refusal(self, response: Response) -> ServerError:
        status = response.status
        if status // 100 == _ELSEWHERE:
            said = "points elsewhere, and a token is not sent there; connect to the right address"
            return Redirected(f"{self.transport.address} {said}", status=status, code="redirected")
        code, message, details = self._said(response)
        kind = _KINDS.get(status, ServerError)
        if status == HTTPStatus.CONFLICT:
            kind = _CONFLICTS.get(code, ServerError)
        return kind(
            message or _SAID.get(status, f"the server failed (status {status}); ask its owner"),
            status=status,
            code=code,
            details=details,
            request_id=self._clean(response.headers.get("x-request-id"), 64) or None,
            retry_after=seconds_after(response.headers.get("retry-after")) if status in _PASSING else None,
        )

    def _said(self, response: Response) -> tuple[str | None, str, Mapping[str, Any]]:
        """The code, the message and the details of a refusal; a proxy's pages have none."""
        try:
            said = read_object(response.body).member("error").values
            details = self._hidden(said.get("details"))
        except (BadReply, RecursionError):
            return None, "", {}
        return (
            self._clean(said.get("code"), 64) or None,
            self._clean(said.get("message"), _MOST_LETTERS),
            details if isinstance(details, dict) else {},
        )

    def _hidden(self, value: object) -> object:
        """A JSON value without the token in it."""
        if isinstance(value, str):
            return self.transport.token.hidden(value)
        if isinstance(value, list):
            return [self._hidden(each) for each in value]
        if isinstance(value, dict):
            return {self.transport.token.hidden(name): self._hidden(each) for name, each in value.items()}
        return value

    def _clean(self, text: object, most: int) -> str:
        """One line without anything that a terminal would take for a command, or for the token."""
        if not isinstance(text, str):
            return ""
        line = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
        return self.transport.token.hidden(line)[:most]
