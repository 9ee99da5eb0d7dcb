"""Curators set up to be attacked, the people an adversary singles out, and the outcome of an attack."""

import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from noiseless.adversaries.columns import PrivateColumn
from noiseless.adversaries.game import Budget, Game, Progress, Score, as_budgets, reported, stream
from noiseless.domain import CategoryColumn, Column, NumberColumn, Schema
from noiseless.domain.literals import as_text, read_number
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.pricing.history import BudgetError

if TYPE_CHECKING:
    from noiseless.curator import Curator

PEOPLE, PERSON, VALUE = "people", "person", "value"
"""The dataset, its public column and its private one, as they are called in questions."""

OTHERS = "others"
"""What the public column says of everybody who is not singled out."""

MEASURE = "bits learnt about the target"
ROUNDING = 1e-9
"""Sums of logarithms are off by less."""

Attack = TypeVar("Attack")


class AttackTestbed:
    """One private table over which any number of curators can be opened, each as if it were the first.

    The table has a public column that says who somebody is, for those whom questions single out, and the
    private column. In the user's table any filter over public columns may do that.
    """

    def __init__(self, folder: Path, column: PrivateColumn, persons: Sequence[int]) -> None:
        self._folder = folder
        self._column = column
        self._persons = tuple(persons)
        self._plays = 0

    @classmethod
    @contextmanager
    def of(cls, column: PrivateColumn, persons: Sequence[int]) -> Iterator[Self]:
        """An arena in a temporary folder.

        Args:
            column: everybody's private values.
            persons: the people who can be singled out, by their numbers.
        """
        with TemporaryDirectory(prefix="noiseless-attack-") as folder:
            yield cls(Path(folder), column, persons)

    @contextmanager
    def curator(self, outputs: int) -> "Iterator[Curator]":
        """A curator whose budget is this many outputs, none of them spent."""
        from noiseless.curator import Curator

        self._plays += 1
        place = self._folder / f"play-{self._plays}"
        shutil.copytree(self._declared(outputs), place)
        try:
            with Curator.open(place / "people.toml") as curator:
                yield curator
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _declared(self, outputs: int) -> Path:
        """A folder with the table, the curator's file and a ledger in which it is declared."""
        from noiseless.curator import Curator

        place = self._folder / f"reach-{outputs}"
        if not place.is_dir():
            place.mkdir()
            self._write_table(place / "people.csv")
            (place / "people.toml").write_text(self._file(outputs), "utf-8")
            Curator.open(place / "people.toml").close()
        return place

    def _write_table(self, path: Path) -> None:
        told = [self.text(number) for number in range(self._column.size)]
        names = dict(zip(self._persons, map(str, range(1, len(self._persons) + 1)), strict=True))
        rows = (
            f"{names.get(number, OTHERS)},{told[position]}"
            for number, position in enumerate(self._column.positions.tolist())
        )
        path.write_text("\n".join([f"{PERSON},{VALUE}", *rows, ""]), "utf-8")

    def _file(self, outputs: int) -> str:
        categories = tuple(map(str, range(1, len(self._persons) + 1)))
        if len(self._persons) < self._column.people:
            categories = (*categories, OTHERS)
        public = CategoryColumn.model_validate({"role": "public", "categories": categories})
        private: Column = self._column.domain
        if not isinstance(private, NumberColumn):  # by their numbers: no text of a user's goes into SQL
            numbers = tuple(map(str, range(private.size)))
            private = CategoryColumn.model_validate({"role": "private", "categories": numbers})
        head = f'[dataset]\nname = "{PEOPLE}"\nsource = "people.csv"\n[budget]\nbits = "reach {outputs}"\n'
        return head + Schema({PERSON: public, VALUE: private}).dump()

    def text(self, number: int) -> str:
        """A value of the private column as it stands in the table."""
        domain = self._column.domain
        return as_text(read_number(domain.value(number))) if isinstance(domain, NumberColumn) else str(number)

    def from_on(self, number: int) -> str:
        """The condition that a value has this number or a later one."""
        if isinstance(self._column.domain, NumberColumn):
            return f"{VALUE} >= {self.text(number)}"
        listed = ", ".join(f"'{n}'" for n in range(number, self._column.size))
        return f"{VALUE} IN ({listed})"


@dataclass(frozen=True)
class Target:
    """A person whom the adversary is after.

    Attributes:
        number: the person's place in the column.
        name: what the public column says of them.
    """

    number: int
    name: str


@dataclass(frozen=True)
class AnswerClass:
    """Values that lead to the same answers.

    Attributes:
        values: which the target may have.
        left: what the adversary then holds possible.
    """

    values: range
    left: range


@dataclass(frozen=True)
class Play:
    """What came of one attack on one target.

    Attributes:
        left: what remains possible of the target's value.
        charged: what the ledger charged for it, for those who paid most.
        questions: how many were answered.
        stopped: whether the ledger refused the next one.
        parts: what anyone's answers would reveal.
    """

    left: range
    charged: Bits
    questions: int
    stopped: bool
    parts: Sequence[AnswerClass]


