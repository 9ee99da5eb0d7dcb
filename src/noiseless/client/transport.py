"""One request and its reply over HTTP: where the server is, kept connections, deadlines, replies of bounded size."""

import io
import os
import selectors
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
    parse_headers,
)
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

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


_PART = 1 << 16
_MOST_IDLE = 32
_FINAL, _SWITCHING = 200, 101
"""Statuses below the first announce a response; the second is another protocol, which nobody asked for."""


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
        self._lock = threading.Lock()
        self._idle: list[HTTPConnection] = []
        self._process = os.getpid()
        weakref.finalize(self, _close, self._idle)  # whoever forgets to close the client

    def close(self) -> None:
        """End all connections that nobody uses now."""
        with self._lock:
            _close(self._idle)

    def send(self, request: Request, seconds: float) -> Response:
        """The reply to a request, whatever its status.

        Args:
            request: what to send.
            seconds: within which the whole of the reply must be there.

        Raises:
            LostError: there was none.
            BadReply: it is no HTTP, or too large.
        """
        deadline = time.monotonic() + min(seconds, self._timeout)
        kept = self._kept() if request.repeatable else None
        if kept is not None:
            try:
                return self._exchange(kept, request, deadline)
            except LostError as lost:
                if time.monotonic() >= deadline or not lost.passing:
                    raise
                self.close()  # the server ended the connection while nobody used it, and the others as well
        return self._exchange(self._fresh(deadline), request, deadline)

    def _kept(self) -> HTTPConnection | None:
        with self._lock:
            if self._process != os.getpid():  # the parent process reads from these
                _close(self._idle)
                self._process = os.getpid()
            while self._idle:
                connection = self._idle.pop()
                if _is_quiet(connection):
                    return connection
                connection.close()
        return None

    def _keep(self, connection: HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE and self._process == os.getpid():
                self._idle.append(connection)
                return
        connection.close()

    def _fresh(self, deadline: float) -> HTTPConnection:
        seconds = max(deadline - time.monotonic(), 0.001)
        host, port = self.address.host, self.address.port
        if self._context is None:
            connection = HTTPConnection(host, port, timeout=seconds)
        else:
            connection = HTTPSConnection(host, port, timeout=seconds, context=self._context)
        connection.set_debuglevel(0)  # which would print the token, whatever the process set
        try:
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, UnicodeError) as error:
            connection.close()
            raise _lost(error, sent=False) from None
        return connection

    def _exchange(self, connection: HTTPConnection, request: Request, deadline: float) -> Response:
        finished = False
        try:
            connection.sock.settimeout(max(deadline - time.monotonic(), 0.001))
            connection.response_class = partial(_TimedResponse, deadline=deadline)  # type: ignore[assignment]
            sent = self._sent(connection, request)
            response = connection.getresponse()
            found = Response(response.status, _lower(response), self._read(response))
            finished = sent and not response.will_close and response.status >= _FINAL
        except (OSError, IncompleteRead) as error:
            raise _lost(error, sent=True) from None
        except HTTPException:
            raise BadReply(f"{self.address} does not speak HTTP; check the address and the port") from None
        finally:
            if finished:
                self._keep(connection)
            else:
                connection.close()
        return found

    def _sent(self, connection: HTTPConnection, request: Request) -> bool:
        """Send a request; false if the server ended that, which it may have explained before."""
        path = self.address.prefix + request.path
        try:
            connection.request(request.method, path, request.body, self._headers(request))
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {
            "Authorization": self.token.header,
            "Accept": "application/json",
            "User-Agent": "noiseless-client",
        }
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def _read(self, response: HTTPResponse) -> bytes:
        parts, size = [], 0
        if response.length is not None and response.length > self._max_bytes:
            raise self._too_large()
        while part := response.read(_PART):
            parts.append(part)
            size += len(part)
            if size > self._max_bytes:
                raise self._too_large()
        if response.length:  # it ended before all of it was there
            raise IncompleteRead(b"", response.length)
        return b"".join(parts)

    def _too_large(self) -> BadReply:
        return BadReply(
            f"the reply has more than {self._max_bytes:,} bytes; ask for less at once, or raise max_bytes"
        )


class _TimedResponse(HTTPResponse):
    """A response of which every byte must have come before a deadline, however slowly they come."""

    def __init__(self, sock: socket.socket, *arguments: Any, deadline: float, **named: Any) -> None:  # noqa: ANN401
        super().__init__(sock, *arguments, **named)
        plain: Any = self.fp
        self.fp = io.BufferedReader(_TimedReader(plain.detach(), sock.settimeout, deadline))

    def _read_status(self) -> tuple[str, int, str]:
        """The status of the response itself: what only announces it is passed over (RFC 9110, 15.2)."""
        while True:
            found: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]
            if found[1] >= _FINAL or found[1] == _SWITCHING:
                return found
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
        found: int | None = self._raw.readinto(buffer)
        return found

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def _context(ca_file: str | Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except (OSError, ssl.SSLError):
        raise RequestError(f"{ca_file}: no file of certificates can be read there") from None


def _close(connections: list[HTTPConnection]) -> None:
    while connections:
        connections.pop().close()


def _is_quiet(connection: HTTPConnection) -> bool:
    """Whether nothing came since the last reply: neither the end, nor what would be taken for the next."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return not selector.select(0)


def _lower(response: HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


def _lost(error: Exception, *, sent: bool) -> LostError:
    """Why there is no reply, in words that hold nothing that was sent."""
    if isinstance(error, TimeoutError):
        return LostError("no reply in time", passing=True, sent=sent)
    if sent:
        return LostError("the connection was lost", passing=True, sent=True)
    passing = False
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = f"its certificate is not trusted ({error.verify_message}); pass ca_file= if it is your own"
    elif isinstance(error, UnicodeError):
        reason = "its name is none"
    elif isinstance(error, socket.gaierror):
        reason = "its name is not known; check how it is written"
        passing = error.errno == socket.EAI_AGAIN
    elif isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
        reason = "it does not speak TLS"
    elif isinstance(error, ConnectionRefusedError):
        reason, passing = "the connection is refused; check that a server runs there, and its port", True
    else:
        reason, passing = "no connection", True
    return LostError(reason, passing=passing, sent=False)
