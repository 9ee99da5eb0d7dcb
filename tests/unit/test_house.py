"""The plan of the house holds: every package on its map, no class name twice, modules that are concepts."""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "noiseless"
MAP = (ROOT / "docs" / "architecture.md").read_text("utf-8")
MODULES = sorted(SOURCE.rglob("*.py"))
NOUNS = {"differencing", "coding", "recoding", "rounding", "spelling"}
"""Nouns of the field that end as gerunds do."""


def test_the_map_names_every_package() -> None:
    packages = {f"{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")}
    modules = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py", "__main__.py"}
    rows = set(re.findall(r"^\| `(\w+(?:/|\.py))` \|", MAP, re.MULTILINE))
    assert rows == packages | modules


def test_the_map_has_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [name.removeprefix("noiseless.") for name in contracts[0]["layers"]]
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", MAP, re.MULTILINE)
    assert [row for row in rows if row in layers] == layers[::-1]


def test_no_class_name_is_used_twice() -> None:
    homes = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_modules_are_named_by_nouns() -> None:
    gerunds = [path.stem for path in MODULES if path.stem.endswith("ing")]
    assert [name for name in gerunds if name.rpartition("_")[2] not in NOUNS] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_is_one_concept(path: Path) -> None:
    text = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= 420
