"""The studio's endpoints: files of the page, jobs, uploads, and what is taken away."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from noiseless import __version__
from noiseless.errors import NoiselessError, RequestError
from noiseless.files import create_private
from noiseless.studio.guard import Guard
from noiseless.studio.handover import Handover
from noiseless.studio.manual import manual_page
from noiseless.studio.project import Project
from noiseless.studio.worker import Job, Worker
from noiseless.tables import written_whole
from noiseless.web import Page, pages

WAIT_SECONDS = 20.0
"""How long an answer about a job may wait for news."""

_PAGE = Path(__file__).parent / "page"
_MOST_BYTES = 1_000_000
"""Of a request that is no upload."""
_MOST_ENTRIES = 1000
"""Of a folder."""
_KINDS = {".csv": "text/csv", ".json": "application/json", ".html": "text/html"}
_TAKEN = re.compile(r"(?:release|tables)-\d+/[A-Za-z0-9_-]+\.(?:csv|json|html)")
"""The files that jobs write to be taken away."""
_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx", ".xls", ".json", ".jsonl", ".ndjson", ".gz")


class Studio:
    """One session: the project, the process that works, and a private folder that is gone with it.

    Args:
        folder: the private folder.
        project: what to begin with.
    """

    def __init__(self, folder: Path, project: Project) -> None:
        self.folder = folder.resolve()
        self.home = Path.cwd()
        self.project = project
        self.worker = Worker(str(folder))
        self.handover = Handover(self.folder)

    def place(self, name: str) -> Path:
        """The file that a name means, seen from where the studio was started."""
        return (self.home / Path(name).expanduser()).absolute()

    def close(self) -> None:
        """End the work and the curator."""
        self.worker.close()
        self.handover.stop()

    def job(self, request: Request) -> Job:
        """The job that a request names."""
        found = self.worker.job(request.path_params["number"])
        if found is None:
            raise HTTPException(404, "there is no such job")
        return found


def create_app(studio: Studio, port: int) -> Guard:
    """The application of a session, behind its guard."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(studio.close)

    app = Starlette(
        routes=[
            Route("/api/session", _session, methods=["GET"]),
            Route("/api/project", _save_project, methods=["POST"]),
            Route("/api/folder", _folder, methods=["POST"]),
            Route("/api/uploads", _upload, methods=["PUT"]),
            Route("/api/jobs", _submit, methods=["POST"]),
            Route("/api/jobs/{number:int}", _job, methods=["GET"]),
            Route("/api/jobs/{number:int}", _stop, methods=["DELETE"]),
            Route("/api/curator", _serve, methods=["POST"]),
            Route("/api/curator", _end, methods=["DELETE"]),
            Route("/api/files/{name:path}", _file, methods=["GET"]),
            Route("/manual/{name}", _manual, methods=["GET"]),
            *(Route(path, _sender(page), methods=["GET"]) for path, page in pages(_PAGE).items()),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _failed, NoiselessError: _wrong},  # type: ignore[dict-item]
    )
    app.state.studio = studio
    return Guard(app, port)


def _studio(request: Request) -> Studio:
    found: Studio = request.app.state.studio
    return found


def _sender(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def send(_: Request) -> Response:
        return Response(page.content, media_type=page.kind)

    return send


async def _failed(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, status_code=error.status_code)


async def _wrong(_: Request, error: NoiselessError) -> Response:
    return JSONResponse({"error": str(error)}, status_code=400)


async def _body(request: Request) -> Mapping[str, Any]:
    """The JSON object of a request; its size is bounded."""
    whole = b""
    async for part in request.stream():
        whole += part
        if len(whole) > _MOST_BYTES:
            raise HTTPException(413, "the request is too long")
    try:
        found = json.loads(whole)
    except ValueError:
        raise HTTPException(400, "the request is no JSON") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "the request is no JSON object")
    return found


async def _session(request: Request) -> Response:
    """What the page begins with, also after a reload: the releases that were made of the same table."""
    from importlib.resources import files

    studio = _studio(request)
    bundled = [str(files("noiseless") / "data" / name) for name in ("patients.csv", "households.csv")]
    same = studio.project.model_dump(exclude_none=True, exclude={"limits"}).items()
    made = [job.result for job in studio.worker.done("release") if same <= job.options["project"].items()]
    return JSONResponse(
        {
            "version": __version__,
            "project": studio.project.model_dump(),
            "bundled": bundled,
            "folder": str(studio.home),
            "releases": made,
        }
    )


async def _save_project(request: Request) -> Response:
    """Keep a project, or write it into a file."""
    body = await _body(request)
    studio = _studio(request)
    studio.project = Project.of(body.get("project", {}))
    path = body.get("path")
    if path is None:
        return JSONResponse({"text": studio.project.toml})
    return JSONResponse({"written": await asyncio.to_thread(_write_project, studio, str(path))})


