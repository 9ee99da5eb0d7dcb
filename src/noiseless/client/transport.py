"""One request and its reply over HTTP: where the server is, kept connections, deadlines, a bounded size."""

import io
import os
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException, HTTPResponse, IncompleteRead, RemoteDisconnected, parse_headers
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationParseError,
    NewConnectionError,
    ReadTimeoutError,
)
from urllib3.response import BaseHTTPResponse

from noiseless.client.errors import BadReply
from noiseless.errors import RequestError

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """Where a server is.

    Attributes:
        scheme: http or https.
        host: its name or number.
        port: its port.
        prefix: what the paths of all requests begin with, if a proxy put the server below a path.
    """

    scheme: str
    host: str
    port: int
    prefix: str = ""

    @classmethod
    def read(cls, url: str, *, insecure: bool = False) -> "Address":
        """The address of a URL.

        Args:
            url: such as https://data.example.org, or http://localhost:8000.
            insecure: whether plain HTTP to another machine is allowed.

        Raises:
            RequestError: it is none, or a token must not be sent there.

        >>> str(Address.read("https://data.example.org/noiseless/"))
        'https://data.example.org/noiseless'
        >>> str(Address.read("http://[::1]:8000"))
        'http://[::1]:8000'
        """
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except (AttributeError, ValueError):
            raise RequestError("the URL is none; write https://HOST or http://localhost:PORT") from None
        if parts.scheme not in _PORTS or not parts.hostname:
            raise RequestError(
                "the URL needs a scheme and a host; write https://HOST or http://localhost:PORT"
            )
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise RequestError("the URL holds more than an address; give the token as the second argument")
        if parts.scheme == "http" and not insecure and not is_local(parts.hostname):
            raise RequestError(
                f"http://{_shown(parts.hostname)} would send the token in the clear; write https://, or pass "
                "insecure=True if something else protects the connection"
            )
        prefix = quote(parts.path.rstrip("/"), safe="/%~")
        return cls(parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port, prefix)

    def __str__(self) -> str:
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{_shown(self.host)}{port}{self.prefix}"


