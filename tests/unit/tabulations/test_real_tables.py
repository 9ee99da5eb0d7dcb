"""Crosstabs of public data sets, as a new user cuts them: the truth is never excluded, and proofs hold."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import noiseless as nl
from noiseless.verification import verify_tables

CUTS = {
    "two": (["native-country"], ["race"]),
    "three": (["occupation", "sex"], ["race"]),
    "four": (["education", "sex"], ["race", "salary-class"]),
}


@pytest.mark.parametrize("cut", CUTS)
def test_adult(cut: str, data: Path) -> None:
    rows, columns = CUTS[cut]
    people = pd.read_csv(data / "adult" / "adult.csv", skipinitialspace=True)
    counts = pd.crosstab([people[each] for each in rows], [people[each] for each in columns], margins=True)
    audit = nl.audit_tables(counts.mask((counts > 0) & (counts < 5)))
    exact = nl.audit_tables(counts)
    truth = {cell.of: cell.lower for cell in exact.cells}
    assert audit.disclosed
    for cell in audit.cells:
        assert cell.lower <= truth[cell.of] <= (truth[cell.of] if cell.upper is None else cell.upper)
    assert verify_tables(audit.certificate(), audit.publication).holds


def test_adult_by_regions(data: Path) -> None:
    """Small counts of countries as `<5`; those of their regions, after ARX's hierarchy, as they are."""
    people = pd.read_csv(data / "adult" / "adult.csv", skipinitialspace=True)
    hierarchy = data / "adult" / "hierarchies" / "country.csv"
    above = dict(line.split(",")[:2] for line in hierarchy.read_text().splitlines())
    places = list(zip(people["native-country"], people["sex"], strict=True))
    truth = Counter(places) + Counter(
        (above[each], sex) for each, sex in places if above.get(each, each) != each
    )
    columns = zip(
        *((*place, "<5" if count < 5 else str(count)) for place, count in truth.items()), strict=True
    )
    counts = pd.DataFrame(dict(zip(("native-country", "sex", "n"), columns, strict=True)))
    country = "native-country"
    audit = nl.audit_tables(counts, rows=country, cols="sex", value="n", hierarchy={country: hierarchy})
    assert {cell.of[1]: cell.lower for cell in audit.disclosed} == {("Cambodia", "Female"): 3}
    for cell in audit.cells:
        assert cell.upper is not None
        assert cell.lower <= truth[cell.of[1][0], cell.of[1][1]] <= cell.upper


def test_young_people(data: Path) -> None:
    people = pd.read_csv(data / "young-people" / "responses.csv")
    counts = pd.crosstab([people.Education, people.Gender], people.Alcohol, margins=True)
    audit = nl.audit_tables(counts.mask((counts > 0) & (counts < 5)), secret="Alcohol")
    assert len(audit.disclosed) == 2
    assert audit.persons
