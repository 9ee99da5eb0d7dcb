"""What a bettor wins, how far values lie apart and how many persons look alike: counted from the definitions.

Of n rows with the same given values n_s have the sensitive value s; of n_y rows behind an answer n_sy have.
"""

# ruff: noqa: UP045 - Python 3.9 evaluates aliases

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple, Optional

from noiseless.verification.quantities import LogRatio, bits, fraction, is_number, point_on_line

BELIEFS = (
    *("largest_belief", "pointwise_leakage", "beta_likeness", "enhanced_beta_likeness", "delta_disclosure"),
    *("entropy_l_diversity", "t_closeness"),
)
"""Limits on how sensitive values are distributed behind an answer."""

RISK_READERS: "dict[str, Any]" = {
    **dict.fromkeys((*BELIEFS, "width", "min_classes", "min_posterior_each"), fraction),
    "pointwise_leakage": bits,
}
"""All limits on risks, and how each is written."""

_TENTHS = 10**4
"""An entropy is claimed in this many parts of one, rounded down."""

Point = Optional[Fraction]
Counts = tuple[int, int, int, int]
"""n_sy, n_y, n_s and n."""


def key_words(values: int, rows: int, leakage: Fraction, risks: "Mapping[str, Optional[str]]") -> str:
    """What somebody learns who knows only a key, in words."""
    others = "".join(f", {name} {risks[name]}" for name in sorted(risks))
    return f"min_posterior {values}, min_rows {rows}, leakage log2({leakage}){others}"


class AnswerTally(NamedTuple):
    """What is behind an answer.

    Attributes:
        given: the given values that are known with it.
        counts: how many rows have each sensitive value.
        persons: how many different persons there are, where these count.
    """

    given: Hashable
    counts: Mapping[Hashable, int]
    persons: int


class SecretOrder(NamedTuple):
    """Where sensitive values lie.

    Attributes:
        points: the number, day or moment that each is; None for a missing one.
        on_line: whether all others are numbers, or all are days and moments.
        columns: what each is in each sensitive column, as values are counted.
        classes: the class of each, a missing one's being its own; None where one is of no class, or of two.
    """

    points: Mapping[Hashable, Point]
    on_line: bool
    columns: Mapping[Hashable, Sequence[Hashable]]
    classes: Optional[Mapping[Hashable, Hashable]] = None

    @classmethod
    def of(
        cls,
        pairs: Iterable[tuple[Sequence[Optional[str]], Hashable]],
        columns: Mapping[Hashable, Sequence[Hashable]],
        classes: Mapping[str, str],
    ) -> "SecretOrder":
        """From texts as they are written, each with the sensitive value that it counts as."""
        points: dict[Hashable, Point] = {}
        found: dict[Hashable, set[Optional[str]]] = {}
        kinds: set[bool] = set()
        on_line = True
        for written, secret in pairs:
            value = written[0]
            point = None if value is None else point_on_line(value)
            points[secret] = point
            on_line = on_line and len(written) == 1 and (value is None or point is not None)
            kinds.update(() if value is None else (is_number(value),))
            own = found.setdefault(secret, set())
            if value is None or value in classes:
                own.add(None if value is None else classes[value])
        single = all(len(own) == 1 for own in found.values())
        on_line = on_line and len(kinds) <= 1
        known = {s: next(iter(own)) for s, own in found.items()} if single else None
        return cls(points, on_line, columns, known)


