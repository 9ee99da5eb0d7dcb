import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from noiseless.cli.main import run
from noiseless.cli.options import progress_bar, working
from noiseless.verification import verify
from waiting import wait_until

CSV = (
    "age,chol,sex,ward\n31,180,f,a\n35,182,f,b\n52,190,m,a\n47,230,m,b\n31,233,f,a\n60,240,m,a\n44,240,m,b\n"
)
HIDE = ("--sensitive", "age", "--public", "chol")


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text(CSV)

    def command(*arguments: str) -> Outcome:
        code = run(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return command


def test_a_release_with_its_certificate(call: Command) -> None:
    done = call(
        *("release", "patients.csv", *HIDE, "--min-posterior", "2", "-o", "out.csv"),
        *("--certificate", "certificate.json", "--format", "json"),
    )
    assert (done.code, done.err) == (0, "")
    assert set(done.json) >= {
        *("cells", "leakage", "maximin", "resolution", "distortion", "min_posterior"),
        *("method", "optimal", "gap", "scope"),
    }
    assert done.json["min_posterior"] >= 2
    assert isinstance(done.json["optimal"], bool)
    assert (done.json["out"], done.json["certificate"]) == ("out.csv", "certificate.json")
    assert Path("out.csv").read_text().startswith("chol\n")
    assert verify("certificate.json", original="patients.csv", released="out.csv").holds


def test_text_for_people_and_a_report(call: Command) -> None:
    done = call(
        "release", "patients.csv", *HIDE, "--max-leakage", "2", "-o", "out.parquet", "--html", "out.html"
    )
    assert done.code == 0, done.err
    assert "Written: out.parquet" in done.out
    assert "Report: out.html" in done.out
    assert "<html" in Path("out.html").read_text("utf-8")
    assert pq.read_table("out.parquet").column_names == ["chol"]


def test_options_in_a_file_and_over_it(call: Command) -> None:
    Path("trees").mkdir()
    Path("trees/ward.csv").write_text("a;all\nb;all\n")
    Path("trees/release.toml").write_text(
        'table = "../patients.csv"\nout = "out.csv"\ncertificate = "certificate.json"\nsummary = "b.html"\n'
        'sensitive = "age"\npublic = ["chol", "ward"]\nmin_posterior = 6\ncolumn_weight = {chol = 0.1}\n'
        '[hierarchy]\nward = "ward.csv"\n'
    )
    done = call("release", "--config", "trees/release.toml", "--min-posterior", "3", "--format", "json")
    assert done.code == 0, done.err
    assert done.json["min_posterior"] in range(3, 6)
    assert verify("trees/certificate.json", original="patients.csv", released="trees/out.csv").holds
    assert Path("trees/b.html").exists()
    assert json.loads(Path("trees/certificate.json").read_text())["options"]["weights"] == {"chol": "1/10"}
    found = call("frontier", "--config", "trees/release.toml", "--no-baselines", "--format", "json")
    assert found.code == 0, found.err


def test_rows_that_look_alike(call: Command) -> None:
    Path("release.toml").write_text("min_rows = 9\n")
    written = ("-o", "out.csv", "--certificate", "c.json")
    done = call("release", "patients.csv", *HIDE, "--config", "release.toml", *written)
    assert (done.code, done.err.strip()) == (2, "noiseless: there are 7 rows; ask for --min-rows 7 or less")
    asked = ("--config", "release.toml", "--min-rows", "3", "--min-posterior", "2")
    done = call("release", "patients.csv", *HIDE, *asked, *written, "--format", "json")
    assert done.code == 0, done.err
    assert done.json["min_rows"] >= 3 > done.json["before"]["min_rows"]
    assert json.loads(Path("c.json").read_text())["target"] == {"min_posterior": 2, "min_rows": 3}
    assert verify("c.json", original="patients.csv", released="out.csv").holds
    assert min(Counter(Path("out.csv").read_text().split()[1:]).values()) == done.json["min_rows"]


@pytest.fixture
def certified(call: Command) -> Command:
    """The command, with a certificate and rows that came later."""
    written = ("-o", "released.csv", "--certificate", "c.json")
    assert call("release", "patients.csv", *HIDE, "--min-posterior", "2", *written).code == 0
    Path("later.csv").write_text("age,chol\n31,181\n35,190\n60,240\n61,500\n62,501\n")
    return call


def test_rows_that_come_later(certified: Command) -> None:
    Path("fine.csv").write_text("age,chol\n31,181\n35,182\n52,189\n")
    done = certified("release", "fine.csv", "--apply", "c.json", "-o", "out.csv", "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["known_rows"], done.json["covered_rows"], done.json["outside_rows"]) == (1, 2, 0)
    assert (done.json["min_posterior"], done.json["holds"]) == (3, True)
    assert (done.json["out"], done.json["apply"]) == ("out.csv", "c.json")
    assert Path("out.csv").read_text() == "chol\n180-190\n180-190\n180-190\n"
    again = certified("release", "patients.csv", "--apply", "c.json", "-o", "again.csv")
    assert again.code == 0
    assert "Written: again.csv" in again.out
    assert Path("again.csv").read_bytes() == Path("released.csv").read_bytes()


def test_later_rows_that_do_not_keep_the_limits(certified: Command) -> None:
    done = certified("release", "later.csv", "--apply", "c.json", "-o", "out.csv")
    assert (done.code, done.err) == (1, "")
    assert "fewest values left  at least 2      1  DOES NOT HOLD" in done.out
    assert done.out.endswith("Not written: a limit is missed. Write out.csv all the same: --force\n")
    assert not Path("out.csv").exists()
    refused = certified("release", "later.csv", "--apply", "c.json", "-o", "out.csv", "--format", "json")
    assert (refused.code, refused.json["out"], refused.json["holds"]) == (1, None, False)
    forced = certified(
        "release", "later.csv", "--apply", "c.json", "-o", "out.csv", "--force", "--keep-order"
    )
    assert forced.code == 0
    assert "DOES NOT HOLD" in forced.out
    assert Path("out.csv").read_text().split()[1:] == ["180-190", "180-190", "240", "*", "*"]


def test_later_rows_by_a_file_and_without_a_header(certified: Command) -> None:
    Path("apply.toml").write_text('table = "bare.csv"\napply = "c.json"\nout = "out.csv"\nnames = ["chol"]\n')
    Path("bare.csv").write_text("181\n190\n")
    done = certified("release", "--config", "apply.toml")
    assert done.code == 0, done.err
    assert "the table lacks age" in done.out
    assert Path("out.csv").read_text() == "chol\n180-190\n180-190\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("-o", "o.csv", "--public", "chol"),
            "the certificate says how to release the rows; leave --public out",
        ),
        (("-o", "o.csv", "--min-rows", "2"), "leave --min-rows out"),
        (("-o", "o.csv", "--certificate", "d.json"), "leave --certificate out"),
        (("-o", "o.csv", "--html", "o.html"), "leave --html out"),
        ((), "name the file to write: -o OUT"),
        (("-o", "later.csv"), "later.csv"),
        (("-o", "c.json"), "c.json is read by this very command"),
        (("-o", "o.docx"), "change the ending"),
    ],
)
def test_what_does_not_go_with_later_rows(
    certified: Command, arguments: tuple[str, ...], problem: str
) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    done = certified("release", "later.csv", "--apply", "c.json", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert problem in done.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_force_is_about_later_rows(call: Command) -> None:
    done = call("release", "patients.csv", *HIDE, "--min-posterior", "2", "-o", "o.csv", "--force")
    assert done.code == 2
    assert "(--apply)" in done.err


def test_every_option_reaches_the_release(call: Command) -> None:
    done = call(
        *("release", "patients.csv", *HIDE, "--public", "ward", "--keep", "sex", "--utility", "resolution"),
        *("--objective", "both", "--min-posterior", "2", "--method", "greedy", "--codeword", "interval"),
        *("--min-rows", "2"),
        *(
            "--distance",
            "gower",
            "--span",
            "chol=100:300",
            "--column-weight",
            "ward=0.5",
            "--suppress",
            "0.1",
        ),
        *("--missing", "error", "--keep-order", "--certificate", "c.json", "-o", "out.tsv"),
    )
    assert done.code == 0, done.err
    found = json.loads(Path("c.json").read_text())
    assert found["columns"]["keep"] == ["sex"]
    options = found["options"]
    assert (options["objective"], options["utility"], options["codeword"]) == (
        "both",
        "resolution",
        "interval",
    )
    assert (options["spans"], options["weights"]) == ({"chol": ["100", "300"]}, {"ward": "1/2"})
    assert found["target"] == {"min_posterior": 2, "min_rows": 2, "suppress": "1/10"}
    assert [line.split("\t")[2] for line in Path("out.tsv").read_text().splitlines()[1:]] == list("ffmmfmm")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((*HIDE,), "there is no target"),
        ((*HIDE, "--min-posterior", "7"), "age has 6 different values"),
        ((*HIDE, "--min-posterior", "0"), "more than 0"),
        ((*HIDE, "--max-leakage", "much"), "takes a finite number"),
        ((*HIDE, "--given", "age", "--min-posterior", "2"), "is both sensitive and given"),
        (
            (*HIDE, "--method", "first-rise", "--min-posterior", "2"),
            "stops by a weight and keeps to no limit",
        ),
        (("--sensitive", "age", "--public", "cholesterol", "--min-posterior", "2"), "is not in the table"),
        ((*HIDE, "--min-posterior", "2", "--hierarchy", "chol=tree.csv"), "not in its hierarchy"),
        ((*HIDE, "--min-posterior", "2", "--hierarchy", "chol"), "is not COL=FILE"),
        ((*HIDE, "--min-posterior", "2", "--hierarchy", "sex=tree.csv"), "not among the public columns"),
        ((*HIDE, "--min-posterior", "2", "--hierarchy", "chl=t.csv"), "columns; did you mean 'chol'?"),
        ((*HIDE, "--min-posterior", "2", "--span", "chol=3"), "takes a range"),
        ((*HIDE, "--min-posterior", "2", "--certificate", "out.csv"), "cannot hold two things"),
        ((*HIDE, "--min-posterior", "2", "--objective", "privacy"), "--objective"),
        ((*HIDE, "--min-posterior", "2", "--config", "none.toml"), "there is no such file"),
        ((*HIDE, "--min-posterior", "2", "--config", "wrong.toml"), "did you mean 'min_posterior'"),
        ((*HIDE, "--min-posterior", "4", "--max-distortion", "0.5"), "distortion"),
    ],
)
def test_a_wrong_request_is_one_line_and_writes_nothing(
    call: Command, arguments: tuple[str, ...], problem: str
) -> None:
    Path("tree.csv").write_text("180,low\n182,low\n")
    Path("wrong.toml").write_text("min_postrior = 2\n")
    before = sorted(Path().iterdir())
    done = call("release", "patients.csv", "-o", "out.csv", *arguments)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert done.err.count("\n") == 1
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("table", "column", "problem"),
    [("one.csv", "x", "the same value of x"), ("same.csv", "x", "the same value of age")],
)
def test_nothing_to_merge_or_to_hide(call: Command, table: str, column: str, problem: str) -> None:
    Path("one.csv").write_text("age,x\n1,7\n2,7\n")
    Path("same.csv").write_text("age,x\n1,7\n1,8\n")
    asked = ("--sensitive", "age", "--public", column, "--min-posterior", "1", "-o", "out.csv")
    done = call("release", table, *asked)
    assert (done.code, Path("out.csv").exists()) == (2, False)
    assert problem in done.err


