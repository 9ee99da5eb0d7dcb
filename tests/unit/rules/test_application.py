"""The audit under rules is the audit of a table to which the rules were applied by hand."""

import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.audits import TableAudit, auditor
from noiseless.audits.policy import Policy, PolicyLimits
from noiseless.errors import ColumnError, NoiselessError, RequestError
from noiseless.rules import Coarsening, Round
from noiseless.rules.exact_values import exact_values
from noiseless.rules.recoded_column import recode_values
from noiseless.tables.duckdb_table import COUNT, weighted_table
from noiseless.tables.spark_groups import SparkGroups

ROWS = 40


def people(seed: int, rows: int = ROWS, *, missing: bool = False) -> pd.DataFrame:
    """A table in which every kind of column occurs, and persons have several rows."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "person": random.integers(0, max(rows * 2 // 3, 1), rows),
            "age": pd.array(random.integers(-7, 95, rows), "Int64"),
            "weight": random.integers(0, 60, rows) / 4,
            "zip": [f"{number:04d}" for number in random.integers(3100, 3140, rows)],
            "born": [dt.date(2023, 11, 20) + dt.timedelta(int(d)) for d in random.integers(0, 60, rows)],
            "sex": random.choice(["f", "m"], rows),
            "ill": random.choice(["flu", "cold", "gout", "ague"], rows),
            "pay": random.integers(0, 12, rows),
        }
    )
    if missing:
        frame.loc[random.random(rows) < 0.1, "age"] = pd.NA
        frame.loc[random.random(rows) < 0.1, "zip"] = None
    return frame


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


# The rules by hand, with nothing of the library's


def to_five(age: Any) -> Any:  # noqa: ANN401 - a number, or missing
    return age if age is pd.NA else (1 if age >= 0 else -1) * ((2 * abs(age) + 5) // 10 * 5)


def top(age: Any) -> str | None:  # noqa: ANN401
    return None if age is pd.NA else ">=60" if age >= 60 else str(age)


def halves_down(weight: float) -> float:
    return int(weight * 2) / 2


def month(day: dt.date) -> str:
    return f"{day.year}-{day.month:02d}"


def shortened(code: Any) -> str | None:  # noqa: ANN401
    return None if pd.isna(code) else code[:3] + "*"


HAND: dict[str, tuple[str, Any]] = {
    "age=round:5": ("age", lambda c: pd.array([to_five(v) for v in c], "Int64")),
    "age=top:60": ("age", lambda c: [top(v) for v in c]),
    "weight=round:0.5:down": ("weight", lambda c: [halves_down(v) for v in c]),
    "zip=prefix:3": ("zip", lambda c: [shortened(v) for v in c]),
    "born=date:month": ("born", lambda c: [month(v) for v in c]),
}


def by_hand(frame: pd.DataFrame, rules: list[str], public: list[str], unit: str | None) -> pd.DataFrame:
    """The table as a practitioner would publish it."""
    told = frame.copy()
    for rule in rules:
        if rule in HAND:
            column, change = HAND[rule]
            told[column] = change(told[column])
    for rule in rules:
        if rule.startswith("min-cell:"):
            groups = told.groupby(public, dropna=False, sort=False)
            sizes = groups[unit].transform("nunique") if unit else groups["ill"].transform("size")
            small = (sizes < int(rule.split(":")[1])).to_numpy()
            if small.any():
                for column in public:
                    texts = [None if pd.isna(value) else str(value) for value in told[column]]
                    told[column] = ["*" if hide else text for hide, text in zip(small, texts, strict=True)]
    return told


def keys(found: nl.Audit) -> dict[str, Any]:
    """All that an audit says, but for its source and the rules."""
    return {k: v for k, v in found.to_dict(reveal=True).items() if k not in {"source", "rules"}}


PUBLIC = ("age", "weight", "zip", "born", "sex")


@given(
    seed=st.integers(0, 10**6),
    rules=st.lists(st.sampled_from([*HAND, "min-cell:2", "min-cell:4"]), min_size=1, max_size=4, unique=True),
    more=st.lists(st.sampled_from(PUBLIC), max_size=1),
    known=st.sampled_from([None, "sex"]),
    unit=st.sampled_from([None, "person"]),
    missing=st.booleans(),
    dropped=st.booleans(),
)
def test_all_keys_are_those_of_the_table_with_the_rules_applied_by_hand(
    *,
    seed: int,
    rules: list[str],
    more: list[str],
    known: str | None,
    unit: str | None,
    missing: bool,
    dropped: bool,
) -> None:
    if {"age=round:5", "age=top:60"} <= set(rules):
        rules = [rule for rule in rules if rule != "age=top:60"]
    named = [HAND[rule][0] for rule in rules if rule in HAND]
    public = [c for c in dict.fromkeys([*named, *more, "sex"]) if c != known][:3]
    rules = [rule for rule in rules if rule not in HAND or HAND[rule][0] in public]
    if not (public and rules):
        return
    frame = people(seed, missing=missing)
    options: dict[str, Any] = {"sensitive": ["ill", "pay"], "public": public, "given": known, "unit": unit}
    if dropped:
        options["missing"] = "drop"
        frame = frame.dropna()
    theirs = nl.audit(arrow(by_hand(frame, rules, public, unit)), **options)
    ours = nl.audit(arrow(frame), rule=rules, **options)
    assert keys(ours) == keys(theirs)
    assert ours.rules is not None
    before = nl.audit(arrow(frame), **options)
    told = before.to_dict()
    assert ours.rules.before.to_dict() == {name: told[name] for name in ours.rules.before.to_dict()}
    assert ours.min_posterior >= before.min_posterior
    assert ours.k_anonymity >= before.k_anonymity
    assert ours.leakage <= before.leakage
    assert ours.maximin <= before.maximin


def test_records_are_those_of_the_table_with_the_rules_applied_by_hand(tmp_path: Path) -> None:
    frame = people(3, missing=True)
    rules, public = ["age=round:5", "zip=prefix:3", "min-cell:2"], ["age", "zip"]
    for number, (unit, missing) in enumerate([(None, "value"), ("person", "drop")]):
        kept = frame.dropna() if missing == "drop" else frame  # by hand: rows left out count for nobody
        paths = [tmp_path / f"{name}{number}.csv" for name in ("ours", "theirs")]
        options: dict[str, Any] = {"sensitive": "ill", "public": public, "unit": unit, "missing": missing}
        nl.audit(arrow(frame), rule=rules, **options).write_records(paths[0])
        nl.audit(arrow(by_hand(kept, rules, public, unit)), **options).write_records(paths[1])
        ours, theirs = (pd.read_csv(path) for path in paths)
        marked = ours.dropna(subset=["group_size"]).drop(columns="row").reset_index(drop=True)
        assert len(ours) == len(frame)
        pd.testing.assert_frame_equal(marked, theirs.drop(columns="row"), check_dtype=False)


def test_a_text_file_is_read_as_the_told_file_would_be(tmp_path: Path) -> None:
    frame = people(8)
    told = by_hand(frame, ["age=round:5", "weight=round:0.5:down"], ["age", "weight"], None)
    for data, name in ((frame, "table"), (told, "told")):
        data.to_csv(tmp_path / f"{name}.csv", index=False)
    options: dict[str, Any] = {"sensitive": "ill", "public": ["age", "weight"]}
    rules = {"age": "round:5", "weight": "round:0.5:down"}
    ours = nl.audit(tmp_path / "table.csv", rule=rules, **options)
    assert keys(ours) == keys(nl.audit(tmp_path / "told.csv", **options))


def test_each_of_several_releases_follows_the_rules_by_itself() -> None:
    first, second = people(1, 25), people(2, 25)
    second["ill"] = "unknown"
    rules, public = ["age=round:5", "min-cell:2"], ["age", "sex"]
    options: dict[str, Any] = {"sensitive": "ill", "public": public, "unit": "person"}
    ours = nl.audit([arrow(first), arrow(second)], rule=rules, **options)
    told = [arrow(by_hand(frame, rules, public, "person")) for frame in (first, second)]
    assert "in release 1" in ours.public
    assert keys(ours) == keys(nl.audit(told, **options))


def test_a_server_that_groups_gives_the_same() -> None:
    frame = arrow(people(4))
    options: dict[str, Any] = {
        "sensitive": ["ill", "pay"],
        "public": ["age", "zip"],
        "unit": "person",
        "rule": ["age=round:20", "zip=prefix:2", "min-cell:3", "pay=customers:3:60"],
    }
    grouped = weighted_table(frame.append_column(COUNT, pa.array([1] * len(frame))), frame.__class__.__name__)
    ours, theirs = (nl.audit(table, **options).to_dict(reveal=True) for table in (grouped, frame))
    for found in (ours, theirs):
        found["source"] = None
        for place in (*found["witnesses"], *(t["closest"] for t in found["rules"]["totals"])):
            place["first_row"] = None
    assert ours == theirs


def test_too_many_combinations_on_spark_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = SparkGroups(None, (), "spark::people", 3)  # it is not looked into
    monkeypatch.setattr(auditor, "_read", lambda *_: SimpleNamespace(audited=groups, seen=("age",)))
    with pytest.raises(RequestError, match="spark::people: rules are applied on this machine, to at most 3 "):
        nl.audit(arrow(people(1)), sensitive="ill", public="age", rule="round:5")


def test_a_policy_judges_what_is_seen_under_the_rules() -> None:
    table = pa.table({"age": [1, 2, 8, 9], "ill": ["a", "b", "a", "b"]})
    policy = Policy(limits=PolicyLimits(min_posterior=2))
    assert not policy.check(nl.audit(table, sensitive="ill", public="age")).holds
    assert not policy.check(nl.audit(table, sensitive="ill", public="age", rule="round:1")).holds
    assert policy.check(nl.audit(table, sensitive="ill", public="age", rule="round:10:down")).holds


# What values become


def seen(table: pa.Table, column: str, *rules: str) -> list[Any]:
    found = nl.audit(table, sensitive="s", public=column, rule=[f"{column}={rule}" for rule in rules])
    assert isinstance(found, TableAudit)
    told = found.tally.project((column,))
    return list(told.decode(column).to_pylist())


KINDS = pa.table(
    {
        "whole": [1, 12, 13, 92],
        "double": [0.15, 0.25, 0.349, 7.0],
        "float": pa.array([0.15, 0.25, 0.349, 7.0], pa.float32()),
        "decimal": pa.array(["1.5", "2.5", "7.4", "7.5"]).cast(pa.decimal128(4, 1)),
        "day": [dt.date(2023, 12, 31), dt.date(2024, 1, 1), dt.date(2024, 3, 31), dt.date(2024, 4, 1)],
        "moment": pa.array(
            ["2024-01-31 23:59:00", "2024-02-01 00:00:00", "2024-03-01 12:00:00", "2024-04-01 00:00:00"]
        ).cast(pa.timestamp("us")),
        "code": ["0812", "0899", "31", "3104"],
        "digits": [812, 899, 31, 3104],
        "truth": [True, False, True, False],
        "s": [1, 2, 3, 4],
    }
)


@pytest.mark.parametrize(
    ("column", "rules", "told"),
    [
        ("whole", ["round:5"], [0, 10, 15, 90]),
        ("whole", ["round:2.5"], [0.0, 12.5, 92.5]),
        ("whole", ["top:13"], ["1", "12", ">=13"]),
        ("whole", ["round:5", "top:15", "bottom:0"], ["10", "<=0", ">=15"]),
        ("whole", ["min-cell:12"], ["12", "13", "92", "<12"]),
        ("whole", ["census-counts"], ["90", "<15"]),
        ("double", ["round:0.1"], [0.2, 0.3, 7.0]),
        ("double", ["top:0.3"], ["0.15", "0.25", ">=0.3"]),
        ("float", ["round:0.1"], [0.2, 0.3, 7.0]),
        ("decimal", ["round:5"], [Decimal(0), Decimal(5), Decimal(10)]),
        ("day", ["date:quarter"], ["2023-Q4", "2024-Q1", "2024-Q2"]),
        ("moment", ["date:month"], ["2024-01", "2024-02", "2024-03", "2024-04"]),
        ("code", ["prefix:2"], ["08**", "31", "31**"]),
        ("digits", ["prefix:2"], ["31", "31**", "81*", "89*"]),
    ],
)
def test_a_column_is_told_exactly_and_in_its_own_kind(column: str, rules: list[str], told: list[Any]) -> None:
    assert seen(KINDS, column, *rules) == told


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("code=round:5", "column 'code' is text: its numbers are not all written alike"),
        ("whole=prefix:2:3", "prefix"),
        ("double=census-counts", "column 'double' has values that census-counts is not about, 3 different"),
        ("truth=round:5", "column 'truth' holds neither numbers nor dates nor texts"),
        ("day=round:5", "column 'day' holds dates, which round:5 is not about; publish them with date:year"),
        (
            "whole=date:month",
            "column 'whole' holds numbers, which date:month is not about; publish them with",
        ),
        ("double=prefix:1", "column 'double' holds numbers with a point, which prefix:1 is not about; give"),
        ("code=date:year", "column 'code' is text: 4 of its 4 different values are not dates"),
    ],
)
def test_a_rule_about_other_values_is_refused_without_a_value(rule: str, problem: str) -> None:
    column = rule.split("=", maxsplit=1)[0]
    with pytest.raises(NoiselessError) as refused:
        nl.audit(KINDS, sensitive="s", public=column, rule=rule)
    message = str(refused.value)
    assert problem in message
    assert "\n" not in message
    assert not any(str(value) in message for value in ("0.15", "0812", "2023", "92"))


def test_infinity_and_nan() -> None:
    table = pa.table({"x": [1.0, float("nan"), float("inf")], "s": [1, 2, 3]})
    with pytest.raises(ColumnError, match="has numbers that are not finite, 1 different"):
        nl.audit(table, sensitive="s", public="x", rule="round:5")
    assert seen(table.slice(0, 2), "x", "round:5") == [None, 0.0]


def test_what_changes_is_counted() -> None:
    table = pa.table({"age": [17, 20, 20, 66, 90, None], "ill": ["a", "b", "c", "a", "b", "a"]})
    found = nl.audit(table, sensitive="ill", public="age", rule=["age=round:5", "age=top:60"])
    assert found.rules is not None
    (change,) = found.rules.changes
    assert change.to_dict() == {
        "column": "age",
        "kind": "number",
        "values_before": 4,
        "values_after": 3,
        "changed_rows": 3,
        "largest_change": 12.0,  # 66 and 90 are told alike: the middle is 12 from each
    }
    assert found.rules.largest_change == 12


# The finest cells


@given(
    pairs=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=12),
    base=st.integers(1, 9),
)
def test_the_finest_cells_are_the_best_of_all_contiguous_ones(
    pairs: list[tuple[int, int]], base: int
) -> None:
    """No contiguous cells that leave as many values have a smaller largest change; the rule's have none."""
    table = pa.table({"x": [x for x, _ in pairs], "s": [s for _, s in pairs]})
    found = nl.audit(table, sensitive="s", public="x", rule=f"round:{base}")
    assert found.rules is not None
    assert found.rules.finest is not None
    values = sorted({x for x, _ in pairs})
    best = min(
        max(Fraction(cell[-1] - cell[0], 2) for cell in cells)
        for cells in all_cells(values)
        if min(len({s for x, s in pairs if x in cell}) for cell in cells) >= found.min_posterior
    )
    assert found.rules.finest.largest_change == best
    assert found.rules.finest.min_posterior >= found.min_posterior
    assert found.rules.largest_change is not None
    assert best <= found.rules.largest_change


