"""Choosing cells for a person's own values: the finest for a budget, the fewest for an accuracy."""

from collections.abc import Mapping

from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.streaming import Local
from noiseless.collection.local.vectors import LocalVector
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.quantizer_choice import allowed_reach
from noiseless.questions import Span

_TELLS_SOMETHING = 2


def local_mechanism(
    spans: Mapping[str, Span],
    *,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
    missing: bool = False,
) -> Local:
    """What tells one reading of a person, of one column or of several.

    >>> from noiseless.questions import Continuum
    >>> local_mechanism({"kwh": Continuum.of(0, 10)}, budget=4).worst_error
    Fraction(5, 16)

    Args:
        spans: the domain of each column.
        budget: the bits that a reading may tell; several columns share them.
        reach: the same as a whole number of outputs.
        max_error: the largest tolerated error, of each column, instead.
        missing: whether a missing value is told too, as one more output.

    Raises:
        RequestError: not exactly one limit is given, or it allows a constant only.
    """
    if sum(limit is not None for limit in (budget, reach, max_error)) != 1:
        raise RequestError("give a budget in bits, a reach or a largest error, and only one of them")
    if missing and len(spans) > 1:
        raise RequestError("missing values are told of one column only; drop them, or fill them")
    (name, span), *others = spans.items()
    if max_error is not None:
        if others:
            return LocalVector.coarsest(spans, max_error)
        return LocalQuantizer.coarsest(span, max_error, name, missing=missing)
    allowed = int(reach or 0) if budget is None else allowed_reach(budget)
    if allowed < _TELLS_SOMETHING:
        raise RequestError(
            "a budget below one bit allows one output only, a constant that tells nothing; give 1 bit or more"
        )
    if others:
        return LocalVector.finest(spans, allowed)
    return LocalQuantizer.finest(span, allowed, name, missing=missing)