def is_local(host: str) -> bool:
    """Whether a host is this machine.

    >>> [is_local(host) for host in ("localhost", "127.0.0.1", "::1", "10.0.0.1", "localhost.example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":  # names below it are looked up by some resolvers
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True)
class Request:
    """A request.

    Attributes:
        method: GET, POST or DELETE.
        path: from /v1 on, with its query.
        body: JSON, if there is any.
        repeatable: whether sending it twice does what sending it once does.
    """

    method: str
    path: str
    body: bytes | None = None
    repeatable: bool = True


@dataclass(frozen=True)
class Response:
    """A reply.

    Attributes:
        status: of HTTP.
        headers: by their names in lower case.
        body: all of it.
    """

    status: int
    headers: dict[str, str]
    body: bytes


class LostError(Exception):
    """There was no reply.

    Attributes:
        reason: why, in a few words.
        passing: whether trying again may help.
        sent: whether the server may have got the request.
    """

    def __init__(self, reason: str, *, passing: bool, sent: bool) -> None:
        super().__init__(reason)
        self.reason, self.passing, self.sent = reason, passing, sent


class BearerToken:
    """A token that no `repr` shows."""

    def __init__(self, text: str) -> None:
        clean = text.strip() if isinstance(text, str) else ""
        if not clean or not all("!" <= letter <= "~" for letter in clean):
            raise RequestError(
                "the token is none: it is one word, as its owner got it from noiseless token add"
            )
        self._text = clean

    def __repr__(self) -> str:
        return "Token(...)"

    @property
    def header(self) -> str:
        """What `Authorization` says."""
        return f"Bearer {self._text}"

    def hidden(self, text: str) -> str:
        """A text without the token in it."""
        return text.replace(self._text, "...")


class Transport:
    """Connections to one server, for any number of threads."""

    def __init__(
        self,
        address: Address,
        token: BearerToken,
        *,
        timeout: float,
        max_bytes: int,
        ca_file: str | Path | None = None,
    ) -> None:
        self.address, self.token = address, token
        self._timeout, self._max_bytes = timeout, max_bytes
        self._context = _context(ca_file) if address.scheme == "https" else None
        self._process, self._pool = os.getpid(), self._connections()

    def close(self) -> None:
        """End all connections that nobody uses now."""
        self._pool.close()
        self._pool = self._connections()

    def send(self, request: Request, seconds: float) -> Response:
        """The reply to a request, whatever its status.

        Args:
            request: what to send. What must not be sent twice gets a connection of its own: one that was kept
                may end when it is used again, and nobody knows what the server got then.
            seconds: within which the whole of the reply must be there.

        Raises:
            LostError: there was none.
            BadReply: it is no HTTP, or too large.
        """
        if self._process != os.getpid():  # the parent process reads from these connections
            self._process, self._pool = os.getpid(), self._connections()
        timeout = Timeout(total=max(min(seconds, self._timeout), 0.001))
        if request.repeatable:
            return self._exchange(self._pool, request, timeout)
        with self._connections() as own:
            return self._exchange(own, request, timeout)

    def _connections(self) -> HTTPConnectionPool:
        host, port = self.address.host, self.address.port
        if self._context is None:
            pool = HTTPConnectionPool(host, port, maxsize=_MOST_IDLE)
            pool.ConnectionCls = _TimedConnection
        else:
            pool = HTTPSConnectionPool(host, port, maxsize=_MOST_IDLE, ssl_context=self._context)
            pool.ConnectionCls = _TimedTlsConnection
        return pool

    def _exchange(self, pool: HTTPConnectionPool, request: Request, timeout: Timeout) -> Response:
        try:
            response = pool.urlopen(
                request.method,
                self.address.prefix + request.path,
                request.body,
                self._headers(request),
                retries=False,
                redirect=False,
                timeout=timeout,
                preload_content=False,
            )
        except (HTTPError, ValueError) as error:
            raise self._lost(error) from None
        if response.status < _FINAL:
            response.close()
        try:
            body = self._read(response)
        except HTTPError as error:
            raise self._lost(error) from None
        finally:
            response.release_conn()
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Response(response.status, headers, body)

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {
            "Authorization": self.token.header,
            "Accept": "application/json",
            "User-Agent": "noiseless-client",
        }
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def _read(self, response: BaseHTTPResponse) -> bytes:
        parts, size = [], response.length_remaining or 0
        if size <= self._max_bytes:
            size = 0
            while size <= self._max_bytes and (part := response.read(_PART, decode_content=False)):
                parts.append(part)
                size += len(part)
        if size > self._max_bytes:
            response.close()
            raise BadReply(
                f"the reply has more than {self._max_bytes:,} bytes; ask for less at once, or raise max_bytes"
            )
        return b"".join(parts)

    def _lost(self, error: Exception) -> LostError | BadReply:
        """Why there is no reply, in words that hold nothing that was sent."""
        cause = error.args[-1] if error.args and isinstance(error.args[-1], Exception) else error.__cause__
        if isinstance(error, NewConnectionError) or isinstance(cause, ssl.SSLError):
            return _not_connected(cause)
        if isinstance(error, ConnectTimeoutError | ReadTimeoutError):
            return LostError("no reply in time", passing=True, sent=isinstance(error, ReadTimeoutError))
        if isinstance(error, LocationParseError | UnicodeError):
            return LostError("its name is none", passing=False, sent=False)
        if isinstance(cause, HTTPException) and not isinstance(cause, RemoteDisconnected | IncompleteRead):
            return BadReply(f"{self.address} does not speak HTTP; check the address and the port")
        return LostError("the connection was lost", passing=True, sent=True)


_PART = 1 << 16
_MOST_IDLE = 32
_FINAL, _SWITCHING = 200, 101
"""Statuses below the first announce a response; the second is another protocol, which nobody asked for."""


class _TimedConnection(HTTPConnection):
    """Gives the whole of a response the seconds that are left; the library gives them to each part of it."""

    debuglevel = 0  # which would print the token, whatever the process set

    def getresponse(self) -> Any:  # noqa: ANN401 - of the library
        """The response."""
        deadline = time.monotonic() + float(self.timeout or 0)  # what the library found to be left
        self.response_class = partial(_TimedResponse, deadline=deadline)  # type: ignore[assignment]
        return super().getresponse()


class _TimedTlsConnection(_TimedConnection, HTTPSConnection):
    """The same over TLS."""


class _TimedResponse(HTTPResponse):
    """A response of which every byte must have come before a deadline, however slowly they come."""

    def __init__(self, sock: socket.socket, *arguments: Any, deadline: float, **named: Any) -> None:  # noqa: ANN401
        super().__init__(sock, *arguments, **named)
        plain: Any = self.fp
        self.fp = io.BufferedReader(_TimedReader(plain.detach(), sock.settimeout, deadline))

    def _read_status(self) -> tuple[str, int, str]:
        """The status of the response itself: what only announces it is passed over (RFC 9110, 15.2)."""
        while True:
            status: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]
            if status[1] >= _FINAL or status[1] == _SWITCHING:
                return status
            parse_headers(self.fp)


class _TimedReader(io.RawIOBase):
    def __init__(self, raw: io.RawIOBase, settimeout: Callable[[float], None], deadline: float) -> None:
        self._raw, self._settimeout, self._deadline = raw, settimeout, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - any buffer
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._settimeout(left)
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def _context(ca_file: str | Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except (OSError, ssl.SSLError):
        raise RequestError(f"{ca_file}: no file of certificates can be read there") from None


def _not_connected(cause: object) -> LostError:
    """Why there is no connection."""
    reason, passing = "no connection", True
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = f"its certificate is not trusted ({cause.verify_message}); pass ca_file= if it is your own"
        passing = False
    elif isinstance(cause, socket.gaierror):
        reason = "its name is not known; check how it is written"
        passing = cause.errno == socket.EAI_AGAIN
    elif isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        reason, passing = "it does not speak TLS", False
    elif isinstance(cause, ConnectionRefusedError):
        reason = "the connection is refused; check that a server runs there, and its port"
    return LostError(reason, passing=passing, sent=False)
