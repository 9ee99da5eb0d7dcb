"""Full-domain releases against all of them: every choice of levels, and of cells that are suppressed."""

import copy
import itertools
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.exact import Bits
from soaking import seeds

SEEDS = seeds(7)
Value = str | None
Path_ = tuple[Value, ...]


@dataclass(frozen=True)
class Tree:
    """A hierarchy by definition: the names of each value, itself first; a node is a name and all above it."""

    paths: dict[Value, Path_]
    cost: str

    @property
    def height(self) -> int:
        return len(next(iter(self.paths.values()))) - 1

    def leaves(self, node: Path_) -> int:
        return sum(path[len(path) - len(node) :] == node for path in self.paths.values())

    def price(self, node: Path_) -> int:
        """What a node costs; a missing value is a leaf, however high it stands."""
        if node[0] is None:
            return 0
        return self.height + 1 - len(node) if self.cost == "height" else self.leaves(node) - 1

    def node(self, values: set[Value], level: int) -> Path_:
        """The lowest node above some values that is called as theirs on a level is."""
        name = self.paths[next(iter(values))][level]
        for at in range(level + 1):
            nodes = {self.paths[value][at:] for value in values}
            if len(nodes) == 1 and next(iter(nodes))[0] == name:
                return next(iter(nodes))
        raise AssertionError


@dataclass(frozen=True)
class Made:
    """A full-domain release, and what it gives away and loses."""

    levels: tuple[int, ...]
    cells: int
    posterior: int
    alike: int
    leak: Fraction
    far: Fraction
    mean: Fraction
    rows: int
    belief: Fraction
    gain: Fraction