def all_cells(values: list[int]) -> list[list[list[int]]]:
    """Every way to cut a line into contiguous cells."""
    found = []
    for count in range(len(values)):
        for cuts in combinations(range(1, len(values)), count):
            ends = [0, *cuts, len(values)]
            found.append([values[a:b] for a, b in pairwise(ends)])
    return found


@pytest.mark.parametrize("shift", [0, Fraction(1, 8), 2**62, -(2**63) + 1])
def test_the_finest_cells_do_not_depend_on_where_the_line_lies(shift: Any) -> None:  # noqa: ANN401
    values = [
        Decimal(str(float(shift))) + x if shift == Fraction(1, 8) else int(shift) + x for x in (0, 1, 8, 9)
    ]
    kind = pa.decimal128(30, 3) if shift == Fraction(1, 8) else pa.int64()
    table = pa.table({"x": pa.array(values, kind), "s": [1, 1, 2, 2]})
    found = nl.audit(table, sensitive="s", public="x", rule=f"round:{10**20}")
    assert found.rules is not None
    assert found.rules.finest is not None
    assert found.rules.finest.largest_change == Fraction(9, 2)


@given(
    values=st.lists(st.integers(-400, 400), min_size=1, max_size=40, unique=True),
    tenths=st.booleans(),
    text=st.sampled_from(
        ["round:7", "round:2.5:up", "digits:1", "digits:2", "top:30", "bottom:-3", "round:40:half-even"]
    ),
)
def test_runs_of_values_are_told_as_each_value_is(values: list[int], tenths: bool, text: str) -> None:
    """A rule about numbers keeps their order: looking at the ends of runs is enough."""
    rule = nl.rule(text)
    assert isinstance(rule, Coarsening)
    exact: list[Any] = [Decimal(x) / 10 for x in sorted(values)] if tenths else sorted(values)
    assert recode_values("x", rule, exact, labels=False) == [rule.told(x) for x in exact]


