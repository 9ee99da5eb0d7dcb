"""Any guarantee into any other."""

import math
from fractions import Fraction
from typing import Any

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import GuaranteeKind, convert, dp_to_mi, kl_to_delta, mi_to_dp
from noiseless.theory.differential import published_bounds as printed

GIVEN: dict[str, dict[str, Any]] = {
    "dp": {"epsilon": 0.5},
    "kl": {"epsilon": 0.5},
    "mi": {"epsilon": 0.5},
    "delta": {"delta": 0.5},
}


@pytest.mark.parametrize("source", list(GuaranteeKind))
@pytest.mark.parametrize("target", list(GuaranteeKind))
@pytest.mark.parametrize("as_printed", [False, True])
def test_every_pair_of_kinds(source: str, target: str, as_printed: bool) -> None:
    found = convert(source, target, **GIVEN[source], as_printed=as_printed)
    number = found.delta if target == "delta" else found.epsilon
    assert number is not None
    assert number > 0
    assert found.unit == ("probability" if target == "delta" else "nats")
    assert found.statement.endswith(".")
    assert set(found.to_dict()) >= {"unit", "statement", "tight", "delta" if target == "delta" else "epsilon"}


@pytest.mark.parametrize(
    ("source", "target"),
    [("kl", "dp"), ("mi", "dp"), ("delta", "dp"), ("mi", "kl"), ("delta", "kl"), ("delta", "mi")],
)
def test_where_nothing_follows(source: str, target: str) -> None:
    found = convert(source, target, **GIVEN[source])
    assert not found.follows
    assert found.epsilon == math.inf
    assert found.tight
    assert found.statement.startswith("No ")
    nothing: dict[str, Any] = dict.fromkeys(GIVEN[source], 0)
    perfect = convert(source, target, **nothing)
    assert perfect.follows
    assert perfect.epsilon == 0


def test_an_alphabet_makes_a_delta_follow() -> None:
    assert convert("delta", "mi", delta=0.5, inputs=4).epsilon == pytest.approx(0.5 * math.log(4))
    assert not convert("delta", "kl", delta=0.5, inputs=4).follows


def test_the_paper_and_the_best() -> None:
    assert convert("dp", "mi", epsilon=1).epsilon == dp_to_mi(1)
    paper = convert("dp", "mi", epsilon=1, as_printed=True)
    assert paper.epsilon == pytest.approx(0.46212, abs=5e-6)
    assert not paper.tight
    assert convert("dp", "kl", epsilon=1, as_printed=True).tight
    assert convert("delta", "mi", delta=0.1, inputs=9, as_printed=True).epsilon == printed.reverse(
        0.1, inputs=9
    )
    assert convert("kl", "delta", epsilon=0.5, as_printed=True).delta == 0.5
    assert convert("kl", "delta", epsilon=0.5).delta == kl_to_delta(0.5)
    assert convert("kl", "mi", epsilon=0.5, inputs=2, as_printed=True).epsilon == 0.5


def test_a_target_epsilon() -> None:
    found = convert("mi", "dp", epsilon=0.1, target_epsilon=1)
    assert (found.epsilon, found.delta, found.tight) == (1, mi_to_dp(0.1, 1), True)
    paper = convert("mi", "dp", epsilon=0.1, target_epsilon=1, as_printed=True)
    assert paper.delta == convert("mi", "delta", epsilon=0.1).delta
    assert not paper.tight
    assert convert("delta", "dp", delta=0.25, target_epsilon=3).delta == 0.25
    assert convert("dp", "dp", epsilon=1, delta=0.25, target_epsilon=1).delta == 0.25
    assert not convert("kl", "dp", epsilon=0.1, target_epsilon=1000).tight
    assert not convert("mi", "dp", epsilon=1e-40, target_epsilon=1).tight


def test_the_same_kind_is_what_was_given() -> None:
    found = convert("dp", "dp", epsilon=1, delta=0.125)
    assert (found.epsilon, found.delta) == (1, 0.125)
    assert convert("mi", "mi", epsilon=5, inputs=2).epsilon == Nats(2).upper


def test_statements() -> None:
    assert (
        convert("dp", "mi", epsilon=1).statement
        == "1-DP implies 0.123302-MI-DP (nats; 0.177887 bits), the best possible."
    )
    assert (
        convert("mi", "delta", epsilon=0.1).statement
        == "0.1-MI-DP implies (0, 0.43959)-DP, the best possible."
    )
    vacuous = convert("mi", "delta", epsilon=Nats(2)).statement
    assert "says nothing: one noiseless bit" in vacuous
    assert "limited" in convert("dp", "mi", epsilon=1, delta=0.1).statement
    assert convert("dp", "kl", epsilon=Fraction(1, 10**9)).statement.startswith(
        "1e-9-DP implies 5.00001e-19-KL"
    )
    assert convert("dp", "mi", epsilon=math.inf).statement == "inf-DP is no guarantee: nothing follows."
    assert (
        convert("dp", "delta", epsilon=math.inf).statement == "inf-DP implies (0, 1)-DP, which says nothing."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "dp", "target": "mi"}, "epsilon is missing"),
        ({"source": "delta", "target": "mi"}, "delta is missing"),
        ({"source": "delta", "target": "mi", "delta": 0.1, "epsilon": 1}, "has no epsilon"),
        ({"source": "kl", "target": "mi", "delta": 0.1, "epsilon": 1}, "KL-DP has no delta"),
        ({"source": "dp", "target": "mi", "epsilon": -1}, "negative"),
        ({"source": "dp", "target": "mi", "epsilon": math.nan}, "not a number"),
        ({"source": "dp", "target": "mi", "epsilon": 1, "delta": 2}, "from 0 to 1"),
        ({"source": "dp", "target": "mi", "epsilon": 1, "inputs": 1}, "from 2 on"),
        ({"source": "rdp", "target": "mi", "epsilon": 1}, "'rdp' is no kind"),
        ({"source": "dp", "target": "zcdp", "epsilon": 1}, "'zcdp' is no kind"),
        ({"source": "dp", "target": "mi", "epsilon": 1, "target_epsilon": 1}, "goes with the target dp"),
        ({"source": "mi", "target": "dp", "epsilon": 1, "target_epsilon": -1}, "target epsilon is negative"),
        ({"source": "mi", "target": "dp", "epsilon": 1, "target_epsilon": math.inf}, "finite"),
    ],
)
def test_wrong_requests(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        convert(**arguments)  # type: ignore[arg-type] # wrong on purpose
