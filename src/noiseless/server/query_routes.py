"""Asking: what most requests do. They are answered without the framework's detours."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from noiseless.ledger.asked_batches import AskedBatch
from noiseless.pricing.history import BudgetError
from noiseless.server import replies
from noiseless.server.bodies import checked_body, require_json
from noiseless.server.callers import Caller
from noiseless.server.errors import bad_request, not_found, too_large
from noiseless.server.logs import fingerprint
from noiseless.server.models import QueriesBody
from noiseless.server.office import Office

PATH = "/v1/datasets/{name}/queries"


class Batch:
    """A request to price or answer statements."""

    def __init__(self, office: Office, caller: Caller, name: str, log: dict[str, Any]) -> None:
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
    office: Office = request.app.state.office
    headers: Mapping[str, str] = request.headers
    batch = Batch(office, request.scope["caller"], request.path_params["name"], request.scope["log"])
    require_json(headers.get("content-type"))
    batch.read(await request.body())
    return Response(await batch.answer(), media_type="application/json")
