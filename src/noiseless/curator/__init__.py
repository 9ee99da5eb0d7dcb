"""The session over a private dataset: price, charge, compute, store, reply."""

from noiseless.curator.curator import Curator
from noiseless.curator.file import CuratorFile
from noiseless.curator.source import ChangedSourceError
from noiseless.curator.transaction import UnansweredError
from noiseless.replies import Answer, Quote, Reply, Result
from noiseless.work import Cancellation, WorkCancelledError, WorkError

__all__ = [
    "Answer",
    "Cancellation",
    "ChangedSourceError",
    "Curator",
    "CuratorFile",
    "Quote",
    "Reply",
    "Result",
    "UnansweredError",
    "WorkCancelledError",
    "WorkError",
]
