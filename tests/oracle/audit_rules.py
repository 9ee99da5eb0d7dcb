"""A table under disclosure rules by the definitions of docs/rules.md and docs/audit.md, by brute force.

Plain Python on tables of a handful of rows. A rule is applied to the public columns by hand, each row's
posterior set is collected by looking at all the other rows, contiguous cells are tried one by one.
What a rule tells of one value is written down in `oracle.rules`; nothing here is shared with the package.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

from oracle.rules import is_dominance, passes, period, told

Value = Any
"""A cell of a table."""
Row = Mapping[str, Value]
Look = tuple[Hashable, ...]
Named = tuple[str | None, str]
"""A rule and its column; no column for a rule about groups."""

SUPPRESSED = "*"


# --- what is seen ---------------------------------------------------------------------------------


def number(value: Value) -> Fraction:
    """A number as it stands; a floating-point one is the shortest decimal that reads as it."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def seen_value(rule: str, value: Value) -> Value:
    """What a coarsening tells of a value of a column; missing values stay missing."""
    if value is None:
        return None
    if rule.startswith("date:"):
        day = value if isinstance(value, date) else date.fromisoformat(value[:10])
        return period(rule.removeprefix("date:"), day)
    if rule.startswith("prefix:"):
        kept, text = int(rule.removeprefix("prefix:")), str(value)
        return text[:kept] + "*" * (len(text) - kept)
    return told(rule, number(value))


def is_label(value: object) -> bool:
    """Whether a rule about numbers has made a text of a number."""
    return isinstance(value, str) and value.startswith(("<", ">"))


@dataclass(frozen=True)
class Published:
    """The rows of a table as they are seen, and of which groups they were withheld."""

    rows: tuple[Row, ...]
    public: tuple[str, ...]
    unit: str | None
    looks: tuple[Look, ...]
    groups_before: tuple[Look, ...]
    """What each row would look like if no group were withheld."""
    withheld: tuple[int, ...] = ()
    """The rows that a least cell withholds."""

    def count(self, numbers: Sequence[int]) -> int:
        """How many rows, or persons, these row numbers are."""
        return len(numbers) if self.unit is None else len({self.rows[i][self.unit] for i in numbers})

    def alike(self, look: Look) -> list[int]:
        return [i for i, other in enumerate(self.looks) if other == look]


def published(
    rows: Sequence[Row], public: Sequence[str], rules: Sequence[Named], unit: str | None = None
) -> Published:
    """Columns are coarsened first, those of one column in order; then small groups are withheld."""
    looks = []
    for row in rows:
        shown = {column: row[column] for column in public}
        for column, rule in rules:
            if column in shown and not is_label(shown[column]):
                shown[column] = seen_value(rule, shown[column])
        looks.append(tuple(shown[column] for column in public))
    plain = Published(tuple(rows), tuple(public), unit, tuple(looks), tuple(looks))
    sizes = [int(rule.split(":")[1]) for column, rule in rules if column is None]
    small = [any(plain.count(plain.alike(look)) < k for k in sizes) for look in looks]
    hidden = tuple(
        (SUPPRESSED,) * len(public) if is_small else look for look, is_small in zip(looks, small, strict=True)
    )
    withheld = tuple(i for i, is_small in enumerate(small) if is_small)
    return Published(plain.rows, plain.public, unit, hidden, plain.looks, withheld)


# --- what is given away ---------------------------------------------------------------------------


def numeric(value: Value) -> Value:
    """Numbers of all types that are equal are one value."""
    return number(value) if isinstance(value, int | float | Decimal) else value


