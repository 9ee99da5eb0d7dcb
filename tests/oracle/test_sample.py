"""Risks and rates of a weighted sample, against their definitions: series of the model, rows one by one."""

from collections import Counter
from fractions import Fraction
from math import comb, isclose
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits.sample import match_probability
from noiseless.errors import NoiselessError

Rows = list[dict[str, Any]]
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "x": st.integers(0, 3),
            "s": st.sampled_from("abc"),
            "w": st.sampled_from([1.0, 1.5, 2.25, 7.0, 40.0, 0.5]),
        }
    ),
    min_size=1,
    max_size=9,
)


def expected_match(sampled: int, p: float) -> float:
    """E[1 / F] where F is the trial of the sampled-th success, each with probability p: term by term."""
    total, term, size = 0.0, p**sampled, sampled
    while size < 200_000 and (term > 1e-18 or size < 4 * sampled / p):
        total += term / size
        size += 1
        term *= (1 - p) * (size - 1) / (size - sampled)
    return total


@pytest.mark.parametrize("sampled", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("p", [1.0, 0.9, 0.5, 0.1, 0.01])
def test_the_probability_of_a_match_is_the_mean_of_the_model(sampled: int, p: float) -> None:
    assert isclose(float(match_probability(sampled, p)), expected_match(sampled, p), rel_tol=1e-9)


def test_the_model_is_a_negative_binomial() -> None:
    """The terms of the series above are the probabilities that a group of so many has so many sampled."""
    p, sampled = 0.3, 3
    total, term = Fraction(0), p**sampled
    for size in range(sampled, 60):
        assert isclose(term, comb(size - 1, sampled - 1) * p**sampled * (1 - p) ** (size - sampled))
        total += Fraction(term)
        term *= (1 - p) * size / (size + 1 - sampled)
    assert isclose(float(total), 1, rel_tol=1e-6)


@given(ROWS)
def test_a_weighted_sample(rows: Rows) -> None:
    found = nl.audit(pa.Table.from_pylist(rows), sensitive="s", public="x", weights="w").sample
    assert found is not None
    alike = [[other for other in rows if other["x"] == row["x"]] for row in rows]
    held = [max(sum(other["w"] for other in group), float(len(group))) for group in alike]
    risks = [expected_match(len(group), len(group) / size) for group, size in zip(alike, held, strict=True)]
    whole = sum(row["w"] for row in rows)
    assert isclose(found.population, whole)
    assert isclose(found.fewest_alike, min(held))
    assert isclose(found.journalist_risk, max(risks), rel_tol=1e-9)
    assert isclose(found.marketer_risk, sum(risks) / len(rows), rel_tol=1e-9)
    assert found.sample_uniques == sum(len(group) == 1 for group in alike)
    alone = [1 / size for group, size in zip(alike, held, strict=True) if len(group) == 1]
    assert isclose(found.population_uniques, sum(alone), abs_tol=1e-12)

    drawn = max(round(whole), len(rows))
    sizes = Counter(
        len(group) for group in ({row["x"]: group for row, group in zip(rows, alike, strict=True)}).values()
    )
    shown = {
        size: many * Fraction(size * comb(drawn - size, len(rows) - 1), comb(drawn, len(rows)))
        for size, many in sizes.items()
    }
    zayatz = float(sizes[1] * shown.get(1, Fraction(0)) / sum(shown.values())) if sizes[1] else 0
    assert isclose(found.population_uniques_zayatz, zayatz, rel_tol=1e-9)

    def heaviest(group: Rows) -> float:
        return max(float(sum(row["w"] for row in group if row["s"] == value)) for value in "abc")

    groups = [[row for row in rows if row["x"] == x] for x in sorted({row["x"] for row in rows})]
    assert isclose(found.blind_guess, heaviest(rows) / whole)
    assert isclose(found.best_guess, sum(map(heaviest, groups)) / whole)
    beliefs = [heaviest(group) / sum(row["w"] for row in group) for group in groups]
    assert isclose(found.largest_belief, max(beliefs))


@given(ROWS)
def test_one_weight_for_all(rows: Rows) -> None:
    table = pa.Table.from_pylist(rows)
    same = table.drop_columns("w").append_column("w", pa.array([12.5] * len(rows)))
    one = nl.audit(table, sensitive="s", public="x", weights=12.5).sample
    many = nl.audit(same, sensitive="s", public="x", weights="w").sample
    assert one is not None
    assert many is not None
    assert all(
        isclose(one.to_dict()[name], value) for name, value in many.to_dict().items() if name != "model"
    )


@given(ROWS)
def test_a_weight_hides_nothing_from_one_who_knows_who_is_in_the_sample(rows: Rows) -> None:
    table = pa.Table.from_pylist(rows)
    plain = nl.audit(table, sensitive="s", public="x").to_dict()
    weighted = nl.audit(table, sensitive="s", public="x", weights="w").to_dict()
    assert {**plain, "sample": None} == {**weighted, "sample": None}


def test_a_published_weight_is_a_column_like_others() -> None:
    table = pa.table({"x": [1, 1, 1], "s": ["a", "b", "a"], "w": [2, 2, 5]})
    assert nl.audit(table, sensitive="s", public=["x", "w"], weights="w").k_anonymity == 1
    assert nl.audit(table, sensitive="s", public="x", weights="w").k_anonymity == 3


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 0, 2], "must be above 0"),
        ([1, None, 2], "lacks a weight"),
        (["1", "b", "2"], "holds no numbers"),
        ([1.0, float("inf"), 2.0], "must be above 0"),
    ],
)
def test_what_is_no_weight_is_refused(weights: list[Any], words: str) -> None:
    table = pa.table({"x": [1, 1, 2], "s": ["a", "b", "a"], "w": weights})
    with pytest.raises(NoiselessError, match=words):
        nl.audit(table, sensitive="s", public="x", weights="w")


def test_weights_are_of_rows_of_one_table() -> None:
    table = pa.table({"x": [1, 1, 2], "s": ["a", "b", "a"], "w": [1, 2, 3], "id": [1, 2, 3]})
    for more in ({"unit": "id"}, {"rule": "x=round:5"}):
        with pytest.raises(NoiselessError, match="weights"):
            nl.audit(table, sensitive="s", public="x", weights="w", **more)  # type: ignore[arg-type]
    with pytest.raises(NoiselessError, match="above 0"):
        nl.audit(table, sensitive="s", public="x", weights="-3")
    with pytest.raises(NoiselessError, match="'v' is not in the table"):
        nl.audit(table, sensitive="s", public="x", weights="v")


def test_the_individual_risks_of_sdcmicro() -> None:
    """Eight rows of sdcMicro's own tests of `indivRisk` (method "exact"), with the risks that they expect."""
    keys = ["231", "333", "231", "232", "331", "331", "141", "231"]
    table = pa.table(
        {"key": keys, "s": list("abababab"), "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0]}
    )
    expected = [
        0.01355297,
        0.08579129,
        0.01355297,
        0.17707583,
        0.01877883,
        0.01877883,
        0.03931625,
        0.01355297,
    ]
    found = nl.audit(table, sensitive="s", public="key", weights="w").sample
    assert found is not None
    assert found.journalist_risk == pytest.approx(max(expected), abs=1e-8)
    assert found.marketer_risk == pytest.approx(sum(expected) / len(expected), abs=1e-8)
