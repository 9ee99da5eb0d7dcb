"""Risks within a population against their definition: who looks like a row, counted one by one."""

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.audits import audit
from noiseless.audits.policy import Policy
from noiseless.errors import PolicyError, RequestError

PERSON = st.fixed_dictionaries({"x": st.none() | st.integers(0, 2), "z": st.sampled_from("ab")})
KINDS = pa.schema({"x": pa.int64(), "z": pa.string(), "s": pa.int64()})
Rows = list[dict[str, Any]]


@given(st.lists(PERSON, min_size=1, max_size=6), st.lists(PERSON, max_size=8))
def test_the_risks_are_those_of_the_definitions(rows: Rows, others: Rows) -> None:
    if all(row["x"] is None for row in rows):
        rows = [*rows, {"x": 1, "z": "a"}]
    people = rows + others
    sample = pa.Table.from_pylist([row | {"s": 0} for row in rows], KINDS)
    whole = audit(sample, sensitive="s", public=["x", "z"])
    found = whole.in_population(pa.Table.from_pylist(people, pa.schema({"z": pa.string(), "x": pa.int32()})))
    alike = [sum(person == row for person in people) for row in rows]
    assert found.population == len(people)
    assert found.journalist_risk == Fraction(1, min(alike))
    assert found.marketer_risk == sum(Fraction(1, many) for many in alike) / len(rows)
    for limit in ("0", "0.09", "0.3333", "0.5", "1"):
        (check,) = Policy(limits={"journalist_risk": limit}).check(whole, found).checks
        assert check.holds == all(Fraction(1, many) <= Fraction(limit) for many in alike)
    with pytest.raises(PolicyError, match="--population"):
        Policy(limits={"journalist_risk": "1"}).check(whole)


def test_a_population_that_lacks_rows_of_the_table() -> None:
    sample = pa.table({"x": [1, 1, 2], "s": [1, 2, 3]})
    with pytest.raises(RequestError, match="1 of 2 groups of the table have more rows than people"):
        audit(sample, sensitive="s", public="x").in_population(pa.table({"x": [1, 2, 3]}))
