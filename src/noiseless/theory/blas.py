"""BLAS on one thread, where matrices are small: threads that wait for each other cost more than they save."""

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """What is computed inside uses no other thread."""
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    """Numpy's and scipy's; looking for them takes longer than many a computation."""
    import scipy.linalg  # noqa: F401 - brings a BLAS of its own

    return ThreadpoolController()
