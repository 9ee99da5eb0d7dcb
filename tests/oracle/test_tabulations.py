"""Audits of published tables against every table that fits: sets, reasons, adversaries, certificates."""

import copy
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.tabulations import Publication, Told, value_count
from noiseless.tabulations.audit import audit_tables
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.value_count import ValueCount
from noiseless.verification import verify_tables
from oracle.tabulation_checks import (
    check_cells,
    check_claims,
    check_contributors,
    check_estimates,
    check_inconsistent,
    check_persons,
    check_requirements,
    forms,
    publication,
    random_contributions,
    random_targets,
)
from oracle.tabulation_oracle import Knowledge
from oracle.tabulation_worlds import Published, cube, flat, random_publication, transported
from soaking import TIMES, soaking
from tabulation_examples import flat as dimension
from tabulation_examples import holes_case, withheld

SEEDS = range(60 * (TIMES if soaking() else 1))
Json = dict[str, Any]


def worlds(seeds: Iterable[int]) -> Iterator[tuple[int, Published, Knowledge]]:
    for seed in seeds:
        published = random_publication(seed)
        yield seed, published, Knowledge.of(published.world)


def test_what_an_audit_says_is_so() -> None:
    """Ends, counted values and disclosure of every figure and group; reasons that tell it by themselves."""
    contradictory = 0
    for seed, published, knowledge in worlds(SEEDS):
        targets = random_targets(Random(seed), published)
        audit = audit_tables(publication(published), targets=targets)
        if not knowledge.tables:
            contradictory += 1
            check_inconsistent(published, audit)
            continue
        assert audit.inconsistent == (), seed
        check_cells(published, audit, knowledge, targets)
        published_all = all(finding.published for finding in audit.cells if finding.disclosed)
        assert audit.decided
        assert (audit.violated, audit.holds) == (not published_all, published_all), seed
    assert contradictory > len(SEEDS) / 20


def two_or_four() -> tuple[Published, tuple[int, ...]]:
    """Two tables fit: in one of them the last cell of a2 and b0 is 2, in the other 4."""
    values = (2, 6, 0, 0, 2, 6, 6, 1, 3, 2, 6, 0, 6, 0, 2, 0, 2, 6, 0, 6, 4, 2, 6, 0, 1, 6, 0)
    truth = dict(zip(product(range(3), repeat=3), values, strict=True))
    return cube(truth, [at for at, value in truth.items() if value == 6]), values


def test_integers_say_more_than_linear_programs() -> None:
    """18 cells of 3 x 3 x 3 that move together: holes, and cells that are known."""
    random = Random(8)
    holes = 0
    for published in (two_or_four()[0], *(transported(random) for _ in range(7))):
        knowledge = Knowledge.of(published.world)
        audit = audit_tables(publication(published))
        check_cells(published, audit, knowledge, {})
        holes += sum(finding.values != (finding.upper or 0) - finding.lower + 1 for finding in audit.cells)
    assert holes > 0


