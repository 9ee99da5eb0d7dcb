"""The differencing game: a sum or a count with and without one person, asked of a real curator."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.adversaries.columns import MissingRows, PrivateColumn, read_private, require_filtered
from noiseless.adversaries.game import Budget, Game, Progress, Score, reach_of, require_sound
from noiseless.adversaries.intervals import bootstrap_mean
from noiseless.adversaries.targets import (
    PEOPLE,
    PERSON,
    ROUNDING,
    VALUE,
    AnswerClass,
    AttackTestbed,
    Play,
    Target,
    attack_curators,
    conclusions,
    counted_apart,
    details_of,
    is_refused,
    learnt_bits,
    one_by_one,
)
from noiseless.domain import NumberColumn
from noiseless.exact import Bits, Rational
from noiseless.pricing.plan import named_query
from noiseless.pricing.reach import QuantizedQuery, finest
from noiseless.ranges.quantizer import CellInterval

if TYPE_CHECKING:
    from noiseless.curator import Curator

BUDGETS = tuple(range(7))
_TELLS_SOMETHING = 2

_MOST_PARTS = 100_000
"""Up to this many parts of domains, what is learnt is computed for everybody; beyond, for the targets."""

_COUNT = "count, difference"


def differencing(
    table: Any,  # noqa: ANN401 - any frame or source
    column: str,
    *,
    bounds: tuple[Rational, Rational] | None = None,
    step: Rational = 1,
    budgets: Iterable[Budget | Rational | str] = BUDGETS,
    public: Sequence[str] = (),
    targets: int = 3,
    seed: int = 0,
    missing: MissingRows = "error",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Game:
    """What questions with and without one person reveal about that person, and what they cost.

    Anyone whose public values nobody shares can be singled out by a filter. Attacks:

    - `sum, difference`: SUM over everybody and over everybody else, in one batch that spends the budget;
    - `sum, others known`: SUM over everybody, by somebody who knows everybody else's value;
    - `sum, direct`: SUM over the target alone;
    - `count, difference`: COUNT of those with a value in the upper half, with and without the target.

    The score is the bits learnt: log2 of all values over those left, on average over what the target's value
    may be, and over all who can be singled out. It is exact (for very large domains it is taken over the
    targets, with a bootstrap over these). A few targets, drawn by lot, are really attacked: a curator over
    the table answers, in a temporary folder and with a fresh ledger each time. Each play checks that the
    answers are those expected, that the truth is among what is left, and that no more is learnt than was
    charged. (A single answer may leave fewer values than that: a budget bounds how many things can be told
    apart, not how small the smallest set is.)

    Args:
        table: any table; a row is a person.
        column: the private column.
        bounds: the smallest and the largest possible number; without them the values are categories, and
            only counts are asked for.
        step: the resolution of numbers.
        budgets: bits leaked about one person, at most.
        public: columns that everybody knows; without any, everybody can be singled out.
        targets: how many people are really attacked.
        seed: of the lot that chooses them.
        missing: whether rows without a value are left out or an error.
        names: the columns' names, for text files without a header line.
        progress: called with the number of attacks done and their total.

    Raises:
        RequestError: nobody can be singled out, or a number makes no sense.
        UnsoundError: an answer excluded the truth, or revealed more than it cost.
    """
    people = read_private(
        table, column, bounds=bounds, step=step, public=public, missing=missing, names=names
    )
    require_filtered(people)
    attacks = _ATTACKS if isinstance(people.domain, NumberColumn) else {_COUNT: _ATTACKS[_COUNT]}

    return attack_curators(
        "differencing",
        people,
        attacks,
        play=lambda arena, target, budget, attack: _played(arena, people, target, reach_of(budget), attack),
        score=lambda budget, name, attacked, plays: _score(
            people, [target.number for target in attacked], (budget, name), plays, seed
        ),
        exact=lambda name: attacks[_COUNT].parts(people, 0, 2) if name == _COUNT else one_by_one(people.size),
        budgets=budgets,
        targets=targets,
        seed=seed,
        progress=progress,
    )


def _played(
    arena: AttackTestbed, people: PrivateColumn, target: Target, outputs: int, attack: "_Attack"
) -> Play:
    truth, size = int(people.positions[target.number]), people.size
    with arena.curator(outputs) as curator:
        questions = attack.ask(arena, people, target, outputs, curator)
        charged = Bits(curator.state.spent.outputs)
        stopped = is_refused(curator, f"SELECT COUNT(*) FROM {PEOPLE} WHERE {arena.from_on(1)}")
    parts = attack.parts(people, truth, outputs)
    (left,) = (part.left for part in parts if truth in part.values)
    require_sound(truth in left, "the truth is among what is left")
    require_sound(Bits(conclusions(parts)) <= charged, "no more is revealed than was charged for")
    require_sound(learnt_bits(parts, size) <= charged.upper + ROUNDING, "no more is learnt than was charged")
    require_sound(charged <= Bits(outputs) or outputs >= size, "the ledger keeps to the budget")
    return Play(left, charged, questions, stopped, parts)


def _score(
    people: PrivateColumn,
    targets: Sequence[int],
    attack: tuple[Budget, str],
    plays: Sequence[Play],
    seed: int,
) -> Score:
    """For everybody who can be singled out; people with the same value give the same answer."""
    budget, name = attack
    outputs = reach_of(budget)
    values, counts = np.unique(people.positions[people.alone], return_counts=True)
    few = len(values) * min(outputs, people.size) <= _MOST_PARTS
    if not few:
        values, counts = np.unique(people.positions[list(targets)], return_counts=True)
    told = [_ATTACKS[name].parts(people, value, outputs) for value in values.tolist()]
    bits = [learnt_bits(parts, people.size) for parts in told]
    mean = math.fsum(b * c for b, c in zip(bits, counts.tolist(), strict=True)) / int(counts.sum())
    low, high = (mean, mean) if few else bootstrap_mean(np.repeat(bits, counts).tolist(), seed)
    details = details_of(name, plays, max(map(conclusions, told)))
    return Score(budget, mean, min(low, mean), max(high, mean), details)


@dataclass(frozen=True)
class _Sum:
    """A sum to ask for.

    Attributes:
        mechanism: the sum of numbers of values, and its cells.
        where: who takes part, in SQL.
        people: how many they are.
        truth: the true sum.
    """

    mechanism: QuantizedQuery
    where: str
    people: int
    truth: int

    @classmethod
    def of(cls, size: int, outputs: int, where: str, people: int, truth: int) -> "_Sum":
        """As fine as this many outputs allow."""
        query, _ = named_query("sum", people, 0, size - 1, 1)
        return cls(finest(query, outputs), where, people, truth)

    @property
    def cell(self) -> CellInterval:
        """The published cell."""
        return self.mechanism.quantizer.answer(self.mechanism.quantizer.cell_at(self.truth))

    def parts(self, own: int, size: int, others: CellInterval) -> list[AnswerClass]:
        """The cells that each possible value would publish, given the interval that holds the others' sum."""
        quantizer, base = self.mechanism.quantizer, self.truth - own
        found = []
        for number in range(quantizer.cell_at(base), quantizer.cell_at(base + size - 1) + 1):
            cell = quantizer.answer(number)
            first, after = (quantizer.begin(end) - base for end in (number, number + 1))
            low, high = math.ceil(cell.lower - others.upper), math.floor(cell.upper - others.lower)
            left = range(max(low, 0), min(high, size - 1) + 1)
            found.append(AnswerClass(range(max(first, 0), min(after, size)), left))
        return found


