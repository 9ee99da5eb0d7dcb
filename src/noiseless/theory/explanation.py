"""All that the papers say of a plan: [P4] of the whole dataset, [P1] of one person."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from noiseless.display import Facts, Shown
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, round_down
from noiseless.intervals import Enclosure
from noiseless.pricing.plan import Plan, rounded_up
from noiseless.questions import Lattice, Query
from noiseless.ranges.quantizer import Quantizer, Stepped, Uniform
from noiseless.theory.accuracy.adversary import AdversaryError, adversary_error
from noiseless.theory.accuracy.cells import MOST_CELLS
from noiseless.theory.accuracy.counts import DatasetCounts
from noiseless.theory.accuracy.peaks import PeakedLaw, peaked_law
from noiseless.theory.accuracy.plans import LeastLeakage, answer_source
from noiseless.theory.accuracy.policy import inverse
from noiseless.theory.accuracy.pushforward import Volume
from noiseless.theory.consequences import Consequences, consequences


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """What a plan gives away, and what it leaves to everybody.

    Attributes:
        plan: the plan.
        share: the smallest share of all datasets behind an answer, enclosed; None where it is not known.
        counted: whether datasets are counted (bits), or measured by their volume (nats).
        adversary: the error of the best estimate of the whole dataset; None where it is not known.
        consequences: what the price means for one person.
    """

    plan: Plan
    share: Enclosure | None
    counted: bool
    adversary: AdversaryError | None
    consequences: Consequences

    @property
    def leakage(self) -> Bits | Nats | None:
        """L0(X;Y) of the whole dataset, never understated."""
        if self.share is None:
            return None
        if not self.share.lower:
            return Nats(math.inf)
        return (Bits if self.counted else Nats)(1 / self.share.lower)

    @property
    def maximin(self) -> Bits:
        """I*(X;Y): log2 of the cells, answers being functions of datasets."""
        return Bits(self.plan.cells)

    @property
    def privacy_by_leakage(self) -> float | None:
        """P1 = 1 / L0(X;Y) of [P4], rounded down."""
        return None if self.leakage is None else inverse(self.leakage)

    @property
    def privacy_by_maximin(self) -> float:
        """P2 = 1 / I*(X;Y) of [P4], rounded down."""
        return inverse(self.maximin)

    @property
    def quality(self) -> Fraction | float:
        """Q = 1 / worst error of [P4]."""
        return 1 / self.plan.worst_error if self.plan.worst_error else math.inf

    def to_dict(self) -> dict[str, Any]:
        """The explanation under the names it has in JSON."""
        leakage, unit = self.leakage, "" if self.counted else "_nats"
        errors, estimate = self.adversary, self.consequences.estimation_error()
        return {
            f"leakage{unit}": None if leakage is None else leakage.upper,
            "maximin": self.maximin.upper,
            "privacy_by_leakage": self.privacy_by_leakage,
            "privacy_by_maximin": self.privacy_by_maximin,
            "quality": round_down(self.quality) if isinstance(self.quality, Fraction) else self.quality,
            "dmin": None if errors is None else errors.smallest.lower,
            "dmax": None if errors is None else errors.largest.lower,
            "errors_exact": None if errors is None else errors.exact,
            "estimation_error": None if estimate is None else round_down(estimate),
            "consequences": self.consequences.to_dict(),
        }

    def __str__(self) -> str:
        return f"{self!r}\n{self.consequences}"

    def _shown(self) -> tuple[str, Facts]:
        leakage, estimate = self.leakage, self.consequences.estimation_error()
        least = "" if self.share is None or self.share.lower == self.share.upper else "at most "
        rows = {
            "leakage L0(X;Y)": "not known" if leakage is None else f"{least}{leakage}",
            "maximin I*(X;Y)": str(self.maximin),
            "privacy P1 = 1/L0, P2 = 1/I*": f"{_shortly(self.privacy_by_leakage)}, "
            f"{_shortly(self.privacy_by_maximin)}",
            "quality Q = 1/error": _shortly(float(self.quality)),
            "error of an estimate of it": self._errors(),
        }
        if estimate is not None:
            rows["expected error for one person"] = (
                f"at least {_shortly(round_down(estimate))} with a uniform prior (Theorem 4)"
            )
        return f"Of the whole dataset, known to within {rounded_up(self.plan.worst_error)}:", rows

    def _errors(self) -> str:
        if self.adversary is None:
            return "not known"
        least = "" if self.adversary.exact else "at least "
        return f"{least}{self.adversary.smallest} (dmin) to {self.adversary.largest} (dmax)"


def explanation(plan: Plan) -> Explanation:
    """What [P1] and [P4] say of a plan: leakage, privacy, the adversary's error, and the consequences.

    >>> from noiseless.pricing.plan import question_plan
    >>> found = explanation(question_plan("mean", n=2, bounds=(100, 250), max_error=Fraction(25, 7)))
    >>> found.leakage, str(found.adversary.smallest), found.consequences.bits
    (Nats(441/2), '10.1015', Bits(12))
    """
    asked, quantizer = answer_source(plan.query, plan.mechanism.query), plan.mechanism.quantizer
    share: Enclosure | None
    if isinstance(plan.promise, LeastLeakage):
        shares = plan.promise.policy.shares
        share = Enclosure(min(each.lower for each in shares), min(each.upper for each in shares))
    else:
        share = smallest_share(asked, quantizer)
    counted = isinstance(quantizer.span, Lattice)
    return Explanation(plan, share, counted, _adversary(asked, quantizer), consequences(plan))


def smallest_share(asked: Query | Volume, quantizer: Quantizer) -> Enclosure | None:
    """The smallest share of datasets behind a cell; None where it is not known.

    Where the law of answers has one peak, no cell holds less than one of the narrowest cells' size would at
    an end.
    """
    if (law := peaked_law(asked)) is not None:
        return _at_ends(law, quantizer)
    if isinstance(asked, Volume) or quantizer.cells > MOST_CELLS:
        return None
    try:
        counts = DatasetCounts.of(asked)
    except RequestError:
        return None
    held = [0] * quantizer.cells
    for position, number in zip(counts.positions, counts.counts, strict=True):
        held[quantizer.cell_at(position)] += number
    return Enclosure.exactly(Fraction(min(filter(None, held)), counts.total))


def _at_ends(law: PeakedLaw, quantizer: Quantizer) -> Enclosure:
    cells, on_lattice = quantizer.cells, isinstance(quantizer.span, Lattice)
    if isinstance(quantizer, Uniform) and not on_lattice:
        return law.narrowest(Fraction(law.whole) / cells)
    numbers = sorted({0, 1, cells - 1, cells}) if isinstance(quantizer, Stepped) else range(cells + 1)
    places = [Fraction(quantizer.begin(n)) if on_lattice else quantizer.edge(n) for n in numbers]
    sizes = [after - before for before, after in pairwise(places)]
    narrow = min(sizes[0], sizes[-1]) if isinstance(quantizer, Stepped) else min(sizes)
    upper = min(law.first(sizes[0]).upper, law.last(sizes[-1]).upper)
    return Enclosure(law.narrowest(narrow).lower, upper)


def _adversary(asked: Query | Volume, quantizer: Quantizer) -> AdversaryError | None:
    if quantizer.cells > MOST_CELLS:
        return None
    try:
        return adversary_error(asked, quantizer)
    except RequestError:
        return None


def _shortly(number: float | None) -> str:
    return "not known" if number is None else f"{number:.6g}"
