"""Several releases of the same people, against all assignments of secrets that fit what is published.

Written from the definitions. Each person has a cell in every release. Someone who knows everybody's cells and
how often each secret occurs in each cell can rule a secret out for a person only if no assignment that fits
all releases gives it to her. Someone who knows the cells of one person, and of each release which secrets
occur in which cell, is left with the secrets of some joint range with these ranges.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits import TableAudit
from noiseless.errors import NoiselessError

Cells = Sequence[Sequence[Any]]
"""For each release the cell of each person."""


def fits(cells: Cells, secrets: Sequence[str]) -> list[tuple[str, ...]]:
    """All assignments with the same multiset of secrets in every cell of every release."""

    def multisets(given_: Sequence[str]) -> list[Counter[tuple[Any, str]]]:
        return [Counter(zip(release, given_, strict=True)) for release in cells]

    published = multisets(secrets)
    return [each for each in sorted(set(permutations(secrets))) if multisets(each) == published]


def by_assignments(cells: Cells, secrets: Sequence[str]) -> list[set[str]]:
    """What is left for each person, to one who knows all cells and the multisets."""
    return [set(column) for column in zip(*fits(cells, secrets), strict=True)]


def by_ranges(cells: Cells, secrets: Sequence[str]) -> list[set[str]]:
    """What is left to one who knows a person's cells and the range of each release: by all joint ranges."""
    releases = [set(zip(release, secrets, strict=True)) for release in cells]
    triples = [
        (combination, secret)
        for combination in product(*(sorted(set(release)) for release in cells))
        for secret in sorted(set(secrets))
        if all((cell, secret) in pairs for cell, pairs in zip(combination, releases, strict=True))
    ]
    left: dict[Any, set[str]] = {}
    for chosen in product((False, True), repeat=len(triples)):
        joint = [triple for triple, is_in in zip(triples, chosen, strict=True) if is_in]
        ranges = [{(combination[n], secret) for combination, secret in joint} for n in range(len(cells))]
        if ranges == releases:
            for combination, secret in joint:
                left.setdefault(combination, set()).add(secret)
    return [left[combination] for combination in zip(*cells, strict=True)]


def together(cells: Cells, secrets: Sequence[str]) -> list[set[str]]:
    """The secrets of those who have the same cells in all releases."""
    people = list(zip(*cells, strict=True))
    return [{s for other, s in zip(people, secrets, strict=True) if other == one} for one in people]


def worlds(most: int) -> st.SearchStrategy[list[tuple[int, int, str]]]:
    """People: a cell in each of two releases, and a secret."""
    person = st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from("abc"))
    return st.lists(person, min_size=2, max_size=most)


def audited(people: list[tuple[int, int, str]]) -> TableAudit:
    first = pa.table({"id": range(len(people)), "x": [p[0] for p in people], "s": [p[2] for p in people]})
    second = pa.table({"id": range(len(people)), "x": [p[1] for p in people]})
    found = nl.audit([first, second], sensitive="s", public="x", unit="id")
    assert isinstance(found, TableAudit)
    return found


@given(worlds(6))
def test_what_is_left_lies_between_those_alike_everywhere_and_the_intersection(
    people: list[tuple[int, int, str]],
) -> None:
    cells, secrets = ([p[0] for p in people], [p[1] for p in people]), [p[2] for p in people]
    left = by_assignments(cells, secrets)
    sets = [
        [{s for other, s in zip(release, secrets, strict=True) if other == cell} for cell in release]
        for release in cells
    ]
    crossed = [one & other for one, other in zip(*sets, strict=True)]
    for least, truth, most in zip(together(cells, secrets), left, crossed, strict=True):
        assert least <= truth <= most
    versions = audited(people).versions
    assert versions is not None
    assert versions.alone == tuple(min(map(len, release)) for release in sets)
    assert versions.intersected == min(map(len, crossed))
    assert versions.heads == sum(len(found) == versions.intersected for found in crossed)
    assert versions.together == min(map(len, together(cells, secrets)))
    assert versions.together <= min(map(len, left)) <= versions.intersected


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("abc")), min_size=2, max_size=5)
)
def test_the_intersection_is_all_that_the_ranges_leave(people: list[tuple[int, int, str]]) -> None:
    cells, secrets = ([p[0] for p in people], [p[1] for p in people]), [p[2] for p in people]
    versions = audited(people).versions
    assert versions is not None
    assert versions.intersected == min(map(len, by_ranges(cells, secrets)))


