"""Controlled rounding against all roundings, and what it says against all tables that could be rounded so."""

from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection import ImpossibleError, ProposedTables, TrueTables, protect
from noiseless.tabulations.protection.rounding import ControlledRounding
from noiseless.tabulations.reading.notation import RoundedFigures
from oracle.rounding_oracle import allowed, distance, least, stands_for
from tabulation_examples import GOLDEN, flat, hierarchy, with_margins

SHAPES = {
    "line": (flat("r", 4),),
    "two-way": (flat("r", 2), flat("c", 3)),
    "hierarchy": (hierarchy("r", 4, 2), flat("c", 2)),
    "cube": (flat("r", 2), flat("c", 2), flat("d", 2)),
}


def table(dimensions: tuple[Classification, ...], cells: np.ndarray, threshold: int) -> TrueTables:
    full = with_margins(cells, dimensions)
    labels = {each.name: each.labels for each in dimensions}
    publication = Publication(dimensions, (PublishedTable.of_grid("t", labels, full, full),))
    return TrueTables(publication, {"threshold": threshold})


def figures_of(tables: TrueTables) -> list[list[int]]:
    matrix = tables.matrix
    return [matrix.indices[a:b].tolist() for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)]


def shown(proposal: ProposedTables) -> np.ndarray:
    """The multiples that are written."""
    assert proposal.written is not None
    return np.array([int(each) for each in proposal.written])


def best(tables: TrueTables, base: int, relax: int = 0) -> ProposedTables | None:
    try:
        return next(ControlledRounding(Fraction(base), relax).proposals(tables, Deadline()), None)
    except ImpossibleError:
        return None


@pytest.mark.parametrize("seed", range(60))
def test_nothing_that_adds_up_is_nearer(seed: int) -> None:
    random = Random(seed)
    dimensions = SHAPES[random.choice(sorted(SHAPES))]
    shape = [len(each.categories) for each in dimensions]
    cells = np.array([random.choice((0, 1, 2, 3, 4, 6, 7)) for _ in range(prod(shape))])
    tables = table(dimensions, cells.reshape(shape), random.choice((1, 1, 2, 4)))
    base, relax = random.choice((2, 3, 4, 5)), random.choice((0, 0, 0, 1)) if len(cells) < 5 else 0
    wants = [(level.row, level.lower or 0, level.upper or 0) for level in tables.levels]
    figures, found = figures_of(tables), best(tables, base, relax)
    expected = next(
        (
            each
            for k in range(relax + 1)
            if (each := least(cells.tolist(), figures, base, k, wants)) is not None
        ),
        None,
    )
    if found is None or expected is None:
        assert found is None
        assert expected is None
        return
    assert found.loss == expected == distance(shown(found).tolist(), cells.tolist(), figures)
    assert found.bound is not None
    assert found.bound <= expected
    if len(dimensions) < 3:
        assert found.optimal  # proved by multipliers alone
    assert (
        tables.matrix.astype(int) @ shown(found)[[figures.index([c]) for c in range(len(cells))]]
        == shown(found)
    ).all()


@pytest.mark.parametrize("seed", range(12))
def test_what_a_rounding_says_is_what_could_be_rounded_so(seed: int) -> None:
    """The audit of the rounded table against every table each of whose figures may be published so."""
    random = Random(seed)
    dimensions = (flat("r", 2), flat("c", 2))
    cells = np.array([random.choice((0, 1, 2, 3, 5)) for _ in range(4)])
    tables = table(dimensions, cells.reshape(2, 2), 1)
    base = random.choice((2, 3))
    found = best(tables, base)
    assert found is not None
    figures = figures_of(tables)
    every = ([sum(each[c] for c in of) for of in figures] for each in product(range(11), repeat=4))
    fitting = [
        sums
        for sums in every
        if all(r in allowed(value, base) for r, value in zip(shown(found).tolist(), sums, strict=True))
    ]
    audit = tables.audit(found.publication, Deadline())
    for place, cell in enumerate(audit.cells):
        values = {sums[place] for sums in fitting}
        assert (cell.lower, cell.upper, cell.values) == (min(values), max(values), len(values))


