"""Plans under rules against every dataset of small domains, one by one."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.questions import statistics as variances
from noiseless.rules import (
    NK,
    Bottom,
    CensusCounts,
    Coarsening,
    Customers,
    Digits,
    Dominance,
    MinCell,
    PPercent,
    Round,
    Rule,
    Top,
)
from noiseless.rules import reach as rule_totals
from noiseless.rules.plan import rule_plan
from noiseless.rules.prices import price_rules
from noiseless.rules.rule_plan import RulePlan

Numbers = Sequence[Fraction]


def middle(values: Numbers) -> Fraction:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def variance(values: Numbers) -> Fraction:
    mean = sum(values) / Fraction(len(values))
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / len(values)


ANSWERS: dict[str, Callable[[Numbers], Fraction]] = {
    "count": lambda values: Fraction(sum(values)),
    "sum": lambda values: Fraction(sum(values)),
    "mean": lambda values: sum(values) / Fraction(len(values)),
    "min": min,
    "max": max,
    "median": middle,
    "variance": variance,
    "value": lambda values: values[-1],
}


def told(rule: Rule, query: str, values: Numbers) -> object:
    """What is told of a dataset, by the words of the rule."""
    answer = ANSWERS[query](values)
    if isinstance(rule, Dominance):
        return answer if rule.passes(values) else "withheld"
    if isinstance(rule, MinCell) and query != "count":
        return answer if rule.passes(len(values)) else "withheld"
    assert isinstance(rule, Coarsening)
    return rule.told(answer)


def enumerated(rule: Rule, query: str, people: int, domain: Numbers) -> tuple[int, set[object]]:
    """The most answers that one person causes, and all answers there are."""
    most, seen = 0, set[object]()
    for others in combinations_with_replacement(domain, people - 1):
        answers = {told(rule, query, [*others, own]) for own in domain}
        most, seen = max(most, len(answers)), seen | answers
    return most, seen


def check(rule: Rule, query: str, people: int, domain: Numbers) -> RulePlan:
    step = domain[1] - domain[0] if len(domain) > 1 else 1
    found = rule_plan(query, rule, n=people, bounds=(domain[0], domain[-1]), step=step)
    most, seen = enumerated(rule, query, people, domain)
    assert found.reach == most
    assert found.reach_exact
    assert found.witness_reach == most
    hidden = {"withheld"} if not isinstance(rule, MinCell) else {"withheld", f"<{rule.least}"}
    assert found.withheld == bool(seen & hidden)
    if found.cells is not None:
        assert found.cells == len(seen)
    others = [Fraction(value) for value, many in found.witness.others for _ in range(many)]
    assert len(others) == (people - 1 if query != "value" else 0)
    answers = [told(rule, query, [*others, Fraction(value)]) for value in found.witness.values]
    stated = [
        a if isinstance(t, str) else Fraction(a) for a, t in zip(found.witness.answers, answers, strict=True)
    ]
    assert stated == answers
    assert len(set(answers)) == min(most, 3)
    assert set(map(Fraction, found.witness.values)) <= set(domain)
    if found.finest is not None:
        assert found.finest.reach <= found.reach
    return found


quarters = st.builds(Fraction, st.integers(-40, 40), st.sampled_from([1, 1, 2, 4]))
positives = st.builds(Fraction, st.integers(1, 30), st.sampled_from([1, 1, 2, 4, 5]))
percents = st.integers(1, 99).map(Fraction)
coarsenings = st.one_of(
    st.builds(Round, positives, st.sampled_from(["half-away", "half-even", "down", "up"])),
    st.builds(Digits, st.integers(1, 2)),
    st.builds(Top, quarters),
    st.builds(Bottom, quarters),
)
dominances = st.one_of(
    st.builds(NK, st.integers(1, 3), percents),
    st.builds(PPercent, st.integers(1, 250).map(Fraction)),
    st.builds(Customers, st.integers(1, 4), st.integers(1, 100).map(Fraction)),
)


def domains(lows: st.SearchStrategy[Fraction], most: int) -> st.SearchStrategy[list[Fraction]]:
    """Lattices of a few values."""
    sizes = st.integers(1, most)
    return st.builds(lambda low, step, size: [low + step * n for n in range(size)], lows, positives, sizes)


queries = st.sampled_from(["sum", "mean", "min", "max", "median", "variance", "value"])


@given(coarsenings, queries, st.integers(1, 4), domains(quarters, 5))
def test_coarsened_answers(rule: Rule, query: str, people: int, domain: Numbers) -> None:
    check(rule, query, people if query != "value" else 1, domain)


@given(
    dominances,
    st.sampled_from(["sum", "mean"]),
    st.integers(1, 4),
    domains(st.one_of(st.just(Fraction(0)), positives), 9),
)
def test_totals_under_a_dominance_rule(rule: Rule, query: str, people: int, domain: Numbers) -> None:
    check(rule, query, people, domain)


@given(
    st.one_of(
        coarsenings, st.just(CensusCounts()), st.builds(MinCell, st.integers(1, 9), zeros=st.booleans())
    ),
    st.integers(1, 30),
)
def test_counts(rule: Rule, people: int) -> None:
    check(rule, "count", people, [Fraction(0), Fraction(1)])


@given(
    st.builds(MinCell, st.integers(1, 4), zeros=st.booleans()),
    st.sampled_from(["sum", "median"]),
    st.integers(1, 4),
)
def test_groups_are_told_exactly_or_not_at_all(rule: Rule, query: str, people: int) -> None:
    found = check(rule, query, people, [Fraction(value) for value in range(4)])
    assert isinstance(rule, MinCell)
    assert found.withheld == (people < rule.least)
    assert (found.worst_error is None) == found.withheld


@given(coarsenings, st.integers(2, 4), domains(quarters, 5))
def test_the_variance_of_many_is_a_bound_that_holds(rule: Rule, people: int, domain: Numbers) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variances, "_MOST", 0)  # as if there were too many sets of others to be listed
        step = domain[1] - domain[0] if len(domain) > 1 else 1
        found = rule_plan("variance", rule, n=people, bounds=(domain[0], domain[-1]), step=step)
    most, _ = enumerated(rule, "variance", people, domain)
    assert found.reach >= most >= found.witness_reach
    assert found.reach_exact == (found.reach == found.witness_reach)
    others = [Fraction(value) for value, many in found.witness.others for _ in range(many)]
    answers = {told(rule, "variance", [*others, Fraction(value)]) for value in found.witness.values}
    assert len(answers) == min(3, found.witness_reach)
    assert caused_in_finest(found, people, domain) <= most
    assert "instead of" not in found.verdict
    assert "no equal cells" not in found.verdict
    if "exact variance" in found.verdict:
        assert most == len(domain)
    if "at worst" in str(found.warning):
        assert most == len(domain)


def caused_in_finest(found: RulePlan, people: int, domain: Numbers) -> int:
    """How many of the finest cells one person really meets."""
    assert found.finest is not None
    cell = found.finest.mechanism.quantizer.cell
    every = combinations_with_replacement(domain, people - 1)
    return max(len({cell(variance([*others, own])) for own in domain}) for others in every)


@pytest.mark.parametrize(
    ("people", "domain", "rule", "cells", "error"),
    [
        (2, "8/3 166/15 7/5", "round:2.5:half-even", 6, "49/200"),
        (4, "-2 -6/5 1/5", "top:11", 20, "0"),
        (2, "2 31/5 7/5", "bottom:1", 3, "49/200"),
        (3, "0 1 1", "round:1", 1, "1/9"),
    ],
)
def test_only_variances_that_happen_are_counted(
    people: int, domain: str, rule: str, cells: int, error: str
) -> None:
    low, high, step = map(Fraction, domain.split())
    found = rule_plan("variance", rule, n=people, bounds=(low, high), step=step)
    assert (found.cells, found.worst_error) == (cells, Fraction(error))
    assert "instead of" not in found.verdict  # no cells err less


@given(coarsenings, st.integers(1, 4), domains(quarters, 5))
def test_the_error_of_a_variance_is_what_happens(rule: Coarsening, people: int, domain: Numbers) -> None:
    behind: dict[object, list[Fraction]] = {}
    for values in combinations_with_replacement(domain, people):
        truth = variance(values)
        behind.setdefault(rule.told(truth), []).append(truth)
    step = domain[1] - domain[0] if len(domain) > 1 else 1
    found = rule_plan("variance", rule, n=people, bounds=(domain[0], domain[-1]), step=step)
    assert found.cells == len(behind)
    assert found.worst_error == max(max(cell) - min(cell) for cell in behind.values()) / 2


@pytest.mark.parametrize(
    ("people", "high", "rule", "certain", "said"),
    [
        (3, 60, "top:90", (22, 61), "off by 18.1667 at most; the rule by 355 at most"),
        (3, 60, "digits:1", (24, 35), "leak no more"),
        (5, 20, "digits:1", (14, 21), "leak no more"),
        (5, 20, "round:2:down", (17, 21), "no finer cells are known"),
        (3, 60, "round:5", (55, 61), "no finer cells are known"),
        (4, 30, "round:5", (24, 31), "no finer cells are known"),
    ],
)
def test_cells_beside_a_bound_are_held_to_what_is_certain(
    people: int, high: int, rule: str, certain: tuple[int, int], said: str
) -> None:
    """Cells within a reach that is only a bound could tell more than the rule does."""
    least, most = certain
    found = rule_plan("variance", rule, n=people, bounds=(0, high), step=1)
    assert (found.witness_reach, found.reach, found.reach_exact) == (least, most, False)
    assert found.finest is not None
    assert found.finest.reach <= least
    assert found.verdict.startswith(f"{least} to {most} answers from one person, ")
    assert said in found.verdict
    assert not found.tells_everything
    assert (found.warning is None) == (most <= high)


def test_the_exact_variance_is_planned_where_every_value_may_be_told() -> None:
    for people, high in ((3, 60), (3, 40), (10**6, 10**7)):
        found = nl.plan("variance", n=people, bounds=(0, high), step=1, reach=high + 1)
        assert (found.reach, found.worst_error) == (high + 1, Fraction(0))
        assert nl.plan("variance", n=people, bounds=(0, high), step=1, reach=high).worst_error > 0


def test_where_others_who_all_have_the_most_do_not_let_most_pass() -> None:
    """Seven people and a share of 15 %: others at 945 let more values pass than others at 1000 do."""
    rule = NK(1, Fraction(15))
    found = rule_plan("sum", rule, n=7, bounds=(0, 1000), step=1)
    for others, count in ((945, 371), (1000, 334)):
        assert sum(rule.passes([*[others] * 6, own]) for own in range(1001)) == count
    assert (found.reach, found.reach_exact, found.witness.others) == (372, True, ((945, 6),))


def test_a_search_that_is_cut_short_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [(NK(2, Fraction(percent)), n) for percent in (41, 51, 67) for n in (4, 5)]
    whole = [rule_plan("sum", rule, n=n, bounds=(0, 300), step=1) for rule, n in rules]
    monkeypatch.setattr(rule_totals, "_MOST_TRIED", 0)
    cut = [rule_plan("sum", rule, n=n, bounds=(0, 300), step=1) for rule, n in rules]
    for before, after in zip(whole, cut, strict=True):
        assert before.reach_exact
        assert after.reach >= before.reach >= after.witness_reach
        assert after.reach_exact == (after.reach == after.witness_reach)
        assert after.finest is not None
        assert after.finest.reach <= after.witness_reach
        if "gives everything away" in after.verdict:
            assert before.reach == before.values_of_record


def test_huge_totals_are_planned_at_once() -> None:
    for text in ("15/15", "nk:3:60.5", "p-percent:12.5", "round:1000", "digits:3", "top:1e12"):
        found = rule_plan("sum", text, n=10**9, bounds=(0, 10**12), step=Decimal("0.01"))
        assert found.reach_exact
        assert found.to_dict()["bits"] == found.bits.upper
        assert found.verdict in str(found)
    for text in ("round:0.001", "digits:300", "min-cell:5"):
        assert rule_plan("sum", text, n=10**9, bounds=(0, 10**12), step=Decimal("0.01")).reach == 10**14 + 1
    assert rule_plan("variance", "round:5", n=10**6, bounds=(0, 10**7), step=1).reach >= 10**6


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("round:200", 3),
        ("round:200:down", 2),
        ("round:100:half-even", 3),
        ("round:200:half-even", 3),
        ("round:70", 4),
    ],
)
def test_on_a_continuum_an_edge_belongs_to_one_cell(text: str, reach: int) -> None:
    """A closed interval as long as one base meets three cells where the middle one has neither edge."""
    found = rule_plan("sum", text, n=10, bounds=(-100, 100))
    assert (found.reach, found.reach_exact, found.values_of_record) == (reach, True, None)
    others = [Fraction(value) for value, many in found.witness.others for _ in range(many)]
    answers = {told(found.rule, "sum", [*others, Fraction(value)]) for value in found.witness.values}
    assert len(answers) == min(reach, 3)


@pytest.mark.parametrize("query", ["min", "max", "median", "mean", "value"])
@pytest.mark.parametrize("people", [1, 2, 5, 6])
def test_witnesses_on_a_continuum(query: str, people: int) -> None:
    people = 1 if query == "value" else people
    found = rule_plan(query, "round:3", n=people, bounds=(-10, 15))
    others = [Fraction(value) for value, many in found.witness.others for _ in range(many)]
    assert len(others) == people - 1
    answers = [told(found.rule, query, [*others, Fraction(value)]) for value in found.witness.values]
    assert list(map(Fraction, found.witness.answers)) == answers
    assert len(set(answers)) == min(3, found.reach)


def test_the_median_of_an_even_number_moves_half_as_far() -> None:
    assert rule_plan("median", "round:10", n=5, bounds=(0, 100)).reach == 11
    assert rule_plan("median", "round:10", n=6, bounds=(0, 100)).reach == 6


def test_dates_and_codes() -> None:
    found = nl.plan("value", bounds=(date(1950, 1, 1), date(2009, 12, 31)), rule="date:month")
    assert (found.reach, found.worst_error, found.values_of_record) == (720, Fraction(15), 21_915)
    assert found.witness.values == ("1950-01-01", "1950-02-01", "2009-12-31")
    assert found.witness.answers == ("1950-01", "1950-02", "2009-12")
    codes = nl.plan("value", bounds=("0800", "9199"), rule="prefix:2")
    assert (codes.reach, codes.values_of_record, codes.finest, codes.worst_error) == (84, 8400, None, None)
    assert codes.witness.answers == ("08**", "09**", "91**")
    assert nl.plan("value", bounds=("0800", "9199"), rule="prefix:9").reach == 8400
    assert nl.plan("value", bounds=("0800", "9199"), rule="prefix:0").reach == 1


def test_verdicts() -> None:
    def said(query: str, rule: str, n: int | None, *bounds: int) -> str:
        asked = (bounds[0], bounds[1]) if bounds else None
        return rule_plan(query, rule, n=n, bounds=asked, step=1 if bounds else None).verdict

    assert "So does the exact count: at worst the rule protects nothing" in said("count", "round:5", 1000)
    assert "gives everything away" in said("sum", "15/15", 15, 0, 100)
    assert "withholds every answer" in said("sum", "15/15", 14, 0, 100)
    assert "off by 0.5 instead of 15" in said("value", "top:90", None, 0, 120)
    assert "no equal cells" in said("sum", "round:100", 1000, 0, 1000)
    assert "reveals nothing" in said("sum", "round:1000000:down", 10, 0, 10)
    assert "always published, leak no more" in said("sum", "nk:1:15", 7, 0, 1000)


def test_a_rule_plan_reads_well() -> None:
    found = rule_plan("sum", "nk:1:15", n=7, bounds=(0, 1000), step=1)
    text, page = str(found), found._repr_html_()
    assert "372 answers" in text
    assert "withheld" in text
    assert "8.54 bits" in page
    assert found.statement == found.rule.statement
    kept = rule_plan("sum", "nk:1:15", n=100, bounds=(9, 10), step=1)
    assert (kept.withheld, kept.worst_error, kept.cells) == (False, Fraction(0), 101)


@pytest.mark.parametrize(
    ("query", "rule", "asked", "said"),
    [
        ("mode", "round:5", {"n": 5, "bounds": (0, 1)}, "no question is called"),
        ("sum", "round:5", {"bounds": (0, 1)}, "--n N"),
        ("sum", "round:5", {"n": 5}, "--bounds"),
        ("sum", "round:5", {"n": 0, "bounds": (0, 1)}, "at least 1"),
        ("value", "round:5", {}, "--bounds"),
        ("value", "15/15", {"bounds": (0, 1)}, "groups and totals"),
        ("value", "min-cell:5", {"bounds": (0, 1)}, "groups and totals"),
        ("sum", "date:year", {"n": 5, "bounds": (0, 1)}, "--query value"),
        ("sum", "prefix:2", {"n": 5, "bounds": (0, 1)}, "--query value"),
        ("value", "date:year", {"bounds": (0, 1)}, "such as 1950-01-01"),
        ("value", "date:year", {"bounds": ("2000-01-02", "2000-01-01")}, "out of order"),
        ("value", "date:year", {"bounds": ("2000-01-01", "2001-01-01"), "step": 7}, "leave the step out"),
        ("value", "prefix:2", {"bounds": (0, 1)}, "digits of one length"),
        ("value", "prefix:2", {"bounds": ("AB1", "ZZ9")}, "digits of one length"),
        ("value", "prefix:2", {"bounds": ("000", "99999")}, "digits of one length"),
        ("value", "prefix:2", {"bounds": ("000", "999"), "step": 2}, "leave the step out"),
        ("sum", "round:5", {"n": 5, "bounds": ("0", "1")}, "exact numbers"),
        ("sum", "15/15", {"n": 50, "bounds": (0, 1)}, "--step"),
        ("sum", "15/15", {"n": 50, "bounds": (-1, 1), "step": 1}, "not negative"),
        ("count", "15/15", {"n": 50}, "a sum or a mean"),
        ("median", "nk:2:80", {"n": 50, "bounds": (0, 1), "step": 1}, "a sum or a mean"),
        ("sum", "top:5", {"n": 5, "bounds": (0, 10)}, "infinitely many"),
        ("sum", "min-cell:5", {"n": 5, "bounds": (0, 10)}, "infinitely many"),
        ("mean", "census-counts", {"n": 5, "bounds": (0, 10), "step": 1}, "counts"),
        ("sum", "round:5", {"n": 5, "bounds": (0, 1), "step": Decimal("0.3")}, "does not divide"),
    ],
)
def test_requests_that_make_no_sense(query: str, rule: str, asked: dict[str, object], said: str) -> None:
    with pytest.raises(RequestError, match=said) as raised:
        rule_plan(query, rule, **asked)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_a_rule_stands_instead_of_a_budget() -> None:
    for limit in ({"budget": 1}, {"reach": 2}, {"max_error": 1}):
        with pytest.raises(RequestError, match="its own price"):
            nl.plan("count", n=5, rule="round:5", **limit)  # type: ignore[call-overload]
    with pytest.raises(RequestError, match="n=N"):
        nl.plan("count", budget=1)  # type: ignore[call-overload]
    assert isinstance(nl.plan("count", n=5, rule=Round(Fraction(5))), RulePlan)


def test_all_rules_are_priced() -> None:
    found = price_rules()
    assert all(priced.plan is not None and priced.problem is None for priced in found)
    means = {priced.rule.text: priced for priced in price_rules(query="mean", n=200, bounds=(0, 120))}
    assert means["round:5"].to_dict()["reach"] == 2
    assert "counts" in str(means["census-counts"].problem)
    assert means["date:year"].asked.query == "value"
    assert [p.plan.reach for p in price_rules(["round:5", "15/15"], query="count") if p.plan] == [2]
    assert price_rules(["top:90"], query="value", bounds=(0, 120))[0].to_dict()["reach"] == 91
    with pytest.raises(RequestError, match="out of order"):
        price_rules(query="sum", bounds=(5, 1))
