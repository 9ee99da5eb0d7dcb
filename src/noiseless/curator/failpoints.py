"""Places where a test can kill the process: between price, charge, computation, storage and reply."""

import os
import signal
from typing import Final, Literal, get_args

from noiseless.errors import RequestError

Failpoint = Literal["priced", "charged", "computed", "stored", "replied"]
VARIABLE: Final = "NOISELESS_FAILPOINT"
"""An environment variable, `name` or `name:count`, that is read once.

The process kills itself with SIGKILL when it comes to that place (for the count-th time): nothing is flushed,
nothing is tidied up, as when the power fails.
"""


class _Armed:
    """The place and how often it may still be passed; None when no test asked for it."""

    def __init__(self, wanted: str | None) -> None:
        name, _, count = (wanted or "").partition(":")
        if wanted and (name not in get_args(Failpoint) or not (count or "1").isdecimal()):
            names = ", ".join(get_args(Failpoint))
            raise RequestError(f"{VARIABLE} is one of {names}, such as charged or stored:3")
        self.name = name or None
        self.left = int(count or 1)


_armed = _Armed(os.environ.get(VARIABLE))


def pass_failpoint(name: Failpoint) -> None:
    """Come to a place; the process ends here if a test wants it to."""
    if _armed.name != name:
        return
    _armed.left -= 1
    if _armed.left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
