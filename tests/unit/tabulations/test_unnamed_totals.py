"""Totals under names that nobody knows: never read as categories without being asked about."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest

import noiseless as nl
from noiseless.errors import NoiselessError
from noiseless.tabulations.reading import read_request

MARKS = ("x", "<5", "")


def written(folder: Path, rows: list[list[str]]) -> Path:
    file = folder / "t.csv"
    file.write_text("".join(f"{','.join(row)}\n" for row in rows))
    return file


def marked(chance: Random, value: int, share: float) -> str:
    """A figure as it is, or a mark that is true of it."""
    if chance.random() >= share:
        return str(value)
    return chance.choice([mark for mark in MARKS if mark != "<5" or 0 < value < 5])


@pytest.mark.parametrize("seed", range(60))
def test_no_total_is_read_as_a_category(seed: int, tmp_path: Path) -> None:
    """Whatever is withheld: the total is asked about if any of its figures is shown and not 0."""
    chance = Random(seed)
    many, lines = chance.randint(2, 5), chance.randint(1, 4)
    cells = [[chance.choice((0, 1, 3, 7, 20)) for _ in range(many)] for _ in range(lines)]
    place, share = chance.randint(0, many), chance.choice((0.0, 0.3, 0.7))
    labels = [f"c{at}" for at in range(many)]
    labels.insert(place, "Everybody")
    rows, shown = [["row", *labels]], 0
    for at, line in enumerate(cells):
        texts = [marked(chance, value, share) for value in line]
        texts.insert(place, marked(chance, sum(line), share / 2))
        rows.append([f"r{at}", *texts])
        shown += texts[place] not in ("0", "x", "")
    flat = ["row"]  # rows may look like sums by chance
    file = written(tmp_path, rows)
    if shown:
        with pytest.raises(NoiselessError, match="can be the sum of the others") as error:
            read_request(file, cols="column", flat=flat)
        assert "\n" not in str(error.value)
    assert read_request(file, cols="column", flat=flat, totals={"column": "Everybody"})


WHOLE = {
    "below the last": ("", "Persons"),
    "beside its own name": ("Persons", "Persons"),
    "beside a total": ("Persons", "Total"),
    "beside totals": ("Persons", "Total"),
    "beside totals of another name": ("Persons", "Everybody"),
}


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("how", WHOLE)
@pytest.mark.parametrize("seed", range(8))
def test_no_total_of_several_dimensions_is_read_as_a_category(
    seed: int, how: str, tmp_path: Path, *, left: bool
) -> None:
    """Whatever else is withheld: a total of all that is written once, below or beside two labels."""
    chance, (_, below), many = Random(f"{seed} {how}"), WHOLE[how], 3
    columns = [["sex", "size"]]
    for sex in ("Male", "Female"):
        sizes = [*"urt"[:many], *([below] if how.startswith("beside totals") else [])]
        columns += [[sex if at == 0 else "", size] for at, size in enumerate(sizes)]
    columns.append(list(WHOLE[how]))
    for area in range(chance.randint(1, 3)):
        values = [[chance.randint(1, 30) for _ in range(many)] for _ in range(2)]
        texts = [f"a{area}"]
        for each in values:
            shown = [*each, sum(each)] if how.startswith("beside totals") else each
            texts += [marked(chance, value, 0.3) or "x" for value in shown]
        for column, text in zip(columns, [*texts, str(sum(map(sum, values)))], strict=True):
            column.append(text)
    first, *others = columns
    table = columns if left else list(map(list, zip(["", "", *first[2:]], *others, strict=True)))
    rows, cols = (["sex", "size"], ["area"]) if left else (["area"], ["sex", "size"])
    with pytest.raises(NoiselessError, match=r"can be the sum of|may be the total of") as error:
        read_request(written(tmp_path, table), flat="area", rows=rows, cols=cols)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("total", [True, False])
def test_subtotals_are_asked_about(tmp_path: Path, *, first: bool, total: bool) -> None:
    blocks = [
        ("North", [[4, 16], [5, 21], [9, 2]]),
        ("South", [[30, 1], [7, 8]]),
    ]
    rows = [["region", "a", "b"]]
    for name, lines in blocks:
        above = [name, *map(str, np.sum(lines, axis=0))]
        inner = [[f"{name}{at}", *map(str, line)] for at, line in enumerate(lines)]
        rows += [above, *inner] if first else [*inner, above]
    rows[2][1] = "x"
    if total:
        rows.append(["Total", "55", "x"])
    file = written(tmp_path, rows)
    with pytest.raises(NoiselessError, match=r"can be the sum of '.*hierarchy region=FILE"):
        read_request(file, cols="kind")
    leaves = {f"{name}{at}": [name] for name, lines in blocks for at in range(len(lines))}
    assert read_request(file, cols="kind", hierarchy={"region": leaves})


def test_small_figures_agree_by_coincidence(tmp_path: Path) -> None:
    chance = Random(7)
    rows = [["age", "f", "m"], *([str(age), *(str(chance.randint(0, 3)) for _ in "fm")] for age in range(80))]
    assert read_request(written(tmp_path, rows), cols="sex").publication.size == 160


def test_categories_that_a_total_counts_are_no_subtotals(tmp_path: Path) -> None:
    rows = [
        ["region", "a", "b"],
        ["N", "20", "30"],
        ["S", "25", "31"],
        ["E", "45", "61"],
        ["Total", "90", "122"],
    ]
    assert read_request(written(tmp_path, rows), cols="kind").publication.size == 6


def test_a_crosstab_with_margins_of_another_name() -> None:
    people = pd.DataFrame({"sex": list("ffmmmmfm"), "illness": list("abababca")})
    counts = pd.crosstab(people.sex, people.illness, margins=True, margins_name="Everyone")
    hidden = counts.mask((counts > 0) & (counts < 2))
    with pytest.raises(NoiselessError, match="'Everyone' of 'sex'"):
        nl.audit_tables(hidden)
    named = nl.audit_tables(hidden, totals={"sex": "Everyone", "illness": "Everyone"})
    usual = nl.audit_tables(hidden.rename(index={"Everyone": "All"}, columns={"Everyone": "All"}))
    assert [cell.lower for cell in named.cells] == [cell.lower for cell in usual.cells]
    assert nl.audit_tables(hidden, flat=["sex", "illness"]).holds
    with pytest.raises(NoiselessError, match="no dimension"):
        nl.audit_tables(hidden, flat="age")


def test_python_is_told_the_argument_with_a_label_of_several_words(tmp_path: Path) -> None:
    file = written(tmp_path, [["area", "u", "r", "All sizes"], ["N", "1", "x", "5"], ["S", "2", "7", "9"]])
    with pytest.raises(NoiselessError) as error:
        nl.audit_tables(file, cols="size", flat="area")
    assert 'totals={"size": "All sizes"}' in str(error.value)
    assert 'flat="size"' in str(error.value)


def test_margins_of_another_name_over_several_levels() -> None:
    people = pd.DataFrame({"sex": list("ffmmmm"), "ill": list("ababab"), "area": list("uvuvuv")})
    counts = pd.crosstab(people.area, [people.sex, people.ill], margins=True, margins_name="Everyone")
    with pytest.raises(NoiselessError, match="a column has no label beside 'Everyone'"):
        read_request(counts)
    with pytest.raises(NoiselessError, match="'Everyone' of 'ill' reads as a total"):
        read_request(counts, totals={"area": "Everyone", "sex": "Everyone"})
    named = read_request(counts, totals=dict.fromkeys(("area", "sex", "ill"), "Everyone"))
    assert named.publication.shape == (2, 2, 2)


def test_linked_tables_share_what_is_said_of_dimensions(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("region,a,b\nN,4,x\nS,x,6\nEngland,10,13\n")
    other.write_text("age,a,b\nyoung,4,5\nold,6,8\n")
    spec = tmp_path / "s.toml"
    table = '[[table]]\nfile = "one.csv"\nrows = "region"\ncols = "kind"\n{}\n'
    spec.write_text(table.format(""))
    with pytest.raises(NoiselessError, match="'England' of 'region'"):
        nl.audit_tables(spec)
    spec.write_text(table.format('totals = {region = "England"}'))
    expected = [(cell.of, cell.lower, cell.upper) for cell in nl.audit_tables(spec).cells]
    spec.write_text(table.format('flat = "region"'))
    assert nl.audit_tables(spec).holds
    both = nl.audit_tables(one, link=[other], cols="kind", totals={"region": "England"})
    assert expected == [(cell.of, cell.lower, cell.upper) for cell in both.cells if cell.of[0] == "one"]
    assert not both.holds
    with pytest.raises(NoiselessError, match="no dimension"):
        nl.audit_tables(one, link=[other], cols="kind", totals={"area": "England"})


def test_acros_margins_of_another_name(tmp_path: Path) -> None:
    output = {"type": "table", "files": [{"name": "a.csv"}], "summary": "FrequencyTable: pass"}
    (tmp_path / "results.json").write_text(json.dumps({"results": {"output_0": output}}))
    (tmp_path / "a.csv").write_text("sex,a,b\nf,4,6\nm,x,3\nPersons,9,9\n")
    with pytest.raises(NoiselessError, match="'Persons' of 'sex'"):
        nl.audit_tables(tmp_path)
    assert nl.audit_tables(tmp_path, flat="sex").holds
    assert [cell.lower for cell in nl.audit_tables(tmp_path, totals={"sex": "Persons"}).disclosed] == [5]
