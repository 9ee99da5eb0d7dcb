"""The reach of thousands of questions, and the price of asking them together."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import noiseless as nl
from measure import best_of, exponent
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, mean
from noiseless.ranges.quantizer import Uniform
from page import Form, Part, Section, Table

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


INTRODUCTION = """\
Means priced together, everything made anew, the reach of each included. There is no data in a price; the
limit beside it is an empty loop over the questions."""


def measured(form: Form) -> Iterator[Part]:
    """Batches of growing size."""
    sizes = form.sizes(10**2, 10**3, 10**4)
    found = [row for size in sizes for row in rows(size)]
    yield Table([row | {"empty loop s": _loop(row["questions"])} for row in found])
    kinds = dict.fromkeys(row["batch of means"] for row in found)
    grown = {
        kind: [row["reach and price s"] for row in found if row["batch of means"] == kind] for kind in kinds
    }
    lines = [{"batch of means": kind, "exponent": exponent(sizes, times)} for kind, times in grown.items()]
    yield Table(lines, "Growth: the exponent of questions")


def _loop(questions: int) -> float:
    return best_of(3, lambda: [None for _ in range(questions)])[0]


SECTION = Section("prices", "Prices of batches", INTRODUCTION, measured)
