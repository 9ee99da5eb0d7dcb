"""Where a server is, and whether a token may be sent there."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from noiseless.errors import RequestError

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """Where a server is.

    Attributes:
        scheme: http or https.
        host: its name or number.
        port: its port.
        prefix: what the paths of all requests begin with, if a proxy put the server below a path.
    """

    scheme: str
    host: str
    port: int
    prefix: str = ""

    @classmethod
    def read(cls, url: str, *, insecure: bool = False) -> "Address":
        """The address of a URL.

        Args:
            url: such as https://data.example.org, or http://localhost:8000.
            insecure: whether plain HTTP to another machine is allowed.

        Raises:
            RequestError: it is none, or a token must not be sent there.

        >>> str(Address.read("https://data.example.org/noiseless/"))
        'https://data.example.org/noiseless'
        >>> str(Address.read("http://[::1]:8000"))
        'http://[::1]:8000'
        """
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except (AttributeError, ValueError):
            raise RequestError("the URL is none; write https://HOST or http://localhost:PORT") from None
        if parts.scheme not in _PORTS or not parts.hostname:
            raise RequestError(
                "the URL needs a scheme and a host; write https://HOST or http://localhost:PORT"
            )
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise RequestError("the URL holds more than an address; give the token as the second argument")
        if parts.scheme == "http" and not insecure and not is_local(parts.hostname):
            raise RequestError(
                f"http://{_shown(parts.hostname)} would send the token in the clear; write https://, or pass "
                "insecure=True if something else protects the connection"
            )
        prefix = quote(parts.path.rstrip("/"), safe="/%~")
        return cls(parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port, prefix)

    def __str__(self) -> str:
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{_shown(self.host)}{port}{self.prefix}"


def is_local(host: str) -> bool:
    """Whether a host is this machine.

    >>> [is_local(host) for host in ("localhost", "127.0.0.1", "::1", "10.0.0.1", "localhost.example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":  # names below it are looked up by some resolvers
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
