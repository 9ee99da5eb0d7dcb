"""Lines of proof about sums of base cells, checked one after the other with fractions.

A line says that a sum is not in an interval. Its proof adds published figures up, times rational numbers,
with the sum itself as one more figure: what is left to the cells is taken at the ends of their bounds, and
the whole must be below 0 where it must be at least 0. A branch splits one cell's values and refutes both.
"""

# ruff: noqa: UP007, UP045, PLR2004, ANN401 - Python 3.9 runs this; JSON holds anything

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Optional, Union

from noiseless.verification.certificate_json import array, record, require
from noiseless.verification.tabulation_rows import TableRows

_BRANCH = ("atom", "at", "below", "above")
End = Optional[int]


class KnownBounds:
    """What is proved so far: bounds of base cells, and of sums that lines were about.

    Args:
        found: the publication.
        allowed: the figures that may be used; None is all.
    """

    def __init__(self, found: TableRows, allowed: Optional[Sequence[int]] = None) -> None:
        self.found = found
        self.lower, self.upper = list(found.lower), list(found.upper)
        self.allowed = None if allowed is None else set(allowed)
        self.lines: list[tuple[tuple[int, ...], End, End]] = []
        self.sums: dict[tuple[int, ...], tuple[End, End]] = {}
        self.holes: dict[tuple[int, ...], set[int]] = {}
        self.contradiction = False
        for number, cells in enumerate(found.rows):
            if len(cells) == 1 and (self.allowed is None or number in self.allowed):
                low, high = found.told[number]
                self._tighten(cells[0], low, high)

    def _tighten(self, atom: int, low: End, high: End) -> None:
        if low is not None:
            self.lower[atom] = max(self.lower[atom], low)
        top = self.upper[atom]
        if high is not None:
            self.upper[atom] = high if top is None else min(top, high)

    def ends(self, cells: Sequence[int]) -> tuple[int, End]:
        """The proved bounds of a sum."""
        low = sum(self.lower[atom] for atom in cells)
        tops = [self.upper[atom] for atom in cells]
        high = None if None in tops else sum(top for top in tops if top is not None)
        shown = self.sums.get(tuple(sorted(cells)), (None, None))
        if shown[0] is not None:
            low = max(low, shown[0])
        if shown[1] is not None:
            high = shown[1] if high is None else min(high, shown[1])
        return low, high

    def accept(self, line: Any) -> bool:
        """Check a line and remember what it shows; whether it holds."""
        cells, begin, end, proof = _line(line, len(self.lower))
        holds = self._refutes(cells, (begin, end), proof, 0)
        if holds:
            self._learn(cells, begin, end)
        self.lines.append((cells, begin, end) if holds else ((), 0, 0))
        return holds

    def _learn(self, cells: tuple[int, ...], begin: End, end: End) -> None:
        if begin is None and end is None:
            self.contradiction = True
        elif not cells:  # a sum of nothing is 0
            self.contradiction |= (begin or 0) <= 0 <= (end or 0)
        elif begin is not None and end is not None:
            self.holes.setdefault(tuple(sorted(cells)), set()).update(range(begin, end + 1))
        elif len(cells) == 1:
            self._tighten(cells[0], None if end is None else end + 1, None if begin is None else begin - 1)
        else:
            key = tuple(sorted(cells))
            low, high = self.sums.get(key, (None, None))
            if end is not None:
                low = end + 1 if low is None else max(low, end + 1)
            if begin is not None:
                high = begin - 1 if high is None else min(high, begin - 1)
            self.sums[key] = low, high

    def _figure(self, number: int) -> tuple[Sequence[int], End, End]:
        """A published figure, or a sum that an earlier line was about: its cells and its ends."""
        many = len(self.found.rows)
        if number < many:
            require(self.allowed is None or number in self.allowed, "a line uses a figure that is not listed")
            return (self.found.rows[number], *self.found.told[number])
        require(number - many < len(self.lines), "a line uses a line that does not come before it")
        cells, begin, end = self.lines[number - many]
        if begin is not None and end is not None:
            return cells, None, None
        return cells, None if end is None else end + 1, None if begin is None else begin - 1

    def _refutes(self, cells: Sequence[int], ends: tuple[End, End], proof: Any, depth: int) -> bool:
        require(depth < 200, "a proof branches too deeply")
        if not isinstance(proof, dict):
            return self._contradicts(cells, ends, proof)
        record(proof, "a branch", _BRANCH)
        atom, at = proof["atom"], proof["at"]
        require(type(atom) is int and 0 <= atom < len(self.lower), "a branch has no such base cell")
        require(type(at) is int, "a branch does not say where")
        kept = self.lower[atom], self.upper[atom]
        self.upper[atom] = at if kept[1] is None else min(kept[1], at)
        below = self._refutes(cells, ends, proof["below"], depth + 1)
        self.lower[atom], self.upper[atom] = max(kept[0], at + 1), kept[1]
        above = self._refutes(cells, ends, proof["above"], depth + 1)
        self.lower[atom], self.upper[atom] = kept
        return below and above

    def _contradicts(self, cells: Sequence[int], ends: tuple[End, End], leaf: Any) -> bool:
        """Whether the figures of a leaf add up to something below 0 that must be at least 0."""
        own, rows = _leaf(leaf)
        total: Union[int, Fraction] = 0
        left: dict[int, Union[int, Fraction]] = {}
        parts = [(weight, *self._figure(number)) for number, weight in rows]
        if own:
            parts.append((own, cells, *ends))
        for weight, of, low, high in parts:
            end = high if weight > 0 else low
            if end is None:
                return False
            total += weight * end
            for atom in of:
                left[atom] = left.get(atom, 0) - weight
        for atom, weight in left.items():
            if weight:
                end = self.upper[atom] if weight > 0 else self.lower[atom]
                if end is None:
                    return False
                total += weight * end
        return total < 0


def _line(line: Any, atoms: int) -> tuple[tuple[int, ...], End, End, Any]:
    parts = array(line, "a line of proof")
    require(len(parts) == 4, "a line of proof has not four parts")
    cells, begin, end, proof = parts
    places = tuple(array(cells, "a line's base cells"))
    require(all(type(p) is int and 0 <= p < atoms for p in places), "a line has no such base cell")
    require(len(set(places)) == len(places), "a line has a base cell twice")
    whole = all(value is None or type(value) is int for value in (begin, end))
    require(whole, "a line's interval is not whole")
    if begin is not None and end is not None:
        require(0 <= end - begin < 10_000, "a line's interval is empty or too long")
    return places, begin, end, proof


def _leaf(leaf: Any) -> tuple[Union[int, Fraction], list[tuple[int, Union[int, Fraction]]]]:
    parts = array(leaf, "a leaf")
    require(len(parts) == 2, "a leaf has not two parts")
    rows = []
    for entry in array(parts[1], "a leaf"):
        pair = array(entry, "a multiplier")
        require(len(pair) == 2 and type(pair[0]) is int and pair[0] >= 0, "a multiplier has no figure")
        rows.append((pair[0], multiplier(pair[1])))
    return multiplier(parts[0]), rows


def multiplier(value: Any) -> Union[int, Fraction]:
    """A rational number, written as a text; whole ones are added up much faster."""
    require(type(value) is str and len(value) < 400, "a multiplier is not a text")
    try:
        return Fraction(value) if "/" in value else int(value)
    except (ValueError, ZeroDivisionError):
        require(False, "a multiplier is not a fraction")
        raise
