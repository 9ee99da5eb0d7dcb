"""Writing a file so that a reader sees the old one or the whole new one, never a part."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from noiseless.errors import OutputError
from noiseless.private_files import create_private


@contextmanager
def written_whole(
    path: Path | str, sources: Collection[Path] = (), *, private: bool = False
) -> Iterator[Path]:
    """A temporary name beside `path` to write to; it becomes `path` at the end, or vanishes on an error.

    Args:
        path: the file to write.
        sources: files that must not be overwritten.
        private: whether only its owner may read it; the file is then there, empty, under its temporary name.

    Raises:
        OutputError: nothing can be written there.
    """
    out = Path(path)
    check_output(out, sources)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        if private:
            part.unlink(missing_ok=True)
            os.close(create_private(part))
        yield part
        part.replace(out)
    except OSError as error:
        raise OutputError(str(out), f"cannot be written ({error.strerror})") from None
    finally:
        part.unlink(missing_ok=True)


def check_output(path: Path | str, sources: Collection[Path] = ()) -> None:
    """Check, before long work, that a file can be written.

    Raises:
        OutputError: its folder is not there or not writable, it is a folder itself, or one of the sources.
    """
    out = Path(path)
    if out.resolve() in {source.resolve() for source in sources}:
        raise OutputError(str(out), "is the table itself; write to another file")
    if out.is_dir():
        raise OutputError(str(out), "is a folder; name a file in it")
    if not out.parent.is_dir():
        raise OutputError(str(out), "its folder does not exist; make it first")
    if not os.access(out.parent, os.W_OK):
        raise OutputError(str(out), "its folder may not be written to; choose another")
