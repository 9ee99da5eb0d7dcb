"""Sentences made from numbers: who is faster, by how much and where; who was stopped; how time grows."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from measure import exponent
from page import Row, Words, cell

STOPPED, FAILED, NOT_RUN = "stopped", "failed", "not run"

_EQUAL = 1.1
"""Numbers closer than this ratio are called equal."""


@dataclass(frozen=True)
class Contest:
    """Two contenders over the same rows: numbers of which less is better.

    Attributes:
        us: what the page calls the first.
        them: what it calls the second.
        where: the columns that name a row.
        what: what the numbers are: "time", or the name of a loss or an error.
    """

    us: str
    them: str
    where: Sequence[str]
    what: str

    def words(self, rows: Sequence[Row], ours: str, theirs: str) -> Words | None:
        """Who is better where; None where there is nothing to say."""
        pairs = [(row, row.get(ours), row.get(theirs)) for row in rows]
        both = [(row, a, b) for row, a, b in pairs if _number(a) and _number(b)]
        worse = [(row, _ratio(a, b)) for row, a, b in both if a > _EQUAL * b]
        better = [(row, _ratio(b, a)) for row, a, b in both if b > _EQUAL * a]
        known = [row for row, _ in (*worse, *better)]
        equal = [row for row, _, _ in both if row not in known]
        lost = [row for row, a, b in pairs if a == STOPPED and _number(b)]
        found = [*self._worse(worse), *self._better(better, beaten=bool(worse)), *self._others(rows, theirs)]
        if equal:
            found.append(
                f"{self.them} and {self.us} are within a tenth of each other here: {self._at(equal)}."
            )
        if lost:
            found.append(f"**{self.us} was stopped at the time limit** here: {self._at(lost)}.")
        return Words(" ".join(found), slower=bool(worse or lost)) if found else None

    def _worse(self, worse: Sequence[tuple[Row, float]]) -> Iterator[str]:
        if worse:
            time = self.what == "time"
            verb = f"is faster than {self.us}" if time else f"has a smaller {self.what} than {self.us}"
            by = "times as fast" if time else "times less"
            places = "; ".join(f"{self._at([row])} ({cell(ratio)} {by})" for row, ratio in worse)
            yield f"**{self.them} {verb}** here: {places}."

    def _better(self, better: Sequence[tuple[Row, float]], *, beaten: bool) -> Iterator[str]:
        if none := [row for row, ratio in better if math.isinf(ratio)]:
            yield f"{self.us} has no {self.what} at all here: {self._at(none)}."
        ratios = [ratio for _, ratio in better if math.isfinite(ratio)]
        if ratios:
            who = f"Elsewhere {self.us}" if beaten or none else self.us
            if self.what == "time":
                yield f"{who} is {_span(ratios)} times as fast as {self.them}."
            else:
                yield f"{who} has the smaller {self.what}: {self.them}'s is {_span(ratios)} times as large."

    def _others(self, rows: Sequence[Row], theirs: str) -> Iterator[str]:
        for word, means in ((STOPPED, "was stopped at the time limit"), (FAILED, "failed")):
            if places := [row for row in rows if row.get(theirs) == word]:
                yield f"{self.them} {means} here: {self._at(places)}."

    def _at(self, rows: Sequence[Row]) -> str:
        return "; ".join(_place(row, self.where) for row in rows)


def versus(
    rows: Sequence[Row],
    ours: str,
    theirs: Mapping[str, str],
    where: Sequence[str],
    *,
    what: str = "time",
    us: str = "noiseless",
) -> Iterator[Words]:
    """One paragraph for each contender, from the columns of their numbers."""
    for name, column in theirs.items():
        if words := Contest(us, name, where, what).words(rows, ours, column):
            yield words


def _number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ratio(large: float, small: float) -> float:
    return large / small if small else math.inf


def _span(ratios: Sequence[float]) -> str:
    least, most = cell(min(ratios)), cell(max(ratios))
    return least if least == most else f"{least} to {most}"


def beside_limit(rows: Sequence[Row], ours: str, limit: str, name: str) -> Words:
    """How many times as long as a limit of the machine the work takes."""
    ratios = [row[ours] / row[limit] for row in rows if _number(row.get(ours)) and _number(row.get(limit))]
    if not ratios:
        return Words(f"noiseless was not measured beside {name}.")
    return Words(f"noiseless takes {_span(ratios)} times as long as {name}.")


def _place(row: Row, where: Sequence[str]) -> str:
    def one(name: str) -> str:
        value = row.get(name, "")
        unit = name.removesuffix("s") if value == 1 else name
        return f"{cell(value)} {unit}" if isinstance(value, int | float) else str(value)

    return ", ".join(one(name) for name in where)


def growth(
    rows: Sequence[Row], across: str, columns: Mapping[str, str], by: Sequence[str] = ()
) -> list[dict[str, object]]:
    """The exponent of each contender's time against the size, one row a kind of work.

    Args:
        rows: what was measured.
        across: the column of sizes.
        columns: each contender's column of seconds.
        by: the columns that tell kinds of work apart.
    """
    kinds = dict.fromkeys(tuple(row[name] for name in by) for row in rows)
    found = []
    for kind in kinds:
        mine = [row for row in rows if tuple(row[name] for name in by) == kind]
        line: dict[str, object] = dict(zip(by, kind, strict=True))
        sizes = [row[across] for row in mine]
        line[across] = f"{cell(min(sizes))} to {cell(max(sizes))}" if sizes else ""
        for name, column in columns.items():
            line[f"{name}: exponent"] = _exponent(mine, across, column)
        found.append(line)
    return found


def _exponent(rows: Sequence[Row], across: str, column: str) -> float | str:
    points = points_of(rows, across, column)
    return exponent(*zip(*points, strict=True)) if len(points) > 1 else ""


def points_of(rows: Sequence[Row], across: str, column: str) -> list[tuple[float, float]]:
    """The points of a line: sizes and seconds, where there are numbers."""
    return [(row[across], row[column]) for row in rows if _number(row.get(column))]