@pytest.mark.parametrize("option", ["-o", "--html"])
def test_nothing_that_is_read_is_overwritten(call: Command, option: str) -> None:
    files = {"patients.csv": CSV, "release.toml": "min_posterior = 2\n", "other.csv": CSV}
    for name, text in files.items():
        Path(name).write_text(text)
    for name in ("patients.csv", "other.csv", "release.toml"):
        outputs = ("-o", name) if option == "-o" else ("-o", "out.csv", "--html", name)
        done = call("release", "*.csv", *HIDE, "--config", "release.toml", *outputs)
        assert (done.code, done.out) == (2, "")
    done = call("frontier", "*.csv", *HIDE, "--html", "patients.csv")
    assert done.code == 2
    assert {name: Path(name).read_text() for name in files} == files
    assert not Path("out.csv").exists()


def test_two_releases_on_one_page(call: Command) -> None:
    first = ("release", "patients.csv", *HIDE, "--min-posterior", "2", "-o", "first.csv")
    assert call(*first, "--certificate", "first.json").code == 0
    second = ("release", "patients.csv", *HIDE, "--min-posterior", "3", "-o", "second.csv")
    assert call(*second, "--html", "page.html", "--compare-with", "first.json").code == 0
    assert "the other" in Path("page.html").read_text("utf-8")
    wrong = call(*second, "--compare-with", "first.json")
    assert (wrong.code, "--html" in wrong.err) == (2, True)
    wrong = call(*second, "--html", "page.html", "--compare-with", "patients.csv")
    assert (wrong.code, "is no certificate" in wrong.err) == (2, True)


