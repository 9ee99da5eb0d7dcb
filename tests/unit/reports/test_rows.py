from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

import noiseless as nl
from noiseless.audits import TableAudit
from noiseless.audits.policy import Policy, PolicyLimits
from noiseless.display import bound_text
from noiseless.exact import Bits
from noiseless.reports.audit_rows import posterior_bins, side_rows, status_of
from noiseless.reports.notation import share_text, upper_text, value_text

FRAME = pd.DataFrame({"s": [1, 2, 3, 1, 2, 4], "x": list("aaabbb"), "a": [0, 0, 1, 0, 0, 1]})


class TestPolicyRows:
    def test_every_limit_has_words(self) -> None:
        limits = PolicyLimits(
            leakage=Decimal(1),
            maximin=Decimal(0),
            min_posterior=1,
            k_anonymity=1,
            distinct_l_diversity=1,
            entropy_l_diversity=Decimal(1),
            t_closeness=Decimal(1),
            homogeneous_groups=0,
        )
        audit = nl.audit(FRAME, sensitive="s", public="x")
        rows = [check.words for check in Policy(limits=limits).check(audit).checks]
        assert [name for name, _, _ in rows] == [
            "bits leaked, L0",
            "always revealed, I*",
            "fewest values left",
            "k-anonymity",
            "distinct l-diversity",
            "entropy l-diversity",
            "t-closeness",
            "homogeneous groups",
        ]
        assert {asked.rsplit(" ", 1)[0] for _, asked, _ in rows} == {"at most", "at least"}

    @pytest.mark.parametrize(
        ("limit", "found", "holds"),
        [
            ("0.4", "0.42", False),
            ("0.41", "0.42", False),
            ("0.415", "0.416", False),
            ("0.4151", "0.4151", True),
        ],
    )
    def test_what_was_found_is_rounded_to_its_side_of_the_limit(
        self, limit: str, found: str, holds: bool
    ) -> None:
        audit = nl.audit(FRAME, sensitive="s", public="x")  # log2(4/3) = 0.41503...
        (check,) = Policy(limits=PolicyLimits(leakage=Decimal(limit))).check(audit).checks
        assert (check.words[2], check.holds) == (found, holds)


class TestSideRows:
    def test_none_without_side_information(self) -> None:
        assert side_rows(nl.audit(FRAME, sensitive="s", public="x")) == []

    def test_each_alone_and_both(self) -> None:
        rows = side_rows(nl.audit(FRAME, sensitive="s", public="x", given="a"))
        assert [(left, leaked.ratio) for _, leaked, left in rows] == [(2, 2), (3, Fraction(4, 3)), (1, 4)]


def test_a_release_that_adds_nothing_is_private_only_if_nothing_is_known() -> None:
    frame = pd.DataFrame({"s": [1, 2, 3, 4], "a": [0, 0, 1, 1], "x": [0, 0, 0, 0]})
    assert status_of(nl.audit(frame, sensitive="s", public="x")).mark == "good"
    assert status_of(nl.audit(frame, sensitive="s", public="x", given="a")).mark == "partly"


def test_a_constant_column_hides_no_other() -> None:
    frame = pd.DataFrame({"c": [0, 0, 0, 0], "s": [1, 2, 3, 2], "x": [0, 0, 1, 1]})
    assert status_of(nl.audit(frame, sensitive=["c", "s"], public="x")).mark == "partly"


class TestBins:
    def test_all_heads_and_groups_are_in_one_bin_each(self) -> None:
        frame = pd.DataFrame([(s, x) for x in range(1, 41) for s in range(x)], columns=["s", "x"])
        audit = nl.audit(frame, sensitive="s", public="x")
        assert isinstance(audit, TableAudit)
        bins = posterior_bins(audit)
        assert [b.label for b in bins] == ["1", "2", "3–4", "5–8", "9–16", "17–32", "33–40"]  # noqa: RUF001
        assert sum(b.groups for b in bins) == 40
        assert sum(b.heads for b in bins) == len(frame)

    def test_no_bin_leaks_more_than_the_worst_group(self) -> None:
        frame = pd.DataFrame([(s, x) for x in range(7, 21) for s in range(x)], columns=["s", "x"])
        audit = nl.audit(frame, sensitive="s", public="x")
        assert isinstance(audit, TableAudit)
        bins = posterior_bins(audit)
        assert [b.label for b in bins] == ["1", "7–8", "9–16", "17–20"]  # noqa: RUF001
        assert [b.groups for b in bins] == [0, 2, 8, 4]
        assert max(audit.entropy - Bits(b.first) for b in bins if b.groups) == audit.leakage

    def test_a_person_counts_once_a_bin(self) -> None:
        frame = pd.DataFrame({"u": [1, 1, 2], "s": [1, 2, 3], "x": [1, 2, 3]})
        audit = nl.audit(frame, sensitive="s", public="x", unit="u")
        assert isinstance(audit, TableAudit)
        (only,) = posterior_bins(audit)
        assert (only.groups, only.heads) == (3, 2)


class TestTexts:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (Fraction(5804, 10841), "0.536"),
            (Fraction(1), "1"),
            (Fraction(1, 3000), "0.000334"),
            (Fraction(9999, 10000), "1.00"),
        ],
    )
    def test_three_digits_rounded_up(self, value: Fraction, text: str) -> None:
        assert upper_text(value) == text

    def test_bounds(self) -> None:
        assert bound_text(2.9999, 2, up=False) == "2.99"
        assert bound_text(1234.5, 2, up=True) == "1,234.50"

    @pytest.mark.parametrize(
        ("part", "text"), [(0, "0 %"), (1, "<0.1 %"), (5_000, "50.0 %"), (9_999, ">99.9 %")]
    )
    def test_shares(self, part: int, text: str) -> None:
        assert share_text(part, 10_000) == text

    def test_values(self) -> None:
        assert value_text("日本語の", 5) == "日本…"
        assert value_text("x" * 100).endswith("x…")
        assert len(value_text("x" * 100)) == 80
        assert value_text("a\nb") == "a\ufffdb"
        assert value_text(3.5) == "3.5"
