"""The durable record of charges: append-only, chained by hash."""

from noiseless.ledger.accounts import Accounts, Shares
from noiseless.ledger.books import Books, OpenBooks
from noiseless.ledger.entries import Anchor, Entry
from noiseless.ledger.errors import LedgerError, LedgerUnavailableError, QuotaError, UnknownDatasetError
from noiseless.ledger.ledger import Ledger
from noiseless.ledger.location import beside, locate
from noiseless.ledger.lookups import Lookups
from noiseless.ledger.replay import charged
from noiseless.ledger.state import Asked, State, Told, Version
from noiseless.ledger.together import Errand

__all__ = [
    "Accounts",
    "Anchor",
    "Asked",
    "Books",
    "Entry",
    "Errand",
    "Ledger",
    "LedgerError",
    "LedgerUnavailableError",
    "Lookups",
    "OpenBooks",
    "QuotaError",
    "Shares",
    "State",
    "Told",
    "UnknownDatasetError",
    "Version",
    "beside",
    "charged",
    "locate",
]
