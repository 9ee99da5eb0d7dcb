"""Who may talk to the studio: the one browser that opened its link, on this machine, and no other page."""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "noiseless-studio"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """In front of every endpoint.

    The link that the command prints works once: it gives the browser a cookie that no script can read, and
    that no other site's page sends. A request must name this machine (a name that another site points here
    is refused), must carry the cookie, and where a browser says which page it is from, that page is ours.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._link: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)

    @property
    def link(self) -> str:
        """The path that opens the studio, once."""
        return f"/start/{self._link}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._answer(scope["path"], scope["method"], Headers(scope=scope))
        if refused is None:

            async def with_headers(message):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
                if message["type"] == "http.response.start":
                    known = {name.lower() for name, _ in message["headers"]}
                    message["headers"] = [
                        *message["headers"],
                        *(
                            (name.lower().encode(), value.encode())
                            for name, value in HEADERS.items()
                            if name.lower().encode() not in known
                        ),
                    ]
                await send(message)

            await self._app(scope, receive, with_headers)
        else:
            await refused(scope, receive, send)

    def _answer(self, path: str, method: str, headers: Headers) -> Response | None:
        """What is answered here; None for what may pass."""
        if headers.get("host") not in self._hosts or not self._is_ours(headers):
            return _refused("this page is for the browser of this machine alone", headers)
        if path.startswith("/start/") and method == "GET":
            return self._open(path.removeprefix("/start/"), headers)
        if not hmac.compare_digest(_cookie(headers).encode(), self._session.encode()):
            words = "open the link that `noiseless studio` printed (it works once), or start it again"
            return _refused(words, headers)
        return None

    def _is_ours(self, headers: Headers) -> bool:
        """Whether the request is from a page of this origin, as far as the browser says."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and (
            urlsplit(origin).scheme != "http" or urlsplit(origin).netloc not in self._hosts
        ):
            return False
        return site in (None, "same-origin", "none")

    def _open(self, offered: str, headers: Headers) -> Response:
        link, self._link = self._link, None
        if link is None or not hmac.compare_digest(offered.encode(), link.encode()):
            self._link = link
            return _refused("this link was used; start `noiseless studio` again", headers)
        answer = RedirectResponse("/", status_code=303, headers=HEADERS)
        answer.set_cookie(COOKIE, self._session, httponly=True, samesite="strict", path="/")
        return answer


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _refused(words: str, headers: Headers) -> Response:
    """As a page where a person asked with a browser, else as data."""
    if "text/html" not in headers.get("accept", ""):
        return JSONResponse({"error": words}, status_code=403, headers=HEADERS)
    said = f"<h1>noiseless studio</h1><p>{words[0].upper()}{words[1:]}.</p>"
    page = f'<!doctype html><html lang="en"><title>noiseless studio</title>{said}'
    return HTMLResponse(page, status_code=403, headers=HEADERS)
