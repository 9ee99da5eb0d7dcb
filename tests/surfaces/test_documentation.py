"""The documentation names everything that a user can type or read: a missing name fails here.

Pages of the reference are made from the code (docs/_ext/reference_pages). What is looked for is in
`documentation.py`; the last tests here show that it would be found missing.
"""

import inspect
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.main import get_command

import documentation
import json_runs
import noiseless as nl
import reference_pages
from noiseless.audits.policy import PolicyLimits
from noiseless.cli.main import application, run
from noiseless.comparison import AdditiveNoise, RandomisedMechanism
from noiseless.questions.base import Query
from noiseless.ranges.quantizer import Listed, Quantizer
from noiseless.rules import KINDS, rule
from reference_pages import commands, endpoints, measures, mechanisms, queries, rules
from reference_pages.objects import found
from reference_pages.text import section_about

ROOT = Path(__file__).parents[2]
DOCS = {page.name: page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
COMMANDS = dict(commands.commands())
CALLED = {words: command for words, command in COMMANDS.items() if not getattr(command, "commands", None)}


@cache
def pages() -> dict[str, str]:
    return reference_pages.pages()


def absent(missing: list[str], of: str) -> str:
    return f"{of}: {', '.join(missing)}"


# Commands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_is_on_a_hand_written_page_and_has_its_own(words: str) -> None:
    called = f"noiseless {words}".strip()
    assert any(called in page for page in DOCS.values()), f"no page of docs/ mentions {called!r}"
    assert called in pages()[commands.path_of(words)]
    assert commands.manual_of(words) in DOCS


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_is_explained_and_on_both_pages(words: str) -> None:
    command = COMMANDS[words]
    names = list(documentation.option_names(command))
    assert documentation.unmentioned_options(words, names, DOCS.values()) == []
    assert documentation.unlisted_options(names, pages()[commands.path_of(words)]) == []
    assert documentation.unexplained_options(command) == []


@pytest.mark.parametrize("words", COMMANDS)
def test_help_shows_examples_that_the_command_line_takes(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words.split(), "--help"]) == 0
    assert re.search(rf"Examples?:\s+.*noiseless {words}".rstrip(), capsys.readouterr().out, re.DOTALL)
    _, examples = commands.help_parts(COMMANDS[words])
    assert examples
    root = get_command(application())
    assert [each for each in examples if documentation.refused_example(root, each)] == []


@pytest.mark.parametrize("words", CALLED)
def test_exit_codes_are_said(words: str) -> None:
    callback = CALLED[words].callback
    if callback.__annotations__.get("return") is int:
        assert "The exit code: 0" in (callback.__doc__ or ""), f"noiseless {words} says no exit code"
    assert next(iter(commands.exit_codes(CALLED[words]))) == "0"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("json")
        patch.chdir(folder)
        yield json_runs.printed(folder)


def test_every_key_of_json_is_written_down(printed: dict[str, list[str]]) -> None:
    with_json = {w for w, command in CALLED.items() if "--format" in documentation.option_names(command)}
    assert with_json == set(printed), "give each command with --format a run in tests/json_runs.py"
    changed = documentation.changed_keys(printed, commands.JSON_KEYS)
    assert changed == [], absent(changed, "run python tests/json_runs.py for")


SHARED = {
    "audit": ["rules.md"],
    "capacity": ["zero-error.md"],
    "plan": ["rules.md"],
    "verify": ["certificate.md"],
}
"""Other pages with keys of a command."""


@pytest.mark.parametrize("words", commands.JSON_KEYS)
def test_every_key_of_json_is_explained(words: str) -> None:
    names = {
        commands.manual_of(words),
        commands.manual_of(words.split(maxsplit=1)[0]),
        *SHARED.get(words, ()),
    }
    missing = documentation.undocumented_keys(commands.JSON_KEYS[words], [DOCS[name] for name in names])
    assert missing == [], absent(missing, f"{sorted(names)} do not explain")


@pytest.mark.parametrize("limit", PolicyLimits.model_fields)
def test_every_limit_of_a_policy_is_documented(limit: str) -> None:
    _, section = DOCS["audit.md"].split("\n## Policies\n")
    assert f"| `{limit}` |" in section.split("\n## ")[0]


