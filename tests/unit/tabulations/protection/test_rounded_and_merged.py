"""Rounding and merging as users call them: what is written is read back, verified and audited."""

import json
import shlex
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import noiseless as nl
from noiseless.cli.main import run
from noiseless.errors import RequestError

TRUE = "region,asthma,flu,measles,mumps,Total\n" + "".join(
    f"{row}\n"
    for row in (
        "North,40,31,12,17,100",
        "South,28,19,4,5,56",
        "East,22,15,11,2,50",
        "West,20,17,6,6,49",
        "Total,110,82,33,30,255",
    )
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "true.csv").write_text(TRUE)
    return tmp_path


def called(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = run(["tables", *arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize(
    ("method", "reading"), [(["round", "--base", "7"], ["--rounded", "round:7:random"]), (["merge"], [])]
)
def test_what_is_written_is_read_verified_and_safe(
    method: list[str], reading: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [
        "--cols",
        "illness",
        "--threshold",
        "5",
        "--method",
        *method,
        "-o",
        "out.csv",
        "--html",
        "r.html",
    ]
    code, out, err = called("protect", "true.csv", *asked, "--certificate", "c.json", "--json", capsys=capsys)
    assert (code, err) == (0, "")
    (outcome,) = json.loads(out)["outcomes"]
    assert (outcome["method"], outcome["safe"], outcome["optimal"]) == (method[0], True, True)
    assert called("verify", "c.json", "out.csv", "--cols", "illness", *reading, capsys=capsys)[0] == 0
    code, *_ = called("audit", "out.csv", "--cols", "illness", "--threshold", "5", *reading, capsys=capsys)
    assert code == 0
    figures = pd.read_csv("out.csv", index_col=0)
    assert (figures.iloc[:-1].sum() == figures.loc["Total"]).all()
    assert (figures.drop(columns="Total").sum(axis=1) == figures["Total"]).all()


RECORDS = "firm,region,branch,pay\na,N,x,5.5\nb,N,y,2.5\nc,N,x,5\nd,S,x,7\ne,S,y,9\nf,S,y,8\ng,S,x,6\n"
OF_RECORDS = "--microdata firms.csv --rows region --cols branch"


@pytest.mark.parametrize("method", ["suppress", "intervals", "round"])
@pytest.mark.parametrize(
    "asked",
    [
        "true.csv --cols illness --threshold 5",
        f"{OF_RECORDS} --threshold 3",
        f"{OF_RECORDS} --threshold 3 --totals region",
        "--microdata firms.csv --rows region --rows branch --rows firm --threshold 2",
        f"{OF_RECORDS} --kind magnitude --value pay --threshold 2",
        f"commas.csv {OF_RECORDS} --kind magnitude --value pay --threshold 2 --told decimal=,",
    ],
)
def test_protect_prints_the_command_that_verifies(
    asked: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("firms.csv").write_text(RECORDS)
    Path("commas.csv").write_text(
        "region;x;y;Total\nN;10,5;2,5;13,0\nS;13,0;17,0;30,0\nTotal;23,5;19,5;43,0\n"
    )
    protect = ["protect", *asked.split(), "--method", method, "-o", "my out.csv", "--certificate", "c.json"]
    code, out, err = called(*protect, capsys=capsys)
    assert (code, err) == (0, "")
    _, _, line = out.rstrip().rpartition("\nVerify: noiseless tables ")
    assert called(*shlex.split(line), capsys=capsys)[0] == 0
    assert ("--rounded" in line) == (method == "round")
    if method == "round":
        words = shlex.split(line)
        at = words.index("--rounded")
        code, out, _ = called(*words[:at], *words[at + 2 :], capsys=capsys)
        assert code == 1
        assert "read the tables as they were audited (--told, --rounded, ...)" in " ".join(out.split())


def test_a_base_that_is_too_small_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["true.csv", "--cols", "illness", "--threshold", "5", "--method", "round", "-o", "out.csv"]
    code, out, _ = called("protect", *asked, "--base", "5", capsys=capsys)
    assert code == 1
    assert "base 6 can" in " ".join(out.split())
    assert not Path("out.csv").exists()
    code, _, err = called("protect", *asked, "--base", "1", capsys=capsys)
    assert (code, "base: a multiple" in err) == (2, True)


def test_the_same_in_python() -> None:
    counts = pd.read_csv("true.csv", index_col="region").rename_axis(columns="illness")
    rounded = nl.protect_tables(counts, rules={"threshold": 5}, method="round", base=6)
    assert rounded.best is not None
    assert rounded.best.proposal is not None
    assert int(rounded.frame().loc["South", "measles"]) == 0
    merged = nl.protect_tables(counts, rules={"threshold": 5}, method="merge", ordered=["region"])
    assert merged.best is not None
    assert merged.best.proposal is not None
    assert "South to East" in merged.best.proposal.words
    relaxed = nl.protect_tables(counts, rules={"threshold": 5}, method="round", base=Fraction(3), relax=1)
    assert relaxed.best is None or "further" in relaxed.best.proposal.words  # type: ignore[union-attr]
    with pytest.raises(RequestError, match="relax"):
        nl.protect_tables(counts, rules={"threshold": 5}, method="round", relax=21)


def test_a_secret_is_merged() -> None:
    counts = pd.DataFrame(
        [[3, 2, 4], [5, 0, 0], [2, 2, 2]],
        index=pd.Index(["N", "S", "E"], name="region"),
        columns=pd.Index(["flu", "mumps", "none"], name="illness"),
    )
    found = nl.protect_tables(counts, secret="illness", method="merge", flat=["region", "illness"])
    assert found.best is not None
    suppressed = nl.protect_tables(counts, secret="illness", flat=["region", "illness"])
    assert suppressed.best is None  # nothing is sensitive by a rule, and the audit refuses the table