@pytest.mark.parametrize("further", [0, 1, 2])
def test_a_rounded_file_is_read_as_what_it_stands_for(further: int) -> None:
    """`round:3:random` and `round:3:random:1` say what controlled rounding publishes."""
    notation = RoundedFigures.parse(f"round:3:random:{further}")
    for multiple in range(0, 30, 3):
        low, high = notation.preimage(Fraction(multiple), Fraction(1))
        assert stands_for(multiple, 3, further, 60) == set(range(max(low, 0), high + 1))


def test_linked_tables_are_rounded_in_one_model() -> None:
    """Two tables that share rows, over base cells that neither shows."""
    random = Random(3)
    for _ in range(12):
        dimensions = (flat("r", 2), flat("c", 2), flat("d", 2))
        cells = np.array([random.choice((0, 1, 2, 3)) for _ in range(8)]).reshape(2, 2, 2)
        parts = []
        for name, other in (("c", 2), ("d", 1)):
            own = (dimensions[0], dimensions["rcd".index(name)])
            full = with_margins(cells.sum(axis=other), own)
            parts.append(PublishedTable.of_grid(name, {each.name: each.labels for each in own}, full, full))
        tables = TrueTables(Publication(dimensions, tuple(parts)), {"threshold": 1})
        found, expected = best(tables, 3), least(cells.ravel().tolist(), figures_of(tables), 3)
        assert (None if found is None else found.loss) == expected


def test_the_least_relaxation_is_offered_and_not_taken() -> None:
    case = next(case for case in GOLDEN if case["id"] == "g19")
    other = [1, 1, 0, 0, 0, 1, 2, 0, 1, 1, 2, 2]
    cubes = [(case["table"], (2, 2, 2), 2), (other, (2, 2, 3), 3), ([1] * 8, (2, 2, 2), 2)]
    found = list[bool]()
    for values, shape, base in cubes:
        dimensions = tuple(flat("rcd"[axis], many) for axis, many in enumerate(shape))
        tables = table(dimensions, np.array(values).reshape(shape), 1)
        impossible = least(values, figures_of(tables), base) is None
        assert (best(tables, base) is None) == impossible
        found.append(impossible)
        if impossible:
            refusal = protect(tables, [ControlledRounding(Fraction(base))]).outcomes[0].refusal
            assert "relax = 1" in refusal
            assert best(tables, base, 1) is not None
    assert found == [True, True, False]


def test_records_and_units() -> None:
    """Amounts of half units, rounded to 2.5."""
    own = Classification("c", ("a", "b"), {"All": (0, 1)})
    told = [(["a"], Told.exact(7)), (["b"], Told.exact(9)), (["All"], Told.exact(16))]
    table = PublishedTable.of("t", ["c"], told)
    tables = TrueTables(Publication((own,), (table,), step=Fraction(1, 2)), {"threshold": 1})
    found = next(ControlledRounding(Fraction(5, 2)).proposals(tables, Deadline()))
    assert found.written == ("2.5", "5", "7.5")
    assert found.loss == 2.0


def test_a_base_that_rules_rule_out_is_refused_with_one_that_may_do() -> None:
    tables = table((flat("r", 3), flat("c", 3)), np.array([[40, 31, 12], [28, 19, 4], [22, 15, 11]]), 5)
    refused, safe, chosen = (
        protect(tables, [ControlledRounding(base)]).outcomes[0] for base in (Fraction(5), Fraction(6), None)
    )
    assert "base 6 can" in refused.refusal
    assert safe.safe
    assert chosen.safe
    assert chosen.proposal is not None
    assert chosen.proposal.loss <= (safe.proposal.loss if safe.proposal is not None else 0)
