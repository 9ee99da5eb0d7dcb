"""Heads of requests: what could be read in two ways is refused, whoever stands in front of the server."""

from starlette.types import Scope

from noiseless.server.errors import ApiError, bad_request, unauthorised

_VERSIONS = frozenset({"1.0", "1.1"})
_ONCE = frozenset({b"host", b"content-type", b"content-length", b"transfer-encoding", b"content-encoding"})


def require_clear(scope: Scope) -> None:
    """Refuse a head that two programs may take for two different requests.

    Raises:
        ApiError: it is such a head.
    """
    seen: set[bytes] = set()
    for name, value in scope["headers"]:
        if name in seen:
            if name == b"authorization":
                raise unauthorised()
            if name in _ONCE:
                raise bad_request(f"the field {name.decode()} comes twice; send it once")
        seen.add(name)
        if name == b"transfer-encoding" and value.strip().lower() != b"chunked":
            raise bad_request("a body is sent as it is, or in chunks; no other transfer coding is taken")
        if name == b"content-encoding" and value.strip().lower() != b"identity":
            raise ApiError(415, "bad_request", "a body is sent as it is; no content coding is taken")
    if scope["http_version"] not in _VERSIONS:
        raise bad_request("this server speaks HTTP/1.1; send that")
    if b"host" not in seen and scope["http_version"] == "1.1":
        raise bad_request("the field host is missing; every request names its host")