@dataclass(frozen=True, eq=False)
class World:
    """A tiny table, its hierarchies and how distances are measured."""

    rows: tuple[tuple[Value, ...], ...]  # public values, then kept, given, sensitive
    declared: tuple[dict[str, tuple[str, ...]] | None, ...]
    keep: bool
    given: bool
    distance: str | None
    cost: str
    weights: tuple[int, ...]

    @property
    def width(self) -> int:
        return len(self.declared)

    @cached_property
    def trees(self) -> list[Tree]:
        found = []
        for place, declared in enumerate(self.declared):
            values = {row[place] for row in self.rows}
            above = declared or {value: ("*",) for value in values if value is not None}
            paths: dict[Value, Path_] = {value: (value, *path) for value, path in above.items()}
            if None in values:
                height = len(next(iter(paths.values())))
                paths = {value: (*path, "*") for value, path in paths.items()}
                paths[None] = (*[None] * height, "*")
            found.append(Tree(paths, self.cost))
        return found

    @property
    def options(self) -> dict[str, Any]:
        names = "xyz"[: self.width]
        found: dict[str, Any] = {"sensitive": "s", "public": list(names), "recoding": "full-domain"}
        trees = {name: tree for name, tree in zip(names, self.declared, strict=True) if tree}
        found |= {"hierarchy": trees, "hierarchy_cost": self.cost, "distance": self.distance}
        found |= {"column_weight": dict(zip(names, self.weights, strict=True))}
        return found | self._roles

    @property
    def _roles(self) -> dict[str, str]:
        return ({"keep": "k"} if self.keep else {}) | ({"given": "g"} if self.given else {})

    @property
    def table(self) -> pa.Table:
        names = [*"xyz"[: self.width], "k", "g", "s"]
        return pa.table(
            {n: pa.array([row[i] for row in self.rows], pa.string()) for i, n in enumerate(names)}
        )

    def made(self, budget: int) -> Iterator[Made]:
        """All full-domain releases that suppress no more rows."""
        for levels in itertools.product(*(range(tree.height + 1) for tree in self.trees)):
            cells: dict[Any, list[int]] = defaultdict(list)
            for place, row in enumerate(self.rows):
                values = row[: self.width]
                names = (t.paths[v][at] for t, v, at in zip(self.trees, values, levels, strict=True))
                cells[tuple(names)].append(place)
            star = ("*",) * self.width
            for many in range(len(cells)):
                for gone in itertools.combinations(cells, many):
                    hidden = sum(len(cells[cell]) for cell in gone)
                    if hidden <= budget and not (gone and star in cells and star not in gone):
                        shown = {name: held for name, held in cells.items() if name not in gone}
                        yield self.release(levels, shown, [p for cell in gone for p in cells[cell]])

    def release(self, levels: tuple[int, ...], shown: dict[Any, list[int]], gone: list[int]) -> Made:
        groups = [*shown.values(), *([gone] if gone else [])]
        answers, prior, alike = defaultdict(set), defaultdict(set), Counter[Any]()
        bets: list[tuple[Any, Any, Value]] = []
        for number, held in enumerate(groups):
            for kept, known, secret in (self.rows[place][self.width :] for place in held):
                answer = number, kept if self.keep else "", known if self.given else ""
                answers[answer].add(secret)
                alike[answer] += 1
                prior[known if self.given else ""].add(secret)
                bets.append((answer, known if self.given else "", secret))
        far, spans = Fraction(0), Fraction(0)
        total = sum(self.weights)
        for held in shown.values():
            nodes = [
                tree.node({self.rows[p][i] for p in held}, levels[i]) for i, tree in enumerate(self.trees)
            ]
            far = max(far, self.square([tree.price(n) for tree, n in zip(self.trees, nodes, strict=True)]))
            shares = [
                Fraction(t.leaves(n) - 1, max(1, len(t.paths) - 1)) * weight
                for t, n, weight in zip(self.trees, nodes, self.weights, strict=True)
            ]
            spans += len(held) * sum(shares)
        return Made(
            levels,
            len(groups),
            min(map(len, answers.values())),
            min(alike.values()),
            max(Fraction(len(prior[known]), len(held)) for (_, _, known), held in answers.items()),
            far,
            (spans + total * len(gone)) / (total * len(self.rows)),
            len(gone),
            *odds(bets),
        )

    def square(self, costs: Sequence[int]) -> Fraction:
        """The square of the distance that some costs make."""
        kind = self.distance or ("absolute" if self.width == 1 else "gower")
        parts = [Fraction(cost * weight) for cost, weight in zip(costs, self.weights, strict=True)]
        if kind == "gower":
            tops = [max(1, t.height if self.cost == "height" else len(t.paths) - 1) for t in self.trees]
            parts = [part / top / self.width for part, top in zip(parts, tops, strict=True)]
        if kind in ("euclidean", "squared"):
            added = sum((part**2 for part in parts), Fraction(0))
            return added if kind == "euclidean" else added**2
        return Fraction(max(parts) ** 2 if kind == "max" else sum(parts) ** 2)


def odds(bets: Sequence[tuple[Any, Any, Value]]) -> tuple[Fraction, Fraction]:
    """The largest q_s = n_sy / n_y, and the largest q_s / p_s: of answers, what is known, and secrets."""
    behind = Counter(answer for answer, _, _ in bets)
    before = Counter(known for _, known, _ in bets)
    own = Counter((known, secret) for _, known, secret in bets)
    beliefs = {bet: Fraction(many, behind[bet[0]]) for bet, many in Counter(bets).items()}
    gains = [q * before[known] / own[known, secret] for (_, known, secret), q in beliefs.items()]
    return max(beliefs.values()), max(gains)


def random_tree(rng: random.Random, values: str) -> dict[str, tuple[str, ...]] | None:
    """A tree of one to three levels above some values; names may stay the same from one level to the next."""
    if rng.random() < 0.2:
        return None
    names = {value: value for value in values}
    paths: dict[str, tuple[str, ...]] = dict.fromkeys(values, ())
    top = rng.choice(["*", "*", "any"])
    for level in range(rng.randint(0, 2)):
        groups = sorted(set(names.values()))
        above = {name: f"{level}{rng.randint(0, max(0, len(groups) - 2))}" for name in groups}
        if rng.random() < 0.4:  # one name stays what it is, unless that would stand for others too
            above[groups[0]] = groups[0]
        if top == "*" and rng.random() < 0.2:
            above[groups[-1]] = "*"
        above |= {"*": "*"}  # a name that is left does not return
        names = {value: above[name] for value, name in names.items()}
        paths = {value: (*path, names[value]) for value, path in paths.items()}
    return {value: (*path, top) for value, path in paths.items()}