# Python names --------------------------------------------------------------------------------------------

PACKAGES = (
    "adversaries",
    "audits",
    "client",
    "collection.blur",
    "collection.local",
    "comparison",
    "curator",
    "pricing",
    "questions",
    "ranges",
    "releases",
    "reports",
    "theory.accuracy",
    "theory.capacity",
    "theory.continuous",
    "theory.differential",
    "theory.hypothesis",
    "theory.stochastic",
    "theory.zero_error",
    "verification",
)
"""Packages whose names are for users."""


def test_every_public_name_is_described_once() -> None:
    missing = documentation.undescribed([f"noiseless.{name}" for name in nl.__all__], pages().values())
    assert missing == [], absent(missing, "described not at all or twice")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_package_is_described(package: str) -> None:
    module = import_module(f"noiseless.{package}")
    targets = documentation.described(pages().values())
    described = {id(inspect.unwrap(found(target))) for target in targets}
    missing = [name for name in module.__all__ if id(inspect.unwrap(getattr(module, name))) not in described]
    assert missing == [], absent(missing, f"noiseless.{package} is not described")


def test_nothing_is_described_twice() -> None:
    twice = [name for name, times in documentation.described(pages().values()).items() if times > 1]
    assert twice == []


def test_every_error_is_described() -> None:
    errors = vars(import_module("noiseless.errors")).values()
    own = [each.__name__ for each in errors if isinstance(each, type) and issubclass(each, nl.NoiselessError)]
    page = pages()["python/errors"]
    assert [
        name for name in own if not re.search(rf"autoexception:: [\w.]*\.{name}$", page, re.MULTILINE)
    ] == []


# Measures, mechanisms, questions, rules ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "name"), list(measures.names()), ids=[name for _, name in measures.names()]
)
def test_every_measure_has_words_an_example_and_its_inequalities(family: measures.Family, name: str) -> None:
    assert documentation.thin(family.object(name), "Inequalities") == []
    assert documentation.without_page([name], f"{measures.FOLDER}/{family.slug}", pages()) == []
    assert section_about(family.manual, name), f"{family.manual} has no section about {name}"


@pytest.mark.parametrize(
    ("family", "module", "name"), list(mechanisms.names()), ids=[name for *_, name in mechanisms.names()]
)
def test_every_mechanism_has_words_an_example_and_its_guarantee(
    family: mechanisms.Family, module: str, name: str
) -> None:
    assert documentation.thin(found(f"noiseless.{module}.{name}"), "Guarantee") == []
    assert documentation.without_page([name], mechanisms.FOLDER, pages()) == []
    assert f"({name}.md)" in pages()[f"{mechanisms.FOLDER}/{family.slug}"]


def test_every_kind_of_mechanism_has_a_page() -> None:
    known = {found(f"noiseless.{module}.{name}") for _, module, name in mechanisms.names()}
    known |= {AdditiveNoise, Listed}  # described by the noise that is added, and by the rules that list cells
    ours = subclasses(Quantizer) + subclasses(RandomisedMechanism)
    assert len(ours) >= 6
    assert [each.__name__ for each in ours if each not in known] == []


def subclasses(kind: type[Any]) -> list[type[Any]]:
    """Those that the package's own mechanisms are, without the rules' cells and what tests define."""
    homes = ("noiseless.ranges.quantizer", "noiseless.comparison")
    return [each for each in kind.__subclasses__() if each.__module__.startswith(homes)]


def test_every_kind_of_question_has_a_page() -> None:
    assert documentation.without_page(queries.AGGREGATES, queries.FOLDER, pages()) == []
    for kind in queries.KINDS:
        page = pages()[f"{queries.FOLDER}/{kind.name}"]
        assert all(
            part in page for part in ("## In SQL", "## Range, sensitivity, reach", "## How it is priced")
        )
        if kind.name in queries.AGGREGATES:
            assert queries.spellings(kind.name) or kind.grouped, f"say how SQL asks for a {kind.name}"
        for name in kind.makers:
            assert ">>>" in (found(queries.path(name)).__doc__ or "") or len(kind.makers) > 1


