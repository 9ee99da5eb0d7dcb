"""Reading a certificate's JSON, without trusting it."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from noiseless.errors import RequestError, SourceError

FORMAT, VERSION = "noiseless-certificate", 1


def read_certificate(source: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a file's name or an object
    """The certificate as it stands in a file, or as somebody has it in memory.

    Args:
        source: the name of a JSON file, a mapping, or an object with `to_dict`.

    Raises:
        SourceError: it cannot be read, is no certificate, or is one of another version.
    """
    if isinstance(source, str | Path):
        label, found = str(source), _parsed(Path(source))
    else:
        label = "the certificate"
        found = source.to_dict() if not isinstance(source, Mapping) and hasattr(source, "to_dict") else source
    if not isinstance(found, Mapping):
        if isinstance(source, str | Path):
            raise SourceError(label, "is no certificate: it does not hold one JSON object")
        raise RequestError("a certificate is the name of a JSON file or a mapping")
    if found.get("format") != FORMAT:
        raise SourceError(label, f'is no certificate: its "format" is not "{FORMAT}"')
    version = found.get("version")
    if type(version) is not int or version != VERSION:
        raise SourceError(
            label,
            f"is a certificate of another version than {VERSION}, which this version of noiseless reads",
        )
    return found


def _parsed(path: Path) -> object:
    label = str(path)
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError(label, "is no certificate: it is not UTF-8 text") from None
    except FileNotFoundError:
        raise SourceError(label, "there is no such file; check the name and the folder") from None
    except OSError as error:
        raise SourceError(label, f"cannot be opened ({error.strerror})") from None
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_once_each
        )
    except _DoubleKeyError:
        raise SourceError(label, "is no certificate: a key stands twice in an object") from None
    except RecursionError:
        raise SourceError(label, "is no certificate: it is nested too deeply") from None
    except ValueError:  # no JSON, a number of thousands of digits
        raise SourceError(label, "is no certificate: it is not well-formed JSON") from None


class _DoubleKeyError(Exception):
    """Two readers of such an object may each believe another value."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _DoubleKeyError
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
