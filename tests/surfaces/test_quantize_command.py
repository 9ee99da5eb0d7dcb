import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from noiseless.cli.main import run
from waiting import HANGS, wait_until

CSV = 'id,home,kwh,note\n1,a,0.3,"x, y"\n2,b,9.999,z\n3,a,10,\n4,a,2.5,"say ""hi"""\n'
METER = ("--column", "kwh", "--bounds", "0", "10", "--step", "0.001")


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def quantize(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    def call(*arguments: str) -> Outcome:
        code = run(("quantize", *arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return Outcome(code, captured.out.decode(), captured.err.decode())

    return call


@pytest.fixture
def meters(tmp_path: Path) -> str:
    path = tmp_path / "meters.csv"
    path.write_text(CSV)
    return str(path)


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def pipe(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))

    return pipe


def test_a_column_is_replaced_by_the_middles_of_its_cells(
    quantize: Command, meters: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    done = quantize(meters, *METER, "--budget", "4", "-o", str(out), "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert set(done.json) >= {
        "cells",
        "bits",
        "rows",
        "cell_width",
        "worst_error",
        "entropy_of_record",
        "warnings",
    }
    assert (done.json["cells"], done.json["bits"], done.json["rows"]) == (16, 4.0, 4)
    assert done.json["cell_width_exact"] == "313/500"
    assert done.json["worst_error_exact"] == "5/16"
    assert done.json["warnings"] == []
    expected = 'id,home,kwh,note\n1,a,0.312,"x, y"\n2,b,9.6875,z\n3,a,9.6875,\n4,a,2.812,"say ""hi"""\n'
    assert out.read_text() == expected


def test_a_budget_as_a_reach_and_an_error_instead(quantize: Command, meters: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    base = (meters, "--column", "kwh", "--bounds", "0", "10", "-o", out, "--format", "json")
    assert quantize(*base, "--budget", "reach 3").json["cells"] == 3
    assert quantize(*base, "--budget", "1.58").json["cells"] == 2
    assert quantize(*base, "--max-error", "0.5").json["cells"] == 10
    assert quantize(*base, "--budget", "1.585", "--format", "text").out.startswith(
        "Each reading leaks at most 1.59 bits"
    )


@pytest.mark.parametrize(
    ("release_as", "expected"),
    [("midpoint", "1.25"), ("interval", "[0, 2.5)"), ("cell", "0")],
)
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_cell_is_told_in_three_ways(
    *, quantize: Command, meters: str, tmp_path: Path, release_as: str, expected: str, ending: str
) -> None:
    out = tmp_path / f"out.{ending}"
    base = (meters, "--column", "kwh", "--bounds", "0", "10", "--budget", "2", "--as", release_as)
    assert quantize(*base, "-o", str(out)).code == 0
    if ending == "parquet":
        assert str(pq.read_table(out).column("kwh")[0]) == expected
    else:
        text = out.read_text().splitlines()
        assert expected in text[1 if ending == "csv" else 0]


def test_text_and_typed_tables_agree(quantize: Command, tmp_path: Path) -> None:
    """Tenths lie on edges: as text, as floats and as decimals they land in the same cells."""
    tenths = [f"{n / 10}" for n in range(11)]
    (tmp_path / "text.csv").write_text("\n".join(["x", *tenths, ""]))
    pq.write_table(pa.table({"x": [float(t) for t in tenths]}), tmp_path / "floats.parquet")
    (tmp_path / "lines.jsonl").write_text("".join(f'{{"x": {t}}}\n' for t in tenths))
    found = []
    for name in ("text.csv", "floats.parquet", "lines.jsonl"):
        for ending in ("csv", "parquet"):
            out = tmp_path / f"{name}.{ending}"
            base = (str(tmp_path / name), "--column", "x", "--bounds", "0", "1", "--as", "cell")
            assert quantize(*base, "--budget", "reach 10", "-o", str(out)).code == 0
            rows = (
                out.read_text().split()[1:] if ending == "csv" else pq.read_table(out).column("x").to_pylist()
            )
            found.append([int(cell) for cell in rows])
    assert found == [[*range(10), 9]] * 6


def test_two_columns_share_a_budget(quantize: Command, tmp_path: Path) -> None:
    trips = tmp_path / "trips.csv"
    trips.write_text("lat,lon\n40.55,-74.9\n40.85,-73.1\n")
    out = tmp_path / "out.csv"
    base = (
        str(trips),
        "--column",
        "lat",
        "--bounds",
        "40.5",
        "40.9",
        "--also",
        "lon=-75:-73",
        "-o",
        str(out),
    )
    done = quantize(*base, "--budget", "8", "--format", "json")
    assert done.json["cells"] == 7 * 36
    assert [column["cells"] for column in done.json["columns"]] == [7, 36]
    assert done.json["bits"] <= 8
    assert quantize(*base, "--budget", "8", "--also", "lon=1:2").err.count("named twice") == 1
    assert "COL=LO:HI" in quantize(*base, "--budget", "8", "--also", "lon").err


def test_persons_with_a_budget_over_time(quantize: Command, meters: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    base = (
        meters,
        "--column",
        "kwh",
        "--bounds",
        "0",
        "10",
        "--budget",
        "2",
        "--unit",
        "home",
        "-o",
        str(out),
    )
    done = quantize(*base, "--total-budget", "4", "--format", "json")
    assert (done.json["persons"], done.json["bits_per_person"], done.json["silent_rows"]) == (2, 4.0, 1)
    assert out.read_text().splitlines()[4] == '4,a,,"say ""hi"""'
    done = quantize(*base, "--total-budget", "4", "--when-spent", "coarsen", "--as", "interval")
    assert "2: 4.00 bits each at most, in 3 readings" in done.out
    assert '4,a,"[0, 5)"' in out.read_text()


def test_stages_with_whole_middles_and_others_make_one_column(quantize: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "readings.csv", tmp_path / "out.parquet"
    source.write_text("home,kwh\na,1\na,2\na,3\nb,5\n")
    spending = ("--budget", "2", "--unit", "home", "--total-budget", "5", "--when-spent", "coarsen")
    column = ("--column", "kwh", "--bounds", "0", "11", "--step", "1")
    assert quantize(str(source), *column, *spending, "-o", str(out)).code == 0
    assert pq.read_table(out)["kwh"].to_pylist() == [1.0, 2.5, 2.5, 4.0]


def test_missing_values(quantize: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "gaps.csv", tmp_path / "out.csv"
    source.write_text("x,y\n1,a\n,b\n3,c\n")
    base = (str(source), "--column", "x", "--bounds", "0", "4", "--budget", "2", "-o", str(out))
    refused = quantize(*base)
    assert refused.code == 2
    assert "1 missing value; fill them, or pass --missing drop" in refused.err
    assert not out.exists()
    dropped = quantize(*base, "--missing", "drop", "--format", "json").json
    assert (dropped["rows"], dropped["dropped"]) == (2, 1)
    assert out.read_text() == "x,y\n1.5,a\n3.5,c\n"
    told = quantize(*base, "--missing", "value", "--format", "json").json
    assert (told["cells"], told["reach"], told["bits"]) == (3, 4, 2.0)
    assert out.read_text().splitlines()[2] == ",b"


def test_a_long_name_keeps_the_summary_aligned(quantize: Command, tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("Gross Pay (EUR)\n7\n")
    base = (str(tmp_path / "pay.csv"), "--column", "Gross Pay (EUR)", "--bounds", "0", "2000", "--step", "1")
    done = quantize(*base, "--budget", "3", "-o", str(tmp_path / "out.csv"))
    assert [line[:19] for line in done.out.splitlines()[2:6]] == [
        "  rows             ",
        "  a record holds   ",
        "  Gross Pay (EUR)  ",
        "  written to       ",
    ]
    assert "a record holds   10.97 bits" in done.out  # log2 2001 = 10.9665


def test_warnings(quantize: Command, meters: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    base = (meters, "--column", "id", "--bounds", "1", "4", "--step", "1", "-o", out, "--format", "json")
    assert "protects nothing" in quantize(*base, "--budget", "2").json["warnings"][0]
    assert quantize(*base, "--budget", "1").json["warnings"] == []
    three = quantize(*base[:-2], "--bounds", "0", "4", "--budget", "reach 3")
    assert "Warning: some cells of id hold one value" in three.out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--bounds", "10", "0", "--budget", "1"), "bounds are out of order; write 0 10"),
        (("--bounds", "0", "inf", "--budget", "1"), "--bounds takes a finite decimal number, not 'inf'"),
        (("--bounds", "0", "10", "--step", "0.3", "--budget", "1"), "does not divide the distance"),
        (("--bounds", "0", "10", "--step", "0", "--budget", "1"), "a step is a number above 0"),
        (("--bounds", "0", "10", "--budget", "0.9"), "below one bit allows one output only, a constant"),
        (("--bounds", "0", "10", "--budget", "reach 1"), "below one bit allows one output only, a constant"),
        (("--bounds", "0", "10", "--budget", "x"), "--budget takes a finite decimal number"),
        (
            ("--bounds", "0", "10", "--cells", "8"),
            '--budget "reach K" for K cells; see noiseless quantize --help',
        ),
        (("--bounds", "2024-01-01", "2024-12-31", "--budget", "1"), "dates are coarsened by noiseless"),
        (("--bounds", "0", "10"), "give a budget (--budget 2) or a largest error"),
        (("--bounds", "0", "10", "--budget", "1", "--max-error", "1"), "only one of them"),
        (
            ("--bounds", "0", "5", "--budget", "1"),
            "column 'kwh': 2 values are outside 0..5; declare wider bounds",
        ),
        (("--bounds", "0", "10", "--step", "1", "--budget", "1"), "3 values are outside 0..10 in steps of 1"),
        (("--bounds", "0", "10", "--budget", "1", "--unit", "homes"), "did you mean 'home'?"),
        (
            ("--bounds", "0", "10", "--budget", "1", "--total-budget", "9"),
            "name the column that names a person",
        ),
        (("--bounds", "0", "10", "--budget", "1", "--unit", "kwh"), "is both column and unit"),
        (("--bounds", "0", "10", "--budget", "40"), "too many"),
    ],
)
def test_wrong_requests_are_one_line(
    quantize: Command, meters: str, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    out = tmp_path / "out.csv"
    done = quantize(meters, "--column", "kwh", *arguments, "-o", str(out))
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert done.err.count("\n") == 1
    assert not out.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["meters.csv"]


def test_wrong_columns_and_outputs(quantize: Command, meters: str, tmp_path: Path) -> None:
    base = ("--bounds", "0", "10", "--budget", "1")
    assert (
        "did you mean 'kwh'?" in quantize(meters, "--column", "kw", *base, "-o", str(tmp_path / "o.csv")).err
    )
    assert (
        "'note' holds 3 values that are no numbers; mend them, or add --decimal ,"
        in quantize(meters, "--column", "note", *base, "-o", str(tmp_path / "o.csv")).err
    )
    assert "is the table itself" in quantize(meters, "--column", "kwh", *base, "-o", meters).err
    assert "-o OUT" in quantize(meters, "--column", "kwh", *base).err
    assert (
        "change the ending" in quantize(meters, "--column", "kwh", *base, "-o", str(tmp_path / "o.txt")).err
    )
    dates = tmp_path / "dates.parquet"
    pq.write_table(pa.table({"d": pa.array([1], pa.date32())}), dates)
    assert (
        "readings are numbers, not date32"
        in quantize(str(dates), "--column", "d", *base, "-o", meters + ".csv").err
    )
    assert Path(meters).read_text() == CSV


def test_clamped_values_are_counted(quantize: Command, meters: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    base = (meters, "--column", "kwh", "--bounds", "0", "5", "--budget", "1", "--clamp", "-o", str(out))
    assert quantize(*base, "--format", "json").json["clamped"] == 2
    assert out.read_text().splitlines()[2] == "2,b,3.75,z"
    bad = Path(meters).with_name("bad.csv")
    bad.write_text("x\n1\nabc\n")
    done = quantize(
        str(bad), "--column", "x", "--bounds", "0", "5", "--budget", "1", "--clamp", "-o", str(out)
    )
    assert "holds 1 value that is no number" in done.err
    assert "abc" not in done.err


COARSENED = ("--unit", "who", "--when-spent", "coarsen")
READINGS = ["0.3", "2.445", "0.9", "1.1", "-3", "0.66666666666666666", "1", "0.05"]


@pytest.mark.parametrize(
    "options",
    [
        ("--bounds", "0", "1", "--budget", "2", "--clamp"),
        ("--bounds", "-3", "1", "--step", "0.25", "--budget", "1", "--clamp"),
        ("--bounds", "-3", "3", "--budget", "reach 7"),
        ("--bounds", "-3", "3", "--budget", "4", "--total-budget", "9", *COARSENED),
        ("--bounds", "0", "1", "--budget", "3", "--clamp", "--total-budget", "7", *COARSENED),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_worst_error_holds_for_every_row_written(
    quantize: Command, tmp_path: Path, options: tuple[str, ...], ending: str
) -> None:
    table, out = tmp_path / "table.csv", tmp_path / f"out.{ending}"
    table.write_text("who,x\n" + "".join(f"a,{text}\n" for text in READINGS))
    found = quantize(str(table), "--column", "x", *options, "-o", str(out), "--format", "json").json
    if ending == "csv":
        told = [line.split(",")[1] for line in out.read_text().splitlines()[1:]]
    else:
        told = ["" if value is None else repr(value) for value in pq.read_table(out)["x"].to_pylist()]
    errors = [abs(Fraction(a) - Fraction(b)) for a, b in zip(READINGS, told, strict=True) if b]
    worst = Fraction(found["worst_error_exact"])
    assert max(errors) <= worst <= Fraction(found["worst_error"])
    assert Fraction(found["columns"][0]["worst_error_exact"]) == worst
    inside = Fraction(found["worst_error_inside_exact"])
    if found["clamped"]:
        assert inside < max(errors) <= inside + Fraction(found["clamped_by"]) + Fraction(1, 10**9)
    else:
        assert found["clamped_by"] is None
        assert inside <= worst <= inside + Fraction(1, 10**9)


def test_what_was_moved_is_told_apart_and_coarsely(quantize: Command, tmp_path: Path) -> None:
    table, out = tmp_path / "table.csv", str(tmp_path / "out.csv")
    table.write_text("who,x\na,0.3\na,2.445\n")
    said = quantize(
        str(table), "--column", "x", "--bounds", "0", "1", "--budget", "2", "--clamp", "-o", out
    ).out
    assert "off by 0.125 at most, where not moved" in said
    assert "1 value to the nearest bound or step, by 2 at most, so off by 2.125 at most" in said
    assert "2.445" not in said  # the largest reading is somebody's
    assert "Other columns are written unchanged" in said
    assert "Readings of one person add up" in said
    infinite = tmp_path / "infinite.parquet"
    pq.write_table(pa.table({"x": [0.5, float("inf")]}), infinite)
    base = (str(infinite), "--column", "x", "--bounds", "0", "1", "--budget", "2", "--clamp", "-o", out)
    assert "by any distance" in quantize(*base).out
    assert quantize(*base, "--format", "json").json["worst_error"] == "inf"


def test_coarser_cells_and_missing_ones_are_told(quantize: Command, tmp_path: Path) -> None:
    table, out = tmp_path / "table.csv", str(tmp_path / "out.csv")
    table.write_text("who,x\n" + "a,1\n" * 3 + "a,\n" * 3)
    spending = ("--total-budget", "9", *COARSENED, "--missing", "value")
    base = (str(table), "--column", "x", "--bounds", "0", "8", "--budget", "reach 5", *spending, "-o", out)
    said = quantize(*base).out
    assert "one of 5 values, missing among them" in said
    assert "4 cells of width 2 over 0..8: later 2 cells, off by 2 at most" in said
    assert "empty as missing ones are" in said
    assert "--unit COLUMN" not in said


def test_a_pipe_gives_what_a_file_gives(
    quantize: Command, meters: str, tmp_path: Path, piped: Callable[[str], None]
) -> None:
    out = tmp_path / "out.csv"
    assert quantize(meters, *METER, "--budget", "4", "-o", str(out)).code == 0
    piped(CSV)
    done = quantize("-", *METER, "--budget", "4")
    assert (done.code, done.out) == (0, out.read_text())
    assert "Each reading leaks at most 4.00 bits" in done.err
    piped('{"kwh": 0.3}\n{"kwh": 10}\n')
    assert quantize("-", *METER, "--budget", "4").out == '{"kwh": 0.312}\n{"kwh": 9.6875}\n'


def test_a_pipe_into_a_file_is_whole_or_nothing(
    quantize: Command, tmp_path: Path, piped: Callable[[str], None]
) -> None:
    out = tmp_path / "out.tsv"
    piped(CSV)
    done = quantize("-", *METER, "--budget", "4", "-o", str(out), "--format", "json")
    assert done.json["rows"] == 4
    assert out.read_text().splitlines()[1] == "1\ta\t0.312\tx, y"
    piped(CSV + "5,b,11,\n")
    assert "1 value is outside" in quantize("-", *METER, "--budget", "4", "-o", str(tmp_path / "no.csv")).err
    piped(CSV)
    assert (
        "change the ending" in quantize("-", *METER, "--budget", "4", "-o", str(tmp_path / "no.parquet")).err
    )
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]


def test_a_live_pipe_is_answered_at_once(tmp_path: Path) -> None:
    """Each reading is told before the next one is there; a reader who leaves is no error."""
    command = [sys.executable, "-m", "noiseless", "quantize", "-", *METER, "--budget", "4"]
    errors = (tmp_path / "errors").open("wb")
    with (
        errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=os.environ
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        for line, expected in ((b"kwh\n0.3\n", [b"kwh\n", b"0.312\n"]), (b"10\n", [b"9.6875\n"])):
            process.stdin.write(line)
            process.stdin.flush()
            assert [process.stdout.readline() for _ in expected] == expected
        process.stdout.close()
        process.stdin.write(b"1\n" * 10)
        process.stdin.close()
        assert process.wait(HANGS) == 0
    assert b"Traceback" not in (tmp_path / "errors").read_bytes()


def started(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":  # noqa: ANN401 - as Popen
    command = [sys.executable, "-m", "noiseless", "quantize", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_table_that_is_interrupted_leaves_nothing_behind(number: signal.Signals, tmp_path: Path) -> None:
    source = tmp_path / "large.parquet"
    part = pa.table({"x": [n % 97 / 10 for n in range(10**5)]})
    with pq.ParquetWriter(source, part.schema) as writer:
        for _ in range(300):
            writer.write_table(part)
    out = tmp_path / "out.csv"
    out.write_text("before")
    with started(
        str(source), "--column", "x", "--bounds", "0", "10", "--budget", "4", "-o", str(out)
    ) as process:
        wait_until(  # DuckDB can lose what interrupts it while it prepares a query
            lambda: (
                process.poll() is not None
                or any(part.stat().st_size > 2**20 for part in tmp_path.glob(".out.csv.*"))
            ),
            "it writes",
        )
        process.send_signal(number)
        told, problem = process.communicate(timeout=HANGS)
    assert (process.returncode, told) == (3, b"")
    assert problem == b"noiseless: interrupted; nothing was written\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.parquet", "out.csv"]
    assert out.read_text() == "before"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("-o", "out.csv"), "nothing was written"),
        ((), "what was sent stays sent"),
        (("-o", "out.csv", "--state", "state"), "go on with --resume"),
    ],
)
def test_a_stream_that_is_interrupted_says_what_is_left(
    options: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    with started("-", *METER, "--budget", "4", *options, stdin=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(b"kwh\n0.3\n")
        process.stdin.flush()
        if options:
            wait_until(
                lambda: any(part.stat().st_size > 8 for part in tmp_path.glob("*out.csv*")), "it writes"
            )
        else:
            assert process.stdout is not None
            assert process.stdout.readline() == b"kwh\n"
        process.send_signal(signal.SIGTERM)
        problem = process.communicate(timeout=HANGS)[1]
    assert process.returncode == 3
    assert problem.decode() == f"noiseless: interrupted; {what}\n"
    assert [path.name for path in tmp_path.iterdir() if ".part" in path.name] == []
    assert (tmp_path / "out.csv").exists() == ("--state" in options)


def test_a_slow_reader_makes_the_writer_wait(tmp_path: Path) -> None:
    """Little more is taken from a pipe than its reader has had: a chunk, and what pipes themselves hold."""
    with started("-", *METER, "--budget", "4", stdin=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"kwh\n1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"kwh\n"  # it has begun; from here on nobody reads
        os.set_blocking(process.stdin.fileno(), False)
        taken, waits = 0, 0
        while waits < 40:
            try:
                sent = os.write(process.stdin.fileno(), b"1\n" * 50_000)
            except BlockingIOError:
                sent = 0
            taken, waits = taken + sent, 0 if sent else waits + 1
            time.sleep(0 if sent else 0.05)
            assert taken < 2**24
        assert taken >= 2**16
        process.kill()


def test_a_stream_remembers_and_resumes(
    quantize: Command, tmp_path: Path, piped: Callable[[str], None]
) -> None:
    out, state = str(tmp_path / "out.csv"), str(tmp_path / "state")
    base = ("-", *METER, "--budget", "4", "--unit", "home", "--total-budget", "8", "--state", state)
    piped(CSV + "5,a,11,\n")
    refused = quantize(*base, "-o", out)
    assert "1 value is outside 0..10 in steps of 0.001 (10,001 values); see line 6; declare" in refused.err
    piped(CSV)
    assert "has not finished; go on with --resume" in quantize(*base, "-o", out).err
    piped(CSV + "5,a,1.1,\n")
    done = quantize(*base, "-o", out, "--resume", "--format", "json")
    assert (done.json["rows"], done.json["silent_rows"], done.json["bits_per_person"]) == (5, 2, 8.0)
    assert Path(out).read_text().splitlines()[-1] == "5,a,,"
    piped(CSV)
    done = quantize(*base)
    assert [line.split(",")[2] for line in done.out.splitlines()[1:4]] == ["", "9.6875", ""]
    for wrong, problem in (
        ((*base[:-2], "--resume"), "name it with --state FILE"),
        ((*base, "--resume", "--abandon"), "choose one of them"),
        (("x.csv", *base[1:], "-o", out), "--state is for pipes"),
        ((*base, "-o", out, "--received", "3"), "is what the reader of a pipe has"),
    ):
        piped(CSV)
        assert problem in quantize(*wrong).err
