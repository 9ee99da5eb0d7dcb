"""Prices against the definition: every dataset of tiny domains is listed and joint answers are counted."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest

from noiseless.exact import Bits
from noiseless.pricing.batches import Price, price
from noiseless.pricing.event import Record
from noiseless.pricing.events import ExactCounts, QuantizedAnswer
from noiseless.pricing.history import BudgetError, History
from noiseless.pricing.partition import Predicate
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, total
from noiseless.ranges.quantizer import Edged
from oracle.worlds import SCENES, Dataset, Question, Row, World


def joint_outputs(world: World, questions: Sequence[Question]) -> dict[int, int]:
    """The definition: for each person, the most joint answers while everybody else stays as they are."""
    seen: dict[tuple[int, tuple[Row, ...]], set[tuple[Hashable, ...]]] = defaultdict(set)
    for dataset in world.datasets():
        answers = tuple(question.answer(dataset) for question in questions)
        for person in set(world.owners):
            others = tuple(row for row, owner in zip(dataset, world.owners, strict=True) if owner != person)
            seen[person, others].add(answers)
    return {
        person: max(len(found) for (who, _), found in seen.items() if who == person)
        for person in set(world.owners)
    }


def is_sound(world: World, priced: Price, truth: dict[int, int]) -> bool:
    """No person causes more answers than the people of their public cell are charged."""
    if max(truth.values()) > priced.outputs:
        return False
    return world.rows > 1 or all(
        truth[person] <= priced.shares.get(world.cells[person], priced.others).outputs for person in truth
    )


class Boundless(Record):
    """A record whose number of values is not told, so that no cap hides what a rule says."""

    def values(self, names: Iterable[str] | None = None) -> None:
        del names


def check_batch(world: World, most: int) -> None:
    questions = [world.question() for _ in range(world.random.randint(1, most))]
    events, truth = [question.event for question in questions], joint_outputs(world, questions)
    assert is_sound(world, price(events, world.record), truth)
    assert is_sound(world, price(events, Boundless(world.record.attributes, world.rows)), truth)


@pytest.mark.parametrize("seed", range(120))
def test_no_price_is_below_the_joint_outputs_of_a_person(seed: int) -> None:
    check_batch(World(Random(seed)), 4)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("scene", SCENES)
def test_no_price_is_below_the_joint_outputs_where_rules_meet(scene: str, seed: int) -> None:
    check_batch(World(Random(seed), scene=scene), 5)


@pytest.mark.parametrize("seed", range(60))
def test_no_price_is_below_the_joint_outputs_of_a_person_with_two_rows(seed: int) -> None:
    check_batch(World(Random(seed), rows=2), 3)


def test_a_sum_that_comes_and_goes_needs_two_cuts() -> None:
    """SUM(x) WHERE x is 2 or 3, told as below 1 or not, and COUNT(*) WHERE x >= 3: four joint answers."""
    x = Attribute("x", range(6))
    query = total(1, x, [2, 3])
    told = QuantizedAnswer(QuantizedQuery(query, Edged.of(query.span, [Fraction(1)])))
    counted = ExactCounts.where(Predicate.of("x", 6, range(3, 6)))
    truth = {((value in {2, 3}) * value >= 1, value >= 3) for value in range(6)}
    assert told.mechanism.reach.outputs == 2
    assert len(truth) == price([told, counted], Boundless((("x", 6),))).outputs == 4


def test_sums_over_two_rows_of_a_person_need_two_dimensions() -> None:
    """The sum of the row in cell a, of that in cell b, and of both: six joint answers; 1 + cuts is four."""
    x = Attribute("x", range(4))
    batch = []
    for covers, rows, edge in (("a", 1, 2), ("b", 1, 2), ("ab", 2, 4)):
        query = total(rows, x, rows=2)
        grid = Edged.of(query.span, [Fraction(edge)])
        batch.append(QuantizedAnswer(QuantizedQuery(query, grid), list(covers)))
    truth = {(one >= 2, two >= 2, one + two >= 4) for one, two in product(range(4), range(4))}
    assert [event.mechanism.reach.outputs for event in batch] == [2, 2, 2]
    assert len(truth) == 6 <= price(batch, Boundless((("x", 4),), rows=2)).outputs == 7


class Strategy:
    """Batches chosen after seeing earlier answers: at each turn any questions of a pool, or none."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed = world, seed
        self.pool = [world.question() for _ in range(5)]
        self.histories: dict[tuple[tuple[int, ...], ...], History] = {}

    def choice(self, answers: tuple[Hashable, ...]) -> tuple[int, ...]:
        random = Random(f"{self.seed} {answers}")
        return tuple(random.sample(range(5), random.randint(0, 2)))

    def run(self, dataset: Dataset) -> tuple[tuple[Hashable, ...], History]:
        """All answers, and what they cost."""
        answers: tuple[Hashable, ...] = ()
        path: tuple[tuple[int, ...], ...] = ()
        history = History(Boundless(self.world.record.attributes))
        for _ in range(3):
            chosen = self.choice(answers)
            path = (*path, chosen)
            if path not in self.histories:
                self.histories[path] = history.after([self.pool[number].event for number in chosen])
            history = self.histories[path]
            answers = (*answers, tuple(self.pool[number].answer(dataset) for number in chosen))
        return answers, history


