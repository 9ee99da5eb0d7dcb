import datetime as dt
from pathlib import Path

import pytest

from noiseless.errors import NoiselessError, SourceError
from noiseless.tables import open_table


def column(path: Path, text: str, name: str = "a") -> list[object]:
    path.write_text(text)
    tally = open_table(path).select([name]).tally([name])
    return list(tally.decode(name).to_pylist())


@pytest.mark.parametrize(
    ("values", "read"),
    [
        (["1", "2", "-3"], [-3, 1, 2]),
        (["007", "7"], ["007", "7"]),
        (["1", "01"], ["01", "1"]),
        (["0", "-0"], ["-0", "0"]),
        (["1.5", "2"], [1.5, 2.0]),
        (["1.5", "1.50"], ["1.5", "1.50"]),
        (["1e3", "2"], [2.0, 1000.0]),
        (["12345678901234567.5", "1"], ["1", "12345678901234567.5"]),
        (["9999999999999999999"], ["9999999999999999999"]),
        (["true", "false"], ["false", "true"]),
        (["1", "?"], ["1", "?"]),
        (["NaN", "1"], ["1", "NaN"]),
    ],
)
def test_a_text_becomes_a_number_only_when_nothing_is_lost(
    tmp_path: Path, values: list[str], read: list[object]
) -> None:
    assert column(tmp_path / "t.csv", "a,b\n" + "".join(f"{v},x\n" for v in values)) == read


def test_dates(tmp_path: Path) -> None:
    assert column(tmp_path / "t.csv", "a,b\n2024-02-29,1\n") == [dt.date(2024, 2, 29)]
    assert column(tmp_path / "t.csv", "a,b\n2023-02-29,1\n") == ["2023-02-29"]
    assert column(tmp_path / "t.csv", "a,b\n2023-02-29,1\n,2\n") == [None, "2023-02-29"]


@pytest.mark.parametrize(
    ("value", "read"), [("2024-02-29", dt.date(2024, 2, 29)), ("7", 7), ("1.5", 1.5), ("x", "x")]
)
def test_an_empty_field_does_not_change_the_type_of_a_column(
    tmp_path: Path, value: str, read: object
) -> None:
    assert column(tmp_path / "t.csv", f"a,b\n{value},1\n,2\n{value},3\n") == [None, read]
    path = tmp_path / "t.jsonl"
    assert column(path, f'{{"a": "{value}"}}\n{{"a": null}}\n{{"b": 1}}\n')[0] is None
    assert column(tmp_path / "t.csv", "a,b\n,1\n,2\n") == [None]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ", "])
def test_separators(tmp_path: Path, separator: str) -> None:
    text = "".join(separator.join(row) + "\n" for row in (("a", "b"), ("u", "v"), ("x y", "z")))
    assert column(tmp_path / "t.csv", text, "b") == ["v", "z"]


def test_quotes_line_breaks_and_empty_fields(tmp_path: Path) -> None:
    text = 'a,b\n"x, y",1\n"two\nlines",2\n,3\n"say ""hi""",4\n'
    assert set(column(tmp_path / "t.csv", text)) == {"x, y", "two\nlines", None, 'say "hi"'}


def test_windows_files(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffa,b\r\n1,2\r\n3,4\r\n".encode())
    tally = open_table(path).select(["a", "b"]).tally(["a", "b"])
    assert tally.decode("b").to_pylist() == [2, 4]


def test_names_for_a_file_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "t.data"
    path.write_text("1,2\n3,4\n")
    assert open_table(path, names=["u", "v"]).count() == 2
    with pytest.raises(NoiselessError, match="3 column names"):
        open_table(path, names=["u", "v", "w"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,a\n1,2\n", "columns 1 and 2 have the same name"),
        (b"a,\n1,2\n", "has no name"),
        (b"a,A\n1,2\n", "upper and lower case"),
        (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 fields where the header has 2"),
        (b"a,b\n1,2\n3\n", "line 3 has 1 fields where the header has 2"),
        (b"a,b\n\xe9,1\n", "UTF-8"),
        (b"a,b\n1,2\n\xff\xfe\xfa,1\n", "UTF-8|well-formed|read"),
        (b"\x00\x01\x02", "not text"),
        (b'a,b\n"never closed,1\n2,3\n', "well-formed|fields|read"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=words) as caught:
        open_table(path).select(["a", "b"]).tally(["a", "b"])
    message = str(caught.value)
    assert "\n" not in message
    assert "never closed" not in message


def test_files_of_a_glob_must_agree(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,c\n1,2\n")
    with pytest.raises(SourceError, match="another header"):
        open_table(f"{tmp_path}/*.csv")
