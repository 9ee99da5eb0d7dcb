"""Reading requests, their heads and bodies, and writing responses, the same way for all endpoints."""

import json
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TypeVar

from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from noiseless.display import plain_problem
from noiseless.server.callers import Caller
from noiseless.server.datasets import ServedDataset
from noiseless.server.errors import ApiError, bad_request, logged, not_found, refusal, unauthorised
from noiseless.server.replies import dumped
from noiseless.server.service import Service

Body = TypeVar("Body", bound=BaseModel)

JSON = "application/json"
_NO_JSON = "the body is not valid JSON; send one object"


def checked_body(content: bytes, model: type[Body]) -> Body:
    """The body of a request.

    Raises:
        ApiError: it is not JSON, or not what is asked for.
    """
    try:
        json.loads(content.decode(), object_pairs_hook=_named_once, parse_int=str, parse_constant=_none)
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
    found: Service = request.app.state.office
    return found


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


class StrictRoute(APIRoute):
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
        ApiError: it is not JSON, or not what is asked for.
    """
    kind = request.headers.get("content-type", JSON)
    if kind.partition(";")[0].strip().lower() != JSON:
        raise ApiError(415, "bad_request", "send the body as application/json")
    return checked_body(b"".join([part async for part in request.stream()]), model)


def json_response(value: object, status: int = 200) -> Response:
    """A response of plain JSON."""
    return Response(dumped(value), status, media_type=JSON)


def error_response(error: ApiError) -> Response:
    """A refusal."""
    return Response(error.body, error.status, dict(error.headers), media_type=JSON)


async def refused(request: Request, error: Exception) -> Response:
    """What an error becomes."""
    found = refusal(error)
    note_refusal(request.scope, error, found)
    return error_response(found)


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
