"""True tables as people have them: what to publish instead, written in the same form."""

import json
import math
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pandas as pd
import pytest
from openpyxl.comments import Comment

import noiseless as nl
from noiseless.cli.main import run
from noiseless.errors import OutputError, RequestError
from noiseless.reports.protection_page import protection_html
from noiseless.tabulations.audit import audit_tables as audit_publication
from noiseless.tabulations.reading import audit_tables

CLINICS = """Patients by region and illness
region;asthma;flu;measles;mumps;Total
North;40;31;12;17;100
South;28;19;4;5;56
East;22;15;11;2;50
Total;90;65;27;24;206

Source: the register
"""
SEXES = "region,f,m,Total\nNorth,52,48,100\nSouth,27,29,56\nEast,26,24,50\nTotal,105,101,206\n"
FIRMS = """firm,region,branch,turnover
a,North,steel,558
b,North,steel,70
c,North,steel,17
d,North,food,120.5
e,North,food,90
f,North,food,85
g,South,steel,310
h,South,food,40
i,South,food,35
j,South,food,30
k,East,steel,100
l,East,steel,95
m,East,steel,90
n,East,food,70
o,East,food,60
p,East,food,55
"""
TURNOVER = ("--kind", "magnitude", "--rows", "region", "--cols", "branch", "--value", "turnover")
SMALL = ("--cols", "illness", "--threshold", "5")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinics.csv").write_text(CLINICS)
    (tmp_path / "sexes.csv").write_text(SEXES)
    (tmp_path / "firms.csv").write_text(FIRMS)
    return tmp_path


