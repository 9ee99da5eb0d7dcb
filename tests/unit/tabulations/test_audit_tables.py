from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from noiseless.errors import RequestError
from noiseless.tabulations import Publication, PublishedTable, Told
from noiseless.tabulations.audit import TabulationAudit, audit_tables
from noiseless.tabulations.integer_program import IntegerProgram
from noiseless.tabulations.magnitudes import ContributorAmounts
from tabulation_examples import CASES, flat, forms_of, hierarchy, holes_case, publication_of, withheld


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_golden_cases(case: dict) -> None:  # type: ignore[type-arg]
    audit = audit_tables(publication_of(case), targets=forms_of(case))
    found = {cell.of[1][0]: cell for cell in audit.cells if cell.of[0] == "group"}
    expected = case["expected"]
    assert {name: [cell.lower, cell.upper] for name, cell in found.items()} == expected["range"]
    counts = {name: len(values) for name, values in expected["values"].items()}
    assert {name: cell.values for name, cell in found.items()} == counts
    assert [name for name, cell in found.items() if cell.disclosed] == expected["disclosed"]
    assert {name: round(cell.bits_left or 0, 4) for name, cell in found.items()} == expected["bits_left"]
    assert audit.decided


def test_holes_are_counted() -> None:
    audit = audit_tables(holes_case(), targets={"x011": {"atom": ["x011"]}, "x001": {"atom": ["x001"]}})
    found = {cell.of[1][0]: cell for cell in audit.cells[-2:]}
    assert (found["x011"].lower, found["x011"].upper, found["x011"].values) == (0, 4, 3)
    assert (found["x001"].lower, found["x001"].upper, found["x001"].values) == (0, 2, 3)


def test_a_difference_of_two_figures_is_said_as_such() -> None:
    """South is the total less North; the margins of its members tell it too, by six figures."""
    names = ["n0", "s0", "t0", "n1", "s1", "t1"]
    told = [(["n0", "s0", "t0"], 9), (["n0"], 2), (["n1"], 4), (["n0", "n1"], 6)]
    told += [(["s0"], 3), (["s1"], 5), (["t0"], 4), (["t1"], 1), (["s0", "s1"], 8), (["t0", "t1"], 5)]
    told += [(["n1", "s1", "t1"], 10), (names, 19)]
    rows = [(members, Told(value, value)) for members, value in told]
    hidden = (["s0", "s1", "t0", "t1"], Told(0, None))
    publication = Publication.of_rows(names, [(0, None)] * 6, [hidden, *rows])
    (leak,) = audit_tables(publication).disclosed
    assert leak.because == (("rows", ("n0+s0+t0+n1+s1+t1",)), ("rows", ("n0+n1",)))


def random_table(seed: int, shape: tuple[int, int], share: float) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    return chance.integers(0, 9, shape), chance.random(shape) < share


@pytest.mark.parametrize("width", [6, 3])
@pytest.mark.parametrize("seed", range(4))
def test_networks_agree_with_linear_programs(seed: int, width: int) -> None:
    values, hidden = random_table(seed, (6, 5), 0.4)
    publication = withheld(values, [hierarchy("a", 6, width), flat("b", 5)], hidden)
    audit, rows = audit_tables(publication), publication.rows.astype(float)
    exact = publication.told_lower == publication.told_upper
    ends = {"A_eq": rows[exact], "b_eq": publication.told_lower[exact]}
    for place in np.flatnonzero(~exact):
        cell, goal = audit.cells[int(place)], rows[[place]].toarray().ravel()
        assert cell.lower == round(linprog(goal, **ends).fun)
        assert cell.upper == round(-linprog(-goal, **ends).fun)
    quick = audit_tables(publication, sharp=False)
    assert [cell.of for cell in quick.disclosed] == [cell.of for cell in audit.disclosed]


def test_large_tables_are_compiled_and_agree() -> None:
    values, hidden = random_table(7, (60, 60), 0.3)
    publication = withheld(values, [flat("a", 60), flat("b", 60)], hidden)
    audit, quick = audit_tables(publication), audit_tables(publication, sharp=False)
    assert audit.decided
    assert [cell.of for cell in quick.disclosed] == [cell.of for cell in audit.disclosed]
    truth = values.ravel()
    for place in np.flatnonzero(~audit.published)[::50]:
        cell = audit.cells[int(place)]
        atom = publication.rows.indices[publication.rows.indptr[place]]
        assert cell.upper is not None
        assert cell.lower <= truth[atom] <= cell.upper


