"""Bodies of requests: JSON, checked against what is asked for."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from noiseless.server.errors import ApiError, bad_request

Body = TypeVar("Body", bound=BaseModel)

JSON = "application/json"


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
        return model.model_validate_json(content)
    except ValidationError as error:
        raise bad_request(_explained(error)) from None


def _explained(error: ValidationError) -> str:
    """The first mistake, without what was written."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "the body is not valid JSON; send one object"
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
