from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from noiseless.audits import audit
from noiseless.audits.policy import Policy, PolicyColumns
from noiseless.errors import PolicyError

TABLE = pa.table({"s": [1, 2, 2, 3, 1, 3], "r": [1, 1, 1, 2, 1, 2], "x": [1, 1, 2, 2, 3, 3]})


def policy(tmp_path: Path, text: str) -> Policy:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    return Policy.read(path)


@pytest.mark.parametrize(
    ("limit", "holds"),
    [
        ("leakage = 0.59", True),
        ("leakage = 0.58", False),
        ("leakage = 2", True),
        ("maximin = 0", True),
        ("min_posterior = 2", True),
        ("min_posterior = 3", False),
        ("k_anonymity = 2", True),
        ("k_anonymity = 3", False),
        ("distinct_l_diversity = 3", False),
        ("entropy_l_diversity = 2", True),
        ("entropy_l_diversity = 2.01", False),
        ("t_closeness = 0.5", True),
        ("t_closeness = 0.1", False),
        ("homogeneous_groups = 0", True),
    ],
)
def test_limits_are_exact(tmp_path: Path, limit: str, holds: bool) -> None:
    result = policy(tmp_path, f"[limits]\n{limit}\n").check(audit(TABLE, sensitive="s", public="x"))
    assert result.holds is holds
    assert [check.holds for check in result.checks] == [holds]


def test_every_sensitive_column_must_keep_the_limits(tmp_path: Path) -> None:
    found = audit(TABLE, sensitive=["s", "r"], public="x")
    assert found.min_posterior == 2
    result = policy(tmp_path, "[limits]\nmin_posterior = 2\nk_anonymity = 2\n").check(found)
    assert {(c.name, c.target): c.holds for c in result.checks} == {
        ("min_posterior", "s and r"): True,
        ("min_posterior", "s"): True,
        ("min_posterior", "r"): False,
        ("k_anonymity", "s and r"): True,
    }
    assert not result.holds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[limits]\n", "sets no limit"),
        ("", "no table \\[limits\\]"),
        ("[limits]\nleekage = 1\n", "no limit 'leekage'; the limits are leakage"),
        ("[limits]\nmin_posterior = 0\n", "min_posterior: must be"),
        ("[limits]\nmin_posterior = 'x'\n", "min_posterior: must be"),
        ("[limits\n", "is not TOML"),
    ],
)
def test_broken_policies(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words) as caught:
        policy(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_policy_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="there is no such file"):
        Policy.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"min_posterior": 3}, "write nl.Policy(limits={'min_posterior': 3})"),
        ({}, "write nl.Policy(limits={'min_posterior': 5})"),
        (
            {"limits": {"min_rows": 5}},
            "there is no limit 'min_rows'; did you mean k_anonymity? The limits are",
        ),
        ({"limits": {"leekage": 1}}, "there is no limit 'leekage'; the limits are leakage, "),
        ({"limits": 3}, "limits: must be"),
    ],
)
def test_a_policy_that_is_written_wrong_is_mended_in_one_line(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy(**given)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_limits_outside_their_table(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"'leakage' stands outside the table \[limits\]"):
        policy(tmp_path, "leakage = 1\n[limits]\nmin_posterior = 2\n")


def test_an_outcome_shows_itself_as_a_table() -> None:
    asked = Policy(limits={"min_posterior": 3, "leakage": 2})
    found = asked.check(audit(TABLE, sensitive="s", public="x"))
    assert repr(found).splitlines() == [
        "The policy is not met",
        "  limit               about  asked         found",
        "  bits leaked, L0     s      at most 2.00  0.59   holds",
        "  fewest values left  s      at least 3    2      FAILS",
    ]
    assert "<b>The policy is not met</b>" in found._repr_html_()
    assert repr(asked) == "Policy(limits={'leakage': 2, 'min_posterior': 3})"


def test_a_policy_without_limits_is_none() -> None:
    """It would hold for everything."""
    with pytest.raises(PolicyError, match="a policy sets a limit"):
        Policy({})


def test_a_policy_shows_what_it_is_and_nothing_of_how_it_is_checked() -> None:
    policy = Policy({"min_posterior": 3}, {"sensitive": "age"})
    assert [name for name in dir(policy) if not name.startswith("_")] == [
        "check",
        "columns",
        "limits",
        "read",
    ]
    assert (policy.limits, policy.columns) == ({"min_posterior": 3}, PolicyColumns(("age",)))
    assert policy == Policy(limits={"min_posterior": 3}, columns=PolicyColumns(("age",)))
    assert hash(policy) == hash(Policy({"min_posterior": 3}, {"sensitive": ["age"]}))
