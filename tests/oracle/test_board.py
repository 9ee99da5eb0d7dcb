"""The figures on the page for the board, held against their definitions: rows that look alike, counted."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits.census import GroupSizes
from noiseless.display import percent_above, percent_below
from noiseless.reports.board_rows import Board

Rows = list[dict[str, Any]]
ROWS = st.lists(
    st.fixed_dictionaries({"x": st.integers(0, 4), "z": st.sampled_from("ab"), "s": st.sampled_from("pqr")}),
    min_size=2,
    max_size=14,
)
THRESHOLDS = st.sampled_from([Fraction(9, 100), Fraction(1, 3), Fraction(1, 2), Fraction(0), Fraction(1)])


def check_sizes(found: GroupSizes, groups: list[Any], threshold: Fraction) -> None:
    """Every row is looked for among those that look like it."""
    risks = [Fraction(1, groups.count(group)) for group in groups]
    assert found.heads == len(groups)
    assert found.smallest == min(map(groups.count, groups))
    assert found.alone == sum(groups.count(group) == 1 for group in groups)
    assert found.prosecutor_risk == max(risks)
    assert found.marketer_risk == sum(risks) / len(risks)
    assert found.share_above(threshold) == Fraction(sum(risk > threshold for risk in risks), len(risks))


def check_board(board: Board, groups: list[Any], secrets: list[str]) -> None:
    """The promise, the bets and what the four documents are told are those of the published rows."""
    behind = {group: Counter() for group in groups}  # type: dict[Any, Counter[str]]
    for group, secret in zip(groups, secrets, strict=True):
        behind[group][secret] += 1
    left, values = min(map(len, behind.values())), len(set(secrets))
    best = Fraction(sum(max(counts.values()) for counts in behind.values()), len(groups))
    blind = Fraction(max(Counter(secrets).values()), len(groups))
    belief = max(Fraction(max(counts.values()), counts.total()) for counts in behind.values())
    if 1 < left < values:
        assert f"at least {left} of the {values} values of s stay possible" in board.promise
    elif values == 1:
        assert "nothing to hide" in board.promise
    else:
        assert ("There is none" if left == 1 else f"all {values} values of s stay") in board.promise
    (row,) = board.odds
    assert (row.left, row.best) == (f"{left} of {values}", percent_above(best))
    guess = (percent_above if blind == best else percent_below)(blind)  # equal ones read alike
    assert (row.blind, row.belief) == (guess, percent_above(belief))
    smallest = min(map(groups.count, groups))
    european, american, agency, _ = (dict(document.terms) for document in board.guidance)
    unique = sum(groups.count(group) == 1 for group in groups)
    assert european["Singling out"].startswith(f"{unique} of {len(groups)} rows")
    assert american["Distinguishability"].startswith(f"{unique} of {len(groups)} rows")
    assert f"1 in {smallest}" in european["Linkability"]
    within = Fraction(1, smallest) <= Fraction(9, 100)
    assert ("within the threshold" if within else "above the threshold") in agency[
        "Maximum risk, threshold 0.09"
    ]
    assert ("not reached" in agency["Group of at least 11"]) == (smallest < 11)


@given(ROWS, THRESHOLDS)
def test_an_audit(rows: Rows, threshold: Fraction) -> None:
    audit = nl.audit(pa.Table.from_pylist(rows), sensitive="s", public=["x", "z"])
    groups = [(row["x"], row["z"]) for row in rows]
    check_sizes(audit.sizes, groups, threshold)
    check_board(Board.of_audit(audit, None), groups, [row["s"] for row in rows])


@given(ROWS, THRESHOLDS)
def test_an_audit_of_persons(rows: Rows, threshold: Fraction) -> None:
    audit = nl.audit(pa.Table.from_pylist(rows), sensitive="s", public="x", unit="z")
    check_sizes(audit.sizes, [x for x, _ in {(row["x"], row["z"]) for row in rows}], threshold)


@given(ROWS, THRESHOLDS, st.integers(1, 2), st.booleans())
def test_a_release(rows: Rows, threshold: Fraction, alike: int, kept: bool) -> None:
    """The original's rows, each beside what the certificate releases for it."""
    assume(len({row["x"] for row in rows}) > 1 and len({row["s"] for row in rows}) > 1)
    assume(not kept or min(Counter(row["z"] for row in rows).values()) >= alike)
    done = nl.release(
        pa.Table.from_pylist(rows),
        sensitive="s",
        public="x",
        keep=["z"] * kept,
        min_rows=alike,
        keep_order=True,
    )
    groups = [tuple(row.values()) for row in done.table.to_pylist()]
    check_sizes(done.sizes, groups, threshold)
    assert done.sizes.smallest == done.point.min_rows
    check_board(Board.of_release(done), groups, [row["s"] for row in rows])


@given(ROWS, THRESHOLDS)
def test_a_release_of_persons(rows: Rows, threshold: Fraction) -> None:
    """A person with several rows that read alike is one of those who look alike."""
    assume(len({row["x"] for row in rows}) > 1 and len({row["s"] for row in rows}) > 1)
    done = nl.release(
        pa.Table.from_pylist(rows), sensitive="s", public="x", unit="z", min_rows=1, keep_order=True
    )
    people = {(*row.values(), person["z"]) for row, person in zip(done.table.to_pylist(), rows, strict=True)}
    check_sizes(done.sizes, [shown for shown, _ in people], threshold)
    assert done.sizes.smallest == done.risks["min_rows"]
    text = " ".join(figure for document in Board.of_release(done).guidance for _, figure in document.terms)
    sizes = Counter(shown for shown, _ in people)
    alone = sum(size == 1 for size in sizes.values())
    assert f"{alone} of {len(sizes)} group{'s' * (len(sizes) > 1)} hold" in text
    assert "persons, each counted in each of their groups," in text


def test_the_group_of_eleven_is_not_quite_the_threshold() -> None:
    """1/11 is above 0.09, as the page says; 12 is the first group within it."""
    assert GroupSizes({11: 1}).share_above(Fraction(9, 100)) == 1
    assert GroupSizes({12: 1}).share_above(Fraction(9, 100)) == 0
