"""Hypotheses "column >= expression of the others", and how other comparisons are brought into that form."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Self

from noiseless.domain.expressions import Call, ColumnValue, Expression, Operation, Ranges
from noiseless.domain.grammar import Sides
from noiseless.errors import ExpressionError

_MIRRORED = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}


@dataclass(frozen=True)
class Hypothesis:
    """One column compared with an expression of others, as in Theorem 4 of [P2].

    >>> from noiseless.domain.grammar import read_comparison
    >>> text = "30*(height/100)**2 <= weight"
    >>> print(Hypothesis.of(text, read_comparison(text)))
    weight >= 30 * (height / 100)**2

    Attributes:
        text: what was written.
        column: the column that is compared, and that a blur changes.
        sign: ">=", ">", "<=" or "<".
        boundary: g, what it is compared with.
    """

    text: str
    column: str
    sign: str
    boundary: Expression

    @classmethod
    def of(cls, text: str, sides: Sides, ranges: Ranges | None = None) -> Self:
        """The hypothesis in a comparison that has been read.

        A comparison without a lone column is solved for one where that can be done without doubt, as
        `weight/(height/100)**2 >= 30` can when the declared heights are all above 0.

        Args:
            text: what was written.
            sides: the comparison in it.
            ranges: the declared bounds of the columns, which tell the sign of divisors; without them only
                comparisons with a lone column can be read.

        Raises:
            ExpressionError: it is no such comparison, in a line that says how to mend it.
        """
        left, sign, right = sides
        if not left.columns | right.columns:
            raise ExpressionError(text, "names no column; compare a column with something")
        for side, other, way in ((left, right, sign), (right, left, _MIRRORED[sign])):
            if isinstance(side, ColumnValue):
                if side.name in other.columns:
                    problem = f"{side} stands on both sides; write it alone on one side"
                    raise ExpressionError(text, problem)
                return cls(text, side.name, way, other)
        return cls(text, *_solved(text, sides, ranges))

    def __str__(self) -> str:
        return f"{ColumnValue(self.column)} {self.sign} {self.boundary}"

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The columns of the boundary, sorted."""
        return tuple(sorted(self.boundary.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns: the compared one first."""
        return (self.column, *self.others)

    @property
    def ties_above(self) -> bool:
        """Whether a value that equals the boundary goes with those above it (>= and <) or below it."""
        return self.sign in (">=", "<")

    def holds(self, point: Mapping[str, Fraction]) -> bool:
        """Whether it is true of a point."""
        return self.holds_for(point[self.column], self.boundary.at(point))

    def holds_for(self, value: Fraction, boundary: Fraction) -> bool:
        """Whether it is true of a value where the boundary has this value."""
        above = value >= boundary if self.ties_above else value > boundary
        return above == (self.sign in (">=", ">"))


class _Solution(NamedTuple):
    """A column, the sign and the boundary it is compared with then, and divisors whose sign matters."""

    column: str
    sign: str
    boundary: Expression
    scales: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{ColumnValue(self.column)} {self.sign} {self.boundary}"


def _solved(text: str, sides: Sides, ranges: Ranges | None) -> tuple[str, str, Expression]:
    """Solve for the only column for which that is possible."""
    found = [solution for name in _once(sides) if (solution := _isolated(sides, name)) is not None]
    if len(found) != 1:
        example = f", such as {found[0]}" if found else ""
        raise ExpressionError(text, f"write the column to be blurred alone on one side{example}")
    solution = found[0]
    sign = solution.sign
    for scale in solution.scales:
        known = 0 if ranges is None else scale.sign_over(ranges)
        if not known:
            problem = f"{scale} can be 0 or of either sign within the declared bounds; mend the bounds, or"
            raise ExpressionError(text, f"{problem} write it as {solution} if that is meant")
        sign = sign if known > 0 else _MIRRORED[sign]
    return solution.column, sign, solution.boundary


def _once(sides: Sides) -> list[str]:
    """The columns that occur exactly once."""
    counts: dict[str, int] = {}
    waiting = [sides.left, sides.right]
    while waiting:
        expression = waiting.pop()
        waiting += expression.parts
        if isinstance(expression, ColumnValue):
            counts[expression.name] = counts.get(expression.name, 0) + 1
    return sorted(name for name, count in counts.items() if count == 1)


def _isolated(sides: Sides, name: str) -> _Solution | None:
    """Bring a column to one side by undoing sums, products, quotients and signs; None if it is inside more.

    Multiplying or dividing by an expression is right only where its sign is known: it is noted in `scales`.
    """
    left, sign, right = sides
    here, there = (left, right) if name in left.columns else (right, left)
    way, scales = sign if here is left else _MIRRORED[sign], list[Expression]()
    while not isinstance(here, ColumnValue):
        match here:
            case Operation(first, "+", second):
                here, other = (first, second) if name in first.columns else (second, first)
                there = Operation(there, "-", other)
            case Operation(first, "-", second) if name in first.columns:
                here, there = first, Operation(there, "+", second)
            case Operation(first, "-", second):
                here, there, way = second, Operation(first, "-", there), _MIRRORED[way]
            case Operation(first, "*", second):
                here, other = (first, second) if name in first.columns else (second, first)
                there = Operation(there, "/", other)
                scales.append(other)
            case Operation(first, "/", second) if name in first.columns:
                here, there = first, Operation(there, "*", second)
                scales.append(second)
            case Call("-", (inner,)):
                here, there, way = inner, Call("-", (there,)), _MIRRORED[way]
            case _:
                return None
    return _Solution(name, way, there, tuple(scales))
