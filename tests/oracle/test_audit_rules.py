"""The audit under rules against the definitions: what is seen, each row's posterior set, what totals tell."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits import Audit, Exposure
from noiseless.audits.under_rules import UnderRules
from noiseless.exact import Bits
from noiseless.rules import catalogue
from oracle.audit_rules import (
    Exposed,
    Named,
    Published,
    Row,
    Value,
    finest,
    groups_of_amounts,
    largest_change,
    numeric,
    partitions,
    published,
)
from oracle.definitions import joint_release_rows

SOME, FEW = settings(max_examples=6), settings(max_examples=3)


def texts(rules: Sequence[Named]) -> list[str]:
    return [rule if column is None else f"{column}={rule}" for column, rule in rules]


def under_rules(found: Audit) -> UnderRules:
    assert found.rules is not None
    return found.rules


def frame(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(row) for row in rows])


# --- comparing ------------------------------------------------------------------------------------


def check_measures(found: Exposure, exposed: Exposed) -> None:
    """What stands in the audit, and in `before` and `after`."""
    assert found.leakage.ratio == exposed.leakage
    assert found.maximin.ratio == exposed.components
    assert found.min_posterior == exposed.min_posterior
    assert found.public_values == exposed.groups
    assert found.homogeneous_groups == exposed.homogeneous_groups
    assert found.homogeneous_persons == exposed.given_away
    assert found.k_anonymity == exposed.k


def is_shown_as(value: Value, shown: Value) -> bool:
    """Whether a value is shown as it is; numbers are texts where labels stand among them."""
    if isinstance(shown, str) and isinstance(value, int | float | Decimal | Fraction):
        return bool(numeric(value) == Fraction(shown))
    return bool(numeric(value) == numeric(shown))


def check_witnesses(found: Audit, exposed: Exposed) -> None:
    """Ten groups at most, the most telling first, each the group of its first row."""
    every = sorted(
        {
            (len(exposed.posterior(i)), -exposed.release.count(exposed.alike(i)), min(exposed.alike(i)))
            for i in exposed.every
        }
    )
    witnesses = found.reveal_witnesses()
    assert [(w.posterior, -w.size) for w in witnesses] == [(left, size) for left, size, _ in every[:10]]
    firsts = [w.first_row - 1 for w in witnesses if w.first_row is not None]
    assert {(w.posterior, -w.size, first) for w, first in zip(witnesses, firsts, strict=True)} <= set(every)
    assert len(set(firsts)) == len(witnesses)
    whole = len({exposed.secret(i) for i in exposed.every})
    for witness, first in zip(witnesses, firsts, strict=True):
        assert witness.values is not None
        assert witness.possible is not None
        assert witness.leaked.ratio == Fraction(whole, len(exposed.posterior(first)))
        assert witness.homogeneous == (len(exposed.posterior(first)) == 1)
        columns = (*exposed.release.public, *exposed.given)
        assert set(witness.values) == set(columns)
        shown = [witness.values[column] for column in columns]
        assert all(map(is_shown_as, exposed.look(first), shown))
        possible = {numeric(value) for value in witness.possible}
        assert possible == {secret for (secret,) in exposed.posterior(first)}


def check_changes(found: Audit, release: Published, rules: Sequence[Named]) -> None:
    coarsened = list(dict.fromkeys(column for column, _ in rules if column in release.public))
    assert [change.column for change in under_rules(found).changes] == coarsened
    places = []
    for change in under_rules(found).changes:
        values = [row[change.column] for row in release.rows]
        shown = [look[release.public.index(change.column)] for look in release.groups_before]
        assert change.before == len({numeric(value) for value in values if value is not None})
        assert change.after == len({label for label in shown if label is not None})
        moved = [i for i, (v, s) in enumerate(zip(values, shown, strict=True)) if numeric(v) != numeric(s)]
        assert change.changed_rows == len(moved)
        if change.kind == "text":
            assert change.largest is None
        else:
            assert change.largest == largest_change(values, shown)
            places.append(change.largest)
    assert under_rules(found).largest_change == (places[0] if len(places) == 1 else None)


def check(
    rows: Sequence[Row],
    rules: Sequence[Named],
    public: tuple[str, ...],
    *,
    sensitive: tuple[str, ...] = ("s",),
    given: tuple[str, ...] = (),
    unit: str | None = None,
) -> Audit:
    """Audit a table under rules, and compare everything but its totals with the definitions."""
    found = nl.audit(
        frame(rows), sensitive=sensitive, public=public, given=given, unit=unit, rule=texts(rules)
    )
    release = published(rows, public, rules, unit)
    exposed = Exposed(release, sensitive, given)
    check_measures(found, exposed)
    assert found.persons_at_min_posterior == exposed.at_min_posterior
    assert found.suppressed_rows == exposed.suppressed
    check_measures(under_rules(found).before, Exposed(published(rows, public, [], unit), sensitive, given))
    check_measures(under_rules(found).after, exposed)
    hidden = release.withheld
    kept = [i for i in exposed.every if i not in hidden]
    said = under_rules(found).to_dict()
    assert (said["told_rows"], said["withheld_rows"]) == (release.count(kept), release.count(hidden))
    assert said["told_groups"] == len({release.groups_before[i] for i in kept})
    assert said["withheld_groups"] == len({release.groups_before[i] for i in hidden})
    check_changes(found, release, rules)
    if len(sensitive) == 1:
        assert [tuple(bar) for bar in found.posterior_histogram] == exposed.histogram
        check_witnesses(found, exposed)
    else:
        for column in sensitive:
            alone = Exposed(release, (column,), given)
            assert found.by_column[column].leakage.ratio == alone.leakage
            assert found.by_column[column].homogeneous_persons == alone.given_away
    return found


def check_finest(
    found: Audit, rows: Sequence[Row], column: str, sensitive: tuple[str, ...], unit: str | None = None
) -> None:
    """The cells beside the rule are the best contiguous ones, and "all" is said only where no others are."""
    least = under_rules(found).after.min_posterior
    best, descriptions = finest(rows, column, sensitive, least, unit=unit)
    cells = under_rules(found).finest
    assert cells is not None, under_rules(found).finest_reason
    assert cells.largest_change == best
    said = (cells.cells, cells.min_posterior, cells.leakage.ratio, cells.maximin.ratio, cells.k_anonymity)
    assert said in descriptions
    if cells.scope == "all":
        assert finest(rows, column, sensitive, least, unit=unit, ways=partitions)[0] == best


def check_totals(found: Audit, release: Published, column: str, rules: Sequence[Named]) -> None:
    """Which totals are told, whom they expose, and who comes closest to whom."""
    groups = groups_of_amounts(release, column, rules)
    told = [group for group in groups if group.told]
    (said,) = (totals for totals in under_rules(found).reveal_totals() if totals.column == column)
    assert (said.told, said.withheld) == (len(told), len(groups) - len(told))
    contributors = [
        who for group in told for who, amount in group.by_contributor.items() if amount is not None
    ]
    assert said.contributors == len(set(contributors))
    assert said.bits.ratio == len({amount for group in groups for amount in group.by_contributor.values()})
    assert said.alone == sum(len(group.amounts) == 1 for group in told)
    errors = [group.error for group in told if group.error is not None]
    assert (said.closest is None) == (not errors)
    if said.closest is not None:
        assert said.closest.first_row is not None
        assert said.closest.values is not None
        assert said.closest.error == min(errors)
        first = said.closest.first_row - 1
        (group,) = (group for group in told if group.numbers[0] == first)
        assert (group.error, len(group.amounts)) == (min(errors), said.closest.contributors)
        assert all(map(is_shown_as, release.looks[first], said.closest.values.values()))


# --- tables and rules -----------------------------------------------------------------------------

DAY = date(2019, 12, 25)
numbers = {
    "whole": st.integers(-12, 30),
    "float": st.integers(-60, 80).map(lambda n: n / 20),
    "decimal": st.integers(-60, 80).map(lambda n: Decimal(n) / 20),
}
counts = st.one_of(st.integers(0, 30), st.integers(80, 120), st.sampled_from([999, 1_000_500, 99_999_999]))
days = st.sampled_from([0, 1, 5, 6, 7, 8, 12, 37, 100, 400, 4000, -9]).map(lambda n: DAY + timedelta(n))
codes = st.sampled_from(["90210", "90211", "9", "", "1021", "*", "10 x", "*9"])
bases = st.sampled_from(["0.1", "0.3", "1", "2.5", "3", "5", "20"])
marks = st.sampled_from(["-3", "0", "0.75", "2.5", "5", "11"])
directions = st.sampled_from(["", ":half-away", ":half-even", ":down", ":up"])
sizes = st.builds("min-cell:{}{}".format, st.integers(1, 4), st.sampled_from(["", ":zeros"]))
KINDS = {
    "round": ("x", st.builds("round:{}{}".format, bases, directions)),
    "digits": ("x", st.sampled_from(["digits:1", "digits:2"])),
    "top": ("x", marks.map("top:{}".format)),
    "bottom": ("x", marks.map("bottom:{}".format)),
    "census-counts": ("n", st.just("census-counts")),
    "min-cell of counts": (
        "n",
        st.builds("min-cell:{}{}".format, st.integers(1, 99), st.sampled_from(["", ":zeros"])),
    ),
    "date": ("d", st.sampled_from(["year", "quarter", "month", "week", "decade"]).map("date:{}".format)),
    "prefix": ("c", st.integers(1, 5).map("prefix:{}".format)),
    "min-cell": (None, sizes),
}
"""Rules that change what is seen of rows, each with its column."""

percents = st.sampled_from(["10", "33.3", "50", "75", "99"])
TOTALS = {
    "nk": st.builds("nk:{}:{}".format, st.integers(1, 3), percents),
    "p-percent": st.sampled_from(["0.5", "10", "50", "100", "250"]).map("p-percent:{}".format),
    "customers": st.builds("customers:{}:{}".format, st.integers(1, 4), percents),
    "15/15": st.builds("{}/{}".format, st.integers(1, 3), st.sampled_from(["40", "60", "100"])),
}


def test_every_rule_is_compared_with_its_definition() -> None:
    """A rule that no oracle draws could give away anything: add it to these lists."""
    drawn = {name.partition(" ")[0] for name in (*KINDS, *TOTALS)}
    assert drawn >= set(catalogue.KINDS)


@st.composite
def tables(draw: st.DrawFn, *, missing: bool = True, most: int = 8) -> list[dict[str, Any]]:
    """Columns of numbers, counts, dates, codes, texts and amounts; a person may have several rows."""

    def perhaps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        few = draw(st.lists(values, min_size=1, max_size=5))
        return st.sampled_from([*few, None] if missing else few)

    amounts = st.sampled_from([0, 0, 1, 2, 3, 5, 10, 40])
    kinds: list[Callable[[int], Value]] = [int, float, lambda n: Decimal(n) / 4]
    kind = draw(st.sampled_from(kinds))
    row = {
        "x": perhaps(draw(st.sampled_from(list(numbers.values())))),
        "n": perhaps(counts),
        "d": perhaps(days),
        "c": perhaps(codes),
        "z": st.sampled_from(["u", "v", "*"]),
        "a": st.booleans(),
        "s": st.sampled_from(["p", "q", "r"]),
        "pay": perhaps(amounts.map(kind)),
        "id": st.integers(0, 4),
    }
    rows = draw(st.lists(st.fixed_dictionaries(row), min_size=1, max_size=most))
    assume(all(any(found[column] is not None for found in rows) for column in ("x", "n", "d", "c", "pay")))
    return rows


def some_rules(draw: Callable[[st.SearchStrategy[Any]], Any], kind: str) -> list[Named]:
    """A rule of a kind, another one of the same column after it, and a least size of groups."""
    column, rule = KINDS[kind]
    found = [(column, draw(rule))]
    if column == "x" and draw(st.booleans()):
        found.append((column, draw(KINDS[draw(st.sampled_from(["round", "top", "bottom"]))][1])))
    if draw(st.booleans()) and column is not None:
        found.append((None, draw(sizes)))
    return found


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(st.data())
def test_what_is_seen_of_rows(kind: str, data: st.DataObject) -> None:
    """Every rule about columns and groups: leakage, posterior sets, rows given away, witnesses, changes."""
    rows, rules = data.draw(tables()), some_rules(data.draw, kind)
    column = KINDS[kind][0] or data.draw(st.sampled_from(["x", "c"]))
    public = data.draw(st.sampled_from([(column,), (column, "z"), ("z", column)]))
    sensitive = data.draw(st.sampled_from([("s",), ("s",), ("pay", "s")]))
    side = data.draw(st.sampled_from([(), (), ("a",)]))
    unit = data.draw(st.sampled_from([None, "id"]))
    check(rows, rules, public, sensitive=sensitive, given=side, unit=unit)


def test_tables_of_three_rows() -> None:
    cells = [{"x": x, "s": s} for x, s in product([1, 2, 4], "pq")]
    rules: list[list[Named]] = [[("x", "round:3")], [("x", "top:2")], [(None, "min-cell:2")]]
    for number, rows in enumerate(islice(combinations_with_replacement(cells, 3), 0, None, 2)):
        found = check(rows, rules[number % 3], ("x",))
        check_finest(found, rows, "x", ("s",))


@SOME
@given(st.data())
def test_the_finest_cells_that_leave_as_many_values(data: st.DataObject) -> None:
    rows = data.draw(tables(missing=False, most=6))
    kind = data.draw(st.sampled_from(["round", "digits", "top", "bottom", "date"]))
    column, unit = KINDS[kind][0], data.draw(st.sampled_from([None, "id"]))
    assert column is not None
    rules = some_rules(data.draw, kind)
    found = check(rows, rules, (column,), unit=unit)
    check_finest(found, rows, column, ("s",), unit)


# --- totals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TOTALS)
@FEW
@given(st.data())
def test_what_totals_tell(kind: str, data: st.DataObject) -> None:
    """Every rule about totals, alone and after others: the rows are as without it, the totals as defined."""
    rows, unit = data.draw(tables(most=12)), data.draw(st.sampled_from([None, "id"]))
    rules: list[Named] = [("pay", data.draw(TOTALS[kind]))]
    others = [("pay", TOTALS["nk"]), ("x", KINDS["round"][1]), (None, sizes)]
    for column, rule in data.draw(st.lists(st.sampled_from(others), max_size=2)):
        rules.append((column, data.draw(rule)))
    coarsened = any(column == "x" for column, _ in rules)
    public = ("z", "x") if coarsened else data.draw(st.sampled_from([("z",), ("x",)]))
    found = check(rows, rules, public, sensitive=("pay",), unit=unit)
    check_totals(found, published(rows, public, rules, unit), "pay", rules)


# --- other ways in --------------------------------------------------------------------------------


@FEW
@given(st.data())
def test_several_releases_follow_the_rules_each_by_itself(data: st.DataObject) -> None:
    releases = [data.draw(tables(missing=False, most=5)) for _ in range(2)]
    assume({row["id"] for row in releases[0]} & {row["id"] for row in releases[1]})
    rules: list[Named] = [("x", data.draw(KINDS["round"][1])), (None, data.draw(sizes))]
    told = []
    for rows in releases:
        looks = published(rows, ("x", "z"), rules, "id").looks
        told.append([{**row, "x": x, "z": z} for row, (x, z) in zip(rows, looks, strict=True)])
    joined = joint_release_rows(told, "id", ["s"], ["x", "z"])
    columns = [column for column in joined[0] if column.endswith((".x", ".z"))]
    present = [tuple(any(r["id"] == row["id"] for r in t) for t in told) for row in joined]
    looks = tuple(
        (*(row[column] for column in columns), here) for row, here in zip(joined, present, strict=True)
    )
    found = nl.audit(
        [frame(rows) for rows in releases], sensitive="s", public=["x", "z"], unit="id", rule=texts(rules)
    )
    check_measures(found, Exposed(Published(tuple(joined), (), "id", looks, looks), ("s",)))


def test_text_files_and_the_records_of_their_rows(tmp_path: Path) -> None:
    """Codes are read as they are written, days from texts; each row's posterior set stands in the records."""
    rows = [
        {"c": c, "d": d, "s": s}
        for c, d, s in [
            ("250.10", "2019-12-29", "p"),
            ("250.1", "2019-12-30", "q"),
            ("250.19", "2019-12-29T23:59", "q"),
            ("0251.9", "2020-01-01 00:00:00", "p"),
            ("0251.8", "2020-01-05", "p"),
            ("0251.7", "2021-01-03", "r"),
        ]
    ]
    table, out = tmp_path / "codes.csv", tmp_path / "records.csv"
    table.write_text("c,d,s\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    rules: list[Named] = [("c", "prefix:3"), ("d", "date:week")]
    found = nl.audit(table, sensitive="s", public=["c", "d"], rule=texts(rules))
    release = published(rows, ("c", "d"), rules)
    exposed = Exposed(release, ("s",))
    check_measures(found, exposed)
    check_witnesses(found, exposed)
    found.write_records(out)
    records = pyarrow.csv.read_csv(out).to_pylist()
    for i, record in enumerate(records):
        left = len(exposed.posterior(i))
        assert (record["row"], record["group_size"], record["posterior_size"]) == (
            i + 1,
            len(exposed.alike(i)),
            left,
        )
        assert (str(record["homogeneous"]).lower() == "true") == (left == 1)
        assert record["leaked_bits"] == Bits(Fraction(3, left)).upper
    assert len(records) == len(rows)
