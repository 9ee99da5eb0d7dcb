"""Tables made from the records behind them, and what each contributor adds to a cell."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from noiseless.errors import ColumnError, RequestError
from noiseless.tables import open_table
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.publication import Classification, Labels, Publication
from noiseless.tabulations.reading.figures import MOST_CELLS, Figures
from noiseless.tabulations.reading.hierarchy_files import Parents
from noiseless.tabulations.reading.notation import FigureNotation, is_total

_TOTAL = "Total"
_BLANK = "(missing)"
"""The label of records that have none."""


@dataclass(frozen=True, eq=False)
class RecordHoldings:
    """Who contributes what to the finest cells of a table.

    Attributes:
        dimensions: what the labels are of.
        amounts: for each cell, what each contributor has there, in units; contributors are numbers.
        names: the contributors as the records name them; None if they do not.
    """

    dimensions: tuple[str, ...]
    amounts: Mapping[Labels, Mapping[int, Fraction]]
    names: tuple[str, ...] | None

    def figures(self, paths: Sequence[Mapping[str, Labels]]) -> dict[Labels, Fraction]:
        """What everybody has in the finest cells, and in all that hold them.

        Args:
            paths: for each dimension and label, the names that hold it, itself among them.
        """
        found: dict[Labels, Fraction] = defaultdict(Fraction)
        for labels, of in self.amounts.items():
            amount = sum(of.values(), Fraction(0))
            for place in product(*(own[label] for own, label in zip(paths, labels, strict=True))):
                found[place] += amount
        return dict(found)


def read_holdings(
    source: Any,  # noqa: ANN401 - any frame
    dimensions: Sequence[str],
    value: str | None,
    unit: str | None,
    *,
    decimal: str = ".",
) -> RecordHoldings:
    """Who contributes what: a row or, with `unit`, what all rows of one unit add up to.

    Args:
        source: what `open_table` takes.
        dimensions: the columns whose labels cross in the table's cells.
        value: the column that is added up; None: records are counted.
        unit: the column that names a contributor.
        decimal: the sign before decimals, where values are texts.

    Raises:
        ColumnError: a column is not there, or holds something else than numbers.
    """
    columns = [*dimensions, *([value] if value else []), *([unit] if unit else [])]
    if len(set(columns)) < len(columns):
        raise RequestError("rows, cols, value and unit name different columns; name each once")
    tally = open_table(source).select(columns).tally(columns)
    labels = [[_label(each) for each in tally.decode(name).to_pylist()] for name in dimensions]
    for name, each in zip(dimensions, labels, strict=True):
        if _TOTAL in each:
            raise ColumnError(name, f"has a value {_TOTAL!r}, which names totals; rename it")
    values = [Fraction(1)] * len(tally)
    if value is not None:
        values = _numbers(value, tally.decode(value).to_pylist(), FigureNotation(decimal=decimal))
    units = None if unit is None else tally.decode(unit).to_pylist()
    people: dict[object, int] = {}
    amounts: dict[Labels, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    rows = 0
    for place, (amount, count) in enumerate(zip(values, tally.counts.tolist(), strict=True)):
        cell = amounts[tuple(each[place] for each in labels)]
        if units is not None:
            who = people.setdefault(units[place], len(people))
            cell[who] = Fraction(1) if value is None else cell[who] + amount * count
        else:
            for _ in range(count):
                cell[rows] = amount
                rows += 1
    return RecordHoldings(
        tuple(dimensions), dict(amounts), None if units is None else tuple(map(_label, people))
    )


def contributions_of(
    publication: Publication, holdings: RecordHoldings, hierarchies: Mapping[str, Parents], *, reveal: bool
) -> ContributorAmounts:
    """What contributors have in each base cell, in steps.

    Args:
        publication: what is published.
        holdings: who contributes what, for all dimensions of the publication.
        hierarchies: what stands above the labels of dimensions: records may be finer than what is published.
        reveal: whether contributors are called as the records call them, not by numbers.

    Raises:
        RequestError: records do not fit the publication.
    """
    climbs = [_climb(each, hierarchies.get(each.name, {})) for each in publication.used]
    records = list[tuple[str, Labels, int]]()
    for labels, of in holdings.amounts.items():
        categories = tuple(climb(label) for climb, label in zip(climbs, labels, strict=True))
        for who, amount in of.items():
            steps = amount / publication.step
            if steps.denominator != 1:
                raise RequestError(
                    f"the records hold amounts that are no multiples of the step {publication.step}; declare "
                    "a finer step"
                )
            name = holdings.names[who] if reveal and holdings.names else f"contributor {who + 1}"
            records.append((name, categories, int(steps)))
    return ContributorAmounts.of(publication, records)


def _climb(own: Classification, parents: Parents) -> Callable[[str], str]:
    """From a label of the records to the category that holds it."""
    known: dict[str, str | None] = {category: category for category in own.categories}

    def category(label: str) -> str:
        if label not in known:
            above: str | None = label
            while above is not None and above not in own.categories:
                above = parents.get(above)
            known[label] = above
        found = known[label]
        if found is None:
            if label == _BLANK:
                raise RequestError(
                    f"records have a blank {own.name!r}, and no table has a category {_BLANK!r}; fill the "
                    "blanks or remove those records"
                )
            raise RequestError(
                f"the records have labels of {own.name!r} that no table has; spell them as the tables do"
            )
        return found

    return category


def made_figures(
    name: str,
    holdings: RecordHoldings,
    totalled: Sequence[str],
    hierarchies: Mapping[str, Parents],
    *,
    notation: FigureNotation,
    below: int | None,
) -> Figures:
    """The table that the records make, written as it is declared to be published.

    Args:
        name: what messages call it.
        holdings: who contributes what.
        totalled: the dimensions that have totals, and subtotals where they have a hierarchy.
        hierarchies: what stands above the labels of dimensions.
        notation: how figures are rounded, if they are.
        below: figures from 1 up to this one are published as "less than this".

    Raises:
        RequestError: there are too many cells, or a hierarchy puts some records' labels above others'.
    """
    if unknown := [each for each in totalled if each not in holdings.dimensions]:
        raise RequestError(f"{name}: totals name {unknown[0]!r}, which is no dimension of the table")
    paths, orders = list[Mapping[str, Labels]](), list[Labels]()
    for place, dimension in enumerate(holdings.dimensions):
        parents = hierarchies.get(dimension, {}) if dimension in totalled else {}
        total = (_TOTAL,) * (dimension in totalled)
        tops = [name for name, above in parents.items() if above is None]
        whole = tops if len(tops) == 1 else []  # what holds everything is the total itself
        own = {labels[place]: _path(labels[place], parents, whole) for labels in holdings.amounts}
        if double := [each for path in own.values() for each in path[:-1] if each in own or each in total]:
            raise RequestError(
                f"{name}: {double[0]!r} stands above others in the hierarchy of {dimension!r}, and names "
                "records or totals too; rename one"
            )
        paths.append({label: (*path, *total) for label, path in own.items()})
        orders.append((*_order(own.values(), parents), *total))
    figures = holdings.figures(paths)
    if len(figures) > MOST_CELLS:
        raise RequestError(f"{name}: has more than {MOST_CELLS:,} cells; name fewer rows or cols")
    entries = [(labels, _written(figure, notation, below)) for labels, figure in figures.items()]
    return Figures.of(name, holdings.dimensions, entries, labels=orders)


def _path(label: str, parents: Parents, left_out: Sequence[str]) -> Labels:
    """The names that hold a label, the highest first, without some, and the label."""
    path = [label]
    while (above := parents.get(path[-1])) is not None and above not in left_out:
        path.append(above)
    return tuple(reversed(path))


def _order(paths: Iterable[Labels], parents: Parents) -> Labels:
    """All names on some paths, each before those that it holds, in the order of the hierarchy."""
    place = {name: number for number, name in enumerate(parents)}
    prefixes = {path[:end] for path in paths for end in range(1, len(path) + 1)}
    known = sorted(prefixes, key=lambda path: [(place.get(name, -1), is_total(name), name) for name in path])
    return tuple(path[-1] for path in known)


def _written(figure: Fraction, notation: FigureNotation, below: int | None) -> object:
    if below is not None and 0 < figure < below:
        return f"<{below}"
    return figure if notation.rounded is None else notation.rounded.published(figure)


def _numbers(column: str, values: Sequence[Any], notation: FigureNotation) -> list[Fraction]:
    known = {each: notation.number(each) for each in set(values)}
    if strange := [each for each, number in known.items() if number is None and str(each or "").strip()]:
        commas = any(replace(notation, decimal=",").number(each) is not None for each in strange)
        raise ColumnError(
            column,
            f"has values that are no numbers ({len(strange):,} different); "
            + (
                "if commas stand before decimals, declare --told decimal=," if commas else "fill or drop them"
            ),
        )
    if None in known.values():
        raise ColumnError(column, "is blank in some records; fill or drop them")
    return [known[each] or Fraction(0) for each in values]


def _label(value: object) -> str:
    return _BLANK if value is None else str(value)
