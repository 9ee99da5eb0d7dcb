"""Appliance recognition: which appliances are on, guessed from a house's meter, scored by F-scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from noiseless.adversaries.appliance_states import PLAYERS, Adversary, Appliance, Household
from noiseless.adversaries.columns import as_floats, read_columns
from noiseless.adversaries.game import Budget, Game, Progress, Score, as_budgets, reported, stream
from noiseless.adversaries.intervals import CONFIDENCE
from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.collection.local.scalar import describe
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.reach import as_finite
from noiseless.questions import Continuum, Lattice
from noiseless.tables import Missing, require_distinct

MEAN = "mean"
"""What stands for all appliances together."""


def appliances(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    meter: str,
    circuits: Sequence[str],
    bounds: tuple[Rational, Rational],
    step: Rational | None = None,
    budgets: Iterable[Budget | Rational | float | str] = range(1, 9),
    adversaries: Sequence[Adversary] = get_args(Adversary),
    top: int | None = None,
    levels: int = 2,
    threshold: float = 10.0,
    train: Rational = Fraction(1, 4),
    blocks: int = 100,
    rounds: int = 1000,
    clamp: bool = False,
    missing: Missing = "error",
    names: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Game:
    """How well appliances are recognised from a meter's readings, for each budget: f-scores.

    An appliance is on when it draws more than its standby power, by more than the threshold. Two adversaries:

    - `combinatorial` is the one of [P1]: it takes the smallest reading shown as the power of the house
      with everything off, and for each reading guesses the combination of learned levels with the nearest
      sum.
    - `frequencies` is stronger: it quantises the readings it learned from as the meter does, and says that an
      appliance is on if it was on in more than half of those that read alike (to within the threshold).

    Intervals come from a bootstrap of blocks of consecutive readings. Results have a line for each appliance
    and one for their mean.

    >>> import pyarrow as pa
    >>> kettle, lamp = [0, 2000, 0, 0] * 4, [60, 60, 0, 0] * 4
    >>> house = pa.table({"kettle": kettle, "lamp": lamp, "all": np.add(kettle, lamp) + 90})
    >>> game = appliances(house, meter="all", circuits=["kettle", "lamp"], bounds=(0, 4095), budgets=[1])
    >>> [(s.details["appliance"], round(s.score, 2)) for s in game.results if s.budget is None][:3]
    [('mean', 1.0), ('kettle', 1.0), ('lamp', 1.0)]

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame; its rows in the order of time.
        meter: the column of the meter's readings, in watts (or any unit, with a threshold in it).
        circuits: the columns of the appliances' own readings.
        bounds: the smallest and the largest possible reading of the meter.
        step: the resolution of its readings; without it, any number.
        budgets: the bits that a reading may leak.
        adversaries: which adversaries play.
        top: only this many circuits, those that used the most energy in the rows learned from.
        levels: how many power levels an appliance has when it is on.
        threshold: how far above its standby power an appliance is on.
        train: the share of the rows to learn from, taken from the start.
        blocks: into how many blocks the other rows are cut for the bootstrap.
        rounds: how many rounds the bootstrap has.
        clamp: move readings outside the bounds to the nearest value instead of refusing them.
        missing: missing values are an "error", or their rows are left out ("drop").
        names: the columns' names, for text files without a header line.
        seed: of the bootstrap's random numbers.
        progress: called with the number of budgets done and their total.

    Raises:
        DomainError: readings lie outside the bounds.
        RequestError: an argument makes no sense.
    """
    _check(circuits, adversaries, (levels, blocks, rounds), threshold, missing)
    require_distinct(meter=[meter], circuit=circuits)
    span = Continuum.of(*bounds) if step is None else Lattice.of(*bounds, step)
    rows = read_columns(table, [meter, *circuits], missing=missing, names=names)
    draws = {name: as_floats(rows, name) for name in circuits}
    learned = int(len(rows) * (as_finite(train) or 0))
    if not 0 < learned < len(rows):
        raise RequestError("some rows are learned from and some are guessed; train takes a share such as 1/4")
    chosen = _largest(draws, learned, top)
    known = tuple(Appliance.learn(name, chosen[name][:learned], threshold, levels) for name in chosen)
    on = np.stack([chosen[one.name] - one.standby > one.threshold for one in known], axis=1)
    house = Household(rows.column(meter), as_floats(rows, meter), span, learned, on, known, threshold)
    drawn = BlockBootstrap.draw(len(rows) - learned, blocks, rounds, stream(seed, 0))
    played = (*as_budgets(budgets), None)
    truth = on[learned:]
    really, results = drawn.sums(truth), list[Score]()
    for budget in reported(played, progress):
        told = house.told(budget, meter, clamp=clamp)
        for adversary in adversaries:
            guessed = PLAYERS[adversary](house, told)[told.codes[learned:]]
            scores = drawn.scores(budget, guessed, truth, really)
            for name, score in zip((MEAN, *chosen), scores, strict=True):
                who = {"adversary": adversary, "appliance": name}
                results.append(replace(score, details=who | dict(score.details)))
    settings = {"meter": meter, **_settings(house), "blocks": len(drawn.starts), "rounds": rounds}
    return Game("appliances", "f-score", seed, settings, tuple(results), ("adversary", "appliance"))


@dataclass(frozen=True, eq=False)
class BlockBootstrap:
    """Readings in blocks of equal length, resampled as a whole.

    Appliances run for minutes and hours, so neighbouring readings say the same: resampled one by one they
    would make intervals far too narrow.

    Attributes:
        starts: where each block begins.
        weights: how often each block is drawn in each round of the bootstrap.
    """

    starts: IntArray
    weights: FloatArray

    @classmethod
    def draw(cls, rows: int, blocks: int, rounds: int, rng: np.random.Generator) -> "BlockBootstrap":
        """Cut rows into blocks and draw the rounds: as many blocks as there are, with replacement."""
        count = min(blocks, rows)
        starts = np.arange(count, dtype=np.int64) * rows // count
        chosen = rng.multinomial(count, np.full(count, 1 / count), size=rounds)
        return cls(starts, chosen.astype(float))

    def sums(self, flags: BoolArray) -> FloatArray:
        """How often each column of flags is true in each block."""
        return np.add.reduceat(flags, self.starts, axis=0, dtype=np.int64).astype(float)

    def scores(
        self, budget: Budget | None, guessed: BoolArray, truth: BoolArray, really: FloatArray
    ) -> Iterator[Score]:
        """The mean f-score of all columns, then that of each, with their precision and recall.

        Args:
            budget: what the readings behind the guesses may leak.
            guessed: for each reading and column, whether it is said to be on.
            truth: whether it is on.
            really: the sums of the truth by block.
        """
        right, said = self.sums(guessed & truth), self.sums(guessed)
        value = f_score(right.sum(0), said.sum(0), really.sum(0))
        again = f_score(self.weights @ right, self.weights @ said, self.weights @ really)
        precision = _ratio(right.sum(0), said.sum(0))
        recall = _ratio(right.sum(0), really.sum(0))
        value, again, precision, recall = (
            np.concatenate([part.mean(axis=-1, keepdims=True), part], axis=-1)
            for part in (value, again, precision, recall)
        )
        for i, score in enumerate(value.tolist()):
            details = {"precision": float(precision[i]), "recall": float(recall[i])}
            yield Score(budget, score, *_interval(score, again[:, i]), details)


def f_score(right: FloatArray, said: FloatArray, really: FloatArray) -> FloatArray:
    """2 right / (said + really): the harmonic mean of precision and recall; 0 where all three are 0.

    >>> f_score(np.array([3.0, 0.0]), np.array([4.0, 0.0]), np.array([6.0, 0.0])).tolist()
    [0.6, 0.0]
    """
    return _ratio(2 * right, said + really)


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0), np.float64)


def _interval(value: float, again: FloatArray) -> tuple[float, float]:
    """Percentiles of the bootstrap; the value itself always lies within."""
    low, high = np.quantile(again, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return min(value, float(low)), max(value, float(high))


def _check(
    circuits: Sequence[str],
    adversaries: Sequence[Adversary],
    counts: Sequence[int],
    threshold: float,
    missing: Missing,
) -> None:
    if not circuits:
        raise RequestError("name the circuits of the appliances that are to be recognised")
    if not adversaries or any(one not in PLAYERS for one in adversaries):
        raise RequestError(f"an adversary is {' or '.join(PLAYERS)}")
    if not 0 < threshold < float("inf"):
        raise RequestError("a threshold is a number above 0")
    if min(counts) < 1:
        raise RequestError("levels, blocks and rounds are whole numbers above 0")
    if missing == "value":
        raise RequestError("a missing reading reveals nothing here; drop it, or refuse it")


def _largest(draws: Mapping[str, FloatArray], learned: int, top: int | None) -> dict[str, FloatArray]:
    """The circuits that used the most energy in the rows learned from, in the order they were named."""
    if top is not None and top < 1:
        raise RequestError("top is a whole number above 0: of how many circuits to recognise")
    by_energy = sorted(draws, key=lambda name: -float(draws[name][:learned].sum()))
    chosen = set(by_energy[:top])
    return {name: values for name, values in draws.items() if name in chosen}


def _settings(house: Household) -> dict[str, Any]:
    """What was played with, and what was learned."""
    shares = house.on[house.train :].mean(axis=0).tolist()
    learned = [
        {"name": one.name, "standby": one.standby, "levels": list(one.levels), "on_share": share}
        for one, share in zip(house.appliances, shares, strict=True)
    ]
    return {
        "domain": describe(house.span),
        "rows": len(house.on),
        "trained_rows": house.train,
        "threshold": house.threshold,
        "appliances": learned,
    }
