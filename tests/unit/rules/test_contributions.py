"""Totals of many groups at once, against what the rules say of one."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits import TableAudit
from noiseless.rules import Dominance
from noiseless.rules.totals import contributions
from noiseless.tables import Tally

RULES = [
    nl.rule(text) for text in ("nk:1:50", "nk:3:66.6", "p-percent:10", "p-percent:1e30", "3/40", "1/100")
]

amounts = st.one_of(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 3), min_size=1, max_size=12),
    st.lists(st.floats(0, 1e6) | st.sampled_from([0.1, 0.3, 1e-300, 1e15, 2.0**60]), min_size=1, max_size=12),
    st.lists(st.decimals(0, 10**6, places=2), min_size=1, max_size=12),
    st.lists(st.decimals(0, 10**30, places=3), min_size=1, max_size=12),
)


def exact(value: float | Decimal) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def parted(values: list[Any], groups: list[int], persons: list[int] | None) -> Tally:
    table = pa.table({"g": groups, "pay": values, "who": persons or groups})
    audit = nl.audit(table, sensitive="pay", public="g", unit="who" if persons else None)
    assert isinstance(audit, TableAudit)
    return audit.tally


@given(amounts, st.data())
def test_many_groups_at_once_are_as_each_by_itself(values: list[Any], data: st.DataObject) -> None:
    """Sums, the largest, and what the rules say, whatever the numbers: small, of Python, or both."""
    groups = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    persons = data.draw(st.none() | st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    factor = data.draw(st.sampled_from([1, 1000]))
    tally = parted(values, groups, persons).project(("g", *(["who"] if persons else []), "pay"))
    expected: dict[int, dict[int, Fraction]] = {}
    for row, (group, value) in enumerate(zip(groups, values, strict=True)):
        given_by = expected.setdefault(group, {})
        who = persons[row] if persons else row
        given_by[who] = given_by.get(who, Fraction(0)) + exact(value)
    found = {}
    for part in contributions(tally, "pay", 1, by_person=persons is not None, factor=factor):
        for place, group in enumerate(part.group.tolist()):
            found[sorted(expected)[group]] = part, place
    assert set(found) == set(expected)
    unit = None
    for group, (part, place) in found.items():
        wanted = sorted(expected[group].values(), reverse=True)
        assert part.number[place] == len(wanted)
        for stated, true in (
            (part.total[place], sum(wanted)),
            (part.top(1)[place], wanted[0]),
            (part.top(3)[place], sum(wanted[:3])),
            ((part.total - part.top(2))[place], sum(wanted[2:])),
        ):
            assert (stated == 0) == (true == 0)
            if true:
                unit = unit or Fraction(int(stated)) / true
                assert int(stated) == unit * true


@given(st.sampled_from(RULES), amounts)
def test_a_rule_says_of_many_totals_what_it_says_of_one(rule: Dominance, values: list[Any]) -> None:
    groups = [place % 3 for place in range(len(values))]
    tally = parted(values, groups, None).project(("g", "pay"))
    for part in contributions(tally, "pay", 1, by_person=False, factor=rule.factor):
        for group, passed in zip(part.group.tolist(), rule.passes_each(part), strict=True):
            assert passed == rule.passes([exact(value) for value in values[group::3]])


def test_floats_stand_for_the_shortest_decimals() -> None:
    """0.1 + 0.2 is 0.3: of three such totals each is 30 cents, and nobody makes more than two thirds."""
    table = pa.table({"g": [1, 1, 2, 2, 3], "pay": [0.1, 0.2, 0.2, 0.1, 0.3], "who": [1, 2, 3, 3, 4]})
    found = nl.audit(table, sensitive="pay", public="g", unit="who", rule="pay=1/66.67")
    assert [(t.told, t.bits.ratio) for t in found.rules.totals] == [(1, 3)]  # type: ignore[union-attr]


def test_an_outlier_does_not_slow_the_others_down() -> None:
    values = [Decimal(2) ** 80, *map(Decimal, range(1, 9))]
    tally = parted(values, [0, 0, 0, 1, 1, 1, 2, 2, 2], None).project(("g", "pay"))
    found = list(contributions(tally, "pay", 1, by_person=False))
    assert [(part.group.tolist(), part.amounts.dtype.kind) for part in found] == [([1, 2], "i"), ([0], "O")]