@dataclass(frozen=True)
class Exposed:
    """Each row's posterior set, and what follows from them."""

    release: Published
    sensitive: tuple[str, ...]
    given: tuple[str, ...] = ()

    def secret(self, i: int) -> Look:
        return tuple(numeric(self.release.rows[i][column]) for column in self.sensitive)

    def look(self, i: int) -> Look:
        """All that is known of a row: what is published of it, and what is known from elsewhere."""
        return (*self.release.looks[i], *(self.release.rows[i][column] for column in self.given))

    @property
    def every(self) -> range:
        return range(len(self.release.rows))

    def alike(self, i: int) -> list[int]:
        return [j for j in self.every if self.look(j) == self.look(i)]

    def posterior(self, i: int) -> frozenset[Look]:
        """The sensitive values that remain possible for a row: those of the rows that look like it."""
        return frozenset(self.secret(j) for j in self.every if self.look(j) == self.look(i))

    def prior(self, i: int) -> frozenset[Look]:
        """What remained possible before anything was published: all, or what the side information leaves."""
        known = [[self.release.rows[j][column] for column in self.given] for j in self.every]
        return frozenset(self.secret(j) for j in self.every if known[j] == known[i])

    @property
    def leakage(self) -> Fraction:
        """The number whose log2 is L0, with side information L0(S -> X|A)."""
        return max(Fraction(len(self.prior(i)), len(self.posterior(i))) for i in self.every)

    @property
    def min_posterior(self) -> int:
        return min(len(self.posterior(i)) for i in self.every)

    @property
    def at_min_posterior(self) -> int:
        return self.release.count([i for i in self.every if len(self.posterior(i)) == self.min_posterior])

    @property
    def given_away(self) -> int:
        """How many rows, or persons, have one value left."""
        return self.release.count([i for i in self.every if len(self.posterior(i)) == 1])

    @property
    def homogeneous_groups(self) -> int:
        return len({self.look(i) for i in self.every if len(self.posterior(i)) == 1})

    @property
    def groups(self) -> int:
        return len({self.look(i) for i in self.every})

    @property
    def k(self) -> int:
        return min(self.release.count(self.alike(i)) for i in self.every)

    @property
    def components(self) -> int:
        """The number whose log2 is I*: classes of sensitive values that no group has in common."""
        classes: list[set[Hashable]] = []
        for look in {self.look(i) for i in self.every}:
            together: set[Hashable] = {self.secret(i) for i in self.every if self.look(i) == look}
            met = [found for found in classes if found & together]
            classes = [found for found in classes if found not in met] + [together.union(*met)]
        return len(classes)

    @property
    def histogram(self) -> list[tuple[int, int, int]]:
        """A number of values left, how many groups leave so many, and the rows or persons in them."""
        sizes = sorted({len(self.posterior(i)) for i in self.every})
        members = {size: [i for i in self.every if len(self.posterior(i)) == size] for size in sizes}
        return [
            (size, len({self.look(i) for i in found}), self.release.count(found))
            for size, found in members.items()
        ]

    @property
    def suppressed(self) -> int:
        """Rows, or persons, of whom all public columns read stars."""
        starred = [
            all(isinstance(shown, str) and set(shown.strip()) == {"*"} for shown in look)
            for look in self.release.looks
        ]
        return self.release.count([i for i in self.every if starred[i]])


# --- what the rules change ------------------------------------------------------------------------


def ordinal(value: Value) -> Fraction | None:
    """A number or a day on a line; None for texts and what is missing."""
    if isinstance(value, datetime):
        raise TypeError(value)
    if isinstance(value, date):
        return Fraction(value.toordinal())
    return None if value is None or isinstance(value, str) else number(value)


def largest_change(values: Sequence[Value], shown: Sequence[Value]) -> Fraction:
    """How far a value is from what is told for it; a label stands for the middle of the values behind it."""
    found = Fraction(0)
    for value, label in zip(values, shown, strict=True):
        place = ordinal(value)
        if place is None:
            continue
        behind = [ordinal(other) for other, same in zip(values, shown, strict=True) if same == label]
        places = [other for other in behind if other is not None]
        stands_for = (min(places) + max(places)) / 2 if isinstance(label, str) else ordinal(label)
        assert stands_for is not None
        found = max(found, abs(place - stands_for))
    return found


Cells = tuple[frozenset[Fraction], ...]