def test_disclosed_figures_name_what_tells_them() -> None:
    audit = audit_tables(publication_of(CASES["g01"]), targets={"x00": {"atom": ["x00"]}})
    (leak,) = audit.disclosed
    assert leak.because == (("rows", ("x01",)), ("rows", ("x00+x01",)))
    assert audit.violated
    assert not audit.holds


def test_unbounded_figures_have_no_upper_end() -> None:
    publication = Publication.of_rows(
        ["a", "b"], [(0, None)] * 2, [(["a"], Told.withheld()), (["a", "b"], Told(3, None))]
    )
    audit = audit_tables(publication)
    assert [(cell.lower, cell.upper, cell.bits_left) for cell in audit.cells] == [
        (0, None, float("inf")),
        (3, None, float("inf")),
    ]
    assert audit.holds


def contradictory(*rows: tuple[list[str], int]) -> TabulationAudit:
    names = sorted({name for of, _ in rows for name in of})
    told = [(of, Told.exact(value)) for of, value in rows]
    return audit_tables(Publication.of_rows(names, [(0, 20)] * len(names), told))


def test_contradictions_are_minimal() -> None:
    audit = contradictory(
        (["a"], 1), (["b"], 2), (["a", "b"], 4), (["c"], 5), (["b", "c"], 7), (["a", "b", "c"], 9)
    )
    assert len(audit.inconsistent) == 3
    assert {"a", "b"} <= {name for _, (label,) in audit.inconsistent for name in label.split("+")}
    assert not audit.holds
    assert len(audit.cells) == 0


def test_an_odd_circle_has_real_tables_and_no_table_of_integers() -> None:
    audit = contradictory((["a", "b"], 1), (["b", "c"], 1), (["a", "c"], 1))
    assert len(audit.inconsistent) == 3


def test_time_that_is_over_decides_nothing() -> None:
    chance = np.random.default_rng(3)
    values = chance.integers(0, 30, (4, 4, 4))
    dimensions = [flat(name, 4) for name in "abc"]
    audit = audit_tables(withheld(values, dimensions, np.ones((4, 4, 4), bool)), time_limit=0)
    assert not audit.decided
    assert not audit.holds
    assert not audit.violated
    exact = audit_tables(withheld(values, dimensions, np.ones((4, 4, 4), bool)))
    for early, late in zip(audit.cells, exact.cells, strict=True):
        assert early.upper is not None
        assert late.upper is not None
        assert early.lower <= late.lower <= late.upper <= early.upper


def test_contributors_are_not_decided_where_time_is_over_before_a_table_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(IntegerProgram, "find", lambda *_: False)
    values = np.random.default_rng(3).integers(1, 30, (3, 3, 3))
    dimensions = [flat(name, 3) for name in "abc"]
    tables = withheld(values, dimensions, np.ones((3, 3, 3), bool))
    records = [
        (
            f"p{number % 5}",
            [each.categories[at] for each, at in zip(dimensions, place, strict=True)],
            int(value),
        )
        for number, (place, value) in enumerate(np.ndenumerate(values))
    ]
    given = ContributorAmounts.of(tables, records)
    audit = audit_tables(tables, rules={"coalition": 2}, contributions=given, time_limit=0)
    assert not audit.decided
    assert not audit.holds
    with pytest.raises(RequestError, match="no table that fits was found in time"):
        audit.certificate()


def test_persons_of_a_group() -> None:
    region, illness = flat("region", 2), flat("illness", 3)
    values = np.array([[0, 4, 0], [1, 3, 0]])
    publication = withheld(values, [region, illness], np.array([[False] * 3, [True, True, False]]))
    found = {person.of[1][0]: person for person in audit_tables(publication, secret="illness").persons}
    assert found["region0"].group_disclosure
    assert found["region0"].certain == ("illness1",)
    assert found["region1"].possible == ("illness0", "illness1")
    assert not found["region1"].group_disclosure
    assert found["region1"].to_members == ("illness0",)
    with pytest.raises(RequestError, match="not below 0"):
        audit_tables(replace(publication, lower=-1), secret="illness")
    with pytest.raises(RequestError, match="no table has the secret"):
        audit_tables(publication, secret="age")


def test_earlier_publications_are_tables_of_the_same() -> None:
    region = flat("region", 3)
    before = PublishedTable.of("2025", ["region"], [(("All",), Told.exact(9)), (("region0",), Told.exact(2))])
    later = PublishedTable.of(
        "again", ["region"], [(("region1",), Told.exact(3)), (("region2",), Told(0, None))]
    )
    assert audit_tables(Publication((region,), (before,))).holds
    (leak,) = audit_tables(Publication((region,), (before, later))).disclosed
    assert leak.of == ("again", ("region2",))
    assert {table for table, _ in leak.because} == {"2025", "again"}