def test_neither_table_nor_output_is_guessed(call: Command) -> None:
    assert "no table is named" in call("release", *HIDE, "--min-posterior", "2", "-o", "out.csv").err
    assert "name the file to write" in call("release", "patients.csv", *HIDE, "--min-posterior", "2").err
    done = call("release", "patients.csv", *HIDE, "--min-posterior", "2", "-o", "patients.csv")
    assert (done.code, Path("patients.csv").read_text()) == (2, CSV)


def test_the_frontier(call: Command) -> None:
    done = call(
        "frontier", "patients.csv", *HIDE, "--plot", "out.svg", "--html", "out.html", "--format", "json"
    )
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert set(found) >= {"points", "method", "scope"}
    assert set(found["points"][0]) >= {
        *("leakage", "maximin", "min_posterior", "resolution", "distortion", "cells"),
    }
    leaks = [point["leakage"] for point in found["points"]]
    assert leaks == sorted(leaks, reverse=True)
    assert "<svg" in Path("out.svg").read_text()
    assert "<html" in Path("out.html").read_text("utf-8")
    text = call("frontier", "patients.csv", *HIDE)
    assert "undominated" in text.out


def test_a_bar_is_shown_on_terminals_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress_bar("choosing") as tell:
        assert tell is None
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar("choosing") as tell:
        assert tell is not None
        tell(0.5)
    captured = capsys.readouterr()
    assert "choosing" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("shown", [progress_bar, working])
