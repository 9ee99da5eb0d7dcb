"""Pages that name other things name things that are there, and all of them: tests, public names, guides."""

import ast
import re
from pathlib import Path

import pytest

import noiseless as nl

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "corrections.md").read_text("utf-8")
CITED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)))


def names_in(path: Path) -> set[str]:
    """The names of all tests of a file."""
    found = ast.walk(ast.parse(path.read_text("utf-8")))
    return {
        node.name for node in found if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("file", sorted({file for file, _ in CITED}))
def test_every_test_that_is_cited_is_there(file: str) -> None:
    cited = {name for path, name in CITED if path == file}
    assert cited <= names_in(ROOT / "tests" / file)


def test_every_correction_cites_a_test() -> None:
    sections = re.split(r"^###? ", PAGE, flags=re.MULTILINE)[1:]
    bare = [section.splitlines()[0] for section in sections if len(section) > 400 and ".py::" not in section]
    assert bare == []


def test_the_citation_names_this_version() -> None:
    texts = [(ROOT / name).read_text("utf-8") for name in ("CITATION.cff", "docs/citation.md")]
    assert [nl.__version__ in text for text in texts] == [True, True]


def test_the_glossary_has_every_public_name() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    _, section = page.split("\n## Public names\n")
    named = set(re.findall(r"`(\w+)`", section.split("\n## ")[0]))
    assert named == {*nl.__all__, *nl._EXTRAS}


def test_every_guide_is_in_the_table_of_the_front_page() -> None:
    page = (ROOT / "docs" / "index.md").read_text("utf-8")
    _, section = page.split("\n## Guides\n")
    linked = set(re.findall(r"\]\((how-to-[\w-]+\.md)\)", section))
    assert linked == {path.name for path in (ROOT / "docs").glob("how-to-*.md")}
