"""Every numbered statement of the papers has a home: a function that exists, and options that do."""

import re
from collections import Counter
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import documentation
from noiseless.gallery import every_figure
from paper_items import PAPERS
from reference_pages import commands

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = dict(commands.commands())
FIGURES = {figure.name for figure in every_figure()}


class Row(NamedTuple):
    """A row of a paper's page: which items, what they say, and where they live."""

    items: tuple[str, ...]
    functions: tuple[str, ...]
    commands: tuple[str, ...]


def rows(number: int) -> list[Row]:
    page = (DOCS / f"paper-{number}.md").read_text("utf-8")
    found = []
    for line in page.splitlines():
        cells = re.split(r"(?<!\\) ?\| ?", line)[1:-1]
        if len(cells) == 5 and cells[0] not in ("item", "---"):
            items, _, functions, words, _ = cells
            codes = (tuple(re.findall(r"`([^`]+)`", cell)) for cell in (functions, words))
            found.append(Row(tuple(items.split(", ")), *codes))
    return found


def resolved(name: str) -> Any:  # noqa: ANN401 - whatever it is
    """What a name stands for: of `nl`, or of a module below `noiseless`."""
    parts = name.removeprefix("nl.").split(".")
    for cut in range(len(parts) - (not name.startswith("nl.")), -1, -1):
        try:
            module = import_module(".".join(["noiseless", *parts[:cut]]))
        except ImportError:
            continue
        return reduce(getattr, parts[cut:], module)
    raise AssertionError(name)


@pytest.mark.parametrize("number", PAPERS)
def test_every_numbered_statement_has_a_row(number: int) -> None:
    named = Counter(item for row in rows(number) for item in row.items)
    missing = [item for item in PAPERS[number] if not named[item]]
    assert missing == [], f"docs/paper-{number}.md has no row for {missing}"
    numbers = re.compile(
        r"(Definition|Theorem|Proposition|Corollary|Lemma|Example|Property|Fig\.|\() ?[\dIV.]+\)?"
    )
    known = {item for item in named if numbers.fullmatch(item)}
    assert known <= set(PAPERS[number]), "list what the page has in tests/paper_items.py"
    assert [item for item in known if named[item] > 1] == []


@pytest.mark.parametrize("number", PAPERS)
def test_every_row_names_a_function_that_is_there(number: int) -> None:
    assert [row.items for row in rows(number) if not row.functions] == []
    for row in rows(number):
        for name in row.functions:
            try:
                resolved(name)
            except AttributeError as error:
                raise AssertionError(f"docs/paper-{number}.md, {row.items}: {name} is not there") from error


@pytest.mark.parametrize("number", PAPERS)
def test_every_command_that_is_named_takes_its_options(number: int) -> None:
    for row in rows(number):
        for text in row.commands:
            words = text.split()
            plain = words[: next((i for i, word in enumerate(words) if word.startswith("--")), len(words))]
            name = " ".join(plain) if " ".join(plain) in COMMANDS else plain[0]
            assert name in COMMANDS, f"docs/paper-{number}.md, {row.items}: there is no command {text!r}"
            options = set(documentation.option_names(COMMANDS[name]))
            asked = {word for word in words if word.startswith("--")}
            assert asked <= options, f"docs/paper-{number}.md, {row.items}: {name} takes no {asked - options}"
            if name == "reproduce":
                assert set(plain[1:]) <= FIGURES, text


def test_pages_link_the_corrections_and_the_figures() -> None:
    for number in PAPERS:
        page = (DOCS / f"paper-{number}.md").read_text("utf-8")
        assert "](corrections.md#" in page
        assert f"](gallery.md#p{number}-" in page
