"""Tests of a yes/no fact from what a release shows: Theorem 2 and Priv of [P2], for any release."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.display import Facts, Shown, bound_text, counted
from noiseless.domain.grammar import read_comparison
from noiseless.errors import ColumnError, ExpressionError, RequestError
from noiseless.theory.hypothesis import HypothesisRanges
from noiseless.theory.hypothesis.privacy import Amount, Privacy

if TYPE_CHECKING:
    from noiseless.audits.table_audit import TableAudit

_EQUALITY = re.compile(
    r"""\s*(?P<column>[^=<>!]+?)\s*(?P<sign>==?|!=|<>)\s*(?P<value>'[^']*'|"[^"]*"|[^=<>!'"]+?)\s*"""
)
"""A column and a value that it is, or is not."""

_SIGNS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
}

Fact = Callable[[Mapping[str, Any]], bool]
"""Whether something is true of a row, given its values."""


@dataclass(frozen=True, repr=False)
class HypothesisAudit(Shown):
    """What the groups of a release say about a yes/no fact.

    Attributes:
        text: the hypothesis.
        ranges: the groups in which it holds for somebody (p0), and those in which it does not (p1).
        heads: how many rows (persons) are in groups where it is surely true, surely false, undecided.
        unit: what heads are, in words.
    """

    text: str
    ranges: HypothesisRanges[frozenset[Any]]
    heads: tuple[int, int, int]
    unit: str

    @property
    def privacy(self) -> Privacy:
        """Priv, (9) of [P2]: how far the best test stays behind one that is always right."""
        return self.ranges.privacy()

    @property
    def performance(self) -> Amount:
        """No test performs better (Theorem 2 of [P2]): log2 of the groups that give the fact away."""
        return self.ranges.bound

    @property
    def leakage(self) -> Amount:
        """L0(Y;H)."""
        return self.ranges.leakage

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON; what protects is rounded down, what is given away up."""
        sizes, privacy = self.ranges.sizes, self.privacy.amount
        return {
            "text": self.text,
            "surely_true": sizes.surely_p0,
            "surely_false": sizes.surely_p1,
            "undecided": sizes.undecided,
            **dict(
                zip(("heads_surely_true", "heads_surely_false", "heads_undecided"), self.heads, strict=True)
            ),
            "privacy": privacy if isinstance(privacy, float) else privacy.lower,
            "performance": _upper(self.performance),
            "leakage": _upper(self.leakage),
        }

    def _shown(self) -> tuple[str, Facts]:
        groups, kinds = self.ranges.sizes, ("surely true", "surely false", "undecided")
        rows = {
            kind: f"{counted(int(size), 'groups')} with {counted(heads, self.unit)}"
            for kind, size, heads in zip(kinds, groups, self.heads, strict=True)
        }
        decided, every = int(groups[0] + groups[1]), int(sum(groups))
        best, kept = self.performance, str(self.privacy).partition(" (")[0]
        rows["best test"] = (
            "right for sure in no group"
            if isinstance(best, float)
            else f"right for sure in at most {decided:,} of {counted(every, 'groups')}: "
            f"{best} of {bound_text(_upper(self.ranges.entropy), 2, up=True)}"
        )
        rows["kept from it, Priv"] = f"at least {kept}" if decided else "without end"
        rows["bits leaked, L0"] = str(self.leakage)
        return f"Is {self.text}? What a group says of those in it:", rows


def hypothesis_audit(audit: "TableAudit", text: str) -> HypothesisAudit:
    """What each group of an audited table says about a hypothesis on its columns.

    Raises:
        ExpressionError: it is no comparison.
        ColumnError: a column is not part of the audit, is missing values, or holds no numbers.
    """
    tally, changed = audit.tally, () if audit.ruling is None else audit.public
    usable = [column for column in tally.columns if column not in changed and column != audit.unit]
    columns, fact = read_fact(text, usable)
    rows = tally.project((*audit.seen, *(column for column in columns if column not in audit.seen)))
    kinds = rows.project(columns)
    for column in columns:
        if not kinds.codes(column).all():
            raise ColumnError(column, "has missing values; leave their rows out (--missing drop)")
    values = [kinds.decode(column).to_pylist() for column in columns]
    truths = np.array([fact(dict(zip(columns, row, strict=True))) for row in zip(*values, strict=True)], bool)
    holds = truths[kinds.places({column: rows.codes(column) for column in columns})]
    groups, size = rows.prefix_ranks(len(audit.seen)), audit.census.joint.size_y
    true, false = (_marked(groups[chosen], size) for chosen in (holds, ~holds))
    if not (true.any() and false.any()):
        raise RequestError(f"{text!r} is true of everybody or of nobody: there is nothing to test")
    ranges = HypothesisRanges(*(frozenset(np.flatnonzero(part).tolist()) for part in (true, false)))
    inside = audit.census.heads_in
    heads = inside(true & ~false), inside(false & ~true), inside(true & false)
    return HypothesisAudit(text, ranges, heads, audit.heads)


def read_fact(text: str, columns: Sequence[str]) -> tuple[tuple[str, ...], Fact]:
    """The columns of a hypothesis, and whether it is true of given values.

    >>> columns, fact = read_fact("weight >= 30*(height/100)**2", ["weight", "height"])
    >>> columns, fact({"weight": 90, "height": 170})
    (('height', 'weight'), True)
    >>> read_fact("illness != flu", ["illness"])[1]({"illness": "flu"})
    False
    """
    if (equal := _EQUALITY.fullmatch(text)) is not None:
        return _equality(equal, columns)
    left, sign, right = read_comparison(text)
    named = tuple(sorted(left.columns | right.columns))
    _require(named, columns)
    if not named:
        raise ExpressionError(text, "names no column; compare a column with something")

    def fact(row: Mapping[str, Any]) -> bool:
        numbers = {column: _number(column, row[column]) for column in named}
        try:
            return _SIGNS[sign](left.at(numbers), right.at(numbers))
        except ZeroDivisionError:
            raise ExpressionError(text, "divides by 0 for some rows; write it as a product") from None

    return named, fact


def _require(named: Iterable[str], columns: Sequence[str]) -> None:
    for column in named:
        if column not in columns:
            raise ColumnError(
                column, "is not part of the audit as it is; name it (--sensitive, --public or --given)"
            )


def _equality(written: re.Match[str], columns: Sequence[str]) -> tuple[tuple[str, ...], Fact]:
    column, value = written["column"].strip('"'), written["value"].strip("'\"")
    wanted = written["sign"] in ("=", "==")
    _require([column], columns)

    def fact(row: Mapping[str, Any]) -> bool:
        return _is_written(row[column], value) == wanted

    return (column,), fact


def _is_written(value: object, text: str) -> bool:
    """Whether a text stands for a value: numbers in any spelling, all else as it is written."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return str(value).strip().casefold() == text.strip().casefold()
    try:
        return _exact(value) == Fraction(text)
    except ValueError:
        return False


def _exact(value: Any) -> Fraction:  # noqa: ANN401 - a value of the table
    """A number exactly; a float is the decimal that it is written as."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _number(column: str, value: Any) -> Fraction:  # noqa: ANN401 - a value of the table
    if isinstance(value, str):
        value = None
    try:
        return Fraction(int(value)) if isinstance(value, bool) else _exact(value)
    except (TypeError, ValueError):
        raise ColumnError(column, "does not hold numbers; compare it with =, such as illness = flu") from None


def _marked(groups: Any, size: int) -> BoolArray:  # noqa: ANN401 - numbers of groups
    found = np.zeros(size, bool)
    found[groups] = True
    return found


def _upper(amount: Amount) -> float:
    return amount if isinstance(amount, float) else amount.upper