def test_published_multisets_leave_less_than_the_intersection() -> None:
    """{1, 2}: {a, b}, {3, 4}: {a, c}, and then {1, 2, 3}: {a, b, c} leaves two each, yet 3 has c."""
    people = [(0, 0, "a"), (0, 0, "b"), (1, 0, "c"), (1, 1, "a")]
    cells, secrets = ([p[0] for p in people], [p[1] for p in people]), [p[2] for p in people]
    left = by_assignments(cells, secrets)
    assert left[2] == {"c"}
    versions = audited([*people[:3], people[3]]).versions
    assert versions is not None
    assert (versions.together, versions.intersected) == (1, 1)  # 4 is alone in the second release
    wider = audited([*people, (1, 1, "c")]).versions
    assert wider is not None
    assert (wider.together, wider.intersected) == (1, 2)


ROWS = st.lists(
    st.fixed_dictionaries({"x": st.integers(0, 4), "z": st.integers(0, 4), "s": st.sampled_from("abc")}),
    min_size=4,
    max_size=7,
)


@settings(max_examples=15)
@given(ROWS)
def test_certificates_give_each_person_the_cells_that_were_released(rows: list[dict[str, Any]]) -> None:
    assume(all(len({row[name] for row in rows}) > 1 for name in ("x", "z", "s")))
    original = pa.Table.from_pylist(rows)
    made = [
        nl.release(original, sensitive="s", public=name, min_posterior=2, keep_order=True) for name in "xz"
    ]
    found = nl.audit_releases(original, [done.certificate.to_dict() for done in made])
    cells = [done.table[name].to_pylist() for done, name in zip(made, "xz", strict=True)]
    secrets = [row["s"] for row in rows]
    alike, left = together(cells, secrets), by_assignments(cells, secrets)
    assert found.min_posterior == min(map(len, alike))
    assert found.versions is not None
    assert found.versions.together <= min(map(len, left)) <= (found.versions.intersected or 0)
    assert found.versions.alone == tuple(done.point.min_posterior for done in made)
    groups = list(zip(*cells, strict=True))
    assert found.k_anonymity == min(map(groups.count, groups))


TABLE = pa.table({"age": [31, 32, 41, 42], "ward": ["n", "s", "n", "s"], "s": ["a", "b", "a", "b"]})


def test_a_certificate_of_another_table_is_refused() -> None:
    """Also one in which only a secret differs: what is claimed of it is claimed of other people."""
    done = nl.release(TABLE, sensitive="s", public="age", min_posterior=2)
    for other in (
        TABLE.set_column(2, "s", pa.array(["a", "b", "b", "a"])),
        TABLE.slice(0, 3),
        TABLE.set_column(0, "age", pa.array([31, 32, 41, 43])),
    ):
        with pytest.raises(NoiselessError, match="another table"):
            nl.audit_releases(other, [done.certificate])
    assert nl.audit_releases(TABLE, [done.certificate]).min_posterior == 2
    assert nl.audit_releases(TABLE.to_pandas(), [done.certificate]).min_posterior == 2
    with duckdb.connect() as engine:
        engine.register("people", TABLE)
        relation = engine.sql("SELECT * FROM people ORDER BY random()")
        assert nl.audit_releases(relation, [done.certificate]).min_posterior == 2


def test_rows_that_a_release_left_out_are_refused(tmp_path: Path) -> None:
    table = pa.table({"age": [31, 32, None, 42], "s": ["a", "b", "a", "b"]})
    done = nl.release(table, sensitive="s", public="age", min_posterior=2, missing="drop")
    done.save(tmp_path / "o.csv", certificate=tmp_path / "c.json")
    with pytest.raises(NoiselessError, match="leaves rows out"):
        nl.audit_releases(table, [tmp_path / "c.json"])


def test_a_released_secret_and_a_kept_column_count_as_seen() -> None:
    done = nl.release(TABLE, sensitive="s", public="age", keep="ward", min_posterior=1)
    found = nl.audit_releases(TABLE, [done.certificate])
    assert found.public == ("1.age", "1.ward")
    assert found.versions is None
    merged = nl.release(TABLE, sensitive="age", public="age", min_posterior=2)
    seen = nl.audit_releases(TABLE, [merged.certificate])
    assert (seen.sensitive, seen.public, seen.min_posterior) == (("age",), ("1.age",), 2)
