import pytest

from noiseless.client.transport import Address
from noiseless.errors import RequestError


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://data.example.org", Address("https", "data.example.org", 443)),
        (" https://Data.Example.org:8443/a/b/ ", Address("https", "data.example.org", 8443, "/a/b")),
        ("http://localhost:8000/", Address("http", "localhost", 8000)),
        ("http://127.9.9.9", Address("http", "127.9.9.9", 80)),
        ("http://[::1]:8000", Address("http", "::1", 8000)),
        ("https://data.example.org/a b", Address("https", "data.example.org", 443, "/a%20b")),
    ],
)
def test_addresses_are_read(url: str, found: Address) -> None:
    assert Address.read(url) == found
    assert Address.read(str(found)) == found


@pytest.mark.parametrize(
    "url",
    [
        *("", "data.example.org", "ftp://data.example.org", "https://", "https://host:port", "https://[::1"),
        *("https://host:99999", "file:///etc/passwd", "//data.example.org"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(RequestError, match="write https://HOST"):
        Address.read(url)


@pytest.mark.parametrize(
    "url",
    ["https://ann:tok-en@host", "https://tok-en@host", "https://host?token=tok-en", "https://host#tok-en"],
)
def test_a_url_that_holds_a_secret_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(RequestError, match="holds more than an address") as caught:
        Address.read(url)
    assert "tok-en" not in str(caught.value)


@pytest.mark.parametrize(
    "host",
    [
        *("data.example.org", "10.0.0.1", "localhost.example.org", "[2001:db8::1]", "127.0.0.1.example.org"),
        *("meters.localhost", "a.b.localhost", "localhost.", "notlocalhost"),  # resolvers look these up
    ],
)
def test_plain_http_to_another_machine_must_be_asked_for(host: str) -> None:
    with pytest.raises(RequestError, match="in the clear"):
        Address.read(f"http://{host}:8000")
    assert Address.read(f"http://{host}:8000", insecure=True).port == 8000
