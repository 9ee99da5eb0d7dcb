"""One shape for every refusal, and what the errors of the library become in it.

A refusal says what is wrong with the request and how to mend it. It holds nothing of the private table, and
nothing about the machine: what an analyst cannot mend is told in general words, and the log has the rest.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from noiseless.amounts import remainder, standing
from noiseless.curator.source import ChangedSourceError
from noiseless.errors import NoiselessError
from noiseless.ledger import LedgerError, QuotaError
from noiseless.ledger.analysts import KeyReusedError
from noiseless.pricing.history import BudgetError


class UndeclaredError(NoiselessError):
    """The file, the source and the ledger do not agree on what the present version is.

    Attributes:
        problem: why. It may depend on private values: it is for the owner alone, and for no log.
    """

    def __init__(self, problem: NoiselessError) -> None:
        super().__init__("what is declared does not agree with the ledger")
        self.problem = problem


class ApiError(Exception):
    """A refusal.

    Attributes:
        status: of HTTP.
        code: a word for programs.
        message: a sentence for people.
        details: what else a program may want to know.
        headers: of the response.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.status, self.code, self.message = status, code, message
        self.details, self.headers = dict(details or {}), dict(headers or {})

    @property
    def body(self) -> bytes:
        """The response's body."""
        said = {"error": {"code": self.code, "message": self.message, "details": self.details}}
        return json.dumps(said, separators=(",", ":"), allow_nan=False).encode()


def unauthorised() -> ApiError:
    """The same for every token that is not valid, whatever the reason."""
    challenge = {"WWW-Authenticate": 'Bearer realm="noiseless"'}
    return ApiError(401, "unauthorised", "a valid token is needed; ask the dataset's owner", {}, challenge)


def forbidden() -> ApiError:
    """The token's role does not allow it."""
    return ApiError(403, "forbidden", "only an owner of the dataset may do that")


def not_found() -> ApiError:
    """The same for what is not there and for what the token may not see."""
    return ApiError(404, "not_found", "there is no such thing, or this token may not see it")


def bad_request(message: str) -> ApiError:
    """The request is not well formed."""
    return ApiError(400, "bad_request", message)


def bad_query(error: NoiselessError, statement: int | None = None) -> ApiError:
    """A statement cannot be priced: why, and which one of a batch."""
    return ApiError(400, "bad_query", str(error), {} if statement is None else {"statement": statement})


def data_changed() -> ApiError:
    """It stays so until the owner does something: asking again is no use."""
    said = "the data, or what its owner says of it, is not the declared version; its owner must declare it"
    return ApiError(409, "data_changed", said)


def too_slow() -> ApiError:
    """The request does not arrive."""
    return ApiError(408, "timeout", "the request took too long to arrive; send it again")


def not_json() -> ApiError:
    """The request calls its body something else."""
    return ApiError(415, "bad_request", "send the body as application/json")


def too_large(message: str, most: int) -> ApiError:
    """The request is larger than the server takes."""
    return ApiError(413, "too_large", message, {"most": most})


def too_many(seconds: float) -> ApiError:
    """The token made too many requests."""
    wait = max(1, int(seconds + 0.999))
    said = f"too many requests; ask again in {wait} s"
    return ApiError(429, "too_many", said, {"retry_after": wait}, {"Retry-After": str(wait)})


def timeout() -> ApiError:
    """What was charged for goes on, and anyone who asks again gets what came of it."""
    said = "it takes too long; ask for less at once, or ask again: what was charged meanwhile is free then"
    return ApiError(503, "timeout", said, {}, {"Retry-After": "1"})


def unavailable(said: str = "the server is busy; ask again") -> ApiError:
    """It cannot be done now."""
    return ApiError(503, "unavailable", said, {}, {"Retry-After": "1"})


def internal() -> ApiError:
    """Something failed inside; what, is in the log."""
    return ApiError(500, "internal", "something failed inside; what was charged is free when asked again")


def refusal(error: BaseException) -> ApiError:
    """What an error becomes."""
    if isinstance(error, ApiError):
        return error
    return _of_library(error) or _of_framework(error) or internal()


def _of_library(error: BaseException) -> ApiError | None:
    if isinstance(error, BudgetError):
        return ApiError(409, "budget_exceeded", str(error), _budget_details(error))
    if isinstance(error, LedgerError):
        return unavailable("the ledger cannot be written or read now; ask again: what was charged is free")
    if isinstance(error, ChangedSourceError | UndeclaredError):
        return data_changed()
    return ApiError(409, "key_reused", str(error)) if isinstance(error, KeyReusedError) else None


def _of_framework(error: BaseException) -> ApiError | None:
    """What the framework refuses: unknown paths, other methods, parameters that make no sense."""
    if isinstance(error, RequestValidationError):
        wrong = [f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors()[:3]]
        return bad_request("; ".join(wrong))
    if not isinstance(error, HTTPException):
        return None
    status, headers = error.status_code, dict(error.headers or {})
    if status == HTTPStatus.NOT_FOUND:
        return not_found()
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        said = "this method is not possible here; see /openapi.json"
        return ApiError(status, "method_not_allowed", said, {}, headers)
    return ApiError(status, "bad_request", "the request is not well formed", {}, headers)


def logged(error: BaseException) -> str:
    """What the log says about an error: nothing that anyone wrote, no value of any data."""
    cause = error.__cause__ if isinstance(error, ApiError) and error.__cause__ is not None else error
    kind = type(cause).__name__
    if isinstance(cause, LedgerError | ChangedSourceError) and not isinstance(cause, QuotaError):
        return f"{kind}: {cause}"
    bare = getattr(cause, "bare", None)
    return f"{kind}: {bare}" if bare and isinstance(cause, NoiselessError) else kind


def _budget_details(error: BudgetError) -> dict[str, Any]:
    """What is spent, asked for and left, in bits; it depends on the questions alone."""
    return {
        **standing(error.spent, remainder(error.budget, error.spent)),
        "asked": error.asked.upper,
        "asked_exact": error.asked.text,
        "whose": "analyst" if isinstance(error, QuotaError) else "dataset",
    }
