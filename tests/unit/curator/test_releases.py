import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.errors import ColumnError, RequestError
from noiseless.pricing import BudgetError
from noiseless.releases import release


def certificate(**columns: list[str]) -> dict[str, Any]:
    named = {role: columns.get(role, []) for role in ("sensitive", "public", "given", "keep")}
    return {"format": "noiseless-certificate", "columns": named, "claim": {"cells": 2, "suppressed_rows": 0}}


@pytest.fixture
def curator(tmp_path: Path) -> Curator:
    return Curator.open(write_curator(tmp_path))


def test_cells_chosen_by_the_data_cost_all_private_columns_that_went_in(curator: Curator) -> None:
    """Any of a person's values can change the choice, and so the table."""
    found = certificate(sensitive=["heating"], public=["suburb"])
    assert curator.record_release(found).outputs == 3
    assert curator.state.spent.outputs == 3
    assert (
        curator.record_release(certificate(sensitive=["solar"], public=["heating"], given=["suburb"])).outputs
        == 6
    )
    with pytest.raises(BudgetError):
        curator.record_release(certificate(sensitive=["heating"], public=["kwh"]))


def test_the_same_release_is_free_the_second_time(curator: Curator, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate(sensitive=["heating"], public=["suburb"])))
    curator.record_release(path)
    curator.record_release(str(path))
    assert curator.state.spent.outputs == 3
    assert curator.ledger.verify().ok


def test_cells_fixed_beforehand_cost_the_cell_a_person_is_in(curator: Curator) -> None:
    public = certificate(sensitive=["heating"], public=["suburb"])
    assert curator.record_release(public, cells=2).outputs == 1
    merged = certificate(sensitive=["heating"], public=["kwh"], keep=["solar"])
    assert curator.record_release(merged, cells=4).outputs == 8
    with pytest.raises(RequestError, match="2 cells"):
        curator.record_release(merged, cells=1)
    merged["claim"]["suppressed_rows"] = 1
    with pytest.raises(RequestError, match="suppressed"):
        curator.record_release(merged, cells=4)
    with pytest.raises(RequestError, match="left out"):
        curator.record_release({**public, "options": {"distinct_rows": True}}, cells=2)


KINDS = """
[columns.s]
role = "private"
categories = ["a", "b"]
{missing}
[columns.z]
role = "private"
bounds = [0, 1]
"""


@pytest.mark.parametrize(
    ("missing", "own", "asked"),
    [
        ("", ("a,0", "a,1", "b,0", "b,1"), {"distinct_rows": True}),
        ('missing = "a"', ("a,0", "b,0", ",0"), {}),
        ('missing = "a"', ("a,0", "b,0", ",0"), {"missing": "drop"}),
    ],
    ids=["a row that another column makes a duplicate", "a missing value", "a row without a value"],
)
def test_a_release_costs_as_much_as_one_person_can_make_of_it(
    missing: str, own: tuple[str, ...], asked: dict[str, Any], tmp_path: Path
) -> None:
    released, charged = set(), set()
    for number, row in enumerate(own):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "t.csv").write_text(f"s,z\n{row}\na,0\nb,0\n")
        head = '[dataset]\nname = "t"\nsource = "t.csv"\n[budget]\nbits = 9\n'
        (folder / "t.toml").write_text(head + KINDS.format(missing=missing))
        done = release(str(folder / "t.csv"), sensitive="s", public="s", min_posterior=1, **asked)
        released.add(str(sorted(map(str, done.table["s"].to_pylist()))))
        with Curator.open(folder / "t.toml") as curator:
            charged.add(curator.record_release(done.certificate).outputs)
    assert len(released) == 3 <= min(charged)


def test_persons_with_several_rows_pay_for_each(tmp_path: Path) -> None:
    rows = tuple((*row, str(number)) for number, row in enumerate([("west", "1", "true", "gas")] * 3))
    header = "suburb,kwh,solar,heating,house"
    unit = 'unit = "house"\nmax_rows = 2'
    with Curator.open(write_curator(tmp_path, dataset=unit, rows=rows, header=header)) as several:
        assert several.record_release(certificate(sensitive=["heating"], public=["suburb"])).outputs == 9


@pytest.mark.parametrize("wrong", [{}, {"columns": {}}, [], "none.json"])
def test_what_is_no_certificate_is_refused(curator: Curator, wrong: Any) -> None:  # noqa: ANN401
    with pytest.raises(RequestError, match="certificate"):
        curator.record_release(wrong)


def test_a_column_that_is_not_declared_is_refused(curator: Curator) -> None:
    with pytest.raises(ColumnError, match="'age'"):
        curator.record_release(certificate(sensitive=["age"], public=["suburb"]))


def test_the_number_of_cells_is_no_bound_where_the_data_chose_them() -> None:
    """One person's sensitive value decides whether there is a release at all: two outputs, and one cell."""

    def released(own: str) -> set[float] | None:
        table = pa.table({"x": [3, 7, 10, 12], "s": [own, "a", "a", "a"]})
        try:
            found = release(table, sensitive=["s"], public=["x"], min_posterior=2)
        except RequestError:
            return None
        return set(found.table["x"].to_pylist())

    outputs = [released("a"), released("b")]
    assert outputs[0] is None
    assert outputs[1] is not None
    assert len(outputs[1]) == 1