def test_dates_are_compared_in_days() -> None:
    found = nl.audit(KINDS, sensitive="s", public="day", rule="date:quarter")
    assert found.rules is not None
    assert found.rules.largest_change == 45  # 1 January and 31 March 2024 are told alike
    assert found.rules.finest is not None
    assert found.rules.finest.largest_change == 0
    assert found.rules.verdict.endswith("day changes by up to 45 days.")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"public": ["age", "sex"], "rule": "age=round:5"}, "there are several public columns"),
        ({"public": "age", "given": "sex", "rule": "age=round:5"}, "the adversary knows more"),
        ({"public": "zip", "rule": "prefix:2"}, "zip is not a column of numbers or dates"),
        ({"public": "age", "rule": "round:5", "missing": "value"}, "age has missing values"),
        ({"public": "age", "sensitive": "pay", "rule": "15/15"}, "no rule changes what is seen"),
    ],
)
def test_where_there_are_no_finest_cells_the_reason_is_told(options: dict[str, Any], reason: str) -> None:
    frame = arrow(people(2, missing=True))
    found = nl.audit(frame, **({"sensitive": "ill", "missing": "drop"} | options)).to_dict()["rules"]
    assert found["finest"] is None
    assert reason in found["finest_reason"]


# Totals


PAY = pa.table(
    {
        "firm": ["a", "a", "a", "b", "b", "c", "d", "d", "d"],
        "pay": [100, 50, 10, 5, 5, 7, 40, 30, 20],
    }
)


