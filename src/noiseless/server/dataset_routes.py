"""Asking and looking: batches of statements, sessions, datasets, samples, history."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from noiseless.errors import NoiselessError
from noiseless.ledger.analysts import AskedBatch, list_batches
from noiseless.pricing.history import BudgetError
from noiseless.server import descriptions, models
from noiseless.server.datasets import ServedDataset, dumped, free_reply, statements
from noiseless.server.errors import bad_request, too_large
from noiseless.server.gate import (
    JSON,
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
from noiseless.server.settings import Settings
from noiseless.server.telemetry import fingerprint
from noiseless.work import WorkCancelledError, check

router = APIRouter(route_class=StrictRoute)

DatasetName = Annotated[str, Path(description="A dataset's name.", examples=["meters"])]


@router.post(
    "/v1/datasets/{name}/queries",
    **described(
        "Price or answer a batch of statements", models.BatchReply, 404, 409, body=models.QueriesBody
    ),
)
async def post_queries(request: Request, name: DatasetName) -> Response:
    """All statements are priced together, from public state alone, before any of them is answered."""
    desk, caller, office = served_dataset_of(request, name), caller_of(request), service_of(request)
    body = await read_body(request, models.QueriesBody)
    sql = _statements(body, office.settings)
    log: dict[str, Any] = request.scope["log"]
    log["batch"], log["statements"] = fingerprint(office.settings.log_key, sql), len(sql)
    try:
        if body.dry_run:
            content = await office.work(partial(desk.price, sql, caller.name), caller.token, is_priced=True)
            outcome = "priced"
        elif (known := await _known_reply(office, desk, sql, caller.name, body.key)) is not None:
            content, outcome = known, "free"
        else:
            content, charge = await office.work(partial(desk.ask, sql, caller.name, body.key), caller.token)
            outcome = "free" if charge is None else "new"
            if charge is not None:
                log["charge"] = charge
    except BudgetError:
        office.metrics.batch("refused", 0)
        raise
    office.metrics.batch(outcome, len(sql))
    return Response(content, media_type=JSON)


async def _known_reply(
    office: Service, desk: ServedDataset, sql: tuple[str, ...], analyst: str, key: str | None
) -> bytes | None:
    """The reply to a batch that is free, if its answers are known and no newer version is out.

    A key that came before is left to the desk: it may have come with another batch, or with a charge.
    """
    known = desk.known.get(sql)
    if known is None:
        return None
    mine = [] if key is None else [(analyst, key)]
    present = await office.look(desk.name, *mine)
    if present.state.version != known.version or not present.batches.keys().isdisjoint(mine):
        return None
    desk.free.note(analyst, sql, lambda: AskedBatch.now(desk.name, analyst, known.version, sql))
    return free_reply(known.answers, present.account, key)


def _statements(body: models.QueriesBody, settings: Settings) -> tuple[str, ...]:
    """The statements of a batch that is not too large."""
    if len(body.queries) > settings.max_batch:
        most = settings.max_batch
        raise too_large(f"a batch has at most {most:,} statements; send several", most)
    if sum(map(len, body.queries)) > settings.max_sql:
        most = settings.max_sql
        raise too_large(f"the statements of a batch have at most {most:,} characters; send several", most)
    if any("\x00" in text for text in (*body.queries, body.key or "")):
        raise bad_request("a text holds a character that is none")
    return tuple(body.queries)


@router.get("/v1/session", **described("Whose token this is", models.Session))
async def get_session(request: Request) -> Response:
    """The name, the role and the datasets of the token."""
    caller = caller_of(request)
    return json_response(
        {
            "name": caller.name,
            "role": caller.role,
            "datasets": sorted(caller.roles),
            "roles": dict(sorted(caller.roles.items())),
            "expires": caller.expires,
        }
    )


@router.get("/v1/datasets", **described("All datasets that the token may see", models.Datasets))
async def get_datasets(request: Request) -> Response:
    """What is spent and what is left of each."""
    caller, office = caller_of(request), service_of(request)
    desks = [office.desks[name] for name in sorted(caller.roles) if name in office.desks]

    def lines() -> list[dict[str, Any]]:
        return [{**descriptions.line(desk), "role": caller.roles[desk.name]} for desk in desks]

    return json_response({"datasets": await worked(request, lines)})


@router.get(
    "/v1/datasets/{name}", **described("A dataset's columns, budget and standing", models.Dataset, 404)
)
async def get_dataset(request: Request, name: DatasetName) -> Response:
    """All that an analyst may know of a dataset."""
    desk, caller = served_dataset_of(request, name), caller_of(request)
    found = await worked(request, lambda: descriptions.dataset(desk, caller.name))
    return json_response({**found, "role": caller.roles[name]})


@router.get(
    "/v1/datasets/{name}/sample", **described("Synthetic rows of the declared domain", models.Sample, 404)
)
async def get_sample(
    request: Request,
    name: DatasetName,
    rows: Annotated[int, Query(ge=1, le=1000, description="How many.")] = 20,
    seed: Annotated[int, Query(ge=0, le=2**53, description="The same seed draws the same rows.")] = 1,
) -> Response:
    """Rows to try statements on. They are drawn from the declarations alone, never from the data."""
    desk = served_dataset_of(request, name)
    found = await worked(request, lambda: descriptions.sample(desk.fresh_curator().public.schema, rows, seed))
    return json_response({"rows": found, "seed": seed, "synthetic": True})


@router.get("/v1/datasets/{name}/history", **described("Batches and their answers", models.HistoryPage, 404))
async def get_history(
    request: Request,
    name: DatasetName,
    limit: Annotated[int, Query(ge=1, le=100, description="How many.")] = 20,
    before: Annotated[
        str | None, Query(max_length=400, description="Only earlier ones: `next` of the page before.")
    ] = None,
) -> Response:
    """An analyst's own batches, an owner's of everybody, the latest first; fewer where answers are long."""
    desk, caller = served_dataset_of(request, name), caller_of(request)
    whose = None if caller.roles[name] == "owner" else caller.name
    if before is not None and "\x00" in before:
        before = None

    def page() -> bytes:
        desk.write_notes()  # what was asked for nothing just now belongs to it
        found = list_batches(desk.ledger, name, whose, before=before, most=limit + 1)
        told = ((batch.place, dumped(_past(desk, batch))) for batch in found)
        shown, following = fitting(told, limit, lambda each: len(each[1]))
        batches = b",".join(text for _, text in shown)
        last = dumped(shown[-1][0] if following else None)
        return b'{"batches":[' + batches + b'],"next":' + last + b"}"

    return Response(await worked(request, page), media_type=JSON)


def _past(desk: ServedDataset, batch: AskedBatch) -> dict[str, Any]:
    check()
    return {
        "time": batch.time,
        "analyst": batch.analyst,
        "version": batch.version,
        "sql": list(batch.sql),
        "charge": batch.charge,
        "bits": batch.cost.upper,
        "bits_exact": batch.cost.text,
        "answers": _answers(desk, batch),
    }


def _answers(desk: ServedDataset, batch: AskedBatch) -> list[dict[str, Any]] | None:
    """The answers, which are free by now; none of an earlier version."""
    curator = desk.fresh_curator()
    if batch.version != curator.public.version:
        return None
    try:
        with desk.ledger.for_free():
            return statements(curator.ask(*batch.sql, analyst=batch.analyst))
    except WorkCancelledError:
        raise
    except NoiselessError:
        return None
