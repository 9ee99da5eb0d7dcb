"""New rows as the cells of a certificate, by the definition: every cell is tried, every group counted."""

import random
from collections import Counter
from fractions import Fraction
from itertools import starmap
from typing import Any

import pyarrow as pa
import pytest

from certificate_examples import POOLS, TREE, Case, Codebook, Made, Value, is_number, make, random_case
from noiseless.releases import coverage
from noiseless.releases.application import AppliedRelease, apply_release
from noiseless.verification import verify
from soaking import seeds

Rows = list[dict[str, str | None]]
NEW: dict[str, list[str | None]] = {
    "number": [*POOLS["number"], "1.5", "-1", "5", "8", "100", "?", None],
    "category": [*POOLS["category"], "new"],
    "hierarchy": [*TREE, "in no tree", None],
}


def arrow(rows: Rows) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]})


def new_rows(case: Case, chance: random.Random) -> Rows:
    """Old rows and new ones, some with public values that no row had."""
    found = [dict(chance.choice(case.rows)) for _ in range(chance.randrange(1, 20))]
    for row in found:
        for column in case.public:
            if chance.random() < 0.6:
                row[column] = chance.choice(NEW[case.kinds[column]])
    return found


class ByDefinition:
    """What becomes of rows, one by one."""

    def __init__(self, made: Made) -> None:
        self.case, self.book = made.case, Codebook(made.case)
        self.cells = [
            (tuple(cell["released"]), [tuple(member) for member in cell["members"]], cell["suppressed"])
            for cell in made.certificate["partition"]
        ]

    def covers(self, members: list[Value], value: Value) -> bool:
        parts = zip(self.case.public, value, zip(*members, strict=True), strict=True)
        return all(starmap(self._covers, parts))

    def _covers(self, column: str, part: str | None, of: Value) -> bool:
        kind = self.case.kinds[column]
        if kind == "hierarchy":
            tree = self.book.trees[column]
            return tree.common(of) in tree.nodes.get(part, [])
        if kind == "category" or not is_number(of[0]):
            return part in of
        return is_number(part) and min(map(Fraction, of)) <= Fraction(part or "") <= max(map(Fraction, of))  # type: ignore[arg-type]

    def cost(self, members: list[Value], word: Value) -> Fraction:
        if self.case.distance is None:
            return Fraction(0)
        return max(self.book.distance(member, word, members) for member in members)

    def read(self, value: Value) -> tuple[Value, str]:
        """What a public value reads as, and why."""
        for word, members, _ in self.cells:
            if value in members:
                return word, "known"
        fitting = [
            (self.cost(members, word), number)
            for number, (word, members, suppressed) in enumerate(self.cells)
            if not suppressed and self.covers(members, value)
        ]
        return (self.cells[min(fitting)[1]][0], "covered") if fitting else (("*",) * len(value), "outside")


def check(made: Made, rows: Rows) -> AppliedRelease | None:
    case, truth = made.case, ByDefinition(made)
    every = case.sensitive + case.public + case.given + case.keep
    used = [row for row in rows if case.missing != "drop" or all(row[c] is not None for c in every)]
    if not used:
        return None
    found = apply_release(arrow(rows), made.certificate, keep_order=True)
    read = [truth.read(case.value(row)) for row in used]
    kept = [tuple(row[c] for c in case.keep) for row in used]
    shown = list(zip(*(found.table[c].to_pylist() for c in case.public + case.keep), strict=True))
    texts = [tuple(None if part is None else _text(part) for part in row) for row in shown]
    assert texts == [(*word, *beside) for (word, _), beside in zip(read, kept, strict=True)]
    why = Counter(reason for _, reason in read)
    assert [found.known_rows, found.covered_rows, found.outside_rows] == [
        why[reason] for reason in ("known", "covered", "outside")
    ]
    assert found.dropped == len(rows) - len(used)
    groups: dict[Any, list[Value]] = {}
    known: dict[Value, set[Value]] = {}
    for row, (word, _), beside in zip(used, read, kept, strict=True):
        secret, given = tuple(row[c] for c in case.sensitive), tuple(row[c] for c in case.given)
        groups.setdefault((word, beside, given), []).append(secret)
        known.setdefault(given, set()).add(secret)
    assert found.measures is not None
    assert found.min_rows == found.measures.min_rows == min(map(len, groups.values()))
    assert found.measures.min_posterior == min(len(set(held)) for held in groups.values())
    ratios = (Fraction(len(known[seen[2]]), len(set(held))) for seen, held in groups.items())
    assert found.measures.leakage.ratio == max(ratios)
    return found


def _text(part: object) -> str:
    return str(int(part)) if isinstance(part, float) and part.is_integer() else str(part)


@pytest.mark.parametrize("block", seeds(3))
def test_new_rows_read_as_the_definition_says(block: int) -> None:
    why: Counter[str] = Counter()
    for seed in range(60 * block, 60 * block + 60):
        made, chance = make(random_case(seed)), random.Random(seed)
        if made.case.codeword == "centroid":  # with 25 decimals, which no double holds
            made.case.codeword = "midrange"
            made = make(made.case)
        if found := check(made, new_rows(made.case, chance)):
            why += Counter(known=found.known_rows, covered=found.covered_rows, outside=found.outside_rows)
    assert min(why.values()) > 20


def test_a_few_tuples_at_a_time_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [make(random_case(seed)) for seed in range(20)]
    rows = [new_rows(one.case, random.Random(7)) for one in made]
    tables = [arrow(some) for some in rows]
    whole = [apply_release(t, m.certificate).table for t, m in zip(tables, made, strict=True) if m.case.used]
    monkeypatch.setattr(coverage, "_ROOM", 1)
    monkeypatch.setattr(coverage, "_LEAST", 1)
    parts = [apply_release(t, m.certificate).table for t, m in zip(tables, made, strict=True) if m.case.used]
    assert whole == parts


def test_the_original_is_released_as_it_was() -> None:
    for seed in seeds(30):
        made = make(random_case(seed))
        original = arrow(made.case.rows)
        found = apply_release(original, made.certificate)
        assert found.known_rows == found.rows == len(made.released)
        assert verify(made.certificate, original=original, released=found.table).holds, seed