def test_the_closest_estimate_is_found_by_its_row_and_shown_on_request() -> None:
    found = nl.audit(PAY, sensitive="pay", public="firm", rule="p-percent:10")
    assert found.rules is not None
    (totals,) = found.rules.totals
    assert (totals.groups, totals.told, totals.withheld, totals.contributors) == (4, 2, 2, 6)
    assert totals.closest is not None
    assert (totals.closest.first_row, totals.closest.error, totals.closest.values) == (
        1,
        Fraction(1, 10),
        None,
    )
    assert found.rules.reveal_totals()[0].closest.values == {"firm": "a"}  # type: ignore[union-attr]
    assert '"a"' not in json.dumps(found.to_dict()["rules"])
    assert "One contributor knows what another contributes to within 10 %." in found.rules.verdict
    assert keys(found) == keys(nl.audit(PAY, sensitive="pay", public="firm"))


def test_amounts_may_be_fractions_and_missing_ones_contribute_nothing() -> None:
    table = pa.table({"firm": ["a"] * 4 + ["b"], "pay": [0.5, 0.25, 0.1, None, None]})
    totals = nl.audit(table, sensitive="pay", public="firm", rule="p-percent:20").rules.totals[0]  # type: ignore[union-attr]
    assert (totals.told, totals.withheld, totals.contributors) == (1, 1, 3)
    assert totals.closest is not None
    assert totals.closest.error == Fraction(1, 5)


