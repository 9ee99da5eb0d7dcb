"""The reach of thousands of questions, and the price of asking them together."""

from fractions import Fraction
from typing import Any

import noiseless as nl
from measure import best_of
from noiseless.mechanisms.quantized import QuantizedQuery
from noiseless.mechanisms.quantizer import Uniform
from noiseless.queries import Attribute, mean

_AGE = Attribute("age", range(121), Fraction(0), Fraction(1))


def rows(questions: int = 10**4) -> list[dict[str, Any]]:
    """One line a kind of batch; everything is made anew, reaches included."""
    kinds = {"over the same people": False, "each about another public group": True}
    return [_row(name, questions, apart=apart) for name, apart in kinds.items()]


def _row(name: str, questions: int, *, apart: bool) -> dict[str, Any]:
    (seconds,) = best_of(3, lambda: _price(questions, apart=apart))
    return {"batch of means": name, "questions": questions, "reach and price s": seconds}


def _price(questions: int, *, apart: bool) -> nl.Price:
    told = []
    for number in range(questions):
        question = mean(100 if apart else 1000 + number, _AGE)
        mechanism = QuantizedQuery(question, Uniform(question.span, 90 if apart else 900 + number))
        told.append(nl.QuantizedAnswer(mechanism, covers=frozenset({number}) if apart else None))
    return nl.price(told, nl.Record.of({"age": 121}))
