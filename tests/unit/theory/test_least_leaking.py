"""The least leakage for a curator: found at once, or refused before it takes long."""

from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.questions import Attribute, Lattice, Variance, maximum, total
from noiseless.theory.accuracy import least_leakage, least_leaking

MANY = Attribute.on("x", Lattice.of(0, 10**9, 1))
FEW = Attribute("x", range(5))


@pytest.mark.parametrize("query", [total(300, MANY), total(30, FEW), total(300, FEW), maximum(700, FEW)])
def test_it_is_the_least_leakage(query: object) -> None:
    error = query.span.width / 15  # type: ignore[attr-defined]
    assert least_leaking(query, error).quantizer == least_leakage(query, error).quantizer  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "error", "said"),
    [
        (total(300, MANY), Fraction(1), "so small an error"),
        (total(10**6, MANY), Fraction(10**14), "takes long"),
        (total(900, Attribute("x", (0, 1, 7))), Fraction(100), "takes long"),
        (Variance(3, FEW), Fraction(1), "is not known"),
    ],
)
def test_what_would_take_long_is_refused_at_once(query: object, error: Fraction, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        least_leaking(query, error)  # type: ignore[arg-type]