@pytest.mark.parametrize("method", ["suppress", "intervals"])
def test_a_file_is_written_as_it_was_read(
    folder: Path, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--method", method, "-o", "published.csv", "--certificate", "proofs.json")
    assert run(["tables", "protect", "clinics.csv", *SMALL, *asked]) == 0
    lines, before = (folder / "published.csv").read_text().splitlines(), CLINICS.splitlines()
    assert [len(line.split(";")) for line in lines] == [len(line.split(";")) for line in before]
    assert lines[0] == before[0]
    assert lines[-1] == before[-1]
    found, shown = ([cell for line in text for cell in line.split(";")] for text in (before, lines))
    changed = [cell for cell, other in zip(shown, found, strict=True) if cell != other]
    assert all((cell == "x") is (method == "suppress") for cell in changed)
    assert run(["tables", "verify", "proofs.json", "published.csv", "--cols", "illness"]) == 0
    assert audit_tables("published.csv", cols="illness").holds
    assert "proofs.json" not in capsys.readouterr().err


def test_files_in_another_encoding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "miasto,ból,świerzb,Total\nŁódź,2,7,9\nSącz,13,9,22\nRadość,11,14,25\nTotal,26,30,56\n"
    (folder / "pl.csv").write_text(table, "cp1250")
    (folder / "tree.csv").write_text("Łódź,Total\nSącz,Total\nRadość,Total\n", "cp1250")
    (folder / "pl.toml").write_text(
        'encoding = "cp1250"\nhierarchy = {miasto = "tree.csv"}\n[[table]]\nfile = "pl.csv"\n', "utf-8"
    )
    said = ("--encoding", "cp1250")
    asked = ("--hierarchy", "miasto=tree.csv", "--threshold", "5", "--weights", "pl.csv")
    assert run(["tables", "protect", "pl.csv", *asked]) == 2
    assert "name its encoding (--encoding cp1252 to read" in capsys.readouterr().err
    written = ("-o", "published.csv", "--certificate", "c.json")
    assert run(["tables", "protect", "pl.csv", *said, *asked, *written]) == 0
    published = (folder / "published.csv").read_text("utf-8")
    assert published.startswith("miasto,ból,świerzb,Total\nŁódź,x,x,9\n")
    assert run(["tables", "verify", "c.json", "published.csv", *said, *asked[:2]]) == 0  # the table is UTF-8
    found = [nl.audit_tables("pl.toml"), nl.audit_tables("pl.csv", encoding="cp1250")]
    assert all(("pl", ("Radość", "świerzb")) in one.publication.row_names for one in found)
    (folder / "records.csv").write_text("miasto,choroba\nŁódź,ból\nSącz,świerzb\n", "cp1250")
    made = nl.audit_tables(None, microdata="records.csv", rows="miasto", cols="choroba", encoding="cp1250")
    assert any("Łódź" in str(name) for name in made.publication.row_names)


def test_several_tables_are_protected_together(folder: Path) -> None:
    (folder / "both.toml").write_text(
        'rules = {threshold = 5}\n[[table]]\nfile = "clinics.csv"\nrows = "region"\ncols = "illness"\n'
        '[[table]]\nfile = "sexes.csv"\nrows = "region"\ncols = "sex"\n'
    )
    assert run(["tables", "protect", "both.toml", "-o", "published"]) == 0
    assert sorted(path.name for path in (folder / "published").iterdir()) == ["clinics.csv", "sexes.csv"]
    alone = nl.protect_tables("clinics.csv", cols="illness", rules={"threshold": 5})
    both = nl.protect_tables("both.toml")
    assert alone.best is not None
    assert both.best is not None
    assert alone.best.proposal is not None
    assert both.best.proposal is not None
    assert both.best.proposal.loss >= alone.best.proposal.loss
    assert any("subtract" in note for note in both.notes)


def test_a_table_made_from_records(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = ("--microdata", "firms.csv", "--unit", "firm", *TURNOVER, "--p-percent", "10")
    assert run(["tables", "protect", *made, "-o", "published.csv", "--certificate", "c.json", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["method"], found["holds"], found["sensitive"]) == ("suppress", True, 2)
    assert run(["tables", "verify", "c.json", "published.csv", *TURNOVER]) == 0
    told = pd.read_csv(folder / "published.csv").set_index(["region", "branch"])["turnover"]
    assert told["East", "Total"] == "470"
    assert told["North", "Total"] in ("940.5", "x")
    assert told["North", "steel"] == told["South", "steel"] == "x"


def test_excel_keeps_its_sheet_and_loses_the_others(folder: Path) -> None:
    frame = pd.read_csv(folder / "clinics.csv", sep=";", skiprows=1, nrows=4)
    with pd.ExcelWriter(folder / "book.xlsx") as book:
        frame.to_excel(book, sheet_name="true", index=False)
        frame.to_excel(book, sheet_name="copy", index=False)
    found = nl.protect_tables("book.xlsx", cols="illness", sheet="true", rules={"threshold": 5})
    found.write(folder / "published.xlsx")
    written = openpyxl.load_workbook(folder / "published.xlsx")
    assert written.sheetnames == ["true"]
    assert written["true"]["D3"].value == "x"
    assert written["true"]["B2"].value == 40
    found.write(folder / "published.csv")
    assert nl.audit_tables("published.csv", cols="illness", rules={"threshold": 5}).holds
    texts = [[str(cell.value) for cell in row] for row in written["true"].rows]
    assert [line.split(",") for line in (folder / "published.csv").read_text().splitlines()] == texts


def test_excel_is_written_as_it_is_read_wherever_the_table_stands(folder: Path) -> None:
    """Below blank rows, beside a blank column; and no formula or comment says what is withheld."""
    book = openpyxl.Workbook()
    sheet, lines = book.active, [line.split(";") for line in CLINICS.splitlines()[1:6]]
    for row, line in enumerate(lines, 3):
        for column, text in enumerate(line, 2):
            sheet.cell(row, column, int(text) if text.isdigit() else text)
    sheet["G5"], sheet["G6"] = "=28+19+4+5", "=22+15+11+2"
    sheet["E5"].comment = Comment("four cases", "me")
    book.save(folder / "plain.xlsx")
    with ZipFile(folder / "plain.xlsx") as plain, ZipFile(folder / "book.xlsx", "w") as whole:
        for name in plain.namelist():  # as Excel writes it: with the results of formulas
            text = plain.read(name).decode()
            for total in (56, 50):
                text = text.replace("</f><v />", f"</f><v>{total}</v>", 1)
            whole.writestr(name, text)
    command = ["tables", "protect", "book.xlsx", *SMALL]
    assert run([*command, "-o", "published.xlsx", "--certificate", "c.json"]) == 0
    assert run(["tables", "verify", "c.json", "published.xlsx", "--cols", "illness"]) == 0
    written = openpyxl.load_workbook(folder / "published.xlsx").active
    assert [written["E5"].value, written["F6"].value, written["G5"].value] == ["x", "x", 56]
    assert not any(cell.comment or cell.data_type == "f" for row in written.rows for cell in row)


@pytest.mark.parametrize("out", ["out.xls", "out.xlsm"])
def test_workbooks_of_other_kinds_are_not_written(out: str, folder: Path) -> None:
    frame = pd.read_csv(folder / "clinics.csv", sep=";", skiprows=1, nrows=4)
    frame.to_excel(folder / "book.xlsx", index=False)
    found = nl.protect_tables("book.xlsx", cols="illness", rules={"threshold": 5})
    with pytest.raises(OutputError, match="files are written, from"):
        found.write(folder / out)
    merged = nl.protect_tables("book.xlsx", cols="illness", rules={"threshold": 5}, method="merge")
    with pytest.raises(OutputError, match="let the name end in"):
        merged.write(folder / out)


def test_a_zero_that_was_left_out_and_is_withheld_is_written(folder: Path) -> None:
    """Left out it would be read as 0, and a1, b0 be known."""
    figures = "a0,b0,9\na0,b1,2\na0,b2,0\na1,b0,7\na2,b0,1\na2,b1,9\na2,b2,7\n"
    totals = "a0,Total,11\na1,Total,7\na2,Total,17\nTotal,b0,17\nTotal,b1,11\nTotal,b2,7\nTotal,Total,35\n"
    (folder / "long.csv").write_text("a,b,n\n" + figures + totals)
    reading = ("--rows", "a", "--rows", "b", "--value", "n")
    command = ["tables", "protect", "long.csv", *reading, "--threshold", "4", "--certificate", "c.json"]
    for method in (["suppress"], ["round", "--base", "5"]):
        assert run([*command, "--method", *method, "-o", "out.csv"]) == 0
        rounded = ["--rounded", "round:5:random"] if method[0] == "round" else []
        assert run(["tables", "verify", "c.json", "out.csv", *reading, *rounded]) == 0
        assert run(["tables", "audit", "out.csv", *reading, *rounded, "--threshold", "4"]) == 0


def test_two_tables_of_one_name_are_two_files(folder: Path) -> None:
    for name, text in (("one", CLINICS), ("two", SEXES)):
        (folder / name).mkdir()
        (folder / name / "table.csv").write_text(text)
    parts = (("one", "illness"), ("two", "sex"))
    texts = [
        f"[[table]]\nfile = '{n}/table.csv'\nname = '{n}'\nrows = 'region'\ncols = '{c}'" for n, c in parts
    ]
    (folder / "both.toml").write_text("\n".join(texts))
    command = ["tables", "protect", "both.toml", "--threshold", "5", "-o", "out", "--certificate", "c.json"]
    assert run(command) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["one.csv", "two.csv"]
    shutil.copytree(folder / "out", folder, dirs_exist_ok=True)
    (folder / "out.toml").write_text("\n".join(texts).replace("/table.csv", ".csv"))
    assert run(["tables", "verify", "c.json", "out.toml"]) == 0


def test_a_crosstab_is_given_back_as_one(folder: Path) -> None:
    frame = pd.read_csv(folder / "clinics.csv", sep=";", skiprows=1, nrows=4, index_col=0)
    frame = frame.rename_axis(columns="illness")
    found = nl.protect_tables(frame, rules={"threshold": 5})
    shown = found.frame()
    assert list(shown.columns) == list(frame.columns)
    assert shown.loc["North", "asthma"] == 40
    assert nl.audit_tables(shown).holds


def test_weights_choose(folder: Path) -> None:
    """A figure that is dear is not withheld while there is another way."""
    weights = CLINICS.replace("22;15;11;2;50", "1;1;999;1;999")
    (folder / "weights.csv").write_text(weights)
    found = nl.protect_tables("clinics.csv", cols="illness", rules={"threshold": 5}, weights="weights.csv")
    published = found.publication
    assert published is not None
    row = published.row_names.index(("clinics", ("East", "measles")))
    assert published.told_lower[row] == published.told_upper[row] == 11
    with pytest.raises(RequestError, match="weights: there is none"):
        nl.protect_tables("clinics.csv", cols="illness", rules={"threshold": 5}, weights="sexes.csv")
    value = nl.protect_tables("clinics.csv", cols="illness", rules={"threshold": 5}, weights="value")
    assert any("not public" in note for note in value.notes)


def test_the_report_shows_before_and_after(folder: Path) -> None:
    found = nl.protect_tables("clinics.csv", cols="illness", rules={"threshold": 5}, method="all")
    page = protection_html(found)
    assert 'id="before"' in page
    assert 'id="after-suppress"' in page
    assert 'id="after-intervals"' in page
    assert page.count("To audit or verify it, declare <code>--rounded round:6:random</code>.") == 1
    assert "0 and 5 must stay possible" in page
    assert run(["tables", "protect", "clinics.csv", *SMALL, "--html", "report.html"]) == 0
    assert (folder / "report.html").stat().st_mode & 0o077 == 0


def test_reports_call_a_method_that_was_stopped_not_decided(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = ["--method", "all", "--time-limit", "0", "--html", "report.html"]
    assert run(["tables", "protect", "clinics.csv", *SMALL, *stopped]) == 4
    shown = capsys.readouterr().out
    assert shown.startswith("Not decided")
    assert "Refused, or not decided:" in shown
    assert "suppress is not decided: no pattern was found" in (folder / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("clinics.csv", "--cols", "illness"), "nothing says which figures are sensitive"),
        (("clinics.csv", *SMALL, "--method", "all", "--aware"), "name one method"),
        (("clinics.csv", *SMALL, "--method", "intervals", "--grid", "0.5"), "multiple of the step"),
        (("clinics.csv", *SMALL, "-o", "clinics.csv"), "is the table itself"),
        (("clinics.csv", *SMALL, "-o", "clinics.xlsx"), "let the name end in .csv"),
    ],
)
def test_wrong_requests(
    folder: Path, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder
    assert run(["tables", "protect", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_what_cannot_be_protected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Base cells of at most 4: that one is 5 can never stay possible."""
    (folder / "few.csv").write_text("region,a,b,Total\nN,3,4,7\nS,4,4,8\nTotal,7,8,15\n")
    asked = ("few.csv", "--cols", "c", "--threshold", "5", "--bounds", "0", "4", "-o", "out.csv")
    assert run(["tables", "protect", *asked]) == 1
    assert "cannot be protected" in capsys.readouterr().out
    assert not (folder / "out.csv").exists()


def test_who_knows_the_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", "protect", "clinics.csv", *SMALL, "--aware"]) in (0, 1, 4)
    assert "Adversaries who know the rule" in capsys.readouterr().out
    made = ("--microdata", "firms.csv", "--unit", "firm", *TURNOVER, "--p-percent", "10", "--aware")
    assert folder
    assert run(["tables", "protect", *made, "-o", "out.csv"]) == 4
    assert "depends on who contributed what" in capsys.readouterr().out.replace("\n", " ")
    assert not (folder / "out.csv").exists()


def test_nothing_sensitive_is_published_as_it_is(folder: Path) -> None:
    assert folder
    found = nl.protect_tables("sexes.csv", cols="sex", rules={"threshold": 5})
    assert found.best is not None
    assert (found.best.kept, found.best.total_width) == (12, 0)
    assert not math.isnan(found.best.withheld_weight)


def test_contributors_cannot_estimate_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven figures withheld satisfy outsiders, and let contributors say too much of others; eight do not."""
    amounts = {
        "a": ([20, 10, 10], [10, 10], [5, 200]),
        "b": ([20, 5], [10, 200, 5, 20], [5, 20]),
        "c": ([100, 10, 20, 20], [100, 200], [20, 100, 20, 5]),
    }
    records = pd.DataFrame(
        [
            (f"{row}{col}{place}", row, col, amount)
            for row, cells in amounts.items()
            for col, cell in zip("xyz", cells, strict=True)
            for place, amount in enumerate(cell)
        ],
        columns=["firm", "row", "col", "amount"],
    )
    asked: dict[str, Any] = {"rows": "row", "cols": "col", "value": "amount", "unit": "firm"}
    asked |= {"kind": "magnitude", "rules": {"p_percent": 10}, "microdata": records}
    found = nl.protect_tables(None, **asked)
    assert found.best is not None
    assert found.best.proposal is not None
    assert found.best.proposal.loss == 8
    with monkeypatch.context() as patch:
        patch.setattr("noiseless.tabulations.contributors.estimate_findings", lambda *_: ())
        before = nl.protect_tables(None, **asked)
    assert before.publication is not None
    assert int((before.publication.told_lower < before.publication.told_upper).sum()) == 7
    audit = audit_publication(
        before.publication, rules={"p_percent": 10}, contributions=before.tables.contributions
    )
    assert not any(each.learns for each in audit.contributors)
    assert any(each.estimates for each in audit.contributors)
    assert audit.violated
