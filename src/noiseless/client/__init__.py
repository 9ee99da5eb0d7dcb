"""A client for servers: urllib3 is all it needs, and pyarrow for frames.

import noiseless as nl
client = nl.connect("https://data.example.org", token)
client.ask("SELECT AVG(kwh) FROM meters")
"""

from noiseless.amounts import Cost
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
from noiseless.client.replies import BatchRecord
from noiseless.replies import Answer, Quote, Reply, Result

__all__ = [
    "Answer",
    "BadQuestion",
    "BadReply",
    "BatchRecord",
    "BudgetRefused",
    "Client",
    "ColumnDescription",
    "Cost",
    "DataChanged",
    "DatasetDescription",
    "DatasetSummary",
    "Forbidden",
    "Listing",
    "NotFound",
    "Quote",
    "Redirected",
    "RemoteDataset",
    "Reply",
    "Result",
    "ServerError",
    "TokenHolder",
    "TooLarge",
    "TooMany",
    "Unauthorised",
    "Unavailable",
    "Unreachable",
    "connect",
]
