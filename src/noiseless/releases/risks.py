"""Limits on bets, widths and persons that a release keeps: as the search takes them, and as they are found.

The names are those of a policy's limits. Of n rows, n_y are behind an answer, n_s have the sensitive value s,
and n_sy both; q_s = n_sy / n_y, and p_s = n_s / n, of the rows with the same given values.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from noiseless.amounts import floor_of_power
from noiseless.arrays import IntArray
from noiseless.audits.census import Census, entropy_l_diversity, fewest_behind, t_closeness
from noiseless.audits.odds import odds
from noiseless.display import bound_text
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, ball, round_down, round_up
from noiseless.ranges import JointRange
from noiseless.releases.request import RISKS
from noiseless.releases.source import ReleaseSource
from noiseless.search.distribution_limits import (
    BeliefLimit,
    ClosenessLimit,
    PresenceLimit,
    fraction_below,
)
from noiseless.search.entropy_limit import EntropyLimit
from noiseless.search.limits import Limit, PosteriorLimit, WidthLimit
from noiseless.search.problem import Problem
from noiseless.tables.hierarchies import ValueClasses
from noiseless.tables.kernels import add_by_code, distinct_values, ranked
from noiseless.tables.points import points

MINIMA = frozenset({"entropy_l_diversity", "width", "min_rows", "min_classes", "min_posterior_each"})
"""Those that are minima."""

OF_ANSWERS = ("largest_belief", "entropy_l_diversity", "width")
"""Those that answers keep by themselves; others are held against the whole table."""

Found = int | Fraction | Bits | Nats | float
"""What is reached: exactly, but for the entropy, which is rounded down."""


@dataclass(frozen=True, eq=False)
class AnswerRisks:
    """The risks of a table's answers.

    Attributes:
        source: the table.
    """

    source: ReleaseSource

    @property
    def asked(self) -> Mapping[str, Any]:
        """The limits that are set."""
        request = self.source.request
        names = (*RISKS, *(["min_rows"] if request.unit else []))
        return {name: limit for name in names if (limit := getattr(request, name)) is not None}

    # --- as the search takes them -------------------------------------------------------------------

    def limits(self, problem: Problem) -> tuple[Limit, ...]:
        """What every answer of a problem must keep to.

        Raises:
            RequestError: a limit has no meaning for the sensitive values.
        """
        makers: dict[str, Callable[[Problem, Any], list[Limit]]] = {
            "largest_belief": self._belief,
            "pointwise_leakage": lambda made, bits: self._gain(made, lambda p: _power_share(bits, p)),
            "beta_likeness": lambda made, beta: self._gain(made, lambda p: [(1 + beta) * p] * 2),
            "enhanced_beta_likeness": self._enhanced,
            "delta_disclosure": self._delta,
            "entropy_l_diversity": lambda made, least: [EntropyLimit.of(made, self._counts, least)],
            "t_closeness": self._closeness,
            "width": lambda made, least: [WidthLimit.of(made, self._line(), least)],
            "min_classes": lambda made, least: [
                PosteriorLimit.of_pairs(made, made.joint.y, self._class_codes[made.joint.x], least)
            ],
            "min_posterior_each": self._each,
            "min_rows": lambda made, least: [PosteriorLimit.of_pairs(made, *self.source.members, least)],
        }
        return tuple(limit for name, asked in self.asked.items() for limit in makers[name](problem, asked))

    def _each(self, problem: Problem, least: int) -> list[Limit]:
        found = list[Limit]()
        for column, codes in self.source.values_of_each.items():
            if (many := int(codes.max()) + 1) < least:
                raise RequestError(
                    f"--min-posterior-each {least:,}: {column} has {many:,} values in all; ask for fewer"
                )
            found.append(PosteriorLimit.of_pairs(problem, problem.joint.y, codes[problem.joint.x], least))
        return found

    @cached_property
    def _counts(self) -> IntArray:
        """How many rows each pair of the joint range has."""
        return self.source.pair_counts

    @cached_property
    def _priors(self) -> tuple[IntArray, list[tuple[int, int]], IntArray]:
        """The kind of each pair: its given values and its secret; n_s and n of each; how many each y has."""
        joint = self.source.joint
        known = self.source.given_of_seen
        keys, kinds = ranked(known[joint.y].astype(np.int64) * joint.size_x + joint.x)
        held = add_by_code(kinds, self._counts, len(keys))
        owners = keys // joint.size_x
        sizes = add_by_code(owners, held, int(owners.max()) + 1)
        many = np.bincount(owners)
        return kinds, list(zip(held.tolist(), sizes[owners].tolist(), strict=True)), many[known]

    def _belief(self, problem: Problem, most: Fraction) -> list[Limit]:
        return [BeliefLimit.of(problem, self._counts, fraction_below(most, self.source.rows))]

    def _gain(self, problem: Problem, share: "Callable[[Fraction], Any]") -> list[Limit]:
        """q_s <= share(p_s), which lies between two fractions."""
        kinds, priors, _ = self._priors
        rows = self.source.rows
        known = {prior: _settled(share, Fraction(*prior), rows) for prior in set(priors)}
        return [BeliefLimit.of(problem, self._counts, [known[prior] for prior in priors], kinds)]

    def _enhanced(self, problem: Problem, beta: Fraction) -> list[Limit]:
        """q_s <= p_s (1 + min(beta, -ln p_s))."""

        def share(p: Fraction) -> Any:  # noqa: ANN401 - bounds, as precise as wanted
            if Nats(1 / p) >= beta:
                return [p * (1 + beta)] * 2
            return lambda bits: [p * (1 + end) for end in _log_bounds(1 / p, bits)]

        return self._gain(problem, share)

    def _delta(self, problem: Problem, delta: Fraction) -> list[Limit]:
        """p_s exp(-delta) < q_s < p_s exp(delta): no fraction is one of the ends."""
        upper = self._gain(problem, lambda p: lambda bits: [p * end for end in _exp_bounds(delta, bits)])
        kinds, priors, many = self._priors
        rows = self.source.rows

        def absent(p: Fraction) -> Callable[[int], list[Fraction]]:
            return lambda bits: [1 - p * end for end in reversed(_exp_bounds(-delta, bits))]

        known = {prior: 1 - _settled(absent, Fraction(*prior), rows) for prior in set(priors)}
        present = np.zeros(len(problem.prior), np.int64)
        present[problem.seen] = many
        lower = PresenceLimit.of(problem, self._counts, [known[prior] for prior in priors], kinds, present)
        return [*upper, lower]

    def _closeness(self, problem: Problem, most: Fraction) -> list[Limit]:
        return [ClosenessLimit.of(problem, self._counts, most, ordered=self.ordered)]

    @property
    def ordered(self) -> bool:
        """Whether the sensitive values move by ranks: numbers, days and moments, which texts tell to be such.

        Others (truth values, times of the day, infinite numbers) are at distance one, which is never less.
        """
        return self._points is not None

    @cached_property
    def _points(self) -> list[Fraction | None] | None:
        """The sensitive values as numbers, points in time in days; None where they are something else."""
        source, (column, *others) = self.source, self.source.request.sensitive
        codes = distinct_values(source.tally.codes(column))
        return None if others else points(source.tally.coding(column).decode(codes))

    def _line(self) -> list[Fraction | None]:
        if self._points is None:
            raise RequestError(
                "--width is about one column of numbers or dates, and "
                f"{', '.join(self.source.request.sensitive)} is none; ask for --min-posterior instead"
            )
        return self._points

    @cached_property
    def _classes(self) -> ValueClasses | None:
        request = self.source.request
        if request.classes is None:
            return None
        encoding = self.source.written.get("encoding")
        return ValueClasses.read(request.sensitive[0], request.classes, request.class_level or 1, encoding)

    @property
    def classes(self) -> Mapping[str, str]:
        """The class of each declared sensitive value; empty where none are declared."""
        return {} if self._classes is None else self._classes.names

    @cached_property
    def _class_codes(self) -> IntArray:
        """The class of each sensitive value."""
        tally, (column,) = self.source.secrets[0], self.source.request.sensitive
        values = tally.coding(column).decode(distinct_values(tally.codes(column)))
        return (self._classes or ValueClasses(column, {})).codes(values)

    # --- as they are found --------------------------------------------------------------------------

    def found(self, cell_of: IntArray) -> dict[str, Found]:
        """What a release reaches of each limit that is asked for.

        Args:
            cell_of: the cell of each public tuple.
        """
        if not self.asked:
            return {}
        census, side = self.source.census(cell_of, ordered=self.ordered)
        bets = odds(census, side)
        readers: dict[str, Callable[[], Found]] = {
            **{name: partial(getattr, bets, name) for name in RISKS[:5]},
            "entropy_l_diversity": lambda: entropy_l_diversity(census),
            "t_closeness": lambda: t_closeness(census),
            "width": lambda: self._width(census),
            "min_classes": lambda: fewest_behind(census.joint.y, self._class_codes[census.joint.x]),
            "min_posterior_each": lambda: min(self.fewest_of_each(census.joint)),
            "min_rows": lambda: self._persons(cell_of),
        }
        return {name: readers[name]() for name in self.asked}

    def fewest_of_each(self, answers: JointRange) -> list[int]:
        """The fewest values of each sensitive column by itself behind an answer."""
        return [fewest_behind(answers.y, codes[answers.x]) for codes in self.source.values_of_each.values()]

    def _width(self, census: Census) -> Fraction:
        points, joint = self._line(), census.joint
        ends = []
        for begin, end in zip(joint.starts[:-1].tolist(), joint.starts[1:].tolist(), strict=True):
            own = [point for s in joint.x[begin:end].tolist() if (point := points[s]) is not None]
            ends.append(max(own) - min(own) if own else Fraction(0))
        return min(ends)

    def _persons(self, cell_of: IntArray) -> int:
        """The fewest persons behind an answer."""
        source, (answers, persons) = self.source, self.source.members
        shown = source.shown_of_seen
        seen = ranked(cell_of[source.public_of_seen] * (int(shown.max()) + 1) + shown)[1]
        return fewest_behind(seen[answers], persons)

    def missed(self, cell_of: IntArray) -> dict[str, Found]:
        """The limits that cells do not keep, with what they reach."""
        found = self.found(cell_of)
        return {
            name: found[name] for name, limit in self.asked.items() if not keeps(name, found[name], limit)
        }


def keeps(name: str, found: Found, limit: Any) -> bool:  # noqa: ANN401 - of the kind of the name
    """Whether a limit is kept; delta-disclosure is to be below it."""
    value: Any = Fraction(found) if isinstance(found, float) and found != float("inf") else found
    if name in MINIMA:
        return bool(value >= limit)
    return bool(value < limit if name == "delta_disclosure" else value <= limit)


def figure(found: Found, *, up: bool) -> int | float | str:
    """What is reached as JSON has it, rounded to one side."""
    if isinstance(found, Bits | Nats):
        found = found.upper
    if isinstance(found, Fraction):
        return round_up(found) if up else round_down(found)
    return "inf" if found == float("inf") else found


def risk_claim(name: str, found: Found) -> str:
    """What is reached as a certificate claims it: exactly, but an entropy to four decimals, rounded down."""
    if isinstance(found, float) and name == "entropy_l_diversity":
        return str(Fraction(math.floor(Fraction(found) * _PARTS), _PARTS))
    if isinstance(found, Bits):
        return f"log2({found.ratio})"
    if isinstance(found, Nats) and found.is_finite:
        return f"ln({found.ratio})"
    return "no bound" if isinstance(found, float | Nats) else str(found)


_PARTS = 10**4
"""What entropies are rounded down to."""


def limit_text(found: Found, *, up: bool, places: int = 4) -> str:
    """A figure in decimals that stay on its side of a limit."""
    if isinstance(found, Fraction):
        units = found * 10**places
        return f"{Decimal(math.ceil(units) if up else math.floor(units)).scaleb(-places):,}"
    shown = figure(found, up=up)
    if isinstance(shown, int):
        return f"{shown:,}"
    return "without bound" if isinstance(shown, str) else bound_text(shown, places, up=up)


def _settled(share: Callable[[Fraction], Any], prior: Fraction, rows: int) -> Fraction:
    """The largest fraction of this many rows that is no more than a share, which is known ever better."""
    made, bits = share(prior), 128
    while True:
        low, high = made(bits) if callable(made) else made
        if (below := fraction_below(low, rows)) == fraction_below(high, rows) or low == high:
            return below
        bits *= 2


def _power_share(bits: Fraction, prior: Fraction) -> Any:  # noqa: ANN401 - bounds, as precise as wanted
    """2^bits p: exactly, or between two fractions."""
    if bits.denominator == 1:
        return [prior * 2**bits.numerator] * 2

    def bounds(precision: int) -> list[Fraction]:
        whole = floor_of_power(bits, Fraction(2**precision))
        return [prior * Fraction(whole, 2**precision), prior * Fraction(whole + 1, 2**precision)]

    return bounds


def _log_bounds(ratio: Fraction, bits: int) -> list[Fraction]:
    """ln(ratio) between two fractions."""
    from flint import ctx

    with ctx.workprec(bits):
        return _ends(ball(Nats(ratio)))


def _exp_bounds(power: Fraction, bits: int) -> list[Fraction]:
    """exp(power) between two fractions."""
    from flint import ctx

    with ctx.workprec(bits):
        return _ends(ball(power).exp())


def _ends(value: Any) -> list[Fraction]:  # noqa: ANN401 - a ball of flint
    """The ends of a ball."""
    ends = value.lower(), value.upper()
    found = []
    for end in ends:
        mantissa, exponent = end.man_exp()
        found.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
    return found
