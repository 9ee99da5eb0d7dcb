"""Values that are no numbers in columns of numbers: they merge with nothing else, but can be suppressed."""

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.policies.merging import Cells, ColumnCodebook
from noiseless.policies.selection import Choice, Problem, Wish, choose
from noiseless.ranges import JointRange
from noiseless.releases.columns import PublicColumn, PublicColumns
from noiseless.releases.results import Progress
from noiseless.tables import IntArray

BoolArray = npt.NDArray[np.bool_]


def explained(error: RequestError, public: PublicColumns) -> RequestError:
    """A refusal, with what can be done about values that are no numbers."""
    missing = any(column.texts.null_count for column in _with_marks(public))
    drop = "leave their rows out (--missing drop), " if missing else ""
    return RequestError(
        f"{error}; {never_merged(public)}: {drop}allow suppression (--suppress), "
        "or take such a column as categories (--categorical)"
    )


def never_merged(public: PublicColumns) -> str:
    """Which values of which columns are no numbers, and what that means."""
    columns = _with_marks(public)
    names = ", ".join(repr(column.name) for column in columns)
    missing = any(column.texts.null_count for column in columns)
    which = "missing values" if missing else "texts that are no numbers"
    return f"{which} of {names} are never merged with numbers"


def _with_marks(public: PublicColumns) -> list[PublicColumn]:
    return [column for column in public.columns if column.marks.any()]


def choose_suppressing_marked(
    problem: Problem, public: PublicColumns, wish: Wish, progress: Progress | None
) -> Choice | None:
    """The best choice found when every tuple with a value that is no number is suppressed.

    The suppressed cell must keep to the limits as well: other tuples join it, those first that add the most
    sensitive values for their rows.

    Returns:
        The choice; None if that takes more rows than may be suppressed, or does not apply here.
    """
    needed = _needed_posterior(problem, wish)
    if problem.side is not None or needed is None or public.groups is None:
        return None
    hidden = np.zeros(problem.size, bool)
    for column in public.columns:
        hidden |= column.marks[column.codes] > 0
    budget = int(Fraction(wish.suppress) * int(problem.weights.sum()))
    if not _hide_enough(problem, hidden, needed, budget):
        return None
    left = budget - int(problem.weights[hidden].sum())
    rest = np.flatnonzero(~hidden)
    rows = int(problem.weights[rest].sum())
    inner = replace(wish, max_leakage=None, min_posterior=needed, suppress=Fraction(left, rows))
    found = choose(_restricted(problem, rest), inner, progress)
    labels = np.full(problem.size, found.cells.count, np.int64)
    labels[rest] = found.cells.cell_of
    hidden[rest] = found.suppressed
    return replace(
        found,
        problem=problem,
        cells=Cells.from_labels(labels),
        suppressed=hidden,
        optimal=False,
        gap=None,
        proof="nothing: values that are no numbers had to be suppressed first",
    )


def _needed_posterior(problem: Problem, wish: Wish) -> int | None:
    """The posterior that the limits on what is given away come to: |S| / k <= 2^leakage, decided exactly."""
    if wish.max_leakage is None:
        return wish.min_posterior
    limit = Fraction(wish.max_leakage) if isinstance(wish.max_leakage, float) else wish.max_leakage
    values = problem.joint.size_x
    sizes = range(1, values + 1)
    least = sizes[bisect_left(sizes, True, key=lambda size: Bits(Fraction(values, size)) <= limit)]
    return max(wish.min_posterior or 1, least)


def _hide_enough(problem: Problem, hidden: BoolArray, needed: int, budget: int) -> bool:
    """Suppress further tuples until enough sensitive values stand behind them; whether the rows suffice."""
    joint, rows = problem.joint, problem.weights
    seen = np.zeros(joint.size_x, bool)
    seen[joint.x[hidden[joint.y]]] = True
    while seen.sum() < needed:
        fresh = np.bincount(joint.y[~seen[joint.x]], minlength=problem.size)
        value = np.where(hidden, -1.0, fresh / np.maximum(rows, 1))
        best = int(np.argmax(value))
        if value[best] <= 0:
            return False
        hidden[best] = True
        seen[joint.posterior(best)] = True
    return int(rows[hidden].sum()) <= budget and not hidden.all()


def _restricted(problem: Problem, rest: IntArray) -> Problem:
    """The same problem for some of the public values."""
    joint = problem.joint
    number = np.full(problem.size, -1, np.int64)
    number[rest] = np.arange(len(rest))
    kept = number[joint.y] >= 0
    secrets = np.unique(joint.x[kept], return_inverse=True)[1].reshape(-1)
    book = problem.codebook
    if isinstance(book, ColumnCodebook):
        columns = [column.take(rest) for column in book.columns]
        book = ColumnCodebook(*columns, distance=book.distance, codeword=book.word)
    return Problem(JointRange.from_codes(secrets, number[joint.y][kept]), book, None, problem.weights[rest])