@dataclass(frozen=True)
class _SumAttack:
    """Sums that are asked for in one batch: one with the target, and maybe that over everybody else.

    Attributes:
        sums: from everybody, the target's value, how many outputs are allowed, and the target's name.
    """

    sums: Callable[[PrivateColumn, int, int, str], tuple[_Sum, ...]]

    def parts(self, people: PrivateColumn, own: int, outputs: int) -> list[AnswerClass]:
        """What somebody with a value reveals, by what it could be; without a second sum the rest is known."""
        first, *rest = self.sums(people, own, outputs, "")
        known = Fraction(first.truth - own)
        return first.parts(own, people.size, rest[0].cell if rest else CellInterval(known, known))

    def ask(
        self, arena: AttackTestbed, people: PrivateColumn, target: Target, outputs: int, curator: "Curator"
    ) -> int:
        """Ask, and check that the published intervals are those expected; how many questions it took.

        A sum with a single output is a constant, which everybody knows, so it is not asked for.
        """
        sums = self.sums(people, int(people.positions[target.number]), outputs, target.name)
        asked = [one for one in sums if one.mechanism.reach.outputs > 1]
        if not asked:
            return 0
        reply = curator.ask(
            *(
                f"SELECT /*+ reach({one.mechanism.reach.outputs}) */ SUM({VALUE}) FROM {PEOPLE} {one.where}"
                for one in asked
            )
        )
        low, step = Fraction(arena.text(0)), people.step
        for answer, one in zip(reply.answers, asked, strict=True):
            assert answer.lower is not None and answer.upper is not None  # noqa: S101, PT018 - sums are numbers
            told = [(Fraction(end) - low * one.people) / step for end in (answer.lower, answer.upper)]
            require_sound(told == list(one.cell), "the curator answers with the declared cell")
            require_sound(told[0] <= one.truth <= told[1], "the answer's interval holds the truth")
        return len(asked)