def random_world(rng: random.Random) -> World:
    width = rng.choice([1, 2, 2, 3])
    declared = tuple(random_tree(rng, "abcde"[: rng.randint(2, 5)]) for _ in range(width))
    odd, secrets = rng.choice([0, 0, 0.2]), rng.randint(2, 4)
    rows = []
    for _ in range(rng.randint(2, 6)):  # some tuples are hidden well as they are, others are alone
        public = [
            None if rng.random() < odd else rng.choice(sorted(tree) if tree else "abc") for tree in declared
        ]
        known = rng.choice("pq"), rng.choice("uv")
        many = rng.choice([1, 1, 2, 4])
        rows += [(*public, *known, f"s{rng.randrange(secrets)}") for _ in range(many)]
    found = World(
        tuple(rows),
        declared,
        rng.random() < 0.2,
        rng.random() < 0.2,
        rng.choice([None, None, None, "absolute", "max", "euclidean", "squared"]),
        rng.choice(["height", "leaves"]),
        tuple(rng.choice([1, 1, 1, 2, 3]) for _ in range(width)),
    )
    columns = [{row[place] for row in rows} for place in range(width)]
    plain = all(column - {None} for column in columns) and len({row[:width] for row in rows}) > 1
    return found if plain and len({row[-1] for row in rows}) > 1 else random_world(rng)


def within(made: Made, asked: dict[str, Any]) -> bool:
    """Whether a release keeps to the limits."""
    limit, far = asked.get("max_leakage"), asked.get("max_distortion")
    return (
        made.posterior >= asked.get("min_posterior", 1)
        and made.alike >= asked.get("min_rows", 1)
        and (limit is None or Bits(made.leak) <= limit)
        and (far is None or made.far <= far**2)
        and made.belief <= asked.get("largest_belief", 1)
        and ("beta_likeness" not in asked or made.gain - 1 <= asked["beta_likeness"])
    )


def random_request(rng: random.Random) -> dict[str, Any]:
    asked: dict[str, Any] = {"prefer": rng.choice(["worst", "worst", "mean"])}
    posterior, rows = {"min_posterior": rng.choice([2, 2, 2, 3, 4])}, {"min_rows": rng.randint(2, 5)}
    belief = {"largest_belief": rng.choice([Fraction(1, 2), Fraction(3, 5), Fraction(3, 4)])}
    gain = {"beta_likeness": rng.choice([Fraction(1, 4), Fraction(1, 2), Fraction(1)])}
    leakage = {"max_leakage": Fraction(rng.randint(1, 3), 2)}
    asked |= rng.choice([posterior, rows, posterior | rows, leakage, belief, gain, belief | rows])
    if rng.random() < 0.2:
        asked["max_distortion"] = Fraction(rng.randint(1, 12), 4)
    return asked


def loss(made: Made, asked: dict[str, Any]) -> tuple[Fraction, ...]:
    """What is made small: first the one, then, for the largest change, the other."""
    return (made.mean,) if asked["prefer"] == "mean" else (made.far, made.mean)