def _write_project(studio: Studio, name: str) -> str:
    """Write a project; hierarchies that were made here are written beside it."""
    target = studio.place(name)
    if target.suffix != ".toml":
        raise RequestError("a project is written as a .toml file; change the ending")
    if target.is_relative_to(studio.folder):
        raise RequestError("that folder is gone when the studio ends; choose another")
    project = studio.project.without(studio.folder)
    project.write(target)
    for column, text in studio.project.limits.hierarchy.items():
        if project.limits.hierarchy[column] != text:
            with written_whole(target.parent / project.limits.hierarchy[column]) as part:
                part.write_bytes(Path(text).read_bytes())
    return str(target)


async def _folder(request: Request) -> Response:
    """The tables and folders in a folder, to choose from."""
    path = str((await _body(request)).get("path") or ".")
    return JSONResponse(await asyncio.to_thread(_listing, path))


def _listing(name: str) -> dict[str, Any]:
    path = Path(name).expanduser()
    try:
        entries = sorted(path.iterdir(), key=lambda one: one.name.lower())
    except OSError as error:
        raise RequestError(f"{path}: cannot be opened ({error.strerror})") from None
    shown = [one for one in entries if not one.name.startswith(".")]
    return {
        "path": str(path.resolve()),
        "folders": [one.name for one in shown if one.is_dir()][:_MOST_ENTRIES],
        "files": [one.name for one in shown if one.suffix.lower() in _ENDINGS and one.is_file()][
            :_MOST_ENTRIES
        ],
    }


async def _upload(request: Request) -> Response:
    """Take a file that was dropped on the page into the private folder, some bytes at a time.

    Its name stands in a header, as addresses are not private; before it, the folder that it was dropped with.
    """
    parts = unquote(request.headers.get("x-file", "")).split("/")[-3:]
    names = [re.sub(r"[^\w.() -]", "_", part).lstrip(".") for part in parts]
    target = _studio(request).folder.joinpath("uploads", *filter(None, names[:-1]), names[-1] or "table.csv")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        with os.fdopen(create_private(target), "wb") as out:
            async for part in request.stream():
                await asyncio.to_thread(out.write, part)
    except ClientDisconnect:
        target.unlink(missing_ok=True)
        raise HTTPException(400, "the upload was broken off") from None
    except OSError as error:
        target.unlink(missing_ok=True)
        raise HTTPException(507, f"the file cannot be kept here ({error.strerror})") from None
    return JSONResponse({"path": str(target)})


async def _submit(request: Request) -> Response:
    body = dict(await _body(request))
    name = body.pop("job", None)
    if not isinstance(name, str):
        raise HTTPException(400, "name a job")
    studio = _studio(request)
    if "project" in body:
        studio.project = Project.of(body["project"]).placed(studio.home)
        body["project"] = studio.project.model_dump(exclude_none=True)
    return JSONResponse(studio.worker.submit(name, body).to_dict())


async def _job(request: Request) -> Response:
    """How far a job is; with `after=VERSION` the answer waits for news."""
    job = _studio(request).job(request)
    after = request.query_params.get("after")
    if after is not None and after.isdecimal():
        await asyncio.to_thread(job.wait, int(after), WAIT_SECONDS)
    return JSONResponse(job.to_dict())


async def _stop(request: Request) -> Response:
    studio = _studio(request)
    await asyncio.to_thread(studio.worker.stop, studio.job(request))
    return JSONResponse({"stopped": True})


async def _serve(request: Request) -> Response:
    """Start a curator on the file that the steward confirmed."""
    body, studio = await _body(request), _studio(request)
    if Path(studio.project.source).is_relative_to(studio.folder):
        raise RequestError(
            "the table was dropped here and is gone with the studio; open it by its path first"
        )
    target = await asyncio.to_thread(studio.place, str(body.get("path", "")))
    return JSONResponse(
        await asyncio.to_thread(
            studio.handover.start,
            str(body.get("text", "")),
            target,
            confirmed=body.get("confirmed") is True,
        )
    )


async def _end(request: Request) -> Response:
    await asyncio.to_thread(_studio(request).handover.stop)
    return JSONResponse({"stopped": True})


async def _manual(request: Request) -> Response:
    """A page of the documentation."""
    page = await asyncio.to_thread(manual_page, request.path_params["name"])
    if page is None:
        raise HTTPException(404, "that page is in the documentation, and not in the studio")
    return HTMLResponse(page)


async def _file(request: Request) -> Response:
    """A file to take away."""
    name = request.path_params["name"]
    path = _studio(request).folder / name
    if not _TAKEN.fullmatch(name) or not path.is_file():
        raise HTTPException(404, "there is no such file any more; make it again")
    return FileResponse(path, media_type=_KINDS[path.suffix], filename=path.name)
