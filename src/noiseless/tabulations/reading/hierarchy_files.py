"""Hierarchies of categories from files: child and parent, levels as ARX writes them, or .hrc of tau-Argus."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from noiseless.errors import RequestError
from noiseless.examples import not_opened
from noiseless.tables.text_source import file_text

Parents = Mapping[str, str | None]
"""For each name of a hierarchy the one above it; None for those at the top."""

_SEPARATORS = (",", ";", "\t", "|")
_PAIR = 2
_HEADS = ({"child", "parent"}, {"code", "parent"}, {"from", "to"}, {"child", "parents"})
_MOST = 1_000_000
"""More names are a slip: a table with as many rows is not read either."""


def read_hierarchy(file: Path, encoding: str | None = None) -> Parents:
    """The names of a hierarchy and what stands above each.

    A line has a name and the one above it; or, as ARX writes them, a category and all that stands above it,
    the top last. In a file `.hrc`, signs at the beginning of a line (@ as a rule) count how deep it lies.

    Args:
        file: the file.
        encoding: what it is encoded in, if not in UTF-8.

    Raises:
        RequestError: it cannot be read, or is no tree.
    """
    try:
        text = file_text(file, encoding)
    except OSError as error:
        raise RequestError(f"{file}: {not_opened(file, error)}") from None
    if file.suffix.lower() == ".hrc":
        return _indented(str(file), text)
    rows = _rows(str(file), text)
    if not rows:
        raise RequestError(f"{file}: is empty; write a line for each category: child,parent")
    if {name.lower() for name in rows[0]} in _HEADS:
        rows = rows[1:]
    return parents_of(str(file), rows)


def parents_of(name: str, rows: Iterable[Sequence[str]]) -> Parents:
    """From rows of names, each below the next one.

    >>> parents_of("ages", [["0-19", "young", "*"], ["20-39", "young", "*"]])
    {'0-19': 'young', 'young': '*', '20-39': 'young', '*': None}

    Raises:
        RequestError: a name lies below two others, or below itself.
    """
    found: dict[str, str | None] = {}
    tops: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        path = [each.strip() for each in row]
        while len(path) > _PAIR - 1 and not path[-1]:
            path.pop()  # a top whose parent is blank
        if not all(path):
            raise RequestError(f"{name}: row {number} has an empty field; name every category and level")
        steps = [each for place, each in enumerate(path) if place == 0 or each != path[place - 1]]
        for below, above in pairwise(steps):
            if found.setdefault(below, above) != above:
                raise RequestError(f"{name}: row {number} puts {below!r} below a second name; keep one")
        tops[steps[-1]] = None
    found |= {top: None for top in tops if top not in found}
    _check_acyclic(name, found)
    return found


def _rows(name: str, text: str) -> list[list[str]]:
    separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise RequestError(f"{name}: is not well formed ({error})") from None
    kept = [[field.strip() for field in row] for row in rows if any(map(str.strip, row))]
    if len(kept) > _MOST:
        raise RequestError(f"{name}: has more than {_MOST:,} rows")
    return kept


def _indented(name: str, text: str) -> Parents:
    """Lines of a .hrc: as many signs before a name as it lies deep; one sign, the same everywhere."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    sign = next((line[0] for line in lines if not line[0].isalnum() and line[0] not in "_\"'("), "@")
    found: dict[str, str | None] = {}
    above: list[str] = []
    for number, line in enumerate(lines, 1):
        label = line.lstrip(sign).strip()
        depth = len(line) - len(line.lstrip(sign))
        if not label or depth > len(above):
            raise RequestError(
                f"{name}: line {number} has no name, or lies more than one {sign!r} below the one before"
            )
        if label in found:
            raise RequestError(f"{name}: line {number} has a name that a line before has; keep one")
        above = [*above[:depth], label]
        found[label] = above[-2] if depth else None
    if not found:
        raise RequestError(f"{name}: is empty; write a name a line, and {sign} before those below another")
    return found


def _check_acyclic(name: str, parents: Parents) -> None:
    done: set[str] = set()
    for start in parents:
        path: list[str] = []
        label: str | None = start
        seen: set[str] = set()
        while label is not None and label not in done:
            if label in seen:
                raise RequestError(f"{name}: {label!r} lies below itself; mend the names above it")
            seen.add(label)
            path.append(label)
            label = parents[label]
        done.update(path)
