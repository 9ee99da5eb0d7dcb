"""Random small publications: margins, hierarchies, linked tables, withheld, rounded or wrong figures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product
from random import Random

from oracle.tabulation_oracle import FAR, Row, TooManyError, World, rounded, total

AT_MOST = 1_500
"""Tables that fit a publication; one with more is made anew."""

Dimension = Mapping[str, tuple[int, ...]]
"""The labels of a variable and the categories that each adds up; first the categories alone."""
Figure = tuple[tuple[str, ...], int, int | None]
"""The labels of a published figure, and the least and the greatest value that it can stand for."""


@dataclass(frozen=True)
class Published:
    """Tables over some of the variables each, and the bounds of every base cell."""

    dimensions: Mapping[str, Dimension]
    tables: tuple[tuple[tuple[str, ...], tuple[Figure, ...]], ...]
    bounds: tuple[tuple[int, int | None], ...]

    def categories(self, name: str) -> tuple[str, ...]:
        size = max(map(max, self.dimensions[name].values())) + 1
        return tuple(self.dimensions[name])[:size]

    @cached_property
    def atoms(self) -> tuple[tuple[str, ...], ...]:
        """The base cells: a category of each variable that a table uses."""
        used = {name for names, _ in self.tables for name in names}
        return tuple(product(*(self.categories(name) for name in self.dimensions if name in used)))

    def members(self, names: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
        """The base cells that a figure adds up."""
        used = [name for name in self.dimensions if any(name in of for of, _ in self.tables)]
        wanted = dict(zip(names, labels, strict=True))
        chosen = {
            name: {self.categories(name)[place] for place in self.dimensions[name][label]}
            for name, label in wanted.items()
        }
        return tuple(
            ",".join(atom)
            for atom in self.atoms
            if all(at in chosen[name] for name, at in zip(used, atom, strict=True) if name in chosen)
        )

    @cached_property
    def world(self) -> World:
        ends = [(low, FAR if high is None else high) for low, high in self.bounds]
        bounds = dict(zip(map(",".join, self.atoms), ends, strict=True))
        return World(
            bounds,
            tuple(
                Row(total(self.members(names, labels)), lowest, highest)
                for names, figures in self.tables
                for labels, lowest, highest in figures
            ),
        )


def flat(name: str, size: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}{place}": (place,) for place in range(size)}


def dimension(random: Random, name: str, size: int) -> Dimension:
    """A flat variable, or one with subtotals; overlapping ones too, as two classifications have."""
    labels = flat(name, size)
    if size > 2 and random.random() < 0.5:
        cut = random.randrange(1, size)
        labels |= {f"{name}<": tuple(range(cut)), f"{name}>": tuple(range(cut, size))}
        if random.random() < 0.3:
            labels[f"{name}?"] = (0, size - 1)
    return labels | {f"{name}*": tuple(range(size))}


def told(random: Random, value: int, ways: str) -> tuple[int, int | None] | None:
    """What is published of a value in one of the ways: exact, rounded, a mark, an interval, nothing."""
    way = random.choice(ways)
    if way == "r" and value >= 0:
        base = random.choice((2, 3, 5))
        row = rounded({}, base, (2 * value + base) // (2 * base) * base)
        return row.lowest or 0, row.highest
    if way == "m" and 1 <= value < 5:
        return 1, random.randint(max(value, 2), 4)
    if way == "i":
        return value - random.randrange(3), value + random.randrange(3)
    if way == "h":
        return random.choice(((value - random.randrange(3), None), (-50, value + random.randrange(3))))
    if way == "-":  # withheld, or not even a place in the table
        return random.choice(((-50 if value < 0 else 0, None), None))
    return value, value


WAYS = ("e", "e-", "em", "r", "r-", "er", "eeem-", "ei-", "eh-", "erm-ih")
SHAPES = ((2, 2), (2, 3), (3, 3), (2, 4), (2, 2, 2), (2, 2, 3), (3, 3, 2), (5,), (4, 4), (2, 2, 2, 2))


def truths(random: Random, size: int) -> list[int]:
    cap = random.choice((1, 2, 3, 4, 6)) if size > 8 else random.choice((2, 4, 6, 9))
    zeros, times = random.choice((0.1, 0.3, 0.6)), random.choice((1, 1, 1, 1, 2))
    return [0 if random.random() < zeros else times * random.randrange(cap + 1) for _ in range(size)]


def ends(random: Random, truth: Sequence[int]) -> tuple[tuple[int, int | None], ...]:
    """0 and one bound for all, or none, and for some base cells better ones."""
    highest = max(truth) + random.randrange(3)
    known, bounded = random.choice((0, 0, 0.2)), random.random() < 0.6
    return tuple(
        (random.randint(0, value), random.randint(value, highest))
        if random.random() < known
        else (0, highest if bounded else None)
        for value in truth
    )


def crossed(random: Random) -> Published:
    """One table over all variables with its margins, or several linked ones over some of them each."""
    shape = random.choice(SHAPES)
    variables = {name: dimension(random, name, size) for name, size in zip("abcd", shape, strict=False)}
    subsets = [tuple(variables)]
    if len(shape) > 1 and random.random() < 0.5:
        every = [
            tuple(name for name, taken in zip(variables, chosen, strict=True) if taken)
            for chosen in product((False, True), repeat=len(shape))
        ]
        subsets = random.sample(every[1:], random.randint(1, 3))
    truth = truths(random, len(list(product(*map(range, shape)))))
    empty = Published(variables, (((tuple(variables)), ()),), ends(random, truth))
    values = dict(zip(empty.world.bounds, truth, strict=True))
    inner, margins = random.choice(WAYS), random.choice(WAYS)
    tables = []
    for subset in subsets:
        figures = []
        for labels in product(*(variables[name] for name in subset)):
            summed = empty.members(subset, labels)
            value = sum(values[name] for name in summed)
            if (said := told(random, value, inner if len(summed) == 1 else margins)) is not None:
                figures.append((labels, *said))
        if figures:
            tables.append((subset, tuple(figures)))
    used = [number for number, name in enumerate(variables) if any(name in of for of, _ in tables)]
    if len(used) < len(shape):  # a variable of no table: its categories are one
        return crossed(random)
    return replace(empty, tables=tuple(tables))


def gathered(random: Random) -> Published:
    """Sets of base cells that follow no pattern; bounds may be below 0."""
    size = random.randint(1, 6)
    labels = flat("a", size)
    truth = [random.randint(-2, 4) for _ in labels]
    bounds = tuple((value - random.randrange(4), value + random.randrange(5)) for value in truth)
    figures: list[Figure] = []
    ways = random.choice(("e", "ei", "ih", "eh"))
    pairs = random.random() < 0.5
    for _ in range(random.randint(1, 7 if pairs else 5)):
        most = min(size, 2) if pairs else size  # pairs in a ring of three: halves would fit too
        members = tuple(sorted(random.sample(range(size), random.randint(1 + (pairs and size > 1), most))))
        label = "+".join(f"a{place}" for place in members)
        if label in {of[0] for of, _, _ in figures}:
            continue
        labels.setdefault(label, members)
        value = sum(truth[place] for place in members)
        figures.append(((label,), *(told(random, value, ways) or (value, value))))
    return Published({"a": labels}, ((("a",), tuple(figures)),), bounds)


KNOWN = ((0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 2), (1, 1, 0), (1, 2, 1), (2, 0, 1), (2, 1, 0), (2, 2, 2))
"""With these cells and all margins of two variables told, integers say more than linear programs do."""


def cube(truth: Mapping[tuple[int, ...], int], known: Collection[tuple[int, ...]]) -> Published:
    """A 3 x 3 x 3 table with all margins of two variables, whose cells are told or withheld."""
    variables = {name: flat(name, 3) | {f"{name}*": (0, 1, 2)} for name in "abc"}

    def labels(marks: Iterable[object]) -> tuple[str, ...]:
        return tuple(f"{name}{mark}" for name, mark in zip("abc", marks, strict=True))

    figures: list[Figure] = [(labels(at), truth[at], truth[at]) for at in truth if at in known]
    figures += [(labels(at), 0, None) for at in truth if at not in known]
    for axis in range(3):
        for at in product(range(3), repeat=2):
            value = sum(truth[*at[:axis], place, *at[axis:]] for place in range(3))
            figures.append((labels((*at[:axis], "*", *at[axis:])), value, value))
    return Published(variables, (((*"abc",), tuple(figures)),), ((0, 6),) * 27)


def transported(random: Random) -> Published:
    """3 x 3 x 3 tables whose 18 hidden cells move together, in any order of variables and categories."""
    axes = random.choice(list(permutations(range(3))))
    orders = [random.sample(range(3), 3) for _ in range(3)]
    known = {tuple(orders[axis][at[axis]] for axis in axes) for at in KNOWN}
    if random.random() < 0.3:
        known.discard(random.choice(sorted(known)))
    places = list(product(range(3), repeat=3))
    most = random.choice((1, 1, 2, 2, 3))
    truth = {at: 6 if at in known else random.choice((1, random.randrange(most + 1))) for at in places}
    published = cube(truth, known)
    ((names, figures),) = published.tables
    if random.random() < 0.3:
        left_out = random.randrange(len(places), len(figures))
        figures = figures[:left_out] + figures[left_out + 1 :]
    return replace(published, tables=((names, figures),))


def disturbed(random: Random, published: Published) -> Published:
    """A publication one or two of whose figures are off by a little: often contradictory."""
    told_of = [list(figures) for _, figures in published.tables]
    for _ in range(random.randint(1, 2)):
        figures = random.choice(told_of)
        number, by = random.randrange(len(figures)), random.choice((-2, -1, 1, 2))
        labels, low, high = figures[number]
        figures[number] = labels, low + by, None if high is None else high + by
    names = [names for names, _ in published.tables]
    return replace(published, tables=tuple(zip(names, map(tuple, told_of), strict=True)))


def random_publication(seed: int, at_most: int = AT_MOST) -> Published:
    """A publication that can be written down; one in six is likely to contradict itself."""
    random = Random(seed)
    make = random.choices((crossed, gathered, transported), (6, 2, 1))[0]
    spoilt = random.random() < 1 / 6
    while True:
        published = make(random)
        if not published.tables:
            continue
        if spoilt:
            published = disturbed(random, published)
        try:
            found = published.world.tables(at_most, 10 * at_most)
        except TooManyError:
            continue
        if len(found) != 1 or random.random() < 0.4:
            return published
