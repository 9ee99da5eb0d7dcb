"""Files and folders that are written whole or not at all, and files that nobody but their owner may read."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from noiseless.errors import OutputError


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


@contextmanager
def folder_whole(path: Path | str) -> Iterator[Path]:
    """A hidden folder beside `path` to fill; it becomes `path` at the end, or vanishes on an error.

    Raises:
        OutputError: there is something of that name, or nothing can be written there.
    """
    out = Path(path)
    check_new_folder(out)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        rmtree(part, ignore_errors=True)
        part.mkdir()
        yield part
        check_new_folder(out)
        part.rename(out)
    except OSError as error:
        raise OutputError(str(out), f"cannot be written ({error.strerror})") from None
    finally:
        rmtree(part, ignore_errors=True)


def check_new_folder(path: Path | str) -> None:
    """Check, before long work, that a folder can be made.

    Raises:
        OutputError: there is something of that name, or the folder around it is not there or not writable.
    """
    out = Path(path)
    if out.exists():
        raise OutputError(str(out), "is there already; name a new folder")
    check_output(out)


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
