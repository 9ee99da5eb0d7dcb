"""The formulas of the paper as they are printed."""

import math

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import published_bounds as printed


def test_simple_forms() -> None:
    assert printed.simple_divergence(0.5) == 0.25
    assert printed.simple_divergence(3) == 3
    assert printed.pinsker(Nats(math.inf)) == 1
    assert printed.simple_variation(0.1) == pytest.approx(math.sqrt(0.2))
    assert printed.simple_variation(5) == 1
    assert printed.simple_divergence(math.inf) == math.inf
    assert printed.simple_divergence(0) == printed.pinsker(0) == printed.simple_variation(0) == 0


def entropy(p: float) -> float:
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


def test_lemma_3() -> None:
    assert printed.reverse(0.1, inputs=9) == pytest.approx(2 * entropy(0.1) + 0.2 * math.log(10))
    assert printed.reverse(0.1, inputs=9, outputs=4) == pytest.approx(2 * entropy(0.1) + 0.2 * math.log(4))
    assert printed.reverse(1, outputs=4) == pytest.approx(2 * math.log(4))
    assert printed.reverse(0.1) == math.inf
    assert printed.reverse(0) == printed.reverse_by_inputs(0, 5) == printed.reverse_by_outputs(0, 5) == 0


def test_105_has_two_branches() -> None:
    assert printed.reverse_by_outputs(0.5, 4) == pytest.approx(entropy(0.5) + 0.5 * math.log(3))
    assert printed.reverse_by_outputs(0.8, 4) == pytest.approx(math.log(4))
    assert printed.reverse_by_outputs(0.75, 4) == pytest.approx(math.log(4))


def test_126() -> None:
    assert printed.reverse_by_inputs(0.25, 8) == pytest.approx(2 * entropy(0.2) + 0.4 * math.log(8))


def test_corollary_5() -> None:
    share = 2 * math.sqrt(0.02)
    assert printed.group_information(0.01, 2, inputs=3) == pytest.approx(
        2 * entropy(share) + 2 * share * math.log(10)
    )
    assert printed.group_information(0.5, 3, outputs=4) == pytest.approx(2 * math.log(4))
    with pytest.raises(RequestError, match="at least one member"):
        printed.group_information(0.5, 0, outputs=4)
