"""A client for servers: the standard library is all it needs, and pyarrow for frames.

import noiseless as nl
client = nl.connect("https://data.example.org", token)
client.ask("SELECT AVG(kwh) FROM meters")
"""

from noiseless.client.answers import Answer, Result
from noiseless.client.asking import RemoteDataset
from noiseless.client.client import Client, connect
from noiseless.client.datasets import Column, Dataset, DatasetLine, Session
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
from noiseless.client.history import PastBatch
from noiseless.client.listings import Listing
from noiseless.client.numbers import Amount
from noiseless.client.replies import Quote, Reply

__all__ = [
    "Amount",
    "Answer",
    "BadQuestion",
    "BadReply",
    "BudgetRefused",
    "Client",
    "Column",
    "DataChanged",
    "Dataset",
    "DatasetLine",
    "Forbidden",
    "Listing",
    "NotFound",
    "PastBatch",
    "Quote",
    "Redirected",
    "RemoteDataset",
    "Reply",
    "Result",
    "ServerError",
    "Session",
    "TooLarge",
    "TooMany",
    "Unauthorised",
    "Unavailable",
    "Unreachable",
    "connect",
]
