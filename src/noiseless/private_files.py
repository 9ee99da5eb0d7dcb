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