def test_values_of_wide_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by moves and refutations where looking at each is too much: here in every integer program."""
    monkeypatch.setattr(value_count, "MANY_VALUES", 1)
    counts, count = list[tuple[int, int]](), ValueCount.count

    def counted(self: ValueCount, deadline: Deadline) -> int | None:
        found = count(self, deadline)
        if found is not None:
            counts.append((found, self.ends[1] - self.ends[0] + 1))
        return found

    monkeypatch.setattr(ValueCount, "count", counted)
    odd = (transported(Random(seed)) for seed in range(4))
    random = (published for _, published, knowledge in worlds(range(3_000, 3_060)) if knowledge.tables)
    for published in (*odd, *random):
        audit = audit_tables(publication(published))
        if not audit.inconsistent:
            check_cells(published, audit, Knowledge.of(published.world), {})
            assert verify_tables(audit.certificate(), audit.publication).holds
    assert len(counts) > 20
    both = audit_tables(holes_case(beside=True), targets={"both": {"atom": ["x011", "y"]}}).cells[-1]
    assert (both.lower, both.upper, both.values) == (0, 5, 5)
    assert counts[-1] == (5, 6)


def test_every_value_of_a_wide_range_is_there() -> None:
    chance = np.random.default_rng(1)
    tables = withheld(
        chance.integers(0, 60, (3, 3, 3)),
        [dimension(name, 3) for name in "abc"],
        chance.random((3, 3, 3)) < 0.9,
    )
    cells = audit_tables(tables).cells
    wide = [cell for cell in cells if (cell.upper or 0) - cell.lower >= value_count.MANY_VALUES]
    assert len(wide) > 10
    assert all(cell.values for cell in wide)
    cell = min(wide, key=lambda each: (each.upper or 0) - each.lower)
    number, found = tables.row_names.index(cell.of), 0
    for value in range(cell.lower, (cell.upper or 0) + 1):
        lower, upper = tables.told_lower.copy(), tables.told_upper.copy()
        lower[number] = upper[number] = value
        told = replace(tables.tables[0], lower=lower, upper=upper)
        found += not audit_tables(replace(tables, tables=(told,)), sharp=False).inconsistent
    assert found == cell.values


def test_disclosure_alone() -> None:
    for _, published, knowledge in worlds(range(1_000, 1_020)):
        if knowledge.tables:
            check_cells(
                published, audit_tables(publication(published), sharp=False), knowledge, {}, sharp=False
            )


def test_no_end() -> None:
    """What nothing limits has no end, and infinitely many bits are left."""
    rows = [(["a"], Told(2, None)), (["a", "b"], Told.withheld()), (["b"], Told.exact(3))]
    audit = audit_tables(Publication.of_rows(["a", "b"], [(0, None), (0, None)], rows))
    found = [(finding.lower, finding.upper, finding.values, finding.bits_left) for finding in audit.cells]
    assert found == [(2, None, None, float("inf")), (5, None, None, float("inf")), (3, 3, 1, 0.0)]


def test_persons() -> None:
    """Who can have which secret, seen from outside and by a member of the group who knows his own."""
    for seed, published, knowledge in worlds(range(2_000, 2_030)):
        if knowledge.tables and min(low for low, _ in published.bounds) >= 0:
            used = sorted({name for names, _ in published.tables for name in names})
            secret = Random(seed).choice(used)
            audit = audit_tables(publication(published), secret=secret)
            check_persons(published, audit, knowledge, secret)


def test_a_member_knows_of_himself() -> None:
    """Of a1 and a2 one person has one: who has it knows that the others, here one, have a0."""
    rows = [(["a0"], Told.exact(1)), (["a1", "a2"], Told.exact(1))]
    audit = audit_tables(Publication.of_rows(["a0", "a1", "a2"], [(0, 3)] * 3, rows), secret="atom")
    assert set(audit.persons[0].to_members) == {"a1", "a2"}


def test_who_is_alone_in_a_group_learns_nothing_of_others() -> None:
    rows = [(["a0", "a1"], Told.exact(1))]
    audit = audit_tables(Publication.of_rows(["a0", "a1"], [(0, 3)] * 2, rows), secret="atom")
    assert audit.persons[0].to_members == ()


def two_cells(first: Told, *records: tuple[str, str, int]) -> tuple[Publication, ContributorAmounts]:
    """a0 as it is told, a1 withheld, and their total of 9."""
    labels: dict[str, tuple[int, ...]] = {"a0": (0,), "a1": (1,), "a*": (0, 1)}
    figures = ((("a0",), first.lower, first.upper), (("a1",), 0, None), (("a*",), 9, 9))
    tables = publication(Published({"a": labels}, ((("a",), figures),), ((0, None),) * 2), "magnitude")
    return tables, ContributorAmounts.of(tables, [(who, [cell], amount) for who, cell, amount in records])


def test_a_coalition_may_be_smaller() -> None:
    """A and B together learn nothing, and each alone learns the other's figure."""
    tables, amounts = two_cells(Told.withheld(), ("A", "a0", 7), ("B", "a1", 2))
    audit = audit_tables(tables, contributions=amounts, rules={"coalition": 2})
    learnt = {finding.who: finding.learns for finding in audit.contributors if finding.learns}
    assert learnt == {("A",): (("t0", ("a1",)),), ("B",): (("t0", ("a0",)),)}


