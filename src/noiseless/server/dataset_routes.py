"""Asking and looking: batches of statements, sessions, datasets, samples, history."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from noiseless.errors import NoiselessError
from noiseless.ledger.asked_batches import AskedBatch, list_batches
from noiseless.pricing.history import BudgetError
from noiseless.server import descriptions, models, replies
from noiseless.server.callers import Caller
from noiseless.server.datasets import ServedDataset
from noiseless.server.errors import bad_request, not_found, too_large
from noiseless.server.models import QueriesBody
from noiseless.server.openapi import described
from noiseless.server.requests import (
    JSON,
    caller_of,
    checked_body,
    fitting,
    json_response,
    known_parameters,
    require_json,
    served_dataset_of,
    service_of,
    worked,
)
from noiseless.server.service import Service
from noiseless.server.telemetry import fingerprint
from noiseless.work import WorkCancelledError, check

PATH = "/v1/datasets/{name}/queries"


class QueryRequest:
    """A request to price or answer statements."""

    def __init__(self, office: Service, caller: Caller, name: str, log: dict[str, Any]) -> None:
        caller.require(name)
        desk = office.desks.get(name)
        if desk is None:
            raise not_found()
        self.office, self.caller, self.desk, self.log = office, caller, desk, log
        log["dataset"] = name

    def read(self, content: bytes) -> None:
        """Read a request's body.

        Raises:
            ApiError: the request makes no sense or is too large.
        """
        body, settings = checked_body(content, QueriesBody), self.office.settings
        if len(body.queries) > settings.max_batch:
            most = settings.max_batch
            raise too_large(f"a batch has at most {most:,} statements; send several", most)
        sql = tuple(body.queries)
        if sum(map(len, sql)) > settings.max_sql:
            most = settings.max_sql
            raise too_large(f"the statements of a batch have at most {most:,} characters; send several", most)
        if any("\x00" in text for text in (*sql, body.key or "")):
            raise bad_request("a text holds a character that is none")
        self.log["batch"], self.log["statements"] = fingerprint(settings.log_key, sql), len(sql)
        self.sql, self.body = sql, body

    async def answer(self) -> bytes:
        """The reply to what was read.

        Raises:
            ApiError: a statement cannot be priced, or it takes too long.
            NoiselessError: it is refused.
        """
        sql = self.sql
        try:
            found, outcome = await self._answered(sql, self.body)
        except BudgetError:
            self.office.metrics.batch("refused", 0)
            raise
        self.office.metrics.batch(outcome, len(sql))
        return found

    async def _answered(self, sql: tuple[str, ...], body: QueriesBody) -> tuple[bytes, str]:
        office, desk, name, token = self.office, self.desk, self.caller.name, self.caller.token
        if body.dry_run:
            return await office.work(lambda: desk.price(sql, name), token, is_priced=True), "priced"
        if (known := await self._known(sql, body.key)) is not None:
            return known, "free"
        found = await office.work(lambda: desk.ask(sql, name, body.key), token)
        if found.known is not None:
            desk.known.keep(sql, found.known)
        if found.charge is None:
            return found.body, "free"
        self.log["charge"] = found.charge
        return found.body, "new"

    async def _known(self, sql: tuple[str, ...], key: str | None) -> bytes | None:
        """The reply to a batch that is free, if its answers are known and no newer version is out.

        A key that came before is left to the desk: it may have come with another batch, or with a charge.
        """
        desk, analyst = self.desk, self.caller.name
        known = desk.known.get(sql)
        if known is None:
            return None
        mine = None if key is None else (analyst, key)
        standing, batches = await self.office.look(desk.name, mine)
        if standing.version != known.version:
            desk.known.forget(sql)
            return None
        if mine in batches:
            return None
        desk.free.note(analyst, sql, lambda: AskedBatch.now(desk.name, analyst, known.version, sql))
        return replies.free_reply(known.answers, standing.body, key)


def dataset_of(path: str) -> str | None:
    """The dataset that a path of this endpoint names.

    >>> dataset_of("/v1/datasets/meters/queries"), dataset_of("/v1/datasets/a/b/queries")
    ('meters', None)
    """
    before, _, after = PATH.partition("{name}")
    if not (path.startswith(before) and path.endswith(after)):
        return None
    name = path[len(before) : -len(after)]
    return name if name and "/" not in name else None


async def post_queries(request: Request) -> Response:
    """Price or answer a batch; the gate does the same by itself."""
    office: Service = request.app.state.office
    headers: Mapping[str, str] = request.headers
    batch = QueryRequest(office, request.scope["caller"], request.path_params["name"], request.scope["log"])
    require_json(headers.get("content-type"))
    batch.read(await request.body())
    return Response(await batch.answer(), media_type="application/json")


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
    desk, caller = served_dataset_of(request, name), caller_of(request)
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
            return replies.statements(curator.ask(*batch.sql, analyst=batch.analyst))
    except WorkCancelledError:
        raise
    except NoiselessError:
        return None
