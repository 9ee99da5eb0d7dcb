from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.tabulations import Publication, Told
from noiseless.tabulations.audit import TabulationAudit, audit_tables
from noiseless.tabulations.magnitudes import ContributorAmounts, Rules
from noiseless.verification import verify_tables
from tabulation_examples import flat, withheld

# A contributor alone in three of the cells knows them, and with them the fourth.
HIDDEN = np.array([[True, True, False], [True, True, False], [False, False, False]])
VALUES = np.array([[645, 40, 300], [50, 90, 210], [400, 330, 500]])
RECORDS = [
    *(("a", ("r0", "c0"), 558), ("b", ("r0", "c0"), 70), ("d", ("r0", "c0"), 17)),
    *(("e", ("r0", "c1"), 40), ("f", ("r1", "c0"), 50), ("g", ("r1", "c1"), 90)),
    *(
        (f"o{row}{col}{k}", (f"r{row}", f"c{col}"), 0)
        for row in range(3)
        for col in range(3)
        for k in range(3)
    ),
]


def audited(rules: dict[str, object], hidden: np.ndarray = HIDDEN) -> TabulationAudit:
    publication = withheld(VALUES, [flat("r", 3), flat("c", 3)], hidden, "magnitude")
    rest = [
        (f"s{row}{col}{part}", (f"r{row}", f"c{col}"), int(VALUES[row, col]) // 5)
        for row in range(3)
        for col in range(3)
        for part in range(5)
        if not HIDDEN[row, col]
    ]
    records = [record for record in RECORDS if record[2]]
    amounts = ContributorAmounts.of(publication, [*records, *rest])
    return audit_tables(publication, rules=rules, contributions=amounts)


def test_the_level_of_the_p_percent_rule() -> None:
    amounts = [558, 70, 17]
    assert Rules(p_percent=Fraction(10)).level(amounts) == Fraction(194, 5)
    assert Rules(p_percent=Fraction(3)).level(amounts) is None
    assert Rules(p_percent=Fraction(10), q_percent=Fraction(50)).level(amounts) == Fraction(558, 5) - 17
    assert Rules(dominance=(1, Fraction(75))).level(amounts) == Fraction(4, 3) * 558 - 645
    assert Rules(p_percent=Fraction(10), coalition=2).level(amounts) == Fraction(558, 10)


def test_levels_are_wanted_on_both_sides() -> None:
    found = {each.of[1]: each for each in audited({"p_percent": 10}).requirements}
    first = found["r0", "c0"]
    assert (first.wanted_lower, first.wanted_upper) == (606, 684)
    assert first.holds is True  # 605 to 695
    published = {each.of[1]: each for each in audited({"p_percent": 10}, HIDDEN & False).requirements}
    assert published["r0", "c0"].holds is False


def test_contributors_subtract_what_is_theirs() -> None:
    audit = audited({"p_percent": 10})
    learned = {finding.who: [name for _, name in finding.learns] for finding in audit.contributors}
    assert set(learned) == {("e",), ("f",), ("g",)}
    assert all(("r0", "c0") in names for names in learned.values())
    assert audit.violated
    assert audit.decided
    internal = audit.certificate(public=False)
    assert verify_tables(internal, audit.publication).holds
    assert len(internal["adversaries"]) == 3
    internal["adversaries"][0]["learns"][0][1] += 1
    assert not verify_tables(internal, audit.publication).holds


def test_nothing_secret_is_in_the_public_certificate() -> None:
    audit = audited({"p_percent": 10})
    public = audit.certificate()
    assert set(audit.certificate(public=False)) - set(public) == {"requirements", "adversaries"}
    assert verify_tables(public, audit.publication).holds


def test_thresholds_of_counts() -> None:
    dimensions, values = [flat("r", 2), flat("c", 2)], np.array([[1, 9], [8, 7]])
    told = withheld(values, dimensions, np.zeros((2, 2), bool))
    (found,) = audit_tables(told, rules={"threshold": 5}).requirements
    assert found.of == ("t", ("r0", "c0"))
    assert found.holds is False
    hidden = withheld(values, dimensions, np.ones((2, 2), bool))
    assert audit_tables(hidden, rules={"threshold": 5}).holds
    people = ContributorAmounts.of(
        hidden,
        [
            (f"{row}{col}{k}", (f"r{row}", f"c{col}"), 1)
            for row, col in np.ndindex(2, 2)
            for k in range(values[row, col])
        ],
    )
    (found,) = audit_tables(hidden, rules={"threshold": 5}, contributions=people).requirements
    assert (found.of[1], found.wanted_lower, found.wanted_upper) == (("r0", "c0"), 0, 5)
    small = Publication.of_rows(["a", "b"], [(0, 9)] * 2, [(["a", "b"], Told.exact(9)), (["a"], Told(6, 9))])
    rows = audit_tables(small, rules={"threshold": 5}, targets={}).requirements
    assert [each.holds for each in rows] == [True]
    known = Publication.of_rows(
        ["a", "b"], [(0, 9)] * 2, [(["a", "b"], Told.exact(4)), (["b"], Told.exact(1)), (["a"], Told(0, 9))]
    )
    assert [each.holds for each in audit_tables(known, rules={"threshold": 5}).requirements] == [False] * 3


def test_rules_that_cannot_be_checked_are_refused() -> None:
    publication = withheld(VALUES, [flat("r", 3), flat("c", 3)], HIDDEN, "magnitude")
    with pytest.raises(RequestError, match="need the contributions"):
        audit_tables(publication, rules={"p_percent": 10})
    with pytest.raises(RequestError, match="no rule 'p'"):
        audit_tables(publication, rules={"p": 10})
    wrong = ContributorAmounts.of(publication, [("a", ("r0", "c0"), 1)])
    with pytest.raises(RequestError, match="do not add up"):
        audit_tables(publication, rules={"p_percent": 10}, contributions=wrong)