@pytest.mark.parametrize(
    ("amounts", "problem"),
    [([1, -2], "has negative values, 1 different"), (["x", "y"], "does not hold numbers")],
)
def test_what_is_no_amount_is_refused(amounts: list[Any], problem: str) -> None:
    table = pa.table({"firm": ["a", "b"], "pay": amounts})
    with pytest.raises(ColumnError, match=problem):
        nl.audit(table, sensitive="pay", public="firm", rule="15/15").to_dict()


# Which rule goes where


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("ill=prefix:2", "column 'ill' is sensitive: nobody sees it"),
        ("sex=prefix:1", "column 'sex' is known from elsewhere"),
        ("born=date:month", "column 'born' is not public"),
        ("round:5", 'round:5 names no column; write rule="COLUMN=round:5"'),
        ("=round:5", "names no column before the ="),
        ("age=15/15", "column 'age' is not sensitive"),
        ("15/15", "15/15 does not say what is added up"),
        ("age=rond:5", "round"),
        ([], "no rule is given"),
    ],
)
def test_rules_that_cannot_be_placed_are_refused(rule: Any, problem: str) -> None:  # noqa: ANN401
    with pytest.raises(NoiselessError, match=problem.replace("(", r"\(")):
        nl.audit(arrow(people(1)), sensitive=["ill", "pay"], public=["age", "zip"], given="sex", rule=rule)


def test_totals_of_several_releases_are_refused() -> None:
    tables = [arrow(people(1)), arrow(people(2))]
    with pytest.raises(RequestError, match="pay=15/15 is about the totals of one release"):
        nl.audit(tables, sensitive="pay", public="age", unit="person", rule="15/15")


