"""Answers whose law has one peak: cells as wide as an error allows, but for those at the peak.

Sums, means and order statistics of people who are alike are more likely near a peak than far from it. Cells
of one size hold the less the farther from it they are, so that the first or the last holds least, and no
policy within the error can leave more there. What does not fit is taken from the cells at the peak.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, comb, floor

from flint import arb, ctx

from noiseless.exact import ball
from noiseless.intervals import Enclosure
from noiseless.questions import Additive, Continuum, Lattice, LinearOnBox, OrderStatistic
from noiseless.ranges.quantizer import Edged, Listed, Quantizer
from noiseless.theory.accuracy.policy import AccuracyPolicy
from noiseless.theory.accuracy.pushforward import WHOLE, LinearVolume, Volume
from noiseless.theory.accuracy.uniform_sums import Tilt, UniformSum, ends

MOST_BITS = 2**17
"""Shares with numerators and denominators of more bits are enclosed, not exact."""

MOST_PEOPLE = 2**17
"""Laws of the answers about more people are not worked out: shares of datasets have millions of digits."""

MOST_WORK = 2**24
"""Bits that are added up for an exact share."""

_PRECISION = 128
"""Bits of the balls that enclose a share, beside those of its own size."""

Size = int | Fraction
"""How wide a run of answers is: in points of a lattice, or as the length of an interval."""


class PeakedLaw(ABC):
    """The share of datasets behind runs of answers, more likely the nearer they are to a peak."""

    whole: Size
    """How many points, or how long an interval, all answers take."""

    @property
    @abstractmethod
    def peak(self) -> Fraction:
        """How much lies before the peak."""

    @abstractmethod
    def first(self, size: Size) -> Enclosure:
        """The share of the lowest answers."""

    @abstractmethod
    def last(self, size: Size) -> Enclosure:
        """The share of the highest answers."""

    @abstractmethod
    def held_at_peak(self, start: Size, stop: Size) -> Fraction:
        """A lower bound of the share between two places at the peak, where `full_cells` puts them."""

    def narrowest(self, size: Size) -> Enclosure:
        """The least share of any run of this size: that at one of the ends, since there is one peak."""
        first, last = self.first(size), self.last(size)
        return Enclosure(min(first.lower, last.lower), min(first.upper, last.upper))


class _Symmetric(PeakedLaw):
    """The same from both ends: the middle holds at least its part of the whole."""

    @property
    def peak(self) -> Fraction:
        """The middle."""
        return Fraction(self.whole) / 2

    def last(self, size: Size) -> Enclosure:
        """As the first."""
        return self.first(size)

    def held_at_peak(self, start: Size, stop: Size) -> Fraction:
        """The run around the middle, or one half of it, holds no less than its part of the whole."""
        return Fraction(stop - start) / Fraction(self.whole)


@dataclass(frozen=True)
class LinearLaw(_Symmetric):
    """A linear query on a box.

    Attributes:
        law: the sum of independent uniform numbers that the answer is, above its least value.
        unit: what a unit of that sum is worth.
    """

    law: UniformSum
    unit: Fraction

    @classmethod
    def of_query(cls, query: LinearOnBox) -> "LinearLaw":
        """At once where all people have one weight."""
        if len(query.sizes) > 1 or not query.span.width:
            return cls.of_volume(LinearVolume.of_query(query))
        return cls(UniformSum(((1, query.people),)), query.span.width / query.people)

    @classmethod
    def of_volume(cls, volume: LinearVolume) -> "LinearLaw":
        """As the volume says."""
        return cls(volume.law, volume.unit)

    @property
    def whole(self) -> Fraction:  # type: ignore[override]  # it follows
        """The length of the span."""
        return self.unit * self.law.length

    def first(self, size: Size) -> Enclosure:
        """The sums below it."""
        return self.law.below(Fraction(size) / self.unit)


@dataclass(frozen=True)
class LatticeSumLaw(_Symmetric):
    """The sum of `people` numbers from 0 to `most`, all equally possible: log-concave, as its factors are."""

    people: int
    most: int

    @property
    def whole(self) -> int:  # type: ignore[override]  # it follows
        """How many sums there are."""
        return self.people * self.most + 1

    def first(self, size: Size) -> Enclosure:
        """By inclusion and exclusion: comb(s + n, n) ways to a sum of at most s, less those with too much."""
        if size >= self.whole:
            return WHOLE
        top, values, people = int(size) - 1, self.most + 1, self.people
        bits = people * values.bit_length()
        if bits <= MOST_BITS and (top // values + 1) * bits <= MOST_WORK:
            terms = range(top // values + 1)
            ways = sum((-1) ** j * comb(people, j) * comb(top - j * values + people, people) for j in terms)
            return Enclosure.exactly(Fraction(ways, values**people))
        with ctx.workprec(_PRECISION + people.bit_length()):
            if top < values:
                upto = arb(top + people + 1).lgamma() - arb(top + 1).lgamma() - arb(people + 1).lgamma()
                return Enclosure(*ends((upto - people * arb(values).log()).exp()))
        return Enclosure(*Tilt(((values, people),), whole=True).bounds(Fraction(top)))

    def held_at_peak(self, start: Size, stop: Size) -> Fraction:
        """Half of an odd run leaves its middle point out, which holds 1 / (most + 1) at most."""
        if self.whole in (start + stop, 2 * start, 2 * stop):
            return super().held_at_peak(start, stop)
        return (stop - start) * Fraction(self.most, self.most + 1) / (self.whole - 1)


@dataclass(frozen=True)
class OrderLaw(PeakedLaw):
    """The value with a rank of `people` values that are uniform: Beta(rank, people - rank + 1).

    On a lattice each point stands for the interval up to the next one, and cells end between points.

    Attributes:
        people: how many values there are.
        rank: 1 for the smallest.
        whole: the length of the interval, or how many values there are.
    """

    people: int
    rank: int
    whole: Size

    @property
    def peak(self) -> Fraction:
        """The mode."""
        return (
            Fraction(self.whole) * Fraction(self.rank - 1, self.people - 1)
            if self.people > 1
            else Fraction(0)
        )

    def first(self, size: Size) -> Enclosure:
        """At least `rank` of the people have a value so low."""
        return _at_least(self.people, self.rank, Fraction(size) / Fraction(self.whole))

    def last(self, size: Size) -> Enclosure:
        """The same seen from above."""
        return _at_least(self.people, self.people - self.rank + 1, Fraction(size) / Fraction(self.whole))

    def held_at_peak(self, start: Size, stop: Size) -> Fraction:
        """All that is neither before nor after it."""
        return 1 - self.first(start).upper - self.last(self.whole - stop).upper


def _at_least(people: int, rank: int, share: Fraction) -> Enclosure:
    """The chance that at least `rank` of the people's uniform numbers lie below a share of the interval."""
    if not 0 < share < 1:
        return Enclosure.exactly(Fraction(int(share >= 1)))
    low, all_ = share.numerator, share.denominator
    if people * all_.bit_length() * (people - rank + 1) <= MOST_WORK:
        ways = sum(comb(people, k) * low**k * (all_ - low) ** (people - k) for k in range(rank, people + 1))
        return Enclosure.exactly(Fraction(ways, all_**people))
    with ctx.workprec(_PRECISION):
        lower, upper = ends(ball(share).beta_lower(rank, people - rank + 1, regularized=True))
        return Enclosure(max(lower, Fraction(0)), min(upper, Fraction(1)))


