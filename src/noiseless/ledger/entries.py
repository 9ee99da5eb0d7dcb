"""Entries of a ledger: the hash that chains them, and their canonical JSON: costs, budgets, records."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple, Self

from noiseless.amounts import Budget, Cost, checked_budget, fraction_text, integer_text, read_fraction
from noiseless.exact import Bits, as_fraction
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.schema import TABLES
from noiseless.pricing.event import Record

NOTHING = "0" * 64
"""What stands for the hash before the first entry."""

_ANCHOR = re.compile(r"(\d+):([0-9a-f]{64})")


class Anchor(NamedTuple):
    """A place in the chain. Kept elsewhere, it shows later that nothing up to it was rewritten.

    >>> Anchor.read("3:" + "ab" * 32).seq
    3
    """

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The anchor that a text `SEQ:HASH` names.

        Raises:
            LedgerError: it is not written like that.
        """
        found = _ANCHOR.fullmatch(text.strip())
        if found is None:
            raise LedgerError(f"{text!r} is no anchor; write SEQ:HASH as `noiseless ledger verify` prints it")
        return cls(int(found[1]), found[2])


START = Anchor(0, NOTHING)
"""The place before the first entry."""


@dataclass(frozen=True)
class Entry:
    """One line of the ledger; it is never changed.

    Attributes:
        seq: its number, 1 for the first entry of the ledger.
        time: when it was written, in UTC; informative only.
        dataset: the name of the dataset.
        kind: dataset, version, budget, charge, answers, release, randomised, publication, token or
            revocation.
        analyst: who asked, if anyone.
        text: what it says, as canonical JSON.
        previous: the hash of the entry before it.
        hash: the SHA-256 of all of the above.
    """

    seq: int
    time: str
    dataset: str
    kind: str
    analyst: str | None
    text: str
    previous: str
    hash: str

    @classmethod
    def after(cls, place: Anchor, dataset: str, kind: str, analyst: str | None, body: Any) -> Self:  # noqa: ANN401
        """The entry that follows a place in the chain, written now."""
        seq, time, text = place.seq + 1, now(), canonical(body)
        hashed = chained(place.hash, seq, time, dataset, kind, analyst, text)
        return cls(seq, time, dataset, kind, analyst, text, place.hash, hashed)

    @cached_property
    def body(self) -> Mapping[str, Any]:
        """What it says.

        Raises:
            LedgerError: it says nothing: its text is no JSON.
        """
        try:
            found: Mapping[str, Any] = json.loads(self.text)
        except (ValueError, TypeError, RecursionError) as error:
            raise LedgerError(f"entry {self.seq} does not say what an entry says") from error
        return found

    @property
    def anchor(self) -> Anchor:
        """Its place in the chain."""
        return Anchor(self.seq, self.hash)

    @property
    def is_intact(self) -> bool:
        """Whether its hash is that of its fields."""
        try:
            return self.hash == chained(self.previous, *self.row[:6])
        except TypeError:  # one is no text
            return False

    @property
    def row(self) -> tuple[int, str, str, str, str | None, str, str, str]:
        """Its row in the table."""
        said = (self.seq, self.time, self.dataset, self.kind, self.analyst, self.text)
        return *said, self.previous, self.hash

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, its text parsed."""
        return {**dict(zip(TABLES["ledger_entries"], self.row, strict=True)), "body": self.body}


def chained(  # noqa: PLR0917 - all fields of an entry, in their order
    previous: str, seq: int, time: str, dataset: str, kind: str, analyst: str | None, text: str
) -> str:
    """The hash of an entry: SHA-256 of the JSON list of the hash before it and of its fields.

    The list is written without spaces and in ASCII; the body is in it as a text, just as it is kept.

    >>> chained(NOTHING, 1, "2026-01-01T00:00:00.000000Z", "meters", "budget", None, "{}")[:8]
    '5f4fd89e'
    """
    who = "null" if analyst is None else quoted(analyst)
    names = f"{quoted(time)},{quoted(dataset)},{quoted(kind)},{who}"
    said = f"[{quoted(previous)},{seq},{names},{quoted(text)}]"
    return hashlib.sha256(said.encode()).hexdigest()


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False)


def canonical(value: Any) -> str:  # noqa: ANN401 - any JSON
    """The one way to write a JSON value: sorted keys, no spaces, ASCII only.

    Raises:
        LedgerError: it is no plain JSON, or holds a number that is not finite.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise LedgerError(
            "the ledger keeps plain JSON only: texts, finite numbers, lists and objects"
        ) from error


def now() -> str:
    """The time in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


_LONGEST_PRODUCT = 12_000
"""More bits than any budget has."""

_EARLIER = "earlier versions"

UNKNOWN_RECORD = Record((("record", None),))
"""A record about whose size nothing was declared: no budget is too large for it."""


def cost_json(cost: Cost) -> dict[str, str]:
    """A cost; bits of randomised answers only if there are any.

    >>> cost_json(Cost(3)), cost_json(Cost.read("log2(3) + 1/2"))
    ({'outputs': '3'}, {'outputs': '3', 'capacity': '1/2'})
    """
    found = {"outputs": integer_text(cost.outputs)}
    if cost.capacity:
        found["capacity"] = fraction_text(cost.capacity)
    return found


def read_cost(value: Mapping[str, str]) -> Cost:
    """The cost of a JSON value."""
    return Cost(int(value["outputs"], 0), read_fraction(value.get("capacity", "0")))


def budget_json(budget: Budget | None) -> dict[str, str] | None:
    """A budget: bits, or a reach.

    >>> budget_json(40), budget_json(Bits(3)), budget_json(None)
    ({'bits': '40'}, {'reach': '3'}, None)
    """
    if budget is None:
        return None
    if isinstance(checked_budget(budget), Bits):
        return {"reach": fraction_text(budget.ratio)}  # type: ignore[union-attr]
    return {"bits": fraction_text(as_fraction(budget))}  # type: ignore[arg-type]


def read_budget(value: Mapping[str, str] | None) -> Budget | None:
    """The budget of a JSON value.

    >>> read_budget({"bits": "40"}), read_budget({"bits": "79/50"}), read_budget({"reach": "3"})
    (40, Fraction(79, 50), Bits(3))
    """
    if value is None:
        return None
    if "reach" in value:
        return Bits(read_fraction(value["reach"]))
    bits = read_fraction(value["bits"])
    return bits.numerator if bits.denominator == 1 else bits


def record_json(record: Record | None) -> dict[str, Any] | None:
    """The declared private attributes of one person."""
    if record is None:
        return None
    return {"attributes": [list(pair) for pair in record.attributes], "rows": record.rows}


def with_earlier(record: Record, earlier: Record) -> Record:
    """The record of a version whose people also paid for earlier ones.

    A person's values may be others in every version. What all versions together can tell is then bounded by
    the product of their numbers of values, not by one of them. Very long products count as no end.
    """
    values = earlier.values()
    known = None if values is None or values.bit_length() > _LONGEST_PRODUCT else values
    name = _EARLIER
    while name in record.sizes:
        name += "'"
    return Record((*record.attributes, (name, known)), record.rows)


def without_earlier(record: Record) -> Record:
    """The record of the present version alone."""
    if not record.attributes or not record.attributes[-1][0].startswith(_EARLIER):
        return record
    return Record(record.attributes[:-1], record.rows)


def read_record(value: Mapping[str, Any] | None) -> Record:
    """The record of a JSON value."""
    if value is None:
        return UNKNOWN_RECORD
    return Record(tuple((name, size) for name, size in value["attributes"]), value["rows"])