def test_rules_are_given_as_texts_as_objects_or_by_column() -> None:
    ways: list[Any] = ["round:20", "age=round:20", Round(Fraction(20)), ["age=round:20"]]
    ways += [[Round(Fraction(20))], {"age": "round:20"}, {"age": [Round(Fraction(20))]}]
    found = [nl.audit(arrow(people(1)), sensitive="ill", public="age", rule=way).to_dict() for way in ways]
    assert all(each == found[0] for each in found)
    assert found[0]["rules"]["applied"][0]["rule"] == "round:20"


def test_without_rules_nothing_is_said_of_them() -> None:
    found = nl.audit(arrow(people(1)), sensitive="ill", public="age")
    assert found.rules is None
    assert found.to_dict()["rules"] is None


def test_numbers_far_apart_are_told_apart() -> None:
    far = [0, 2**62, 2**62 - 5, 7, 3 * 10**18, 1]
    base = {"zip": ["a", "a", "b", "b", "c", "c"], "s": [1, 2, 3, 1, 2, 2]}
    for rule in ("min-cell:2", "zip=prefix:0"):
        ours, theirs = (
            nl.audit(pa.table(base | {"id": ids}), sensitive="s", public="zip", unit="id", rule=rule)
            for ids in (far, list(range(6)))
        )
        assert ours.to_dict(reveal=True) == theirs.to_dict(reveal=True)
    both = nl.audit(pa.table(base | {"id": far}), sensitive="s", public=["id", "zip"], rule="min-cell:2")
    assert both.suppressed_rows == 6


# What a hostile reader found


def rules_of(table: dict[str, Any] | pa.Table, rule: Any, **options: Any) -> Any:  # noqa: ANN401
    data = pa.table(table) if isinstance(table, dict) else table
    found = nl.audit(data, **({"sensitive": "s", "public": "z", "rule": rule} | options))
    return found.to_dict()["rules"]


LETTERS = ["p", "q", "p", "q"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([1.0, 2.0, float("inf"), 4.0], "z has numbers that are not finite"),
        ([dt.time(hour) for hour in range(4)], "z is not a column of numbers or dates"),
        ([dt.timedelta(day) for day in range(4)], "z is not a column of numbers or dates"),
    ],
)
def test_a_least_size_needs_no_order(values: list[Any], reason: str) -> None:
    found = rules_of({"z": values, "s": LETTERS}, "min-cell:2")
    assert found["finest"] is None
    assert reason in found["finest_reason"]


def test_times_of_day_count() -> None:
    texts = ["2020-01-01 05:00:00", "2020-01-02 23:59:59", "2020-01-31 00:00:00", "2020-02-01 00:00:00"]
    table = {"z": pa.array(texts).cast(pa.timestamp("us")), "s": LETTERS}
    found = rules_of(table, "min-cell:2")
    assert found["finest"]["largest_change"] == pytest.approx((24 + 18 + 59 / 60 + 59 / 3600) / 48, abs=1e-12)
    day = pa.array([f"1969-12-31 {hour}:00:00" for hour in ("00", "06", "12", "18")])
    table = {"z": day.cast(pa.timestamp("ns")), "s": LETTERS}
    assert rules_of(table, "date:year")["largest_change"] == 0.375


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_moments_with_a_time_zone_are_told_by_their_day_in_utc(zone: str) -> None:
    """The engine gives them in the time zone of the machine, on which nothing may depend."""
    moments = [dt.datetime(2020, 1, 1, hour, tzinfo=dt.UTC) for hour in (2, 23)]
    assert exact_values("z", pa.array(moments, pa.timestamp("us", zone))) == [dt.date(2020, 1, 1)] * 2


