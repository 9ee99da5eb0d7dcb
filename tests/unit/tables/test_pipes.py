import io
from collections.abc import Sequence

import pyarrow as pa
import pytest

from noiseless.errors import SourceError, UnknownColumnError
from noiseless.tables.pipes import Columns, Released, open_pipe


class Slow(io.RawIOBase):
    """Bytes that arrive a few at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__()
        self.parts = [data[i : i + size] for i in range(0, len(data), size)]

    def read1(self, _: int) -> bytes:
        return self.parts.pop(0) if self.parts else b""


def starred(given: Columns) -> Released:
    """Each value with a star; missing ones stay missing."""
    return {
        c: pa.array([None if v is None else f"{v}*" for v in a.to_pylist()]) for c, a in given.items()
    }, None


def run(text: str, columns: Sequence[str], size: int = 7, names: Sequence[str] | None = None) -> str:
    out = io.BytesIO()
    open_pipe(Slow(text.encode(), size), names).run(columns, starred, out)  # type: ignore[arg-type]
    return out.getvalue().decode()


CSV = 'id,x,note\n1,5,"a, b"\n2,,"two\nlines"\n\n3,7,"say ""hi"""\n'


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_csv_in_pieces_of_any_size(size: int) -> None:
    assert run(CSV, ["x"], size) == 'id,x,note\n1,5*,"a, b"\n2,,"two\nlines"\n3,7*,"say ""hi"""\n'


def test_csv_dialects() -> None:
    assert run("\ufeffa;b\n1;2\n", ["b"]) == "a;b\n1;2*\n"
    assert run("a\tb\r\n1\t2\r\n", ["a"]) == "a\tb\n1*\t2\n"
    assert run("a, b\n1, 2", ["b"]) == "a,b\n1,2*\n"
    assert run("1,2\n3,4\n", ["y"], names=["x", "y"]) == "x,y\n1,2*\n3,4*\n"


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_json_lines(size: int) -> None:
    text = '{"x": 1.50, "t": "ü\\n", "n": null}\n\n{"t": [1, {"x": 2}], "x": 12}\n{"t": true}\n'
    expected = '{"x": "1.50*", "t": "ü\\n", "n": null}\n{"t": [1, {"x": 2}], "x": "12*"}\n'
    found = run(text, ["x"], size) if size == 1000 else run(text.replace('{"t": true}\n', ""), ["x"], size)
    assert found == expected + ('{"t": true, "x": null}\n' if size == 1000 else "")


def test_values_of_json_that_are_no_numbers_stay_so() -> None:
    seen: list[object] = []

    def look(given: Columns) -> Released:
        seen.extend(given["x"].to_pylist())
        return {}, None

    text = '{"x": true}\n{"x": [1]}\n{"x": "12"}\n{"x": NaN}\n{"x": null}\n{"x": 1e400}\n'
    pipe = open_pipe(io.BytesIO(text.encode()))
    with pytest.raises(SourceError, match="too large for JSON"):
        pipe.run(["x"], look, io.BytesIO())
    assert seen == ["?", "?", "12", "NaN", None, "1e400"]


def test_rows_can_be_left_out() -> None:
    out = io.BytesIO()
    kept = [True, False]
    for text in ("x\n1\n2\n", '{"x": 1}\n{"x": 2}\n'):
        rows = open_pipe(io.BytesIO(text.encode())).run(["x"], lambda given: (given, kept), out)
        assert rows == 1
    assert out.getvalue() == b'x\n1\n{"x": "1"}\n'


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n1,2\n3\n", "line 3 has 1 fields where the header has 2"),
        ("a,a\n1,2\n", "same name"),
        ('a,b\n1,"2"x\n', "line 2 is not well-formed"),
        ('{"a": 1}\n{"a": 1, "a": 2}\n', "line 2 is no object"),
        ('{"a": 1}\n5\n', "line 2 is no object"),
        ('{"a": 1}\n{"a": \n', "line 2 is no object"),
    ],
)
def test_what_is_not_well_formed_is_refused_with_its_line(text: str, match: str) -> None:
    with pytest.raises(SourceError, match=match):
        run(text, ["a"])


def test_latin_1_is_refused() -> None:
    with pytest.raises(SourceError, match="not UTF-8"):
        open_pipe(io.BytesIO("a\nü\n".encode("latin-1"))).run(["a"], starred, io.BytesIO())


def test_an_unknown_column_is_named() -> None:
    for text in (CSV, '{"x": 1}\n'):
        with pytest.raises(UnknownColumnError, match="'y'"):
            run(text, ["y"])
