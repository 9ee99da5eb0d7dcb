"""All releases of a tiny table, from the definitions of docs/release.md; slow on purpose.

A release suppresses some public tuples (one cell, `*`), and puts the others into cells that all read
differently. Values that are no numbers share a cell only with the same ones. Distances are kept as squares,
which are rational.
"""

# ruff: noqa: ANN401 - values of several kinds

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any

import pyarrow as pa

Value = Any
EPOCH = date(2024, 1, 1)
TEXTS = ("?", "*", "0-1", "1-2", "0-3")
SINCE = (EPOCH - date(1970, 1, 1)).days


@dataclass(frozen=True)
class Column:
    """A public column: its kind, and how it is handed over."""

    name: str
    kind: str  # number, date, category
    text: bool = False  # numbers that come as texts, others such as `?` among them


@dataclass(frozen=True)
class Made:
    """One release, and what it gives away and keeps."""

    hidden: frozenset[int]
    cells: tuple[frozenset[int], ...]
    posterior: int
    alike: int
    leak: Fraction
    blocks: int
    resolution: Fraction
    far: Fraction  # the square of the distortion
    rows: int
    contiguous: bool
    mean: Fraction  # the mean loss


@dataclass(frozen=True, eq=False)
class Table:
    """A tiny table with its columns' roles and the options of its releases."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]  # public values, then kept, given, sensitive
    keep: bool
    given: bool
    codeword: str
    distance: str | None
    share: Fraction
    weights: tuple[int, ...] = ()
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return len(self.columns)

    @cached_property
    def tuples(self) -> list[tuple[Value, ...]]:
        return list(dict.fromkeys(row[: self.width] for row in self.rows))

    @cached_property
    def counts(self) -> list[int]:
        return [sum(row[: self.width] == one for row in self.rows) for one in self.tuples]

    @property
    def budget(self) -> int:
        return math.floor(self.share * len(self.rows))

    @cached_property
    def kinds(self) -> list[str]:
        plain = self.distance in ("hamming", "discrete")
        return ["category" if plain else column.kind for column in self.columns]

    @cached_property
    def used_distance(self) -> str:
        if self.distance:
            return self.distance
        return "absolute" if self.width == 1 else "gower"

    @cached_property
    def arrow(self) -> pa.Table:
        found: dict[str, pa.Array] = {}
        for place, column in enumerate(self.columns):
            values = [row[place] for row in self.rows]
            if column.kind == "date":
                days = [None if v is None else EPOCH + timedelta(days=v) for v in values]
                found[column.name] = pa.array(days, pa.date32())
            elif column.kind == "category" or column.text:
                found[column.name] = pa.array([None if v is None else str(v) for v in values], pa.string())
            else:
                found[column.name] = pa.array(values, pa.int64())
        for place, name in enumerate(("k", "g", "s"), start=self.width):
            found[name] = pa.array([row[place] for row in self.rows], pa.string())
        return pa.table(found)

    @property
    def options(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "sensitive": "s",
            "public": [column.name for column in self.columns],
            "codeword": self.codeword,
            "numeric": [column.name for column in self.columns if column.text and column.kind == "number"],
        }
        if self.keep:
            found["keep"] = "k"
        if self.given:
            found["given"] = "g"
        if self.distance:
            found["distance"] = self.distance
        if self.weights:
            found["column_weight"] = {c.name: w for c, w in zip(self.columns, self.weights, strict=True)}
        return found

    # --- what a cell reads, and how far that is from its members --------------------------------

    def is_number(self, place: int, value: Value) -> bool:
        return self.kinds[place] in ("number", "date") and isinstance(value, int)

    def group(self, x: int) -> tuple[Value, ...]:
        """What must be the same for values to be merged: all that is no number in columns of numbers."""
        return tuple(
            ("n",) if self.kinds[i] == "category" or self.is_number(i, v) else (v,)
            for i, v in enumerate(self.tuples[x])
        )

    def factor(self, place: int) -> Fraction:
        weight = Fraction(self.weights[place] if self.weights else 1)
        if self.used_distance != "gower":
            return weight
        if self.kinds[place] == "category":
            return weight / self.width
        numbers: list[int] = [t[place] for t in self.tuples if self.is_number(place, t[place])]
        return weight / (self.width * max(1, max(numbers) - min(numbers)))

    def square(self, gaps: list[Fraction]) -> Fraction:
        parts = [self.factor(place) * gap for place, gap in enumerate(gaps)]
        if self.used_distance in ("max", "discrete"):
            return Fraction(max(parts) ** 2)
        if self.used_distance in ("euclidean", "squared"):
            added = sum((part**2 for part in parts), Fraction(0))
            return added if self.used_distance == "euclidean" else added**2
        return Fraction(sum(parts, Fraction(0)) ** 2)

    def gap(self, place: int, one: Value, other: Value) -> Fraction:
        if self.is_number(place, one):
            return Fraction(abs(one - other))
        return Fraction(one != other)

    def read(self, cell: frozenset[int]) -> tuple[Any, Fraction]:
        """What a cell reads, and the square of the largest distance to it."""
        if cell not in self.cache:
            self.cache[cell] = self._read([self.tuples[x] for x in sorted(cell)])
        found: tuple[Any, Fraction] = self.cache[cell]
        return found

    def _read(self, members: list[tuple[Value, ...]]) -> tuple[Any, Fraction]:
        places = range(self.width)
        if self.codeword == "medoid":
            far = {
                m: max(self.square([self.gap(i, o[i], m[i]) for i in places]) for o in members)
                for m in members
            }
            middle = min(members, key=far.__getitem__)
            return middle, far[middle]
        words = [self._word(i, [m[i] for m in members]) for i in places]
        worst = max(self.square([self._off(words[i], m[i]) for i in places]) for m in members)
        return tuple(words), worst

    def _word(self, place: int, values: list[Value]) -> Any:
        if not self.is_number(place, values[0]):
            return frozenset(values)
        low, high, day = min(values), max(values), self.kinds[place] == "date"
        if self.codeword == "interval":
            return low, high
        if self.codeword == "centroid":
            if day:  # halves go to the even day, counted from 1970
                return Fraction(round(Fraction(sum(values), len(values)) + SINCE) - SINCE)
            return Fraction(round(Fraction(sum(values) * 1000, len(values))), 1000)
        return Fraction((low + high) // 2) if day else Fraction(low + high, 2)

    def written(self, cell: frozenset[int]) -> tuple[Any, ...]:
        """What a cell reads as it is written: texts among numbers may look like intervals, or suppressed."""
        words = self.read(cell)[0]
        return tuple(
            word if kind == "category" else _written(word)
            for kind, word in zip(self.kinds, words, strict=True)
        )

    @staticmethod
    def _off(word: Any, value: Value) -> Fraction:
        if isinstance(word, frozenset):
            return Fraction(len(word) > 1)
        if isinstance(word, tuple):
            return Fraction(word[1] - word[0], 2)
        return Fraction(abs(word - value))

    # --- all releases ---------------------------------------------------------------------------

    @cached_property
    def made(self) -> list[Made]:
        """All releases within the share of suppressed rows."""
        size, found = len(self.tuples), list[Made]()
        for many in range(size):
            for gone in itertools.combinations(range(size), many):
                if sum(self.counts[x] for x in gone) > self.budget:
                    continue
                rest = [x for x in range(size) if x not in gone]
                for cells in partitions(rest):
                    if all(len({self.group(x) for x in cell}) == 1 for cell in cells):
                        words = {self.written(frozenset(cell)) for cell in cells}
                        words |= {("*",) * self.width} if gone else set()
                        if len(words) == len(cells) + bool(gone):
                            found.append(self.release(frozenset(gone), [frozenset(cell) for cell in cells]))
        return found

    @cached_property
    def pairs(self) -> list[tuple[int, Any, Any, Any]]:
        number = {t: x for x, t in enumerate(self.tuples)}
        return sorted(
            {
                (
                    number[row[: self.width]],
                    row[self.width] if self.keep else "",
                    row[self.width + 1] if self.given else "",
                    row[self.width + 2],
                )
                for row in self.rows
            }
        )

    def release(self, hidden: frozenset[int], cells: list[frozenset[int]]) -> Made:
        owner = {x: place for place, cell in enumerate(cells) for x in cell}
        answers: dict[Any, set[Any]] = {}
        prior: dict[Any, set[Any]] = {}
        for x, kept, given, s in self.pairs:
            answers.setdefault((owner.get(x, -1), kept, given), set()).add(s)
            prior.setdefault(given, set()).add(s)
        shown = len(self.tuples) - len(hidden)
        return Made(
            hidden,
            tuple(cells),
            min(map(len, answers.values())),
            min(Counter(self._seen(owner, row) for row in self.rows).values()),
            max(Fraction(len(prior[given]), len(held)) for (_, _, given), held in answers.items()),
            blocks(list(answers.values())),
            Fraction(shown, max(map(len, cells))),
            max(self.read(cell)[1] for cell in cells),
            sum(self.counts[x] for x in hidden),
            self.in_order(hidden, cells),
            self.mean_loss(hidden, cells),
        )

    def _seen(self, owner: dict[int, int], row: tuple[Value, ...]) -> tuple[Any, ...]:
        """What an adversary sees of a row or knows of it."""
        cell = owner.get(self.tuples.index(row[: self.width]), -1)
        kept, given = row[self.width : self.width + 2]
        return cell, kept if self.keep else "", given if self.given else ""

    def mean_loss(self, hidden: frozenset[int], cells: list[frozenset[int]]) -> Fraction:
        """The mean over rows and columns of the share that a row's cell spans; `*` is all of a column."""
        weights = self.weights or (1,) * self.width
        gone = sum(self.counts[x] for x in hidden)
        total = Fraction(0)
        for place, weight in enumerate(weights):
            shares = [self._share(place, cell) * sum(self.counts[x] for x in cell) for cell in cells]
            total += weight * (gone + sum(shares))
        return total / (sum(weights) * len(self.rows)) if sum(weights) else Fraction(0)

    def _share(self, place: int, cell: frozenset[int]) -> Fraction:
        values = [row[place] for row in self.tuples]
        held = {values[x] for x in cell}
        if self.kinds[place] == "category":
            others = len(set(values)) - 1
            return Fraction(len(held) - 1, others) if others else Fraction(0)
        numbers = [value for value in values if self.is_number(place, value)]
        if len(held) == 1:
            return Fraction(0)
        return Fraction(max(held) - min(held), max(numbers) - min(numbers))

    def in_order(self, hidden: frozenset[int], cells: list[frozenset[int]]) -> bool:
        """Whether cells of one column are runs of the values that are left in their group."""
        if self.width > 1:
            return False
        as_texts = self.columns[0].text and self.kinds[0] == "category"
        for group in {self.group(x) for x in range(len(self.tuples))}:
            own = [x for x in range(len(self.tuples)) if self.group(x) == group and x not in hidden]
            own.sort(key=lambda x: _sortable(self.tuples[x][0], as_texts=as_texts))
            for cell in cells:
                places = [own.index(x) for x in cell if x in own]
                if places and max(places) - min(places) + 1 != len(places):
                    return False
        return True


