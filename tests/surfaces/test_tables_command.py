"""`noiseless tables` as people call it: what it reads, prints and writes, and how it ends."""

import json
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from noiseless.cli.main import run

CLINICS = """Patients by region and illness
region,asthma,flu,measles,mumps,Total
North,40,31,12,17,100
South,28,19,x,5,56
East,22,x,11,x,50
West,x,17,x,x,49
Centre,35,x,9,x,71
Total,145,99,42,40,326

Source: the register. x: withheld
"""
SAFE = "region,a,b,c,Total\nN,x,x,9,20\nS,x,x,8,21\nTotal,12,12,17,41\n"
FIRMS = (
    "firm,region,branch,turnover\na,North,steel,558\nb,North,steel,70\nc,North,steel,17\nd,North,food,120\n"
    "e,North,food,90\nf,North,food,85\ng,South,steel,310\nh,South,food,40\ni,South,food,35\nj,South,food,30\n"
)
TURNOVER = "region,steel,food,Total\nNorth,x,x,940\nSouth,x,x,415\nTotal,955,400,1355\n"
ACRO = Path(__file__).parents[1] / "fixtures" / "acro"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"clinics.csv": CLINICS, "safe.csv": SAFE, "firms.csv": FIRMS, "turnover.csv": TURNOVER}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def called(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = run(["tables", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_what_is_disclosed_and_what_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called("audit", "clinics.csv", "--cols", "illness", capsys=capsys)
    assert (code, err) == (1, "")
    assert "South, measles = 4\n      from South, Total (56)" in out
    assert "East, flu          5\u201317  13 values, 3.70 bits" in out


def test_json_has_the_keys_that_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called("audit", "clinics.csv", "--cols", "illness", "--format", "json", capsys=capsys)
    found = json.loads(out)
    assert (found["holds"], found["decided"], found["inconsistent"]) == (False, True, [])
    cell = next(each for each in found["cells"] if each["of"]["labels"] == ["South", "measles"])
    assert (cell["lower"], cell["upper"], cell["values"], cell["bits_left"]) == (4, 4, 1, 0)
    assert cell["disclosed"]
    assert {"table": "clinics", "labels": ["South", "Total"]} in cell["because"]
    assert called("audit", "clinics.csv", "--cols", "illness", "--json", capsys=capsys)[1] == out


def test_nothing_is_disclosed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called("audit", "safe.csv", capsys=capsys)
    assert code == 0
    assert out.startswith("Nothing is disclosed")


def test_a_total_by_another_name_is_asked_about(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "region,a,b,All persons\nN,4,6,10\nS,x,x,10\nAll persons,9,11,20\n"
    (folder / "persons.csv").write_text(text)
    code, out, err = called("audit", "persons.csv", capsys=capsys)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--totals region='All persons'" in err
    assert "--flat region" in err
    named = ["--totals", "region=All persons", "--totals", "columns=All persons"]
    code, out, _ = called("audit", "persons.csv", *named, capsys=capsys)
    assert code == 1
    assert "S, a = 5" in out
    assert called("audit", "persons.csv", "--flat", "region", "--flat", "columns", capsys=capsys)[0] == 0
    code, _, err = called("audit", "persons.csv", "--flat", "sex", capsys=capsys)
    assert (code, "no dimension" in err) == (2, True)


def test_thousands_and_ranges_that_mean_two_things(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "points.csv").write_text("region,a,b,Total\nN,1.000,x,4.000\nS,2.000,7.000,9.000\n")
    code, _, err = called("audit", "points.csv", capsys=capsys)
    assert (code, "--told decimal=," in err) == (2, True)
    _, out, _ = called("audit", "points.csv", "--told", "decimal=,", capsys=capsys)
    assert "N, b = 3,000" in out
    _, out, _ = called("audit", "points.csv", "--told", "decimal=.", capsys=capsys)
    assert "N, b = 3\n" in out
    (folder / "range.csv").write_text("region,a,b,Total\nN,5,10+,20\nS,5,*,15\nTotal,10,20,30\n")
    rounded = ["audit", "range.csv", "--rounded", "round:5", "--json"]
    code, _, err = called(*rounded, capsys=capsys)
    assert (code, "--told '10+=8+'" in err) == (2, True)
    _, out, _ = called(*rounded, "--told", "10+=8+", "--told", "*=<=9", capsys=capsys)
    cells = {tuple(cell["of"]["labels"]): cell for cell in json.loads(out)["cells"]}
    assert (cells["N", "b"]["lower"], cells["S", "b"]["upper"]) == (11, 9)


def test_a_certificate_is_checked_against_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("audit", "safe.csv", "--certificate", "proofs.json", capsys=capsys)[0] == 0
    assert called("verify", "proofs.json", "safe.csv", capsys=capsys)[0] == 0
    Path("other.csv").write_text(SAFE.replace("41", "42"))
    code, out, _ = called("verify", "proofs.json", "other.csv", capsys=capsys)
    assert code == 1
    assert "DOES NOT HOLD" in out


def test_a_contradiction_names_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.csv").write_text("region,a,b,Total\nN,1,2,4\nS,3,x,7\nTotal,4,6,11\n")
    code, out, err = called(
        "audit", "wrong.csv", "--certificate", "c.json", "--html", "r.html", capsys=capsys
    )
    assert code == 2
    line = "these figures contradict each other, mend one: wrong: N, a; wrong: N, b; wrong: N, Total"
    assert err == f"noiseless: {line}\n"
    assert "any one of them left out, the others fit" in out
    assert not Path("c.json").exists()
    assert "Contradictory" in Path("r.html").read_text("utf-8")


@pytest.mark.parametrize(("base", "step"), [("1", "0.1"), ("0.1", "0.01")])
def test_rounded_sums_that_contradict_say_how_to_declare_it(
    base: str, step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("N", 101, 202, 304), ("S", 55, 65, 120), ("Total", 156, 267, 423)]
    lines = (",".join([name, *(f"{Decimal(base) * each}" for each in row)]) for name, *row in rows)
    Path("sums.csv").write_text("\n".join(["region,a,b,Total", *lines]))
    asked = ["audit", "sums.csv", "--cols", "c", "--kind", "magnitude"]
    code, out, _ = called(*asked, capsys=capsys)
    assert code == 2
    hint = f"no table of multiples of {base} fits all published figures; if sums were rounded, declare "
    assert hint + f"--rounded round:{base} --step {step}." in " ".join(out.split())
    code, _, err = called(*asked, "--rounded", f"round:{base}", capsys=capsys)
    assert code == 2
    assert err.endswith(f"do not show how fine they were; declare it, such as --step {step}\n")
    assert called(*asked, "--rounded", f"round:{base}", "--step", step, capsys=capsys)[0] == 0
    Path("sums.csv").write_text(Path("sums.csv").read_text().replace(f"{Decimal(base) * 423}", "0"))
    code, out, _ = called(*asked, "--rounded", f"round:{base}", "--step", step, capsys=capsys)
    assert code == 2
    assert f"if true sums are finer than that, declare a smaller --step than {step}." in " ".join(out.split())


def test_a_time_limit_leaves_it_undecided_and_never_calls_it_safe(capsys: pytest.CaptureFixture[str]) -> None:
    counts = np.random.default_rng(1).integers(0, 4, (4, 4, 4))
    lines = ["a,b,c,n", *(f"{a},{b},{c},x" for a, b, c in np.ndindex(4, 4, 4))]
    for i, j in np.ndindex(4, 4):
        lines += [f"{i},{j},Total,{counts[i, j].sum()}", f"{i},Total,{j},{counts[i, :, j].sum()}"]
        lines.append(f"Total,{i},{j},{counts[:, i, j].sum()}")
    Path("cube.csv").write_text("\n".join(lines) + "\n")
    asked = ("cube.csv", "--rows", "a", "--rows", "b", "--cols", "c", "--value", "n")
    code, out, _ = called("audit", *asked, "--time-limit", "0", capsys=capsys)
    assert code == 4
    assert out.startswith("Not decided")
    assert called("audit", *asked, capsys=capsys)[0] == 0


def test_contributors_are_named_for_the_office_alone(capsys: pytest.CaptureFixture[str]) -> None:
    records = ("--microdata", "firms.csv", "--value", "turnover", "--unit", "firm", "--p-percent", "10")
    asked = ("turnover.csv", "--kind", "magnitude", "--rows", "region", "--cols", "branch", *records)
    code, out, _ = called("audit", *asked, capsys=capsys)
    assert code == 1
    assert re.search(r"contributor \d+ +North, steel", out)
    _, out, _ = called("audit", *asked, "--internal", "--html", "office.html", capsys=capsys)
    assert re.search(r"\n  g +North, steel", out)
    assert "for the office alone" in Path("office.html").read_text("utf-8")
    assert Path("office.html").stat().st_mode & 0o077 == 0


def test_the_folder_of_acro(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called("audit", str(ACRO), capsys=capsys)
    assert code == 1
    assert re.search(r"output_0: South, measles = 4\n +from .*output_1: South", out)


def test_the_report_is_one_page_without_script(capsys: pytest.CaptureFixture[str]) -> None:
    called("audit", "clinics.csv", "--cols", "illness", "--html", "report.html", capsys=capsys)
    page = Path("report.html").read_text("utf-8")
    assert 'title="South, measles: 4 for certain, from South, Total (56)' in page
    assert "<script" not in page
    assert not re.search(r"(src|href)=", page)
    called("audit", "clinics.csv", "--cols", "illness", "--html", "again.html", capsys=capsys)
    assert Path("again.html").read_text("utf-8") == page


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nobody.csv"], "there is no such file"),
        (["clinics.csv", "--rounded", "round:5"], "clinics, row 3, column 3: the figure is no multiple of 5"),
        (["clinics.csv", "--rounded", "half"], "no rule is called 'half'"),
        (["clinics.csv", "--told", "zero"], "MARK=MEANING"),
        (["clinics.csv", "--totals", "sex"], "no dimension"),
        (["clinics.csv", "--hierarchy", "region"], "DIMENSION=FILE"),
        (["clinics.csv", "--secret", "pay"], "pay"),
        (["clinics.csv", "--value", "n"], "no column 'n'"),
        (["clinics.csv", "--p-percent", "10"], "contributions"),
        (["clinics.csv", "--unit", "firm"], "microdata"),
        (["clinics.csv", "--html", "clinics.csv"], "clinics.csv"),
        (["firms.csv", "--microdata", "firms.csv", "--rows", "region", "--cols", "branch"], "firms"),
    ],
)
def test_a_wrong_request_gets_one_line(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called("audit", *arguments, capsys=capsys)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_marks_are_declared_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("marks.csv").write_text("region,a,b,Total\nN,-,q,5\nS,*,2,5\nTotal,3,7,10\n")
    told = ("--told", "zero=-", "--told", "suppressed=q", "--told", "*=1-4", "--cols", "kind")
    _, out, _ = called("audit", "marks.csv", *told, "--json", capsys=capsys)
    found = {tuple(cell["of"]["labels"]): (cell["lower"], cell["upper"]) for cell in json.loads(out)["cells"]}
    assert found["N", "a"] == (0, 0)
    assert found["N", "b"] == (5, 5)
    assert found["S", "a"] == (3, 3)
