"""Contents that are always in sight: of the site in a short sidebar, of the page in it and above the text.

The sidebar has one fold for each caption of the front page, open where the reader is, with the sections of
the reader's page. Where it is hidden, on a phone, these stand in a fold below the page's title.

Furo lists every page of the site on every page. With some hundred pages that is slow to build and tiring to
scroll; here the pages below an entry are listed only on that entry's own pages.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from docutils.nodes import reference
from sphinx.addnodes import toctree

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_BEFORE_FURO, _AFTER_FURO = 400, 600

_SEVERAL = 3
"""A page of fewer sections is seen at a glance."""


class Sidebar:
    """The navigation of one page."""

    def __init__(self, app: "Sphinx", page: str) -> None:
        self._env: BuildEnvironment = app.env
        self._builder = app.builder
        self._page = page
        self._path = set(_path(self._env, page))

    def html(self) -> str:
        """All captions; the one that the page stands under is open, on the front page the first."""
        groups = list(_groups(self._env))
        here = next((n for n, (_, entries) in enumerate(groups) if self._path & entries.keys()), 0)
        return "".join(self._group(*group, opened=number == here) for number, group in enumerate(groups))

    def _group(self, caption: str, entries: dict[str, str], *, opened: bool) -> str:
        return (
            f'<details class="sidebar-group"{" open" if opened else ""}>'
            f'<summary class="caption"><span class="caption-text">{escape(caption)}</span></summary>'
            f"{self._list(entries, 1)}</details>"
        )

    def _list(self, entries: Mapping[str, str], level: int) -> str:
        items = "".join(self._item(entry, title, level) for entry, title in entries.items())
        return f"<ul>{items}</ul>" if items else ""

    def _item(self, entry: str, title: str, level: int) -> str:
        below = self._env.toctree_includes.get(entry, []) if entry in self._path else []
        classes = [f"toctree-l{level}", *(["current"] if entry in self._path else [])]
        classes += ["current-page"] if entry == self._page else []
        target = self._builder.get_relative_uri(self._page, entry) or "#"
        deeper = self._list({name: _title(self._env, name) for name in below}, level + 1)
        if entry == self._page and not below:
            deeper = _sections(self._env, entry, "sidebar-sections")
        return (
            f'<li class="{" ".join(classes)}">'
            f'<a class="reference internal" href="{escape(target)}">{escape(title)}</a>'
            f"{deeper}</li>"
        )


def _groups(env: "BuildEnvironment") -> Iterator[tuple[str, dict[str, str]]]:
    """The captions of the front page's lists, each with its pages and their titles there."""
    for node in env.tocs[env.config.root_doc].findall(toctree):
        entries = {name: title or _title(env, name) for title, name in node["entries"] if name in env.titles}
        yield node.get("caption") or env.config.project, entries


def _sections(env: "BuildEnvironment", page: str, name: str) -> str:
    """Links to the sections of a page, if it has several."""
    found = [
        (link["anchorname"], link.astext())
        for item in env.tocs[page].children
        for below in item.children[1:]
        for section in below.children
        for link in list(section.findall(reference))[:1]
    ]
    items = "".join(f'<li><a href="{escape(to)}">{escape(title)}</a></li>' for to, title in found if to)
    return f'<ul class="{name}">{items}</ul>' if len(found) >= _SEVERAL else ""


def _title(env: "BuildEnvironment", name: str) -> str:
    return str(env.titles[name].astext())


def _path(env: "BuildEnvironment", page: str) -> Iterator[str]:
    """A page and those that it stands below."""
    parents = {below: above for above, all_below in env.toctree_includes.items() for below in all_below}
    seen: set[str] = set()
    while page and page not in seen:
        yield page
        seen.add(page)
        page = parents.get(page, "")


def _without_furos(
    _app: "Sphinx", _page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    if "toctree" in context:
        context["toctree"] = lambda **_: ""


def _with_ours(app: "Sphinx", page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    context["furo_navigation_tree"] = Sidebar(app, page).html()
    if page in app.env.tocs and page != app.env.config.root_doc and "body" in context:
        sections = _sections(app.env, page, "")
        fold = f'<details class="on-this-page"><summary>On this page</summary>{sections}</details>'
        context["body"] = context["body"].replace("</h1>", f"</h1>{fold if sections else ''}", 1)


def setup(app: "Sphinx") -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("html-page-context", _without_furos, priority=_BEFORE_FURO)
    app.connect("html-page-context", _with_ours, priority=_AFTER_FURO)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
