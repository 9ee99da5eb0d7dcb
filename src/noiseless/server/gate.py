"""The gate: what a request must be, who asks, how often and how long, before it reaches a route."""

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from itertools import count
from typing import Any, TypeVar

from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from noiseless.display import plain_problem
from noiseless.server.callers import Caller
from noiseless.server.datasets import ServedDataset, dumped
from noiseless.server.errors import (
    ApiError,
    bad_request,
    logged,
    not_found,
    not_json,
    refusal,
    too_large,
    too_slow,
    unauthorised,
)
from noiseless.server.service import Service
from noiseless.server.telemetry import exception_fields, log

Body = TypeVar("Body", bound=BaseModel)

JSON = "application/json"
_NO_JSON = "the body is not valid JSON; send one object"


def checked_body(content: bytes, model: type[Body]) -> Body:
    """The body of a request.

    Raises:
        ApiError: it is not JSON, or not what is asked for.
    """
    try:
        _MEMBERS.decode(content.decode())
        return model.model_validate_json(content)
    except ValidationError as error:
        raise bad_request(_explained(error)) from None
    except _TwiceError:
        raise bad_request("a member comes twice; send it once") from None
    except (ValueError, RecursionError):  # also bytes that are no UTF-8
        raise bad_request(_NO_JSON) from None


class _TwiceError(Exception):
    """An object names a member twice: two programs may read it in two ways."""


