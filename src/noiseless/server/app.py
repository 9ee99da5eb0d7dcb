"""The application: endpoints behind the gate."""

import asyncio
import faulthandler
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from noiseless import __version__
from noiseless.server import dataset_routes, owner_routes, public_routes
from noiseless.server.gate import Gate
from noiseless.server.service import Service
from noiseless.server.settings import STOP_SECONDS, Settings

_ABOUT = """Questions about private tables, answered without noise, within a budget of bits.

Answers are intervals that certainly hold the truth. A batch is priced before it is answered, from public
state alone; it is charged for once, and free ever after. Every refusal has the shape
`{"error": {"code", "message", "details"}}`."""


class Api(FastAPI):
    """The endpoints alone: the gate counts requests, and tells what goes wrong in them."""

    __call__ = Starlette.__call__

    def build_middleware_stack(self) -> ASGIApp:
        """The routes, with nothing around them."""
        return self.router


def create_app(settings: Settings) -> Gate:
    """The application of one process, with all datasets open.

    Raises:
        NoiselessError: one of them cannot be opened.
    """
    office = Service(settings)

    @asynccontextmanager
    async def lifespan(_: Api) -> AsyncIterator[None]:
        await office.start()
        _heed_signals(office)
        yield
        await office.close()

    api = Api(
        title="noiseless",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # these pages would load their scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    _add_routes(api)
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


def end_at_latest() -> None:
    """End the process when its time to stop is over, whatever its threads do then."""
    faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)  # needs no turn of the interpreter


def _add_routes(api: FastAPI) -> None:
    for each in (dataset_routes, owner_routes, public_routes):
        api.router.routes.extend(each.router.routes)
    console = public_routes.routes()
    api.router.routes.extend(console)
    if not console:
        api.router.add_route("/", _nothing_here)
    build = api.openapi

    def openapi() -> dict[str, Any]:
        document = build()
        for operation in (each for item in document["paths"].values() for each in item.values()):
            operation["responses"].pop("422", None)  # what the framework would say; here it is a 400
        for name in ("HTTPValidationError", "ValidationError"):
            document["components"]["schemas"].pop(name, None)
        schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["bearer"] = {"type": "http", "scheme": "bearer", "description": "noiseless token add"}
        return document

    api.openapi = openapi  # type: ignore[method-assign]


async def _nothing_here(_: Request) -> Response:
    return Response("noiseless: see /openapi.json\n", media_type="text/plain")
