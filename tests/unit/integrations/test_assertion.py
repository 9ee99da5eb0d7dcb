"""A policy as an assertion."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import noiseless as nl

WARDS = pd.DataFrame({"ward": ["a", "a", "b", "b"], "age": [31, 47, 52, 52], "person": [1, 2, 3, 4]})
POLICY = """
[columns]
sensitive = "age"
public = ["ward"]
[limits]
k_anonymity = 2
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "limits.toml"
    path.write_text(POLICY)
    return path


def test_a_table_that_keeps_the_policy_is_returned_audited(policy: Path) -> None:
    audit = nl.assert_private(WARDS, policy)
    assert (audit.sensitive, audit.public, audit.k_anonymity) == (("age",), ("ward",), 2)


def test_a_table_that_does_not_fails_as_an_assertion() -> None:
    with pytest.raises(
        AssertionError, match=r"fewest values left \(age\): at least 2 asked, 1 found"
    ) as told:
        nl.assert_private(WARDS, {"min_posterior": 2, "k_anonymity": 2}, sensitive="age", public="ward")
    assert isinstance(told.value, nl.NotPrivateError)
    assert [check.name for check in told.value.result.checks if not check.holds] == ["min_posterior"]
    assert told.value.audit.min_posterior == 1


def test_arguments_stand_over_the_columns_of_the_policy(policy: Path) -> None:
    with pytest.raises(nl.NotPrivateError, match="k-anonymity"):
        nl.assert_private(pl.from_pandas(WARDS), policy, public=["ward", "person"])
    assert nl.assert_private(WARDS, policy, sensitive="person", public="ward").sensitive == ("person",)


def test_without_public_columns_all_others_are_public() -> None:
    with pytest.raises(nl.NotPrivateError, match="k-anonymity"):
        nl.assert_private(WARDS, {"k_anonymity": 2}, sensitive="age")


def test_limits_are_compared_as_they_are_written() -> None:
    three = pd.DataFrame({"ward": ["a"] * 3, "age": [1, 2, 3]})
    assert nl.assert_private(three, {"leakage": 0.0}, sensitive="age").leakage == 0
    with pytest.raises(nl.NotPrivateError):
        nl.assert_private(three.assign(ward=[1, 2, 3]), {"leakage": 1.58}, sensitive="age")
    assert nl.assert_private(three.assign(ward=[1, 2, 3]), {"leakage": 1.59}, sensitive="age")


def test_nobody_says_what_is_sensitive() -> None:
    with pytest.raises(nl.NoiselessError, match="sensitive="):
        nl.assert_private(WARDS, {"k_anonymity": 2})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[columns]\nsensitive = 3\n[limits]\nk_anonymity = 2", r"\[columns\] sensitive: name columns"),
        ("[columns]\nsensitive = []\n[limits]\nk_anonymity = 2", r"\[columns\] sensitive: name columns"),
        ("[columns]\npublic = 'x'\n[limits]\nk_anonymity = 2", r"\[columns\] sensitive: name columns"),
        (
            "[columns]\nsensitive = 'x'\nkind = 'y'\n[limits]\nk_anonymity = 2",
            r"\[columns\] kind: name columns",
        ),
        ("columns = 3\n[limits]\nk_anonymity = 2", r"\[columns\]: name columns"),
        ("[columns]\nsensitive = 'x'", r"no table \[limits\]"),
    ],
)
def test_a_table_of_columns_that_is_wrong_is_said_so(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(nl.NoiselessError, match=message):
        nl.assert_private(WARDS, path)