def _named_once(pairs: list[tuple[str, object]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _TwiceError


def _none(text: str) -> None:
    raise ValueError(text)


_MEMBERS = json.JSONDecoder(object_pairs_hook=_named_once, parse_int=str, parse_constant=_none)
"""Reads nothing, and finds what JSON does not allow."""


def _explained(error: ValidationError) -> str:
    """The first mistake, without what was written."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return _NO_JSON
    place = ".".join(str(part) for part in first["loc"])
    problem = plain_problem(first["msg"])
    return f"{place}: {problem}" if place else problem


Found = TypeVar("Found")

PAGE_BYTES = 1_000_000
"""A page is about so long at most, unless its only thing is longer."""


def service_of(request: Request) -> Service:
    """What all requests share."""
    visit: _Visit = request.scope["visit"]
    return visit.office


def caller_of(request: Request) -> Caller:
    """Who asks."""
    found: Caller = request.scope["caller"]
    return found


def served_dataset_of(request: Request, name: str, *, owner: bool = False) -> ServedDataset:
    """The dataset that a request is about.

    Raises:
        ApiError: the caller may not see it, or may not do that with it.
    """
    caller, office = caller_of(request), service_of(request)
    if owner:
        caller.require_owner(name)
    else:
        caller.require(name)
    request.scope["log"]["dataset"] = name
    desk = office.desks.get(name)
    if desk is None:
        raise not_found()
    return desk


async def worked(request: Request, what: Callable[[], Found]) -> Found:
    """Do some work for the caller in a thread; as `Service.work`."""
    return await service_of(request).work(what, caller_of(request).token)


def fitting(things: Iterable[Found], most: int, size: Callable[[Found], int]) -> tuple[list[Found], bool]:
    """The first things, as many as fit on a page; at least one, if there is any. And whether others follow.

    >>> fitting(["a", "b", "c"], 2, len), fitting(["a" * 10**7, "b"], 2, len)[1]
    ((['a', 'b'], True), True)
    """
    shown, total = list[Found](), 0
    for thing in things:
        total += size(thing)
        if len(shown) == most or (shown and total > PAGE_BYTES):
            return shown, True
        shown.append(thing)
    return shown, False


class PlainRoute(APIRoute):
    """An endpoint that gets requests as they are, unless the framework has parameters to read.

    Were it to look at all requests, half as many free batches would be answered a second.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **named: Any) -> None:  # noqa: ANN401 - the framework's
        super().__init__(path, endpoint, **named)
        self.app = AsyncExitStackMiddleware(self.app) if self.dependant.query_params else self._answer

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self.endpoint(Request(scope, receive, send), **scope["path_params"])
        await response(scope, receive, send)


class StrictRoute(PlainRoute):
    """An endpoint that refuses parameters it does not have: they are slips of the pen."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request.

        Raises:
            ApiError: there is another parameter, or one comes twice.
        """
        if scope["query_string"]:
            given = QueryParams(scope["query_string"])
            names = {field.alias for field in self.dependant.query_params}
            if not names.issuperset(given):
                known = f"it has {', '.join(sorted(names))}" if names else "it has none"
                raise bad_request(f"the endpoint has no such parameter; {known}")
            if len(given.multi_items()) > len(given):
                raise bad_request("a parameter comes twice; send it once")
        await super().handle(scope, receive, send)


async def read_body(request: Request, model: type[Body]) -> Body:
    """The body of a request, which is not kept: while a batch waits, its statements are all there is of it.

    Raises:
        ApiError: it is not JSON, or not what is asked for; it is too large, or comes too slowly.
    """
    visit: _Visit = request.scope["visit"]
    return checked_body(await visit.body(), model)


def json_response(value: object, status: int = 200) -> Response:
    """A response of plain JSON."""
    return Response(dumped(value), status, media_type=JSON)


def note_refusal(scope: Scope, error: BaseException, found: ApiError) -> None:
    """What the log says about a refusal."""
    scope["log"]["code"] = found.code
    if found.status in {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.SERVICE_UNAVAILABLE,
    }:
        scope["log"]["problem"] = logged(error)


_VERSIONS = frozenset({"1.0", "1.1"})
_ONCE = frozenset({b"host", b"content-type", b"content-length", b"transfer-encoding", b"content-encoding"})


def require_clear(scope: Scope) -> None:
    """Refuse a head that two programs may take for two different requests.

    Raises:
        ApiError: it is such a head.
    """
    seen: set[bytes] = set()
    for name, value in scope["headers"]:
        if name in seen:
            if name == b"authorization":
                raise unauthorised()
            if name in _ONCE:
                raise bad_request(f"the field {name.decode()} comes twice; send it once")
        seen.add(name)
        if name == b"transfer-encoding" and value.strip().lower() != b"chunked":
            raise bad_request("a body is sent as it is, or in chunks; no other transfer coding is taken")
        if name == b"content-encoding" and value.strip().lower() != b"identity":
            raise ApiError(415, "bad_request", "a body is sent as it is; no content coding is taken")
    if scope["http_version"] not in _VERSIONS:
        raise bad_request("this server speaks HTTP/1.1; send that")
    if b"host" not in seen and scope["http_version"] == "1.1":
        raise bad_request("the field host is missing; every request names its host")


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
        self.office, self._app, self._scope = office, app, scope
        self._receive, self._send = receive, send
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._begun = time.perf_counter()
        self._status = 0
        length = self._headers.get(b"content-length", b"0")
        self._length = int(length) if length.isdigit() and len(length) <= _MOST_DIGITS else 2**63
        self._is_read = b"transfer-encoding" not in self._headers and not self._length
        self._id = f"{_STARTED}-{next(_NUMBERS):x}"
        scope["log"], scope["visit"] = {}, self

    async def run(self) -> None:
        try:
            await self._enter()
            await self._app(self._scope, self._receive, self.send)
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
        if self._length > self.office.settings.max_body:
            raise self._too_large()
        if self._scope["path"].startswith(API):
            header = self._headers.get(b"authorization")
            if header is None:
                raise unauthorised()
            caller = await self.office.callers.find(header.decode("latin-1"))
            self._scope["caller"] = caller
            self._scope["log"]["token"] = caller.token
            self.office.rates.take(caller.token)

    def _too_large(self) -> ApiError:
        most = self.office.settings.max_body
        return too_large(f"a request's body has at most {most:,} bytes; ask for fewer things at once", most)

    async def body(self) -> bytes:
        """All of the body; it must come in time and be small enough.

        Raises:
            ApiError: it does not, or it is not called JSON.
        """
        kind = self._headers.get(b"content-type", b"application/json")
        if kind.partition(b";")[0].strip().lower() != b"application/json":
            raise not_json()
        parts, size = list[bytes](), 0
        try:
            async with asyncio.timeout(self.office.settings.body_timeout):
                while not self._is_read:
                    message = await self._receive()
                    if message["type"] != "http.request":
                        raise bad_request("the request ended before all of it arrived")
                    parts.append(message.get("body", b""))
                    self._is_read = not message.get("more_body", False)
                    size += len(parts[-1])
                    if size > self.office.settings.max_body:
                        raise self._too_large()
        except TimeoutError:
            raise too_slow() from None
        return b"".join(parts)

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
        del self._scope["visit"]  # no cycle is left for the collector
        seconds = time.perf_counter() - self._begun
        route = route_of(self._scope)
        method = self._scope["method"] if self._scope["method"] in _METHODS else "other"
        self.office.metrics.observe(method, route, self._status, seconds)
        if route in {"/healthz", "/readyz", "/metrics"} and self._status == _DONE:
            return
        fields: dict[str, Any] = {"request": self._id, "method": method, "route": route}
        fields |= {"status": self._status, "ms": round(seconds * 1000, 2), **self._scope["log"]}
        log("request", **fields)


def route_of(scope: Scope) -> str:
    """The pattern of a request's path; never the path itself, in which anything may be written."""
    path = getattr(scope.get("route"), "path", None)
    return str(path or scope.get("pattern", "none"))
