"""Amounts of bits as JSON: rounded to the safe side, and exactly as texts."""

from fractions import Fraction
from functools import lru_cache

from noiseless.exact import Bits, as_fraction
from noiseless.ledger.wire import fraction_text, integer_text
from noiseless.pricing.cost import Budget, Cost, most_outputs, remaining_bits


@lru_cache(maxsize=4096)
def bits(cost: Cost) -> float:
    """A cost in bits, rounded up."""
    return cost.upper


@lru_cache(maxsize=4096)
def exact_bits(cost: Cost) -> str:
    """A cost in bits, as a formula.

    >>> exact_bits(Cost(8)), exact_bits(Cost(3)), exact_bits(Cost(3, as_fraction("1/2")))
    ('3', 'log2(3)', 'log2(3) + 1/2')
    """
    counted = _logarithm(Fraction(cost.outputs))
    return f"{counted} + {fraction_text(cost.capacity)}" if cost.capacity else counted


def exact_budget(budget: Budget | None) -> str | None:
    """A budget in bits, as a formula.

    >>> exact_budget(40), exact_budget(Bits(3)), exact_budget(None)
    ('40', 'log2(3)', None)
    """
    if budget is None:
        return None
    if isinstance(budget, Bits):
        return f"log2({fraction_text(budget.ratio)})"
    return fraction_text(as_fraction(budget))


@lru_cache(maxsize=4096)
def left(budget: Budget | None, spent: Cost) -> float | None:
    """Bits that a budget leaves, rounded down; None without end."""
    return remaining_bits(budget, spent)


@lru_cache(maxsize=4096)
def outputs_left(budget: Budget | None, spent: Cost) -> str | None:
    """The most outputs that a batch about everybody may still have; None without end."""
    return None if budget is None else integer_text(most_outputs(budget, spent))


@lru_cache(maxsize=4096)
def exact_left(budget: Budget | None, spent: Cost) -> str | None:
    """Bits that a budget leaves, as a formula; None without end.

    >>> exact_left(6, Cost(4)), exact_left(6, Cost(3)), exact_left(Bits(12), Cost(3)), exact_left(1, Cost(3))
    ('4', '6 - log2(3)', '2', '0')
    """
    if budget is None:
        return None
    if not spent.within(budget):
        return "0"
    if isinstance(budget, Bits):
        counted = _logarithm(budget.ratio / spent.outputs)
        return f"{counted} - {fraction_text(spent.capacity)}" if spent.capacity else counted
    kept, paid = as_fraction(budget) - spent.capacity, _logarithm(Fraction(spent.outputs))
    return f"{fraction_text(kept)} - {paid}" if "log2" in paid else fraction_text(kept - int(paid))


def _logarithm(ratio: Fraction) -> str:
    """log2 of a ratio, whole where it is."""
    top, bottom = ratio.numerator.bit_length() - 1, ratio.denominator.bit_length() - 1
    if ratio == Fraction(1 << top, 1 << bottom):
        return str(top - bottom)
    return f"log2({fraction_text(ratio)})"
