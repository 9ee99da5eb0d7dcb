"""The durable record of charges: append-only, chained by hash."""

from noiseless.ledger.accounts import Accounts, Shares
from noiseless.ledger.books import Books, OpenBooks
from noiseless.ledger.entries import Anchor, Entry
from noiseless.ledger.errors import LedgerError, LedgerUnavailableError, QuotaError, UnknownDatasetError
from noiseless.ledger.group_commit import Settlement
from noiseless.ledger.ledger import Ledger
from noiseless.ledger.location import beside, locate
from noiseless.ledger.replay import charged
from noiseless.ledger.state import ChargedQuestion, NewQuestion, State, Version

__all__ = [
    "Accounts",
    "Anchor",
    "Books",
    "ChargedQuestion",
    "Entry",
    "Ledger",
    "LedgerError",
    "LedgerUnavailableError",
    "NewQuestion",
    "OpenBooks",
    "QuotaError",
    "Settlement",
    "Shares",
    "State",
    "UnknownDatasetError",
    "Version",
    "beside",
    "charged",
    "locate",
]
