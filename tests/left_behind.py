"""What a test must leave to its neighbours as it found it: whatever a whole process shares."""

import decimal
import gc
import locale
import logging
import os
import signal
import sys
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE)
_OWN = ("PYTEST_", "SPARK_", "PYSPARK_", "KMP_", "_RJEM_", "PYARROW_")
"""Variables of pytest, of the Spark that all tests of a process share, and of libraries once imported."""

Shared = dict[str, object]


def shared() -> Shared:
    """All of it, by name."""
    found: Shared = {
        "the working directory": os.getcwd(),  # noqa: PTH109 - as it is
        "sys.path": tuple(sys.path),
        "sys.argv": tuple(sys.argv),
        "the switch interval": sys.getswitchinterval(),
        "the recursion limit": sys.getrecursionlimit(),
        "the most digits of a number": sys.get_int_max_str_digits(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the decimal context": repr(decimal.getcontext().copy().prec),
        "numpy's errors": tuple(sorted(np.geterr().items())),
        "gc": gc.isenabled(),
    }
    found |= {f"the handler of {number.name}": signal.getsignal(number) for number in _SIGNALS}
    found |= _variables(tuple(os.environb.items()))
    for name, logger in [("root", logging.root), *_loggers()]:
        own = tuple([each for each in logger.handlers if not type(each).__module__.startswith("_pytest")])
        found[f"the logger {name}"] = (logger.level, logger.propagate, logger.disabled, own)
    return found


@lru_cache(maxsize=4)
def _variables(found: tuple[tuple[bytes, bytes], ...]) -> Shared:
    """Those of the environment; they hardly ever change, and there are many tests."""
    named = {os.fsdecode(name): value for name, value in found}
    return {f"${name}": value for name, value in named.items() if not name.startswith(_OWN)}


def _loggers() -> Iterator[tuple[str, logging.Logger]]:
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger):
            yield name, logger


def changes(before: Shared, after: Shared) -> list[str]:
    """What is not as it was; a logger that is new changes nothing for those who do not know of it."""
    names = [
        name for name in before.keys() | after.keys() if name in before or not name.startswith("the logger")
    ]
    return sorted(name for name in names if before.get(name) != after.get(name))


def restore_logging(before: Shared) -> None:
    """Give loggers back what they had; one that is new gets what new ones have."""
    for name, logger in _loggers():
        kept = before.get(f"the logger {name}", (logging.NOTSET, True, False, ()))
        logger.level, logger.propagate, logger.disabled, handlers = kept  # type: ignore[misc]
        logger.handlers = list(handlers)  # type: ignore[has-type]
