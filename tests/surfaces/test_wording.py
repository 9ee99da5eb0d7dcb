"""The style sheet of CONTRIBUTING, as far as a program can hold it: phrases that readers stumbled over."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = (ROOT / "docs" / "index.md").read_text("utf-8")
CAPTIONS = ("Tutorials", "Guides", "Reference")
PAGES = sorted(
    name
    for caption in CAPTIONS
    for name in re.findall(r"(?m)^[a-z][\w-]*$", re.split(f":caption: {caption}\n", INDEX)[1].split("```")[0])
)
STUMBLES = re.compile(
    r"whoever|what is told|(?:is|are|was|were|be) told(?! apart)|sees nothing|at (?:least|most) so many"
    r"|bits there are|most telling|that none found beats",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?ms)^```.*?^```|`[^`\n]*`")


def stumbles(text: str) -> list[str]:
    """What the prose of a page should say otherwise; examples and what commands print are left aside."""
    return STUMBLES.findall(" ".join(_CODE.sub("", text).split()))


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", *(f"docs/{name}.md" for name in PAGES)])
def test_pages_keep_to_the_style_sheet(page: str) -> None:
    assert stumbles((ROOT / page).read_text("utf-8")) == []


def test_a_stumble_is_found_across_lines_and_not_in_code() -> None:
    assert stumbles("Nothing that is\ntold. `whoever`\n```text\nWhoever\n```\n") == ["is told"]
    assert stumbles("Values can be told apart.") == []
