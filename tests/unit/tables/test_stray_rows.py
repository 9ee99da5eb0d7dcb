"""Rows in which a column is written otherwise than in most: counted and named, never shown."""

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.tables import open_table
from noiseless.tables.stray_rows import stray_dates

MAY = [f"{day}.5.1951" for day in range(1, 31)]


@pytest.mark.parametrize(
    ("dates", "words", "remedy"),
    [
        (
            [*MAY, "17.O8.1951", None, "31.02.1960"],
            "holds dates like DD.MM.YYYY except in 2 rows (the first is row 31)",
            "blank or mend those rows, and add --date-format 'DD.MM.YYYY'",
        ),
        (
            ["2024-05-01", "2024-05-02", "soon"],
            "holds dates like YYYY-MM-DD except in 1 row (the first is row 3)",
            "blank or mend those rows",
        ),
        (
            ["1/2/2024", "2/3/2024", "soon"],
            "holds dates like DD/MM/YYYY or MM/DD/YYYY except in 1 row (the first is row 3)",
            "blank or mend those rows, and add --date-format 'DD/MM/YYYY'",
        ),
        (
            ["1.5.2024", "2.5.2024", "3.5.2024 10:30"],
            "holds dates written in two ways",
            "add --date-format 'DD.MM.YYYY' --date-format 'DD.MM.YYYY hh:mm' to read both",
        ),
    ],
)
def test_columns_of_dates_with_others_among_them(dates: list[str | None], words: str, remedy: str) -> None:
    found = stray_dates(open_table(pa.table({"on": dates})), ["on"])["on"]
    assert (found.words, found.remedy) == (words, remedy)


@pytest.mark.parametrize("dates", [["1.5.2024", "2.5.2024"], ["1.5.2024", "x", "y"], ["x", "y"], [None, "x"]])
def test_columns_that_are_dates_throughout_or_none(dates: list[str | None]) -> None:
    assert stray_dates(open_table(pa.table({"on": dates})), ["on"]) == {}


def test_audits_and_releases_name_the_rows() -> None:
    born = [*MAY, "17.O8.1951", None, "31.02.1960"]
    table = pa.table({"ill": ["flu", "cold", "gout"] * 11, "born": born})
    (note,) = (text for text in nl.audit(table, sensitive="ill", public="born").remedies if "dates" in text)
    assert note.startswith("born holds dates like DD.MM.YYYY except in 2 rows (the first is row 31), and is")
    (said,) = (
        text
        for text in nl.release(table, sensitive="ill", public="born", min_posterior=2).warnings
        if "dates" in text
    )
    assert said.startswith("column 'born' holds dates like DD.MM.YYYY except in 2 rows (the first is row 31)")
    assert "1951" not in note + said
