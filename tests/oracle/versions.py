"""Sessions over several versions of a tiny dataset, played for all that one person's values could be.

One person's private values may be others in each version. Every history of them is listed while
everybody else stays as they are, and the whole session is played for each with real curators.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, prod
from pathlib import Path
from random import Random

import noiseless as nl
from noiseless.curator import ChangedSourceError
from noiseless.errors import NoiselessError, RequestError
from noiseless.replies import Answer

FILE = """
[dataset]
name = "t"
source = "t.csv"
{unit}
[budget]
bits = {bits}
query_bits = {query_bits}
min_group = {min_group}
[columns.town]
role = "public"
categories = ["a", "b"]
[columns.x]
role = "private"
bounds = [{low}, {high}]
"""
SECOND = '[columns.y]\nrole = "private"\ncategories = ["u", "v"]\n'


@dataclass(frozen=True)
class Row:
    """A row: who and the town are public, x and y are private."""

    who: str
    town: str
    x: int
    y: str


Rows = tuple[Row, ...]
Transcript = tuple[str, ...]


@dataclass(frozen=True)
class Edition:
    """What is public of a version, and everybody else."""

    low: int
    values: int
    second: bool
    bits: str
    query_bits: int
    min_group: int
    several: bool
    others: Rows
    towns: tuple[str, ...]
    """Where the person's rows are: none if the person is not there."""
    anew: bool = False
    early: bool = False
    """Whether something is asked after the source was changed and before that is declared."""
    batches: int = 2

    @property
    def file(self) -> str:
        unit = 'unit = "who"\nmax_rows = 2' if self.several else ""
        text = FILE.format(
            unit=unit,
            bits=self.bits,
            query_bits=self.query_bits,
            min_group=self.min_group,
            low=self.low,
            high=self.low + self.values - 1,
        )
        return text + (SECOND if self.second else "")

    @property
    def budget(self) -> int:
        """The largest number of outputs whose log2 is within the budget."""
        if "reach" in self.bits:
            return int(self.bits.strip('"').split()[1])
        bits = Fraction(self.bits)
        return max(n for n in range(1, 2 ** ceil(bits) + 1) if n**bits.denominator <= 2**bits.numerator)

    @property
    def record(self) -> int:
        """How many values a person's record has."""
        one = self.values * (2 if self.second else 1)
        return one**2 if self.several else one

    def possible(self) -> Iterator[Rows]:
        """All that the person's rows could be."""
        xs = range(self.low, self.low + self.values)
        for private in product(product(xs, "uv" if self.second else "u"), repeat=len(self.towns)):
            yield tuple(Row("me", town, x, y) for town, (x, y) in zip(self.towns, private, strict=True))

    def source(self, mine: Rows) -> str:
        """The file's text; rows stand in an order that does not tell whose they are."""
        names = (["who"] if self.several else []) + ["town", "x"] + (["y"] if self.second else [])
        lines = sorted(",".join(str(getattr(row, name)) for name in names) for row in (*self.others, *mine))
        return "\n".join([",".join(names), *lines]) + "\n"


# What is asked, and what is true


@dataclass(frozen=True)
class Question:
    """A statement with one number a row, and its truth given the rows of one group."""

    sql: str
    kept: Callable[[Row], bool]
    truth: Callable[[list[int]], Fraction]
    least: int
    """Of fewer rows there need be no number."""

    def holds(self, answer: Answer, rows: Rows) -> bool:
        values = [
            row.x
            for row in rows
            if self.kept(row) and all(getattr(row, name) == value for name, value in answer.group.items())
        ]
        if answer.interval is None or (self.least and not values):
            return answer.interval is None and len(values) < self.least
        return answer.interval.lower <= self.truth(values) <= answer.interval.upper


def middle(values: list[int]) -> Fraction:
    ordered = sorted(values)
    return Fraction(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2], 2)


def spread(values: list[int]) -> Fraction:
    mean = Fraction(sum(values), len(values))
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / len(values)


NUMBERS: dict[str, Callable[[list[int]], Fraction]] = {
    "COUNT(*)": lambda values: Fraction(len(values)),
    "SUM(x)": lambda values: Fraction(sum(values)),
    "AVG(x)": lambda values: Fraction(sum(values), len(values)),
    "MIN(x)": lambda values: Fraction(min(values)),
    "MAX(x)": lambda values: Fraction(max(values)),
    "MEDIAN(x)": middle,
    "VAR_POP(x)": spread,
    "MAX(x) - MIN(x)": lambda values: Fraction(max(values) - min(values)),
    "3 - 2 * MAX(x)": lambda values: Fraction(3 - 2 * max(values)),
}
WHATS = ("COUNT(*)",) * 6 + ("SUM(x)",) * 3 + ("AVG(x)",) * 2 + tuple(NUMBERS)
HINTS = ("", "", "", "/*+ reach(2) */ ", "/*+ reach(3) */ ", "/*+ bits(2) */ ", "/*+ max_error(0.5) */ ")