def _written(word: Any) -> Any:
    """A word of a column of numbers; None for a missing one."""
    if isinstance(word, tuple):
        return f"{word[0]}-{word[1]}" if word[0] < word[1] else str(word[0])
    return next(iter(word)) if isinstance(word, frozenset) else word if word is None else str(word)


def _sortable(value: Value, *, as_texts: bool) -> Any:
    number = isinstance(value, int) and not as_texts
    return (0, 0, "") if value is None else (1, value, "") if number else (2, 0, str(value))


def partitions(values: list[int]) -> Iterator[list[list[int]]]:
    """All ways of putting values into cells."""
    if not values:
        yield []
        return
    first, rest = values[0], values[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for place, cell in enumerate(smaller):
            yield [*smaller[:place], [first, *cell], *smaller[place + 1 :]]


def blocks(sets: list[set[Any]]) -> int:
    """How many parts sets fall into that have nothing in common."""
    left, found = [set(held) for held in sets], 0
    while left:
        grown = left.pop()
        while near := [held for held in left if held & grown]:
            for held in near:
                grown |= held
                left.remove(held)
        found += 1
    return found


def at_most(ratio: Fraction, bits: Fraction) -> bool:
    """log2(ratio) <= bits, exactly."""
    return ratio**bits.denominator <= Fraction(2) ** bits.numerator


# --- requests --------------------------------------------------------------------------------------


def allowed(made: Made, asked: dict[str, Any], least_blocks: int) -> bool:
    """Whether a release keeps to all limits."""
    far = asked.get("max_distortion")
    kept = asked.get("min_resolution")
    return (
        made.posterior >= asked.get("min_posterior", 1)
        and made.alike >= asked.get("min_rows", 1)
        and ("max_leakage" not in asked or at_most(made.leak, asked["max_leakage"]))
        and ("max_maximin" not in asked or at_most(Fraction(made.blocks), asked["max_maximin"]))
        and (far is None or made.far <= far**2)
        and (kept is None or at_most(1 / made.resolution, -kept))
        and (asked["objective"] != "both" or made.blocks <= least_blocks)
    )


def aim(asked: dict[str, Any]) -> str:
    """What is made small."""
    if "weight" in asked:
        return "lagrangian"
    hides = {"min_posterior", "min_rows", "max_leakage", "max_maximin"} & asked.keys()
    return "loss" if hides else "leak"


def leak(made: Made, asked: dict[str, Any]) -> Fraction:
    return Fraction(made.blocks) if asked["objective"] == "maximin" else made.leak


def loss(made: Made, asked: dict[str, Any]) -> Fraction:
    """What is lost, on a scale of its own: smaller is better."""
    return made.far if asked["utility"] == "distortion" else 1 / made.resolution


def value(made: Made, asked: dict[str, Any]) -> Any:
    """What is to be small; floats only for a weight."""
    what = aim(asked)
    if what == "loss":
        return made.mean if asked.get("prefer") == "mean" else loss(made, asked)
    if what == "leak":
        return leak(made, asked)
    used = math.sqrt(made.far) if asked["utility"] == "distortion" else -math.log2(made.resolution)
    return round(math.log2(leak(made, asked)) + float(asked["weight"]) * used, 9)


def random_table(rng: random.Random, most: int = 6) -> Table:
    """Blanks, texts among numbers, collisions, kept and given columns: what is easy to get wrong."""
    width = rng.choice([1, 1, 1, 2, 2, 3])
    columns = []
    for name in "xyz"[:width]:
        kind = rng.choice(["number"] * 4 + ["date", "category", "category"])
        columns.append(Column(name, kind, kind == "number" and rng.random() < 0.2))
    size, top = rng.randint(2, most), rng.choice([3, 6, 15])
    odd = rng.choice([0, 0, 0.15, 0.4])

    def one(column: Column) -> Value:
        if rng.random() < odd:
            return rng.choice(TEXTS) if column.text and rng.random() < 0.6 else None
        return rng.choice("abcd") if column.kind == "category" else rng.randint(0, top)

    for _ in range(100):
        tuples = {tuple(one(column) for column in columns) for _ in range(3 * size)}
        tuples = set(rng.sample(sorted(tuples, key=repr), min(size, len(tuples))))
        if len(tuples) > 1 and all(_has_number(tuples, i, c) for i, c in enumerate(columns)):
            break
    else:
        return random_table(rng, most)
    sensitive = rng.randint(2, 4)
    rows = list[tuple[Value, ...]]()
    for x in sorted(tuples, key=repr):
        rows += [
            (*x, rng.choice("pq"), rng.choice("uv"), f"s{rng.randrange(sensitive)}")
            for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))
        ]
    if len({row[-1] for row in rows}) < 2:
        return random_table(rng, most)
    distance = rng.choice(
        [None, None, "absolute", "max", "gower", "euclidean", "squared", "hamming", "discrete"]
    )
    weights: tuple[int, ...] = ()
    if rng.random() < 0.15 and distance not in ("hamming", "discrete"):
        weights = tuple(rng.randint(1, 3) for _ in columns)
    return Table(
        tuple(columns),
        tuple(rows),
        keep=rng.random() < 0.15,
        given=rng.random() < 0.15,
        codeword=rng.choice(["midrange", "midrange", "interval", "centroid", "medoid"]),
        distance=distance,
        share=rng.choice([Fraction(0), Fraction(0), Fraction(1, 5), Fraction(2, 5), Fraction(3, 5)]),
        weights=weights,
    )


