"""The application: endpoints behind the gate."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from noiseless import __version__
from noiseless.errors import NoiselessError
from noiseless.server import dataset_routes, models, owner_routes, public_routes, token_routes
from noiseless.server import dataset_routes as query_routes
from noiseless.server import public_routes as pages
from noiseless.server.errors import ApiError
from noiseless.server.gate import Gate
from noiseless.server.openapi import described
from noiseless.server.processes import Settings, end_at_latest
from noiseless.server.requests import framework_refused, refused
from noiseless.server.service import Service

_ABOUT = """Questions about private tables, answered without noise, within a budget of bits.

Answers are intervals that certainly hold the truth. A batch is priced before it is answered, from public
state alone; it is charged for once, and free ever after. Every refusal has the shape
`{"error": {"code", "message", "details"}}`."""


def create_app(settings: Settings) -> Gate:
    """The application of one process, with all datasets open.

    Raises:
        NoiselessError: one of them cannot be opened.
    """
    office = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await office.start()
        _heed_signals(office)
        yield
        await office.close()

    api = FastAPI(
        title="noiseless",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # these pages would load their scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    api.state.office = office
    _add_routes(api)
    for kind in (ApiError, NoiselessError, Exception):
        api.add_exception_handler(kind, refused)
    for framework_kind in (HTTPException, RequestValidationError):
        api.add_exception_handler(framework_kind, framework_refused)
    return Gate(api, office)


def _heed_signals(office: Service) -> None:
    """Begin no more work as soon as the process is told to stop; uvicorn does the rest of it."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def stop(
            number: int, frame: FrameType | None, before: object = before
        ) -> None:  # runs between any two steps of the program: what takes locks must not be done here
            if not office.is_closing:
                end_at_latest()
            loop.call_soon_threadsafe(office.begin_closing)
            if callable(before):
                before(number, frame)

        signal.signal(number, stop)


def _add_routes(api: FastAPI) -> None:
    # Most requests go here: straight to the endpoint. The route below it is for the document.
    api.router.routes.insert(0, Route(query_routes.PATH, query_routes.post_queries, methods=["POST"]))
    api.post(
        query_routes.PATH,
        **described("Price or answer a batch of statements", models.Reply, 404, 409, body=models.QueriesBody),
    )(_documented)
    for each in (dataset_routes, owner_routes, token_routes, public_routes):
        api.include_router(each.router)
    console = pages.routes()
    api.router.routes.extend(console)
    if not console:
        api.get("/", include_in_schema=False)(_nothing_here)
    build = api.openapi

    def openapi() -> dict[str, Any]:
        found = build()
        for operation in (each for item in found["paths"].values() for each in item.values()):
            operation["responses"].pop("422", None)  # what the framework would say; here it is a 400
        for name in ("HTTPValidationError", "ValidationError"):
            found["components"]["schemas"].pop(name, None)
        schemes = found.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["bearer"] = {"type": "http", "scheme": "bearer", "description": "noiseless token add"}
        return found

    api.openapi = openapi  # type: ignore[method-assign]


async def _documented(request: Request, name: dataset_routes.DatasetName) -> Response:
    """All statements are priced together, from public state alone, before any of them is answered."""
    del name
    return await query_routes.post_queries(request)


async def _nothing_here() -> Response:
    return Response("noiseless: see /openapi.json\n", media_type="text/plain")