def draw_targets(people: PrivateColumn, targets: int, seed: int) -> list[Target]:
    """People by lot, of those who can be singled out.

    Raises:
        RequestError: there are none.
    """
    alone = np.flatnonzero(people.alone)
    if not len(alone):
        raise RequestError(
            "nobody is alone with their values of the public columns; name more of them, or none"
        )
    if targets < 1:
        raise RequestError("attack at least one target")
    if people.people == 1:
        raise RequestError("a single person's value is asked for directly; give a table with more rows")
    numbers = np.sort(stream(seed, 0).choice(alone, min(targets, len(alone)), replace=False))
    return [Target(int(number), str(place)) for place, number in enumerate(numbers, 1)]


def learnt_bits(parts: Iterable[AnswerClass], size: int) -> float:
    """log2 of all values over those left, on average over what the value may be.

    >>> learnt_bits([AnswerClass(range(2), range(2)), AnswerClass(range(2, 4), range(2, 4))], 4)
    1.0
    """
    return math.fsum(len(part.values) * math.log2(size / len(part.left)) for part in parts) / size


def unprotected(attack: str, parts: Iterable[AnswerClass], size: int) -> Score:
    """What an attack would reveal if the answers were exact, and nobody counted them."""
    told = list(parts)
    bits = learnt_bits(told, size)
    fewest = min(len(part.left) for part in told)
    counts = {"told_apart": conclusions(told), "left": float(fewest), "fewest_left": fewest}
    details = {"attack": attack, "charged": None, **counts, "questions": None, "stopped": False}
    return Score(None, bits, bits, bits, details)


def details_of(attack: str, plays: Sequence[Play], told_apart: int) -> dict[str, Any]:
    """What came of an attack on some targets."""
    return {
        "attack": attack,
        "charged": max(play.charged for play in plays).upper,
        "told_apart": told_apart,
        "left": math.fsum(len(play.left) for play in plays) / len(plays),
        "fewest_left": min(len(play.left) for play in plays),
        "questions": max(play.questions for play in plays),
        "stopped": any(play.stopped for play in plays),
    }


def attack_curators(
    game: str,
    people: PrivateColumn,
    attacks: Mapping[str, Attack],
    *,
    play: Callable[[AttackTestbed, Target, Budget, Attack], Play],
    score: Callable[[Budget, str, Sequence[Target], Sequence[Play]], Score],
    exact: Callable[[str], Iterable[AnswerClass]],
    budgets: Iterable[Budget | Rational | str],
    targets: int,
    seed: int,
    progress: Progress | None,
) -> Game:
    """Play attacks on real curators, each with every budget on every target.

    Args:
        game: its name.
        people: everybody's private values.
        attacks: by their names.
        play: attack one target.
        score: what all plays of an attack with a budget come to.
        exact: what an attack would reveal if the answers were exact.
        budgets: bits leaked about one person, at most.
        targets: how many people are attacked.
        seed: of the lot that chooses them.
        progress: called with the number of attacks done and their total.
    """
    chosen, wanted = draw_targets(people, targets, seed), as_budgets(budgets)
    plays = dict[tuple[Budget, str], list[Play]]()
    with AttackTestbed.of(people, [target.number for target in chosen]) as arena:
        for budget, name, target in reported(list(product(wanted, attacks, chosen)), progress):
            plays.setdefault((budget, name), []).append(play(arena, target, budget, attacks[name]))
    results = [score(budget, name, chosen, played) for (budget, name), played in plays.items()]
    results += [unprotected(name, exact(name), people.size) for name in attacks]
    settings = {
        "column": people.name,
        "people": people.people,
        "values": people.size,
        "singled_out": float(people.alone.mean()),
        "targets": len(chosen),
    }
    return Game(game, MEASURE, seed, settings, tuple(results), ("attack",))


def one_by_one(size: int) -> list[AnswerClass]:
    """Every value can be told apart from all others."""
    return [AnswerClass(range(value, value + 1), range(value, value + 1)) for value in range(size)]


def conclusions(parts: Iterable[AnswerClass]) -> int:
    """How many different things the target can make the adversary conclude."""
    return len({(part.left.start, part.left.stop) for part in parts})


def is_refused(curator: "Curator", *sql: str) -> bool:
    """Ask, and say whether the ledger refused."""
    try:
        curator.ask(*sql)
    except BudgetError:
        return True
    return False


def counted_apart(arena: AttackTestbed, target: Target, curator: "Curator", number: int) -> bool:
    """Whether the target's value is the one with a number or beyond, by two counts.

    Raises:
        BudgetError: the ledger refuses.
    """
    counts = f"SELECT COUNT(*) FROM {PEOPLE} WHERE {arena.from_on(number)}"
    reply = curator.ask(counts, f"{counts} AND {PERSON} <> '{target.name}'")
    every, rest = (answer.value for answer in reply.answers)
    assert every is not None and rest is not None  # noqa: S101, PT018 - counts are numbers
    return every - rest == 1
