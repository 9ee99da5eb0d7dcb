"""The package, the single file it is joined into, and an independent checker agree on everything."""

import ast
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificate_examples import Case, Made, make, plain_csv_text, random_case, write_files
from noiseless.errors import NoiselessError
from noiseless.tables import open_table
from noiseless.verification import script, standalone_script, verify
from noiseless.verification.certificate_json import certificate_file
from noiseless.verification.claims import check_certificate
from noiseless.verification.plain_tables import count_plain_tables, open_plain_table
from noiseless.verification.rows import DistinctRows
from oracle import certificate_oracle
from oracle.forgeries import LIES, Forgery

FILES = ("certificate.json", "original.csv", "released.csv")


def found_by_all(folder: Path) -> list[list[tuple[Any, ...]]]:
    """Every check, in full: of the independent checker, of the package, and of the single file."""
    certificate, original, released = (str(folder / name) for name in FILES)
    raw = certificate_oracle.read_certificate(certificate)
    tables = map(certificate_oracle.open_table, (original, released))
    alone, *_ = certificate_oracle.verify(raw, *tables)
    package = verify(certificate, original=original, released=released)
    plain = [open_plain_table(name) for name in (original, released)]
    joined = check_certificate(
        certificate_file(Path(certificate)), lambda claimed: count_plain_tables(claimed, *plain)
    )
    assert (package.about, package.not_checked, package.notes) == (
        joined.about,
        joined.not_checked,
        joined.notes,
    )
    return [
        [tuple(check) for check in alone],
        *([tuple(check.to_dict().values()) for check in found.checks] for found in (package, joined)),
    ]


@pytest.mark.parametrize("seed", range(24))
def test_all_find_the_same_in_true_and_forged_certificates(seed: int, tmp_path: Path) -> None:
    made = make(random_case(1000 + seed))
    forged = Forgery(made, seed)
    name = sorted(LIES)[seed * 7 % len(LIES)]
    if seed % 4:
        LIES[name](forged)
    case = Case(forged.rows, [], [], {}, [])
    write_files(Made(case, forged.certificate, forged.released), tmp_path)
    (tmp_path / "released.csv").write_text(
        plain_csv_text(forged.released, forged.released_columns), newline=""
    )
    alone, package, joined = found_by_all(tmp_path)
    assert alone == package == joined
    assert all(check[1] for check in alone) == (seed % 4 == 0 or LIES[name](Forgery(made, seed)) is None)


# --- tables read alike --------------------------------------------------------------------------------------

NASTY = [
    "a,b\n007,1.50\n7, x\n",
    "a\n1.50\n2\n",
    "a\n1.50\n1.5\n",
    "a\n-0\n5\n",
    "a\n-0\n0\n",
    "a\n1e5\n2\n",
    "a\n1E+05\n.5\n",
    "a\n5.0\n6.25\n",
    "a\n123456789012345678\n-5\n",
    "a\n1234567890123456789\n5\n",
    "a\n0.1\n1234567890123456\n",
    "a\nNULL\nNA\n?\nnull\n",
    'a,b\n,""\n" ","\n"\n',
    'a,b\n"say ""hi""","x, y"\n',
    'a,b\n"two\nlines","two\r\nlines"\n',
    "a,b\r\n1,2\r\n3,4\r\n",
    "a;b\n1,5;2\n",
    "a, b\n1, 2\n",
    "\ufeffa,b\n1,2\n",
    "Ärger,b\nß,\u2028\n",
    "a,b\n\n1,2\n\n",
    "a\n5\n\n7",
    "a\n0000-01-01\n2020-02-29\n",
    "a\ninf\nnan\n",
    "a\ntrue\nfalse\n",
]


def read_by_engine(path: Path) -> tuple[list[str], Counter[tuple[str | None, ...]]]:
    table = open_table(str(path))
    rows = DistinctRows.read(table.select(table.columns), table.columns)
    texts = rows.tuples(table.columns, np.arange(len(rows)))
    return list(table.columns), Counter(dict(zip(texts, rows.counts.tolist(), strict=True)))


def read_alone(path: Path) -> tuple[list[str], Counter[tuple[str | None, ...]]]:
    table = certificate_oracle.open_table(str(path))
    return table.columns, Counter(table.read(table.columns))


def read_plainly(path: Path) -> tuple[list[str], Counter[tuple[str | None, ...]]]:
    table = open_plain_table(str(path))
    return list(table.columns), Counter(table.texts(table.columns) or [])


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_file_reads_alike(text: str, tmp_path: Path) -> None:
    path = tmp_path / "nasty.csv"
    path.write_text(text, "utf-8", newline="")
    assert read_alone(path) == read_by_engine(path) == read_plainly(path)