class _CountAttack:
    """Counts of those in the upper half, with and without the target."""

    def parts(self, people: PrivateColumn, own: int, outputs: int) -> list[AnswerClass]:
        """The same whatever value somebody has."""
        del own
        cuts = [0, people.size] if outputs < _TELLS_SOMETHING else [0, people.size // 2, people.size]
        return [AnswerClass(range(*ends), range(*ends)) for ends in pairwise(cuts)]

    def ask(
        self, arena: AttackTestbed, people: PrivateColumn, target: Target, outputs: int, curator: "Curator"
    ) -> int:
        """Ask, if that is allowed, and check the difference."""
        if outputs < _TELLS_SOMETHING:
            return 0
        middle = people.size // 2
        above = counted_apart(arena, target, curator, middle)
        own = int(people.positions[target.number])
        require_sound(above == (own >= middle), "the difference of two exact counts is the target's")
        return 2


def _two_sums(people: PrivateColumn, own: int, outputs: int, name: str) -> tuple[_Sum, ...]:
    """Everybody's sum and everybody else's: k1 + k2 - 1 outputs together (cuts), the budget shared evenly."""
    first = outputs // 2 + 1 if outputs >= _TELLS_SOMETHING else 1
    (everybody,) = _everybody(people, own, first, name)
    where, rest = f"WHERE {PERSON} <> '{name}'", everybody.truth - own
    return everybody, _Sum.of(people.size, outputs + 1 - first, where, people.people - 1, rest)


def _everybody(people: PrivateColumn, _own: int, outputs: int, _name: str) -> tuple[_Sum, ...]:
    return (_Sum.of(people.size, outputs, "", people.people, int(people.positions.sum())),)


def _alone(people: PrivateColumn, own: int, outputs: int, name: str) -> tuple[_Sum, ...]:
    return (_Sum.of(people.size, outputs, f"WHERE {PERSON} = '{name}'", 1, own),)


_Attack = _SumAttack | _CountAttack
_ATTACKS: dict[str, _Attack] = {
    "sum, difference": _SumAttack(_two_sums),
    "sum, others known": _SumAttack(_everybody),
    "sum, direct": _SumAttack(_alone),
    _COUNT: _CountAttack(),
}
