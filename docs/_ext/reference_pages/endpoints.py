"""The server's endpoints, from its own OpenAPI document: one page, a section each."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import FastAPI

from noiseless.server.app import _add_routes
from reference_pages.text import DOCS, code, manual, page, plain, slug, table

PATH = "http"
MANUAL = "server.md"


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document; no dataset is opened for it."""
    api = FastAPI(title="noiseless")
    _add_routes(api)
    return api.openapi()


def endpoints() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of each endpoint."""
    for path, item in document()["paths"].items():
        for method, operation in item.items():
            yield method.upper(), path, operation


def pages() -> dict[str, str]:
    """The page, by its path."""
    rows = (
        (f"[`{method} {path}`](#{slug(_heading(method, path))})", plain(each.get("summary", "")))
        for method, path, each in endpoints()
    )
    text = page(
        "HTTP endpoints",
        "What `noiseless serve` answers, from the document that it serves itself at `/openapi.json`."
        f" {manual(MANUAL, 1)} has examples, tokens, limits and errors. In the names of keys `[]` stands"
        f" for each item of a"
        " list and `*` for each key.",
        table(("endpoint", "what it does"), rows),
        *(_section(*endpoint) for endpoint in endpoints()),
    )
    return {PATH: text}


def _heading(method: str, path: str) -> str:
    return f"{method} {path}"


def _section(method: str, path: str, operation: dict[str, Any]) -> str:
    named = (
        (code(each["name"]), each["in"], _kind(each["schema"]), plain(each.get("description", "")))
        for each in operation.get("parameters", ())
    )
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    parts = (
        f"## {code(_heading(method, path))}",
        plain(operation.get("summary", "")) + ".",
        plain(operation.get("description", "")),
        _titled("Parameters", table(("name", "in", "type", "meaning"), named)),
        _titled("Body", _fields(body)),
        _titled("Reply", _replies(operation["responses"])),
    )
    return "\n\n".join(part for part in parts if part)


def _titled(title: str, body: str) -> str:
    return f"**{title}**\n\n{body}" if body else ""


def _replies(responses: dict[str, Any]) -> str:
    rows = ((code(status), plain(each.get("description", ""))) for status, each in responses.items())
    good = responses.get("200", responses.get("201", {}))
    schema = good.get("content", {}).get("application/json", {}).get("schema")
    return table(("status", "meaning"), rows) + (f"\n\n{_fields(schema)}" if schema else "")


def _fields(schema: dict[str, Any] | None) -> str:
    rows = [(code(path), kind, _meaning(path, said)) for path, kind, said in keys(schema or {})]
    return table(("key", "type", "meaning"), rows)


def _meaning(path: str, said: str) -> str:
    """What the document says of a key, else what the tables of the hand-written page do."""
    return plain(said) if said else _explained().get(path, "")


@cache
def _explained() -> dict[str, str]:
    """The keys in the tables of two columns, each with its meaning."""
    rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|$", (DOCS / MANUAL).read_text("utf-8"), re.MULTILINE)
    return {key: meaning for names, meaning in rows for key in re.findall(r"`(\w+)`", names)}


def keys(
    schema: dict[str, Any], prefix: str = "", above: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, str]]:
    """All keys of a JSON object, those of objects within it by their path, with type and meaning."""
    reference = schema.get("$ref", "")
    if reference in above:
        return
    schema, above = _resolved(schema), (*above, reference) if reference else above
    for choice in schema.get("anyOf", ()):
        yield from keys(choice, prefix, above)
    if "items" in schema:
        yield from keys(schema["items"], f"{prefix}[]", above)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from keys(schema["additionalProperties"], f"{prefix}.*" if prefix else "*", above)
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        yield path, _kind(inner), inner.get("description", "")
        yield from keys(inner, path, above)


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    found: dict[str, Any] = (
        document()["components"]["schemas"][reference.rsplit("/", 1)[1]] if reference else schema
    )
    return found


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(choice) for choice in schema["anyOf"]))
    if "$ref" in schema:
        return _kind(_resolved(schema))
    if "items" in schema:
        return f"list of {_kind(schema['items'])}"
    if "enum" in schema:
        return " or ".join(code(each) for each in schema["enum"])
    return str(schema.get("type", "any")).replace("null", "nothing")
