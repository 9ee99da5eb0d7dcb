"""The files of console and studio: nothing inline or from elsewhere, no text that is read as HTML or code."""

import re
from pathlib import Path

import pytest

from web_page import Page

SOURCE = Path(__file__).parents[2] / "src/noiseless"
CONSOLE, STUDIO, SHARED = SOURCE / "server/console", SOURCE / "studio/page", SOURCE / "web"
FILES = [file for folder in (CONSOLE, STUDIO, SHARED) for file in folder.rglob("*.*")]


@pytest.mark.parametrize("folder", [CONSOLE, STUDIO])
def test_nothing_is_inline_and_nothing_comes_from_elsewhere(folder: Path) -> None:
    page = Page((folder / "index.html").read_text())
    assert not page.tags["style"]
    assert not [name for _, name, _ in page.attributes if name == "style" or name.startswith("on")]
    assert [value for tag, name, value in page.attributes if (tag, name) == ("script", "src")] == ["app.js"]
    assert page.tags["script"] == 1
    for file in FILES:
        if file.suffix in {".js", ".css", ".html", ".svg"}:
            hosts = set(re.findall(r"https?://[^\"'\s)]+", file.read_text()))
            assert hosts <= {"http://www.w3.org/2000/svg"}, file


@pytest.mark.parametrize(
    "word",
    [
        *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"),
        *("localStorage", "document.cookie", 'setAttribute("style"', "importScripts"),
    ],
)
def test_scripts_do_without(word: str) -> None:
    assert not [file.name for file in FILES if file.suffix == ".js" and word in file.read_text()]


@pytest.mark.parametrize("folder", [CONSOLE, STUDIO])
def test_every_module_that_is_imported_is_there(folder: Path) -> None:
    for file in folder.rglob("*.js"):
        for name in re.findall(r'from "(\.[^"]+)"', file.read_text()):
            own = (file.parent / name).resolve()
            assert own.is_file() or (SHARED / own.relative_to(folder)).is_file(), (file.name, name)


@pytest.mark.parametrize(
    ("cell", "is_formula"),
    [
        *((f"{sign}SUM(A1:A9)", True) for sign in "=+-@"),
        *((text, True) for text in ("-1+1", "=1", "+1", "\t=1", "\r=1", "@x", "-inf-1", "-1/2/3")),
        *((text, False) for text in ("-1", "-1/2", "-inf", "1", "inf", "north", "", "a=b", "SELECT -1")),
    ],
)
def test_no_cell_of_a_file_of_answers_is_a_formula(cell: str, is_formula: bool) -> None:
    """Group names come from the data, and a spreadsheet computes what begins with = + - or @."""
    script = (CONSOLE / "views" / "answers.js").read_text()
    (pattern,) = re.findall(r"const harmless = .*? && /(.+)/\.test\(cell\) \? `'\$\{cell\}`", script)
    assert bool(re.search(pattern, cell)) == is_formula
    assert "line.map(quote)" in script
    assert "const quote = (cell) => (" in script
    assert "harmless(cell)" in script