def check(world: World, asked: dict[str, Any], share: Fraction, folder: Path) -> str:
    """Compare one release with all; what became of it."""
    fine = [made for made in world.made(math.floor(share * len(world.rows))) if within(made, asked)]
    try:
        done = nl.release(world.table, **world.options, **asked, suppress=share, keep_order=True)
    except RequestError:
        done = None
    if done is None:
        assert not fine, "refused, though there are releases within the limits"
        return "refused"
    best = min(loss(made, asked) for made in fine)
    point = done.point
    alike = [
        made
        for made in fine
        if (made.cells, made.posterior, made.alike, made.rows)
        == (point.cells, point.min_posterior, point.min_rows, point.suppressed_rows)
        and point.leakage == Bits(made.leak)
        and point.distortion is not None
        and point.distortion.squared == made.far
        and point.mean_loss == made.mean
    ]
    assert alike, "the figures are those of no full-domain release"
    assert min(loss(made, asked) for made in alike) == best
    assert done.optimal
    assert done.scope == "full-domain" or point.distortion == 0 or point.mean_loss == 0
    check_files(world, asked, done, folder)
    return "suppressed" if point.suppressed_rows else "made"


def check_files(world: World, asked: dict[str, Any], done: nl.Release, folder: Path) -> None:
    """The limits hold in the released file, recounted from the two files alone."""
    released = [tuple(row.values()) for row in done.table.to_pylist()]
    answers, prior, alike = defaultdict(set), defaultdict(set), Counter[Any]()
    bets: list[tuple[Any, Any, Value]] = []
    for row, seen in zip(world.rows, released, strict=True):
        known = row[world.width + 1] if world.given else ""
        bets.append(((seen, known), known, row[-1]))
        answers[seen, known].add(row[-1])
        alike[seen, known] += 1
        prior[known].add(row[-1])
    assert min(map(len, answers.values())) == done.point.min_posterior >= asked.get("min_posterior", 1)
    assert min(alike.values()) == done.point.min_rows >= asked.get("min_rows", 1)
    leak = max(Fraction(len(prior[known]), len(held)) for (_, known), held in answers.items())
    assert "max_leakage" not in asked or Bits(leak) <= asked["max_leakage"]
    belief, gain = odds(bets)
    assert belief <= asked.get("largest_belief", 1)
    assert "beta_likeness" not in asked or gain - 1 <= asked["beta_likeness"]
    done.save(folder / "released.parquet", certificate=folder / "certificate.json")
    verified = nl.verify(
        folder / "certificate.json", original=world.table, released=folder / "released.parquet"
    )
    assert verified.holds, [check.name for check in verified.checks if not check.holds]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_of_all_full_domain_releases(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    seen = set()
    for _ in range(12):
        world, share = random_world(rng), rng.choice([Fraction(0), Fraction(1, 4), Fraction(1, 2)])
        seen.add(check(world, random_request(rng), share, tmp_path))
    assert seen & {"made", "suppressed"}


def seen_by(world: World, levels: tuple[int, ...], key: Sequence[int]) -> list[Any]:
    """What someone who knows only a key sees of each row."""
    return [
        (
            tuple(world.trees[i].paths[row[i]][levels[i]] for i in key),
            row[world.width] if world.keep else "",
            row[world.width + 1] if world.given else "",
        )
        for row in world.rows
    ]


def keeps(world: World, seen: Sequence[Any], asked: dict[str, Any]) -> bool:
    """Whether all limits on what is given away hold for what is seen of each row."""
    answers, prior = defaultdict(list), defaultdict(set)
    for one, row in zip(seen, world.rows, strict=True):
        answers[one].append(row[-1])
        prior[one[2]].add(row[-1])
    leak = max(Fraction(len(prior[one[2]]), len(set(held))) for one, held in answers.items())
    belief, gain = odds([(one, one[2], row[-1]) for one, row in zip(seen, world.rows, strict=True)])
    return (
        min(len(set(held)) for held in answers.values()) >= asked.get("min_posterior", 1)
        and min(map(len, answers.values())) >= asked.get("min_rows", 1)
        and ("max_leakage" not in asked or Bits(leak) <= asked["max_leakage"])
        and belief <= asked.get("largest_belief", 1)
        and ("beta_likeness" not in asked or gain - 1 <= asked["beta_likeness"])
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_key_keeps_the_limits(seed: int, tmp_path: Path) -> None:
    """Of all choices of levels the best at which the limits hold for each key; both files say so."""
    rng = random.Random(f"{seed} keys")
    for _ in range(8):
        world, asked = random_world(rng), random_request(rng)
        keys = [rng.sample(range(world.width), rng.randint(1, world.width)) for _ in range(rng.randint(1, 2))]
        far = asked.get("max_distortion")
        fine = [
            made
            for made in world.made(0)
            if (far is None or made.far <= far**2)
            and all(keeps(world, seen_by(world, made.levels, key), asked) for key in keys)
        ]
        names = [["xyz"[i] for i in key] for key in keys]
        try:
            done = nl.release(world.table, **world.options, **asked, key=names, keep_order=True)
        except RequestError:
            assert not fine
            continue
        point, best = done.point, min(loss(made, asked) for made in fine)
        found = (
            (point.mean_loss,)
            if asked["prefer"] == "mean"
            else (point.distortion and point.distortion.squared, point.mean_loss)
        )
        assert found == best
        for key in names:
            columns = zip(*(done.table[name].to_pylist() for name in key), strict=True)
            known = [
                (r[world.width] if world.keep else "", r[world.width + 1] if world.given else "")
                for r in world.rows
            ]
            assert keeps(world, [(word, *side) for word, side in zip(columns, known, strict=True)], asked)
        done.save(tmp_path / "released.csv", certificate=tmp_path / "certificate.json")
        held = json.loads((tmp_path / "certificate.json").read_text("utf-8"))
        assert nl.verify(held, original=world.table, released=done.table).holds
        lies: list[Callable[[Any], object]] = [
            lambda c: c["claim"]["keys"][0].update(min_posterior=99),
            lambda c: c["claim"]["keys"][0].update(min_rows=99),
            lambda c: c["claim"]["keys"][0].update(leakage_exact="1/9"),
            lambda c: c["claim"]["keys"].pop(),
            lambda c: c["options"].update(keys=[]),
            lambda c: c["target"].update(min_rows=99),
        ]
        for lie in lies:
            forged = copy.deepcopy(held)
            lie(forged)
            assert not nl.verify(forged, original=world.table, released=done.table).holds


@pytest.mark.parametrize("seed", SEEDS)
def test_the_frontier_of_levels(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(6):
        world = random_world(rng)
        every = {(made.leak, made.far) for made in world.made(0)}
        best = {p for p in every if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in every)}
        found = nl.frontier(world.table, **world.options)
        assert {
            (point.leakage.ratio, point.distortion and point.distortion.squared) for point in found.points
        } == best
        assert found.scope == "full-domain"


def leak_to(world: World, seen: Sequence[Any]) -> Fraction:
    """The largest share of the values that were possible before to those that what is seen leaves."""
    answers, prior = defaultdict(set), defaultdict(set)
    for one, row in zip(seen, world.rows, strict=True):
        answers[one].add(row[-1])
        prior[one[2]].add(row[-1])
    return max(Fraction(len(prior[one[2]]), len(held)) for one, held in answers.items())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_frontier_of_keys(seed: int) -> None:
    """Of all choices of levels at which the limits hold for each key, those that none beats."""
    rng, many = random.Random(f"{seed} frontier of keys"), 0
    for _ in range(12):
        world, asked = random_world(rng), random_request(rng)
        taken = {"min_rows", "largest_belief", "beta_likeness"}
        limits = {name: limit for name, limit in asked.items() if name in taken}
        keys = [rng.sample(range(world.width), rng.randint(1, world.width)) for _ in range(rng.randint(1, 2))]
        every = set()
        for made in world.made(0):
            seen = [seen_by(world, made.levels, key) for key in keys]
            if all(keeps(world, one, limits) for one in seen):
                every.add((max(leak_to(world, one) for one in seen), made.far))
        best = {p for p in every if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in every)}
        names = [["xyz"[i] for i in key] for key in keys]
        try:
            found = nl.frontier(world.table, **world.options, **limits, key=names)
        except RequestError:
            assert not best
            continue
        points = [
            (point.leakage.ratio, point.distortion and point.distortion.squared) for point in found.points
        ]
        assert set(points) == best
        many += len(points)
    assert many
