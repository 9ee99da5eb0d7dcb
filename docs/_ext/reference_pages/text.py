"""Markdown in small pieces: tables, links, lists of pages."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).parents[2]
"""Where the hand-written pages are."""

GENERATED = "<!-- Made from the code by docs/_ext/reference_pages; edits here are lost. -->"


def code(text: object) -> str:
    """A text as code; one with a backtick in it between two of them."""
    shown = str(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def plain(text: str) -> str:
    """A text that Markdown shows as it stands."""
    return re.sub(r"([\\`*_\[\]<>#|$~])", r"\\\1", text)


def prose(text: str) -> str:
    """The same for a docstring, in which code stands between backticks."""
    return "".join(part if part.startswith("`") else plain(part) for part in re.split(r"(`[^`]*`)", text))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; nothing if it has no rows."""
    lines = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    if not lines:
        return ""
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *lines])


def _cell(text: str) -> str:
    """Within a row a bar would end the cell, even in code."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of what is so, each with a name."""
    return "\n".join(f"- **{name}**: {value}" for name, value in pairs)


def toctree(entries: Iterable[str], *, hidden: bool = True) -> str:
    """The pages below a page, for the navigation."""
    options = "\n:hidden:\n" if hidden else "\n:maxdepth: 1\n"
    return "```{toctree}" + options + "\n" + "\n".join(entries) + "\n```"


def fenced(language: str, lines: Iterable[str]) -> str:
    """A block that is shown and not run."""
    return f"```{language}\n" + "\n".join(lines) + "\n```"


def directive(lines: str) -> str:
    """A block of reStructuredText, for what only that can say."""
    return "```{eval-rst}\n" + lines.rstrip() + "\n```"


def page(title: str, *parts: str) -> str:
    """A whole page, without the parts that are empty."""
    return "\n\n".join([GENERATED, f"# {title}", *(part.strip("\n") for part in parts if part)]) + "\n"


def sections(name: str) -> Iterator[tuple[str, str]]:
    """The headings of a hand-written page, each with the text below it; blocks of code hold none."""
    file = DOCS / name
    text = file.read_text("utf-8") if file.is_file() else f"# {name}\n"
    heading, body, in_code = "", "", False
    for line in text.splitlines(keepends=True):
        in_code ^= line.startswith("```")
        found = None if in_code else re.match(r"#{1,3} (.*)", line)
        if found:
            yield heading, body
            heading, body = found.group(1), ""
        else:
            body += line
    yield heading, body


def slug(heading: str) -> str:
    """The anchor of a heading, as MyST makes it."""
    bare = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return bare.replace(" ", "-")


def title_of(name: str) -> str:
    """The first heading of a hand-written page."""
    return next(heading for heading, _ in sections(name) if heading)


def section_about(name: str, word: str, *, headings_only: bool = False) -> str | None:
    """The anchor of the part of a page about a name: headed by it, or the first with it in code."""
    found = [(heading, body) for heading, body in sections(name) if heading]
    asked = word.replace("_", " ").replace("-", " ").lower()
    headed = [(heading, heading.replace("`", "").replace("-", " ").lower()) for heading, _ in found]
    for heading, text in [*(pair for pair in headed if pair[1] == asked), *headed]:
        if asked in text:
            return slug(heading)
    if headings_only:
        return None
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return next((slug(heading) for heading, body in found[1:] if pattern.search(body)), None)


def manual(name: str, up: int, anchor: str | None = None) -> str:
    """A link to a hand-written page from a page this many folders below it."""
    target = "../" * up + name + (f"#{anchor}" if anchor else "")
    return f"[{title_of(name)}]({target})"
