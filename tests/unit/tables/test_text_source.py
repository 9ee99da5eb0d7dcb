"""Files that are not written in UTF-8, with decimal points and ISO dates: read as their user says."""

import codecs
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noiseless as nl
from noiseless.errors import RequestError, SourceError, UnknownColumnError
from noiseless.reports.audit_text import audit_text
from noiseless.tables import open_table
from noiseless.tables.text_source import TextSource

ROWS = (
    "Straße;Kosten;geboren;n;Diagnose\n"
    "Aller Weg;1.234,50;17.08.1971;1;Hüfte\n"
    "Bach;7,25;01.02.1980;2;Grippe\n"
    "Cäcilienplatz;-0,5;3.12.1999;3;Hüfte\n"
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    file.write_text(ROWS, "latin-1")
    return file


def typed(people: Path, **written: str) -> dict[str, str]:
    opened = open_table(people, encoding="latin-1", **written)
    return dict(opened.select(opened.columns).kinds)  # type: ignore[attr-defined]


def test_what_is_not_said_is_not_guessed(people: Path) -> None:
    with pytest.raises(SourceError, match="name its encoding"):
        open_table(people)
    kinds = typed(people)
    assert kinds == dict.fromkeys(("Straße", "Kosten", "geboren", "Diagnose"), "VARCHAR") | {"n": "BIGINT"}


def test_numbers_and_dates_as_they_are_said_to_be_written(people: Path) -> None:
    kinds = typed(people, decimal=",", date_format="DD.MM.YYYY")
    assert (kinds["Kosten"], kinds["geboren"], kinds["n"], kinds["Straße"]) == (
        *("DOUBLE", "DATE", "BIGINT"),
        "VARCHAR",
    )
    table = open_table(people, encoding="latin-1", decimal=",", date_format="DD.MM.YYYY")
    tally = table.select(("Kosten", "geboren")).tally(("Kosten", "geboren"))
    assert tally.decode("Kosten").to_pylist() == [-0.5, 7.25, 1234.5]
    assert [str(day) for day in tally.decode("geboren").to_pylist()] == [
        "1999-12-03",
        "1980-02-01",
        "1971-08-17",
    ]
    assert table.files == (people,)


def test_other_marks_and_orders(tmp_path: Path) -> None:
    file = tmp_path / "people.tsv"
    file.write_text(
        "a\tb\tc\n1'000,5\t02/28/1999\t2024-03-01 13:45:00\n2 500\t12/31/2000\t2024-03-02 00:00:00\n"
    )
    opened = open_table(file, decimal=",", date_format="MM/DD/YYYY")
    assert opened.select(("a",)).tally(("a",)).decode("a").to_pylist() == [1000.5, 2500.0]
    assert dict(opened.select(("b", "c")).kinds) == {"b": "DATE", "c": "VARCHAR"}  # type: ignore[attr-defined]
    days = open_table(file, date_format="YYYY-MM-DD hh:mm:ss").select(("c",)).tally(("c",))
    assert [str(day) for day in days.decode("c").to_pylist()] == ["2024-03-01", "2024-03-02"]
    with pytest.raises(SourceError, match="no column holds dates written DD/MM/YYYY in every row"):
        open_table(file, date_format="DD/MM/YYYY")


def test_moments_of_a_typed_file_become_days(tmp_path: Path) -> None:
    file = tmp_path / "seen.parquet"
    pq.write_table(pa.table({"at": pa.array([0, 90_000], pa.timestamp("s")), "x": ["1,5", "2,25"]}), file)
    opened = open_table(file, decimal=",", date_format="YYYY-MM-DD hh:mm:ss")
    assert dict(opened.select(opened.columns).kinds) == {"at": "DATE", "x": "DOUBLE"}  # type: ignore[attr-defined]


@pytest.mark.parametrize("day", ["DD.MM.YYYY", "dd.mm.yyyy", "%d.%m.%Y"])
@pytest.mark.parametrize("time", ["hh:mm", "HH:MM", "%H:%M"])
def test_columns_with_and_without_times_each_have_their_format(tmp_path: Path, day: str, time: str) -> None:
    file = tmp_path / "stays.csv"
    file.write_text("born;came;n\n17.08.1971;1.02.2024 09:05;1\n3.12.1999;29.02.2024 23:59;2\n")
    opened = open_table(file, date_format=[day, f"{day} {time}"])
    assert dict(opened.select(opened.columns).kinds) == {"born": "DATE", "came": "DATE", "n": "BIGINT"}  # type: ignore[attr-defined]
    tally = opened.select(("born", "came")).tally(("born", "came"))
    assert sorted(map(str, tally.decode("came").to_pylist())) == ["2024-02-01", "2024-02-29"]
    source = TextSource("stays.csv", date_format=[day])
    assert hash(source) == hash(TextSource("stays.csv", date_format=(day,)))
    with pytest.raises(SourceError, match="no column holds dates written MM/DD/YYYY"):
        open_table(file, date_format=[day, "MM/DD/YYYY"])


def test_a_column_of_which_most_dates_fit_is_named_and_its_first_other_row(tmp_path: Path) -> None:
    file = tmp_path / "births.csv"
    file.write_text("n;born\n1;17.08.1971\n2;\n3;1.02.1980\n4;03-05-1976\n5;3.12.1999\n6;04-05-1976\n")
    with pytest.raises(
        SourceError, match=r"; column 'born' does except in 2 rows \(the first is row 4\)"
    ) as raised:
        open_table(file, date_format="DD.MM.YYYY")
    assert "1976" not in str(raised.value)
    with pytest.raises(SourceError, match="written DD-MM-YYYY in every row; check --date-format"):
        open_table(file, date_format="DD-MM-YYYY")
    both = open_table(file, date_format=["DD.MM.YYYY", "DD-MM-YYYY"]).select(["born"])
    assert both.kinds == {"born": "DATE"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("dates", "formats", "days"),
    [
        (["1.2.2024", "13.2.2024 10:30"], ["DD.MM.YYYY", "DD.MM.YYYY hh:mm"], ["2024-02-01", "2024-02-13"]),
        (["2024-02-01", "13.02.2024"], ["DD.MM.YYYY", "YYYY-MM-DD"], ["2024-02-01", "2024-02-13"]),
        (["13/02/2024", "02/13/2024"], ["DD/MM/YYYY", "MM/DD/YYYY"], ["2024-02-13", "2024-02-13"]),
        (
            ["13/02/2024", "03/03/2024", "02/13/2024"],
            ["DD/MM/YYYY", "MM/DD/YYYY"],
            ["2024-02-13", "2024-03-03"],
        ),
        (
            ["13/02/2024", "03/04/2024", "02/13/2024"],
            ["DD/MM/YYYY", "MM/DD/YYYY"],
            None,
        ),  # 3 April or 4 March
        (
            ["13.02.2024", "31.02.2024", "2024-02-13"],
            ["DD.MM.YYYY", "YYYY-MM-DD"],
            None,
        ),  # there is no such day
    ],
)
def test_a_column_is_read_in_several_formats_if_each_date_names_one_day(
    tmp_path: Path, dates: list[str], formats: list[str], days: list[str] | None
) -> None:
    file = tmp_path / "stays.csv"
    file.write_text("on\n" + "\n".join(dates) + "\n")
    if days is None:
        with pytest.raises(SourceError, match="no column holds dates written"):
            open_table(file, date_format=formats)
        return
    read = open_table(file, date_format=formats).select(["on"]).tally(["on"]).decode("on")
    assert set(map(str, read.to_pylist())) == set(days)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ({"encoding": "klingon"}, "there is no encoding 'klingon'"),
        ({"decimal": ";"}, "decimal point or comma, not ';'"),
        ({"separator": "::"}, "fields are not separated by '::'; write , ; | or tab"),
        ({"date_format": "MM.YYYY"}, "has no day, month and year"),
        ({"date_format": ["DD.MM.YYYY", "%H:%M"]}, "'%H:%M' has no day, month and year"),
    ],
)
def test_what_cannot_be_meant(written: dict[str, str], problem: str) -> None:
    with pytest.raises(RequestError, match=problem):
        TextSource("people.csv", **written)


