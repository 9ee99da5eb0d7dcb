"""What a bettor wins, held against the definitions, on random tables."""

import math
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits import Audit, audit, odds
from noiseless.audits.policy import Policy
from noiseless.releases import release
from oracle.definitions import _set_partitions

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "x": st.integers(0, 2),
            "a": st.booleans(),
            "s": st.sampled_from("pqrt"),
            "v": st.none() | st.sampled_from(["0", "0.1", "0.30", "7", "-2.5"]).map(Decimal),
            "id": st.integers(0, 3),
        }
    ),
    min_size=1,
    max_size=9,
)
Rows = list[dict[str, Any]]
VALUES = pa.schema(
    {"x": pa.int64(), "a": pa.bool_(), "s": pa.string(), "v": pa.decimal128(9, 2), "id": pa.int64()}
)


def triples(rows: Rows, given: Sequence[str], unit: str | None) -> list[tuple[Hashable, Hashable, Hashable]]:
    """(side information, group, value) of each row; with a unit once a person."""
    found = [
        (tuple(row[c] for c in given), (*(row[c] for c in given), row["x"]), row["s"], row.get(unit or "", n))
        for n, row in enumerate(rows)
    ]
    return [entry[:3] for entry in (found if unit is None else dict.fromkeys(found))]


def beliefs(values: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    """The share of each value."""
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def movements(entries: list[tuple[Hashable, Hashable, Hashable]]) -> list[tuple[dict[Any, Fraction], ...]]:
    """What is believed before and after, for each group."""
    return [
        (
            beliefs([s for a, _, s in entries if a == side]),
            beliefs([s for _, y, s in entries if y == group]),
        )
        for side, group in sorted({entry[:2] for entry in entries}, key=repr)
    ]


def right(entries: list[tuple[Hashable, Hashable, Hashable]], place: int) -> Fraction:
    """How often a guess is right that knows one part of each entry: for each, one value is guessed."""
    known = {entry[place] for entry in entries}
    hits = sum(max(Counter(e[2] for e in entries if e[place] == k).values()) for k in known)
    return Fraction(hits, len(entries))


@given(ROWS, st.booleans(), st.booleans())
def test_the_odds_are_those_of_the_definitions(rows: Rows, side: bool, persons: bool) -> None:
    given, unit = (["a"] if side else []), ("id" if persons else None)
    entries = triples(rows, given, unit)
    found = audit(pa.Table.from_pylist(rows, VALUES), sensitive="s", public="x", given=given, unit=unit)
    moved = movements(entries)
    assert found.blind_guess == right(entries, 0)
    assert found.best_guess == right(entries, 1)
    assert found.largest_belief == max(max(after.values()) for _, after in moved)
    gains = [(after.get(s, Fraction(0)) / p, p) for before, after in moved for s, p in before.items()]
    assert found.pointwise_leakage.ratio == max(gain for gain, _ in gains)
    assert found.beta_likeness == max(gain for gain, _ in gains) - 1
    enhanced = all(float(gain - 1) <= -math.log(p) + 1e-12 for gain, p in gains)
    assert (found.enhanced_beta_likeness < math.inf) == enhanced
    if any(gain == 0 for gain, _ in gains):
        assert not found.delta_disclosure.is_finite
    else:
        assert found.delta_disclosure.ratio == max(max(gain, 1 / gain) for gain, _ in gains)


@pytest.mark.parametrize("side", [False, True])
def test_counts_that_take_too_much_room_are_ranked_first(side: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of billions of rows, and as many values: what is believed stays the same."""
    rng = random.Random(7)
    rows = [(rng.randint(0, 5), rng.randint(0, 1), rng.choice("pqrst")) for _ in range(80)]
    table = pa.table(dict(zip("xas", map(list, zip(*rows, strict=True)), strict=True)))
    given = ["a"] if side else []
    wide = nl.audit(table, sensitive="s", public="x", given=given).odds
    monkeypatch.setattr(odds, "_ROOM", 1)
    assert nl.audit(table, sensitive="s", public="x", given=given).odds == wide


@given(ROWS)
def test_no_guess_of_any_function_of_the_value_gains_more_than_the_pointwise_leakage(rows: Rows) -> None:
    """For every function f of S and group y: max_u P(f = u | y) <= 2^l max_u P(f = u) (Saeidian et al.)."""
    found = audit(pa.Table.from_pylist(rows, VALUES), sensitive="s", public="x")
    for before, after in movements(triples(rows, [], None)):
        for blocks in _set_partitions(sorted(before)):
            seen = max(sum(after.get(s, Fraction(0)) for s in block) for block in blocks)
            blind = max(sum(before[s] for s in block) for block in blocks)
            assert seen <= found.pointwise_leakage.ratio * blind


@given(ROWS)
def test_the_width_is_the_least_spread_of_a_group(rows: Rows) -> None:
    assume(any(row["v"] is not None for row in rows))
    found = audit(pa.Table.from_pylist(rows, VALUES), sensitive="v", public="x")
    groups = [
        [row["v"] for row in rows if row["x"] == x and row["v"] is not None] for x in {r["x"] for r in rows}
    ]
    assert found.width == min(Fraction(max(g)) - Fraction(min(g)) if g else Fraction(0) for g in groups)


LEVELS = {"p": ("m", "u"), "q": ("m", "u"), "r": ("n", "u"), "t": ("o", "w")}


@given(ROWS, st.booleans(), st.sampled_from([1, 2]), st.integers(1, 4))
def test_classes_are_counted_in_each_group(rows: Rows, side: bool, level: int, least: int) -> None:
    """min over y of |{class(s) : s in [[S|y]]}|, a missing value being a class; a policy holds by it."""
    given = ["a"] if side else []
    rows = [{**row, "s": None if row["id"] == 0 else row["s"]} for row in rows]
    assume(any(row["s"] is not None for row in rows))
    declared = {"s": {value: (*above, "*") for value, above in LEVELS.items()}}
    found = audit(
        pa.Table.from_pylist(rows, VALUES),
        sensitive="s",
        public="x",
        given=given,
        hierarchy=declared,
        class_level=level,
    )
    groups: dict[Hashable, set[Hashable]] = {}
    for row in rows:
        name = None if row["s"] is None else LEVELS[row["s"]][level - 1]
        groups.setdefault((row["x"], *(row[c] for c in given)), set()).add(name)
    fewest = min(map(len, groups.values()))
    assert found.min_classes == found.to_dict()["min_classes"] == fewest
    assert Policy(limits={"min_classes": least}).check(found).holds == (fewest >= least)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 40)), min_size=1, max_size=6))
def test_the_width_of_days_is_in_days(rows: list[tuple[int, int]]) -> None:
    days = [date(1999, 12, 20) + timedelta(days=day) for _, day in rows]
    found = audit(pa.table({"x": [x for x, _ in rows], "d": days}), sensitive="d", public="x")
    assert found.width == min(
        max(d for x, d in rows if x == group) - min(d for x, d in rows if x == group)
        for group in {x for x, _ in rows}
    )


@given(ROWS, st.integers(0, 32).map(lambda eighths: Fraction(eighths, 8)))
def test_a_limit_is_met_when_the_exact_measure_meets_it(rows: Rows, asked: Fraction) -> None:
    found = audit(pa.Table.from_pylist(rows, VALUES), sensitive="s", public="x")
    limit = Decimal(asked.numerator) / Decimal(asked.denominator)

    def holds(name: str) -> bool:
        (check,) = Policy(limits={name: limit}).check(found).checks
        return check.holds

    assert holds("best_guess") == (found.best_guess <= asked)
    assert holds("largest_belief") == (found.largest_belief <= asked)
    assert holds("beta_likeness") == (found.beta_likeness <= asked)
    assert holds("enhanced_beta_likeness") == (found.enhanced_beta_likeness <= asked)
    assert holds("pointwise_leakage") == (found.pointwise_leakage <= Decimal(limit))
    assert holds("delta_disclosure") == (found.delta_disclosure < asked)
    groups = Counter(row["x"] for row in rows)
    assert holds("prosecutor_risk") == (Fraction(1, min(groups.values())) <= asked)
    assert holds("marketer_risk") == (Fraction(len(groups), len(rows)) <= asked)


@given(ROWS)
def test_a_key_is_audited_as_if_it_were_all_that_is_public(rows: Rows) -> None:
    data = pa.Table.from_pylist(rows, VALUES)
    found = audit(data, sensitive="s", public=["x", "a", "id"], key=["x", ["a", "id"], "x, a"])
    for key, (exposure,) in found.by_key.items():
        alone = audit(data, sensitive="s", public=key)
        assert exposure.to_dict() == super(Audit, alone).to_dict()
        assert exposure.k_anonymity == alone.k_anonymity
    checks = Policy(limits={"k_anonymity": 2, "best_guess": "0.5"}).check(found).checks
    assert {check.holds for check in checks if check.target == "s by a + id"} == {
        audit(data, sensitive="s", public=["a", "id"]).k_anonymity >= 2,
        audit(data, sensitive="s", public=["a", "id"]).best_guess <= Fraction(1, 2),
    }


@given(ROWS, st.booleans(), st.booleans(), st.sampled_from([0, Fraction(1, 4)]))
def test_the_odds_of_a_release_are_those_of_an_audit_of_it(
    rows: Rows, kept: bool, known: bool, suppress: Fraction | int
) -> None:
    """The released rows in the order of the table, beside their sensitive values, audited as any table."""
    assume(all(len({row[name] for row in rows}) > 1 for name in "sx"))
    data = pa.Table.from_pylist(rows, VALUES)
    keep, given = (["a"] if kept else []), (["id"] if known else [])
    options: dict[str, Any] = {"sensitive": "s", "given": given}
    made = release(
        data,
        public="x",
        keep=keep,
        min_posterior=1,
        max_distortion=1,
        keep_order=True,
        suppress=suppress,
        **options,
    )
    seen = made.table.append_column("s", data["s"]).append_column("id", data["id"])
    assert made.odds == audit(seen, public=["x", *keep], **options).odds
    assert made.odds_before == audit(data, public=["x", *keep], **options).odds
