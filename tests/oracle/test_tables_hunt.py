"""Statements about protected tables that were false once, through files as users have them."""

import json
from pathlib import Path

import pytest

from noiseless.cli.main import main
from noiseless.tabulations.protection.request import protect_tables

FLAT = """r,c,n
r0,c0,3
r0,c1,1
r0,Total,4
r1,c0,5
r1,c1,8
r1,Total,13
Total,c0,8
Total,c1,9
Total,Total,17
"""
LAYERED = """r,n
r0,1
r1,9
r2,9
r3,7
rA,10
Total,26
"""
LAYERS = "child,parent\nr0,rA\nr1,rA\nrA,Total\nr2,Total\nr3,Total\n"


def ended(arguments: list[str]) -> object:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as found:
        main(arguments)
    return found.value.code


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (FLAT, ["--rows", "r", "--cols", "c", "--value", "n", "--flat", "r", "--flat", "c"]),
        (LAYERED, ["--rows", "r", "--value", "n", "--hierarchy", "r=layers.csv"]),
    ],
    ids=["flat", "layered"],
)
def test_a_certificate_is_about_the_merged_table_that_is_read(
    table: str, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dimension of which the total alone is left, and a group that stands behind categories it precedes."""
    monkeypatch.chdir(tmp_path)
    Path("true.csv").write_text(table)
    Path("layers.csv").write_text(LAYERS)
    written = ["--method", "merge", "-o", "merged.csv", "--certificate", "proofs.json"]
    assert ended(["tables", "protect", "true.csv", *options, "--threshold", "5", *written]) == 0
    assert ended(["tables", "verify", "proofs.json", "merged.csv", *options]) == 0
    proofs = json.loads(Path("proofs.json").read_text())
    proofs["publication"]["tables"][0]["lower"][0] -= 1
    Path("proofs.json").write_text(json.dumps(proofs))
    assert ended(["tables", "verify", "proofs.json", "merged.csv", *options]) == 1


def test_a_contributor_of_nothing_is_a_contributor(tmp_path: Path) -> None:
    """The only firm of a figure has 0 there: a figure of fewer than two contributors, which 0 would tell."""
    table, firms = tmp_path / "sums.csv", tmp_path / "firms.csv"
    table.write_text("r,c0,c1,Total\nr0,0,9,9\nr1,7,8,15\nTotal,7,17,24\n")
    firms.write_text(
        "firm,r,c,n\na,r0,c0,0\nb,r0,c1,4\nc,r0,c1,5\nd,r1,c0,3\ne,r1,c0,4\nf,r1,c1,4\ng,r1,c1,4\n"
    )
    found = protect_tables(
        str(table),
        rows="r",
        cols="c",
        value="n",
        kind="magnitude",
        microdata=str(firms),
        unit="firm",
        rules={"threshold": 2},
    )
    assert found.holds
    assert found.to_dict()["sensitive"] == 1
    cell = next(each for each in found.to_dict()["cells"] if each["of"]["labels"] == ["r0", "c0"])
    assert (cell["lower"], cell["published"], cell["disclosed"]) == (0, False, False)
