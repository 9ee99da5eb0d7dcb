import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.ledger.entries import NOTHING, START, Anchor, Entry, canonical, chained
from noiseless.ledger.errors import LedgerError

texts = st.text()


@given(texts, texts, texts, st.none() | texts, texts)
def test_the_hash_is_that_of_canonical_json(
    time: str, dataset: str, kind: str, analyst: str | None, body: str
) -> None:
    listed = [NOTHING, 7, time, dataset, kind, analyst, body]
    said = json.dumps(listed, separators=(",", ":"), ensure_ascii=True)
    expected = hashlib.sha256(said.encode("ascii")).hexdigest()
    assert chained(NOTHING, 7, time, dataset, kind, analyst, body) == expected


def test_an_entry_follows_a_place_in_the_chain() -> None:
    first = Entry.after(START, "meters", "charge", "ann", {"b": 1, "a": [True, None]})
    assert (first.seq, first.previous, first.text) == (1, NOTHING, '{"a":[true,null],"b":1}')
    assert first.is_intact
    second = Entry.after(first.anchor, "meters", "charge", None, {})
    assert (second.seq, second.previous) == (2, first.hash)
    assert first.time.endswith("Z")


@pytest.mark.parametrize("field", ["seq", "time", "dataset", "kind", "analyst", "text", "previous", "hash"])
def test_a_changed_field_is_seen(field: str) -> None:
    entry = Entry.after(START, "meters", "charge", "ann", {"a": 1})
    values = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    values[field] = 2 if field == "seq" else f"{values[field]}x"
    assert not Entry(**values).is_intact


def test_nobody_differs_from_an_analyst_called_null() -> None:
    assert chained(NOTHING, 1, "t", "d", "k", None, "{}") != chained(NOTHING, 1, "t", "d", "k", "null", "{}")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), {"a": b"x"}])
def test_only_plain_json_is_kept(value: object) -> None:
    with pytest.raises(LedgerError, match="plain JSON only"):
        canonical(value)


def test_an_anchor_is_written_and_read() -> None:
    anchor = Anchor(12, "ab" * 32)
    assert Anchor.read(str(anchor)) == anchor


@pytest.mark.parametrize("text", ["", "12", "12:ab", "x:" + "ab" * 32, "12:" + "AB" * 32])
def test_what_is_no_anchor_is_refused(text: str) -> None:
    with pytest.raises(LedgerError, match="SEQ:HASH"):
        Anchor.read(text)