class Risks:
    """The risks of all answers of a release."""

    def __init__(self, answers: Iterable[AnswerTally], order: SecretOrder, *, ordered: bool) -> None:
        self.answers, self.order, self.ordered = list(answers), order, ordered
        self.before: dict[Hashable, Counter[Hashable]] = {}
        for answer in self.answers:
            self.before.setdefault(answer.given, Counter()).update(answer.counts)

    # What is behind answers

    def _pairs(self) -> "set[Counts]":
        found: set[Counts] = set()
        sizes = {given: sum(counts.values()) for given, counts in self.before.items()}
        for given, counts, _ in self.answers:
            rows, before, size = sum(counts.values()), self.before[given], sizes[given]
            found.update((held, rows, before[secret], size) for secret, held in counts.items())
        return found

    def _kinds(self) -> "set[tuple[int, ...]]":
        return {tuple(sorted(answer.counts.values())) for answer in self.answers}

    def _gain(self) -> Fraction:
        return max(Fraction(held * n, rows * own) for held, rows, own, n in self._pairs())

    def _loss(self) -> Optional[Fraction]:
        """The largest p_s / q_s; None where an answer rules a value out."""
        if any(len(answer.counts) < len(self.before[answer.given]) for answer in self.answers):
            return None
        return max(Fraction(rows * own, held * n) for held, rows, own, n in self._pairs())

    def _is_enhanced(self) -> bool:
        """Whether q_s / p_s - 1 <= -ln p_s everywhere."""
        return all(
            log_order(Fraction(n, own), Fraction(held * n, rows * own) - 1) >= 0
            for held, rows, own, n in self._pairs()
        )

    def _distance(self) -> Optional[Fraction]:
        """The largest earth mover's distance from the whole table; None without an order that is claimed."""
        whole: Counter[Hashable] = Counter()
        for counts in self.before.values():
            whole.update(counts)
        total = sum(whole.values())
        if not self.ordered:
            return max(_variation(answer.counts, whole, total) for answer in self.answers)
        if not self.order.on_line:
            return None
        points = self.order.points
        ranked = sorted(whole, key=lambda secret: (points[secret] is not None, points[secret] or Fraction(0)))
        return max(_moved(answer.counts, ranked, whole, total) for answer in self.answers)

    def _width(self) -> Optional[Fraction]:
        if not self.order.on_line:
            return None
        found = []
        for answer in self.answers:
            own = [point for secret in answer.counts if (point := self.order.points[secret]) is not None]
            found.append(max(own) - min(own) if own else Fraction(0))
        return min(found)

    # Claims and limits

    def _belief(self) -> Fraction:
        return max(Fraction(held, rows) for held, rows, _, _ in self._pairs())

    def _change(self) -> Optional[Fraction]:
        """The largest q_s / p_s or p_s / q_s; None where an answer rules a value out."""
        loss = self._loss()
        return None if loss is None else max(self._gain(), loss)

    def _likeness(self) -> Optional[Fraction]:
        """The enhanced likeness; None where there is no bound."""
        return self._gain() - 1 if self._is_enhanced() else None

    def _classes(self) -> Optional[int]:
        """The fewest classes behind an answer."""
        classes = self.order.classes
        if classes is None:
            return None
        return min(len({classes[secret] for secret in answer.counts}) for answer in self.answers)

    def _each(self) -> int:
        """The fewest values of each sensitive column by itself behind an answer."""
        columns = self.order.columns
        places = range(len(next(iter(columns.values()))))
        behind = (
            {columns[secret][at] for secret in answer.counts} for answer in self.answers for at in places
        )
        return min(map(len, behind))

    def text(self, name: str) -> Optional[str]:
        """What is reached, as a certificate claims it; None where it cannot be found out."""
        readers: dict[str, Callable[[], Optional[str]]] = {
            "largest_belief": lambda: str(self._belief()),
            "pointwise_leakage": lambda: str(LogRatio(self._gain())),
            "beta_likeness": lambda: str(self._gain() - 1),
            "enhanced_beta_likeness": lambda: _bounded(self._likeness()),
            "delta_disclosure": lambda: _bounded(self._change(), "ln({})"),
            "entropy_l_diversity": lambda: str(min(map(_entropy_parts, self._kinds()))),
            "t_closeness": lambda: _known(self._distance()),
            "width": lambda: _known(self._width()),
            "min_classes": lambda: None if (found := self._classes()) is None else str(found),
            "min_posterior_each": lambda: str(self._each()),
            "min_rows": lambda: str(min(answer.persons for answer in self.answers)),
        }
        return readers[name]()

    def keeps(self, name: str, limit: Any) -> bool:  # noqa: ANN401 - of the kind of the name
        """Whether all answers keep to a limit, exactly."""
        tests: dict[str, Callable[[], bool]] = {
            "largest_belief": lambda: self._belief() <= limit,
            "pointwise_leakage": lambda: LogRatio(self._gain()) <= limit,
            "beta_likeness": lambda: self._gain() - 1 <= limit,
            "enhanced_beta_likeness": lambda: (found := self._likeness()) is not None and found <= limit,
            "delta_disclosure": lambda: (found := self._change()) is not None and log_order(found, limit) < 0,
            "entropy_l_diversity": lambda: all(reaches_entropy(kind, limit) for kind in self._kinds()),
            "t_closeness": lambda: (found := self._distance()) is not None and found <= limit,
            "width": lambda: (found := self._width()) is not None and found >= limit,
            "min_classes": lambda: (found := self._classes()) is not None and found >= limit,
            "min_posterior_each": lambda: self._each() >= limit,
            "min_rows": lambda: min(answer.persons for answer in self.answers) >= limit,
        }
        return bool(tests[name]())


