"""Groups that are made on the page: as files that releases read, and back."""

import shlex
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.cli.main import run
from noiseless.errors import RequestError
from noiseless.studio.jobs import Desk
from noiseless.studio.project import Project
from noiseless.studio.trees import drawn_tree, nested, tree_rows, write_drawn
from noiseless.tables.hierarchies import read_tree, tree_text

WARDS = {"top": "*", "nodes": [{"name": "surgery", "of": ["a", {"name": "hands", "of": ["b", "c"]}]}, "d"]}


def sets(nodes: list[Any], above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """For each value the groups that it is in, the innermost first."""
    found = dict[str, tuple[str, ...]]()
    for node in nodes:
        if isinstance(node, str):
            found[node] = above
        else:
            found |= sets(node["of"], (node["name"], *above))
    return found


@st.composite
def forests(draw: st.DrawFn) -> list[Any]:
    """Values in groups in groups."""
    letters = st.text(st.sampled_from("abé;,|\t\"' "), min_size=1, max_size=4).filter(
        lambda x: x == x.strip()
    )
    nodes: list[Any] = draw(st.lists(letters, min_size=1, max_size=8, unique=True))
    for number in range(draw(st.integers(0, 3))):
        held = draw(st.lists(st.sampled_from(range(len(nodes))), min_size=1, unique=True))
        if len(held) == 1 and not isinstance(nodes[held[0]], str):
            continue
        group = {"name": f"group {number}", "of": [nodes[at] for at in sorted(held)]}
        nodes = [node for at, node in enumerate(nodes) if at not in held] + [group]
    return nodes


@given(forests())
def test_groups_are_read_back_as_they_were_written(nodes: list[Any]) -> None:
    rows = tree_rows(nodes, "*")
    assert {len(row) for row in rows} == {len(rows[0])}
    for value, *above in rows:
        held = sets(nodes)[value]
        named = [name for at, name in enumerate(above[:-1]) if name != value and name not in above[:at]]
        assert tuple(named) == held
    try:
        text = tree_text("x", rows)
    except RequestError:  # four separators, and a value that has more of each than its row
        assert any(mark in row[0] for row in rows for mark in ";,|\t")
        return
    path = {value: tuple(above) for value, *above in rows}
    from noiseless.tables.hierarchies import _fields

    assert {value: tuple(above) for value, *above in _fields(text)} == path


def test_a_file_of_arx_is_groups_on_the_page(tmp_path: Path) -> None:
    file = tmp_path / "ward.csv"
    file.write_text("a;surgery;all\nb;surgery;all\nc;c;all\n")
    assert nested(read_tree("ward", file)) == ["c", {"name": "surgery", "of": ["a", "b"]}]
    found = drawn_tree("ward", [("a", 3), ("new", 1), (None, 2)], str(file))
    assert (found["top"], found["nodes"][-1]) == ("all", "new")
    assert drawn_tree("n", [("7", 1), ("12", 1)], "intervals:10")["nodes"][0] == {"name": "0-9", "of": ["7"]}


@pytest.mark.parametrize(
    "nodes",
    [
        [{"name": "", "of": ["a"]}],
        [{"name": "b", "of": ["a"]}, "b"],
        [{"name": "x", "of": ["a"]}, {"name": "x", "of": ["b"]}],
        [{"name": "*", "of": ["a"]}],
        [{"of": ["a"]}],
        [3],
        [],
    ],
)
def test_what_is_no_tree_is_refused(tmp_path: Path, nodes: list[Any]) -> None:
    with pytest.raises(RequestError):
        write_drawn(tmp_path, 0, "ward", {"nodes": nodes})


def test_the_command_names_the_file_and_makes_the_same_bytes(tmp_path: Path) -> None:
    work, table = tmp_path / "work", tmp_path / "people.csv"
    work.mkdir()
    table.write_text("ward,illness\n" + "".join(f"{'abcd'[i % 4]},{'xyz'[i // 3 % 3]}\n" for i in range(24)))
    desk = Desk(str(work))
    project: dict[str, Any] = {"source": str(table), "roles": {"ward": "public", "illness": "sensitive"}}
    made = desk.do("draw", {"project": project, "column": "ward", "drawn": WARDS}, lambda *_: None)
    path = made["path"]
    assert (made["name"], made["text"]) == ("ward-hierarchy.csv", Path(path).read_text())
    project["limits"] = {"min_posterior": 3, "hierarchy": {"ward": path}, "recoding": "full-domain"}
    found = desk.do("files", {"project": project}, lambda *_: None)
    assert found["hierarchies"] == ["ward-hierarchy.csv"]
    (tmp_path / "ward-hierarchy.csv").write_bytes((work / found["files"] / "ward-hierarchy.csv").read_bytes())
    with chdir(tmp_path):
        assert run(shlex.split(found["command"])[1:]) == 0
    assert (tmp_path / "released.csv").read_bytes() == (work / found["files"] / "released.csv").read_bytes()
    other = {"nodes": ["a", {"name": "rest", "of": ["b", "c", "d"]}]}
    later = desk.do("draw", {"project": project, "column": "ward", "drawn": other}, lambda *_: None)["path"]
    assert later != path  # what was made with the groups before can still be made again
    assert Path(path).read_bytes() == (work / found["files"] / "ward-hierarchy.csv").read_bytes()


def test_a_project_finds_its_hierarchies_beside_it(tmp_path: Path) -> None:
    limits = {"hierarchy": {"ward": "ward-hierarchy.csv", "age": "intervals:5"}}
    Project.of({"source": "people.csv", "limits": limits}).write(tmp_path / "p.toml")
    found = Project.read(tmp_path / "p.toml").limits.hierarchy
    assert found == {"ward": str(tmp_path / "ward-hierarchy.csv"), "age": "intervals:5"}
