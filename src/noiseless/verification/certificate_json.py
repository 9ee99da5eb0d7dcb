"""A certificate's JSON, read without trusting it: each part is checked for its type, and never repaired."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from noiseless.errors import SourceError
from noiseless.verification.quantities import Unreadable

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_MOST = 2**62

Json = Any
"""Whatever JSON may hold."""

T = TypeVar("T")


class FormatError(Exception):
    """A certificate is not well formed; the message names the part and holds no value."""


def require(holds: object, problem: str) -> None:
    """Refuse what is not as it must be."""
    if not holds:
        raise FormatError(problem)


def record(value: Json, where: str, keys: Sequence[str]) -> None:
    """Check that something is an object with exactly these keys."""
    require(isinstance(value, Mapping), f"{where} is not an object")
    for key in keys:
        require(key in value, f"{where} has no {key}")
    require(len(value) == len(keys), f"{where} has a key of an unknown name")


def array(value: Json, where: str) -> Sequence[Any]:
    """A list."""
    require(isinstance(value, (list, tuple)), f"{where} is not a list")
    return value  # type: ignore[no-any-return]  # as was just seen


def text(value: Json, where: str) -> str:
    """A text that can be written down."""
    require(type(value) is str, f"{where} is not a text")
    unicode((value,), where)
    return str(value)


def texts(value: Json, where: str) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(text(item, where) for item in array(value, where))


def unicode(values: Sequence[str | None], where: str) -> None:
    """Check that texts are made of characters (half a surrogate pair is none)."""
    try:
        "".join(value for value in values if value is not None).encode()
    except (UnicodeEncodeError, TypeError):
        raise FormatError(f"{where} has a text that is not Unicode") from None


def tuples(value: Json, where: str, width: int) -> tuple[tuple[str | None, ...], ...]:
    """A list of lists of this many texts; null is a missing value."""
    for item in array(value, where):
        fits = isinstance(item, (list, tuple)) and len(item) == width
        require(fits, f"{where} has a value without a text for each public column")
        plain_parts = all(part is None or type(part) is str for part in item)
        require(plain_parts, f"{where} has a value that is neither a text nor null")
    unicode([part for item in value for part in item], where)
    return tuple(map(tuple, value))


def count(value: Json, where: str) -> int:
    """A whole number that counts something."""
    require(type(value) is int and 0 <= value < _MOST, f"{where} is not a count")
    return int(value)


def flag(value: Json, where: str) -> bool:
    """True or false."""
    require(type(value) is bool, f"{where} is neither true nor false")
    return bool(value)


def number(value: Json, where: str) -> float:
    """A JSON number, as the double that readers of JSON make of it."""
    numeric = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    require(numeric, f"{where} is not a number")
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    require(math.isfinite(double), f"{where} is not a finite number")
    return double


def one_of(value: Json, where: str, known: Sequence[str]) -> str:
    """One of some texts."""
    require(type(value) is str and value in known, f"{where} is none of {', '.join(known)}")
    return str(value)


def digest(value: Json, where: str) -> str:
    """The name of a digest."""
    is_digest = type(value) is str and _DIGEST.fullmatch(value)
    require(is_digest, f"{where} is not sha256: and 64 hexadecimal digits")
    return str(value)


def parsed(value: Json, where: str, read: Callable[[Any], T]) -> T:
    """An exact quantity, written as a text or as a number."""
    if isinstance(value, float) and math.isfinite(value):
        value = Decimal(repr(value))
    exact = isinstance(value, (str, int, Decimal)) and not isinstance(value, bool)
    require(exact, f"{where} is not a number")
    try:
        return read(value)
    except Unreadable:
        raise FormatError(f"{where} is not a number of its kind") from None


def optional(value: Json, read: Callable[[Any], T]) -> T | None:
    """Null, or something."""
    return None if value is None else read(value)


def plain(value: Json, where: str, depth: int = 20) -> Json:
    """Anything that is only shown: as JSON has it, not nested too deeply, and writable."""
    require(depth, f"{where} is nested too deeply")
    if isinstance(value, Mapping):
        unicode([str(key) for key in value], where)
        return {str(key): plain(item, where, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, where, depth - 1) for item in value]
    if isinstance(value, str):
        unicode((value,), where)
    return float(value) if isinstance(value, Decimal) else value


FORMAT, VERSIONS = "noiseless-certificate", (1, 2)
"""Version 2 has claims about risks, keys and persons besides; what makes none is of version 1."""


def check_version(certificate: Json, label: str) -> Mapping[str, Any]:
    """What was read, if it is a certificate of the version that this program reads.

    Raises:
        SourceError: it is none, or one of another version.
    """
    if not isinstance(certificate, Mapping):
        raise SourceError(label, "is no certificate: it does not hold one JSON object")
    if certificate.get("format") != FORMAT:
        raise SourceError(label, f'is no certificate: its "format" is not "{FORMAT}"')
    version = certificate.get("version")
    if type(version) is not int or version not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        problem = f"is a certificate of another version than {known}, which this version of noiseless reads"
        raise SourceError(label, problem)
    return certificate


def certificate_file(path: Path) -> Mapping[str, Any]:
    """The certificate that a file holds, numbers with a fraction as decimals.

    Raises:
        SourceError: it cannot be read, is no certificate, or is one of another version.
    """
    return check_version(json_file(path), str(path))


def json_file(path: Path) -> Json:
    """What a file of JSON holds, numbers with a fraction as decimals.

    Raises:
        SourceError: it cannot be read, or is no JSON.
    """
    label = str(path)
    try:
        written = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError(label, "is no certificate: it is not UTF-8 text") from None
    except FileNotFoundError:
        raise SourceError(label, "there is no such file; check the name and the folder") from None
    except OSError as error:
        raise SourceError(label, f"cannot be opened ({error.strerror})") from None
    try:
        return parse_json(written, parse_float=Decimal)
    except DoubleKeyError:
        raise SourceError(label, "is no certificate: a key stands twice in an object") from None
    except RecursionError:
        raise SourceError(label, "is no certificate: it is nested too deeply") from None
    except ValueError:  # no JSON, a number of thousands of digits
        raise SourceError(label, "is no certificate: it is not well-formed JSON") from None


class DoubleKeyError(ValueError):
    """Two readers of an object in which a key stands twice may each believe another value."""


def parse_json(written: str, **numbers: Any) -> Json:  # noqa: ANN401 - functions that make numbers
    """JSON as the standard has it: keys stand once each, NaN and infinity are nothing.

    Raises:
        ValueError: it is none.
    """
    return json.loads(written, parse_constant=_refuse_constant, object_pairs_hook=_once_each, **numbers)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) < len(pairs):
        raise DoubleKeyError
    return whole


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
