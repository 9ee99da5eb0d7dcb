"""Tests of a hypothesis from a release, against Definition 1 and Theorem 2 of [P2] by enumeration."""

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits.hypothesis import read_fact
from noiseless.errors import NoiselessError

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=9
).filter(lambda rows: len({row[2] >= 2 for row in rows}) == 2)


def best_performance(outputs: list[tuple[int, ...]], causes: dict[tuple[int, ...], set[bool]]) -> int:
    """The most outputs at which a test is right whatever is behind them, over all tests there are."""
    best = 0
    for verdicts in product((True, False), repeat=len(outputs)):
        right = sum(causes[output] == {said} for output, said in zip(outputs, verdicts, strict=True))
        best = max(best, right)
    return best


@given(rows=ROWS)
@settings(deadline=None)
def test_performance_and_priv_are_those_of_the_best_of_all_tests(rows: list[tuple[int, int, int]]) -> None:
    a, b, secret = zip(*rows, strict=True)
    table = pa.table({"a": a, "b": b, "secret": secret})
    found = nl.audit(table, sensitive="secret", public=["a", "b"]).test("secret >= 2")
    causes: dict[tuple[int, ...], set[bool]] = {}
    for first, second, value in rows:
        causes.setdefault((first, second), set()).add(value >= 2)
    best = best_performance(list(causes), causes)
    told = found.to_dict()
    assert told["surely_true"] + told["surely_false"] == best
    assert told["undecided"] == len(causes) - best
    heads = [sum(causes[r[0], r[1]] == kind for r in rows) for kind in ({True}, {False}, {True, False})]
    assert list(found.heads) == heads
    if best:
        assert found.privacy.epsilon == Fraction(len(causes), best) - 1
        assert told["performance"] >= math.log2(best) > told["performance"] - 1e-9
    else:
        assert (told["privacy"], told["performance"]) == (math.inf, -math.inf)
    behind = [sum(kind in each for each in causes.values()) for kind in (True, False)]
    assert told["leakage"] == pytest.approx(math.log2(len(causes) / min(behind)))


def test_persons_are_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("who,ward,ill\n1,a,flu\n1,a,flu\n1,b,cold\n2,b,flu\n3,c,cold\n")
    audit = nl.audit(path, sensitive="ill", public="ward", unit="who")
    found = audit.test("ill = flu")
    assert found.heads == (1, 1, 2)
    assert "surely true         1 group with 1 person" in repr(found)
    assert "best test           right for sure in at most 2 of 3 groups: 1.00 bits of 1.59" in repr(found)


@pytest.mark.parametrize(
    ("text", "row", "holds"),
    [
        ("kwh >= 6.6", {"kwh": 6.6}, True),
        ("6.6 > kwh", {"kwh": 6.6}, False),
        ("kwh = 6.60", {"kwh": 6.6}, True),
        ("ill <> 'Flu'", {"ill": "flu"}, False),
        ('"body mass" == 30', {"body mass": 30}, True),
        ("smokes = True", {"smokes": True}, True),
    ],
)
def test_a_fact_reads_numbers_as_they_are_written(text: str, row: dict[str, object], holds: bool) -> None:
    assert read_fact(text, list(row))[1](row) is holds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ill >= 3", "does not hold numbers; compare it with ="),
        ("heating = gas", "is not part of the audit as it is; name it"),
        ("pay >= 0", "true of everybody or of nobody"),
        ("pay", "is not a comparison"),
        ("1 > 0", "names no column"),
        ("pay / zero > 1", "divides by 0"),
        ("gap > 1", "has missing values"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_one_line(text: str, said: str) -> None:
    table = pa.table({"ill": ["a", "b"], "pay": [1, 2], "zero": [0, 1], "gap": [None, 2], "seen": [1, 2]})
    audit = nl.audit(table, sensitive=["ill", "pay", "zero", "gap"], public="seen")
    with pytest.raises(NoiselessError, match=said) as caught:
        audit.test(text)
    assert "\n" not in str(caught.value)


def test_a_column_that_a_rule_changes_is_not_tested(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,pay\n31,1\n32,2\n47,3\n")
    audit = nl.audit(path, sensitive="pay", public="age", rule="age=round:10")
    assert audit.test("pay > 2").ranges.sizes == (1, 1, 0)
    with pytest.raises(NoiselessError, match="is not part of the audit as it is"):
        audit.test("age > 40")