@pytest.mark.parametrize("name", ["latin-2", "Latin-2", "latin_2", "latin2", "iso-8859-2"])
def test_a_file_of_central_europe(name: str, tmp_path: Path) -> None:
    (tmp_path / "pl.csv").write_text("miasto\nNowy Sącz\nŁódź\n", "iso8859-2")
    table = open_table(tmp_path / "pl.csv", encoding=name)
    assert table.tally(("miasto",)).decode("miasto").to_pylist() == ["Nowy Sącz", "Łódź"]


def test_all_latin_alphabets_have_hyphens() -> None:
    for number in range(2, 11):
        said = TextSource("people.csv", f"latin-{number}").encoding
        assert codecs.lookup(str(said)) == codecs.lookup(f"latin{number}")
    assert TextSource("people.csv", "latin-1").encoding == "latin-1"


def test_another_encoding_than_was_said(people: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not ascii text"):
        open_table(people, encoding="ascii")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    with pytest.raises(RequestError, match="is no text file"):
        open_table(tmp_path / "x.parquet", encoding="latin-1")
    with pytest.raises(RequestError, match="has columns without a separator"):
        open_table(tmp_path / "x.parquet", separator=";")
    with pytest.raises(RequestError, match="leave them out for a frame"):
        open_table(pa.table({"x": ["1,5"]}), decimal=",")
    with pytest.raises(RequestError, match="leave them out for a database"):
        open_table("duckdb:///x.db::t", decimal=",")


@pytest.mark.parametrize(
    ("text", "separator", "columns", "asks"),
    [
        ("a,b;c\n1,5;2\n", ";", ("a,b", "c"), "commas or by semicolons; say which, as in .*';'"),
        ("a,b;c\n1,5;2\n", ",", ("a", "b;c"), "commas or by semicolons; say which, as in .*';'"),
        ("a,x,y;b\n1;2\n", ";", ("a,x,y", "b"), "commas or by semicolons; say which, as in .*';'"),
        ("a,x,y\tb\n1\t2\n", "tab", ("a,x,y", "b"), "commas or by tabs; say which, as in .*tab"),
        ("a,x,y\tb\n1\t2\n", r"\t", ("a,x,y", "b"), "commas or by tabs"),
        ('"a, in x, y";b\n1;2\n', ";", ("a, in x, y", "b"), "commas or by semicolons"),
        ("a| b, c\n1| 2,5\n", "|", ("a", "b, c"), "commas or by bars; say which, as in .*'[|]'"),
        ("a,b;c\n1,5\n", ",", ("a", "b;c"), None),  # its second line decides
        ("a,b;c\n", ",", ("a", "b;c"), "commas or by semicolons"),
        ("a;b;c,d\n1;2;3,4\n", ";", ("a", "b", "c,d"), None),  # the commonest fits
    ],
)
def test_a_separator_is_asked_for_where_another_fits_too(
    tmp_path: Path, text: str, separator: str, columns: tuple[str, ...], asks: str | None
) -> None:
    file = tmp_path / "a.csv"
    file.write_text(text)
    if asks is None:
        assert open_table(file).columns == columns
    else:
        with pytest.raises(SourceError, match=asks):
            open_table(file)
    assert open_table(file, separator=separator).columns == columns


def test_a_separator_that_a_file_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2;3\n")
    with pytest.raises(SourceError, match="no columns are separated by ';'; check --separator"):
        open_table(tmp_path / "a.csv", separator=";")
    (tmp_path / "a.tsv").write_text("a;b\n1;2\n")
    assert open_table(tmp_path / "a.tsv").columns == ("a;b",)
    assert open_table(tmp_path / "a.tsv", separator=";").columns == ("a", "b")
    (tmp_path / "two.csv").write_text("1,5;2\n3,5;4\n")
    assert open_table(tmp_path / "two.csv", names=["x", "y"], separator=";").count() == 2


def test_a_release_asks_before_it_takes_numbers_for_words(people: Path) -> None:
    latin = TextSource(str(people), encoding="latin-1")
    with pytest.raises(
        nl.NoiselessError, match=r"'Kosten' holds numbers with a decimal comma; add nl\.open_table"
    ):
        nl.release(latin, sensitive="Diagnose", public="Kosten", min_posterior=1)
    with pytest.raises(nl.NoiselessError, match=r"date_format=.DD\.MM\.YYYY"):
        nl.release(latin, sensitive="Diagnose", public="geboren", min_posterior=1)
    as_texts = nl.release(
        latin, sensitive="Diagnose", public="geboren", categorical="geboren", min_posterior=2
    )
    assert as_texts.certificate["options"]["kinds"] == {"geboren": "category"}
    said = TextSource(str(people), "latin-1", ",", "DD.MM.YYYY")
    made = nl.release(said, sensitive="Diagnose", public=["Kosten", "geboren"], min_posterior=2)
    assert made.certificate["options"]["kinds"] == {"Kosten": "number", "geboren": "date"}
    assert nl.verify(made.certificate, original=said, released=made.table).holds


def test_a_copy_in_utf8_is_private_and_goes_with_the_process(people: Path) -> None:
    code = """
import sys
from pathlib import Path
from noiseless.tables import open_table
from noiseless.tables.text_source import _folder
open_table(sys.argv[1], encoding="latin-1")
folder = Path(_folder())
print(folder, oct(folder.stat().st_mode & 0o777), len(list(folder.iterdir())))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(people)], capture_output=True, text=True, check=True
    )
    folder, mode, copies = done.stdout.split()
    assert (mode, copies) == ("0o700", "1")
    assert not Path(folder).exists()


def test_names_of_a_text_file_are_listed_where_they_are_names(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("person,age,ward\nAnna,41,north\nBen,17,south\n")
    with pytest.raises(UnknownColumnError, match="it has 'person', 'age', 'ward'"):
        open_table(file).require("illness")
    for first in ("Anna,41,north", "Anna,NA,north", "Anna,?,north"):
        file.write_text(f"{first}\nBen,17,south\nCy,12,south\n")
        with pytest.raises(UnknownColumnError, match="see its columns with `noiseless schema`") as raised:
            open_table(file).require("illness")
        assert "Anna" not in str(raised.value)


def test_a_name_is_found_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("Salaire annuel,Nom\na,b\n")
    with pytest.raises(UnknownColumnError, match="did you mean 'Salaire annuel'"):
        nl.audit(path, sensitive="Salaire", public="Nom")


def test_errors_name_the_file_and_not_its_copy(tmp_path: Path) -> None:
    path = tmp_path / "kosten.csv"
    path.write_bytes("sep=;\nStraße;Kosten\nMühlweg;1,5\n".encode("latin-1"))
    with pytest.raises(SourceError, match="begins with the line sep=") as caught:
        open_table(path, encoding="latin-1")
    assert str(caught.value).startswith(f"{path}: ")


def test_a_sheet_without_a_header_row_says_so(tmp_path: Path) -> None:
    write_sheets(tmp_path / "t.xlsx", {"Sheet1": [["Results 2024"], [], ["id", "value"], [1, 3]]})
    with pytest.raises(SourceError, match="does not begin with a header row that names all columns"):
        open_table(tmp_path / "t.xlsx")
    write_sheets(
        tmp_path / "t.xlsx", {"Notes": [["Results 2024"], [], ["id", "value"]], "Data": [["id"], [1]]}
    )
    with pytest.raises(SourceError, match=r"sheet 'Notes' does not begin .* it has 'Notes', 'Data'$"):
        open_table(tmp_path / "t.xlsx")


def test_cells_of_several_kinds_are_read_as_in_a_csv_file(tmp_path: Path) -> None:
    """As texts; as numbers or days where all of them are: a number that is stored as a text is a number."""
    cells: list[list[object]] = [
        ["id", "value", "pay", "n", "on", "left", "is", "code"],
        [1, "NC", "n/a", "7", date(2024, 5, 1), date(2024, 5, 1), True, "07"],
        [2, 3, 1.5, 8, "2024-06-02", "later", "no", "08"],
        [3, 4.25, None, 9, date(2024, 7, 3), datetime(2024, 7, 3, 12, 30), False, "n/a"],  # noqa: DTZ001 - a cell
    ]
    write_sheets(tmp_path / "t.xlsx", {"Sheet1": cells})
    table = open_table(tmp_path / "t.xlsx").select(tuple(map(str, cells[0])))
    found = {column: table.tally([column]).decode(column).to_pylist() for column in map(str, cells[0])}
    assert {column: sorted(map(str, values)) for column, values in found.items()} == {
        "id": ["1.0", "2.0", "3.0"],
        "value": ["3", "4.25", "NC"],
        "pay": ["1.5", "None", "n/a"],
        "n": ["7", "8", "9"],
        "on": ["2024-05-01", "2024-06-02", "2024-07-03"],
        "left": ["2024-05-01", "2024-07-03 12:30:00", "later"],
        "is": ["false", "no", "true"],
        "code": ["07", "08", "n/a"],
    }
    assert table.kinds["n"] == "BIGINT"  # type: ignore[attr-defined]
    assert table.kinds["on"] == "DATE"  # type: ignore[attr-defined]


def test_a_sheet_is_chosen_by_its_name(tmp_path: Path) -> None:
    book = tmp_path / "t.xlsx"
    first: list[list[object]] = [["ill", "age"], ["flu", 3], ["cold", 4]]
    write_sheets(book, {"Staff": first, "Other": [["x"], [1], [2], [3]]})
    assert open_table(book, sheet="Other").columns == ("x",)
    found = nl.audit(book, sensitive="ill", public="age")
    assert found.remedies[0] == "The file has 2 sheets, and 'Staff' was read (--sheet)."
    chosen = nl.open_table(book, sheet="Staff")
    assert not any("sheets" in text for text in nl.audit(chosen, sensitive="ill", public="age").remedies)
    made = nl.release(TextSource(str(book), sheet="Staff"), sensitive="ill", public="age", min_posterior=2)
    assert made.certificate["options"]["written"] == {"sheet": "Staff"}
    assert nl.verify(made.certificate, original=chosen, released=made.table).holds
    with pytest.raises(SourceError, match="has no sheet 'None'; it has 'Staff', 'Other'"):
        open_table(book, sheet="None")
    (tmp_path / "t.csv").write_text("x\n1\n")
    with pytest.raises(RequestError, match="is no Excel file; leave the sheet out"):
        open_table(tmp_path / "t.csv", sheet="Staff")


def test_sheets_of_several_files_have_equal_columns(tmp_path: Path) -> None:
    write_sheets(tmp_path / "a.xlsx", {"S": [["x", "y"], [1, 2]]})
    write_sheets(tmp_path / "b.xlsx", {"S": [["x", "y"], ["n.a.", 3]]})
    both = open_table(str(tmp_path / "*.xlsx")).select(["x", "y"])
    assert sorted(map(str, both.tally(["x"]).decode("x").to_pylist())) == ["1", "n.a."]
    write_sheets(tmp_path / "b.xlsx", {"S": [["x"], [3]]})
    with pytest.raises(SourceError, match=r"has other columns than .*a\.xlsx; read them apart"):
        open_table(str(tmp_path / "*.xlsx"))


def write_sheets(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> None:
    """A workbook with rows of cells."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(list(row))
    book.save(path)


def test_numbers_with_spaces_between_thousands_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("pay;who\n46 725,08;a\n31 474,02;b\n")
    assert "--decimal , to read them" in audit_text(nl.audit(path, sensitive="who", public="pay"))
