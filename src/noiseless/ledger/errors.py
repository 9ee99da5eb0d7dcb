"""What can go wrong with a ledger; every message is one line and says how to mend it."""

from noiseless.errors import NoiselessError
from noiseless.pricing.cost import Budget, Cost
from noiseless.pricing.history import BudgetError


class LedgerError(NoiselessError):
    """The ledger cannot do what is asked; nothing was written unless the message says so."""


class LedgerUnavailableError(LedgerError):
    """The ledger is locked or cannot be reached now; trying again may help.

    Attributes:
        certain: whether it is certain that nothing was written. Asking again is right either way: what was
            charged is free the second time.
    """

    def __init__(self, message: str, *, certain: bool = True) -> None:
        super().__init__(message)
        self.certain = certain


class UnknownDatasetError(LedgerError):
    """A dataset that the ledger does not know."""

    def __init__(self, dataset: str) -> None:
        super().__init__(f"the ledger has no dataset {dataset!r}; declare it first")
        self.dataset = dataset


class QuotaError(BudgetError):
    """One analyst's share of the budget is used up; other analysts may still ask.

    Attributes:
        analyst: whose share.
    """

    def __init__(self, analyst: str, spent: Cost, asked: Cost, remaining: int, budget: Budget) -> None:
        super().__init__(spent, asked, remaining, budget)
        self.analyst = analyst
        self.args = (f"analyst {analyst!r}: {self.args[0]}",)
