"""Files as people publish them, hierarchies, and several tables by a TOML file."""

from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

import noiseless as nl
from noiseless.errors import NoiselessError
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.reading import read_request
from noiseless.tabulations.reading.hierarchy_files import read_hierarchy

PUBLISHED = """Table 3: Patients by region and age
,,,
Region,Age,,
,0-39,40+,Total
North,12,x,20
South,"1,005",<5,"1,008"
Total,"1,017",c,"1,028"
,,,
Source: the register
"""


def told(publication: Publication) -> dict[tuple[str, ...], tuple[int, int | None]]:
    found = {}
    for table in publication.tables:
        for place in range(len(table)):
            upper = int(table.upper[place])
            key = (table.name, *table.coordinates(place))
            found[key] = int(table.lower[place]), None if upper == UNBOUNDED else upper
    return found


def test_a_wide_file_as_it_was_published(tmp_path: Path) -> None:
    file = tmp_path / "t3.csv"
    file.write_text(PUBLISHED)
    found = read_request(file)
    assert [each.name for each in found.publication.classifications] == ["Region", "Age"]
    figures = told(found.publication)
    assert figures["t3", "North", "40+"] == (0, None)
    assert figures["t3", "South", "40+"] == (1, 4)
    assert figures["t3", "South", "Total"] == (1008, 1008)
    assert found.publication.classifications[1].groups == {"Total": (0, 1)}
    assert found.notes == ("t3: 1 line below the table read as footnotes",)


