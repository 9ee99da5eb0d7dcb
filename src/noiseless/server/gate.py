"""The way in and out: who asks, how much they send, what is logged, refusals of one shape whatever fails."""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Mapping
from itertools import count
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from noiseless.server.errors import ApiError, refusal, too_large, unauthorised
from noiseless.server.requests import note_refusal, require_clear
from noiseless.server.service import Service
from noiseless.server.telemetry import exception_fields, log

API = "/v1/"

_SAFE = (b"x-content-type-options", b"nosniff")
_DATA = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
_STARTED, _NUMBERS = secrets.token_hex(4), count(1)
_MOST_DIGITS, _DONE = 18, 200
_LINGER_BYTES, _LINGER_SECONDS = 32_000_000, 2.0
_SLOW = "the request took too long to arrive; send it again"


class Gate:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, office: Service) -> None:
        self.app, self.office = app, office

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        elif scope["type"] == "http":
            await _Visit(self.app, self.office, scope, receive, send).run()
        else:
            await self.app(scope, receive, send)


class _Visit:
    """One request and its response."""

    def __init__(self, app: ASGIApp, office: Service, scope: Scope, receive: Receive, send: Send) -> None:
        self._app, self._office, self._scope = app, office, scope
        self._receive, self._send = receive, send
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._begun = time.perf_counter()
        self._status = 0
        self._received = 0
        self._deadline: float | None = None
        self._is_read = b"transfer-encoding" not in self._headers and not self._length()
        self._id = f"{_STARTED}-{next(_NUMBERS):x}"
        scope["log"] = {}

    async def run(self) -> None:
        try:
            await self._enter()
            await self._app(self._scope, self.receive, self.send)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - nothing but its kind and place may leave
            found = refusal(error)
            if found.code == "internal":
                log("failed", logging.ERROR, request=self._id, **exception_fields(error))
            note_refusal(self._scope, error, found)
            await self._reply(found.status, found.body, found.headers)
        finally:
            self._leave()

    async def _enter(self) -> None:
        """Check the head, and the token, before anything is read."""
        require_clear(self._scope)
        if self._length() > self._office.settings.max_body:
            raise self._too_large()
        if self._scope["path"].startswith(API):
            header = self._headers.get(b"authorization")
            if header is None:
                raise unauthorised()
            caller = await self._office.callers.find(header.decode("latin-1"))
            self._scope["caller"] = caller
            self._scope["log"]["token"] = caller.token
            self._office.rates.take(caller.token)

    def _length(self) -> int:
        text = self._headers.get(b"content-length", b"0")
        return int(text) if text.isdigit() and len(text) <= _MOST_DIGITS else 2**63

    def _too_large(self) -> ApiError:
        most = self._office.settings.max_body
        return too_large(f"a request's body has at most {most:,} bytes; ask for fewer things at once", most)

    async def receive(self) -> Message:
        """The next part of the body; the whole of it must come in time and be small enough."""
        if self._is_read and self._received:
            return await self._receive()  # waits for the end of the connection
        if self._deadline is None:
            self._deadline = time.monotonic() + self._office.settings.body_timeout
        try:
            async with asyncio.timeout(self._deadline - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise ApiError(408, "timeout", _SLOW) from None
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            self._is_read = not message.get("more_body", False)
            if self._received > self._office.settings.max_body:
                raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        """A part of the response; its head gets what every response has."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = [*message.get("headers", ()), _SAFE, (b"x-request-id", self._id.encode())]
            if not any(name == b"content-security-policy" for name, _ in headers):
                headers += _DATA
            if not self._is_read:
                headers.append((b"connection", b"close"))  # whatever else comes is no new request
            message = {**message, "headers": headers}
        await self._send(message)

    async def _reply(self, status: int, body: bytes, more: Mapping[str, str]) -> None:
        if self._status:
            return
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            *((name.lower().encode(), value.encode()) for name, value in more.items()),
        ]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        body = b"" if self._scope["method"] == "HEAD" else body
        lingers = not self._is_read and b"expect" not in self._headers
        await self.send({"type": "http.response.body", "body": body, "more_body": lingers})
        if lingers:
            await self._linger()
            await self.send({"type": "http.response.body", "body": b""})

    async def _linger(self) -> None:
        """Read some more of a body that is refused: closed at once, its sender would never see why."""
        left = _LINGER_BYTES
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while left > 0:
                    message = await self._receive()
                    left -= len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body", False):
                        return

    def _leave(self) -> None:
        seconds = time.perf_counter() - self._begun
        route = route_of(self._scope)
        method = self._scope["method"] if self._scope["method"] in _METHODS else "other"
        self._office.metrics.observe(method, route, self._status, seconds)
        if route in {"/healthz", "/readyz", "/metrics"} and self._status == _DONE:
            return
        fields: dict[str, Any] = {"request": self._id, "method": method, "route": route}
        fields |= {"status": self._status, "ms": round(seconds * 1000, 2), **self._scope["log"]}
        log("request", **fields)


def route_of(scope: Scope) -> str:
    """The pattern of a request's path; never the path itself, in which anything may be written."""
    path = getattr(scope.get("route"), "path", None)
    return str(path or scope.get("pattern", "none"))
