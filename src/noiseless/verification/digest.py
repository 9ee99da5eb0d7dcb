"""The digest of a table: the same for the same rows in any order, from any kind of file."""

import json
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.verification.rows import Rows

_CHUNK = 2**18


def table_digest(rows: Rows, columns: Sequence[str]) -> str:
    """SHA-256 over the columns' names and, in their order, the hashes of the distinct rows with their counts.

    A row is the JSON array of its canonical texts; its hash is the SHA-256 of that in UTF-8.
    """
    whole = sha256(f"{_json(list(columns))}\n".encode())
    hashes = _row_hashes(rows, columns)
    order = _sorted(hashes)
    for start in range(0, len(order), _CHUNK):
        chosen = order[start : start + _CHUNK]
        whole.update(_with_counts(hashes[chosen], rows.counts[chosen].astype(np.int64)))
    return f"sha256:{whole.hexdigest()}"


def _with_counts(hashes: npt.NDArray[np.uint8], counts: IntArray) -> bytes:
    """Each hash followed by its count in decimal digits and a line feed."""
    digits = np.ones(len(counts), np.int64)
    while np.any(more := counts >= 10**digits):
        digits += more
    ends = np.cumsum(digits + 33)
    out = np.empty(int(ends[-1]), np.uint8)
    out[(ends - digits - 33)[:, None] + np.arange(32)] = hashes
    for place in range(int(digits.max())):
        here = digits > place
        out[(ends - 2 - place)[here]] = counts[here] // 10**place % 10 + ord("0")
    out[ends - 1] = ord("\n")
    return out.tobytes()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _row_hashes(rows: Rows, columns: Sequence[str]) -> npt.NDArray[np.uint8]:
    """The hash of each row, 32 bytes each."""
    quoted = [[_json(text) for text in rows.texts[column].to_pylist()] for column in columns]
    quoted[0] = [f"[{text}" for text in quoted[0]]
    quoted[-1] = [f"{text}]" for text in quoted[-1]]
    parts = [pa.array([text.encode() for text in texts], pa.large_binary()) for texts in quoted]
    comma = pa.scalar(b",", pa.large_binary())
    found = []
    for start in range(0, len(rows), _CHUNK):
        chosen = slice(start, start + _CHUNK)
        taken = [
            part.take(pa.array(rows.codes[column][chosen]))
            for part, column in zip(parts, columns, strict=True)
        ]
        lines = pc.binary_join_element_wise(*taken, comma).to_pylist()
        found.append(b"".join([sha256(line).digest() for line in lines]))
    return np.frombuffer(b"".join(found), np.uint8).reshape(-1, 32)


def _sorted(hashes: npt.NDArray[np.uint8]) -> IntArray:
    """The order of the hashes as bytes; the first eight of them nearly always decide."""
    words = hashes.view(">u8")
    leading = words[:, 0].astype(np.uint64)
    order = np.argsort(leading)
    if np.any(leading[order][1:] == leading[order][:-1]):
        order = np.lexsort([words[:, i].astype(np.uint64) for i in (3, 2, 1, 0)])
    return order
