"""Nothing is called safe that the exact audit does not prove."""

# ruff: noqa: ARG002 - methods have the arguments of the protocol

from collections.abc import Generator
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.protection import (
    ImpossibleError,
    ProposedTables,
    ProtectionMethod,
    TrueTables,
    UndecidedError,
    protect,
)
from noiseless.tabulations.protection.categories import MergedCategories
from noiseless.tabulations.protection.core import MAX_TRIES
from noiseless.tabulations.protection.intervals import PartialSuppression
from noiseless.tabulations.protection.rounding import ControlledRounding
from noiseless.tabulations.protection.suppression import CellSuppression
from tabulation_examples import flat, with_margins

TRUTH = np.array([[40, 31, 12], [28, 19, 4], [22, 15, 11]])


def counts(threshold: int = 5) -> TrueTables:
    dimensions = flat("r", 3), flat("c", 3)
    full = with_margins(TRUTH, dimensions)
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in dimensions}, full, full)
    return TrueTables(Publication(dimensions, (table,)), {"threshold": threshold})


class Given:
    """Proposes what it is given."""

    name = "given"

    def __init__(self, *hidden: list[tuple[int, int]]) -> None:
        self.hidden = hidden

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        for cells in self.hidden:
            chosen = np.zeros((4, 4), bool)
            chosen[tuple(np.array(cells, int).reshape(-1, 2).T)] = True
            yield ProposedTables(
                tables.suppressed(chosen.ravel()), len(cells), None, "figures", "some withheld"
            )


def test_levels_of_counts() -> None:
    tables = counts()
    assert [(level.lower, level.upper) for level in tables.levels] == [(0, 5)]
    assert np.flatnonzero(tables.sensitive).tolist() == [6]


@pytest.mark.parametrize(
    "hidden", [[], [(1, 2)], [(1, 2), (1, 1)], [(1, 2), (1, 1), (2, 2)], [(0, 0), (0, 1), (1, 0), (1, 1)]]
)
def test_what_discloses_is_refused(hidden: list[tuple[int, int]]) -> None:
    found = protect(counts(), [Given(hidden)])
    assert not found.holds
    assert found.publication is None
    assert "audit" in found.outcomes[0].refusal


def test_the_first_safe_proposal_is_taken() -> None:
    square = [(1, 2), (1, 1), (2, 1), (2, 2)]
    found = protect(counts(), [Given([(1, 2)], square, [(0, 0)])])
    assert found.best is not None
    assert (found.best.tried, found.best.kept, found.best.withheld_weight) == (2, 12, 4.0)
    assert found.to_dict()["holds"]
    assert found.certificate()["public"]


def test_a_person_who_subtracts_himself_counts() -> None:
    """A table of ones: in a square of withheld cells each is alone, and knows all four."""
    dimensions = flat("r", 2), flat("c", 2)
    full = with_margins(np.ones((2, 2), int), dimensions)
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in dimensions}, full, full)
    tables = TrueTables(Publication(dimensions, (table,)), {"threshold": 2})
    hidden = np.zeros((3, 3), bool)
    hidden[:2, :2] = True
    outcome = protect(tables, [_Pattern(hidden)]).outcomes[0]
    assert outcome.audit is not None
    assert outcome.audit.disclosed == ()
    assert not outcome.safe


class _Pattern:
    name = "pattern"

    def __init__(self, hidden: np.ndarray) -> None:
        self.hidden = hidden

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        yield ProposedTables(tables.suppressed(self.hidden.ravel()), 4, None, "figures", "")


class _Merged:
    """Publishes two categories as one, and nothing else."""

    name = "merged"

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        own = Classification("c", ("a", "b"), {"a or b": (0, 1)})
        table = PublishedTable.of("t", ["c"], [(["a or b"], Told.exact(30))], "magnitude")
        yield ProposedTables(Publication((own,), (table,)), 1, None, "figures", "a and b are one")


def test_a_contributor_counts_where_a_figure_is_gone() -> None:
    """Merged with the cell of one contributor, the other cell is known to that contributor."""
    own = Classification("c", ("a", "b"))
    told = [(["a"], Told.exact(10)), (["b"], Told.exact(20))]
    publication = Publication((own,), (PublishedTable.of("t", ["c"], told, "magnitude"),))
    two = [("x", ["a"], 10), ("y", ["b"], 15), ("z", ["b"], 5)]
    three = [*two[1:], ("x", ["a"], 4), ("w", ["a"], 6)]
    rules = {"p_percent": Fraction(50)}
    for records, safe in ((two, False), (three, True)):
        tables = TrueTables(publication, rules, ContributorAmounts.of(publication, records))
        assert protect(tables, [_Merged()]).holds is safe


class Never:
    """Knows that nothing is safe."""

    name = "never"

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        raise ImpossibleError("the base is too small")
        yield


def test_impossible() -> None:
    assert protect(counts(), [Never()]).outcomes[0].refusal == "the base is too small"


def test_what_is_stopped_is_not_decided() -> None:
    """A method that ends by itself has shown that it finds nothing; one that was stopped has not."""

    class Stopped:
        name = "stopped"

        def proposals(
            self, tables: TrueTables, deadline: Deadline
        ) -> Generator[ProposedTables, TabulationAudit, None]:
            raise UndecidedError("no time was left")
            yield

    assert not protect(counts(), [Stopped()]).decided
    unsafe = [(1, 2)]
    assert protect(counts(), [Given(*[unsafe] * MAX_TRIES)]).decided is False
    assert protect(counts(), [Given(unsafe, unsafe)]).decided
    both = protect(counts(), [Stopped(), Given([(0, 0), (0, 1), (1, 0), (1, 1)]), Never()])
    assert not both.decided
    assert [each.decided for each in both.outcomes] == [False, True, True]


@pytest.mark.parametrize(
    "method", [CellSuppression(), PartialSuppression(), ControlledRounding(Fraction(5)), MergedCategories()]
)
def test_methods_without_time_decide_nothing(method: ProtectionMethod) -> None:
    """Neither that something is safe, nor that there is nothing; without a limit each finds something."""
    dimensions = [flat(name, 3) for name in "abc"]
    cells = np.random.default_rng(1).integers(0, 9, (3, 3, 3))
    full = with_margins(cells, dimensions)
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in dimensions}, full, full)
    tables = TrueTables(Publication(tuple(dimensions), (table,)), {"threshold": 3})
    stopped = protect(tables, [method], time_limit=0)
    assert not stopped.holds
    assert not stopped.decided
    assert "time limit" in stopped.outcomes[0].refusal
    assert protect(tables, [method]).holds


def test_what_cannot_be_protected_is_said() -> None:
    tables = counts()
    with pytest.raises(RequestError, match="true figures"):
        TrueTables(tables.suppressed(tables.sensitive), tables.rules)
    with pytest.raises(RequestError, match="nothing says which"):
        TrueTables(tables.publication, {})
