"""Canonical texts of values, and digests that depend neither on the order of rows nor on a file's format."""

import json
from collections.abc import Sequence
from decimal import Decimal
from hashlib import sha256
from json.encoder import encode_basestring
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.tables.coding import whole_type
from noiseless.tables.engine import OwnEngine

_SPECIAL = r'["\\\x00-\x1f]'
"""What JSON does not hold as it is."""

_LARGEST_EXACT = 38
"""Digits that a 128-bit decimal holds."""

_HASH = 32
"""Bytes of a row's hash."""

_AT_ONCE = 2**18
"""Rows hashed at a time."""


def canonical(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Each value as the one text that stands for it; null for a missing one.

    Numbers are plain decimals without a needless zero, floats the shortest ones that read back the same;
    truth values are "true" and "false", days and moments ISO with a space.

    >>> canonical(pa.array([5.0, -0.0, 1e-7, 1e22, None])).to_pylist()
    ['5', '0', '0.0000001', '10000000000000000000000', None]
    """
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    kind = array.type
    if pt.is_dictionary(kind):
        array, kind = array.dictionary_decode(), kind.value_type
    if pt.is_floating(kind):
        return _plain_numbers(array.cast(pa.float64()).cast(pa.string()))
    if pt.is_decimal(kind):
        return _plain_numbers(array.cast(pa.string()))
    if pt.is_timestamp(kind) or pt.is_time(kind):
        return _moments(array)
    if pt.is_binary(kind) or pt.is_large_binary(kind):
        return pa.array(
            [None if value is None else _bytes(value) for value in array.to_pylist()], pa.string()
        )
    return array.cast(pa.string())


def _bytes(value: bytes) -> str:
    """Bytes as the engine writes them."""
    plain = bytes(range(32, 127)).translate(None, b"\\'\"")
    return "".join(chr(byte) if byte in plain else f"\\x{byte:02X}" for byte in value)


def _plain_numbers(texts: pa.Array) -> pa.Array:
    """Decimals without exponents, needless zeros and negative zeros."""
    odd = pc.fill_null(pc.match_substring_regex(texts, r"[eE]|^-0(\.0*)?$|\.[0-9]*0$"), False)
    if not pc.any(odd).as_py():
        return texts
    mended = [plain_decimal(Decimal(text)) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(texts, odd, pa.array(mended, pa.string()))


def plain_decimal(number: Decimal) -> str:
    """A finite decimal in plain digits.

    >>> plain_decimal(Decimal("1.50E+2")), plain_decimal(Decimal("-0.0")), plain_decimal(Decimal("2.50"))
    ('150', '0', '2.5')
    """
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _moments(array: pa.Array) -> pa.Array:
    """Moments, those with a time zone as they are in UTC; fractions of seconds only where there are some."""
    zoned = pt.is_timestamp(array.type) and array.type.tz is not None
    plain = array.cast(pa.timestamp(array.type.unit)) if zoned else array
    texts = pc.replace_substring_regex(plain.cast(pa.string()), r"(\.[0-9]*?)0+$", r"\1")
    texts = pc.replace_substring_regex(texts, r"\.$", "")
    return pc.binary_join_element_wise(texts, "+00", "") if zoned else texts


def decimal_texts(units: IntArray, places: int) -> pa.Array:
    """Whole numbers of units of 10**-places, as canonical texts.

    >>> decimal_texts(np.array([25, -130, 0]), 1).to_pylist()
    ['2.5', '-13', '0']
    """
    if units.dtype == object or places > _LARGEST_EXACT - 19:
        return pa.array([_decimal_text(int(unit), places) for unit in units], pa.string())
    if places == 0:
        return pa.array(units, pa.int64()).cast(pa.string())
    words = np.empty((len(units), 2), np.int64)
    words[:, 0] = units
    words[:, 1] = np.where(units < 0, -1, 0)
    kind = pa.decimal128(_LARGEST_EXACT, places)
    exact = pa.Array.from_buffers(kind, len(units), [None, pa.py_buffer(words.tobytes())])
    return _trimmed(exact.cast(pa.string()))


def _decimal_text(unit: int, places: int) -> str:
    """The same for any number of digits, which the context of decimals would round."""
    digits = str(abs(unit)).rjust(places + 1, "0")
    text = f"{'-' * (unit < 0)}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}"
    return text.rstrip("0").rstrip(".")


def _trimmed(texts: pa.Array) -> pa.Array:
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]*[1-9])0+$|\.0+$", r"\1")
    return _plain_numbers(texts)


def decimal_units(texts: pa.Array) -> tuple[IntArray, int]:
    """Decimal texts as whole numbers of units of 10**-places, and places: the fewest that do.

    >>> units, places = decimal_units(pa.array(["2.5", "-13", "0"]))
    >>> units.tolist(), places
    ([25, -130, 0], 1)
    """
    if not len(texts):
        return np.empty(0, np.int64), 0
    points = pc.find_substring(texts, ".")
    lengths = pc.binary_length(texts)
    behind = pc.if_else(pc.less(points, 0), 0, pc.subtract(pc.subtract(lengths, points), 1))
    places = int(pc.max(behind).as_py())
    before = int(pc.max(pc.subtract(lengths, behind)).as_py())
    if places + before <= _LARGEST_EXACT:
        exact = texts.cast(pa.decimal128(_LARGEST_EXACT, places))
        words = np.frombuffer(exact.buffers()[1], np.int64)[2 * exact.offset :].reshape(-1, 2)
        low, high = words[: len(texts), 0], words[: len(texts), 1]
        if np.array_equal(high, low >> 63) and _narrow(low):
            return low.copy(), places
    units = np.empty(len(texts), object)
    units[:] = [_scaled(text, places) for text in texts.to_pylist()]
    return units, places


def _scaled(text: str, places: int) -> int:
    """The same for any number of digits."""
    whole, _, behind = text.partition(".")
    return int(whole + behind + "0" * (places - len(behind)))


def _narrow(units: IntArray) -> bool:
    """Whether sums, and ten times a difference, stay within 64 bits."""
    limit = 2**57
    return bool(len(units) == 0 or (units.min() > -limit and units.max() < limit))


def json_texts(texts: pa.Array) -> pa.Array:
    """Canonical texts as JSON: quoted, or null."""
    special = pc.fill_null(pc.match_substring_regex(texts, _SPECIAL), False)
    quoted = pc.fill_null(pc.binary_join_element_wise('"', texts, '"', ""), "null")
    if not pc.any(special).as_py():
        return quoted
    escaped = pa.array([encode_basestring(text) for text in texts.filter(special).to_pylist()], pa.string())
    return pc.replace_with_mask(quoted, special, escaped)


def json_rows(columns: Sequence[tuple[pa.Array, IntArray]]) -> pa.Array:
    """Rows as JSON arrays of canonical texts.

    Args:
        columns: for each its distinct texts as JSON, and which of them each row has.

    >>> names, ages = (json_texts(pa.array(["a", None])), [0, 1]), (json_texts(pa.array(["b"])), [0, 0])
    >>> json_rows([names, ages]).to_pylist()
    ['["a","b"]', '[null,"b"]']
    """
    parts = [texts.take(pa.array(codes)) for texts, codes in columns]
    joined = pc.binary_join_element_wise(*parts, ",") if len(parts) > 1 else parts[0]
    return pc.binary_join_element_wise("[", joined, "]", "")


def digest(names: Sequence[str], columns: Sequence[tuple[pa.Array, IntArray]], counts: IntArray) -> str:
    """The digest of a table: of its columns' names and its rows, each distinct one with how often it occurs.

    Args:
        names: the columns.
        columns: for each its distinct texts, and which of them each row has; rows may be there several times.
        counts: how often each row occurs.

    >>> digest(["a"], [(pa.array(["1", "2"]), np.array([0, 1]))], np.array([1, 2]))[:15]
    'sha256:20b3e6e4'
    """
    whole = sha256(json.dumps(list(names), ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    hashes, held = _hashed_rows(columns, counts)
    order, starts = _sorted_hashes(hashes)
    sums = np.add.reduceat(held[order], starts) if len(starts) < len(held) else held[order]
    for begin in range(0, len(starts), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        here = hashes[order[starts[part]]]
        texts = pa.FixedSizeBinaryArray.from_buffers(pa.binary(_HASH), len(here), [None, pa.py_buffer(here)])
        often = pc.binary_join_element_wise(pa.array(sums[part]).cast(pa.string()), "\n", "").cast(
            pa.binary()
        )
        whole.update(b"".join(pc.binary_join_element_wise(texts.cast(pa.binary()), often, b"").to_pylist()))
    return f"sha256:{whole.hexdigest()}"


def _hashed_rows(
    columns: Sequence[tuple[pa.Array, IntArray]], counts: IntArray
) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """The hash of each row, in any order, and how often it occurs."""
    hashes = np.empty((len(counts), _HASH), np.uint8)
    held = np.empty(len(counts), whole_type(int(counts.sum()) + 1))
    engine, name = OwnEngine.start(), f"noiseless_rows_{uuid4().hex}"
    engine.connection.register(name, _counted_rows(columns, counts))
    done = 0
    try:
        query = f"SELECT unhex(sha256(row)) AS hash, held FROM {name}"
        for batch in engine.connection.sql(query).to_arrow_reader(_AT_ONCE):
            part = slice(done, done + len(batch))
            fixed = batch["hash"].cast(pa.binary(_HASH))
            start = fixed.offset * _HASH
            hashes[part].reshape(-1)[:] = np.frombuffer(fixed.buffers()[1], np.uint8)[start:][
                : len(batch) * _HASH
            ]
            held[part] = batch["held"].to_numpy()
            done += len(batch)
    finally:
        engine.connection.unregister(name)
    return hashes, held


def _sorted_hashes(hashes: npt.NDArray[np.uint8]) -> tuple[IntArray, IntArray]:
    """The order of hashes, by their first eight bytes where these tell all that differ; where each begins."""
    words = hashes.view(">u8")
    first = words[:, 0].astype(np.uint64)
    order = np.argsort(first)
    first.sort()  # in place: in their order they would take as much room again
    alike = np.flatnonzero(first[1:] == first[:-1])
    del first
    same = np.all(words[order[alike]] == words[order[alike + 1]], axis=1)
    if not same.all():
        order = np.lexsort(words.T[::-1])
        alike = np.flatnonzero(np.all(words[order[1:]] == words[order[:-1]], axis=1))
    begins = np.ones(len(order), bool)
    begins[alike + 1] = False
    return order, np.flatnonzero(begins)


def _counted_rows(columns: Sequence[tuple[pa.Array, IntArray]], counts: IntArray) -> pa.RecordBatchReader:
    """Rows as JSON, and how often each occurs; some at a time, for all take more room than the table."""
    quoted = [(json_texts(texts), codes) for texts, codes in columns]
    parts = (slice(begin, begin + _AT_ONCE) for begin in range(0, len(counts), _AT_ONCE))
    schema = pa.schema([("row", pa.string()), ("held", pa.int64())])
    batches = (
        pa.record_batch(
            [
                json_rows([(texts, codes[part]) for texts, codes in quoted]),
                pa.array(counts[part], pa.int64()),
            ],
            schema=schema,
        )
        for part in parts
    )
    return pa.RecordBatchReader.from_batches(schema, batches)


NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$"
"""What a text that reads as a number looks like."""
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
_LARGEST_DECIMAL = 38


def typed_numbers(texts: pa.Array) -> pa.Array:
    """Canonical numbers in the narrowest type that holds all of them exactly; text if one is no number.

    >>> typed_numbers(pa.array(["1", "2.5", None])).type, typed_numbers(pa.array(["1", "*"])).type
    (DataType(double), DataType(string))
    """
    if not pc.all(pc.match_substring_regex(texts, NUMBER)).as_py():
        return texts
    if pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py():
        return texts.cast(pa.int64())
    doubles = texts.cast(pa.float64())
    if canonical(doubles).equals(texts):
        return doubles
    points = pc.find_substring(texts, ".")
    behind = pc.if_else(pc.less(points, 0), 0, pc.subtract(pc.subtract(pc.binary_length(texts), points), 1))
    places = pc.max(behind).as_py()
    before = pc.max(pc.subtract(pc.binary_length(texts), behind)).as_py()
    if before + places <= _LARGEST_DECIMAL:
        return texts.cast(pa.decimal128(_LARGEST_DECIMAL, places))
    return texts


def typed_words(texts: pa.Array, kind: str) -> pa.Array:
    """What a column reads in each cell, as numbers or days where all of it is."""
    if kind == "number":
        return typed_numbers(texts)
    if kind != "date":
        return texts
    try:
        return texts.cast(pa.date32())
    except pa.ArrowInvalid:  # some read `*`, or are intervals
        return texts
