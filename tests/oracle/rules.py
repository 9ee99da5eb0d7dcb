"""Disclosure rules by their definitions: what is told, and how many answers one person can cause.

Plain Python over fractions; every dataset of a tiny declared domain is enumerated. Records are
interchangeable in all questions here, so the person who is looked at is always the last one.
An answer is a number, a text such as ">=90", or WITHHELD.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

WITHHELD = "withheld"
Answer = Fraction | str
Values = tuple[Fraction, ...]

# --- what a rule tells ----------------------------------------------------------------------------


def rounded(x: Fraction, base: Fraction, direction: str = "half-away") -> Fraction:
    """The multiple of the base that is told for x; the nearest ones are tried one by one."""
    below = x // base * base
    above = below if below == x else below + base
    if direction in {"down", "up"}:
        return below if direction == "down" else above
    if x - below != above - x:
        return below if x - below < above - x else above
    if direction == "half-even":
        return below if (below / base) % 2 == 0 else above
    return max(below, above, key=abs)


def significant(x: Fraction, digits: int, direction: str = "half-away") -> Fraction:
    """x to so many significant digits."""
    if x == 0:
        return x
    base = Fraction(1)
    while base * 10**digits <= abs(x):
        base *= 10
    while base * 10 ** (digits - 1) > abs(x):
        base /= 10
    return rounded(x, base, direction)


def census(x: Fraction) -> Answer:
    """An unweighted count as the Disclosure Review Board tells it: halves up, above a million to even."""
    if x < 15:
        return "<15"
    for below, base in ((100, 10), (1_000, 50), (10_000, 100), (100_000, 500), (1_000_000, 1_000)):
        if x < below:
            return rounded(x, Fraction(base))
    return significant(x, 4, "half-even")


def told(rule: str, x: Fraction) -> Answer:
    """What a coarsening, or a least cell of counts, tells of a number."""
    name, *given = rule.split(":")
    if name == "round":
        return rounded(x, Fraction(given[0]), *given[1:])
    if name == "digits":
        return significant(x, int(given[0]))
    if name == "census-counts":
        return census(x)
    if name == "top":
        return f">={given[0]}" if x >= Fraction(given[0]) else x
    if name == "bottom":
        return f"<={given[0]}" if x <= Fraction(given[0]) else x
    if name == "min-cell":
        shown = x >= int(given[0]) or (x == 0 and given[1:] == ["zeros"])
        return x if shown else f"<{given[0]}"
    raise ValueError(rule)


def passes(rule: str, contributions: Sequence[Fraction]) -> bool:
    """Whether a dominance rule lets a total be told."""
    total, most = sum(contributions, Fraction(0)), [*sorted(contributions, reverse=True), *[Fraction(0)] * 2]
    name, *given = rule.split(":")
    if name == "nk":
        return sum(most[: int(given[0])], Fraction(0)) <= Fraction(given[1]) / 100 * total
    if name == "p-percent":
        return total - most[0] - most[1] >= Fraction(given[0]) / 100 * most[0]
    people, percent = given if name == "customers" else rule.split("/")
    return len(contributions) >= int(people) and most[0] <= Fraction(percent) / 100 * total


def is_dominance(rule: str) -> bool:
    return rule.startswith(("nk:", "p-percent:", "customers:")) or "/" in rule


def period(kind: str, day: date) -> str:
    """A date as its period."""
    if kind == "week":
        return f"{day.isocalendar().year:04}-W{day.isocalendar().week:02}"
    return {
        "year": f"{day.year:04}",
        "decade": f"{day.year // 10 * 10:04}s",
        "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
        "month": f"{day.year:04}-{day.month:02}",
    }[kind]


# --- questions ------------------------------------------------------------------------------------


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _median(values: Sequence[Fraction]) -> Fraction:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


TRUTHS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "count": lambda values: sum(values, Fraction(0)),
    "sum": lambda values: sum(values, Fraction(0)),
    "mean": _mean,
    "min": min,
    "max": max,
    "median": _median,
    "variance": lambda values: _mean([v * v for v in values]) - _mean(values) ** 2,
    "value": lambda values: values[0],
}


@dataclass(frozen=True)
class World:
    """A question under a rule, about so many people who each have a value of the domain."""

    query: str
    people: int
    domain: Values
    rule: str

    def truth(self, dataset: Sequence[Fraction]) -> Fraction:
        return TRUTHS[self.query](dataset)

    def answer(self, dataset: Sequence[Fraction]) -> Answer:
        """What is told of a dataset."""
        truth = self.truth(dataset)
        if is_dominance(self.rule):
            return truth if passes(self.rule, dataset) else WITHHELD
        if self.rule.startswith("min-cell:") and self.query != "count":
            return truth if self.people >= int(self.rule.split(":")[1]) else WITHHELD
        return told(self.rule, truth)

    def all_others(self) -> Iterator[Values]:
        return combinations_with_replacement(self.domain, self.people - 1)

    def caused(self, others: Values) -> dict[Fraction, Answer]:
        """What each value of the last person makes of the answer."""
        return {own: self.answer((*others, own)) for own in self.domain}

    @cached_property
    def images(self) -> list[dict[Fraction, Answer]]:
        """Truths that one person can cause, with what is told of each, for all that the others can be."""
        return [
            {self.truth((*others, own)): self.answer((*others, own)) for own in self.domain}
            for others in self.all_others()
        ]

    @cached_property
    def reach(self) -> int:
        """The most different answers that one person can cause."""
        return max(len(set(self.caused(others).values())) for others in self.all_others())

    @cached_property
    def cells(self) -> dict[Answer, set[Fraction]]:
        """What the truth can be behind each answer."""
        found: dict[Answer, set[Fraction]] = {}
        for dataset in combinations_with_replacement(self.domain, self.people):
            found.setdefault(self.answer(dataset), set()).add(self.truth(dataset))
        return found

    @property
    def truths(self) -> list[Fraction]:
        return sorted(set().union(*self.cells.values()))

    @property
    def may_withhold(self) -> bool:
        if self.rule.startswith("min-cell:"):
            return any(isinstance(answer, str) for answer in self.cells)
        return WITHHELD in self.cells

    @property
    def worst_error(self) -> Fraction:
        """How far the middle of what is told can be from the truth."""
        return widest(self.cells.values()) / 2


def widest(cells: Iterable[set[Fraction]]) -> Fraction:
    return max(max(cell) - min(cell) for cell in cells)


def most_met(labels: Callable[[Fraction], object], images: Iterable[Iterable[Fraction]]) -> int:
    """How many answers one person can cause when truths are told by these labels."""
    return max(len({labels(truth) for truth in image}) for image in images)


def equal_divisions(truths: Sequence[Fraction], *, shifted: bool) -> Iterator[dict[Fraction, int]]:
    """All ways to cut the span of these truths into equal cells, from the low end or also shifted.

    Cells are half-open and the last one is closed, so that q cells of the very span count among them.
    Widths and shifts are those at which a division changes: differences of truths, over whole numbers.
    """
    low, high = truths[0], truths[-1]
    gaps = sorted({b - a for a in truths for b in truths if b > a})
    yield dict.fromkeys(truths, 0)
    for parts in range(2, 2 * len(truths) + 2):
        width = (high - low) / parts
        if width:
            yield {y: min((y - low) // width, parts - 1) for y in truths}
    for width in gaps:
        for shift in {(y - low) % width for y in truths} if shifted else {Fraction(0)}:
            yield {y: (y - low - shift) // width for y in truths}


# --- logarithms -----------------------------------------------------------------------------------


def is_log2_rounded_up(stated: float, number: int) -> bool:
    """Whether a float is log2 of a whole number or a hair above it."""
    with localcontext() as context:
        context.prec = 60
        true = Decimal(number).ln() / Decimal(2).ln()
        if number.bit_count() == 1:
            return stated == number.bit_length() - 1
        return true <= Decimal(stated) <= true + Decimal("1e-13")


def is_log2_rounded_down(stated: float, number: int) -> bool:
    """Whether a float is log2 of a whole number or a hair below it."""
    if number.bit_count() == 1:
        return stated == number.bit_length() - 1
    return is_log2_rounded_up(math.nextafter(stated, math.inf), number) and not is_log2_rounded_up(
        math.nextafter(stated, -math.inf), number
    )