def question(random: Random, edition: Edition) -> Question:
    """Some statement about a version."""
    what, place = random.choice(WHATS), random.choice((None, None, None, *edition.towns, "a", "b"))
    by = ["town"] if random.random() < 0.25 else []
    passes, condition = private_filter(random, edition)
    if what == "COUNT(*)" and random.random() < 0.25:
        by += [random.choice("xy") if edition.second else "x"]
        condition = ""
    elif what not in ("COUNT(*)", "SUM(x)", "AVG(x)") or (what != "COUNT(*)" and random.random() < 0.6):
        condition = ""
    conditions = [*([f"town = '{place}'"] if place else []), *([condition] if condition else [])]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    groups = f" GROUP BY {', '.join(by)}" if by else ""
    return Question(
        f"SELECT {random.choice(HINTS)}{', '.join([*by, what])} FROM t{where}{groups}",
        lambda row: place in (None, row.town) and (not condition or passes(row)),
        NUMBERS[what],
        {"COUNT(*)": 0, "SUM(x)": 0, "AVG(x)": edition.min_group}.get(what, 1),
    )


def private_filter(random: Random, edition: Edition) -> tuple[Callable[[Row], bool], str]:
    number = random.randrange(edition.low, edition.low + edition.values - 1)
    choices: list[tuple[Callable[[Row], bool], str]] = [
        (lambda row: row.x > number, f"x > {number}"),
        (lambda row: row.x == number, f"x = {number}"),
        (lambda row: row.x <= number, f"x <= {number}"),
        (lambda row: row.x not in (number, number + 2), f"x NOT IN ({number}, {number + 2})"),
    ]
    if edition.second:
        choices += [(lambda row: row.y == "u", "y = 'u'"), (lambda row: row.y != "u", "y <> 'u'")]
    return random.choice(choices)


def batch(random: Random, edition: Edition) -> list[Question]:
    return [question(random, edition) for _ in range(random.choice((1, 1, 1, 2, 3)))]


# A session, played for everything that the person could be


@dataclass(frozen=True)
class Node:
    """What there is after a version: of one history of the person's values."""

    history: tuple[Rows, ...]
    transcript: Transcript
    changes: tuple[bool, ...]
    """Which declarations and questions found the source changed."""
    account: int
    """How many outputs the person paid for, by the account of their public cell."""
    stated: int
    """How many outputs are stated as spent, for those who paid most."""
    total: int
    """The same, if a record had no end of values."""
    arrived: int
    """The same at the beginning of the version."""
    fresh: bool
    """Whether it is a version of its own."""
    books: tuple[bytes, bytes] = field(repr=False)


@dataclass
class World:
    """Some versions, a way to ask, and a folder to play in."""

    folder: Path
    seed: str
    editions: list[Edition]
    adaptive: str

    def batch(self, number: int, step: int, transcript: Transcript, edition: Edition) -> list[Question]:
        """What is asked next: by what was told before, by a plan, or the same in every version."""
        seen = {"by answers": (number, transcript), "by plan": number, "the same": 0}[self.adaptive]
        return batch(Random(f"{self.seed} {step} {seen}"), edition)

    @property
    def start(self) -> Node:
        """Before the first version."""
        return Node((), (), (), 1, 1, 1, 1, fresh=True, books=((self.folder / "empty.db").read_bytes(), b""))

    def nodes(self) -> list[Node]:
        """What there is after each version, for every history."""
        found, level = [], [self.start]
        for number in range(len(self.editions)):
            level = [
                self.play(number, before, mine)
                for before in level
                for mine in self.editions[number].possible()
            ]
            found += level
        return found

    def write(self, edition: Edition, mine: Rows, declared: Edition | None = None) -> None:
        (self.folder / "t.toml").write_text((declared or edition).file)
        new = self.folder / "new.csv"
        new.write_text(edition.source(mine))
        new.replace(self.folder / "t.csv")

    def restore(self, books: tuple[bytes, bytes]) -> None:
        for name, content in zip(("t-ledger.db", "t-digest.key"), books, strict=True):
            path = self.folder / name
            path.unlink(missing_ok=True)
            if content:
                path.write_bytes(content)

    def play(self, number: int, before: Node, mine: Rows) -> Node:
        """One version, after what was before."""
        edition = self.editions[number]
        self.restore(before.books)
        transcript, changes = list(before.transcript), list(before.changes)
        if number and edition.early:
            self.early(number, before, mine, transcript, changes)
        self.write(edition, mine)
        path = self.folder / "t.toml"
        with nl.Curator.unchecked(path) if number else nl.Curator.open(path) as curator:
            fresh = True
            if number:
                fresh = curator.declare_version(carry_over=not edition.anew).is_new
                changes.append(fresh)
            arrived = curator.state
            transcript.append(f"version {curator.public.version} {curator.public.population} {arrived.spent}")
            rows = (*edition.others, *mine)
            for step in range(edition.batches):
                asked = self.batch(number, step, tuple(transcript), edition)
                changes.append(ask(curator, asked, rows, transcript))
            state = curator.state
        paid = state.total.outputs
        if fresh and not edition.towns:
            paid = arrived.total.outputs
        elif fresh and not edition.several:
            paid = state.cells.get(f'["{edition.towns[0]}"]', state.others).outputs
        return Node(
            (*before.history, mine),
            tuple(transcript),
            tuple(changes),
            paid,
            state.spent.outputs,
            state.total.outputs,
            arrived.total.outputs,
            fresh,
            ((self.folder / "t-ledger.db").read_bytes(), (self.folder / "t-digest.key").read_bytes()),
        )

    def early(
        self, number: int, before: Node, mine: Rows, transcript: list[str], changes: list[bool]
    ) -> None:
        """Ask while the source is no longer what was declared: only what needs no data is answered."""
        declared = self.editions[number - 1]
        edition = self.editions[number]
        if (edition.values, edition.second) != (declared.values, declared.second):
            return
        self.write(edition, mine, declared)
        with nl.Curator.open(self.folder / "t.toml") as curator:
            rows = (*declared.others, *before.history[-1])
            asked = self.batch(number - 1, 0, tuple(before.transcript), declared)
            changes.append(ask(curator, asked, rows, transcript))