def test_every_class_of_questions_is_described() -> None:
    text = "\n".join(pages().values())
    ours = [each for each in every_subclass(Query) if each.__module__.startswith("noiseless.questions")]
    public = [each.__name__ for each in ours if not each.__name__.startswith("_")]
    assert len(public) >= 8
    assert [name for name in public if not re.search(rf"autoclass:: [\w.]+\.{name}\b", text)] == []


def every_subclass(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from every_subclass(each)


@pytest.mark.parametrize("name", KINDS)
def test_every_rule_has_a_page(name: str) -> None:
    assert documentation.without_page([name], rules.FOLDER, pages()) == []
    page = pages()[f"{rules.FOLDER}/{name}"]
    shown = {each: example for each, _, example in rules.rules()}[name]
    assert rule(shown.text) == shown
    assert shown.statement.endswith(".")
    assert KINDS[name].form in page
    assert KINDS[name].used_by
    assert KINDS[name].form in DOCS["rules.md"] or shown.text in DOCS["rules.md"]


# The server ----------------------------------------------------------------------------------------------


def test_every_endpoint_is_on_both_pages() -> None:
    served = [(method, path) for method, path, _ in endpoints.endpoints()]
    assert len(served) >= 15
    assert documentation.unlisted_endpoints(served, DOCS["server.md"]) == []
    page = pages()[endpoints.PATH]
    assert [f"{method} {path}" for method, path in served if f"## `{method} {path}`" not in page] == []


def test_every_key_of_an_endpoint_is_explained() -> None:
    text = [DOCS[name] for name in ("server.md", "client.md", "curator.md", "ledger.md")]
    for method, path, operation in endpoints.endpoints():
        contents = [operation.get("requestBody", {}), *operation["responses"].values()]
        schemas = [each.get("content", {}).get("application/json", {}).get("schema", {}) for each in contents]
        silent = [key for schema in schemas for key, _, said in endpoints.keys(schema) if not said]
        missing = documentation.undocumented_keys([key.removesuffix("_exact") for key in silent], text)
        assert missing == [], absent(
            missing, f"{method} {path} has keys that docs/server.md does not explain"
        )


def test_every_endpoint_says_what_it_does() -> None:
    assert [path for _, path, operation in endpoints.endpoints() if not operation.get("summary")] == []


# The site ------------------------------------------------------------------------------------------------


def test_every_page_is_reached_from_the_index() -> None:
    listed = set(re.findall(r"^(?:\w+ <)?([\w/-]+)>?$", DOCS["index.md"], re.MULTILINE))
    assert {page.removesuffix(".md") for page in DOCS} - {"index"} <= listed
    tops = {path.split("/")[0] for path in pages()}
    assert {
        f"reference/{top}/index" if f"{top}/index" in pages() else f"reference/{top}" for top in tops
    } <= listed


def test_every_generated_page_is_in_the_navigation() -> None:
    for path, text in pages().items():
        folder = path.rpartition("/")[0]
        for entry in re.findall(r"```\{toctree\}\n:hidden:\n\n(.*?)\n```", text, re.DOTALL):
            assert [name for name in entry.splitlines() if f"{folder}/{name}" not in pages()] == [], path
    listed = {
        f"{path.rpartition('/')[0]}/{name}"
        for path, text in pages().items()
        for entry in re.findall(r"```\{toctree\}\n:hidden:\n\n(.*?)\n```", text, re.DOTALL)
        for name in entry.splitlines()
    }
    tops = {f"{folder}/index" for folder in {path.split("/")[0] for path in pages()}} | {endpoints.PATH}
    assert set(pages()) - listed - tops == set()


def test_pages_are_written_only_where_they_change(tmp_path: Path) -> None:
    wanted = {"a/index": "# A\n", "b": "# B\n"}
    assert len(reference_pages.write(tmp_path, wanted)) == 2
    assert reference_pages.write(tmp_path, wanted) == []
    touched = reference_pages.write(tmp_path, {"a/index": "# C\n"})
    assert sorted(touched) == [tmp_path / "a" / "index.md", tmp_path / "b.md"]
    assert [file.name for file in tmp_path.rglob("*.md")] == ["index.md"]


def test_the_readme_links_to_files_that_exist() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_speeds_of_the_front_page_are_those_measured(page: str) -> None:
    shown = r"\| Speed \| table (\S+) s, mean (\S+) ms \| table (\S+) s \| not measured \| mean (\S+) ms \|"
    told = re.search(shown, (ROOT / page).read_text("utf-8"))
    assert told
    tables = [
        [re.split(r" *\| *", row.strip("| ")) for row in one.splitlines()]
        for one in re.findall(r"(?m)^\|.*(?:\n\|.*)*", DOCS["benchmarks.md"])
    ]

    def measured(columns: list[str], row: list[str]) -> list[Decimal]:
        (head, found) = next(
            (table[0], line)
            for table in tables
            if set(columns) <= set(table[0])
            for line in table
            if line[: len(row)] == row
        )
        return [Decimal(found[head.index(name)]) for name in columns]

    ours, arx = measured(["noiseless CPU s", "ARX, published s"], ["30,162", "0", "largest change", "True"])
    mean, opendp = measured(["noiseless s", "opendp s"], ["mean", "10,000"])
    for number, seconds in zip(told.groups(), [ours, mean * 1000, arx, opendp * 1000], strict=True):
        assert Decimal(number) == seconds.quantize(Decimal(number)), number


# These tests can fail ------------------------------------------------------------------------------------


def test_an_invented_option_is_missed() -> None:
    audit = pages()[commands.path_of("audit")]
    assert documentation.unmentioned_options("audit", ["--sensitive"], DOCS.values()) == []
    assert documentation.unmentioned_options("audit", ["--sensitivity"], DOCS.values()) == ["--sensitivity"]
    assert documentation.unmentioned_options("auditing", ["--sensitive"], DOCS.values()) == ["--sensitive"]
    assert documentation.unlisted_options(["--public", "--publics"], audit) == ["--publics"]
    silent = SimpleNamespace(
        params=[SimpleNamespace(name="out", help="Where."), SimpleNamespace(name="by", help="")]
    )
    assert documentation.unexplained_options(silent) == ["by"]


def test_an_invented_name_is_missed() -> None:
    text = ".. autofunction:: noiseless.audit\n.. autoclass:: noiseless.Bits\n.. autoclass:: noiseless.Bits\n"
    names = ["noiseless.audit", "noiseless.audits", "noiseless.Bits"]
    assert documentation.undescribed(names, [text]) == ["noiseless.audits", "noiseless.Bits"]


@pytest.mark.parametrize("folder", ["commands", "measures/ranges", "mechanisms", "queries", "rules"])
def test_an_invented_kind_is_missed(folder: str) -> None:
    assert documentation.without_page(["unheard_of"], folder, pages()) == ["unheard_of"]


def test_a_thin_docstring_is_missed() -> None:
    def measure() -> None:
        """Too short."""

    assert documentation.thin(measure, "Inequalities") == ["words", "an example", "Inequalities"]


def test_an_invented_key_is_missed() -> None:
    assert documentation.undocumented_keys(["a[].leakage", "leak", "*.bits"], ["`leakage` and `bits`"]) == [
        "leak"
    ]
    written = {"plan": ["bits", "reach"]}
    assert documentation.changed_keys({"plan": ["bits", "cells"]}, written) == ["plan: cells", "plan: reach"]


def test_an_invented_endpoint_is_missed() -> None:
    page = "| `GET /v1/tokens` | all |\n| `DELETE /v1/tokens/{id}` | one |\n| `GET /v1/x?rows=20` | some |\n"
    asked = [("GET", "/v1/tokens"), ("DELETE", "/v1/tokens/{token}"), ("GET", "/v1/x"), ("PUT", "/v1/tokens")]
    assert documentation.unlisted_endpoints(asked, page) == ["PUT /v1/tokens"]


@pytest.mark.parametrize(
    "example",
    [
        "noiseless audit heart.csv --sensitiv age",
        "noiseless audits heart.csv",
        "cat x | noiseless plan --query mean --n many --bounds 0 1",
        "noiseless token add",
    ],
)
def test_a_wrong_example_of_the_help_is_found(example: str) -> None:
    root: Any = get_command(application())
    assert documentation.refused_example(root, example)


def test_a_command_without_a_page_is_found() -> None:
    with pytest.raises(LookupError, match="noiseless unheard-of"):
        commands.manual_of("unheard-of")
