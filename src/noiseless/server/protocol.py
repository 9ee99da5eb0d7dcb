"""HTTP as uvicorn reads it, with limits on the head of a request and refusals of one shape."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from noiseless.server.errors import error_body

_MOST_HEAD = 64_000
_HEAD_SECONDS = 10.0


class PatientProtocol(HttpToolsProtocol):
    """Ends connections whose requests never get beyond their heads."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*arguments, **named)
        self._head = 0
        self._in_head = True
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody came."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody went."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request."""
        if self._in_head:
            self._head += len(data)
            if self._head > _MOST_HEAD and len(data) < self._head:
                self._refuse(431, "too_large", "the head of the request is too large")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._head, self._in_head = 0, True
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        """Its head is complete."""
        self._in_head, self._head = False, 0
        self._stop_waiting()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The response is sent; the next request may come."""
        self._in_head = True
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """The request is no HTTP."""
        del msg
        self._refuse(400, "bad_request", "that is no valid HTTP request")

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(_HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self._refuse(408, "timeout", "the request took too long to arrive; send it again")

    def _refuse(self, status: int, code: str, message: str) -> None:
        self._stop_waiting()
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.close()  # an earlier request of this connection is not answered yet
            return
        body = error_body(code, message)
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: "
        self.transport.write(STATUS_LINE[status] + head + str(len(body)).encode() + b"\r\n\r\n" + body)
        self.transport.close()
