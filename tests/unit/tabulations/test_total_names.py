"""Totals by their names, in the languages of statistical offices; a name that stands for something else."""

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.tabulations.reading.notation import TOTALS, is_total

SAID = (
    *("Total", "ALL", "Grand  total", "Insgesamt:", "Gesamtergebnis", "Total général", "Ensemble", "Totale"),
    *("Totaal", "Totalt", "I alt", "Yhteensä", "Razem", "Ogółem", "Celkem", "Spolu", "Összesen", "Ukupno"),
    *("Toplam", "Σύνολο", "Итого", "ВСЕГО", "Усього", "合計", "总计", "합계", "المجموع"),
)


@pytest.mark.parametrize("name", SAID)
def test_a_total_is_known_by_its_name(name: str) -> None:
    """A total read as a category would hide what it tells."""
    assert is_total(name)
    rows = {"region": ["North", "South", name], "flu": ["x", "4", "9"], "cold": ["3", "5", "8"]}
    found = nl.audit_tables(pa.table(rows), rows="region")
    assert {(cell.lower, cell.upper) for cell in found.disclosed} == {(5, 5)}


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert is_total("Yhteensa\u0308")
    assert is_total("Ogo\u0301łem")


@pytest.mark.parametrize("name", ["Totally", "Allen", "Sumatra", "Subtotals of men", ""])
def test_other_labels_are_categories(name: str) -> None:
    assert not is_total(name)


def test_every_name_is_in_small_letters() -> None:
    assert all(is_total(name) and is_total(name.upper().lower()) for name in TOTALS)


@pytest.mark.parametrize("name", ["Razem", "Σύνολο", "合計"])
def test_a_category_of_such_a_name_contradicts_the_others(name: str) -> None:
    """It is never taken for a total in silence: the figures do not add up to it."""
    rows = {"region": ["North", "South", name], "flu": ["6", "4", "9"], "cold": ["3", "5", "8"]}
    assert nl.audit_tables(pa.table(rows), rows="region").inconsistent
