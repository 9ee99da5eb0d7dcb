"""How questions are written down in a ledger, and the fingerprints by which they are found again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from noiseless.pricing.partition import DomainPartition
from noiseless.questions import Lattice, Span
from noiseless.ranges.quantizer import Listed, Quantizer, Stepped, Uniform

_MOST_REMEMBERED = 2**12
"""This many keys are remembered."""


def fingerprint(value: object) -> str:
    """SHA-256 of canonical JSON.

    >>> fingerprint(["count", 1])[:8]
    '35f40b1f'
    """
    return hashed(written(value))


def hashed(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(_MOST_REMEMBERED)
def column_key(version: int, column: str, people: str) -> str:
    """What counts and sums of some people are found by that a column has to do with.

    The same people are looked at again and again: everybody, above all.
    """
    return fingerprint([version, "counts", column, people])


def written(value: object) -> str:
    """The one way to write a JSON value: sorted keys, no spaces."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def write_partition(blocks: DomainPartition) -> dict[str, Any]:
    """The blocks of a column as plain JSON; a block for each value is written shortly."""
    if blocks.blocks == blocks.size:
        return {"each": blocks.names[0], "size": blocks.size}
    runs = {"starts": list(blocks.starts), "labels": list(blocks.labels)}
    return {"blocks": blocks.names[0], "size": blocks.size, **runs}


def read_partition(body: Mapping[str, Any]) -> DomainPartition | None:
    """The blocks that were counted, if it is about counts."""
    if "each" in body:
        return DomainPartition.each(body["each"], body["size"])
    if "blocks" in body:
        return DomainPartition(
            (body["blocks"],), (body["size"],), tuple(body["starts"]), tuple(body["labels"])
        )
    return None


def write_cells(quantizer: Quantizer) -> list[Any]:
    """The cells of a grid as plain JSON."""
    match quantizer:
        case Uniform(wanted=wanted):
            return ["uniform", wanted]
        case Stepped(points=points):
            return ["stepped", points]
        case _:
            return ["begins", *(quantizer.begin(cell) for cell in range(quantizer.cells))]


def read_cells(written: Sequence[Any], span: Span) -> Quantizer:
    """The grid over a span."""
    kind, *rest = written
    if kind == "uniform" or not isinstance(span, Lattice):
        return Uniform(span, rest[0])
    return Stepped(span, rest[0]) if kind == "stepped" else Listed(span, tuple(rest))
