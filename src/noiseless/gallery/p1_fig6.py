"""[P1] Fig. 6: how many taxi trips have an origin and a destination of their own."""

import itertools

import pyarrow as pa

from noiseless.adversaries.game import Score
from noiseless.adversaries.linkage import linkage
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p1_fig5 import COLUMNS

BUDGETS, FEWER_BUDGETS = range(0, 60, 4), range(0, 40, 4)
"""Four coordinates, each with as many bits: from none to cells of a few metres."""

PARTS = (100, 10)
SMALL, NEAR, PER_CENT = 16, 1e-3, 0.01
"""Up to this many bits a budget is small; a share is reached if it is nearer than this."""


@reproduces(
    "[P1] Fig. 6",
    "How many trips are unique?",
    "If the origin and the destination of each taxi trip are told through a quantizer of their"
    " coordinates, the portion of trips whose pair is unique is negligible for small budgets.",
    needs=("taxi",),
)
def figure(data: Data) -> Parts:
    """The share of unique trips by budget, for the table and for parts of it."""
    trips = data.taxi()
    wanted = FEWER_BUDGETS if data.synthetic else BUDGETS
    even, optimal = _shares(trips, wanted, ("even", "optimal"))
    parts = {part: _shares(trips.slice(0, len(trips) // part), wanted, ("even",))[0] for part in PARTS}
    budgets = [score.budget or 0 for score in even[:-1]]

    hits = [score.details["hit"] for score in even[:-1]]

    def shares(scores: list[Score]) -> list[float]:
        return [score.score for score in scores[:-1]]

    whole = Curve.of("as many bits for each coordinate", budgets, shares(even))
    yield Panel.of(
        f"{len(trips):,} trips",
        "budget of a trip, 2 eps (bits)",
        "share of unique trips",
        whole,
        Curve.dashed("cells chosen for the smallest error", budgets, shares(optimal)),
        Curve.of("chance to find a trip by picking one of its cell", budgets, hits),
        Curve.dashed("as they are", (budgets[0], budgets[-1]), even[-1].score),
    )
    yield Panel.of(
        "The share depends on how many trips there are",
        "budget of a trip, 2 eps (bits)",
        "share of unique trips",
        *(Curve.of(f"{len(trips) // part:,} trips", budgets, shares(some)) for part, some in parts.items()),
        whole,
    )
    yield from _checks(even, parts[PARTS[0]])
    yield (
        f"{len(trips):,} trips of 2009 to 2015 in place of the first million of 2014: among more trips fewer"
        " are unique, so the paper's curve lies further to the right."
    )
    yield (
        "The paper's eps is the budget of one point, origin or destination; both together cost 2 eps,"
        " which is what is drawn."
    )
    yield "Shares are exact for this table: nothing is random."


def _shares(trips: pa.Table, budgets: range, splits: tuple[str, ...]) -> list[list[Score]]:
    """The scores of each split by budget, the unquantised one last."""
    game = linkage(trips, COLUMNS, budgets=budgets, split=splits, outside="drop")  # type: ignore[arg-type]
    return list(game.by("split").values())


def _checks(even: list[Score], fewer: list[Score]) -> Parts:
    small = [score for score in even[:-1] if score.budget is not None and score.budget <= SMALL]
    last, unquantised = even[-2], even[-1]
    shares = [score.score for score in even]
    middle = next(i for i, score in enumerate(even) if score.score >= unquantised.score / 2)
    yield ClaimCheck(
        "The share of unique trips is negligible for small budgets",
        f"at most {max(score.score for score in small):.3%} up to {SMALL} bits for a trip",
        f"below {PER_CENT:.0%} at every budget up to {SMALL} bits",
        all(score.score < PER_CENT for score in small),
        about="figure",
    )
    yield ClaimCheck(
        "With a large budget it is that of the trips as they are",
        f"{last.score:.4%} at {last.budget} bits, {unquantised.score:.4%} unquantised",
        f"they differ by less than {NEAR:.1%} of all trips",
        abs(last.score - unquantised.score) < NEAR,
        about="figure",
    )
    yield ClaimCheck(
        "It rises with the budget",
        f"half of the trips are unique from {even[middle].budget} bits on",
        "it never falls from one budget to the next",
        all(a <= b for a, b in itertools.pairwise(shares)),
        about="figure",
    )
    yield ClaimCheck(
        "Fewer trips are unique among more (not in the paper)",
        f"at {SMALL} bits {small[-1].score:.3%} of all, and {fewer[len(small) - 1].score:.3%} in a"
        f" {PARTS[0]}th of the table",
        "a part of the table has at least the share of the whole, at every budget",
        all(part.score >= all_.score - NEAR for part, all_ in zip(fewer, even, strict=True)),
        about="ours",
    )
