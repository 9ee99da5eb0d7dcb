"""Files that nobody but their owner may read, from the first byte."""

import os
from pathlib import Path


def create_private(path: Path) -> int:
    """A new file, open for writing; its descriptor.

    Raises:
        FileExistsError: there is one of that name, be it a link.
        OSError: it cannot be made.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)


def reserve_private(path: Path) -> None:
    """See to it that a file is there, for a program that makes files as others may read them.

    One that is empty holds nothing yet, and becomes private too; one that is not is left as it is.

    Raises:
        OSError: it cannot be made.
    """
    try:
        os.close(create_private(path))
    except FileExistsError:
        if path.is_file() and not path.stat().st_size:
            path.chmod(0o600)
