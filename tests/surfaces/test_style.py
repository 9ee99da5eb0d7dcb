"""Texts that people read keep to the style sheet of CONTRIBUTING.md: phrases that it retired stay out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "noiseless"
RETIRED = (
    r"\bwhoever\b",
    r"\bwhat is told\b",
    r"\b(is|are) told (as|by)\b",
    r"\bso many\b",
    r"\bnone found\b",
    r"\bbits there are\b",
    r"\btold apart for certain\b",
    r"\bevery group tells\b",
    r"\bis taken to know\b",
    r"\bunless told\b",
    r"\bunless said\b",
    r"\bis what is to be\b",
    r"\balways told apart\b",
    r"\btells? (less|nobody)\b",
    r"\bwhom (are )?the tables (are )?about\b",
    r"\banybody\b",
    r"\bgive it again\b",
    r"\bhimself\b",
    r"\bthat (is|are) withheld or rounded\b",
    r"\bbelongs? into\b",
    r"[;,] repeatable\b",
    r"; [\w ]+ without it( \||\.$)",
)
"""Each reads like a translation; CONTRIBUTING.md has what to write instead."""
PHRASE = re.compile("|".join(RETIRED), re.IGNORECASE)
EVERYWHERE = re.compile(r"\b(whoever|so\s+many|what\s+is\s+told)\b", re.IGNORECASE)
"""These stay out of docstrings and comments too: the reference is made of them."""
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*$", re.DOTALL | re.MULTILINE)


def shown_texts(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of every string of a module that is no docstring: what it may show."""
    tree = ast.parse(source)
    described = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(body := getattr(node, "body", None), list)
        for statement in body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.lineno, node.value


def found(path: Path) -> list[str]:
    """Where a file that people read has a retired phrase."""
    text = path.read_text("utf-8")
    name = path.relative_to(ROOT)
    if not PHRASE.search(text):  # anywhere
        return []
    if path.suffix == ".py":
        return [
            f"{name}:{line}: {match[0]}"
            for line, shown in shown_texts(text)
            for match in PHRASE.finditer(shown)
        ]
    if path.suffix == ".js":
        text = SCRIPT_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [f"{name}:{text.count(chr(10), 0, m.start()) + 1}: {m[0]}" for m in PHRASE.finditer(text)]


def test_what_is_shown_is_told_from_what_is_not() -> None:
    source = '"""Whoever."""\nA = "Whoever sees it"\n"""So many."""\ndef f():\n    """So many."""\n'
    source += '    return f"{A} so many"\n'
    assert list(shown_texts(source)) == [(2, "Whoever sees it"), (6, " so many")]
    assert PHRASE.search("at least So many rows")
    assert not PHRASE.search("someone told the owner")


@pytest.mark.parametrize(
    "pattern",
    [
        "src/noiseless/**/*.py",
        "src/noiseless/**/*.j2",
        "src/noiseless/server/console/**/*.js",
        "src/noiseless/server/console/**/*.html",
        "src/noiseless/studio/page/**/*.js",
        "src/noiseless/studio/page/**/*.html",
        "src/noiseless/web/**/*.js",
        "README.md",
        "docs/*.md",
    ],
)
def test_retired_phrases_stay_out(pattern: str) -> None:
    paths = sorted(ROOT.glob(pattern))
    assert paths
    assert [place for path in paths for place in found(path)] == []


@pytest.mark.parametrize(
    ("folder", "suffixes"),
    [("src/noiseless", {".py", ".js", ".j2", ".html", ".css", ".toml"}), ("docs", {".md", ".py", ".ipynb"})],
)
def test_no_docstring_and_no_comment_has_them_either(folder: str, suffixes: set[str]) -> None:
    paths = [p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes and "_build" not in p.parts]
    assert paths
    places = []
    for path in sorted(paths):
        text = path.read_text("utf-8")
        for match in EVERYWHERE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            places.append(f"{path.relative_to(ROOT)}:{line}: {match[0]}")
    assert places == []