@pytest.mark.parametrize("form", ["{}", "{} 10:30:00", "{}T10:30:00.5", "{}T10:30Z", "{} 10:30+01:00"])
def test_dates_with_empty_fields_and_times_are_read_from_text_files(tmp_path: Path, form: str) -> None:
    path = tmp_path / "t.csv"
    days = [form.format(day) for day in ("2020-01-01", "2020-01-05", "2020-02-01")]
    path.write_text("z,s\n" + "".join(f"{z},{s}\n" for z, s in zip([*days, ""], LETTERS, strict=True)))
    found = nl.audit(path, sensitive="s", public="z", rule="date:month")
    assert isinstance(found, TableAudit)
    assert found.tally.project(("z",)).decode("z").to_pylist() == [None, "2020-01", "2020-02"]
    assert found.rules is not None
    assert found.rules.changes[0].kind == "date"
    assert found.rules.largest_change == 2
    kept = nl.audit(path, sensitive="s", public="z", rule="date:year", missing="drop").rules
    assert kept is not None
    assert kept.finest is not None
    assert kept.finest.days


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (["2020-01-01", "3/1/2020"], "is text: 1 of its 2 different values are not dates as date:year"),
        (["2020-01-01 10:00Z", "2020-01-01 10:00+01:00"], "has dates in several time zones"),
    ],
)
def test_texts_that_are_no_dates_are_refused(values: list[str], problem: str) -> None:
    with pytest.raises(ColumnError, match=problem):
        rules_of({"z": values, "s": [1, 2]}, "date:year")


def test_a_text_has_no_largest_change() -> None:
    table = {"z": ["01", "02", "03", "04"], "a": [1, 2, 3, 4], "s": LETTERS}
    found = rules_of(table, ["z=prefix:9", "a=round:5"], public=["z", "a"])
    assert [change["largest_change"] for change in found["changes"]] == [None, 2.0]
    assert found["largest_change"] == 2.0
    assert "z changes" not in found["verdict"]


def test_digits_told_as_text_are_not_compared_with_cells_of_numbers() -> None:
    found = rules_of({"z": [1234, 1299, 90210, 90219], "s": LETTERS}, "prefix:2")
    assert found["finest"] is None
    assert "z is published as text" in found["finest_reason"]
    assert "withhold nothing" not in found["verdict"]


def test_codes_with_a_point_are_kept_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("z,s\n250.01,p\n250.10,q\n401.9,p\n250,q\n")
    found = nl.audit(path, sensitive="s", public="z", rule="prefix:3")
    assert isinstance(found, TableAudit)
    told = found.tally.project(("z",)).decode("z").to_pylist()
    assert told == ["250", "250***", "401**"]  # as doubles 250 and 250.0 would be one
    assert [witness.first_row for witness in found.witnesses] == [4, 3, 1]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("a=round:5", "column 'a' is not public; did you mean 'A'?"),
        ("agee=round:5", "column 'agee' is not public; did you mean 'age'?"),
        ("x=round:5", "column 'x' is not public; a rule changes what is seen (public=\"x\")"),
        ("Pay=nk:1:50", "to protect: did you mean 'pay'?"),
        ("age=nk:1:50", 'to protect: name it so (sensitive="age")'),
        ("age", "'age' names a column and no rule; write age=round:5"),
        ("age:top:90", "'age:top:90' names a column and no rule; write age=top:90"),
        ("age=", "'age=' names no rule after the =; write age=round:5"),
        (" ", "a rule is empty"),
        ("age=top:>=90", "the rule top:T takes a finite decimal number, not '>=90'"),
        (5, "a rule is a text such as"),
        ({"age": 5}, "a rule is a text such as"),
        ([None], "a rule is a text such as"),
    ],
)
def test_slips_are_told_as_what_they_are(rule: Any, problem: str) -> None:  # noqa: ANN401
    table = pa.table({"A": [1, 2], "age": [3, 4], "pay": [5, 6]})
    with pytest.raises(NoiselessError) as refused:
        nl.audit(table, sensitive="pay", public=["A", "age"], rule=rule)
    assert problem in str(refused.value)


def test_a_column_may_have_an_equals_sign_in_its_name() -> None:
    table = pa.table({"a=b": [1, 9], "15/15": [3, 4], "s": [1, 2]})
    found = nl.audit(table, sensitive="s", public=["a=b", "15/15"], rule=["a=b=round:5", "15/15=top:4"])
    assert found.rules is not None
    assert [item.column for item in found.rules.applied] == ["a=b", "15/15"]


def test_a_total_of_one_contributor_is_said_as_such() -> None:
    (totals,) = rules_of({"z": ["a", "b", "c", "c", "c"], "s": [5, 6, 4, 7, 8]}, "customers:1:100")["totals"]
    assert (totals["told"], totals["alone"], totals["closest"]["error_exact"]) == (3, 2, "1/2")
    found = rules_of({"z": ["a", "b"], "s": [0, 7]}, "customers:1:100")
    assert found["totals"][0]["closest"] is None
    assert "2 published totals have a single contributor: the total is their amount." in found["verdict"]
    assert "another" not in found["verdict"]


