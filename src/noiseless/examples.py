"""The small invented tables that examples work on."""

from importlib.resources import files
from pathlib import Path

from noiseless.errors import OutputError

NAMES = ("patients.csv", "patients-4-anonymous.csv", "patients.toml", "households.csv")


def write_examples(folder: Path | str = ".") -> tuple[Path, ...]:
    """Write the tables that the examples of this package work on: all of them can be run then.

    Forty invented patients, as they are (`patients.csv`) and 4-anonymised; a curator's file about them
    (`patients.toml`); sixty invented households.

    >>> [path.name for path in write_examples()]
    ['patients.csv', 'patients-4-anonymous.csv', 'patients.toml', 'households.csv']

    Args:
        folder: where to, the current one by default; it is made if need be.

    Returns:
        The files. One that is there already stays.

    Raises:
        OutputError: a file cannot be written, or another one has its name.
    """
    return tuple(_written(Path(folder), name) for name in NAMES)


def _written(folder: Path, name: str) -> Path:
    out, held = folder / name, (files("noiseless") / "data" / name).read_bytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not out.exists():
            out.write_bytes(held)
        elif out.read_bytes() != held:
            raise OutputError(str(out), "is another file; name another folder")
    except OSError as error:
        raise OutputError(str(out), f"cannot be written ({error.strerror}); name another folder") from None
    return out


def where_from(path: Path | str) -> str:
    """What to do about a file that is not there: the name of an example says where to get it.

    >>> where_from("patient.csv"), where_from("patients.toml")
    ('check the name and the folder', '`noiseless demo --out .` writes it, in Python nl.write_examples()')
    """
    if str(path) not in NAMES:
        return "check the name and the folder"
    return "`noiseless demo --out .` writes it, in Python nl.write_examples()"


def not_opened(path: Path | str, error: OSError) -> str:
    """Why a file cannot be opened, and what to do about it.

    >>> not_opened("a.csv", FileNotFoundError())
    'there is no such file; check the name and the folder'
    """
    if isinstance(error, FileNotFoundError):
        return f"there is no such file; {where_from(path)}"
    return f"cannot be opened ({error.strerror})"