def _has_number(tuples: set[tuple[Value, ...]], place: int, column: Column) -> bool:
    values = [t[place] for t in tuples]
    if column.kind == "category":
        return any(v is not None for v in values)
    return any(isinstance(v, int) for v in values)


def random_request(rng: random.Random) -> dict[str, Any]:
    """Limits, an aim and a method."""
    asked: dict[str, Any] = {
        "objective": rng.choice(["leakage", "leakage", "leakage", "maximin", "both"]),
        "utility": rng.choice(["distortion", "distortion", "resolution"]),
    }
    hides = {
        "min_posterior": rng.randint(1, 4),
        "min_rows": rng.randint(1, 5),
        "max_leakage": rng.choice([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2)]),
        "max_maximin": rng.choice([Fraction(0), Fraction(1), Fraction(8, 5)]),
    }
    keeps = {
        "min_resolution": rng.choice([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(5, 4)]),
        "max_distortion": rng.choice([Fraction(n, 10) for n in (0, 2, 5, 10, 15, 20, 25, 40, 70)]),
    }
    picked = rng.choice(["hide", "hide", "keep", "keep", "both", "weight"])
    if picked in ("hide", "both"):
        asked |= {name: hides[name] for name in rng.sample(sorted(hides), rng.choice([1, 1, 2]))}
    if picked in ("keep", "both"):
        asked |= {name: keeps[name] for name in rng.sample(sorted(keeps), rng.choice([1, 1, 2]))}
    if picked == "weight":
        asked["weight"] = rng.choice([Fraction(n, 10) for n in (0, 1, 5, 10, 30)])
        if rng.random() < 0.3:
            asked["min_posterior"] = hides["min_posterior"]
    asked["method"] = rng.choice(["auto", "auto", "auto", "greedy", "exact"])
    if asked["utility"] == "distortion":
        asked["prefer"] = rng.choice(["worst", "worst", "mean"])
    return asked
