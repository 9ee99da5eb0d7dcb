import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from noiseless.errors import SourceError, UnknownColumnError
from noiseless.tables import json_pipe
from noiseless.tables import text_files as csv_scan
from noiseless.tables.csv_pipe import CsvPipe
from noiseless.tables.engine import SOURCE
from noiseless.tables.feeds import Mark
from noiseless.tables.pipes import PipeBatch
from noiseless.tables.sources import open_pipe, open_table


class Slow(io.RawIOBase):
    """Bytes that arrive a few at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__()
        self.parts = [data[i : i + size] for i in range(0, len(data), size)]

    def read1(self, _: int) -> bytes:
        return self.parts.pop(0) if self.parts else b""


def starred(batch: PipeBatch) -> bytes:
    """Each value with a star; missing ones stay missing."""
    told = {
        c: pa.array([None if v is None else f"{v}*" for v in a.to_pylist()], pa.string())
        for c, a in batch.given().items()
    }
    return batch.written(told)


def run(text: str, columns: Sequence[str], size: int = 7, names: Sequence[str] | None = None) -> str:
    pipe = open_pipe(Slow(text.encode(), size), names)  # type: ignore[arg-type]
    return (pipe.preamble + b"".join(starred(batch) for batch in pipe.batches(columns))).decode()


def values(text: str, columns: Sequence[str], size: int = 1000) -> list[tuple[Any, ...]]:
    pipe = open_pipe(Slow(text.encode(), size))  # type: ignore[arg-type]
    found = []
    for batch in pipe.batches(columns):
        read = batch.given()
        found += list(zip(*(read[c].to_pylist() for c in columns), strict=True))
    return found


CSV = 'id,x,note\n1,5,"a, b"\n2,,"two\nlines"\n\n3,7,"say ""hi"""\n'


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_csv_in_pieces_of_any_size(size: int) -> None:
    assert run(CSV, ["x"], size) == 'id,x,note\n1,5*,"a, b"\n2,,"two\nlines"\n3,7*,"say ""hi"""\n'


@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_not_replaced_stays_byte_for_byte(size: int) -> None:
    assert run("\ufeffa;b\n1;2\n", ["b"], size) == "a;b\n1;2*\n"
    assert run("a\tb\r\n1\t2\r\n", ["a"], size) == "a\tb\n1*\t2\n"
    assert run("a, b\n1, 2", ["b"], size) == "a, b\n1, 2*\n"
    assert run('"a",b\n"1","2"\n', ["b"], size) == '"a",b\n"1",2*\n'
    assert run("1,2\n3,4\n", ["y"], size, names=["x", "y"]) == "x,y\n1,2*\n3,4*\n"
    assert run("\ufeff1,2\n", ["x"], size, names=["x", "y"]) == "x,y\n1*,2\n"
    assert run('x\n"a,b"\n""\n1\n', ["x"], size) == 'x\n"a,b*"\n""\n1*\n'
    assert run("b,c,a\n1,2,3\n", ["a", "b"], size) == "b,c,a\n1*,2,3*\n"


def test_another_separator_is_written_when_it_is_wanted() -> None:
    pipe = open_pipe(io.BytesIO(CSV.encode()))
    assert isinstance(pipe, CsvPipe)
    pipe.separate_by("\t")
    text = pipe.preamble + b"".join(starred(batch) for batch in pipe.batches(["x"]))
    assert text.decode() == 'id\tx\tnote\n1\t5*\ta, b\n2\t\t"two\nlines"\n3\t7*\t"say ""hi"""\n'


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_json_lines(size: int) -> None:
    text = '{"x": 1.50, "t": "ü\\n", "n":null}\n\n {"t": [1, {"x": 2}],"x":12}\r\n{"t": true}\n{}'
    expected = '{"x": "1.50*", "t": "ü\\n", "n":null}\n{"t": [1, {"x": 2}],"x":"12*"}\n'
    assert run(text, ["x"], size) == expected + '{"t": true, "x": null}\n{"x": null}\n'


def test_keys_in_any_order_and_any_spelling() -> None:
    text = '{"x": 1, "ü": 2}\n{"\\u00fc": 3, "x": 4}\n{}\n{"\\u0078":5,"\\n":6}\n'
    found = '{"x": "1*", "ü": "2*"}\n{"\\u00fc": "3*", "x": "4*"}\n{"ü": null, "x": null}\n'
    assert run(text, ["ü", "x"]) == found + '{"\\u0078":"5*","\\n":6, "ü": null}\n'


