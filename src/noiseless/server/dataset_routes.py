"""Looking: sessions, datasets, samples, history."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from noiseless.errors import NoiselessError
from noiseless.ledger.asked_batches import AskedBatch, list_batches
from noiseless.server import descriptions, models, replies
from noiseless.server.amounts import bits, exact_bits
from noiseless.server.bodies import JSON
from noiseless.server.desks import Desk
from noiseless.server.documents import described
from noiseless.server.requests import (
    caller_of,
    desk_of,
    fitting,
    json_response,
    known_parameters,
    office_of,
    worked,
)
from noiseless.work import WorkCancelledError, check

router = APIRouter(dependencies=[Depends(known_parameters)])

DatasetName = Annotated[str, Path(description="A dataset's name.", examples=["meters"])]


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
    caller, office = caller_of(request), office_of(request)
    desks = [office.desks[name] for name in sorted(caller.roles) if name in office.desks]

    def lines() -> list[dict[str, Any]]:
        return [{**descriptions.line(desk), "role": caller.roles[desk.name]} for desk in desks]

    return json_response({"datasets": await worked(request, lines)})


@router.get(
    "/v1/datasets/{name}", **described("A dataset's columns, budget and standing", models.Dataset, 404)
)
async def get_dataset(request: Request, name: DatasetName) -> Response:
    """All that an analyst may know of a dataset."""
    desk, caller = desk_of(request, name), caller_of(request)
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
    desk = desk_of(request, name)
    found = await worked(request, lambda: descriptions.sample(desk.fresh_curator().public.schema, rows, seed))
    return json_response({"rows": found, "seed": seed, "synthetic": True})


@router.get("/v1/datasets/{name}/history", **described("Batches and their answers", models.History, 404))
async def get_history(
    request: Request,
    name: DatasetName,
    limit: Annotated[int, Query(ge=1, le=100, description="How many.")] = 20,
    before: Annotated[
        str | None, Query(max_length=400, description="Only earlier ones: `next` of the page before.")
    ] = None,
) -> Response:
    """An analyst's own batches, an owner's of everybody, the latest first; fewer where answers are long."""
    desk, caller = desk_of(request, name), caller_of(request)
    whose = None if caller.roles[name] == "owner" else caller.name
    if before is not None and "\x00" in before:
        before = None

    def page() -> bytes:
        found = list_batches(desk.ledger, name, whose, before=before, most=limit + 1)
        told = ((batch.place, replies.dumped(_past(desk, batch))) for batch in found)
        shown, following = fitting(told, limit, lambda each: len(each[1]))
        batches = b",".join(text for _, text in shown)
        last = replies.dumped(shown[-1][0] if following else None)
        return b'{"batches":[' + batches + b'],"next":' + last + b"}"

    return Response(await worked(request, page), media_type=JSON)


def _past(desk: Desk, batch: AskedBatch) -> dict[str, Any]:
    check()
    return {
        "time": batch.time,
        "analyst": batch.analyst,
        "version": batch.version,
        "sql": list(batch.sql),
        "charge": batch.charge,
        "bits": bits(batch.cost),
        "bits_exact": exact_bits(batch.cost),
        "answers": _answers(desk, batch),
    }


def _answers(desk: Desk, batch: AskedBatch) -> list[dict[str, Any]] | None:
    """The answers, which are free by now; none of an earlier version."""
    curator = desk.fresh_curator()
    if batch.version != curator.public.version:
        return None
    try:
        with desk.ledger.for_free():
            return replies.statements(curator.ask(*batch.sql, analyst=batch.analyst))
    except WorkCancelledError:
        raise
    except NoiselessError:
        return None
