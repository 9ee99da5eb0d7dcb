"""Without a token: health, readiness, metrics."""

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from noiseless.server import models
from noiseless.server.documents import answers
from noiseless.server.errors import forbidden, not_found, unavailable
from noiseless.server.requests import json_response, office_of

router = APIRouter()


@router.get("/healthz", summary="Whether the process answers", responses={200: {"model": models.Health}})
async def get_health() -> Response:
    """It does, if this comes back."""
    return json_response({"status": "ok"})


@router.get(
    "/readyz",
    summary="Whether questions can be asked",
    responses={200: {"model": models.Ready}, 503: answers(models.Ready)[503]},
)
async def get_ready(request: Request) -> Response:
    """Every ledger can be read, and the server is not being stopped."""
    if not await office_of(request).is_ready():
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
    office = office_of(request)
    if office.settings.metrics == "off":
        raise not_found()
    if office.settings.metrics == "owner":
        caller = await office.callers.find(request.headers.get("authorization"))
        if not caller.owned:
            raise forbidden()
    return Response(office.metrics.page(), media_type=CONTENT_TYPE_LATEST)
