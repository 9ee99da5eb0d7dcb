"""`audit --stochastic` against the definitions of section VI of [P3], by enumeration of a table's rows."""

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.cli.main import run
from noiseless.errors import RequestError

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=9)
NEAR = 1e-9


def classes(pairs: set[tuple[int, int]]) -> list[set[int]]:
    """The secrets that are joined by a chain of shared groups, by merging until nothing changes."""
    found = [{s} for s, _ in pairs]
    for _ in pairs:
        for _, y in pairs:
            behind = {s for s, other in pairs if other == y}
            touched = [block for block in found if block & behind]
            found = [block for block in found if not block & behind] + [set().union(*touched)]
    return found


def divergence(p: dict[int, Fraction], q: dict[int, Fraction], order: str) -> float:
    """D_order(p || q) in bits, from its formula."""
    inside = [s for s in p if p[s]]
    if order == "0":
        return -math.log2(sum(q[s] for s in inside))
    if order == "1":
        return math.fsum(p[s] * math.log2(p[s] / q[s]) for s in inside)
    if order == "inf":
        return math.log2(max(p[s] / q[s] for s in inside))
    alpha = float(Fraction(order))
    return math.log2(math.fsum(p[s] ** alpha * q[s] ** (1 - alpha) for s in inside)) / (alpha - 1)


def assert_safely(stated: float, truth: float) -> None:
    """What is stated of a leak is never below it, and hardly above."""
    assert truth - NEAR <= stated <= truth + NEAR


@given(rows=ROWS)
@settings(deadline=None)
def test_the_companions_are_those_of_their_definitions(rows: list[tuple[int, int]]) -> None:
    secrets, groups = zip(*rows, strict=True)
    table = pa.table({"s": secrets, "y": groups})
    told = nl.audit(table, sensitive="s", public="y").stochastic().to_dict()
    n, together, of_s, of_y = len(rows), Counter(rows), Counter(secrets), Counter(groups)

    information = math.fsum(
        Fraction(c, n) * math.log2(Fraction(c * n, of_s[s] * of_y[y])) for (s, y), c in together.items()
    )
    assert_safely(told["mutual_information"], information)
    blocks = classes(set(rows))
    shares = [Fraction(sum(of_s[s] for s in block), n) for block in blocks]
    assert_safely(told["common_information"], -math.fsum(p * math.log2(p) for p in shares))
    assert_safely(told["maximin"], math.log2(len(blocks)))
    assert_safely(
        told["maximal_leakage"],
        math.log2(sum(max(Fraction(together[s, y], of_s[s]) for s in of_s) for y in of_y)),
    )
    factor = max(Fraction(c * n, of_s[s] * of_y[y]) for (s, y), c in together.items())
    assert Fraction(told["realisable_factor_exact"]) == factor
    assert_safely(told["realisable_leakage"], math.log2(factor))

    own = {s: Fraction(c, n) for s, c in of_s.items()}
    even = {s: Fraction(1, len(of_s)) for s in of_s}
    for step in told["renyi"]:
        largest = {"uniform": 0.0, "frequencies": 0.0}
        for y in of_y:
            for name, prior in (("uniform", even), ("frequencies", own)):
                behind = {s: prior[s] * Fraction(together[s, y], of_s[s]) for s in of_s}
                posterior = {s: p / sum(behind.values()) for s, p in behind.items()}
                largest[name] = max(largest[name], divergence(posterior, prior, step["order"]))
        assert_safely(step["uniform"], largest["uniform"])
        assert_safely(step["frequencies"], largest["frequencies"])


@given(rows=ROWS)
@settings(deadline=None)
def test_local_privacy_is_that_of_the_release_as_a_channel(rows: list[tuple[int, int]]) -> None:
    secrets, groups = zip(*rows, strict=True)
    local = nl.audit(pa.table({"s": secrets, "y": groups}), sensitive="s", public="y").stochastic()
    told = local.to_dict()["local_dp"]
    together, of_s = Counter(rows), Counter(secrets)
    chances = [[Fraction(together[s, y], of_s[s]) for s in of_s] for y in set(groups)]
    possible = all(min(row) > 0 for row in chances)
    assert told["attainable"] == possible
    if not possible:
        assert told["epsilon_nats"] == math.inf
        assert "unattainable" in told["statement"]
        return
    epsilon = math.log(max(max(row) / min(row) for row in chances))
    assert_safely(told["epsilon_nats"], epsilon)
    assert told["epsilon_at_least_nats"] <= epsilon + NEAR
    assert told["epsilon_at_most_nats"] >= epsilon - NEAR


def test_with_side_information_it_is_what_the_release_adds() -> None:
    table = pa.table({"s": [0, 1, 0, 1], "a": [0, 1, 0, 1], "y": [0, 1, 1, 0]})
    told = nl.audit(table, sensitive="s", public="y", given="a").stochastic().to_dict()
    assert told["mutual_information"] == told["realisable_leakage"] == 0  # a tells all there is
    assert told["common_information"] == 1  # of all that is seen
    assert [step["uniform"] for step in told["renyi"]] == [None] * 5


def test_too_many_pairs_are_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseless.audits.stochastic.MOST_PAIRS", 2)
    audit = nl.audit(pa.table({"s": [0, 1, 2], "y": [0, 0, 1]}), sensitive="s", public="y")
    with pytest.raises(RequestError, match="3 pairs of sensitive and public values are too many"):
        audit.stochastic()


def test_the_command_says_the_same_in_text_json_and_on_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    table.write_text("s,y\na,1\nb,1\na,2\nb,2\nb,2\n")
    asked = ["audit", str(table), "--sensitive", "s", "--public", "y", "--stochastic"]
    assert run([*asked, "--html", str(page)]) == 0
    text = capsys.readouterr().out
    assert run([*asked, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["stochastic"]
    epsilon = math.log(Fraction(1, 2) / Fraction(1, 3))  # both secrets can be in both groups
    assert epsilon <= told["local_dp"]["epsilon_nats"] < epsilon + NEAR
    assert told["local_dp"]["statement"] in text
    assert told["local_dp"]["statement"] in page.read_text("utf-8")
    assert "(no guarantee for anyone)" in text
    assert run([*asked[:-1], "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["stochastic"] is None