@pytest.mark.parametrize(
    ("amounts", "groups", "rules", "different"),
    [
        ([1, 2] * 3, ["a"] * 6, [], 1),  # everybody has 3 in all
        ([0, 0, 0, 1, 1, 1], ["a"] * 6, [], 3),
        ([1, None, 1, None, None, None], ["a"] * 6, [], 2),  # a person without any amount is told apart
        ([3, 4, 1, 1, 1, 1], ["b", "c", "a", "a", "a", "a"], ["min-cell:2"], 3),  # 3, 4 and 2, never 7
    ],
)
def test_the_bits_of_a_total_are_those_of_what_a_person_contributes(
    amounts: list[int | None], groups: list[str], rules: list[str], different: int
) -> None:
    table = {"u": [1, 1, 2, 2, 3, 3], "z": groups, "s": amounts}
    found = nl.audit(pa.table(table), sensitive="s", public="z", unit="u", rule=["nk:1:60", *rules]).rules
    assert found is not None
    assert found.totals[0].bits.ratio == different


def test_finest_cells_tell_where_they_protect_less() -> None:
    pairs = [(3, "r"), (5, "t"), (7, "q"), (10, "u"), (11, "r"), (13, "r"), (13, "v")]
    found = rules_of({"z": [x for x, _ in pairs], "s": [s for _, s in pairs]}, "round:5")
    assert (found["after"]["maximin"], found["finest"]["maximin"]) == (0.0, 1.0)
    assert "But they reveal 1.00 bits in every group (under the rules 0.00)" in found["verdict"]
    pairs = [(5, "r"), (7, "p"), (7, "q"), (7, "q"), (13, "p"), (13, "q"), (16, "p"), (16, "q"), (17, "p")]
    table = {"z": [x for x, _ in pairs], "s": [s for _, s in pairs], "u": [1, 1, 2, 3, 4, 5, 6, 7, 8]}
    found = rules_of(table, "round:10")
    assert (found["after"]["k_anonymity"], found["finest"]["k_anonymity"]) == (3, 2)
    assert "But they have a group of 2 rows (under the rules 3 or more)." in found["verdict"]
    by_person = rules_of(table, "round:10", unit="u")
    assert (by_person["after"]["k_anonymity"], by_person["finest"]["k_anonymity"]) == (3, 2)


def test_the_statement_of_a_least_size_is_about_rows() -> None:
    found = rules_of({"z": ["a", "b"], "s": [1, 2]}, "min-cell:2")
    stars = "Rows in groups of fewer than 2 are withheld: their public columns are published as *."
    assert found["applied"][0]["statement"] == stars
    counts = rules_of({"z": [1, 2], "s": [1, 2]}, "z=min-cell:2")
    assert "<2" in counts["applied"][0]["statement"]


def test_rows_stand_behind_totals_where_rules_are_about_totals() -> None:
    table = pa.table({"z": ["n"] * 4 + ["s"] * 2, "kwh": [200] * 4 + [900, 120]})
    found = nl.audit(table, sensitive="kwh", public="z", rule="nk:1:1")
    assert repr(found).startswith("nk:1:1: 0 of 2 totals of kwh are published, so none gives an amount away.")
    assert "The rows themselves, if they were published: NOT PRIVATE" in repr(found)
    assert "seen under" not in found.summary
    assert found.summary["totals published under"] == "kwh=nk:1:1"


def test_one_is_singular() -> None:
    found = rules_of({"z": ["a", "b", "b"], "s": [1, 2, 3]}, "min-cell:2")
    assert "1 of 3 rows is withheld, in 1 group; that it is can be seen." in found["verdict"]
    found = rules_of({"z": ["a", "a", "a", "b"], "s": [5, 5, 5, 1]}, "15/90")
    assert "0 of 2 totals of s are published" in found["verdict"]
    found = rules_of({"z": ["a", "a", "a", "b"], "s": [5, 5, 5, 1]}, "3/90")
    assert "1 of 2 totals of s is published" in found["verdict"]


def test_what_rules_change_shows_itself_as_a_table() -> None:
    table = pa.table({"age": [1, 2, 8, 9], "ill": ["a", "b", "a", "b"]})
    rules = nl.audit(table, sensitive="ill", public="age", rule="round:10:down").rules
    assert rules is not None
    first, *rest = repr(rules).splitlines()
    assert first == rules.verdict
    assert "  fewest values left   1        2" in rest
    assert "<td style='text-align:right" in rules._repr_html_()
