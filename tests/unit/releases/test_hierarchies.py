from pathlib import Path

import pyarrow as pa
import pytest

from noiseless.errors import RequestError
from noiseless.releases.source import read_tree

ROWS = "flu,lung,any\nasthma,lung,any\nulcer,stomach,any\n"


@pytest.mark.parametrize("text", [ROWS, ROWS.replace(",", ";"), ROWS.replace(",", "\t"), "\ufeff" + ROWS])
def test_a_tree_from_a_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text(text, "utf-8")
    tree = read_tree("illness", file)
    assert tree.paths == {"flu": ("lung", "any"), "asthma": ("lung", "any"), "ulcer": ("stomach", "any")}
    assert tree.height == 2
    texts = pa.array(["flu", "ulcer", "asthma"])
    nodes = tree.nodes(texts)
    assert nodes[0, 1] == nodes[2, 1] != nodes[1, 1]
    assert len(set(nodes[:, 2])) == 1
    assert tree.costs(texts, "height").tolist() == [[0, 1, 2]] * 3
    assert tree.costs(texts, "leaves").tolist() == [[0, 1, 2], [0, 0, 2], [0, 1, 2]]


def test_quoted_fields_as_arx_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "age.csv"
    file.write_text('17,"[15, 20[",*\n21,"[20, 25[",*\n')
    assert read_tree("age", file).paths["17"] == ("[15, 20[", "*")


def test_only_line_ends_outside_quotes_end_a_row(tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_bytes('a\u2028b,"p\r\nq",top\r\nc\x85d,r,top\r\n'.encode())
    assert read_tree("x", file).paths == {"a\u2028b": ("p\r\nq", "top"), "c\x85d": ("r", "top")}


def test_missing_values_have_a_place_beside_the_top() -> None:
    tree = read_tree("x", {"a": ("p", "top"), "b": ("q", "top")}).with_missing()
    assert tree.paths == {"a": ("p", "top", "*"), "b": ("q", "top", "*"), None: (None, None, "*")}
    assert tree.declared == {"a": ("p", "top"), "b": ("q", "top")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("a,p,top\nb,top\n", "row 2 has 1 levels, the first one 2"),
        ("a,p,top\na,q,top\n", "row 2 gives a value other levels"),
        ("a,p,u,top\nb,p,v,top\n", "'p' of level 1 lies below two different names"),
        ("a,p\nb,q\n", "has several tops"),
        ("a\nb\n", "row 1 has 0 levels"),
        ("a,,top\n", "row 1 has an empty field"),
        ('a,"p,top\n', "is not well formed"),
    ],
)
def test_what_is_no_tree_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text(text)
    with pytest.raises(RequestError, match=problem):
        read_tree("x", file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be opened"):
        read_tree("x", tmp_path / "none.csv")
