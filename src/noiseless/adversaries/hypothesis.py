"""The hypothesis game [P2]: a yes/no fact about each row, tested from what a blur releases of it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any

from noiseless.adversaries.boundary_tests import (
    Rows,
    Weights,
    against_blur,
    against_noise,
    table_weights,
    uniform_weights,
)
from noiseless.adversaries.declared_values import positions_of
from noiseless.adversaries.game import Game, Progress, Score
from noiseless.arrays import IntArray
from noiseless.collection.blur import Blur
from noiseless.collection.blur.on_lattice import Bounds
from noiseless.collection.blur.pairing import Mode
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, round_down
from noiseless.tables import open_table
from noiseless.tables.replacement import DeclaredColumns, MissingRows

PRIORS = ("uniform", "table")
MEASURE = "share of rows whose fact is found out"

_MOST_STEPS = 2**30
"""Up to this, products of numbers of steps are exact in 64 bits."""


def hypothesis(
    table: Any,  # noqa: ANN401 - any frame or source
    hypothesis: str,
    *,
    max_changes: Iterable[Rational | float],
    bounds: Bounds | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    mode: Mode = "stretch",
    prior: str = "uniform",
    missing: MissingRows = "error",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Game:
    """What an adversary finds out about a yes/no fact before and after a blur, and after noise of that size.

    One adversary names a fact only when it is certain (the tests of [P2]); the score is the share of the
    table's rows that this decides. The other always names the likelier answer under a prior; the score is the
    share of rows for which that is right, a tie counting one half. Beside the blur stands noise that moves
    a value as far: any whole number of steps up to D, each equally likely. Nothing is drawn: averages over
    the noise are exact.

    Args:
        table: any table.
        hypothesis: the fact: a comparison of one column with an expression of others.
        max_changes: D, the most that a value may move; one blur each.
        bounds: for each column of the hypothesis its lowest and highest value and, unless it is 1, its step.
        schema: declared domains, or the file that holds them; `bounds` stand over it.
        mode: of the blur, "stretch" or "collapse".
        prior: what the betting adversary believes of the compared column, whatever the others are: "uniform"
            over the declared range, or the "table" column's own frequencies.
        missing: whether rows without a value are left out or an error.
        names: the columns' names, for text files without a header line.
        progress: told how many of the blurs are done.

    Raises:
        ExpressionError: the hypothesis cannot be read.
        RequestError: a domain is missing, or a change is too small.
        UnsoundError: a promise of the blur was found broken.
    """
    if prior not in PRIORS:
        raise RequestError(f"the prior is one of {', '.join(PRIORS)}")
    declared = schema if schema is None or isinstance(schema, Schema) else Schema.read(schema)
    blurs = [
        Blur.of(hypothesis, max_change=change, bounds=bounds, schema=declared, mode=mode)
        for change in max_changes
    ]
    if not blurs:
        raise RequestError("name at least one largest change")
    blurs.sort(key=lambda blur: blur.max_change)
    if blurs[-1].lattice.steps > _MOST_STEPS:
        raise RequestError(f"a value moves by more than {_MOST_STEPS:,} steps; declare a coarser step")
    rows = _Rows.of(open_table(table, names=names), blurs[0], missing)
    results = list[Score]()
    for done, blur in enumerate(blurs, 1):
        results += rows.protected(blur, prior)
        if progress is not None:
            progress(done, len(blurs))
    results += rows.unprotected()
    settings = {
        "hypothesis": str(blurs[0].hypothesis),
        "column": blurs[0].hypothesis.column,
        "rows": rows.total,
        "true": int(rows.counts[rows.truth].sum()),
        "mode": mode,
        "prior": prior,
    }
    return Game("hypothesis", MEASURE, None, settings, tuple(results), ("release", "adversary"))


class _Rows:
    """The distinct combinations of the columns of a hypothesis."""

    def __init__(self, points: dict[str, IntArray], counts: IntArray, blur: Blur) -> None:
        self.points, self.counts = points[blur.hypothesis.column], counts
        self.others = {name: points[name] for name in blur.hypothesis.others}
        self.total = int(counts.sum())
        split = blur.lattice.fibres(self.others).split
        above = self.points >= split
        self.truth = above if blur.hypothesis.sign in (">=", ">") else ~above

    @classmethod
    def of(cls, table: Any, blur: Blur, missing: MissingRows) -> "_Rows":  # noqa: ANN401 - an opened table
        """Read and check the columns."""
        read = DeclaredColumns.read(table, blur.schema, blur.hypothesis.columns, missing)
        points = {name: positions_of(read.values(name), blur.lattice.columns[name]) for name in read.columns}
        return cls(points, read.tally.counts, blur)

    def unprotected(self) -> Iterable[Score]:
        """Without a blur every fact can be read off."""
        for release in ("blur", "noise"):
            for adversary in ("certain", "likely"):
                yield Score(None, 1.0, 1.0, 1.0, _details(Fraction(0), release, adversary, 0.0))

    def protected(self, blur: Blur, prior: str) -> Iterable[Score]:
        """The scores against one blur and against as much noise."""
        lattice, column = blur.lattice, blur.lattice.compared
        weights = self._weights(column.size, prior)
        fibres, rows = lattice.fibres(self.others), Rows(self.points, self.counts)
        found = {
            "blur": against_blur(fibres, rows, lattice.steps, weights),
            "noise": against_noise(fibres.split, column.size - 1, rows, lattice.steps, weights),
        }
        promised = {"blur": round_down(blur.protected_share), "noise": None}
        for release, outcome in found.items():
            for adversary, share in (("certain", outcome.certain), ("likely", outcome.right)):
                details = _details(blur.max_change, release, adversary, promised[release])
                yield Score(Bits(column.size), float(share), float(share), float(share), details)

    def _weights(self, size: int, prior: str) -> Weights:
        return uniform_weights(size) if prior == "uniform" else table_weights(Rows(self.points, self.counts))


def _details(change: Fraction, release: str, adversary: str, promised: float | None) -> dict[str, Any]:
    return {
        "max_change": float(change),
        "release": release,
        "adversary": adversary,
        "protected_share": promised,
    }
