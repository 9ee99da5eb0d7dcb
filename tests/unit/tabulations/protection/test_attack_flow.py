"""Moves as flows go as far as linear programs say, and no safe pattern violates the cuts that stop them."""

from itertools import product
from random import Random

import numpy as np
import pytest

from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.magnitudes import ProtectionLevel
from noiseless.tabulations.protection import TrueTables, attacker, protect
from noiseless.tabulations.protection.attack_flow import FlowNetwork
from noiseless.tabulations.protection.attacker import AttackerProgram, AttackRequirement, requirements
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.combined_cuts import SuppressionCut
from noiseless.tabulations.protection.suppression import CellSuppression


def cells_of(random: Random, groups: int) -> TableCells:
    """A table of rows, some of them in groups, and of columns, with one sensitive figure or two."""
    rows = Classification(
        "r", ("r0", "r1", "r2"), {"g": (0, 1), "All": (0, 1, 2)} if groups else {"All": (0, 1, 2)}
    )
    many = 2 if groups < 2 else 3
    own = {"h": (0, 1)} if groups > 1 else {}
    columns = Classification(
        "c", tuple(f"c{each}" for each in range(many)), {**own, "All": tuple(range(many))}
    )
    truth = np.array([[random.choice((0, 1, 2, 3, 5, 8)) for _ in range(many)] for _ in range(3)])
    figures = [
        ([row, column], Told.exact(int(truth[np.ix_(of, over)].sum())))
        for (row, of), (column, over) in product(_members(rows), _members(columns))
    ]
    table = PublishedTable.of("t", ["r", "c"], figures, "magnitude")
    publication = Publication((rows, columns), (table,))
    levels = list[ProtectionLevel]()
    for row in random.sample(range(len(figures)), 2):
        value = int(publication.told_lower[row])
        levels.append(ProtectionLevel(row, "given", max(0, value - 2), value + random.randint(1, 4), 0))
    return TableCells.of(TrueTables(publication, {}, wanted=tuple(levels)))


def _members(each: Classification) -> list[tuple[str, tuple[int, ...]]]:
    return [*((label, (place,)) for place, label in enumerate(each.categories)), *each.groups.items()]


@pytest.mark.parametrize("groups", [0, 1])
def test_flows_reach_what_linear_programs_reach(groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off = 0
    for seed in range(30):
        random = Random(f"{groups} {seed}")
        cells = cells_of(random, groups)
        programs = AttackerProgram(cells)
        monkeypatch.setattr(attacker, "_SMALL", 0)
        flows = AttackerProgram(cells)
        monkeypatch.undo()
        assert programs.network is None
        assert flows.network is not None
        for requirement, whole in product(requirements(cells), (False, True)):
            withheld = np.array([random.choice((0.0, 0.0, 0.25, 0.5, 1.0)) for _ in range(cells.many)])
            withheld[cells.sensitive] = 1.0
            withheld = np.ceil(withheld) if whole else withheld
            expected, _, _ = programs.attack(requirement, withheld, whole=whole)
            reached, moves, cut = flows.attack(requirement, withheld, whole=whole)
            assert reached == pytest.approx(expected, abs=1e-9)
            for move in moves:
                assert np.abs(flows.matrix @ move).max() < 1e-6
            if cut is not None:
                assert cut.lacks(withheld) == pytest.approx(1 - expected, abs=1e-3) or cut.lacks(withheld) > 0
                cut_off += 1
                _holds_for_all_that_reach(programs, requirement, cells, cut)
    assert cut_off


def _holds_for_all_that_reach(
    programs: AttackerProgram, requirement: AttackRequirement, cells: TableCells, cut: SuppressionCut
) -> None:
    """Patterns that leave the requirement possible meet the cut: those that violate it do not leave it."""
    free = np.flatnonzero(~cells.sensitive)
    patterns = np.zeros((2 ** len(free), cells.many))
    patterns[:, free] = list(product((0.0, 1.0), repeat=len(free)))
    patterns[:, cells.sensitive] = 1.0
    refused = patterns[patterns[:, cut.cells] @ cut.factors < cut.least - 1e-9]
    largest = refused[np.argsort(-refused.sum(axis=1), kind="stable")[:6]]  # withholding less leaves no more
    for pattern in largest:
        assert programs.attack(requirement, pattern, whole=True)[0] < 1 - 1e-9


def test_two_hierarchies_are_no_network() -> None:
    assert FlowNetwork.of(AttackerProgram(cells_of(Random(1), 2)).matrix) is None


def test_the_cheapest_patterns_cost_the_same_by_flows_and_by_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(8):
        tables = cells_of(Random(f"pattern {seed}"), seed % 2).tables
        expected = protect(tables, [CellSuppression()]).outcomes[0]
        monkeypatch.setattr(attacker, "_SMALL", 0)
        found = protect(tables, [CellSuppression()]).outcomes[0]
        monkeypatch.undo()
        assert found.safe is expected.safe
        if expected.proposal is not None:
            assert found.proposal is not None
            assert found.proposal.loss == expected.proposal.loss
            assert found.proposal.optimal
            assert expected.proposal.optimal
