"""For owners: the ledger, exposure, budgets, and the tokens of their datasets."""

import re
from decimal import Decimal
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from noiseless.amounts import Budget
from noiseless.curator.file import read_budget
from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger import Ledger
from noiseless.ledger.analysts import NewToken, Token, add_token, expiry, list_tokens, revoke_token
from noiseless.ledger.entries import now
from noiseless.server import descriptions, models
from noiseless.server.callers import Caller
from noiseless.server.dataset_routes import DatasetName
from noiseless.server.errors import bad_request, forbidden, not_found
from noiseless.server.gate import (
    StrictRoute,
    caller_of,
    fitting,
    json_response,
    read_body,
    served_dataset_of,
    service_of,
    worked,
)
from noiseless.server.openapi import described
from noiseless.server.service import Service

router = APIRouter(route_class=StrictRoute)


@router.get("/v1/datasets/{name}/ledger", **described("Entries of the ledger", models.LedgerPage, 403, 404))
async def get_ledger(
    request: Request,
    name: DatasetName,
    after: Annotated[int, Query(ge=0, le=2**53, description="Only entries after this number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many.")] = 100,
    verify: Annotated[
        bool, Query(description="Whether the whole chain is checked, which takes its time.")
    ] = False,
) -> Response:
    """What was declared, charged and answered, in its order; fewer entries where they are long."""
    desk = served_dataset_of(request, name, owner=True)

    def page() -> dict[str, Any]:
        shown, following = fitting(desk.ledger.entries(name, after), limit, lambda entry: len(entry.text))
        state = desk.ledger.state(name, cells=())
        report = desk.ledger.verify() if verify else None
        return {
            "entries": [entry.to_dict() for entry in shown],
            "next": shown[-1].seq if following else None,
            "spent": state.spent.upper,
            "spent_exact": state.spent.text,
            "analysts": {who: cost.upper for who, cost in sorted(state.analysts.items())},
            "chain_ok": None if report is None else report.ok,
            "head": str(desk.ledger.head if report is None else report.head),
        }

    return json_response(await worked(request, page))


@router.get(
    "/v1/datasets/{name}/exposure",
    **described("How exposed people are to the answers given so far", models.ExposureReport, 403, 404),
)
async def get_exposure(request: Request, name: DatasetName) -> Response:
    """How many rows are exposed how much. It depends on private data: it is for the owner alone."""
    desk = served_dataset_of(request, name, owner=True)
    found = await worked(request, lambda: descriptions.exposure(desk.fresh_curator().exposure()))
    return json_response(found)


@router.post(
    "/v1/datasets/{name}/budget",
    **described("Change a dataset's budget", models.BudgetChanged, 403, 404, body=models.BudgetBody),
)
async def post_budget(request: Request, name: DatasetName) -> Response:
    """Record a new budget in the ledger. It may be lower than what is spent: nothing new is answered then."""
    desk, caller = served_dataset_of(request, name, owner=True), caller_of(request)
    body = await read_body(request, models.BudgetBody)
    budget = _budget(body.bits)

    def change() -> dict[str, Any]:
        entry = desk.change_budget(budget, by=caller.name, reason=body.reason)
        note = "write the same budget into the curator's file before a new version is declared"
        return {"entry": entry, **descriptions.account(desk.state()), "note": note}

    return json_response(await worked(request, change))


_BITS = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,30})?", re.ASCII)
_REACH = re.compile(r"reach [0-9]{1,2500}", re.ASCII)


def _budget(bits: float | str) -> Budget:
    """Bits as they were meant: a text, a whole number, or the decimal that JSON had."""
    text = bits.strip() if isinstance(bits, str) else f"{Decimal(repr(bits)):f}"
    try:
        if _REACH.fullmatch(text):
            return read_budget(text)
        if _BITS.fullmatch(text):
            return read_budget(Decimal(text))
    except (ValueError, NoiselessError):
        pass
    raise bad_request('bits: a decimal number from 0 to 10,000 with up to 30 places, or "reach K"')


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
