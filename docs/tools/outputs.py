"""Write the outputs that pages show anew, from real runs: `python docs/tools/outputs.py [PAGE..]`.

PAGE is a file such as `docs/audit.md`; README.md and all of `docs/` if none is named. Every example of a
page runs in order, as its test runs it. Where a command prints something else than is shown, the new lines
take the place of the old ones; `...` goes on standing for what it left out. Examples in Python are run and
left as they are; a page with one that fails is left alone.
"""

import doctest
import os
import re
import shutil
import sys
from contextlib import chdir
from difflib import SequenceMatcher
from importlib.machinery import SourceFileLoader
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).parents[2]

conftest = ModuleType("conftest")  # which runs pages as tests
conftest.__file__ = str(ROOT / "conftest.py")
SourceFileLoader("conftest", conftest.__file__).exec_module(conftest)

REST = "..."


def say(line: str) -> None:
    """What somebody who waits should know."""
    sys.stderr.write(f"{line}\n")


def merged(shown: str, printed: str) -> str:
    r"""What is printed, as far as a page shows it: each of its parts is found again, as well as may be.

    >>> merged("two rows\n...\nleft: 3 bits\n", "three rows\nsome\nmore\nleft: 2 bits\n")
    'three rows\n...\nleft: 2 bits\n'
    """
    parts = re.split(rf"(?m)^{re.escape(REST)}\n", shown)
    lines = printed.splitlines(keepends=True)
    if len(parts) == 1:
        return printed
    place, found = 0, []
    for number, part in enumerate(parts):
        old = part.splitlines(keepends=True)
        start = _start(old, lines, place, is_first=number == 0, is_last=number == len(parts) - 1)
        found.append("".join(map(_line, old, lines[start : start + len(old)])))
        place = start + len(old)
    return f"{REST}\n".join(found)


def _line(old: str, new: str) -> str:
    """A line, as it was shown if `...` in it stands for what changes."""
    return old if doctest.OutputChecker().check_output(old, new, doctest.ELLIPSIS) else new


def _start(old: list[str], lines: list[str], place: int, *, is_first: bool, is_last: bool) -> int:
    """Where a part of what was shown begins in what is printed now."""
    if is_first or not old:
        return place
    last = max(place, len(lines) - len(old))
    if is_last:
        return last
    likeness = SequenceMatcher(b="".join(old))

    def alike(start: int) -> float:
        likeness.set_seq1("".join(lines[start : start + len(old)]))
        return likeness.ratio()

    return max(range(place, last + 1), key=alike)


class Page:
    """A page whose outputs are written anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text("utf-8")
        self.changes = 0

    def rewrite(self) -> None:
        """Run all examples, and replace what commands print differently."""
        parsers: list[Any] = [
            PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS),
            CodeBlockParser("console", self._console),
            CodeBlockParser("toml", conftest.write_file),
            CodeBlockParser("text", conftest.write_file),
        ]
        failed = False
        with TemporaryDirectory() as folder, chdir(folder):
            for table in conftest.TABLES.iterdir():
                shutil.copy(table, folder)
            for example in Sybil(parsers=parsers).parse(self.path):
                try:
                    example.evaluate()
                except Exception as error:  # noqa: BLE001 - to be mended by hand
                    say(f"{self.path}:{example.line}: {error}")
                    failed = True
        if failed:
            self.changes = 0
        elif self.changes:
            self.path.write_text(self.text, "utf-8")

    def _console(self, example: Example) -> None:
        for command, shown in conftest.commands(example.parsed):
            printed = conftest.printed(command)
            if doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS):
                continue
            old, new = f"$ {command}\n{shown}", f"$ {command}\n{merged(shown, printed)}"
            if self.text.count(old) != 1:
                say(f"{self.path}: not replaced, shown {self.text.count(old)} times: {command}")
                continue
            self.text = self.text.replace(old, new)
            self.changes += 1


def main(names: list[str]) -> None:
    """Rewrite pages, and say how many outputs changed in each."""
    os.environ["COLUMNS"] = "80"
    sys.path.insert(0, str(ROOT / "tests"))  # pages use the servers of the tests
    pages = [Path(name).resolve() for name in names] or [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ]
    for path in pages:
        page = Page(path)
        page.rewrite()
        if page.changes:
            say(f"{path.relative_to(ROOT)}: {page.changes} outputs")


if __name__ == "__main__":
    main(sys.argv[1:])