def test_a_contributor_beside_one_who_gave_nothing() -> None:
    """a0 is at most 7, and A gave 7 of it: it is 7, and a1 is 2, though A is not its only contributor."""
    tables, amounts = two_cells(Told(0, 7), ("A", "a0", 7), ("B", "a0", 0), ("C", "a1", 2))
    audit = audit_tables(tables, contributions=amounts, rules={"coalition": 1})
    learnt = {finding.who: set(finding.learns) for finding in audit.contributors}
    assert ("t0", ("a1",)) in learnt.get(("A",), set())


def test_a_contributor_who_is_not_alone() -> None:
    """Where tables are no network a cell can be 2 or 4: who gave 3 of it knows, whatever the others gave."""
    published, values = two_or_four()
    tables = publication(published, "magnitude")
    atoms = [(atom, value) for atom, value in zip(published.atoms, values, strict=True) if value]
    records = [(f"alone in {atom}", atom, value - 3 * (value == 4)) for atom, value in atoms]
    records.append(("A", ("a2", "b0", "c2"), 3))
    knowledge = Knowledge.of(published.world)
    assert knowledge.values({"a2,b0,c2": 1}) == {2, 4}
    audit = audit_tables(tables, contributions=ContributorAmounts.of(tables, records), rules={"coalition": 1})
    check_contributors(published, audit, knowledge, records, 1)


@pytest.mark.parametrize("coalition", [1, 2])
def test_contributors(coalition: int) -> None:
    """What contributors learn who subtract what they gave; those who gave 0 are among them."""
    compared = 0
    for seed, published, knowledge in worlds(range(3_000, 3_030)):
        random = Random(seed)
        if not knowledge.tables or min(low for low, _ in published.bounds) < 0:
            continue
        if records := random_contributions(random, published, knowledge, zeros=0.1):
            compared += 1
            tables = publication(published, "magnitude")
            amounts = ContributorAmounts.of(tables, records)
            audit = audit_tables(tables, contributions=amounts, rules={"coalition": coalition})
            check_contributors(published, audit, knowledge, records, coalition)
    assert compared > 10


@pytest.mark.parametrize(
    "rules",
    [
        {"p_percent": Fraction(10), "coalition": 1},
        {"p_percent": Fraction(50), "coalition": 2},
        {"p_percent": Fraction(20), "q_percent": Fraction(50), "coalition": 1},
        {"dominance": (1, Fraction(75)), "coalition": 1},
        {"dominance": (2, Fraction(85)), "coalition": 1},
    ],
)
def test_requirements(rules: Json) -> None:
    for seed, published, knowledge in worlds(range(4_000, 4_012)):
        if not knowledge.tables or min(low for low, _ in published.bounds) < 0:
            continue
        if records := random_contributions(Random(seed), published, knowledge):
            tables = publication(published, "magnitude")
            audit = audit_tables(tables, contributions=ContributorAmounts.of(tables, records), rules=rules)
            check_requirements(published, audit, knowledge, records, rules)


@pytest.mark.parametrize(
    "rules",
    [
        {"p_percent": Fraction(30), "coalition": 1},
        {"p_percent": Fraction(20), "q_percent": Fraction(50), "coalition": 2},
        {"dominance": (1, Fraction(75)), "coalition": 1},
        {"dominance": (2, Fraction(80)), "coalition": 2},
    ],
)
def test_estimates(rules: Json) -> None:
    """What contributors can say of others' amounts, by the definition of each rule."""
    close = 0
    for seed, published, knowledge in worlds(range(6_000, 6_060)):
        if not knowledge.tables or min(low for low, _ in published.bounds) < 0:
            continue
        if records := random_contributions(Random(seed), published, knowledge, zeros=0.1):
            tables = publication(published, "magnitude")
            audit = audit_tables(tables, contributions=ContributorAmounts.of(tables, records), rules=rules)
            close += check_estimates(published, audit, knowledge, records, rules)
    assert close


# --- certificates ---------------------------------------------------------------------------------


def certificates(seeds: range) -> Iterator[tuple[int, Published, Knowledge, Json]]:
    for seed, published, knowledge in worlds(seeds):
        audit = audit_tables(publication(published), targets=random_targets(Random(seed), published))
        yield seed, published, knowledge, json.loads(json.dumps(audit.certificate(public=True)))


