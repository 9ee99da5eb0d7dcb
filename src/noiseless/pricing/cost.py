"""What answers cost: outputs, bits of randomised answers beside them, budgets, and the record that they protect."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, prod

from noiseless.domain.schema import Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Bits, Rational, floor_of_power, log2_bounds, round_down, round_up

Budget = Rational | Bits
"""A number of bits (int, Fraction, Decimal), or a reach k as `Bits(k)`, which is exactly log2(k) bits."""


@dataclass(frozen=True)
class Cost:
    """log2(outputs) + capacity bits.

    Attributes:
        outputs: at most so many joint answers one person can cause, everybody else staying as they are.
        capacity: bits that randomised answers add. With them the cost bounds the mutual information between
            a record and the answers, and no longer their number.
    """

    outputs: int = 1
    capacity: Fraction = Fraction(0)

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.outputs * other.outputs, self.capacity + other.capacity)

    def __str__(self) -> str:
        if self.is_reach:
            return str(Bits(self.outputs))
        hundredths = Decimal(ceil(self._upper * 100))  # up: what is read is never too little
        return f"{hundredths.scaleb(-2):.2f} bits of mutual information"

    @property
    def is_reach(self) -> bool:
        """Whether it counts outputs: no answer was randomised."""
        return not self.capacity

    @property
    def bits(self) -> Bits:
        """The cost as exact bits.

        Raises:
            RequestError: a randomised answer is among the answers.
        """
        if self.capacity:
            raise RequestError("randomised answers are no number of outputs; read `upper` instead of `bits`")
        return Bits(self.outputs)

    @property
    def upper(self) -> float:
        """A float that is not below the cost in bits."""
        return round_up(self._upper)

    @property
    def _upper(self) -> Fraction:
        return log2_bounds(Fraction(self.outputs))[1] + self.capacity

    def within(self, budget: Budget) -> bool:
        """Whether it is at most the budget; the comparison is exact.

        >>> from decimal import Decimal
        >>> three = Cost(3)
        >>> three.within(Decimal("1.58")), three.within(Decimal("1.585")), three.within(Bits(3))
        (False, True, True)
        """
        if isinstance(budget, Bits):
            return Bits(budget.ratio / self.outputs) >= self.capacity
        return Bits(self.outputs) <= Fraction(budget) - self.capacity

    def exceeds(self, other: "Cost") -> bool:
        """Whether it is more than another cost; the comparison is exact."""
        return Bits(Fraction(self.outputs, other.outputs)) > other.capacity - self.capacity


def dearest(costs: Iterable[Cost], least: Cost) -> Cost:
    """The largest of some costs, and at least `least`."""
    for cost in set(costs):
        if cost.exceeds(least):
            least = cost
    return least


def checked_budget(budget: Budget) -> Budget:
    """A budget that makes sense.

    Raises:
        RequestError: it is negative, not finite, or a float, whose last digit nobody meant.
    """
    if isinstance(budget, float):
        raise RequestError('a budget is exact; write Decimal("1.58"), a whole number, or Bits(3) for a reach')
    if isinstance(budget, Decimal) and not budget.is_finite():
        raise RequestError("a budget is a finite number of bits")
    if budget < 0:
        raise RequestError("a budget is a number of bits, 0 or more")
    return budget


def most_outputs(budget: Budget, spent: Cost | None = None) -> int:
    """The largest number of outputs that a budget still allows after `spent`; 0 when it is overdrawn.

    >>> most_outputs(3), most_outputs(3, Cost(3)), most_outputs(Bits(10), Cost(3)), most_outputs(1, Cost(3))
    (8, 2, 3, 0)
    """
    before = spent or Cost()
    if not before.within(budget):
        return 0
    ratio, room = (budget.ratio, Fraction(0)) if isinstance(budget, Bits) else (Fraction(1), Fraction(budget))
    return floor_of_power(room - before.capacity, ratio / before.outputs)


def remaining_bits(budget: Budget | None, spent: Cost) -> float | None:
    """Bits that a budget leaves, rounded down; never less than 0; None without end.

    >>> remaining_bits(3, Cost(2)), remaining_bits(Bits(3), Cost(3)), remaining_bits(1, Cost(4))
    (2.0, 0.0, 0.0)
    """
    if budget is None:
        return None
    if isinstance(budget, Bits):
        left = log2_bounds(budget.ratio / spent.outputs)[0] - spent.capacity
    else:
        left = Fraction(budget) - log2_bounds(Fraction(spent.outputs))[1] - spent.capacity
    return max(round_down(left), 0.0)


@dataclass(frozen=True)
class Record:
    """The declared private attributes of one person.

    Attributes:
        attributes: names and numbers of values, None for a continuum.
        rows: the most rows that one person may have; each row has all attributes.
    """

    attributes: tuple[tuple[str, int | None], ...]
    rows: int = 1

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise RequestError("a person has at least one row")
        if any(size is not None and size < 1 for _, size in self.attributes):
            raise RequestError("a domain has at least one value")

    @classmethod
    def of(cls, sizes: Mapping[str, int | None], rows: int = 1) -> "Record":
        """The record whose attributes take so many values.

        >>> Record.of({"age": 121, "smokes": 2}).values()
        242
        """
        return cls(tuple(sizes.items()), rows)

    @classmethod
    def of_schema(cls, schema: Schema, rows: int = 1) -> "Record":
        """The private columns of a schema."""
        return cls.of({name: schema.columns[name].size for name in schema.private}, rows)

    @cached_property
    def sizes(self) -> Mapping[str, int | None]:
        """How many values each attribute takes."""
        return dict(self.attributes)

    def values(self, names: Iterable[str] | None = None) -> int | None:
        """How many values some attributes (all unless said) take together, in all rows; None if no end."""
        chosen = [self.sizes[name] for name in (self.sizes if names is None else names)]
        finite = [size for size in chosen if size is not None]
        return prod(finite) ** self.rows if len(finite) == len(chosen) else None

    def require(self, names: Iterable[str]) -> None:
        """Check that attributes belong to the record.

        Raises:
            ColumnError: one does not.
        """
        for name in names:
            if name not in self.sizes:
                known = ", ".join(map(repr, self.sizes))
                raise ColumnError(name, f"is no private attribute of the record; it has {known}")