def test_values_of_json_as_texts() -> None:
    text = '{"x": true}\n{"x": [1]}\n{"x": "12"}\n{"x": NaN}\n{"x": null}\n{"x": 1e400}\n{"x": -Infinity}\n'
    text += '{"x": "\\u00fc\\"q"}\n{"x": ""}\n{"x": "\\ud800"}\n'
    found = [value for (value,) in values(text, ["x"])]
    assert found == ["?", "?", "12", None, None, "1e400", "-Infinity", 'ü"q', None, "\\ud800"]


def test_rows_can_be_left_out() -> None:
    for text, expected in (("x,y\n1,a\n2,b\n", b"2,b\n"), ('{"x": 1}\n{"x": 2}\n', b'{"x": "2"}\n')):
        (batch,) = open_pipe(io.BytesIO(text.encode())).batches(["x"])
        assert batch.written(batch.given(), [False, True]) == expected
        assert batch.written(batch.given(), [False, False]) == b""


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n1,2\n3\n", "line 3 has 1 fields where the header has 2"),
        ("a,b\n1,2\n\n3,4,5\n", "line 4 has 3 fields where the header has 2"),
        ("a,a\n1,2\n", "same name"),
        ('a,"b\n1,2\n', "line 1 is not well-formed"),
        ('a,b\n1,"2"x\n', "line 2 is not well-formed"),
        ('a,b\n1,2\n1, "2"\n', "line 3 is not well-formed"),
        ('a,b\n1,2\n1,"2\n', "line 3 is not well-formed"),
        ("a,b\n1,2\r3,4\n", "line 2 ends in another way than those before"),
        ("a,b\r1,2\r3\r", "line 3 has 1 fields where the header has 2"),
        ('{"a": 1}\n{"a": 1, "a": 2}\n', "line 2 has a key twice"),
        ('{"a": 1}\n{"a": 1, "\\u0061": 2}\n', "line 2 has a key twice"),
        ('{"a": 1}\n5\n', "line 2 is no object"),
        ('{"a": 1}\n{"a": 1} 5\n', "line 2 is no object"),
        ('{"a": 1}\n\n{"a": \n', "line 3 is no object"),
        ('{"a": 1}\n{"a": 01}\n', "line 2 is no object"),
        ('{"a": 1}\n{"a": [1}]\n', "line 2 is no object"),
        ('{"a": 1}\n{"a": 1,}\n', "line 2 is no object"),
        ('{"a": 1,}\n', "line 1 is no object"),
    ],
)
def test_what_is_not_well_formed_is_refused_with_its_line(text: str, match: str, size: int) -> None:
    with pytest.raises(SourceError, match=match):
        run(text, ["a"], size)


def test_what_comes_before_a_problem_is_told() -> None:
    pipe = open_pipe(io.BytesIO(b"a\n1\n2\n3,4\n5\n"))
    batches = pipe.batches(["a"])
    batch = next(batches)
    assert starred(batch) == b"1*\n2*\n"
    assert (batch.begin.lines, batch.end, batch.line(1)) == (1, pipe.feed.mark, 3)
    with pytest.raises(SourceError, match="line 4"):
        next(batches)


def test_latin_1_is_refused_with_its_line() -> None:
    with pytest.raises(SourceError, match="not UTF-8"):
        open_pipe(io.BytesIO("aü\n1\n".encode("latin-1")))
    batches = open_pipe(io.BytesIO("a\n1\nü\n2\n".encode("latin-1"))).batches(["a"])
    assert starred(next(batches)) == b"1*\n"
    with pytest.raises(SourceError, match="line 3 is not UTF-8"):
        next(batches)


def test_an_unknown_column_is_named() -> None:
    for text in (CSV, '{"x": 1}\n'):
        with pytest.raises(UnknownColumnError, match="'y'"):
            run(text, ["y"])


def test_a_part_of_a_batch_knows_where_it_ends() -> None:
    (batch,) = open_pipe(io.BytesIO(CSV.encode())).batches(["x"])
    first = batch.head(2)
    assert starred(first) == b'1,5*,"a, b"\n2,,"two\nlines"\n'
    again = open_pipe(io.BytesIO(CSV.encode()))
    (rest,) = again.batches(["x"], start=first.end)
    assert starred(rest) == b'3,7*,"say ""hi"""\n'
    assert rest.line(0) == 6
    for text in (CSV.replace("5", "6"), CSV[:20]):
        with pytest.raises(SourceError, match="give the same input again"):
            list(open_pipe(io.BytesIO(text.encode())).batches(["x"], start=first.end))
    assert batch.head(3) is batch
    assert batch.row(2).given()["x"].to_pylist() == ["7"]


def test_a_quote_that_is_never_closed_does_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseless.tables.feeds.LONGEST", 100)
    with pytest.raises(SourceError, match="line 3 begins a record of more than 64 MB"):
        run('a,b\n1,2\n3,"' + "x" * 1000, ["a"], 50)


