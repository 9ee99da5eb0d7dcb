"""The canonical text of a value: the same whatever file and engine it comes from."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt


def canonical_texts(values: pa.Array) -> pa.Array:
    """The texts of some values of one column; missing stays missing.

    >>> canonical_texts(pa.array([5.0, 0.1, 1e21, -0.0, None])).to_pylist()
    ['5', '0.1', '1000000000000000000000', '0', None]
    >>> canonical_texts(pa.array([True, None])).to_pylist()
    ['true', None]
    """
    for is_of_kind, texts in _KINDS:
        if is_of_kind(values.type):
            return texts(values)
    return values.cast(pa.large_string())  # whole numbers and texts


def _each(values: pa.Array, text: Callable[[Any], str]) -> pa.Array:
    return pa.array(
        [None if value is None else text(value) for value in values.to_pylist()], pa.large_string()
    )


def _double(value: float) -> str:
    """The shortest decimal that reads back the same, written without an exponent."""
    short = repr(value)
    if "e" in short:
        short = f"{Decimal(short):f}"
    return _plain_digits(short)


def _plain_digits(digits: str) -> str:
    """Without zeros that say nothing, and without minus zero."""
    if "." in digits:
        digits = digits.rstrip("0").removesuffix(".")
    return "0" if digits in ("-0", "0") else digits


def _temporal(values: pa.Array) -> pa.Array:
    """Days, moments and times of the day as ISO 8601 has them, with a space for the T."""
    kind = values.type
    if pt.is_timestamp(kind):
        naive = values.cast(pa.timestamp(kind.unit))  # moments with a time zone become those of UTC
        suffix = "" if kind.tz is None else "+00"
        return _from_numpy(naive, suffix)
    if pt.is_date(kind):
        return _from_numpy(values, "")
    if pt.is_time(kind):
        wide = pa.int32() if pt.is_time32(kind) else pa.int64()
        moments = values.cast(wide).cast(pa.int64()).cast(pa.timestamp(kind.unit))
        texts = _from_numpy(moments, "")
        return pc.utf8_slice_codeunits(texts, len("1970-01-01 "))
    return values.cast(pa.large_string())


def _from_numpy(values: pa.Array, suffix: str) -> pa.Array:
    moments = values.drop_null().to_numpy(zero_copy_only=False)
    texts = iter([_moment(text) + suffix for text in np.datetime_as_string(moments).tolist()])
    present = values.is_valid().to_pylist()
    return pa.array([next(texts) if there else None for there in present], pa.large_string())


def _moment(text: str) -> str:
    """A moment as the engine writes it: a fraction of a second only where there is one."""
    text = text.replace("T", " ")
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _blob(value: bytes) -> str:
    r"""Bytes as the engine writes them: plain characters as they are, others as \xHH."""
    return "".join(
        chr(byte) if 32 <= byte <= 126 and chr(byte) not in "\\'\"" else f"\\x{byte:02X}"  # noqa: PLR2004 - printable ASCII
        for byte in value
    )


_KINDS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], pa.Array]], ...] = (
    (pt.is_dictionary, lambda values: canonical_texts(values.dictionary_decode())),
    (pt.is_floating, lambda values: _each(values.cast(pa.float64()), _double)),
    (pt.is_decimal, lambda values: _each(values, lambda value: _plain_digits(f"{value:f}"))),
    (pt.is_boolean, lambda values: pc.if_else(values, "true", "false").cast(pa.large_string())),
    (pt.is_temporal, _temporal),
    (pt.is_binary, lambda values: _each(values, _blob)),
    (pt.is_large_binary, lambda values: _each(values, _blob)),
)