def contiguous(points: Sequence[Fraction]) -> Iterator[Cells]:
    """All ways to cut an ordered set of points into cells."""
    for cuts in range(len(points)):
        for edges in combinations(range(1, len(points)), cuts):
            yield tuple(frozenset(points[a:b]) for a, b in pairwise((0, *edges, len(points))))


def partitions(points: Sequence[Fraction]) -> Iterator[Cells]:
    """All partitions of a set of points."""
    if not points:
        yield ()
        return
    for rest in partitions(points[1:]):
        yield (frozenset(points[:1]), *rest)
        for i, cell in enumerate(rest):
            yield (*rest[:i], cell | {points[0]}, *rest[i + 1 :])


def change(cells: Cells) -> Fraction:
    """How far the middle of a cell can be from one of its points."""
    return max((max(cell) - min(cell)) / 2 for cell in cells)


def finest(
    rows: Sequence[Row],
    column: str,
    sensitive: Sequence[str],
    least: int,
    *,
    unit: str | None,
    ways: Callable[[Sequence[Fraction]], Iterator[Cells]] = contiguous,
) -> tuple[Fraction | None, set[tuple[int, int, Fraction, Fraction, int]]]:
    """The smallest change of cells that leave so many values possible, and what all such cells are like.

    Each is described by its number of cells, smallest posterior set, leakage, classes told apart, and k.
    """
    points = sorted({place for row in rows if (place := ordinal(row[column])) is not None})
    best: Fraction | None = None
    found: set[tuple[int, int, Fraction, Fraction, int]] = set()
    for cells in ways(points):
        if best is not None and change(cells) > best:
            continue
        where = {point: index for index, cell in enumerate(cells) for point in cell}
        looks = tuple((where[number(ordinal(row[column]))],) for row in rows)
        exposed = Exposed(Published(tuple(rows), (column,), unit, looks, looks), tuple(sensitive))
        if exposed.min_posterior < least:
            continue
        if best is None or change(cells) < best:
            best, found = change(cells), set()
        found.add(
            (len(cells), exposed.min_posterior, exposed.leakage, Fraction(exposed.components), exposed.k)
        )
    return best, found


# --- totals ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """The contributions to one total; None where somebody contributes nothing at all."""

    numbers: tuple[int, ...]
    by_contributor: Mapping[Hashable, Fraction | None]
    rules: tuple[str, ...]
    withheld: bool
    """Whether a least cell withholds the group, or others that it looks like."""

    @property
    def amounts(self) -> list[Fraction]:
        return sorted((a for a in self.by_contributor.values() if a is not None), reverse=True)

    @property
    def told(self) -> bool:
        """Whether there is a total, and every rule lets it be told."""
        if self.withheld or not self.amounts:
            return False
        return all(passes(rule, self.amounts) for rule in self.rules)

    @property
    def error(self) -> Fraction | None:
        """By which share the second largest overestimates the largest; None for fewer than two."""
        if len(self.amounts) < 2:
            return None
        estimate = sum(self.amounts, Fraction(0)) - self.amounts[1]
        return (estimate - self.amounts[0]) / self.amounts[0] if self.amounts[0] else Fraction(0)


def groups_of_amounts(release: Published, column: str, rules: Sequence[Named]) -> list[Group]:
    """Who contributes what to the total of each group of the public columns."""
    applied = tuple(rule for named, rule in rules if named == column and is_dominance(rule))
    found = []
    for look in dict.fromkeys(release.groups_before):
        numbers = tuple(i for i, other in enumerate(release.groups_before) if other == look)
        contributions: dict[Hashable, Fraction | None] = {}
        for i in numbers:
            who = i if release.unit is None else release.rows[i][release.unit]
            amount, before = release.rows[i][column], contributions.get(who)
            contributions[who] = before if amount is None else number(amount) + (before or 0)
        among_withheld = any(release.looks[i] == release.looks[numbers[0]] for i in release.withheld)
        found.append(Group(numbers, contributions, applied, among_withheld))
    return found
