"""Run the examples in the documentation and in docstrings as tests, one test a document.

A document is one story: its blocks share their names and a folder of their own that holds the bundled tables.
Being one test, it also stays in one process when tests run side by side.

* ` ```python ` blocks run; those that begin with `>>>` are checked against the output they show.
* ` ```console ` blocks run line by line (`$ command`) and must print what follows; `...` stands for anything.
* ` ```{code-block} ` directives of TOML or text with a `:caption:` are written to the file that it names.

Other blocks (` ```sh `, ` ```text ` without a caption) are only shown.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.example import SybilFailure
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).parent
TABLES = ROOT / "src" / "noiseless" / "data"
PROMPT = "$ "
SECONDS = 900
"""After so long a command hangs; a busy machine needs less."""
PLAIN = re.compile(
    r"""(noiseless(?:[\w\s./:=,@%+-]|'[^']*'|"[^"$`\\]*")*)"""
    r"""(?:(?<=\s)> (?P<file>[\w.-]+)\s*)?(?P<told>\|\| echo "exit code \$\?")?"""
)
"""A command that any shell would pass on as it stands, perhaps into a file, perhaps with its exit code."""


LATE = "noiseless: still "
"""A line that begins so is printed only where the machine is busy."""


def write_file(example: Example) -> None:
    """Write a block into the file that its caption names."""
    name = example.region.lexemes.get("options", {}).get("caption")
    if name:
        Path(name).write_text(example.parsed, "utf-8")


def run_console(example: Example) -> str | None:
    """Run a block's commands; what differs from the output shown, if anything does."""
    for command, expected in commands(example.parsed):
        found = printed(command)
        if not OutputChecker().check_output(expected, found, ELLIPSIS):
            return f"{command}\n--- shown:\n{expected}--- printed:\n{found}"
    return None


def printed(command: str) -> str:
    """What a command of a page prints."""
    here = PLAIN.fullmatch(command.replace("\\\n", " "))
    found = _run_here(here) if here else _run_in_shell(command)
    return _trimmed("\n".join(line for line in found.split("\n") if not line.startswith(LATE)))


def _run_here(command: re.Match[str]) -> str:
    """What a command prints that needs no shell; starting Python for each takes long."""
    from noiseless.cli.main import run

    printed = StringIO()
    written = printed if command["file"] is None else StringIO()
    with redirect_stdout(written), redirect_stderr(printed):
        code = run(shlex.split(command[1])[1:])
    if command["file"] is not None:
        Path(command["file"]).write_text(written.getvalue(), "utf-8")
    if command["told"] and code:
        printed.write(f"exit code {code}\n")
    return printed.getvalue()


def _run_in_shell(command: str) -> str:
    done = subprocess.run(  # noqa: S602 - the documentation's own commands
        command,
        shell=True,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return done.stdout


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block and the output shown below it."""
    for part in f"\n{block}".split(f"\n{PROMPT}")[1:]:
        lines = part.split("\n")
        length = 1
        while lines[length - 1].endswith("\\"):
            length += 1
        yield "\n".join(lines[:length]), _trimmed("\n".join(lines[length:]))


def _trimmed(text: str) -> str:
    """A text without spaces at the ends of lines and without empty lines at its end."""
    body = "\n".join(line.rstrip() for line in text.splitlines()).rstrip()
    return f"{body}\n" if body else ""


PAGES = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
        CodeBlockParser("console", run_console),
        CodeBlockParser("toml", write_file),
        CodeBlockParser("text", write_file),
    ],
    patterns=["README.md", "docs/*.md"],
)
DOCSTRINGS = Sybil(
    parsers=[DocTestParser(optionflags=ELLIPSIS)],
    patterns=["src/noiseless/*.py", "src/noiseless/*/*.py", "src/noiseless/*/*/*.py"],
)


EXAMPLE = re.compile(r">>> |^```(?:python|console|\{code-block\})", re.MULTILINE)
"""What a document with examples holds. Only who runs them reads them all: all processes collect, one runs."""


class ExampleFile(pytest.File):
    """A document that may hold examples."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test, if it holds any."""
        if EXAMPLE.search(self.path.read_text("utf-8")):
            yield ExampleItem.from_parent(self, name="examples")


class ExampleItem(pytest.Item):
    """All examples of a document, run in order in a folder of their own."""

    def runtest(self) -> None:
        """Read the document, and evaluate each example."""
        examples = (DOCSTRINGS if self.path.suffix == ".py" else PAGES).parse(self.path)
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            for table in TABLES.iterdir():
                shutil.copy(table, folder)
            patch.chdir(folder)
            patch.setenv("COLUMNS", "80")
            for example in examples:
                example.evaluate()

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is, for the report of a failure."""
        return self.path, 0, f"examples in {self.path.relative_to(ROOT)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401
        """What differs, without a traceback through this file."""
        if isinstance(excinfo.value, SybilFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect the documentation's pages and the modules whose docstrings may hold examples."""
    if any(sybil.should_parse(file_path) for sybil in (PAGES, DOCSTRINGS)):
        return ExampleFile.from_parent(parent, path=file_path)
    return None