def test_what_takes_long_says_so_once_where_there_is_no_terminal(
    shown: Callable[[str], AbstractContextManager[object]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("noiseless.cli.options.QUIET", 0.0)
    with shown("choosing cells (Ctrl-C keeps the best so far)"):
        said = wait_until(lambda: capsys.readouterr().err, "a line")
    assert said == "noiseless: still choosing cells (Ctrl-C keeps the best so far)\n"
    assert capsys.readouterr() == ("", "")


def test_a_frontier_needs_columns_too(call: Command) -> None:
    done = call("frontier", "patients.csv", "--sensitive", "age")
    assert done.code == 2
    assert "no public column" in done.err


def test_releases_are_audited_together_by_their_certificates(call: Command) -> None:
    for public, name in (("chol", "one"), ("ward", "two")):
        made = ("release", "patients.csv", "--sensitive", "age", "--public", public, "--min-posterior", "2")
        assert call(*made, "-o", f"{name}.csv", "--certificate", f"{name}.json").code == 0
    both = ("audit", "patients.csv", "--certificate", "one.json", "--certificate", "two.json")
    done = call(*both, "--format", "json", "--summary", "board.html")
    assert (done.code, done.err) == (0, "")
    assert done.json["public"] == ["1.chol", "2.ward"]
    assert done.json["versions"]["together"] == done.json["min_posterior"]
    page = Path("board.html").read_text("utf-8")
    assert "2 releases of the same people" in page
    assert len(re.findall("<code>[0-9a-f]{64}</code>", page)) == 3
    for wrong, words in (
        (("--public", "sex"), "leave --public out"),
        (("--missing", "drop"), "leave --missing out"),
        (("--rule", "round:5"), "leave --rule out"),
    ):
        refused = call(*both, *wrong)
        assert (refused.code, words in refused.err) == (2, True)
    assert "certificates are of one table" in call(*both[:2], "one.csv", *both[2:]).err
    Path("patients.csv").write_text(CSV.replace("233", "234"))
    assert "one.json: is of another table" in call(*both).err
