"""The documentation names everything that a user can type or read: a missing name fails here."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import noiseless as nl
from noiseless.audits.policy import Limits
from noiseless.cli.main import app, run

ROOT = Path(__file__).parents[2]
DOCS = {page.name: page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
TABLE = ROOT / "src" / "noiseless" / "data" / "patients-4-anonymous.csv"


def commands() -> Iterator[tuple[str, Any]]:
    """The command itself and all that stand below it, each with the words that call it."""
    waiting = [("noiseless", get_command(app))]
    while waiting:
        words, command = waiting.pop()
        yield words, command
        waiting += [(f"{words} {name}", below) for name, below in getattr(command, "commands", {}).items()]


def options() -> Iterator[tuple[str, str]]:
    for words, command in commands():
        for parameter in command.params:
            yield from (
                (words, name) for name in (*parameter.opts, *parameter.secondary_opts) if name[0] == "-"
            )


def keys(value: object) -> Iterator[str]:
    """All keys of a JSON value, names of columns among them."""
    below: list[Any] = []
    if isinstance(value, dict):
        yield from value
        below = list(value.values())
    elif isinstance(value, list):
        below = value
    for item in below:
        yield from keys(item)


def is_code(name: str, page: str) -> bool:
    """Whether a page has a name as code, by itself or at the start of it (`--html OUT`)."""
    return re.search(rf"`{re.escape(name)}[` ]", page) is not None


@pytest.mark.parametrize("words", [words for words, _ in commands()])
def test_every_command_is_in_the_documentation(words: str) -> None:
    assert any(words in page for page in DOCS.values()), f"no page of docs/ mentions {words!r}"


@pytest.mark.parametrize(("words", "option"), sorted(set(options())))
def test_every_option_is_on_a_page_about_its_command(words: str, option: str) -> None:
    pages = [page for page in DOCS.values() if words in page]
    found = any(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", page) for page in pages)
    assert found, f"no page of docs/ that mentions {words!r} mentions {option}"


@pytest.mark.parametrize("name", nl.__all__)
def test_every_public_name_is_in_the_api_reference(name: str) -> None:
    assert re.search(rf"^\.\. auto\w+:: noiseless\.{name}\b", DOCS["api.md"], re.MULTILINE), (
        f"docs/api.md has no directive for noiseless.{name}"
    )


def test_every_key_of_the_audit_is_in_its_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "limits.toml"
    policy.write_text("[limits]\nmin_posterior = 1\n")
    asked = ["--sensitive", "illness", "--public", "sex", "--given", "age", "--policy", str(policy)]
    assert run(["audit", str(TABLE), *asked, "--show-values", "--format", "json"]) == 0
    found = set(keys(json.loads(capsys.readouterr().out))) - {"age", "sex", "illness"}
    assert sorted(key for key in found if not is_code(key, DOCS["audit.md"])) == []
    assert found >= {"leakage", "first_row", "possible", "spared", "leakage_total", "checks"}


@pytest.mark.parametrize(
    "arguments", [["schema", str(TABLE)], ["schema", str(TABLE), "--check", "schema.toml"]]
)
def test_every_key_of_a_schema_is_in_its_reference(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schema.toml").write_text('[columns.illness]\nrole = "private"\ncategories = ["flu"]\n')
    run([*arguments, "--format", "json"])
    found = set(keys(json.loads(capsys.readouterr().out))) - {"illness"}
    assert sorted(key for key in found if not is_code(key, DOCS["schema.md"])) == []


@pytest.mark.parametrize(
    ("page", "arguments"),
    [
        ("plan.md", ["plan", "--query", "mean", "--n", "9", "--bounds", "0", "1", "--budget", "1"]),
        ("capacity.md", ["capacity", "channel.csv"]),
        ("convert.md", ["convert", "--from", "dp", "--to", "mi", "--epsilon", "1"]),
        ("convert.md", ["convert", "--from", "mi", "--to", "delta", "--epsilon", "0.1"]),
        (
            "blur.md",
            [
                *("blur", "people.csv", "--hypothesis", "weight >= height / 2", "--max-change", "5"),
                *("--bounds", "weight=0:200", "--bounds", "height=0:250", "-o", "out.csv"),
            ],
        ),
    ],
)
def test_every_key_of_a_command_is_on_its_page(
    page: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("channel.csv").write_text("0.9,0.1\n0.2,0.8\n")
    Path("people.csv").write_text("weight,height\n80,170\n70,150\n")
    assert run([*arguments, "--format", "json"]) == 0
    found = set(keys(json.loads(capsys.readouterr().out))) - {"weight", "height"}
    assert sorted(key for key in found if not is_code(key, DOCS[page])) == []


@pytest.mark.parametrize("limit", Limits.model_fields)
def test_every_limit_of_a_policy_is_documented(limit: str) -> None:
    _, section = DOCS["audit.md"].split("\n## Policies\n")
    assert f"| `{limit}` |" in section.split("\n## ")[0]


def test_every_page_is_reached_from_the_index() -> None:
    listed = set(re.findall(r"^([\w-]+)$", DOCS["index.md"], re.MULTILINE))
    assert {page.removesuffix(".md") for page in DOCS} - {"index"} <= listed


def test_the_readme_links_to_files_that_exist() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
