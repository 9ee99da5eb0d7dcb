"""What can go wrong between an analyst and a server: one line each, what it is and what to do.

No message holds the token. What a server says is cut to one line of printable characters before it is shown.
"""
# ruff: noqa: N818 - these are what a server said: refusals and failures, named after them

from collections.abc import Mapping
from typing import Any

from noiseless.errors import NoiselessError


class ServerError(NoiselessError):
    """A server refused or failed; the root of all errors of a client.

    Attributes:
        status: of HTTP; None if there was no reply.
        code: the server's word for it, for programs.
        details: what else the server said about it.
        request_id: what the server's log calls the request, if it said so.
        retry_after: seconds after which the server wants to be asked again, if it said so.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.details = status, code, dict(details or {})
        self.request_id, self.retry_after = request_id, retry_after


class Unauthorised(ServerError):
    """The token is not valid: it is wrong, expired or revoked."""


class Forbidden(ServerError):
    """The token is for an analyst, and only an owner may do that."""


class NotFound(ServerError):
    """There is no such dataset, or the token is not for it."""


class BadQuestion(ServerError):
    """The statements, or other arguments, cannot be read, priced or answered. Nothing was charged."""

    @property
    def statement(self) -> int | None:
        """Which statement of the batch it is, counted from 0; None if it is none of them, or not known."""
        found = self.details.get("statement")
        return found if isinstance(found, int) and not isinstance(found, bool) else None


class BudgetRefused(ServerError):
    """The batch costs more than is left. Nothing was charged; the answer did not depend on the data.

    Bits are rounded as the server does it: what is spent and asked for up, what is left down. `details` has
    the same as exact texts: `spent_exact`, `asked_exact`, `remaining_exact`.
    """

    @property
    def spent(self) -> float | None:
        """Bits that are spent already."""
        return _number(self.details.get("spent"))

    @property
    def asked(self) -> float | None:
        """Bits that the batch would cost."""
        return _number(self.details.get("asked"))

    @property
    def remaining(self) -> float | None:
        """Bits that are left."""
        return _number(self.details.get("remaining"))

    @property
    def remaining_outputs(self) -> int | None:
        """Exactly what is left: the most outputs that a batch about everybody may still have."""
        text = self.details.get("remaining_outputs")
        try:
            return int(text, 0) if isinstance(text, str) else None
        except ValueError:
            return None

    @property
    def whose(self) -> str:
        """Whose limit it is: the "dataset" has a budget, an "analyst" may have a quota below it."""
        return "analyst" if self.details.get("whose") == "analyst" else "dataset"


class DataChanged(ServerError):
    """The data is not the version that its owner declared; it stays so until the owner declares it."""


class TooLarge(ServerError):
    """The batch is larger than the server takes; send several."""


class TooMany(ServerError):
    """The token makes too many requests, and waiting did not help in the time allowed."""


class Unavailable(ServerError):
    """The server cannot answer now, and waiting did not help in the time allowed."""


class Unreachable(ServerError):
    """There is no reply: no connection, one that is lost, or a certificate that is not trusted."""


class Redirected(ServerError):
    """The server points elsewhere. The token is not sent there."""


class BadReply(ServerError):
    """The reply is not that of a noiseless server, or is larger than allowed."""


def _number(value: object) -> float | None:
    try:
        return None if value is None or isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
