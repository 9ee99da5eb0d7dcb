"""HTTP as uvicorn reads it, with limits on the head of a request and refusals of one shape."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from noiseless.server.errors import ApiError, bad_request, too_slow

_MOST_HEAD = 64_000
_END = b"\r\n\r\n"
_HEAD_SECONDS = 10.0
_READ_SECONDS = 30.0


class PatientProtocol(HttpToolsProtocol):
    """Ends connections whose requests never get beyond their heads."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*arguments, **named)
        self._head, self._before = 0, b""
        self._in_head = True
        self._has_ended = False
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._answering: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody came."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody went."""
        self._stop_waiting()
        self._stop_watching()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request."""
        if self._in_head:
            end = (self._before + data).find(_END)  # what follows is the body
            self._head += len(data) if end < 0 else end
            self._before = data[1 - len(_END) :]
            if self._head > _MOST_HEAD:
                self._refuse(ApiError(431, "too_large", "the head of the request is too large"))
                return
        super().data_received(data)
        if self._in_head and self._timer is None and self._is_idle and not self.transport.is_closing():
            self._wait_for_head()  # what came begins no request yet: an empty line, perhaps

    def eof_received(self) -> bool:  # type: ignore[override]
        """Nothing more comes; a client that sent a whole request still waits for its response."""
        waits = not self._is_idle and not self.cycle.more_body
        self._has_ended = waits and self.transport.get_extra_info("sslcontext") is None
        return self._has_ended  # with TLS the connection ends both ways at once

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._unread = self.loop.call_later(_READ_SECONDS, self._cut_off)

    def resume_writing(self) -> None:
        """They do again."""
        super().resume_writing()
        self._stop_watching()

    def shutdown(self) -> None:
        """The server stops: who does not read is not waited for."""
        if self._unread is None:
            super().shutdown()
        else:
            self._cut_off()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._head, self._in_head = 0, True
        self._wait_for_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of its head; what follows the body of a request counts for nothing."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Its head is complete."""
        self._in_head, self._head, self._before = False, 0, b""
        self._stop_waiting()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The response is sent; the next request may come."""
        self._in_head = True
        super().on_response_complete()
        if self._has_ended and self._is_idle:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """The request is no HTTP."""
        del msg
        self._refuse(bad_request("that is no valid HTTP request"))

    @property
    def _is_idle(self) -> bool:
        """Whether all requests that came are answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(_HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:  # noqa: ANN401 - uvicorn's own
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _cut_off(self) -> None:
        if self._answering is not None:
            self._answering.disconnected = True  # what is still written goes nowhere
        self.transport.abort()

    def _stop_watching(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self._refuse(too_slow())

    def _refuse(self, error: ApiError) -> None:
        self._stop_waiting()
        if not self._is_idle:
            self.transport.close()  # an earlier request of this connection is not answered yet
            return
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: "
        length = str(len(error.body)).encode()
        self.transport.write(STATUS_LINE[error.status] + head + length + b"\r\n\r\n" + error.body)
        self.transport.close()