def check_strategy(world: World, seed: int) -> None:
    """The sum of 2^-(what it cost) over the transcripts that a person can cause is at most 1."""
    strategy = Strategy(world, seed)
    seen: dict[tuple[int, tuple[Row, ...]], dict[tuple[Hashable, ...], Fraction]] = defaultdict(dict)
    for dataset in world.datasets():
        answers, history = strategy.run(dataset)
        for person in set(world.owners):
            others = dataset[:person] + dataset[person + 1 :]
            spent = history.spent_by(world.cells[person]).outputs
            seen[person, others][answers] = Fraction(1, spent)
    assert max(sum(transcripts.values()) for transcripts in seen.values()) <= 1


@pytest.mark.parametrize("seed", range(40))
def test_added_prices_hold_whatever_later_questions_depend_on(seed: int) -> None:
    check_strategy(World(Random(seed)), seed)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("scene", SCENES)
def test_added_prices_hold_where_rules_meet(scene: str, seed: int) -> None:
    check_strategy(World(Random(seed), scene=scene), seed)


def threshold(number: int, size: int) -> Question:
    event = ExactCounts.where(Predicate.of("x", size, range(number, size)))
    return Question(event, lambda dataset: sum(x >= number for x, _ in dataset))


def binary_search(size: int, value: int) -> tuple[list[Question], list[Hashable]]:
    """The counts one asks to find the value of one person, and their answers."""
    low, high = 0, size
    asked: list[Question] = []
    answers: list[Hashable] = []
    while high - low > 1:
        middle = (low + high) // 2
        asked.append(threshold(middle, size))
        answers.append(asked[-1].answer(((value, 0),)))
        low, high = (middle, high) if answers[-1] else (low, middle)
    return asked, answers


def test_cuts_do_not_hold_across_batches() -> None:
    """A binary search with exact counts: three questions, 8 transcripts, where 1 + 3 cuts would be 4."""
    record = Record.of({"x": 8})
    runs = [binary_search(8, value) for value in range(8)]
    assert len({tuple(answers) for _, answers in runs}) == 8
    for questions, _ in runs:
        events = [question.event for question in questions]
        history = History(record)
        for event in events:
            history = history.after([event])
        assert history.spent.outputs == 8
        assert history.disclosed
        assert price(events, record).outputs == 4


def test_the_attributes_asked_about_so_far_are_no_cap_across_batches() -> None:
    """Five transcripts whose paths each cost 4 if capped by the values of the attributes on the path.

    x and y have four values. Is x the last one? If so, one bit of y: 2 * 2. If not, two further questions
    find x: 2 * 2 * 2, or 4 if "x has only four values" were a cap. In all 2 + 3 = 5 transcripts.
    """
    record = Record.of({"x": 4, "y": 4})
    is_x = [ExactCounts.where(Predicate.of("x", 4, [number])) for number in range(4)]
    high_y = ExactCounts.where(Predicate.of("y", 4, [2, 3]))
    found: dict[tuple[bool, ...], int] = {}
    for a, b in product(range(4), range(4)):
        batches = [is_x[3], high_y] if a == 3 else [is_x[3], is_x[2], is_x[1]]
        answers = (True, b >= 2) if a == 3 else (False, a == 2, a == 1)
        history = History(record)
        for event in batches:
            history = history.after([event])
        found[answers] = history.spent.outputs
    assert len(found) == 5
    assert sorted(found.values()) == [4, 4, 8, 8, 8]
    assert sum(Fraction(1, spent) for spent in found.values()) <= 1
    assert sum(Fraction(1, min(spent, 4)) for spent in found.values()) > 1


@pytest.mark.parametrize("scene", SCENES)
def test_a_budget_holds_for_every_strategy(scene: str) -> None:
    """With B outputs at most on every path, refusals and all, one person causes at most B transcripts."""
    world = World(Random(scene), scene=scene)
    strategy = Strategy(world, 0)
    budget = Bits(world.random.randint(2, 6))

    @cache
    def after(account: Account, chosen: tuple[int, ...]) -> tuple[Account, bool]:
        return charged(account, [strategy.pool[place] for place in chosen])

    start = Account(History(Boundless(world.record.attributes), budget))
    seen: dict[tuple[int, tuple[Row, ...]], set[tuple[Hashable, ...]]] = defaultdict(set)
    for dataset in world.datasets():
        account = start
        answers: list[Hashable] = []
        for turn in range(4):
            chosen = strategy.choice((turn, *answers))
            account, allowed = after(account, chosen)
            if allowed:
                answers.append(tuple(strategy.pool[place].answer(dataset) for place in chosen))
        for person in set(world.owners):
            seen[person, dataset[:person] + dataset[person + 1 :]].add(tuple(answers))
    assert max(len(transcripts) for transcripts in seen.values()) <= budget.ratio


class Account:
    """A history that can be a key: each object is its own."""

    def __init__(self, history: History) -> None:
        self.history = history


def charged(account: Account, questions: Sequence[Question]) -> tuple[Account, bool]:
    try:
        return Account(account.history.after([question.event for question in questions])), True
    except BudgetError:
        return account, False
