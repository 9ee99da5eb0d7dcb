"""Published tables by their definition: every integer table that fits is written down, and looked at.

Plain Python. An atom is a base cell with declared bounds; a row of a publication is a whole-number form over
the atoms and the interval of integers that its value lies in. All else is a question to the set of tables.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, pairwise

Form = Mapping[str, int]
Table = tuple[int, ...]


FAR = 10**12
"""Beyond all that a tiny table can hold."""


class TooManyError(Exception):
    """More tables fit than are worth writing down."""


@dataclass(frozen=True)
class Row:
    """A form whose value is said to be between two integers; None is no bound on that side."""

    form: Form
    lowest: int | None
    highest: int | None

    def fits(self, value: int) -> bool:
        return (self.lowest is None or self.lowest <= value) and (
            self.highest is None or value <= self.highest
        )


def exactly(form: Form, value: int) -> Row:
    return Row(form, value, value)


def rounded(form: Form, base: int, told: int) -> Row:
    """All v >= 0 whose nearest multiple of the base, halves up, is the one that is told: tried one by one."""
    preimage = [v for v in range(told + base + 1) if (2 * v + base) // (2 * base) * base == told]
    return Row(form, preimage[0], preimage[-1])


def total(atoms: Collection[str]) -> Form:
    return dict.fromkeys(atoms, 1)


def room(row: Row, least: int, most: int, factor: int) -> tuple[int, int]:
    """The least and the greatest v with factor * v + rest in the row, for some rest from least to most."""
    low = (-FAR if row.lowest is None else row.lowest) - most
    high = (FAR if row.highest is None else row.highest) - least
    if factor < 0:
        low, high, factor = -high, -low, -factor
    return -(-low // factor), high // factor


@dataclass(frozen=True)
class World:
    """Atoms with their bounds, and what was published of them."""

    bounds: Mapping[str, tuple[int, int]]
    rows: tuple[Row, ...]

    def but(self, *rows: Row) -> "World":
        """The same world when more is known."""
        return replace(self, rows=(*self.rows, *rows))

    def only(self, numbers: Collection[int]) -> "World":
        """The same atoms with only some of the rows."""
        return replace(self, rows=tuple(row for number, row in enumerate(self.rows) if number in numbers))

    def narrowed(self) -> dict[str, tuple[int, int]] | None:
        """The bounds when each row alone has cut them, again and again; None if nothing is left."""
        bounds, before = dict(self.bounds), None
        while bounds != before:
            before = dict(bounds)
            for row in self.rows:
                ends = {
                    name: sorted(factor * end for end in bounds[name]) for name, factor in row.form.items()
                }
                least, most = (sum(pair[side] for pair in ends.values()) for side in (0, 1))
                if least > (FAR if row.highest is None else row.highest) or most < (
                    -FAR if row.lowest is None else row.lowest
                ):
                    return None
                for name, factor in row.form.items():
                    if factor:
                        low, high = room(row, least - ends[name][0], most - ends[name][1], factor)
                        bounds[name] = max(bounds[name][0], low), min(bounds[name][1], high)
            if any(low > high for low, high in bounds.values()):
                return None
        return bounds

    def _uses(self, bounds: Mapping[str, tuple[int, int]]) -> list[list[tuple[int, int, int, int]]]:
        """Of each atom: its rows, its factors there, and the least and the most of the atoms after it."""
        uses: list[list[tuple[int, int, int, int]]] = [[] for _ in bounds]
        for number, row in enumerate(self.rows):
            least = most = 0
            for place, (name, ends) in reversed(list(enumerate(bounds.items()))):
                if factor := row.form.get(name, 0):
                    uses[place].append((number, factor, least, most))
                    least += min(factor * end for end in ends)
                    most += max(factor * end for end in ends)
        return uses

    def search(self, steps: int) -> Iterator[Table]:
        """Every table that fits, atom after atom; a value is tried if each row alone can still be met."""
        bounds = self.narrowed()
        if bounds is None:
            return
        names = list(bounds)
        uses = self._uses(bounds)
        sums = [0] * len(self.rows)
        table: list[int] = []

        def extend() -> Iterator[Table]:
            nonlocal steps
            steps -= 1
            if steps < 0:
                raise TooManyError
            place = len(table)
            if place == len(names):
                yield tuple(table)
                return
            low, high = bounds[names[place]]
            for number, factor, least, most in uses[place]:
                ends = room(self.rows[number], sums[number] + least, sums[number] + most, factor)
                low, high = max(low, ends[0]), min(high, ends[1])
            for value in range(low, high + 1):
                table.append(value)
                for number, factor, _, _ in uses[place]:
                    sums[number] += factor * value
                yield from extend()
                for number, factor, _, _ in uses[place]:
                    sums[number] -= factor * value
                table.pop()

        yield from extend()

    def possible(self, steps: int = 20_000) -> bool:
        """Whether a table fits: bounds are cut, and the shortest that is left is split.

        Atoms that are in the same rows are one: any sum within the sum of their bounds can be shared out.
        """
        if any(low > high for low, high in self.bounds.values()):
            return False
        alike: dict[tuple[int, ...], list[str]] = {}
        for name in self.bounds:
            alike.setdefault(tuple(row.form.get(name, 0) for row in self.rows), []).append(name)
        merged = {
            names[0]: (
                sum(self.bounds[name][0] for name in names),
                sum(self.bounds[name][1] for name in names),
            )
            for names in alike.values()
        }
        rows = tuple(
            replace(row, form={name: row.form[name] for name in merged if name in row.form})
            for row in self.rows
        )
        return World(merged, rows)._reachable([steps])

    def _reachable(self, steps: list[int]) -> bool:
        steps[0] -= 1
        if steps[0] < 0:
            raise TooManyError
        bounds = self.narrowed()
        if bounds is None:
            return False
        used = {name for row in self.rows for name in row.form}
        ranges = {name: high - low for name, (low, high) in bounds.items() if name in used and low < high}
        if not ranges:
            return True
        name = min(ranges, key=lambda name: ranges[name])
        low, high = bounds[name]
        middle = (low + high) // 2
        return any(
            replace(self, bounds={**bounds, name: half})._reachable(steps)
            for half in ((low, middle), (middle + 1, high))
        )

    def tables(self, at_most: int = 100_000, steps: int = 1_000_000) -> list[Table]:
        found = list(islice(self.search(steps), at_most + 1))
        if len(found) > at_most:
            raise TooManyError
        return found


@dataclass(frozen=True)
class Knowledge:
    """All tables that fit, and what they have in common."""

    names: tuple[str, ...]
    tables: tuple[Table, ...]

    @classmethod
    def of(cls, world: World, at_most: int = 100_000) -> "Knowledge":
        return cls(tuple(world.bounds), tuple(world.tables(at_most)))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def value(self, form: Form, table: Table) -> int:
        return sum(factor * table[self._places[name]] for name, factor in form.items())

    def values(self, form: Form) -> set[int]:
        """V(c): what the form is worth in at least one table that fits."""
        terms = [(self._places[name], factor) for name, factor in form.items()]
        if len(terms) == 1:
            ((place, factor),) = terms
            return {factor * table[place] for table in self.tables}
        return {sum(factor * table[place] for place, factor in terms) for table in self.tables}

    def bits_left(self, form: Form) -> float:
        return math.log2(len(self.values(form)))

    def disclosed(self, form: Form) -> bool:
        return len(self.values(form)) == 1

    def given(self, row: Row) -> "Knowledge":
        """What is left for somebody who knows one thing more."""
        return Knowledge(
            self.names, tuple(table for table in self.tables if row.fits(self.value(row.form, table)))
        )


# --- persons --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """What the tables say of the people who share a public row: their counts by secret."""

    knowledge: Knowledge
    secrets: Mapping[str, Form]

    @property
    def possible(self) -> set[str]:
        """The secrets that somebody in the row can have."""
        return {name for name, form in self.secrets.items() if max(self.knowledge.values(form)) > 0}

    @property
    def certain(self) -> set[str]:
        """The secrets that at least one in the row has for certain."""
        return {name for name, form in self.secrets.items() if min(self.knowledge.values(form)) >= 1}

    @property
    def disclosed(self) -> bool:
        """All in the row have the same secret, whoever they are: only one is possible."""
        return len(self.possible) == 1

    def seen_by(self, secret: str) -> "Group | None":
        """The others, for a member who has this secret himself; None if nobody can have it."""
        known = self.knowledge.given(Row(self.secrets[secret], 1, None))
        names = (*known.names, "himself")
        others = tuple((*table, 1) for table in known.tables)
        less = {**self.secrets, secret: {**self.secrets[secret], "himself": -1}}
        return Group(Knowledge(names, others), less) if others else None


# --- magnitudes -----------------------------------------------------------------------------------


def p_percent(values: Sequence[Fraction], p: Fraction, coalition: int = 1) -> Fraction:
    """The upper protection level of the p % rule: above 0 where the cell is sensitive."""
    first, *others = sorted(values, reverse=True)
    return p / 100 * first - sum(others[coalition:])


def prior_posterior(values: Sequence[Fraction], p: Fraction, q: Fraction, coalition: int = 1) -> Fraction:
    """The upper protection level of the (p, q) rule."""
    first, *others = sorted(values, reverse=True)
    return p / q * first - sum(others[coalition:])


def dominance(values: Sequence[Fraction], n: int, k: Fraction) -> Fraction:
    """The upper protection level of the (n, k) rule."""
    return 100 / k * sum(sorted(values, reverse=True)[:n]) - sum(values)


def protected(
    values: Collection[int], y: int, upper: Fraction, lower: Fraction, sliding: Fraction = Fraction(0)
) -> bool:
    """[lo, hi] reaches the protection levels above y, below y, and in width."""
    lo, hi = min(values), max(values)
    return hi >= y + upper and lo <= y - lower and hi - lo >= sliding


def own_knowledge(contributions: Mapping[str, Mapping[str, int]], who: Collection[str]) -> tuple[Row, ...]:
    """What a coalition knows of the cells: its own sum, where no one else contributes, else at least that.

    Args:
        contributions: Of each cell, what each contributor gave to it.
        who: The contributors that put together what they gave.
    """
    rows = []
    for cell, given in contributions.items():
        if own := [name for name in given if name in who]:
            known = sum(given[name] for name in own)
            rows.append(Row({cell: 1}, known, known if len(own) == len(given) else None))
    return tuple(rows)


# --- contradictions -------------------------------------------------------------------------------


def contradictions(world: World, largest: int | None = None) -> list[frozenset[int]]:
    """All minimal sets of rows that no table within the bounds fits, by size."""
    found: list[frozenset[int]] = []
    for size in range((len(world.rows) if largest is None else largest) + 1):
        for chosen in map(frozenset, combinations(range(len(world.rows)), size)):
            if not any(smaller <= chosen for smaller in found) and not world.only(chosen).possible():
                found.append(chosen)
    return found


def implies(world: World, form: Form, values: Collection[int]) -> bool:
    """The rows of the world leave the form no value but these."""
    inner = sorted(values)
    gaps = [Row(form, None, inner[0] - 1), Row(form, inner[-1] + 1, None)]
    gaps += [Row(form, a + 1, b - 1) for a, b in pairwise(inner) if b > a + 1]
    return not any(world.but(gap).possible() for gap in gaps)
