"""[P1] Fig. 4: which appliances are on, guessed from a quantised meter."""

import pyarrow as pa

from noiseless.adversaries.appliances import appliances
from noiseless.adversaries.game import Score
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces

CIRCUITS = {
    "refrigerator_ch5": "fridge",
    "microwave_ch11": "microwave",
    "kitchen_outlets_ch8": "socket",
    "lighting_ch9": "light",
    "dishwasher_ch6": "dish washer",
}
"""The five appliances of the paper."""

ADVERSARIES = {
    "combinatorial": "Combinatorial optimisation (the paper's)",
    "frequencies": "Frequencies (stronger)",
}
MOST_WATTS = 24_000
"""What a supply of 100 A at 240 V lets through."""

BUDGETS = range(1, 15)
HALF, CORRELATED = 0.5, 0.8
_NOTHING = BUDGETS[-1] + 1


@reproduces(
    "[P1] Fig. 4",
    "Which appliances are on?",
    "A house tells its meter's reading every three seconds through a quantizer. How well five"
    " appliances are recognised from that gets rapidly worse as the budget shrinks.",
    needs=("redd",),
)
def figure(data: Data) -> Parts:
    """Recognise the appliances at each budget."""
    mains, circuits = data.redd()
    game = appliances(
        pa.table({"mains": mains, **{name: circuits[name] for name in CIRCUITS}}),
        meter="mains",
        circuits=list(CIRCUITS),
        bounds=(0, MOST_WATTS),
        step=1,
        budgets=BUDGETS,
        rounds=200 if data.synthetic else 1000,
    )
    lines = game.by("adversary", "appliance")
    for adversary, title in ADVERSARIES.items():
        yield _panel(title, {name: lines[adversary, name] for name in ("mean", *CIRCUITS)})
        yield from _checks(lines[adversary, "mean"], title)
    last, unprotected = lines["combinatorial", "mean"][-2:]
    yield ClaimCheck(
        "With a large budget the f-score is the one without protection",
        f"{last.score:.3f} at {BUDGETS[-1]} bits, {unprotected.score:.3f} without",
        "the unprotected mean f-score lies in the interval at the largest budget",
        last.low <= unprotected.score <= last.high,
        about="figure",
    )
    yield (
        "House 1 of REDD at 3 s, rows with gaps left out: the first quarter is learned from, the"
        f" rest guessed. A reading of the mains is declared to lie within 0 and {MOST_WATTS:,} W."
    )
    yield (
        "The second adversary is ours: it quantises what it learned from as the meter does, and says"
        " what was the case in most readings of the same cell. A promise has to hold against it too."
    )
    yield (
        "Bands are 95 % intervals from a bootstrap of blocks. An f-score has no zero point of"
        " knowing nothing: always answering 'on' has the f-score 2s/(1+s), s"
        " being how often it is."
    )


def _panel(title: str, lines: dict[str, list[Score]]) -> Panel:
    curves = []
    for name, scores in lines.items():
        places = [_NOTHING if score.budget is None else score.budget for score in scores]
        heights = [score.score for score in scores]
        mean = name == "mean"
        band = ([score.low for score in scores], [score.high for score in scores]) if mean else None
        curves.append(Curve.of("mean of all five" if mean else CIRCUITS[name], places, heights, band=band))
    ticks = (*((float(b), str(b)) for b in BUDGETS[1::2]), (float(_NOTHING), "∞"))
    return Panel.of(title, "budget for one reading (bits)", "f-score", *curves, x_ticks=ticks)


def _checks(mean: list[Score], who: str) -> Parts:
    from scipy.stats import spearmanr

    least, unprotected = mean[0], mean[-1]
    yield ClaimCheck(
        f"With a small budget appliances are not recognised reliably. {who}",
        f"mean f-score {least.score:.3f} [{least.low:.3f}, {least.high:.3f}] at {BUDGETS[0]} bit, "
        f"{unprotected.score:.3f} [{unprotected.low:.3f}, {unprotected.high:.3f}] without protection",
        "at the smallest budget it is at most half of the unprotected one",
        least.score <= HALF * unprotected.score,
    )
    rank = float(spearmanr(BUDGETS, [score.score for score in mean[:-1]]).statistic)
    yield ClaimCheck(
        f"The f-score gets rapidly worse as the budget shrinks. {who}",
        f"rank correlation of budget and mean f-score {rank:.3f}",
        f"rank correlation above {CORRELATED}",
        rank > CORRELATED,
        about="figure",
    )