def test_excel_is_read_the_same(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    other = book.create_sheet("T3")
    for line in ([], ["Patients"], [None, "Age"], ["Region", "0-39", "40+", "Total"], ["North", 12, "x", 20]):
        other.append(line)
    other.append(["South", 1005, None, 1008])
    book.save(tmp_path / "t.xlsx")
    figures = told(read_request(tmp_path / "t.xlsx", sheet="T3", name="t").publication)
    assert figures["t", "North", "0-39"] == (12, 12)
    assert figures["t", "South", "40+"] == (0, None)
    with pytest.raises(NoiselessError, match="no sheet 'T9'"):
        read_request(tmp_path / "t.xlsx", sheet="T9")


def test_rows_that_are_all_withheld_are_no_footnotes(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("region,sex,a,b,All\nEast,f,,,\nEast,m,1,2,3\nAll,,4,5,9\n")
    figures = told(read_request(file, cols="kind").publication)
    assert figures["t", "East", "f", "a"] == (0, None)
    assert figures["t", "All", "All", "All"] == (9, 9)


TWO_WAYS = {
    "a heading": ("region,f,m\nNorth,,\nYork,3,x\nTotal,3,9\n", "row 2 has a label and no figures"),
    "a note": ("region,f,m\nYork,3,x\nTotal,3,9\nData: the register\n", "if a note, put a blank line above"),
    "decimal commas": ("r;f;m;Total\nN;1,5;2,5;4,0\nS;3,5;;4,0\nTotal;5,0;3,0;8,0\n", "--told decimal=,"),
    "no header": ("N,4,6,10\nS,x,x,10\nAll persons,9,11,20\n", "row 1 has numbers where labels"),
    "no header, marks": ("N,x,6,10\nS,x,x,10\n", "row 1 has numbers where labels"),
    "two blocks": ("region,Age,,Sex,\n,0-39,40+,f,m\nN,3,x,2,5\n", "row 2 has no label at the left"),
    "no label above": ("region,,f,m\nN,7,3,x\n", "figures below no header"),
    "whose total, on the left": (
        "region,sex,a\nN,f,1\n,m,x\nS,f,1\n,m,2\n,Total,7\n",
        "'Total' after 'S' may be the total of 'S' or of all",
    ),
}


@pytest.mark.parametrize("name", TWO_WAYS)
def test_what_may_be_read_in_two_ways_is_asked_about(name: str, tmp_path: Path) -> None:
    text, problem = TWO_WAYS[name]
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(NoiselessError, match=problem) as error:
        read_request(tmp_path / "t.csv")
    assert "\n" not in str(error.value)


def test_what_was_asked_about_is_read_once_it_is_said(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(TWO_WAYS["a heading"][0])
    assert told(read_request(file, told={"suppressed": [""]}).publication)["t", "North", "f"] == (0, None)
    file.write_text(TWO_WAYS["a note"][0].replace("Data", "\nData"))
    assert told(read_request(file).publication)["t", "York", "f"] == (3, 3)
    file.write_text(TWO_WAYS["decimal commas"][0])
    amounts = read_request(file, kind="magnitude", told={"decimal": ","}).publication
    assert told(amounts)["t", "N", "f"] == (15, 15)
    file.write_text("region,2025,2026\nN,3,x\n")
    assert told(read_request(file, cols="year").publication)["t", "N", "2025"] == (3, 3)


SPANS = "area,{},Male,,Female,\n,,u,r,u,r{}\nN,10,1,2,3,x\nS,4,1,1,1,1\n"


def test_labels_that_span_several_header_rows(tmp_path: Path) -> None:
    file, asked = tmp_path / "t.csv", ["sex", "size"]
    file.write_text(SPANS.format("Total", ""))
    figures = told(read_request(file, cols=asked).publication)
    assert (figures["t", "N", "Total", "Total"], figures["t", "N", "Male", "r"]) == ((10, 10), (2, 2))
    file.write_text(SPANS.format("Persons", ""))
    with pytest.raises(NoiselessError, match="column 2 has no label beside 'Persons'"):
        read_request(file, cols=asked)
    with pytest.raises(NoiselessError, match="'Persons' of 'size' reads as a total"):
        read_request(file, cols=asked, totals={"sex": "Persons"})
    named = read_request(file, cols=asked, totals={"sex": "Persons", "size": "Persons"})
    assert told(named.publication)["t", "N", "Persons", "Persons"] == (10, 10)
    file.write_text("area,Male,,Female,,\n,u,r,u,r,Total\nN,1,2,x,4,10\n")
    with pytest.raises(NoiselessError, match="'Total' after 'Female' may be the total of 'Female' or of all"):
        read_request(file, cols=asked)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize("named", [True, False])
def test_what_pandas_writes_of_several_levels(ending: str, tmp_path: Path, *, named: bool) -> None:
    """Three header rows, with and without the line of names below them."""
    people = pd.DataFrame(
        {"region": list("NNSS"), "sex": list("fmfm"), "heat": list("goog"), "n": [3, 4, 5, 6]}
    )
    made = people.pivot_table(
        values=["n"], index="region", columns=["sex", "heat"], aggfunc="sum", margins=True, fill_value=0
    )
    if not named:
        made.index.name, made.columns.names = None, [None, None, None]
    file = tmp_path / f"t.{ending}"
    made.to_csv(file) if ending == "csv" else made.to_excel(file)
    above = ["what", "sex", "heat"][ending == "xlsx" :]  # what spans all columns of a sheet reads as a title
    figures = told(read_request(file, cols=None if named else above).publication)
    figures = {key[1:]: value for key, value in figures.items()}
    assert figures.get(("N", "f", "g"), figures.get(("N", "n", "f", "g"))) == (3, 3)
    assert figures.get(("All", "All", "All"), figures.get(("All", "n", "All", "All"))) == (18, 18)


def test_a_long_file_leaves_out_what_is_zero(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("region;age;n\nA;young;3\nA;old;x\nB;young;4\nTotal;young;7\n")
    given: dict[str, Any] = {"rows": "region", "cols": "age", "value": "n"}
    found = read_request(file, **given)
    assert told(found.publication)["t", "B", "old"] == (0, 0)
    assert found.notes == (
        "t: 1 combination left out; read as 0 (told absent=withheld, if they are withheld)",
    )
    kept = told(read_request(file, **given, told={"absent": "withheld"}).publication)
    assert ("t", "B", "old") not in kept


HIERARCHIES = {
    "r.csv": "child,parent\nA,North\nB,North\nC,South\nNorth,Land\nSouth,Land\n",
    "arx.csv": "A;North;Land\nB;North;Land\nC;South;Land\n",
    "r.hrc": "Land\n@North\n@@A\n@@B\n@South\n@@C\n",
}


@pytest.mark.parametrize("name", HIERARCHIES)
def test_hierarchies_of_three_kinds_are_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(HIERARCHIES[name])
    above = read_hierarchy(tmp_path / name)
    assert above == {"A": "North", "B": "North", "C": "South", "North": "Land", "South": "Land", "Land": None}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("r.csv", "A,North\nA,South\n", "second name"),
        ("r.csv", "A,B\nB,A\n", "below itself"),
        ("r.csv", "", "empty"),
        ("r.csv", "A,,Land\n", "empty field"),
        ("r.hrc", "Land\n@@A\n", "more than one"),
        ("r.hrc", "Land\n@A\n@A\n", "a line before"),
    ],
)
def test_files_that_are_no_trees_are_refused(name: str, text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(NoiselessError, match=problem):
        read_hierarchy(tmp_path / name)


SPEC = """
population = {id = "hospital-2026", unit = "person"}
hierarchy = {region = "r.csv"}
rules = {threshold = 5}
[[table]]
file = "t1.csv"
rows = "region"
cols = "age"
value = "n"
totals = ["age"]
[[table]]
file = "t2.csv"
rows = "region"
cols = "sex"
where = {age = "young"}
"""


def write_linked(folder: Path) -> Path:
    (folder / "r.csv").write_text(HIERARCHIES["r.csv"])
    (folder / "t1.csv").write_text(
        "region,age,n\nA,young,3\nA,old,x\nB,young,4\nB,old,7\nC,young,5\nC,old,1\nNorth,young,7\nNorth,All,20\n"
    )
    (folder / "t2.csv").write_text("region,f,m,Total\nNorth,x,3,7\nSouth,2,x,5\n")
    file = folder / "s.toml"
    file.write_text(SPEC)
    return file


def test_linked_tables_share_their_dimensions(tmp_path: Path) -> None:
    found = read_request(write_linked(tmp_path))
    region, age, sex = found.publication.classifications
    assert region.categories == ("A", "B", "C")
    assert region.groups == {"Land": (0, 1, 2), "North": (0, 1), "South": (2,)}
    assert (age.groups, sex.groups) == ({"All": (0, 1)}, {"Total": (0, 1)})
    assert told(found.publication)["t2", "North", "f", "young"] == (0, None)
    assert (found.publication.population, found.rules) == ("hospital-2026", {"threshold": 5})


def test_a_table_about_one_label_leaves_room_for_others(tmp_path: Path) -> None:
    """Of everybody there is a table too: not only of women; together in a file, and one after the other."""
    (tmp_path / "all.csv").write_text("region,n\nN,x\nS,56\n")
    (tmp_path / "women.csv").write_text("region,n\nN,52\nS,27\n")
    table = "[[table]]\nfile = '{}.csv'\nrows = 'region'\nvalue = 'n'\n"
    about = table.format("women") + "where = {sex = 'f'}\n"
    (tmp_path / "both.toml").write_text(table.format("all") + about)
    (tmp_path / "women.toml").write_text("population = {id = 'p'}\n" + about)
    (hidden,) = [cell for cell in nl.audit_tables(tmp_path / "both.toml").cells if not cell.published]
    assert (hidden.lower, hidden.upper) == (52, None)
    options: dict[str, Any] = {"ledger": tmp_path / "ledger.db", "population": "p", "record": True}
    assert nl.check_tables(tmp_path / "all.csv", rows="region", value="n", **options).holds
    assert nl.check_tables(tmp_path / "women.toml", **options).holds


def test_levels_that_no_table_shows_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("region,a,b\nNorth,1,2\nSouth,3,4\n")
    (tmp_path / "r.csv").write_text(HIERARCHIES["r.csv"])
    found = read_request(tmp_path / "t.csv", hierarchy={"region": tmp_path / "r.csv"}, cols="kind")
    assert found.publication.classifications[0].categories == ("North", "South")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('"t1.csv"', '"none.csv"'), "no such file"),
        (('value = "n"', 'value = "m"'), "no column 'm'"),
        (('rows = "region"', 'row = "region"'), "no such key"),
        (('totals = ["age"]', 'totals = ["sex"]'), "no dimension"),
        (("[[table]]", "[table]]"), "is not TOML"),
        (("where =", "place ="), "no such key"),
        (('"r.csv"', '"s.csv"'), "there is no such file"),
    ],
)
def test_a_wrong_specification_gets_one_line(change: tuple[str, str], problem: str, tmp_path: Path) -> None:
    file = write_linked(tmp_path)
    file.write_text(SPEC.replace(*change))
    with pytest.raises(NoiselessError, match=problem) as error:
        read_request(file)
    assert "\n" not in str(error.value)


def test_the_place_of_an_unreadable_figure_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("region,a,b\nNorth,1,2\nSouth,roughly,4\n")
    with pytest.raises(NoiselessError, match="t, row 3, column 2") as error:
        read_request(tmp_path / "t.csv", rows="region", cols="kind")
    assert "roughly" not in str(error.value)


def test_a_total_that_is_not_declared_is_not_taken_for_a_category(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("region,a,Total\nNorth,1,2\nTotal,3,4\n")
    with pytest.raises(NoiselessError, match="reads as a total"):
        read_request(tmp_path / "t.csv", rows="region", cols="kind", totals=["kind"])
    found = read_request(tmp_path / "t.csv", rows="region", cols="kind")
    assert found.publication.shape == (1, 1)


def test_a_figure_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("region,n\nA,1\nA,2\n")
    with pytest.raises(NoiselessError, match="2 figures for region 'A'"):
        read_request(tmp_path / "t.csv", rows="region", value="n")
