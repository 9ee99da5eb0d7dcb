"""What the OpenAPI document says about endpoints: summaries, schemas, refusals and examples."""

from typing import Any

from pydantic import BaseModel

from noiseless.server import models
from noiseless.server.errors import (
    ApiError,
    bad_request,
    forbidden,
    not_found,
    not_json,
    too_large,
    too_many,
    too_slow,
    unauthorised,
    unavailable,
)

_REFUSALS: dict[int, tuple[str, ApiError]] = {
    400: ("The request makes no sense", bad_request("queries: Field required")),
    401: ("No valid token", unauthorised()),
    403: ("The role does not allow it", forbidden()),
    404: ("Not there, or not for this token", not_found()),
    408: ("The request arrived too slowly", too_slow()),
    409: (
        "The budget does not allow it, the key came with another batch, or the data is not as declared",
        ApiError(
            409,
            "budget_exceeded",
            "the batch costs 2.00 bits, 5.00 bits are spent and 1.00 bits are left; ask for coarser answers",
        ),
    ),
    413: ("Too large", too_large("a batch has at most 100 statements; send several", 100)),
    415: ("Not JSON", not_json()),
    429: ("Too many requests", too_many(1)),
    500: ("Something failed inside", ApiError(500, "internal", "something failed inside")),
    503: ("Not now", unavailable()),
}
_ALWAYS = (400, 401, 429, 500, 503)


def answers(model: type[BaseModel], *refusals: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The responses of an endpoint."""
    found: dict[int | str, dict[str, Any]] = {status: {"model": model, "description": "Done"}}
    example = EXAMPLES.get(model)
    if example is not None:
        found[status]["content"] = {"application/json": {"example": example}}
    for number in sorted({*_ALWAYS, *refusals}):
        what, error = _REFUSALS[number]
        example = {"error": {"code": error.code, "message": error.message, "details": {}}}
        found[number] = {
            "model": models.Error,
            "description": what,
            "content": {"application/json": {"example": example}},
        }
    return found


def described(
    summary: str,
    model: type[BaseModel],
    *refusals: int,
    status: int = 200,
    body: type[BaseModel] | None = None,
) -> dict[str, Any]:
    """What a route says of itself."""
    more = {} if body is None else {"requestBody": _request(body)}
    sending = (408, 413, 415) if body is not None else ()
    return {
        "summary": summary,
        "status_code": status,
        "responses": answers(model, *refusals, *sending, status=status),
        "openapi_extra": {"security": [{"bearer": []}], **more},
    }


def _request(body: type[BaseModel]) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": body.model_json_schema()}
    if body in EXAMPLES:
        content["example"] = EXAMPLES[body]
    return {"required": True, "content": {"application/json": content}}


_SQL = "SELECT AVG(kwh) FROM meters WHERE suburb = 'north'"
_STANDING = {
    "spent": 2.0,
    "spent_exact": "2",
    "remaining": 38.0,
    "remaining_exact": "38",
    "remaining_outputs": "274877906944",
}

EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    models.QueriesBody: {"queries": [_SQL], "dry_run": False},
    models.BudgetBody: {"bits": 50, "reason": "yearly review"},
    models.TokenBody: {"name": "ann", "role": "analyst", "datasets": ["meters"], "expires": "30d"},
    models.Session: {
        "name": "ann",
        "role": "analyst",
        "datasets": ["meters"],
        "roles": {"meters": "analyst"},
        "expires": "2030-12-31T00:00:00.000000Z",
    },
    models.BatchReply: {
        "answers": [
            {
                "sql": _SQL,
                "columns": [{"name": "avg", "group": False, "bits": 1.0, "bits_exact": "1", "free": False}],
                "rows": [
                    {
                        "group": {},
                        "column": "avg",
                        "value": 4.25,
                        "lower": 4.0,
                        "upper": 4.5,
                        "value_exact": "17/4",
                        "lower_exact": "4",
                        "upper_exact": "9/2",
                        "may_be_missing": False,
                    }
                ],
                "value": 4.25,
                "lower": 4.0,
                "upper": 4.5,
                "bits": 1.0,
                "bits_exact": "1",
                "free": False,
            }
        ],
        "batch_bits": 1.0,
        "batch_bits_exact": "1",
        "rule": "one question",
        **_STANDING,
        "warnings": [],
        "dry_run": False,
    },
    models.TokenMade: {
        "token": "nls_0123456789abcdef_...",
        "id": "0123456789abcdef",
        "name": "ann",
        "role": "analyst",
        "datasets": ["meters"],
        "expires": None,
    },
    models.BudgetChanged: {
        "entry": 12,
        "budget": 50.0,
        "budget_exact": "50",
        **_STANDING,
        "note": "write bits = 50 into the curator's file too",
    },
}
