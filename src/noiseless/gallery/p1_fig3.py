"""[P1] Fig. 3: which of two households is in an aggregate?"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from noiseless.adversaries.intervals import wilson
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces

if TYPE_CHECKING:
    from noiseless.adversaries.game import Game, Score

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

Scores = Mapping[tuple[int, str, str], "list[Score]"]
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
    from noiseless.adversaries.membership import membership

    meters = data.meters()
    people = tuple(n for n in PEOPLE if n < meters.shape[1])

    def played(window: int | None) -> Scores:
        """All groups with sound cells, and those that the paper names with the printed ones too."""
        found: dict[tuple[int, str, str], list[Score]] = {}
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
            found |= _by_line(game)
        return found

    year, day = played(None), played(DAY)
    answers = len(meters)
    rows = ((f"{answers:,} answers", year), (f"{DAY} answers, one day", day))
    yield from (
        _panel(f"By {name}: {what}", adversary, scores, people)
        for what, scores in rows
        for adversary, name in ADVERSARIES.items()
    )
    yield from (
        _negligible(name, adversary, year, f"{answers:,} answers") for adversary, name in ADVERSARIES.items()
    )
    yield _negligible_for_all(day)
    yield _tends(year, day)
    yield _unprotected(year)
    yield _fair(year, day)
    yield from _remarks(answers)


def _by_line(game: "Game") -> "dict[tuple[int, str, str], list[Score]]":
    found: dict[tuple[int, str, str], list[Score]] = {}
    for score in game.results:
        key = (score.details["people"], score.details["adversary"], score.details["recipe"])
        found.setdefault(key, []).append(score)
    return found


def _panel(title: str, adversary: str, scores: Scores, people: tuple[int, ...]) -> Panel:
    curves = [_curve(f"n = {n}", scores[n, adversary, "finest"], "line") for n in people]
    curves += [
        _curve(f"n = {n}, cells as printed (unsound)", scores[n, adversary, "printed"], "dashed")
        for n, _ in NAMED
    ]
    ticks = (*((float(b), str(b)) for b in BUDGETS), (float(_NOTHING), "∞"))
    return Panel.of(title, "budget for one answer (bits)", "advantage", *curves, x_ticks=ticks)


def _curve(label: str, scores: "list[Score]", style: str) -> Curve:
    """The advantage with its interval; of dashed curves the interval is left out."""
    details = [score.details for score in scores]
    return Curve.of(
        label,
        [_NOTHING if score.budget is None else score.budget for score in scores],
        [d["advantage"] for d in details],
        band=None
        if style == "dashed"
        else ([d["advantage_low"] for d in details], [d["advantage_high"] for d in details]),
        style="dashed" if style == "dashed" else "line",
    )


def _named(scores: Scores, adversary: str) -> "list[Score]":
    """The scores of which the paper speaks."""
    return [
        score
        for n, budget in NAMED
        for score in scores[n, adversary, "finest"]
        if score.budget is not None and score.budget == budget
    ]


def _told(found: "list[Score]") -> str:
    return ", ".join(
        f"n = {n} at {budget} bits: {score.score:.3f} [{score.low:.3f}, {score.high:.3f}]"
        for (n, budget), score in zip(NAMED, found, strict=True)
    )


def _negligible(name: str, adversary: str, scores: Scores, answers: str) -> ClaimCheck:
    found = _named(scores, adversary)
    return ClaimCheck(
        f"For n = 4 at 2 bits and n = 8 at 3 bits the advantage is almost zero (by {name})",
        f"over {answers} the guess is right with probability {_told(found)}",
        f"the 95 % Wilson interval of both probabilities reaches below {NEAR_HALF}",
        all(score.low < NEAR_HALF for score in found),
    )


def _negligible_for_all(day: Scores) -> ClaimCheck:
    found = {name: _named(day, adversary) for adversary, name in ADVERSARIES.items()}
    return ClaimCheck(
        "The same, if the adversary sees the answers of one day only",
        "; ".join(f"{name}: {_told(scores)}" for name, scores in found.items()),
        f"all six 95 % Wilson intervals reach below {NEAR_HALF}",
        all(score.low < NEAR_HALF for scores in found.values() for score in scores),
    )


def _tends(*games: Scores) -> ClaimCheck:
    apart = 0.0
    within = True
    for scores in games:
        for (_, _, recipe), line in scores.items():
            if recipe == "finest":
                largest, unprotected = line[-2], line[-1]
                apart = max(apart, abs(largest.score - unprotected.score))
                within &= largest.low <= unprotected.score <= largest.high
    return ClaimCheck(
        "As the budget grows the advantage tends to the one without protection",
        f"at {BUDGETS[-1]} bits the success probability is off by {apart:.3f} at most",
        f"at {BUDGETS[-1]} bits its 95 % interval holds the unprotected one, for each n and adversary",
        within,
    )


def _unprotected(scores: Scores) -> ClaimCheck:
    found = {name: scores[4, adversary, "finest"][-1] for adversary, name in ADVERSARIES.items()}
    return ClaimCheck(
        "Without protection small groups do not hide anybody",
        "for n = 4: " + ", ".join(f"{score.score:.3f} by {name}" for name, score in found.items()),
        f"the 95 % interval of each success probability lies above {NEAR_HALF}",
        all(score.low > NEAR_HALF for score in found.values()),
    )


def _fair(*games: Scores) -> ClaimCheck:
    constant = [line[0] for scores in games for (_, _, recipe), line in scores.items() if recipe == "finest"]
    wins = sum(score.details["successes"] for score in constant)
    rounds = sum(score.details["rounds"] for score in constant)
    low, high = wilson(wins, rounds)
    return ClaimCheck(
        "Whoever learns nothing is right half of the time (the game is fair)",
        f"at 0 bits {wins / rounds:.4f} [{low:.4f}, {high:.4f}] over {rounds:,} rounds",
        "the 95 % interval holds 1/2",
        low <= 1 / 2 <= high,
    )


def _remarks(answers: int) -> tuple[str, ...]:
    return (
        (
            "London meters in place of the paper's Ausgrid homes. A reading is"
            f" declared to lie within 0 and {float(FUSE)} kWh, what a 100 A fuse lets through."
        ),
        (
            "Cells are those of Theorem 8 as corrected: as printed it allows more of them than the budget"
            " does, and one person can then cause more answers. Dashed: the printed number of cells."
        ),
        (
            f"The budget is for one answer. {answers:,} answers tell {answers:,} times as much, and the"
            " adversary uses them all: that is why a small budget does not hide a household over a long"
            " time."
        ),
        "The advantage is corrected for the upward bias of an absolute value; bands are 95 % intervals.",
    )
