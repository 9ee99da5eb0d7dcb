"""Spellings of one secret are one value: audits, releases and both verifiers against known classes."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.tables.plain_spelling import plain_spelling
from oracle import certificate_oracle

CLASSES = [
    ["flu", "Flu", " flu", "FLU ", "flu\u00a0", "fl\u200bu", "\ufeffflu", '"flu"', "\uff46lu", "f\u00adlu"],
    ["caf\u00e9", "cafe\u0301", "CAF\u00c9", "CAFE\u0301"],
    ["cafe"],
    ["41", "41.0", "041", "+41", "4.1e1", "41.", "410e-1", "\uff14\uff11", " 41"],
    ["-41", "\u221241", "-041.00"],
    ["0", "0.0", "-0", "000", "0e5", ".0"],
    [".5", "0.5", "0.50", "5e-1", "+.5"],
    ["1e400", "10e399", "1E+400"],
    ["2020-01-02", "2020-01-02 00:00", "2020-01-02T00:00:00", "2020-01-02 00:00:00.000"],
    ["2020-01-02 10:30", "2020-01-02t10:30:00", "2020-01-02 10:30:00.0"],
    ["type 2", "type  2", "Type\t2", "type\u20032"],
    ["type2"],
    ["Crohn's", "crohn\u2019s"],
    ["non-small", "non\u2013small", "Non\u2011small"],
    ["Stra\u00dfe", "STRASSE", "strasse"],
    ["0x10"],
    ["1_000"],
    ["1,000"],
    ["inf", "INF"],
    ["e5", "E5"],
    ["1.2.3"],
    ["1.2.30"],
]
"""Texts that a reader takes for one value; no two of different lists."""


def test_the_rule_tells_classes_apart_and_nothing_within_one() -> None:
    for rule in (plain_spelling, certificate_oracle.meant):
        assert all(len({rule(text) for text in texts}) == 1 for texts in CLASSES)
        for one, other in combinations(CLASSES, 2):
            assert rule(one[0]) != rule(other[0])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*'0012+-.eEtT: "', "\u00df", "\u0130", "\u0345", "\u0301", "\u1e9b\u0323", "\u2028", "\0"]
        )
        | st.sampled_from(["2020-01-01", ":00", ".0", "\u2019", "\u00bd", "\ufb01"])
        | st.characters(exclude_categories=["Cs"]),
        max_size=8,
    ).map("".join)
)
def test_both_copies_of_the_rule_are_one_and_settle_at_once(text: str) -> None:
    plain = plain_spelling(text)
    assert certificate_oracle.meant(text) == plain == plain_spelling(plain)
    assert plain_spelling(text.upper().lower().upper()) == plain_spelling(text.lower().upper())


@st.composite
def secrets(draw: st.DrawFn) -> tuple[list[int], list[int], list[str]]:
    """The public value, the class and the text of the secret of some rows."""
    some = draw(st.lists(st.integers(0, len(CLASSES) - 1), min_size=2, max_size=4, unique=True))
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 5), st.sampled_from(some), st.integers(0, 99)), min_size=4, max_size=20
        )
    )
    return (
        [x for x, _, _ in rows],
        [place for _, place, _ in rows],
        [CLASSES[place][pick % len(CLASSES[place])] for _, place, pick in rows],
    )


def behind(public: list[int], classes: list[int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for x, value in zip(public, classes, strict=True):
        found.setdefault(x, set()).add(value)
    return found


def components(groups: dict[int, set[int]]) -> int:
    parts: list[set[int]] = []
    for values in groups.values():
        met = [part for part in parts if part & values]
        parts = [part for part in parts if part not in met] + [set().union(values, *met)]
    return len(parts)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(secrets())
def test_audits_count_classes(tmp_path: Path, rows: tuple[list[int], list[int], list[str]]) -> None:
    public, classes, texts = rows
    table = pa.table({"x": public, "s": texts})
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()), "utf-8")
    groups = behind(public, classes)
    for source in (table, path):
        found = nl.audit(source, sensitive="s", public="x")
        assert found.sensitive_values == len(set(classes))
        assert found.min_posterior == min(map(len, groups.values()))
        assert found.max_posterior == max(map(len, groups.values()))
        assert found.components == components(groups)
        assert sum(found.spellings.values()) == len(set(texts)) - len(set(classes))
        assert found.to_dict()["spellings"] == dict(found.spellings)
    seen = nl.audit(table, sensitive="x", public="s")  # a reader tells spellings of what is published apart
    assert seen.public_values == len(set(texts))
    assert not seen.spellings


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(secrets())
def test_releases_are_certified_by_classes(
    tmp_path: Path, rows: tuple[list[int], list[int], list[str]]
) -> None:
    public, classes, texts = rows
    table = pa.table({"x": public, "s": texts})
    try:
        made = nl.release(table, sensitive="s", public="x", min_posterior=2)
    except nl.NoiselessError:
        assert len(set(classes)) == 1 or len(set(public)) == 1
        return
    assert made.certificate["claim"]["sensitive_values"] == len(set(classes))
    assert made.certificate["claim"]["min_posterior"] >= 2
    assert nl.verify(made.certificate, original=table, released=made.table).holds
    claims = tell(tmp_path, made.certificate.to_dict(), table, made.table)
    assert claims.checks
    assert all(check.holds for check in claims.checks)
    assert not claims.notes


def tell(folder: Path, certificate: dict[str, Any], original: pa.Table, released: pa.Table) -> Any:  # noqa: ANN401 - of the single file
    """What the single file finds."""
    for name, table in (("original", original), ("released", released)):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()]
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    names = [str(folder / f"{name}.jsonl") for name in ("original", "released")]
    (folder / "certificate.json").write_text(json.dumps(certificate), "utf-8")
    raw = certificate_oracle.read_certificate(str(folder / "certificate.json"))
    return certificate_oracle.verify(raw, *map(certificate_oracle.open_table, names))


@pytest.mark.parametrize("own", [{}, {"spellings": "own"}])
def test_certificates_that_count_each_spelling_hold_with_a_note(tmp_path: Path, own: dict[str, str]) -> None:
    table = pa.table({"x": [1, 1, 2, 2], "s": ["flu", "Flu", "cold", "cough"]})
    plain = pa.table({"x": [1, 1, 2, 2], "s": ["flu", "ague", "cold", "cough"]})
    certificate = nl.release(plain, sensitive="s", public="x", min_posterior=2).certificate.to_dict()
    twin = nl.release(table, sensitive="s", public="x", min_posterior=1)
    options = {key: value for key, value in certificate["options"].items() if key != "spellings"}
    certificate |= {"options": options | own, "original": twin.certificate["original"]}
    released = nl.release(plain, sensitive="s", public="x", min_posterior=2).table
    found = nl.verify(certificate, original=table, released=released)
    alone = tell(tmp_path, certificate, table, released)
    assert found.holds
    assert all(check.holds for check in alone.checks)
    assert list(found.notes) == alone.notes == found.to_dict()["notes"]
    assert "1 of the values of 's'" in found.notes[0]
    certificate["options"] = options | {"spellings": "one"}
    assert {check.name for check in nl.verify(certificate, original=table, released=released).failed} >= {
        "min_posterior",
        "sensitive_values",
    }
