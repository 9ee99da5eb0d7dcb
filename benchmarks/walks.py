"""How far each job walks through the package: which modules it passes, and how deep its calls go.

`python benchmarks/walks.py` prints a line for each of the four walks of docs/architecture.md, on the bundled
table; `-v` names the modules. All has been imported and done once before, so that only the job itself counts,
in a new object: a first question to a new curator, a first POST to a new server.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from types import FrameType
from typing import Any

import noiseless as nl

PACKAGE = f"{Path(nl.__file__).parent}{os.sep}"
ASGI: dict[str, Any] = {
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "scheme": "http",
    "root_path": "",
    "query_string": b"",
}
LIFESPAN: dict[str, Any] = {"type": "lifespan", "asgi": ASGI["asgi"], "state": {}}
REQUEST: dict[str, Any] = ASGI | {
    "type": "http",
    "method": "POST",
    "client": ("127.0.0.1", 1),
    "server": ("127.0.0.1", 80),
}
SERVED: list[asyncio.Future[Any]] = []
"""Applications that are running: their tasks are kept, so that nobody collects them."""
SQL = "SELECT AVG(age) AS age FROM patients WHERE sex = 'F'"


class Walk:
    """The modules whose functions were called while it counted, and the most of their frames open at once."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.depth = 0
        self.counts = False
        self._open = threading.local()
        threading.setprofile(self._see)  # for threads that are started from now on
        sys.setprofile(self._see)

    def end(self) -> None:
        """Look no longer."""
        sys.setprofile(None)
        threading.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not self.counts or not code.co_filename.startswith(PACKAGE) or code.co_name == "<module>":
            return
        depth: int = getattr(self._open, "depth", 0)
        if event == "call":
            self._open.depth = depth + 1
            self.depth = max(self.depth, depth + 1)
            self.modules.add(code.co_filename[len(PACKAGE) :])
        elif event == "return":
            self._open.depth = max(depth - 1, 0)


def folder() -> Path:
    """The bundled files, in a folder of their own."""
    made = Path(tempfile.mkdtemp())
    for path in Path(PACKAGE, "data").iterdir():
        shutil.copy(path, made)
    return made


def audit() -> Callable[[], object]:
    """An audit, with all of its JSON."""
    table = folder() / "patients.csv"
    return lambda: nl.audit(table, sensitive="illness", public=["age", "sex"]).to_dict()


def release() -> Callable[[], object]:
    """A release of one column, written with its certificate."""
    where = folder()
    table, out = where / "patients.csv", where / "certificate.json"
    return lambda: nl.release(table, sensitive="illness", public=["age"], min_posterior=3).certificate.write(
        out
    )


def question() -> Callable[[], object]:
    """A first question to a new curator."""
    curator = nl.Curator.open(folder() / "patients.toml")
    return lambda: curator.ask(SQL)


def post() -> Callable[[], object]:
    """A first POST of a question to a new server, from the bytes of its body to those of the reply."""
    from noiseless.curator import CuratorFile
    from noiseless.ledger import Ledger
    from noiseless.ledger.analysts import NewToken, add_token
    from noiseless.server.app import create_app
    from noiseless.server.settings import Settings

    path = folder() / "patients.toml"
    file, token = CuratorFile.read(path), NewToken.random()
    with Ledger.open(file.ledger) as ledger:
        add_token(ledger, [file.name], name="ann", role="analyst", token=token)
    app: Any = create_app(Settings((str(path),)))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(
        _exchange(app, LIFESPAN, {"type": "lifespan.startup"}, "lifespan.startup.complete")
    )
    body = json.dumps({"queries": [SQL]}).encode()
    headers = {
        "host": "localhost",
        "authorization": f"Bearer {token.text}",
        "content-type": "application/json",
        "content-length": str(len(body)),
    }
    scope = REQUEST | {
        "path": f"/v1/datasets/{file.name}/queries",
        "raw_path": f"/v1/datasets/{file.name}/queries".encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    message = {"type": "http.request", "body": body, "more_body": False}
    return lambda: loop.run_until_complete(_exchange(app, scope, message, "http.response.body"))


async def _exchange(app: Any, scope: Mapping[str, Any], message: Mapping[str, Any], until: str) -> None:  # noqa: ANN401 - ASGI
    """Send an application one message, and wait for the one that ends its answer."""
    answered = asyncio.Event()
    messages = [dict(message)]

    async def receive() -> Any:  # noqa: ANN401
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(sent: dict[str, Any]) -> None:
        if sent["type"] == "http.response.start" and sent["status"] != HTTPStatus.OK:
            sys.exit(f"the server answered {sent['status']}")
        if sent["type"] == until and not sent.get("more_body"):
            answered.set()

    task = asyncio.ensure_future(app(dict(scope), receive, send))
    done = asyncio.ensure_future(answered.wait())
    await asyncio.wait({task, done}, return_when=asyncio.FIRST_COMPLETED)
    done.cancel()
    if scope["type"] == "http":
        await task
    else:
        SERVED.append(task)


WALKS = {"audit": audit, "release": release, "question": question, "POST": post}


def main() -> None:
    """Print how far each job walks."""
    for name, prepare in WALKS.items():
        prepare()()
        walk = Walk()
        job = prepare()
        walk.counts = True
        job()
        walk.counts = False
        walk.end()
        print(f"{name}: {len(walk.modules)} modules, {walk.depth} frames deep")
        if "-v" in sys.argv:
            print("  " + "\n  ".join(sorted(walk.modules)))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # the servers' tasks and threads end with the process
