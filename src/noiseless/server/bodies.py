"""Bodies of requests: JSON, checked against what is asked for."""

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from noiseless.display import plain_problem
from noiseless.server.errors import ApiError, bad_request

Body = TypeVar("Body", bound=BaseModel)

JSON = "application/json"
_NO_JSON = "the body is not valid JSON; send one object"


def require_json(kind: str | None) -> None:
    """Refuse bodies of another kind.

    Raises:
        ApiError: the header names another one.
    """
    if kind is not None and kind != JSON and kind.partition(";")[0].strip().lower() != JSON:
        raise ApiError(415, "bad_request", "send the body as application/json")


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
