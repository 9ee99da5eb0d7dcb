"""The account of many questions asked together, beside OpenDP and dp-accounting."""

import math
from collections.abc import Iterator
from typing import Any

import noiseless as nl
from measure import best_of
from page import Form, Part, Plot, Section, Table, Words, cell
from side_by_side import OURS, Contender, Race, columns_of, peaks_of, seconds_of
from wording import growth, points_of, versus

EPSILON, DELTA = 4, 1e-6
VALUES = 10_001
"""So many values can one person have."""

INTRODUCTION = f"""\
This many means over the same people, asked together. Without noise each leaks one bit, with a mean error of a
quarter of what one person can move the answer. Laplace noise of the same mean error is {EPSILON}-DP a
question. OpenDP adds the epsilons up; dp-accounting composes their privacy loss distributions (PLD) or
Renyi divergences (RDP), and states an epsilon at delta = {DELTA:g}. noiseless makes different questions and
finds the reach of each; the peers get equal ones, which is their fastest way. There is no data in an
account; the limit beside the times is an empty loop over the questions.

What is stated is not the same: n noiseless answers cost at most log2(1 + n) bits of a person's value. *DP
in bits* is the best that the [tight conversion](convert.md) makes of n answers of {EPSILON}-DP: the
smallest of n times the bits of one, the bits of their sum, and the {math.log2(VALUES):.3g} bits that a
person's value has ({VALUES:,} values), which nothing can exceed. A bound that reaches them protects
nothing."""


def measured(form: Form) -> Iterator[Part]:
    """Growing batches."""
    equal = {"epsilon": EPSILON}
    contenders = (
        Contender("noiseless", "noiseless_work", arguments={"values": VALUES}),
        Contender("opendp", "opendp_work", "opendp", arguments=equal),
        Contender(
            "PLD", "dp_accounting_work", "dp-accounting", arguments=equal | {"delta": DELTA, "kind": "PLD"}
        ),
        Contender(
            "RDP", "dp_accounting_work", "dp-accounting", arguments=equal | {"delta": DELTA, "kind": "RDP"}
        ),
    )
    race = Race(contenders, "account", form, repeats=3)
    times, stated, peaks = (list[dict[str, Any]]() for _ in range(3))
    for questions in (10, 100) if form.small else (10, 100, 1000, 10_000):
        found = race.run(questions=questions)
        (loop,) = best_of(3, lambda questions=questions: _loop(questions))  # type: ignore[misc]
        head = {"questions": questions}
        times.append(head | {"empty loop s": loop} | seconds_of(found))
        values = {
            name: outcome.value if outcome.finished else outcome.seconds for name, outcome in found.items()
        }
        names = {
            "noiseless": "noiseless, bits",
            "opendp": "OpenDP, epsilon",
            "PLD": "PLD, epsilon at delta",
            "RDP": "RDP, epsilon at delta",
        }
        line = {names[name]: value for name, value in values.items()}
        stated.append(head | line | {"DP in bits": in_bits(questions)})
        peaks.append(head | peaks_of(found))
    columns = columns_of(contenders)
    others = {name: column for name, column in columns.items() if name != OURS.name}
    yield Table(stated, "What is stated")
    below = [row for row in stated if cell(row["noiseless, bits"]) != cell(math.log2(VALUES))]
    if below and isinstance((last := below[-1])["noiseless, bits"], float):
        bits, noisy = cell(last["noiseless, bits"]), cell(last["DP in bits"])
        yield Words(
            f"{last['questions']:,} noiseless answers cost {bits} bits together; of answers with noise of "
            f"the same mean error {noisy} follow, of {cell(math.log2(VALUES))} in all."
        )
    yield Table(times, "Seconds")
    yield from versus(times, "noiseless s", others, ("questions",))
    yield race.first_calls()
    yield Table(growth(times, "questions", columns), "Growth: the exponent of questions")
    yield Table(peaks, "Peak memory of the process")
    lines = {name: points_of(times, "questions", column) for name, column in columns.items()}
    yield Plot("batches", "Seconds for the account of a batch", "questions", "seconds", lines)


def in_bits(questions: int) -> float:
    """What so many answers tell of a person at most, by the tight conversion of epsilon-DP."""
    one, whole = (
        nl.convert("dp", "mi", epsilon=epsilon).epsilon for epsilon in (EPSILON, EPSILON * questions)
    )
    told = min(questions * float(one or math.inf), float(whole or math.inf)) / math.log(2)
    return min(told, math.log2(VALUES))


def _loop(questions: int) -> None:
    for _ in range(questions):
        pass


SECTION = Section(
    "peers-batches",
    "The account of a batch, beside OpenDP and dp-accounting",
    INTRODUCTION,
    measured,
    "peers",
)
