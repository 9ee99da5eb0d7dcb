"""The reconstruction game: a private column solved for from many random subset sums, at equal bits."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from noiseless.adversaries.columns import MissingRows, PrivateColumn, read_private
from noiseless.adversaries.game import (
    Budget,
    Game,
    Progress,
    Score,
    as_budgets,
    reach_of,
    reported,
    require_sound,
    stream,
)
from noiseless.adversaries.intervals import bootstrap_mean, wilson
from noiseless.adversaries.subset_sums import (
    ReportedSums,
    affordable,
    best_guess,
    certain_ranges,
    one_by_one,
    random_subsets,
    together,
    told_by_cells,
    told_with_noise,
)
from noiseless.adversaries.targets import PEOPLE, PERSON, VALUE, AttackTestbed
from noiseless.arrays import BoolArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational

MECHANISMS = ("noiseless", "gaussian", "gaussian, one by one")
BUDGETS = (2, 4, 6)
QUESTIONS = (20, 60)
MEASURE = "share of people whose value is reconstructed"
_MOST_PEOPLE = 200
_NEAR = 20
"""A value is reconstructed if it is off by at most the range divided by this number."""


@dataclass(frozen=True)
class _Round:
    """What one round at one budget came to.

    Attributes:
        right: the share of people whose value was reconstructed.
        narrowed: the share of people with few values left, for certain.
        left: how many values are left of a person's, on average; all of them under noise.
        fewest: the fewest left of anyone's.
        answered: how many questions were answered.
    """

    right: float
    narrowed: float
    left: float
    fewest: int
    answered: int


@dataclass(frozen=True, eq=False)
class _Scene:
    """The people, what counts as found out, and the seed of the lots."""

    people: PrivateColumn
    within: int
    fewer_than: int
    seed: int

    def told(
        self, arena: AttackTestbed, asked: BoolArray, mechanism: str, budget: Budget, number: int
    ) -> ReportedSums:
        """The answers to the questions of a round; in the first round a real curator is asked too."""
        group = self.people
        if mechanism == "noiseless":
            return _by_cells(arena, group, asked, reach_of(budget), really=number == 0)
        cover = int(asked.sum(axis=0).max())
        scale = (together if mechanism == "gaussian" else one_by_one)(group.size, budget, cover)
        # Random numbers that depend on nothing else that is played; the same for all budgets.
        lot = stream(self.seed, number, len(asked), MECHANISMS.index(mechanism))
        return told_with_noise(asked, group.positions, group.size, scale, lot)

    def play(self, told: ReportedSums, *, certain: bool) -> _Round:
        """Solve for everybody's value."""
        truth, most = self.people.positions, self.people.size - 1
        ranges = certain_ranges(told.asked, told.lower, told.upper, most) if certain else None
        require_sound(ranges is None or ranges.hold(truth), "the truth is among what is left")
        guess = best_guess(told.asked, told.middle, told.variances, most, ranges)
        left = np.full(len(truth), most + 1) if ranges is None else ranges.left
        return _Round(
            float((np.abs(guess - truth) <= self.within).mean()),
            float((left < self.fewer_than).mean()),
            float(left.mean()),
            int(left.min()),
            len(told.asked),
        )

    def score(self, budget: Budget | None, mechanism: str, questions: int, rounds: Sequence[_Round]) -> Score:
        """The mean over rounds, and its interval."""
        shares, people = [one.right for one in rounds], self.people.people
        mean = shares[0] if len(set(shares)) == 1 else math.fsum(shares) / len(shares)
        if not any(one.answered for one in rounds):
            low, high = mean, mean  # nothing was told: nothing is random
        elif len(set(shares)) > 1:
            low, high = bootstrap_mean(shares, self.seed)
        else:
            low, high = wilson(round(mean * people * len(rounds)), people * len(rounds))
        details = {
            "mechanism": mechanism,
            "questions": questions,
            "answered": min(one.answered for one in rounds),
            "narrowed": math.fsum(one.narrowed for one in rounds) / len(rounds),
            "left": math.fsum(one.left for one in rounds) / len(rounds),
            "fewest_left": min(one.fewest for one in rounds),
        }
        return Score(budget, mean, min(low, mean), max(high, mean), details)