def _known(found: Optional[Fraction]) -> Optional[str]:
    return None if found is None else str(found)


def _bounded(found: Optional[Fraction], form: str = "{}") -> str:
    return "no bound" if found is None else form.format(found)


def _variation(counts: Mapping[Hashable, int], whole: Mapping[Hashable, int], total: int) -> Fraction:
    """What an answer has too much of: values are all at distance one."""
    rows = sum(counts.values())
    excess = sum(max(0, held * total - whole[secret] * rows) for secret, held in counts.items())
    return Fraction(excess, total * rows)


def _moved(
    counts: Mapping[Hashable, int], ranked: Sequence[Hashable], whole: Mapping[Hashable, int], total: int
) -> Fraction:
    """The area between running counts: values move by ranks, |i - j| / (m - 1)."""
    rows, area, own, all_ = sum(counts.values()), 0, 0, 0
    for secret in ranked:
        own += counts.get(secret, 0) * total
        all_ += whole[secret] * rows
        area += abs(own - all_)
    return Fraction(area, total * rows * max(len(ranked) - 1, 1))


def reaches_entropy(counts: Sequence[int], least: Fraction) -> bool:
    """Whether counts have an entropy of ln(least) at least: n^n >= least^n times all c^c."""
    rows, digits = sum(counts), 60
    if least <= 1:
        return True
    while True:
        with localcontext() as context:
            context.prec = digits
            own = sum((c * Decimal(c).ln() for c in counts), Decimal(0))
            wanted = Decimal(rows).ln() - Decimal(least.numerator).ln() + Decimal(least.denominator).ln()
            spare = rows * wanted - own
            if abs(spare) > rows * Decimal(10) ** (-digits // 2):
                return bool(spare > 0)
        if _is_entropy(counts, least):
            return True
        digits *= 2  # they are not equal, so more digits part them


def _is_entropy(counts: Sequence[int], least: Fraction) -> bool:
    """Whether n^n is least^n times all c^c: prime by prime, for these powers would fill the memory."""
    rows, powers = sum(counts), Counter[int]()
    for number, times in ((rows, rows), *((c, -c * many) for c, many in Counter(counts).items())):
        for prime in _primes(number):
            powers[prime] += times
    roots = [Fraction(prime) ** (power // rows) for prime, power in powers.items()]
    return all(power % rows == 0 for power in powers.values()) and math.prod(roots) == least


def _primes(number: int) -> Iterator[int]:
    """The primes that multiply to a number."""
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            yield divisor
            number //= divisor
        divisor += 1
    if number > 1:
        yield number


def _entropy_parts(counts: Sequence[int]) -> Fraction:
    """exp(entropy), rounded down to this many parts of one."""
    low, high = _TENTHS, len(counts) * _TENTHS + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reaches_entropy(counts, Fraction(middle, _TENTHS)) else (low, middle)
    return Fraction(low, _TENTHS)


def log_order(ratio: Fraction, other: Fraction) -> int:
    """-1, 0 or 1 as ln(ratio) is less than, equal to or more than a number."""
    if ratio == 1:
        return (other < 0) - (other > 0)
    digits = 50
    while True:  # it is irrational, so the bounds part from the number
        with localcontext() as context:
            context.prec = digits
            above, below = Decimal(ratio.numerator).ln(), Decimal(ratio.denominator).ln()
            middle = Fraction(above - below)
            slack = Fraction(max(above, below, Decimal(1))) * 16 / 10 ** (digits - 2)
        if middle + slack < other or middle - slack > other:
            return 1 if middle > other else -1
        digits *= 2
