"""Merged categories against all ways to merge them, each judged by all tables that fit what it publishes."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.protection import TrueTables, protect
from noiseless.tabulations.protection.categories import MergedCategories
from noiseless.tabulations.protection.category_blocks import as_read
from oracle.protection_oracle import TinyProblem, Want
from tabulation_examples import flat, hierarchy, with_margins

Partition = frozenset[frozenset[int]]


def partitions(many: int) -> Iterator[Partition]:
    """All ways to divide 0, 1, ... into blocks."""
    if not many:
        yield frozenset()
        return
    for smaller in partitions(many - 1):
        yield smaller | {frozenset({many - 1})}
        for block in smaller:
            yield (smaller - {block}) | {block | {many - 1}}


def allowed(own: Classification, partition: Partition, *, ordered: bool) -> bool:
    """Neighbours, where there is an order; what stands above, where there is a hierarchy."""
    groups = [frozenset(of) for of in own.groups.values()]
    if any(1 < len(of) < len(own.categories) for of in groups):
        whole = frozenset(range(len(own.categories)))
        return all(len(block) == 1 or block in (*groups, whole) for block in partition)
    return not ordered or all(max(block) - min(block) == len(block) - 1 for block in partition)


def unions(partition: Partition, of: frozenset[int]) -> bool:
    return all(block <= of or not block & of for block in partition)


class Merges:
    """One table with margins, and all ways to merge its categories."""

    def __init__(self, dimensions: tuple[Classification, ...], cells: np.ndarray, threshold: int) -> None:
        self.dimensions, self.cells, self.threshold = dimensions, cells, threshold
        self.sets = [
            [frozenset({place}) for place in range(len(each.categories))]
            + [frozenset(of) for of in each.groups.values()]
            for each in dimensions
        ]
        self.figures = [self.atoms(of) for of in product(*self.sets)]
        full = with_margins(cells, dimensions)
        table = PublishedTable.of_grid("t", {each.name: each.labels for each in dimensions}, full, full)
        self.tables = TrueTables(Publication(dimensions, (table,)), {"threshold": threshold, "coalition": 1})

    def atoms(self, of: tuple[frozenset[int], ...]) -> tuple[int, ...]:
        places = np.arange(self.cells.size).reshape(self.cells.shape)
        return tuple(sorted(places[np.ix_(*map(sorted, of))].ravel().tolist()))

    def published(self, chosen: tuple[Partition, ...]) -> set[tuple[int, ...]]:
        """The base cells of every figure that is published: blocks, and labels that are unions of them."""
        left = [
            {of for of in sets if unions(partition, of)} | partition
            for sets, partition in zip(self.sets, chosen, strict=True)
        ]
        return {self.atoms(of) for of in product(*left)}

    def loss(self, chosen: tuple[Partition, ...]) -> int:
        kept = [
            sum(unions(partition, of) for of in sets)
            for sets, partition in zip(self.sets, chosen, strict=True)
        ]
        return len(self.figures) - int(np.prod(kept))

    def value(self, of: tuple[int, ...]) -> int:
        return int(self.cells.ravel()[list(of)].sum())

    def problem(self, figures: list[tuple[int, ...]]) -> TinyProblem:
        """Sensitive figures keep 0 and the threshold; nobody who leaves himself out knows one."""
        wants = [
            Want(place, 0, self.threshold)
            for place, of in enumerate(figures)
            if 0 < self.value(of) < self.threshold and of in self.figures
        ]
        people = iter(range(1000))
        given = [{str(next(people)): 1 for _ in range(value)} for value in self.cells.ravel().tolist()]
        most = int(self.cells.sum())
        bounds = ((0, most),) * self.cells.size
        truth = tuple(self.cells.ravel().tolist())
        return TinyProblem(truth, bounds, tuple(figures), tuple(wants), tuple(given), 1)

    def least(self, ordered: tuple[bool, ...]) -> int | None:
        """The least loss of a safe way to merge."""
        ways = [
            [p for p in partitions(len(each.categories)) if allowed(each, p, ordered=near)]
            for each, near in zip(self.dimensions, ordered, strict=True)
        ]
        figures = sorted(
            {of for chosen in product(*ways) for of in self.published(chosen)} | set(self.figures)
        )
        problem = self.problem(figures)
        for loss, chosen in sorted(((self.loss(c), c) for c in product(*ways)), key=lambda each: each[0]):
            shown = self.published(chosen)
            small = any(0 < self.value(of) < self.threshold for of in shown)
            if not small and problem.safe({place for place, of in enumerate(figures) if of not in shown}):
                return loss
        return None


@pytest.mark.parametrize("seed", range(40))
def test_no_safe_way_to_merge_loses_less(seed: int) -> None:
    random = Random(seed)
    kind = random.choice(("flat", "ordered", "tree"))
    rows = hierarchy("r", 4, 2) if kind == "tree" else flat("r", random.choice((2, 3)))
    columns = flat("c", 1 if kind == "tree" else 2)
    shape = len(rows.categories), len(columns.categories)
    cells = np.array([random.choice((0, 0, 1, 1, 2)) for _ in range(shape[0] * shape[1])]).reshape(shape)
    if not 0 < cells.sum() <= 6:
        cells[:] = 1
    merges = Merges((rows, columns), cells, random.choice((2, 3)))
    near = (kind == "ordered",) * 2
    method = MergedCategories(("r", "c") if kind == "ordered" else ())
    outcome = protect(merges.tables, [method]).outcomes[0]
    expected = merges.least(near)
    assert outcome.safe == (expected is not None)
    if outcome.proposal is not None and expected is not None:
        assert (outcome.proposal.loss, outcome.proposal.bound) == (expected, expected)


def secret_table(cells: list[list[int]]) -> TrueTables:
    dimensions = (
        Classification("region", ("N", "S", "E"), {"All": (0, 1, 2)}),
        Classification("illness", ("flu", "mumps", "none"), {"All": (0, 1, 2)}),
    )
    full = with_margins(np.array(cells), dimensions)
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in dimensions}, full, full)
    return TrueTables(Publication(dimensions, (table,)), {}, secret="illness")


@pytest.mark.parametrize(
    ("cells", "safe_as_it_is"),
    [
        ([[3, 2, 4], [5, 0, 0], [2, 2, 2]], False),  # everyone in S has flu
        ([[3, 2, 4], [5, 1, 0], [2, 2, 2]], False),  # whoever has mumps knows what the others have
        ([[3, 2, 4], [5, 2, 0], [2, 2, 2]], True),
        ([[3, 2, 4], [0, 0, 0], [2, 2, 2]], True),
        ([[5, 0, 0], [7, 0, 0], [2, 0, 0]], False),
    ],
)
def test_groups_with_one_secret(cells: list[list[int]], *, safe_as_it_is: bool) -> None:
    tables = secret_table(cells)
    assert tables.audit(tables.publication, Deadline()).holds == safe_as_it_is
    outcome = protect(tables, [MergedCategories()]).outcomes[0]
    assert outcome.safe
    assert outcome.proposal is not None
    assert (outcome.proposal.loss == 0) == safe_as_it_is
    assert outcome.tried == 1  # what is proposed is never refused here: figures that disclose are seen before


@pytest.mark.parametrize("seed", range(25))
def test_what_must_be_avoided_is_what_the_audit_refuses(seed: int) -> None:
    """A table without such figures is safe, and one with them is not, by the audit of persons."""
    random = Random(seed)
    tables = secret_table([[random.choice((0, 0, 1, 2, 5)) for _ in range(3)] for _ in range(3)])
    outcome = protect(tables, [MergedCategories()]).outcomes[0]
    holds = tables.audit(tables.publication, Deadline()).holds
    assert outcome.proposal is None or outcome.tried == 1
    assert (outcome.proposal is not None and outcome.proposal.loss == 0) == holds


def test_amounts_of_contributors() -> None:
    """The branch of one large firm merges with another one."""
    own = Classification("branch", ("a", "b", "c"), {"All": (0, 1, 2)})
    values = {"a": [90, 5, 1], "b": [30, 30, 30], "c": [40, 35, 30]}
    told = [([name], Told.exact(sum(of))) for name, of in values.items()]
    told.append((["All"], Told.exact(sum(map(sum, values.values())))))
    publication = Publication((own,), (PublishedTable.of("t", ["branch"], told, "magnitude"),))
    records = [(f"{name}{at}", [name], amount) for name, of in values.items() for at, amount in enumerate(of)]
    tables = TrueTables(publication, {"p_percent": Fraction(10)}, ContributorAmounts.of(publication, records))
    outcome = protect(tables, [MergedCategories()]).outcomes[0]
    assert outcome.safe
    assert outcome.proposal is not None
    assert outcome.proposal.loss == 2.0


def test_names_and_orders() -> None:
    ages = Classification("age", ("0-9", "10-19", "20+"), {"All": (0, 1, 2)})
    kinds = Classification("kind", ("x", "y"), {"All": (0, 1)})
    cells = np.array([[9, 1], [9, 9], [9, 9]])
    full = with_margins(cells, (ages, kinds))
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in (ages, kinds)}, full, full)
    tables = TrueTables(Publication((ages, kinds), (table,)), {"threshold": 3})
    best = protect(tables, [MergedCategories()]).best
    assert best is not None
    assert best.publication is not None
    assert best.publication.tables[0].labels[0] == ("0-9 to 10-19", "20+", "All")
    read = as_read(best.publication, tables.publication)
    assert [each.categories for each in read.used] == [("0-9 to 10-19", "20+"), ("x", "y")]
    assert (read.rows.astype(int) @ [18, 10, 9, 9] == read.told_lower).all()
    with pytest.raises(RequestError, match="no table has"):
        protect(tables, [MergedCategories(("sex",))])


def test_linked_tables_are_merged_alike() -> None:
    """Two tables share the regions; base cells of all three dimensions are in neither."""
    random = Random(5)
    region, kind, sex = Classification("r", ("N", "S", "E"), {"All": (0, 1, 2)}), flat("k", 2), flat("s", 2)
    for _ in range(8):
        cells = np.array([random.choice((0, 3, 4, 9)) for _ in range(12)]).reshape(3, 2, 2)
        parts = []
        for other, axis in ((kind, 2), (sex, 1)):
            full = with_margins(cells.sum(axis=axis), (region, other))
            labels = {each.name: each.labels for each in (region, other)}
            parts.append(PublishedTable.of_grid(other.name, labels, full, full))
        tables = TrueTables(Publication((region, kind, sex), tuple(parts)), {"threshold": 4})
        outcome = protect(tables, [MergedCategories()]).outcomes[0]
        if outcome.publication is None:
            assert 0 < cells.sum() < 4
            continue
        sums = {
            (table.name, table.coordinates(place)): int(table.lower[place])
            for table in outcome.publication.tables
            for place in range(len(table))
        }
        assert not any(0 < value < 4 for value in sums.values())
        merged = {label for (_, labels), _ in sums.items() for label in labels[:1]}
        for name in "ks":  # the same regions in both tables
            assert merged == {labels[0] for table, labels in sums if table == name}
