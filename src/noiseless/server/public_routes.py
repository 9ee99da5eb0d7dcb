"""Without a token: health, readiness, metrics, and the files of the console."""

from pathlib import Path

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from noiseless.server import models
from noiseless.server.errors import forbidden, not_found, unavailable
from noiseless.server.gate import PlainRoute, json_response, service_of
from noiseless.server.openapi import answers
from noiseless.web import Page, pages

router = APIRouter(route_class=PlainRoute)


@router.get("/healthz", summary="Whether the process answers", responses={200: {"model": models.Health}})
async def get_health(_: Request) -> Response:
    """It does, if this comes back."""
    return json_response({"status": "ok"})


@router.get(
    "/readyz",
    summary="Whether questions can be asked",
    responses={200: {"model": models.Ready}, 503: answers(models.Ready)[503]},
)
async def get_ready(request: Request) -> Response:
    """Every ledger can be read, and the server is not being stopped."""
    if not await service_of(request).is_ready():
        raise unavailable("not ready; ask again")
    return json_response({"ready": True})


@router.get(
    "/metrics",
    summary="Counters for Prometheus",
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Done"},
        **{number: answers(models.Ready, 403, 404)[number] for number in (401, 403, 404, 503)},
    },
)
async def get_metrics(request: Request) -> Response:
    """How many requests there were and how long they took; no dataset, question or person is named."""
    office = service_of(request)
    if office.settings.metrics == "off":
        raise not_found()
    if office.settings.metrics == "owner":
        caller = await office.callers.find(request.headers.get("authorization"))
        if not caller.owned:
            raise forbidden()
    return Response(office.metrics.page(), media_type=CONTENT_TYPE_LATEST)


FOLDER = Path(__file__).parent / "console"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'"
)


def routes(folder: Path = FOLDER) -> list[Route]:
    """One route a file."""
    return [Route(path, _sender(page), methods=["GET"]) for path, page in pages(folder).items()]


def _sender(page: Page):  # type: ignore[no-untyped-def]  # noqa: ANN202 - an endpoint of Starlette
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-cache",
        "ETag": page.tag,
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "DENY",
    }

    async def send(request: Request) -> Response:
        request.scope["pattern"] = "console"
        if request.headers.get("if-none-match") == page.tag:
            return Response(status_code=304, headers=headers)
        return Response(page.content, headers=headers, media_type=page.kind)

    return send
