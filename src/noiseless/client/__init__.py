"""A client for servers: the standard library is all it needs, and pyarrow for frames.

import noiseless as nl
client = nl.connect("https://data.example.org", token)
client.ask("SELECT AVG(kwh) FROM meters")
"""

from noiseless.client.client import Client, RemoteDataset, connect
from noiseless.client.datasets import ColumnDescription, DatasetDescription, DatasetSummary, TokenHolder
from noiseless.client.errors import (
    BadQuestion,
    BadReply,
    BudgetRefused,
    DataChanged,
    Forbidden,
    NotFound,
    Redirected,
    ServerError,
    TooLarge,
    TooMany,
    Unauthorised,
    Unavailable,
    Unreachable,
)
from noiseless.client.frames import Listing
from noiseless.client.json_objects import Amount
from noiseless.client.replies import BatchRecord, RemoteAnswer, RemoteQuote, RemoteReply, RemoteResult

__all__ = [
    "Amount",
    "BadQuestion",
    "BadReply",
    "BatchRecord",
    "BudgetRefused",
    "Client",
    "ColumnDescription",
    "DataChanged",
    "DatasetDescription",
    "DatasetSummary",
    "Forbidden",
    "Listing",
    "NotFound",
    "Redirected",
    "RemoteAnswer",
    "RemoteDataset",
    "RemoteQuote",
    "RemoteReply",
    "RemoteResult",
    "ServerError",
    "TokenHolder",
    "TooLarge",
    "TooMany",
    "Unauthorised",
    "Unavailable",
    "Unreachable",
    "connect",
]