def test_certificates_hold_and_are_true() -> None:
    for seed, published, knowledge, certificate in certificates(range(5_000, 5_040)):
        found = verify_tables(certificate, publication(published))
        assert found.holds, f"seed {seed}: {found.failed}"
        check_claims(published, knowledge, certificate)


def test_figures_that_others_imply_with_cells_that_are_known() -> None:
    """a2 is 0 because the total is that of a0 and a1."""
    sizes = {"a": 3, "b": 3, "c": 2}
    variables = {name: flat(name, size) | {f"{name}*": tuple(range(size))} for name, size in sizes.items()}
    told = [("a0 b0 c*", 2), ("a0 b* c0", 3), ("a1 b0 c*", 1), ("a* b0 c0", 2), ("a* b0 c*", 3)]
    figures = tuple((tuple(labels.split()), value, value) for labels, value in told)
    published = Published(variables, (((*"abc",), figures),), ((0, 3),) * 18)
    audit = audit_tables(publication(published))
    certificate = json.loads(json.dumps(audit.certificate(public=True)))
    assert verify_tables(certificate, publication(published)).failed == ()


def test_a_hole_of_one_part_of_a_sum() -> None:
    """a1 + a2 is 0 or 2, and a3 + a5 is 1: the sum of the four is 1 or 3."""
    labels = flat("a", 6) | {"a3+a5": (3, 5), "a0+a2": (0, 2), "a0+a1": (0, 1)}
    figures = ((("a3+a5",), 1, 1), (("a0+a2",), 1, 1), (("a0+a1",), -1, -1))
    bounds = ((-3, 3), (-3, 0), (1, 2), (-3, 2), (-2, 0), (1, 5))
    published = Published({"a": labels}, ((("a",), figures),), bounds)
    audit = audit_tables(publication(published), targets={"four": {"a": ["a1", "a2", "a3", "a5"]}})
    assert [finding.values for finding in audit.cells] == [1, 1, 1, 2]
    certificate = json.loads(json.dumps(audit.certificate(public=True)))
    assert verify_tables(certificate, publication(published)).failed == ()
    check_claims(published, Knowledge.of(published.world), certificate)


def test_out_of_time_nothing_false_is_said() -> None:
    """Whatever was reached by then is true, and the certificate claims no more than it proves."""
    for seed, published, knowledge in worlds(range(8_000, 8_012)):
        audit = audit_tables(publication(published), time_limit=0)
        if knowledge.tables:
            assert audit.inconsistent == ()
            for finding, (_, form) in zip(audit.cells, forms(published, {}), strict=True):
                values = knowledge.values(form)
                assert finding.lower <= min(values), seed
                assert finding.upper is None or finding.upper >= max(values), seed
                assert not finding.disclosed or len(values) == 1, seed
                assert finding.values in {None, len(values)}, seed
                if finding.decided:
                    assert (finding.lower, finding.upper) == (min(values), max(values)), seed
            certificate = json.loads(json.dumps(audit.certificate(public=True)))
            assert verify_tables(certificate, publication(published)).failed == (), seed
            check_claims(published, knowledge, certificate)


def test_out_of_time_a_contradiction_is_not_safe() -> None:
    """Halves fit and integers do not: as long as that is not known, nothing holds."""
    pairs = [["a", "b"], ["b", "c"], ["a", "c"]]
    tables = Publication.of_rows(["a", "b", "c"], [(0, 3)] * 3, [(pair, Told.exact(1)) for pair in pairs])
    assert len(audit_tables(tables).inconsistent) == 3
    assert not audit_tables(tables, time_limit=0).holds


def test_out_of_time_without_a_table_no_end_is_shown() -> None:
    """The bounds of a sum are attained only if some table says so."""
    for seed, published, knowledge in worlds([9_100_111, 9_101_801, 9_101_818]):
        audit = audit_tables(publication(published), time_limit=0)
        for finding, (_, form) in zip(audit.cells, forms(published, {}), strict=True):
            values = knowledge.values(form)
            assert not finding.decided or (finding.lower, finding.upper) == (min(values), max(values)), seed
        persons = audit_tables(publication(published), secret=published.tables[0][0][0], time_limit=0).persons
        assert not any(finding.decided for finding in persons), seed


