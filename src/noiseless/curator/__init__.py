"""The session over a private dataset: price, charge, compute, store, reply."""

from typing import TYPE_CHECKING

from noiseless.late_names import late_names
from noiseless.replies import Answer, Quote, Reply, Result
from noiseless.work import Cancellation, WorkCancelledError, WorkError

if TYPE_CHECKING:
    from noiseless.curator.curator import Curator
    from noiseless.curator.file import CuratorFile
    from noiseless.curator.source import ChangedSourceError
    from noiseless.curator.transaction import UnansweredError
else:
    __getattr__ = late_names(
        __name__,
        {
            "ChangedSourceError": "source",
            "Curator": "curator",
            "CuratorFile": "file",
            "UnansweredError": "transaction",
        },
    )

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
