"""Batch after batch: what was spent, what is left, and when to refuse.

Across batches prices add (Theorem 6 of [P1]): the questions of a batch may be chosen after seeing earlier
answers, and a binary search really learns a bit a question. Adding is also enough when every question, and
whether it is asked at all, depends on earlier answers: a tree whose branchings multiply to at most B along
every path has at most B leaves.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import floor

from noiseless.amounts import Budget, Cost, checked_budget, dearest, most_outputs, remaining_bits
from noiseless.errors import NoiselessError
from noiseless.pricing.batches import Knowledge, Price, price
from noiseless.pricing.event import Event, Record


class BudgetError(NoiselessError):
    """A batch costs more than is left; nothing was answered.

    What is refused depends on the questions alone, so a refusal tells nothing about the data.

    Attributes:
        spent: what earlier batches cost those who would pay too much.
        asked: what this batch would cost them.
        remaining: the largest number of outputs that a batch about them may have.
        budget: the budget.
    """

    def __init__(self, spent: Cost, asked: Cost, remaining: int, budget: Budget) -> None:
        left = floor((remaining_bits(budget, spent) or 0) * 100) / 100
        remedy = (
            "ask for coarser answers or for fewer"
            if remaining > 1
            else "nothing new can be answered about these people; earlier answers stay free"
        )
        super().__init__(f"the batch costs {asked}, {spent} are spent and {left:.2f} bits are left; {remedy}")
        self.spent = spent
        self.asked = asked
        self.remaining = remaining
        self.budget = budget


@dataclass(frozen=True)
class History:
    """The batches that were answered, as far as later ones depend on them.

    Every public cell has an account of its own: questions about some people cost others nothing.

    Attributes:
        record: one person's private attributes.
        budget: bits (int, Fraction, Decimal), a reach k as `Bits(k)`, or None for no end.
        others: the sum of all prices for people in no public cell that was ever named.
        cells: the sum of all prices for the people of each public cell.
        known: the questions answered.
        batches: how many batches there were.

    >>> from noiseless.pricing.events import ExactCounts
    >>> from noiseless.pricing.partition import Predicate
    >>> history = History(Record.of({"age": 121}), budget=2)
    >>> adults = ExactCounts.where(Predicate.of("age", 121, range(18, 121)))
    >>> history = history.after([adults])
    >>> history.spent.outputs, history.remaining, history.quote([adults]).outputs
    (2, 2, 1)
    """

    record: Record
    budget: Budget | None = None
    others: Cost = field(default_factory=Cost)
    cells: Mapping[Hashable, Cost] = field(default_factory=dict)
    known: Knowledge = field(default_factory=Knowledge)
    batches: int = 0

    def __post_init__(self) -> None:
        if self.budget is not None:
            checked_budget(self.budget)

    @property
    def total(self) -> Cost:
        """The sum of all prices, for those who paid most."""
        return dearest(self.cells.values(), self.others)

    @property
    def spent(self) -> Cost:
        """The same, but never more than the whole record is worth (H0).

        The cap is that of the whole record. The attributes asked about so far are no cap: whether others are
        asked about later may depend on the answers.
        """
        return self.record.capped(self.total)

    @property
    def disclosed(self) -> bool:
        """Whether somebody's record may be fully disclosed: as many outputs as it has values."""
        return self.record.is_disclosed_by(self.total)

    @property
    def remaining(self) -> int | None:
        """The largest number of outputs that a batch about everybody may have; None without end."""
        if self.budget is None or not self.protects:
            return None
        return most_outputs(self.budget, self.total)

    @property
    def protects(self) -> bool:
        """Whether the budget is less than all there is to know; otherwise it refuses nothing."""
        return self.record.is_protected_by(self.budget)

    def spent_by(self, cell: Hashable) -> Cost:
        """The sum of all prices for the people of one public cell."""
        return self.cells.get(cell, self.others)

    def quote(self, events: Iterable[Event]) -> Price:
        """What a batch would cost now; repeated questions and those that follow from answers are free."""
        return price(events, self.record, self.known)

    def after(self, events: Iterable[Event]) -> "History":
        """The history with a batch more.

        Raises:
            BudgetError: the batch costs more than is left.
        """
        batch = list(events)
        asked = self.quote(batch)
        self._require(asked)
        cells = {cell: before + asked.shares.get(cell, asked.others) for cell, before in self.cells.items()}
        cells |= {cell: self.others + cost for cell, cost in asked.shares.items() if cell not in cells}
        return replace(
            self,
            others=self.others + asked.others,
            cells=cells,
            known=self.known.plus(batch),
            batches=self.batches + 1,
        )

    def _require(self, asked: Price) -> None:
        """Refuse when the account of any public cell, or of the others, would be overdrawn."""
        if self.budget is None or not self.protects:
            return
        accounts = {
            cell: (before, asked.shares.get(cell, asked.others)) for cell, before in self.cells.items()
        }
        accounts |= {cell: (self.spent_by(cell), cost) for cell, cost in asked.shares.items()}
        for before, more in {(self.others, asked.others), *accounts.values()}:
            if not (before + more).within(self.budget):
                raise BudgetError(before, more, most_outputs(self.budget, before), self.budget)
