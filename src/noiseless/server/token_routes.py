"""For owners: tokens of their datasets."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from noiseless.errors import RequestError
from noiseless.ledger import Ledger
from noiseless.ledger.entries import now
from noiseless.ledger.tokens import NewToken, Token, add_token, expiry, list_tokens, revoke_token
from noiseless.server import models
from noiseless.server.callers import Caller
from noiseless.server.errors import bad_request, forbidden, not_found
from noiseless.server.gate import StrictRoute, caller_of, json_response, read_body, service_of, worked
from noiseless.server.openapi import described
from noiseless.server.service import Service

router = APIRouter(route_class=StrictRoute)


@router.get("/v1/tokens", **described("Tokens of the caller's datasets", models.Tokens, 403))
async def get_tokens(request: Request) -> Response:
    """Those of the datasets that the caller owns; secrets are kept nowhere and never shown."""
    office, caller = service_of(request), _owner(request)
    found = await worked(request, lambda: _tokens(office, caller))
    return json_response({"tokens": [_shown(rows) for rows in found.values()]})


@router.post(
    "/v1/tokens", **described("Make a token", models.TokenMade, 403, 404, status=201, body=models.TokenBody)
)
async def post_token(request: Request) -> Response:
    """The token's text is in the response and cannot be shown again."""
    office, caller = service_of(request), _owner(request)
    body = await read_body(request, models.TokenBody)
    datasets = list(dict.fromkeys(body.datasets or caller.owned))
    for name in datasets:
        caller.require_owner(name)
    try:
        expires = expiry(body.expires)
    except RequestError as error:
        raise bad_request(f"expires: {error}") from None
    made = NewToken.random()

    def add() -> None:
        for ledger, names in _by_ledger(office, datasets):
            add_token(
                ledger, names, name=body.name, role=body.role, token=made, expires=expires, by=caller.name
            )

    await worked(request, add)
    office.callers.forget()
    said = {"token": made.text, "id": made.id, "name": body.name, "role": body.role}
    return json_response({**said, "datasets": datasets, "expires": expires}, 201)


@router.delete("/v1/tokens/{token}", **described("Revoke a token", models.TokenRevoked, 403, 404))
async def delete_token(
    request: Request, token: Annotated[str, Path(description="What the token is called.")]
) -> Response:
    """For all datasets that the caller owns; it is refused from now on."""
    office, caller = service_of(request), _owner(request)

    def revoke() -> list[str]:
        rows = _tokens(office, caller).get(token, [])
        names = [row.dataset for row in rows]
        for ledger, several in _by_ledger(office, names):
            revoke_token(ledger, token, several, by=caller.name)
        return names

    names = await worked(request, revoke)
    office.callers.forget()
    if not names:
        raise not_found()
    return json_response({"id": token, "datasets": sorted(names)})


def _owner(request: Request) -> Caller:
    caller = caller_of(request)
    if not caller.owned:
        raise forbidden()
    return caller


def _by_ledger(office: Service, datasets: list[str]) -> list[tuple[Ledger, list[str]]]:
    """Datasets by the ledgers that their tokens are kept in."""
    found: dict[int, tuple[Ledger, list[str]]] = {}
    for name in datasets:
        ledger = office.desks[name].ledger
        found.setdefault(id(ledger), (ledger, []))[1].append(name)
    return list(found.values())


def _tokens(office: Service, caller: Caller) -> dict[str, list[Token]]:
    """The tokens of the datasets that the caller owns, as far as they are for these."""
    owned = set(caller.owned)
    found: dict[str, list[Token]] = {}
    for ledger, names in _by_ledger(office, caller.owned):
        for token in list_tokens(ledger):
            if token.dataset in owned and token.dataset in names:
                found.setdefault(token.id, []).append(token)
    return found


def _shown(rows: list[Token]) -> dict[str, Any]:
    at = now()
    valid = [row for row in rows if row.is_valid(at)]
    first = (valid or rows)[0]
    return {
        **first.to_dict(),
        "datasets": sorted(row.dataset for row in (valid or rows)),
        "valid": bool(valid),
    }
