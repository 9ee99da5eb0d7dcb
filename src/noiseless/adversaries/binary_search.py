"""The binary search game: adaptive thresholds on one person's value, asked of a curator until it refuses."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from noiseless.adversaries.columns import MissingRows, PrivateColumn, read_private, require_filtered
from noiseless.adversaries.game import Budget, Game, Progress, Score, reach_of, require_sound
from noiseless.adversaries.targets import (
    PEOPLE,
    PERSON,
    ROUNDING,
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
from noiseless.exact import Bits, Rational
from noiseless.pricing.history import BudgetError

if TYPE_CHECKING:
    from noiseless.curator import Curator

BUDGETS = tuple(range(7))


def binary_search(
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
    """How far a binary search for one person's value gets before the ledger stops it.

    A question is a count of those whose value is at least a threshold, with and without the target: two exact
    counts in one batch, whose difference says on which side the target is. It costs 1 bit and reveals 1 bit.

    - `adaptive`: each threshold halves what is left, until the curator refuses or one value is left;
    - `batch`: as many evenly spaced thresholds as the budget allows, all asked at once. N - 1 of them cost
      log2 N bits, so a batch gains nothing over the search when N is a power of two, and the rest of
      the budget when it is not.

    The score is as in `differencing`; it is the same for everybody, and exact. Each play checks that the
    truth is among what is left, and that every answer is charged for.

    Args:
        table: any table; a row is a person.
        column: the private column.
        bounds: the smallest and the largest possible number; without them the values are categories.
        step: the resolution of numbers.
        budgets: bits leaked about one person, at most.
        public: columns that everybody knows; without any, everybody can be singled out.
        targets: how many people are attacked; they are drawn by lot.
        seed: of the lot.
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
    return attack_curators(
        "binary-search",
        people,
        _ATTACKS,
        play=lambda arena, target, budget, attack: _played(arena, people, target, reach_of(budget), attack),
        score=lambda budget, name, _, played: _score(budget, name, played, people.size),
        exact=lambda _: one_by_one(people.size),
        budgets=budgets,
        targets=targets,
        seed=seed,
        progress=progress,
    )


def halved(size: int, depth: int) -> list[tuple[range, int]]:
    """What a binary search of up to `depth` steps leaves of 0 .. size-1, and after how many steps.

    >>> halved(3, 5)
    [(range(0, 1), 1), (range(1, 2), 2), (range(2, 3), 2)]
    """

    def search(part: range, steps: int) -> list[tuple[range, int]]:
        if len(part) == 1 or steps == depth:
            return [(part, steps)]
        return [found for half in _halves(part) for found in search(half, steps + 1)]

    return search(range(size), 0)


def thresholds(size: int, outputs: int) -> list[int]:
    """Where 0 .. size-1 is cut into as many parts as there are outputs, as evenly as possible.

    >>> thresholds(10, 4)
    [2, 5, 7]
    """
    parts = min(outputs, size)
    return [cut * size // parts for cut in range(1, parts)]


def _halves(part: range) -> tuple[range, range]:
    middle = len(part) // 2
    return part[:middle], part[middle:]


_Search = tuple[range, Sequence[tuple[range, int]], int, bool]
"""What is left of the target's value; what can be left of a value, and how many outputs are then charged for;
how many questions were answered; and whether the ledger refused the next one."""

Attack = Callable[[AttackTestbed, PrivateColumn, Target, int, "Curator"], _Search]
"""Ask a curator whose budget is this many outputs."""


def _played(
    arena: AttackTestbed, people: PrivateColumn, target: Target, outputs: int, attack: Attack
) -> Play:
    truth, size = int(people.positions[target.number]), people.size
    with arena.curator(outputs) as curator:
        left, ends, questions, stopped = attack(arena, people, target, outputs, curator)
        charged = curator.state.spent.outputs
    require_sound(truth in left, "the truth is among what is left")
    prices = dict(ends)
    require_sound(left in prices, "the search goes as the answers say")
    require_sound(charged == min(prices[left], size), "every answer is charged for")
    most = Bits(min(max(prices.values()), size))
    require_sound(most <= Bits(outputs) or outputs >= size, "the ledger keeps to the budget")
    parts = [AnswerClass(end, end) for end in prices]  # a value that is left leaves itself
    require_sound(Bits(conclusions(parts)) <= most, "no more is revealed than was charged for")
    # A search that ends sooner for some values is cheaper for them: compare what is learnt on average.
    paid = math.fsum(len(end) * math.log2(price) for end, price in ends) / size
    require_sound(learnt_bits(parts, size) <= paid + ROUNDING, "no more is learnt than was charged")
    return Play(left, most, questions, stopped, parts)


def _adaptive(
    arena: AttackTestbed, people: PrivateColumn, target: Target, outputs: int, curator: "Curator"
) -> _Search:
    """Halve until the ledger refuses, or nothing is left to ask."""
    left, steps, stopped = range(people.size), 0, False
    while len(left) > 1 and not stopped:
        lower, upper = _halves(left)
        try:
            left = upper if counted_apart(arena, target, curator, upper.start) else lower
            steps += 1
        except BudgetError:
            stopped = True
    # A budget as large as the record refuses nothing.
    allowed = outputs.bit_length() - 1 if outputs < people.size else people.size
    require_sound(steps <= allowed, "the ledger stops the search at the budget")
    require_sound(steps == allowed or not stopped, "the ledger does not stop the search before")
    ends = [(part, 2**depth) for part, depth in halved(people.size, allowed)]
    return left, ends, 2 * steps, stopped


def _batch(
    arena: AttackTestbed, people: PrivateColumn, target: Target, outputs: int, curator: "Curator"
) -> _Search:
    """All thresholds at once."""
    cuts = thresholds(people.size, outputs)
    counts = [f"SELECT COUNT(*) FROM {PEOPLE} WHERE {arena.from_on(cut)}" for cut in cuts]
    asked = [sql for count in counts for sql in (count, f"{count} AND {PERSON} <> '{target.name}'")]
    told = [answer.value for answer in curator.ask(*asked).answers] if asked else []
    passed = sum(every != rest for every, rest in zip(told[::2], told[1::2], strict=True))
    parts = [range(*ends) for ends in pairwise([0, *cuts, people.size])]
    new = next((number for number in range(1, people.size) if number not in cuts), None)
    stopped = new is not None and is_refused(
        curator, f"SELECT COUNT(*) FROM {PEOPLE} WHERE {arena.from_on(new)}"
    )
    return parts[passed], [(part, len(parts)) for part in parts], len(asked), stopped


def _score(budget: Budget, attack: str, plays: Sequence[Play], size: int) -> Score:
    learnt = learnt_bits(plays[0].parts, size)
    return Score(budget, learnt, learnt, learnt, details_of(attack, plays, conclusions(plays[0].parts)))


_ATTACKS: dict[str, Attack] = {"adaptive": _adaptive, "batch": _batch}
