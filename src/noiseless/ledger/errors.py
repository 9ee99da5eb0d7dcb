"""What can go wrong with a ledger, one line each that says how to mend it; drivers' texts never pass."""

from typing import Any

from noiseless.amounts import Budget, Cost
from noiseless.errors import NoiselessError
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


class LostConnectionError(LedgerUnavailableError):
    """The server went away, or another transaction came in between; worth another try."""


SAME_KEY = "a question has the same key as another one; ask for it in another way"

_OF_SQLITE = {
    "SQLITE_FULL": "the disk is full; make room and ask again",
    "SQLITE_IOERR": "cannot be read or written: the disk, a quota or a file's largest size; make room",
    "SQLITE_READONLY": "cannot be written; check the permissions of the file and of its folder",
    "SQLITE_PERM": "may not be opened; check the permissions of the file and of its folder",
    "SQLITE_CANTOPEN": "cannot be opened; check that its folder exists and may be written",
    "SQLITE_NOTADB": "is no SQLite file",
    "SQLITE_CORRUPT": "is damaged; restore a backup",
    "SQLITE_CONSTRAINT_NOTNULL": SAME_KEY,
    "SQLITE_CONSTRAINT": "refuses a change of an entry: entries are never changed",
    "SQLITE_TOOBIG": "cannot hold so large an entry; ask for fewer questions at once",
    "SQLITE_NOMEM": "needs more memory",
    "SQLITE_ERROR": "does not have the tables of a ledger; restore a backup",
}

_OF_POSTGRESQL = {
    "53100": "the server's disk is full; make room and ask again",
    "53200": "the server needs more memory",
    "53300": "the server has too many connections; ask again",
    "25006": "the server is read-only; name the primary server",
    "23502": SAME_KEY,
    "42501": "may not be written by this user; grant it the rights to the ledger's tables",
    "42P01": "does not have the tables of a ledger; restore a backup",
    "P0001": "refuses a change of an entry: entries are never changed",
    "42723": "says another step than its tables have; restore a backup",
    "42710": "says another step than its tables have; restore a backup",
    "42P07": "says another step than its tables have; restore a backup",
}

_PASSING = ("starting up", "shutting down", "not yet accepting", "recovery", "terminating connection")
_AGAIN = {"40001", "40P01"}  # nothing was written: another transaction was in the way
_LOCKED = "55P03"


def explain_sqlite(error: Any, where: str) -> LedgerError:  # noqa: ANN401 - the driver's own
    """What an error of SQLite means."""
    name = str(getattr(error, "sqlite_errorname", "SQLITE_ERROR"))
    if str(error).startswith("Could not decode to UTF-8"):  # Python's own, which has no name
        return LedgerError(
            f"{where}: has a row that cannot be read: a text in it is no UTF-8; restore a backup"
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return LedgerUnavailableError(f"{where}: is locked by another program; ask again")
    for known, meaning in _OF_SQLITE.items():
        if name.startswith(known):
            return LedgerError(f"{where}: {meaning}")
    return LedgerError(f"{where}: failed ({name})")


def explain_postgresql(error: Any, where: str, *, broken: bool) -> LedgerError:  # noqa: ANN401 - the driver's own
    """What an error of PostgreSQL means."""
    state = getattr(error, "sqlstate", None) or ""
    if state == _LOCKED:
        return LedgerUnavailableError(f"{where}: is locked by another program; ask again")
    lost = broken or (not state and type(error).__name__ == "OperationalError")  # the driver's, of a socket
    if state in _AGAIN or lost or state.startswith(("57P0", "08")):
        return LostConnectionError(f"{where}: the server went away; ask again")
    return LedgerError(f"{where}: {_OF_POSTGRESQL.get(state, f'failed ({state or type(error).__name__})')}")


def explain_connecting(error: Any, where: str, *, was_reached: bool) -> LedgerError:  # noqa: ANN401 - the driver's own
    """What it means that no connection to PostgreSQL came about; such texts name no more than the address."""
    text = " ".join(str(error).split())
    if was_reached or any(sign in text for sign in _PASSING):
        return LostConnectionError(f"{where}: the server went away; ask again")
    if type(error).__name__ == "ProgrammingError":  # its text may hold the password
        return LedgerError(f"{where}: is no address of PostgreSQL; percent-encode special characters in it")
    reason = text.rpartition("FATAL: ")[2] if "FATAL: " in text else "the server cannot be reached"
    return LedgerError(f"{where}: {reason}")