def ask(curator: nl.Curator, asked: list[Question], rows: Rows, transcript: list[str]) -> bool:
    """Price and ask a batch and write down all that is told; whether the source was found changed."""
    texts = [each.sql for each in asked]
    transcript.append(f"asked {texts}")
    try:
        quote = curator.price(*texts)
    except RequestError as error:
        transcript.append(f"not priced {error}")
        return False
    transcript.append(f"priced {quote.to_dict()}")
    try:
        reply = curator.ask(*texts)
    except NoiselessError as error:
        changed = isinstance(error, ChangedSourceError)
        assert changed or not quote.allowed
        assert curator.state.spent == quote.spent
        transcript.append(f"refused {error}")
        return changed
    assert quote.allowed
    assert reply.batch == quote.batch
    truths = {each.sql: each for each in asked}
    untrue = [answer for answer in reply.answers if not truths[answer.sql].holds(answer, rows)]
    assert not untrue, (untrue, rows)
    transcript.append(f"told {reply.to_dict()}")
    return False


# Worlds

BUDGETS = ("1", "1.5", '"reach 3"', "2", "2.5", "3", "3", "4", "5")


def edition(random: Random, *, several: bool, like: Edition | None) -> Edition:
    """A version, often like the one before."""
    values = random.choice((2, 2, 3, 3, 4)) if like is None or random.random() < 0.15 else like.values
    second = random.random() < 0.15 if like is None or random.random() < 0.1 else like.second
    bits = random.choice(BUDGETS) if like is None or random.random() < 0.1 else like.bits
    towns = [random.choice("ab") for _ in range(random.choice((1, 2)) if several else 1)]
    if like is not None and like.towns and random.random() < 0.3:
        towns = list(like.towns)
    names = [name for name in "pq" for _ in range(random.choice((0, 1, 1, 2) if several else (0, 1, 1)))]
    low = random.choice((0, 0, -1)) if like is None else like.low
    return Edition(
        low=low,
        values=2 if several else values,
        second=second and not several,
        bits=bits,
        query_bits=random.choice((1, 1, 2)) if like is None else like.query_bits,
        min_group=random.choice((1, 2)) if like is None else like.min_group,
        several=several,
        others=tuple(
            Row(name, random.choice("ab"), random.randrange(low, low + 2), random.choice("uv"))
            for name in names
        ),
        towns=() if names and random.random() < 0.12 else tuple(towns),
        early=random.random() < 0.15,
        batches=random.choice((1, 2, 2, 3)),
    )


def world(seed: str, folder: Path) -> World:
    """A few versions with few enough histories."""
    random = Random(seed)
    most = random.choice((4, 4, 6, 8, 9, 16))
    while True:
        several = random.random() < 0.1
        editions: list[Edition] = []
        for _ in range(random.choice((2, 2, 3))):
            editions.append(edition(random, several=several, like=editions[-1] if editions else None))
        if prod(len(list(each.possible())) for each in editions) <= most:
            adaptive = random.choice(("by answers", "by answers", "by plan", "the same"))
            return World(folder, seed, editions, adaptive)
