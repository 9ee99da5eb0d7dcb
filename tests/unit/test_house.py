"""The plan of the house holds: every package on its map, no class name twice, modules that are concepts."""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "noiseless"
PLAN = (ROOT / "docs" / "architecture.md").read_text("utf-8")
MODULES = sorted(SOURCE.rglob("*.py"))
NOUNS = {"differencing", "coding", "recoding", "rounding", "spelling"}
"""Nouns of the field that end as gerunds do."""


def section(title: str) -> str:
    """The text under a heading of the plan, up to the next one."""
    return PLAN.partition(f"# {title}\n")[2].partition("\n#")[0]


def parts(folder: Path) -> set[str]:
    """The packages and modules in a folder, written as in the plan."""
    packages = {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    return packages | ({path.name for path in folder.glob("*.py")} - {"__init__.py", "__main__.py"})


def rooms(title: str) -> list[str]:
    """What the rows of a section's table are about."""
    return re.findall(r"^\| `(\w+(?:/|\.py))` \|", section(title), re.MULTILINE)


def test_the_map_names_every_package() -> None:
    assert set(rooms("Rooms")) == parts(SOURCE)
    assert set(rooms("How large it is")) == {part for part in parts(SOURCE) if part.endswith("/")}


def test_the_map_names_every_part_of_the_search() -> None:
    named = re.findall(
        r"`(\w+/?)`", "".join(re.findall(r"^\|.*", section("The search for cells"), re.MULTILINE))
    )
    assert sorted(named) == sorted(part.removesuffix(".py") for part in parts(SOURCE / "search"))


def test_the_map_has_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [name.removeprefix("noiseless.") for name in contracts[0]["layers"]]
    rows = [room.removesuffix("/").removesuffix(".py") for room in rooms("Rooms")]
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


def test_a_module_is_one_concept() -> None:
    texts = {str(path.relative_to(SOURCE)): path.read_text("utf-8") for path in MODULES}
    assert [name for name, text in texts.items() if not text.startswith('"""')] == []
    assert [name for name, text in texts.items() if text.count("\n") > 420] == []