@given(
    st.sampled_from(["p,q", "p, q", "p;q", "p"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.text('a1",\n\r; ', max_size=25),
    st.integers(1, 30),
)
@example("p, q", "\n", "1,  x\n", 1)
@example("p,q", "\n", '1,x"y\n', 1)
@example("p", "\n", "1\n\n2\n", 2)
@example("p,q", "\r", "1,2\r3,4\r", 2)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pipe_is_read_as_a_file_is(tmp_path: Path, header: str, end: str, rows: str, size: int) -> None:
    """And the same whatever the pieces are in which it comes; both read it, or both refuse it."""
    text, names = header + end + rows, [name.strip() for name in re.split("[,;]", header)]
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())

    def piped(pieces: int) -> list[tuple[Any, ...]] | str:
        try:
            return values(text, names, pieces)
        except SourceError as error:
            return str(error)

    found = piped(1000)
    assert found == piped(size)
    try:
        rows_of_file = open_table(path).arrow(f"SELECT * FROM {SOURCE}").to_pylist()  # type: ignore[attr-defined]
    except SourceError:
        assert isinstance(found, str)
    else:
        assert found == [tuple(row.values()) for row in rows_of_file]


@given(
    st.lists(st.lists(st.text('a",\n é'), min_size=2, max_size=2)),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.integers(1, 9),
)
def test_whatever_pythons_writer_writes_can_be_read(
    rows: list[list[str]], quoting: Literal[0, 1], size: int
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting, lineterminator="\r\n" if size % 2 else "\n").writerows(
        [["p", "q"], *rows]
    )
    expected = [tuple(field or None for field in row) for row in rows]
    assert values(text.getvalue(), ["p", "q"], size) == expected


@given(st.text('a1{}[]",:-.e\\ ntrul', max_size=14))
def test_a_line_is_json_when_python_says_so(text: str) -> None:
    line = '{"a": 1, "b": ' + text + "}"
    try:
        expected = json.loads(line)
    except ValueError:
        expected = None
    found, _, status, _ = json_pipe.scan_json(
        line.encode() + b"\n",
        {b"a": 0, b"b": 1, **{s.encode(): -1 for s in _escaped_keys(text)}},
        2,
        final=False,
    )
    keys = json.loads(line, object_pairs_hook=lambda pairs: [k for k, _ in pairs]) if expected else []
    if expected is None or keys.count("a") > 1 or keys.count("b") > 1:
        assert status in (json_pipe.MALFORMED, json_pipe.TWICE, json_pipe.ESCAPED)
    elif status != json_pipe.ESCAPED:
        assert status == json_pipe.FINE
        begin, end = found[0, 5:7]
        assert json.loads(line.encode()[begin:end]) == expected["b"]


def _escaped_keys(text: str) -> list[str]:
    return [part for part in text.split('"') if "\\" in part]


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["x", "y", "ü", "q\n"]), nested)),
    st.booleans(),
    st.integers(1, 40),
)
def test_whatever_python_writes_as_json_can_be_read(
    rows: list[dict[str, Any]], ascii_only: bool, size: int
) -> None:
    objects = [{"x": 0, "ü": 0}, *rows]
    text = "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in objects)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair is no UTF-8
        return
    pipe = open_pipe(Slow(text.encode(), size))  # type: ignore[arg-type]
    told = b""
    for batch in pipe.batches(["x", "ü"]):
        seven = pa.array([7] * len(batch))
        told += batch.written({"x": seven, "ü": pa.array([None] * len(batch), pa.string())})
    found = [json.loads(line) for line in told.decode().split("\n")[:-1]]
    assert json.dumps(found, sort_keys=True) == json.dumps(
        [{**row, "x": 7, "ü": None} for row in objects], sort_keys=True
    )


@given(st.text('a1",\n\r ', max_size=40), st.text('{}[]",:1x\n\\', max_size=40))
def test_machine_code_does_the_same(rows: str, objects: str) -> None:
    table = 'a,"b ""c"", d"\n1,2\r\n\n' + rows
    lines = '{"x": 1, "t": [{"a": []}, "é\\""]}\n\n{}\n' + objects

    def read() -> list[Any]:
        found: list[Any] = [
            csv_scan.scan_csv(table.encode(), ",", 2, [0, 1], final=True),
            json_pipe.scan_json(lines.encode(), {b"x": 0}, 1, final=True),
        ]
        return [[part.tolist() if hasattr(part, "tolist") else part for part in scan] for scan in found]

    plain = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_scan, "_LARGE", 0)
        assert read() == plain


def test_a_mark_adds_up() -> None:
    assert Mark().after(b"a\nb").after(b"\n") == Mark().after(b"a\nb\n")
    assert Mark().after(b"a\nb\n").lines == 2