FIELDS = st.one_of(
    st.text('a1 ",;|\n\r.é', max_size=4),
    st.sampled_from(["0", "-0", "1.5", "1.50", "5e3", "10", "007", "", "1e-7", "123456789012345678"]),
)


@given(rows=st.lists(st.tuples(FIELDS, FIELDS), max_size=4), quoted=st.booleans())
def test_files_that_are_written_properly_read_alike(
    rows: list[tuple[str, str]], quoted: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    lines = [",".join(_field(field, always=quoted) for field in row) for row in rows]
    path.write_text("\n".join(["a,b", *lines, ""]), "utf-8", newline="")
    assert read_alone(path) == read_by_engine(path) == read_plainly(path)


def _field(text: str, *, always: bool) -> str:
    quotes = always or any(character in text for character in '",\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if quotes else text


PIECES = [
    *(
        "1",
        "a",
        "b c",
        " ",
        "  ",
        '"',
        '""',
        '"x"',
        '"a,b"',
        '"a\nb"',
        '"a\r\nb"',
        ' "q"',
        '  "q"',
        '"q" ',
        'x"y',
    ),
    *(
        '"x"y',
        "",
        "\t",
        "007",
        "1e3",
        "+4",
        "0x10",
        "1_000",
        ".5",
        "inf",
        "nan",
        "\u00a0",
        "\u3000",
        "\ufeff",
        "\0",
    ),
    *("1.0", "1.50", "-0", "2020-01-01", "\u00e9", "\u2028", "\x0b", "\x0c", "\x1c", "\x85", "NULL"),
]
"""What stands in the fields of hostile files."""


def hostile(draw: random.Random) -> bytes:
    """Some CSV that few programs write."""
    separator = draw.choice([",", ",", ";", "\t", "|", ", "])
    end = draw.choice(["\n", "\n", "\r\n", "\r", None])
    width = draw.randint(1, 3)
    header = separator.join(
        draw.choice(["a", "b", '"c"', ' "d"', "e "]) + str(i) * (i % 2) for i in range(width)
    )
    records = [draw.choice(["", "", "", "", "\ufeff", '"', "x\n"]) + header]
    for _ in range(draw.randint(0, 4)):
        fields = width if draw.random() < 0.9 else draw.randint(0, 4)
        pieces = ("".join(draw.choices(PIECES, k=draw.choice([1, 1, 1, 2]))) for _ in range(fields))
        records.append(separator.join(pieces) + separator * (draw.random() < 0.05))
    if draw.random() < 0.1:
        records.insert(draw.randint(0, len(records)), "")
    ends = [end or draw.choice(["\n", "\r\n", "\r"]) for _ in records]
    ends[-1] = draw.choice(["", ends[-1]])
    return "".join(record + after for record, after in zip(records, ends, strict=True)).encode()


def outcome(read: Any, path: Path) -> Any:  # noqa: ANN401 - one of the two readers, and what it finds
    """What a reader makes of a file, or what it says is wrong, without the remedy."""
    try:
        return read(path)
    except (certificate_oracle.Unusable, NoiselessError) as error:
        return str(error).partition(";")[0]


def test_hostile_files_are_read_alike_or_refused_in_the_same_words(tmp_path: Path) -> None:
    draw, read = random.Random(20), 0
    for number in range(400):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(hostile(draw))
        alone = outcome(read_alone, path)
        assert alone == outcome(read_by_engine, path) == outcome(read_plainly, path), path.read_bytes()
        read += not isinstance(alone, str)
    assert 50 < read < 300


@given(text=st.text('ab1,"\n\r ;', max_size=25))
@settings(max_examples=50)
def test_a_file_that_is_broken_reads_alike_or_is_refused_in_the_same_words(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_text("a,b\n" + text, "utf-8", newline="")
    assert outcome(read_alone, path) == outcome(read_by_engine, path) == outcome(read_plainly, path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('a,b\n3,  "4"\n', "line 2 is not well-formed"),
        ('a,b\n3, "4"\n', "line 2 is not well-formed"),
        ('a,b\n3,"4" \n', "line 2 is not well-formed"),
        ('"a,b\n1,2\n', "line 1 is not well-formed"),
        ("a,b\n1,2,\n", "line 2 has 3 fields where the header has 2"),
        ('a,b\n1,2\n""\n', "line 3 has 1 fields where the header has 2"),
        ("a,b\r\n1,2\n", "has lines that end in different ways"),
        ("\na,b\n", "has a blank first line"),
        ("a,,b\n", "column 2 of the header has no name"),
        ("a,b,a\n", "columns 1 and 3 have the same name"),
        ("a,A\n", "has columns whose names differ by upper and lower case only"),
        ("a,b\n1,2\n".encode("utf-16"), "is UTF-16 text"),
        ("a,b\n1,2\n".encode("utf-16-le"), "is UTF-16 text"),
        ("a,b\n1,2\n".encode("utf-16-be"), "is UTF-16 text"),
        ("a,b\n\u00e9,2\n".encode("latin-1"), "is not UTF-8 text"),
        (b"\x1f\x8b\x08\x00", "is compressed"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_by_both(text: str | bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for read in (read_alone, read_by_engine, read_plainly):
        assert outcome(read, path) == f"{path}: {problem}"


JSON_LINES = [
    ['{"a": 1.50, "b": "x"}', '{"a": 2, "b": null}'],
    ['{"a": 1e5}', '{"a": 12345678901234567890}'],
    ['{"a": "1.50"}', '{"a": "2"}', '{"b": true}'],
    ['{"a": "x"}', '{"a": 1.50}', '{"a": 1e30}', '{"a": -0.0}', '{"a": true}', '{"a": null}', '{"a": 1e-7}'],
    ['{"a": 0.30000000000000004}', '{"a": 100000.0}', '{"a": 1E21}', '{"a": 1e20}', '{"a": 5e-324}'],
    ['{"a": "\\u00e9\\n"}', "", '{"a": "null"}'],
]


@pytest.mark.parametrize("lines", JSON_LINES)
def test_json_lines_read_alike(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert read_alone(path) == read_by_engine(path) == read_plainly(path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", b""),
        ("t.csv", b"\xff,b\n"),
        ("t.csv", b"a,a\n1,2\n"),
        ("t.csv", b"a,\n1,2\n"),
        ("t.csv", b"a,b\n1\n"),
        ("t.csv", b'a,b\n"1,2\n'),
        ("t.csv", b"a,b\r\n1,2\n3,4\r\n"),
        ("t.jsonl", b'{"a": 1}{"a": 2}\n'),
        ("t.jsonl", b'{"a": 1, "a": 2}\n'),
        ("t.jsonl", b'{"a": 1, "A": 2}\n'),
        ("t.jsonl", b"[1]\n"),
        ("t.jsonl", b'{"a": "\\ud800"}\n'),
        ("t.jsonl", b"\n"),
        ("absent.csv", None),
    ],
)
def test_what_cannot_be_read_is_refused_by_both(name: str, data: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(certificate_oracle.Unusable):
        read_alone(path)
    for read in (read_by_engine, read_plainly):
        with pytest.raises(NoiselessError):
            read(path)


# --- the file by itself -------------------------------------------------------------------------------------


def test_the_file_needs_nothing_but_python(tmp_path: Path) -> None:
    """It runs where no other package can be imported, and is written in the language of Python 3.9."""
    source = standalone_script()
    tree = ast.parse(source, feature_version=(3, 9))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        )
    }
    assert imported <= sys.stdlib_module_names
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    targets = [target for part in tree.body if isinstance(part, ast.Assign) for target in part.targets]
    defined += [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    assert len(set(defined)) == len(defined)  # what one module calls something, no other does
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    keywords = {keyword.arg for call in calls for keyword in call.keywords}
    assert not keywords & {"strict", "slots", "kw_only"}  # of later versions
    tests = [call.args[1] for call in calls if getattr(call.func, "id", "") == "isinstance"]
    assert not any(isinstance(test, ast.BinOp) for test in tests)
    copied = tmp_path / "check.py"
    copied.write_text(source, "utf-8")
    paths = write_files(make(random_case(3)), tmp_path)
    certificate, original, released = map(str, paths)
    command = [
        sys.executable,
        "-I",
        "-S",
        str(copied),
        certificate,
        "--original",
        original,
        "--released",
        released,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The certificate holds: all 23 checks pass.")
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["holds"] is True


def test_the_file_has_the_same_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = make(random_case(3))
    certificate, original, released = map(str, write_files(made, tmp_path))
    tables = ["--original", original, "--released", released]
    assert script.main([certificate, *tables]) == 0
    assert capsys.readouterr().err == ""
    made.certificate["claim"]["min_posterior"] += 1
    Path(certificate).write_text(json.dumps(made.certificate), "utf-8")
    assert script.main([certificate, *tables]) == 1
    assert "min_posterior" in capsys.readouterr().out.splitlines()[0]
    del made.certificate["claim"]
    Path(certificate).write_text(json.dumps(made.certificate), "utf-8")
    assert script.main([certificate, *tables, "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["checks"][0]["name"] == "format"
    for damage in ("{", "[]", "{}", "[" * 100_000, '{"format": "noiseless-certificate", "version": 3}'):
        Path(certificate).write_text(damage, "utf-8")
        assert script.main([certificate, *tables]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert script.main([str(tmp_path / "absent.json"), *tables]) == 2
    assert script.main([certificate, "--original", "table.parquet", "--released", released]) == 2
    with pytest.raises(SystemExit) as stopped:
        script.main([certificate])
    assert stopped.value.code == 2
