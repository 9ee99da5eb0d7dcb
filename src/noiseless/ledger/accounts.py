"""Who has paid how much: the account of each public cell relative to that of everybody else.

A batch that concerns everybody makes the people of all cells pay. Accounts relative to the others' stay as
they are then, so that a charge costs as much as the cells it names, however many there are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, prod
from typing import NamedTuple

from noiseless.amounts import Budget, Cost, fraction_text, integer_text, most_outputs, read_fraction
from noiseless.errors import RequestError
from noiseless.exact import Bits, log2_bounds, round_up
from noiseless.pricing.event import Record
from noiseless.pricing.history import BudgetError

FREE = Cost()


@dataclass(frozen=True)
class Shares:
    """What a batch makes people pay.

    Attributes:
        others: what those pay who are in none of the public cells named.
        cells: what the people of each public cell named pay; a cell's name is any text.
    """

    others: Cost = FREE
    cells: Mapping[str, Cost] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for cost in (self.others, *self.cells.values()):
            if cost.outputs < 1 or cost.capacity < 0:
                raise RequestError("a price is at least one output and no bits")

    @classmethod
    def of(cls, price: "Shares | Cost") -> "Shares":
        """A price as shares; a bare cost is everybody's."""
        return cls(price) if isinstance(price, Cost) else price

    @property
    def is_free(self) -> bool:
        """Whether nobody pays."""
        return all(cost == FREE for cost in (self.others, *self.cells.values()))

    @property
    def most(self) -> Cost:
        """What those pay who pay most."""
        most = self.others
        for cost in self.cells.values():
            if cost.exceeds(most):
                most = cost
        return most