def reconstruction(
    table: Any,  # noqa: ANN401 - any frame or source
    column: str,
    *,
    bounds: tuple[Rational, Rational],
    step: Rational = 1,
    budgets: Iterable[Budget | Rational | str] = BUDGETS,
    questions: Sequence[int] = QUESTIONS,
    mechanisms: Sequence[str] = MECHANISMS[:2],
    people: int = 30,
    rounds: int = 4,
    within: Rational | None = None,
    fewer_than: int | None = None,
    seed: int = 0,
    missing: MissingRows = "error",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Game:
    """How much of a private column can be solved for from sums over random subsets, as Dinur and Nissim do.

    Each question is a sum over a random half of some people, which public columns pick out. All questions
    of a round are one batch: published in cells, each as fine as the budget allows when everybody takes part
    in about half of them (the price is that of their cuts), or as many questions as fit if not even two
    outputs each do. In the first round a real curator answers them, and must publish the same cells; later
    ones use its mechanism. Beside it stands Gaussian noise that leaks as many bits about everybody: all
    answers together (`gaussian`), or each an equal part, as a ledger adds them up (`gaussian, one by one`).

    The adversary knows the mechanism and takes values to be spread evenly. The guess is the linear estimate
    with the least mean square error; the score is the share of people for whom it is off by at most `within`.
    From cells it is also certain, by linear programming, which values are left; each play checks that the
    truth is. The interval is a bootstrap over rounds (Wilson's over people where these do not differ).

    Args:
        table: any table; a row is a person.
        column: the private column of numbers.
        bounds: the smallest and the largest possible value.
        step: the resolution of values.
        budgets: bits leaked about one person, at most.
        questions: how many sums are asked for.
        mechanisms: of "noiseless", "gaussian" and "gaussian, one by one".
        people: how many of the table's people take part; they are drawn by lot.
        rounds: how often new subsets are drawn.
        within: how far off a reconstructed value may be; a twentieth of the range if not given.
        fewer_than: a value counts as narrowed when fewer remain; a quarter of all if not given.
        seed: of the lots.
        missing: whether rows without a value are left out or an error.
        names: the columns' names, for text files without a header line.
        progress: called with the number of plays done and their total.

    Raises:
        RequestError: a number makes no sense.
        UnsoundError: an answer excluded the truth.
    """
    _check(questions, mechanisms, people, rounds)
    everybody = read_private(table, column, bounds=bounds, step=step, missing=missing, names=names)
    wanted, counts = as_budgets(budgets), sorted(set(questions))
    lots = [stream(seed, number) for number in range(1 + rounds)]
    group = _drawn(everybody, people, lots[0])
    near = Fraction(group.size - 1, _NEAR) if within is None else Fraction(within) / group.step
    few = max(group.size // 4, 2) if fewer_than is None else fewer_than
    scene = _Scene(group, math.floor(near), few, seed)
    subsets = [random_subsets(group.people, counts[-1], lot) for lot in lots[1:]]
    played = dict[tuple[Budget, str, int], list[_Round]]()
    with AttackTestbed.of(group, range(group.people)) as arena:
        plays = list(product(wanted, mechanisms, counts, range(rounds)))
        for budget, mechanism, count, number in reported(plays, progress):
            told = scene.told(arena, subsets[number][:count], mechanism, budget, number)
            came = scene.play(told, certain=mechanism == "noiseless")
            played.setdefault((budget, mechanism, count), []).append(came)
    results = [scene.score(*what, came) for what, came in played.items()]
    for count in counts:
        exact = [scene.play(_exactly(group, asked[:count]), certain=True) for asked in subsets]
        results += [scene.score(None, mechanism, count, exact) for mechanism in mechanisms]
    settings = {
        "column": column,
        "people": group.people,
        "values": group.size,
        "rounds": rounds,
        "within": float(scene.within * group.step),
        "fewer_than": scene.fewer_than,
        "guessed": scene.play(ReportedSums.of_nothing(subsets[0]), certain=False).right,
    }
    lines = ("mechanism", "questions") if len(counts) > 1 else ("mechanism",)
    return Game("reconstruction", MEASURE, seed, settings, tuple(results), lines)


def _check(questions: Sequence[int], mechanisms: Sequence[str], people: int, rounds: int) -> None:
    if not questions or min(questions) < 1 or rounds < 1:
        raise RequestError("ask at least one question, in at least one round")
    if not mechanisms or any(mechanism not in MECHANISMS for mechanism in mechanisms):
        raise RequestError(f"mechanisms are of {', '.join(MECHANISMS)}, each named by itself")
    if not 2 <= people <= _MOST_PEOPLE:  # noqa: PLR2004 - a subset of one is no subset
        raise RequestError(f"between 2 and {_MOST_PEOPLE} people take part")


def _drawn(everybody: PrivateColumn, people: int, lot: np.random.Generator) -> PrivateColumn:
    """Some people by lot."""
    if everybody.people < 2:  # noqa: PLR2004 - a subset of one is no subset
        raise RequestError("a single person's value is asked for directly; give a table with more rows")
    chosen = np.sort(lot.choice(everybody.people, min(people, everybody.people), replace=False))
    return replace(everybody, positions=everybody.positions[chosen], alone=everybody.alone[chosen])


def _exactly(group: PrivateColumn, asked: BoolArray) -> ReportedSums:
    """Exact sums, whatever would protect them."""
    sums = (asked.astype(np.int64) @ group.positions).astype(float)
    return ReportedSums(asked, sums, sums, np.zeros(len(asked)))


def _by_cells(
    arena: AttackTestbed, group: PrivateColumn, asked: BoolArray, outputs: int, *, really: bool
) -> ReportedSums:
    """The curator's answers, or those of its mechanism."""
    fitting, reach = affordable(asked, outputs)
    if not len(fitting):
        return ReportedSums.of_nothing(asked)
    told = told_by_cells(fitting, reach, group.positions, group.size)
    if really:
        _check_curator(arena, group, reach, told, outputs)
    return told


def _check_curator(
    arena: AttackTestbed, group: PrivateColumn, reach: int, told: ReportedSums, outputs: int
) -> None:
    """Ask a real curator for all of it in one batch."""
    statements = []
    for row in told.asked:
        listed = ", ".join(f"'{person + 1}'" for person in np.flatnonzero(row))
        where = f"WHERE {PERSON} IN ({listed})"
        statements.append(f"SELECT /*+ reach({reach}) */ SUM({VALUE}) FROM {PEOPLE} {where}")
    with arena.curator(outputs) as curator:
        reply = curator.ask(*statements)
        spent = curator.state.spent
    require_sound(Bits(spent.outputs) <= Bits(outputs) or outputs >= group.size, "the budget is kept to")
    low, step = Fraction(arena.text(0)), group.step
    for answer, row, *ends in zip(reply.answers, told.asked, told.lower, told.upper, strict=True):
        assert answer.lower is not None and answer.upper is not None  # noqa: S101, PT018 - sums are numbers
        shift = low * int(row.sum())
        cell = [float((Fraction(end) - shift) / step) for end in (answer.lower, answer.upper)]
        require_sound(cell == [float(end) for end in ends], "the curator answers with the expected cell")
