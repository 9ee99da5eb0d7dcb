"""The pages of the documentation that figures link to, from the package: nothing is asked of the network."""

import re
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

PAGES = ("audit", "frontier", "measures", "protect-tables", "published-tables", "release", "risk", "rules")
"""Those that are in the package."""

_HERE = Path(__file__).parent / "manual"
_FOLDER = _HERE if _HERE.is_dir() else Path(__file__).parents[3] / "docs"
_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} \N{EN DASH} noiseless</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="/parts.css">
<link rel="stylesheet" href="/studio.css">
</head>
<body>
<main class="manual">
{text}
</main>
</body>
</html>
"""


def manual_page(name: str) -> str | None:
    """A page as HTML; None if it is not in the package."""
    stem, ending = name[:-3], name[-3:]
    if stem not in PAGES or ending != ".md":
        return None
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse((_FOLDER / name).read_text("utf-8"))
    for token in tokens:
        if token.info.startswith("{"):  # a line of an option, as Sphinx has them
            token.content, token.info = re.sub(r"(?m)\A(:\w+:.*\n)+\n*", "", token.content), ""
    for head, inline in pairwise(tokens):
        if head.type == "heading_open":
            head.attrSet("id", anchor(inline.content))
        for inner in inline.children or ():
            _point(inner)
    title = next(inline.content for inline in tokens if inline.type == "inline")
    return _FRAME.format(title=escape(title), text=reader.renderer.render(tokens, reader.options, {}))


def anchor(heading: str) -> str:
    """What a heading is called in an address.

    >>> anchor("What a bettor wins")
    'what-a-bettor-wins'
    """
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _point(token: "Token") -> None:
    """Leave a link only where its page is here, and of a picture its words."""
    if token.type == "image":
        token.type, token.tag = "text", ""
    target = str(token.attrGet("href") or "") if token.type == "link_open" else ""
    page = target.partition("#")[0]
    if target and page and page.removesuffix(".md") not in PAGES:
        token.attrs = {"title": f"in the documentation: {target}"}
