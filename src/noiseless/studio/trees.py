"""Hierarchies that are made on the page: groups of values, and groups of groups."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from noiseless.errors import RequestError
from noiseless.tables.hierarchies import HierarchyRule, HierarchyTree, read_tree, tree_text

MOST_VALUES = 300
"""A column with more is not grouped by hand."""

Node = Any
"""A value, or `{"name": ..., "of": nodes}`."""


def drawn_tree(
    column: str, counted: Sequence[tuple[str | None, int]], declared: str | None
) -> dict[str, Any]:
    """The groups of a column to begin with, each value of the column in its place.

    Args:
        column: its name.
        counted: its values, and how many rows have each.
        declared: the rule or the file that groups them already.

    Raises:
        RequestError: there are too many values, or the rule or file cannot be read.
    """
    if len(counted) > MOST_VALUES:
        raise RequestError(
            f"column {column!r} has more than {MOST_VALUES:,} values; group them by a rule or in a file"
        )
    values = {value: rows for value, rows in counted if value is not None}
    if declared is None:
        return {"column": column, "top": "*", "nodes": sorted(values), "rows": values}
    try:
        rule = HierarchyRule.read(declared)
    except ValueError as error:
        raise RequestError(str(error)) from None
    if rule is None:
        tree = read_tree(column, Path(declared))
    else:
        tree = rule.tree(column, list(values), list(values.values()))
    new = sorted(value for value in values if value not in tree.paths)
    top = next(iter(tree.paths.values()))[-1]
    return {"column": column, "top": top, "nodes": [*nested(tree), *new], "rows": values}


def nested(tree: HierarchyTree) -> list[Node]:
    """What lies directly below the top; a name that is only repeated makes no group."""
    return _below(
        [(value or "", [name or "" for name in path[-2::-1]]) for value, path in tree.paths.items()]
    )


def _below(leaves: Sequence[tuple[str, list[str]]]) -> list[Node]:
    found: list[Node] = [value for value, names in leaves if not names or names == [value] * len(names)]
    inner = sorted(
        ((value, names) for value, names in leaves if names and names != [value] * len(names)),
        key=lambda one: one[1][0],
    )
    for name, group in groupby(inner, key=lambda one: one[1][0]):
        nodes = _below([(value, names[1:]) for value, names in group])
        same = len(nodes) == 1 and isinstance(nodes[0], dict) and nodes[0]["name"] == name
        found.append(nodes[0] if same else {"name": name, "of": nodes})
    return found


def tree_rows(nodes: Sequence[Node], top: str) -> list[tuple[str, ...]]:
    """A row for each value: the value and the names above it, all rows equally long.

    A group stands on the level of its height, so that a name is repeated where nothing stands between.

    >>> tree_rows(["x", {"name": "ab", "of": ["a", "b"]}], "*")
    [('x', 'x', '*'), ('a', 'ab', '*'), ('b', 'ab', '*')]

    Raises:
        RequestError: a group has no name, or one that is taken.
    """
    names, rows = list[str](), list[tuple[str, ...]]()
    height = max(1, max(map(_height, nodes), default=0))

    def walk(node: Node, above: tuple[tuple[int, str], ...]) -> None:
        if isinstance(node, str):
            chain = [(0, node), *above]
            levels = [[name for at, name in chain if at <= level][-1] for level in range(1, height + 1)]
            rows.append((node, *levels, top))
            return
        name = str(node["name"]).strip()
        names.append(name)
        for one in node["of"]:
            walk(one, ((_height(node), name), *above))

    for node in nodes:
        walk(node, ())
    taken = {top, *(row[0] for row in rows)}
    for name in names:
        if not name or name in taken:
            raise RequestError("every group needs a name of its own, which no value and no other group has")
        taken.add(name)
    return rows


def _height(node: Node) -> int:
    return 0 if isinstance(node, str) else 1 + max(map(_height, node["of"]), default=0)


def write_drawn(folder: Path, place: int, column: str, drawn: Mapping[str, Any]) -> Path:
    """Write the groups of a column as a file that releases and ARX read.

    Args:
        folder: where to.
        place: which column it is; tells names apart that files cannot.
        column: its name.
        drawn: the groups.

    Raises:
        RequestError: they are no tree.
    """
    try:
        rows = tree_rows(drawn["nodes"], str(drawn.get("top") or "*"))
    except (KeyError, TypeError, ValueError, RecursionError):
        raise RequestError("the groups cannot be read") from None
    plain = re.sub(r"[^A-Za-z0-9_]", "", column)
    file = folder / f"{plain if plain == column else f'column-{place + 1}'}-hierarchy.csv"
    file.write_text(tree_text(column, rows), "utf-8", newline="\n")
    return file.resolve()
