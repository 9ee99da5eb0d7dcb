"""[P1] Fig. 3: which of two households is in an aggregate?"""

from fractions import Fraction
from typing import Any

from noiseless.adversaries.game import Score
from noiseless.adversaries.intervals import wilson
from noiseless.adversaries.membership import membership
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces

ADVERSARIES = {
    "correlation": "correlation",
    "square-error": "mean square error",
    "peaks": "common peaks",
}
FUSE = Fraction(23, 2)
"""What a house's fuse lets through in half an hour, in kWh: 100 A at 230 V."""

STEP = Fraction(1, 1000)
PEOPLE = (2, 4, 8, 16, 32, 64)
BUDGETS = (0, 1, 2, 3, 4, 5, 6, 8)
DAY = 48
ROUNDS, FEWER_ROUNDS = 1000, 200
NAMED = ((4, 2), (8, 3))
"""The groups and budgets of which the paper says that the advantage is almost zero."""

NEAR_HALF = 0.6
_NOTHING = 9
"""Where the score without any protection is drawn."""

Scores = dict[tuple[Any, ...], list[Score]]
"""By group size, adversary and recipe: the scores by budget, the unprotected one last."""


@reproduces(
    "[P1] Fig. 3",
    "Who is in the aggregate?",
    "An adversary who knows the readings of two households guesses which of them is in a mean that is"
    " told through a quantizer. For small groups and moderate budgets the advantage over a coin is almost"
    " zero, and with a growing budget it tends to the one without protection.",
    needs=("meters",),
)
def figure(data: Data) -> Parts:
    """Play over a year of answers, and over a day of them."""
    meters = data.meters()
    people = tuple(n for n in PEOPLE if n < meters.shape[1])

    def played(window: int | None) -> Scores:
        """All groups with sound cells, and those that the paper names with the printed ones too."""
        lines: Scores = {}
        for sizes, printed in ((set(people) - set(dict(NAMED)), False), (set(dict(NAMED)), True)):
            game = membership(
                meters,
                bounds=(0, FUSE),
                step=STEP,
                people=sizes,
                budgets=BUDGETS,
                printed=printed,
                window=window,
                rounds=FEWER_ROUNDS if data.synthetic else ROUNDS,
            )
            lines |= game.by("people", "adversary", "recipe")
        return lines

    year, day = played(None), played(DAY)
    answers = len(meters)
    rows = ((f"{answers:,} answers", year), (f"{DAY} answers, one day", day))
    yield from (
        _panel(f"By {name}: {what}", adversary, scores, people)
        for what, scores in rows
        for adversary, name in ADVERSARIES.items()
    )
    yield from _small_budgets(year, day, f"{answers:,} answers")
    yield from _ends(year, day)
    yield (
        "London meters in place of the paper's Ausgrid homes. A reading is"
        f" declared to lie within 0 and {float(FUSE)} kWh, what a 100 A fuse lets through."
    )
    yield (
        "Cells are those of Theorem 8 as corrected: as printed it allows more of them than the budget"
        " does, and one person can then cause more answers. Dashed: the printed number of cells."
    )
    yield (
        f"The budget is for one answer. {answers:,} answers tell {answers:,} times as much, and the"
        " adversary uses them all: that is why a small budget does not hide a household over a long time."
    )
    yield "The advantage is corrected for the upward bias of an absolute value; bands are 95 % intervals."


def _panel(title: str, adversary: str, scores: Scores, people: tuple[int, ...]) -> Panel:
    """The advantage with its interval; that of the printed cells is left out."""

    def curve(label: str, recipe: str, n: int, *, band: bool) -> Curve:
        line = scores[n, adversary, recipe]
        places = [_NOTHING if score.budget is None else score.budget for score in line]
        height, low, high = (
            [score.details[name] for score in line]
            for name in ("advantage", "advantage_low", "advantage_high")
        )
        if band:
            return Curve.of(label, places, height, band=(low, high))
        return Curve.dashed(label, places, height)

    ticks = (*((float(b), str(b)) for b in BUDGETS), (float(_NOTHING), "∞"))
    return Panel.of(
        title,
        "budget for one answer (bits)",
        "advantage",
        *(curve(f"n = {n}", "finest", n, band=True) for n in people),
        *(curve(f"n = {n}, cells as printed (unsound)", "printed", n, band=False) for n, _ in NAMED),
        x_ticks=ticks,
    )


def _named(scores: Scores, adversary: str) -> list[Score]:
    """The scores of which the paper speaks."""
    return [
        score
        for n, budget in NAMED
        for score in scores[n, adversary, "finest"]
        if score.budget is not None and score.budget == budget
    ]


def _told(found: list[Score]) -> str:
    return ", ".join(
        f"n = {n} at {budget} bits: {score.score:.3f} [{score.low:.3f}, {score.high:.3f}]"
        for (n, budget), score in zip(NAMED, found, strict=True)
    )


def _small_budgets(year: Scores, day: Scores, answers: str) -> Parts:
    for adversary, name in ADVERSARIES.items():
        over_a_year = _named(year, adversary)
        yield ClaimCheck(
            f"For n = 4 at 2 bits and n = 8 at 3 bits the advantage is almost zero (by {name})",
            f"over {answers} the guess is right with probability {_told(over_a_year)}",
            f"the 95 % Wilson interval of both probabilities reaches below {NEAR_HALF}",
            all(score.low < NEAR_HALF for score in over_a_year),
        )
    over_a_day = {name: _named(day, adversary) for adversary, name in ADVERSARIES.items()}
    yield ClaimCheck(
        "The same, if the adversary sees the answers of one day only",
        "; ".join(f"{name}: {_told(scores)}" for name, scores in over_a_day.items()),
        f"all six 95 % Wilson intervals reach below {NEAR_HALF}",
        all(score.low < NEAR_HALF for scores in over_a_day.values() for score in scores),
    )


def _ends(year: Scores, day: Scores) -> Parts:
    """Of the largest budget, of none, and of a budget of 0."""
    lines = [line for game in (year, day) for (_, _, recipe), line in game.items() if recipe == "finest"]
    yield ClaimCheck(
        "As the budget grows the advantage tends to the one without protection",
        f"at {BUDGETS[-1]} bits the success probability is off by "
        f"{max(abs(line[-2].score - line[-1].score) for line in lines):.3f} at most",
        f"at {BUDGETS[-1]} bits its 95 % interval holds the unprotected one, for each n and adversary",
        all(line[-2].low <= line[-1].score <= line[-2].high for line in lines),
    )
    unprotected = {name: year[4, adversary, "finest"][-1] for adversary, name in ADVERSARIES.items()}
    yield ClaimCheck(
        "Without protection small groups do not hide anybody",
        "for n = 4: " + ", ".join(f"{score.score:.3f} by {name}" for name, score in unprotected.items()),
        f"the 95 % interval of each success probability lies above {NEAR_HALF}",
        all(score.low > NEAR_HALF for score in unprotected.values()),
    )
    wins, rounds = (sum(line[0].details[name] for line in lines) for name in ("successes", "rounds"))
    low, high = wilson(wins, rounds)
    yield ClaimCheck(
        "A blind guess is right half of the time (the game is fair)",
        f"at 0 bits {wins / rounds:.4f} [{low:.4f}, {high:.4f}] over {rounds:,} rounds",
        "the 95 % interval holds 1/2",
        low <= 1 / 2 <= high,
    )