class Surplus(NamedTuple):
    """What the people of a public cell paid beyond what the others paid; it may be less than nothing.

    Attributes:
        top: the number of their outputs, divided by that of the others, is `top / bottom` in lowest terms.
        bottom: see there.
        capacity: their bits of randomised answers, less those of the others.
    """

    top: int = 1
    bottom: int = 1
    capacity: Fraction = Fraction(0)

    def over(self, others: Cost) -> Cost:
        """The account of the cell."""
        outputs = self.top * others.outputs // self.bottom  # without a remainder
        return Cost(outputs, self.capacity + others.capacity)

    def plus(self, share: Cost, others: Cost) -> "Surplus":
        """The surplus after a batch of which the cell pays `share` and everybody else pays `others`."""
        top, bottom = self.top * share.outputs, self.bottom * others.outputs
        common = gcd(top, bottom)
        capacity = self.capacity + share.capacity - others.capacity
        return Surplus(top // common, bottom // common, capacity)

    def exceeds(self, other: "Surplus") -> bool:
        """Whether it is more than another; the comparison is exact."""
        mine, theirs = self.top * other.bottom, other.top * self.bottom
        if self.capacity == other.capacity:
            return mine > theirs
        return Bits(Fraction(mine, theirs)) > other.capacity - self.capacity


NONE = Surplus()
Surpluses = Mapping[str, Surplus]


class Accounts(NamedTuple):
    """The accounts of a dataset, without those of the cells.

    Attributes:
        others: what people paid who are in no public cell that was ever named.
        dearest: the largest surplus of any cell, and at least none.
        dearest_cell: whose it is; None if no cell paid more than the others.
    """

    others: Cost = FREE
    dearest: Surplus = NONE
    dearest_cell: str | None = None

    @property
    def total(self) -> Cost:
        """What those paid who paid most."""
        return self.dearest.over(self.others)

    def after(
        self, shares: Shares, named: Surpluses, every: Callable[[], Surpluses]
    ) -> tuple["Accounts", dict[str, Surplus]]:
        """The accounts after a batch, and the surpluses that changed.

        Args:
            shares: what the batch costs.
            named: the surpluses of the cells that it names, as far as they have any.
            every: all surpluses; asked for only when the dearest cell is dearest no more.
        """
        changed = {
            cell: named.get(cell, NONE).plus(cost, shares.others)
            for cell, cost in sorted(shares.cells.items())
        }
        most, whose = self.dearest, self.dearest_cell
        if whose is not None and whose in changed and most.exceeds(changed[whose]):
            most, whose = _dearest({**every(), **changed})
        else:
            most, whose = _dearest(changed, most, whose)
        return Accounts(self.others + shares.others, most, whose), changed


def _dearest(
    surpluses: Surpluses, most: Surplus = NONE, whose: str | None = None
) -> tuple[Surplus, str | None]:
    for cell, surplus in sorted(surpluses.items()):
        if surplus.exceeds(most):
            most, whose = surplus, cell
    return most, whose


def require(
    accounts: Accounts,
    shares: Shares,
    *,
    budget: Budget | None,
    record: Record,
    named: Surpluses,
    every: Callable[[], Surpluses],
) -> None:
    """Refuse a batch when the account of any public cell, or of the others, would be overdrawn.

    Refused is also a batch that costs an overdrawn account nothing but others something: after a budget was
    lowered below what is spent, nothing new is told.

    Raises:
        BudgetError: the batch costs more than is left.
    """
    if budget is None or shares.is_free or not record.is_protected_by(budget):
        return
    overdrawn = [
        (before, more)
        for before, more in _affected(accounts, shares, named, every, budget)
        if not (before + more).within(budget)
    ]
    if overdrawn:
        before, more = overdrawn[0]
        for account in overdrawn[1:]:
            if sum(account, start=FREE).exceeds(before + more):
                before, more = account
        raise BudgetError(before, more, most_outputs(budget, before), budget)


def _affected(
    accounts: Accounts, shares: Shares, named: Surpluses, every: Callable[[], Surpluses], budget: Budget
) -> Iterator[tuple[Cost, Cost]]:
    """Accounts and what they would pay: of those who are not named, the dearest one."""
    yield accounts.others, shares.others
    for cell, cost in shares.cells.items():
        yield named.get(cell, NONE).over(accounts.others), cost
    if accounts.dearest_cell not in shares.cells:
        yield accounts.total, shares.others
    elif not (accounts.total + shares.others).within(budget):  # the dearest is named: who comes after it?
        unnamed = {cell: surplus for cell, surplus in every().items() if cell not in shares.cells}
        yield _dearest(unnamed)[0].over(accounts.others), shares.others


class AnalystAccount(NamedTuple):
    """What an analyst's batches made a dataset pay.

    A person's account is bounded by the budget. An analyst's is not: a bit from each of a million groups is
    a million bits, and a number with as many digits would be written anew for each question.

    Attributes:
        factors: pairs of a number of outputs and how many batches had it, ascending.
        capacity: bits of randomised answers.
    """

    factors: tuple[tuple[int, int], ...] = ()
    capacity: Fraction = Fraction(0)

    def plus(self, cost: Cost) -> "AnalystAccount":
        """The sum with one price more.

        >>> AnalystAccount().plus(Cost(2)).plus(Cost(3)).plus(Cost(2)).factors
        ((2, 2), (3, 1))
        """
        counts = dict(self.factors)
        if cost.outputs > 1:
            counts[cost.outputs] = counts.get(cost.outputs, 0) + 1
        return AnalystAccount(tuple(sorted(counts.items())), self.capacity + cost.capacity)

    @property
    def cost(self) -> Cost:
        """The sum as a cost."""
        return Cost(prod(outputs**count for outputs, count in self.factors), self.capacity)

    @property
    def upper(self) -> float:
        """A float that is not below the sum in bits.

        >>> AnalystAccount(((2, 1_000_000),)).upper
        1000000.0
        """
        bits = sum(
            (log2_bounds(Fraction(outputs))[1] * count for outputs, count in self.factors), self.capacity
        )
        return round_up(bits)

    @property
    def texts(self) -> tuple[str, str]:
        """What is kept of it.

        >>> AnalystAccount(((2, 5), (3, 1))).texts
        ('2^5 3^1', '0')
        """
        factors = " ".join(f"{integer_text(outputs)}^{count}" for outputs, count in self.factors)
        return factors, fraction_text(self.capacity)

    @classmethod
    def read(cls, factors: str, capacity: str) -> "AnalystAccount":
        """The sum that texts say.

        >>> AnalystAccount.read("2^5 3^1", "0").cost.outputs, AnalystAccount.read("", "1/2").cost.capacity
        (96, Fraction(1, 2))
        """
        pairs = (factor.split("^") for factor in factors.split())
        return cls(tuple((int(outputs, 0), int(count)) for outputs, count in pairs), read_fraction(capacity))