@dataclass(frozen=True)
class OrderVolume(Volume):
    """The push-forward of volume through an order statistic of people from one interval.

    >>> OrderVolume(Continuum.of(0, 10), people=3, rank=3).below(Fraction(5))
    Enclosure(1/8, 1/8)
    """

    interval: Continuum
    people: int
    rank: int

    @property
    def span(self) -> Continuum:
        """The people's own interval."""
        return self.interval

    @property
    def dimension(self) -> int:
        """One for each person."""
        return self.people

    @property
    def size(self) -> Fraction:
        """The volume of the box."""
        return self.span.width**self.people

    @cached_property
    def law(self) -> OrderLaw:
        """The law of the answer."""
        return OrderLaw(self.people, self.rank, self.span.width)

    def below(self, level: Fraction) -> Enclosure:
        """As the law says."""
        return self.law.first(level - self.span.low)


def peaked_law(asked: object) -> PeakedLaw | None:
    """The law of an answer where it is known to have one peak; None where it is not."""
    found: PeakedLaw | None = None
    match asked:
        case LinearVolume():
            found = LinearLaw.of_volume(asked)
        case LinearOnBox() if asked.people <= MOST_PEOPLE:
            found = LinearLaw.of_query(asked)
        case OrderVolume() if asked.people <= MOST_PEOPLE:
            found = asked.law
        case OrderStatistic() if isinstance(asked.attribute.numbers, range) and asked.people <= MOST_PEOPLE:
            found = OrderLaw(asked.people, asked.rank, asked.attribute.size)
        case Additive() if asked.people <= MOST_PEOPLE:
            most = largest_of_all(asked.contributions)
            found = None if most is None else LatticeSumLaw(asked.people, most)
    return found