def test_out_of_time_what_members_learn_is_open() -> None:
    """Bounds that no table attains leave more secrets possible for others than there are."""
    for seed, published, knowledge in worlds([9_301_629, 9_301_792, 9_301_905]):
        secret = next(name for name in published.dimensions if any(name in of for of, _ in published.tables))
        late = audit_tables(publication(published), secret=secret)
        check_persons(published, late, knowledge, secret)
        early = audit_tables(publication(published), secret=secret, time_limit=0)
        for found, known in zip(early.persons, late.persons, strict=True):
            assert not found.decided or found == known, seed


def test_out_of_time_without_a_table_there_is_no_certificate() -> None:
    """Nothing was shown by then, and that is said."""
    pairs = [["a", "b"], ["b", "c"], ["a", "c"]]
    tables = Publication.of_rows(["a", "b", "c"], [(0, 3)] * 3, [(pair, Told.exact(1)) for pair in pairs])
    audit = audit_tables(tables, targets={"all": {"atom": ["a", "b", "c"]}}, time_limit=0)
    assert not audit.decided
    with pytest.raises(RequestError, match="allow more time"):
        audit.certificate(public=True)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:  # noqa: ANN401 - JSON
    """Every number and text of a JSON document, and the way to it."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))
    else:
        yield path, value


def forged(random: Random, certificate: Json) -> Json:
    """The certificate with one number or text changed."""
    lie = copy.deepcopy(certificate)
    choices = [
        (path, value) for path, value in places(lie) if path[0] not in {"publication", "format", "public"}
    ]
    path, value = random.choice(choices)
    if isinstance(value, int):
        changed: Any = random.choice((value + 1, value - 1, value + 2, value - 2, 0, -value, None))
    elif isinstance(value, str) and value.removeprefix("-").replace("/", "").isdigit():
        number = Fraction(value)
        changed = str(random.choice((number + 1, number - 1, -number, number / 2, 2 * number, Fraction(0))))
    else:
        changed = random.choice((0, 1, 5, "x"))
    inner: Any = lie
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = changed
    return lie


def test_forged_certificates_are_refused_or_still_true() -> None:
    refused = accepted = 0
    for seed, published, knowledge, certificate in certificates(range(6_000, 6_025)):
        random = Random(seed)
        if not certificate.get("steps") and not certificate.get("claims"):
            continue
        for _ in range(12):
            lie = forged(random, certificate)
            if verify_tables(lie, publication(published)).holds:
                accepted += 1
                check_claims(published, knowledge, lie)
            else:
                refused += 1
    assert refused > accepted > 0


def test_figures_that_imply_each_other_are_not_left_out() -> None:
    """The cube in which x011 is 0, 2 or 4, each of its figures told twice: five values are a lie."""
    once = holes_case()
    twice = replace(once, tables=(*once.tables, replace(once.tables[0], name="again")))
    certificate = json.loads(
        json.dumps(audit_tables(twice, targets={"cell": {"atom": ["x011"]}}).certificate(public=True))
    )
    claim = next(claim for claim in certificate["claims"] if claim.get("group") == "cell")
    assert (claim["lower"], claim["upper"], claim["values"]) == (0, 4, 3)
    assert verify_tables(certificate, twice).holds
    claim["values"] = 5
    certificate["steps"] = [line for line in certificate["steps"] if None in line[1:3]]
    many = once.rows.shape[0]
    certificate["families"] = []
    for wrong in ([*range(many, 2 * many), *range(many)], range(2 * many)):  # each other; themselves
        certificate["implied"] = [[row, [part]] for row, part in enumerate(wrong)]
        (failed,) = verify_tables(certificate, twice).failed
        assert failed.claimed == "a figure is implied by itself"


def test_a_certificate_of_another_publication_is_refused() -> None:
    for seed, _, _, certificate in certificates(range(7_000, 7_005)):
        other = copy.deepcopy(certificate["publication"])
        ends = other["tables"][0]
        ends["lower"][0] -= 1
        assert not verify_tables(certificate, other).holds, seed
