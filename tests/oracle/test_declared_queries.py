"""Formulas that an owner declares, against the definition: all that one person could be is listed."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from noiseless.curator.edition import Edition
from noiseless.curator.file import CuratorFile
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Snapshot
from noiseless.domain import Schema
from noiseless.questions import row_function
from noiseless.questions.row_function import RowFormula
from noiseless.questions.sql import AnswerInterval
from noiseless.tables import open_table

FILE = """
[dataset]
name = "t"
source = "t.csv"
[budget]
bits = 9
[columns.a]
role = "private"
bounds = [0, 3]
[columns.b]
role = "private"
bounds = [-1, 1]
step = 0.5
[queries.ratio]
formula = "{formula}"
step = 0.25
aggregate = "{aggregate}"
"""
STEP, HALF = Fraction(1, 4), Fraction(1, 2)
A, B = [Fraction(k) for k in range(4)], [Fraction(k, 2) for k in range(-2, 3)]
FORMULAS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "a * b": lambda a, b: a * b,
    "(a - 2*b)**2 / 3": lambda a, b: (a - 2 * b) ** 2 / 3,
    "a / (2 + b) - abs(b)": lambda a, b: a / (2 + b) - abs(b),
    "max(a, 2) * min(b, 0.5)": lambda a, b: max(a, Fraction(2)) * min(b, HALF),
    "b**2": lambda _, b: b**2,
}


def rounded(formula: str, a: Fraction, b: Fraction) -> Fraction:
    return floor(FORMULAS[formula](a, b) / STEP + HALF) * STEP


@cache
def taken(rows: tuple[tuple[Fraction, Fraction], ...]) -> Snapshot:
    """The same for every formula."""
    with TemporaryDirectory() as folder:
        source = Path(folder, "t.csv")
        source.write_text("a,b\n" + "".join(f"{float(a)},{float(b)}\n" for a, b in rows))
        return Snapshot.take(open_table(source), Schema.parse(FILE.format(formula="a", aggregate="sum")))


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(("listed", "case"), [(2**16, (2, "mean")), (0, (3, "sum")), (0, (2, "mean"))])
def test_nobody_causes_more_answers_than_a_formula_is_priced_for(
    formula: str, listed: int, case: tuple[int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listed, and where only bounds of the formula are known; every interval holds the truth."""
    reach, aggregate = case
    monkeypatch.setattr(row_function, "MOST_LISTED", listed)
    (tmp_path / "t.toml").write_text(FILE.format(formula=formula, aggregate=aggregate))
    file = CuratorFile.read(tmp_path / "t.toml")
    others = ((Fraction(1), Fraction(-1)), (Fraction(3), HALF))
    public = PublicState.of(file, taken((*others, others[0])))
    batch = Edition(public, "t", "digest", reach).batch(["SELECT ratio() FROM t"])
    (told,), (statement,) = batch.disclosures, batch.statements
    answers = set()
    for own in product(A, B):
        rows = (*others, own)
        stored = told.compute(taken(rows))
        answers.add(stored["cell"])
        ((interval,),) = statement.reply({told.question: stored})
        truth = sum((rounded(formula, *row) for row in rows), Fraction(0))
        assert isinstance(interval, AnswerInterval)
        assert interval.lower <= truth / (len(rows) if aggregate == "mean" else 1) <= interval.upper
    assert len(answers) <= told.event.footprint(public.record).outputs <= reach


@pytest.mark.parametrize("formula", FORMULAS)
def test_bounds_of_a_formula_hold_every_value(formula: str) -> None:
    schema = Schema.parse(FILE.format(formula=formula, aggregate="sum"))
    function = RowFormula.of(formula, STEP, schema)
    values = {rounded(formula, a, b) for a, b in product(A, B)}
    assert {int(value / STEP) for value in values} <= set(function.enclosed)
    assert function.listed is not None
    assert {n * STEP for n in function.listed.ravel().tolist()} == values
    wide = Schema.parse(FILE.format(formula="a", aggregate="sum").replace("step = 0.5", "step = 0.001"))
    finer = RowFormula.of(formula, STEP, wide)
    for a, b in product(A, [Fraction(Decimal(k) / 10) for k in range(-10, 11)]):
        assert int(rounded(formula, a, b) / STEP) in finer.enclosed