def largest_of_all(worth: Sequence[int]) -> int | None:
    """The largest contribution where all from 0 on are equally possible."""
    if isinstance(worth, range):
        return worth[-1] if worth.step == 1 else None
    times = Counter(worth)
    alike = len(set(times.values())) == 1 and max(times) == len(times) - 1
    return max(times) if alike else None


def full_cells(law: PeakedLaw, span: Continuum | Lattice, error: Fraction) -> AccuracyPolicy | None:
    """Cells as wide as the error allows but for one or two at the peak; None unless they are optimal.

    The set of any policy that holds the lowest answer lies within 2e of it, and so for the highest: no policy
    leaves more than `first` and `last` of that size. All cells before the peak hold at least as much as the
    first, all after it as much as the last; those at the peak are looked at.
    """
    size: Size = floor(2 * error / span.step) + 1 if isinstance(span, Lattice) else 2 * error
    if size >= law.whole:
        one = _quantizer(span, [0])
        return AccuracyPolicy(
            one, error, one.worst_error, (WHOLE,), Fraction(1), 1, isinstance(span, Lattice), "all"
        )
    before, after = floor(law.peak / size), floor((law.whole - law.peak) / size)
    start, stop = before * size, law.whole - after * size
    begins: list[Size] = [cell * size for cell in range(before)]
    middle = _halved(start, stop, size)
    begins += [*middle[:-1], *(stop + cell * size for cell in range(after))]
    held = [law.held_at_peak(a, b) for a, b in pairwise(middle)]
    first, last = law.first(size), law.last(size)
    least = ceil(law.whole / size)
    most = min(first.upper, last.upper, Fraction(1, least))
    if min(held, default=most) < most or min(first.lower, last.lower) < most < min(first.upper, last.upper):
        return None
    quantizer = _quantizer(span, begins)
    return AccuracyPolicy(
        quantizer,
        error,
        quantizer.worst_error,
        (
            *_run(before, first),
            *(Enclosure(share, Fraction(1)) for share in held),
            *reversed(_run(after, last)),
        ),
        most,
        least,
        counted=isinstance(span, Lattice),
        optimal_in="all",
    )


def _run(cells: int, end: Enclosure) -> list[Enclosure]:
    """The shares of full cells from an end on: the first is known, the others hold no less."""
    return [end, *[Enclosure(end.lower, Fraction(1))] * (cells - 1)] if cells else []


def _halved(start: Size, stop: Size, size: Size) -> list[Size]:
    """Where the one or two cells at the peak begin and end; all in `start` where there is none."""
    if stop - start <= size:
        return [start, stop] if stop > start else [start]
    half = Fraction(start + stop) / 2
    return [start, ceil(half) if isinstance(size, int) else half, stop]


def _quantizer(span: Continuum | Lattice, begins: list[Size]) -> Quantizer:
    if isinstance(span, Lattice):
        return Listed(span, tuple(int(begin) for begin in begins))
    return Edged(span, (*(span.low + begin for begin in begins), span.high))
