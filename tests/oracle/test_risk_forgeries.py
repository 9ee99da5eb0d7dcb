"""Certificates that claim risks: true ones hold, and no forged one does, in both checkers.

What is true is counted here, from the definitions and row by row.
"""

import copy
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pytest

import noiseless as nl
from noiseless.verification import script
from noiseless.verification.verifier import verify

Json = dict[str, Any]
Groups = dict[Hashable, list[int]]

LIMITS: dict[str, Any] = {
    "largest_belief": "3/4",
    "pointwise_leakage": "1.5",
    "beta_likeness": "3",
    "enhanced_beta_likeness": "3",
    "delta_disclosure": "5",
    "entropy_l_diversity": "1.2",
    "t_closeness": "0.6",
    "width": "1",
    "min_classes": 2,
}
CLASSES = {"1.5": "low", "2": "low", "4": "high", "8": "high"}


class Example(NamedTuple):
    """A release, as tables and a certificate."""

    original: pa.Table
    released: pa.Table
    certificate: Json


@cache
def example(seed: int, *, given: bool, unit: bool) -> Example:
    """Made by the process that needs it, once."""
    rng = random.Random(seed)
    rows = 40
    table = pa.table(
        {
            "x": [rng.randint(0, 12) for _ in range(rows)],
            "s": [rng.choice([1.5, 2.0, 4.0, None][: 3 + seed % 2]) for _ in range(rows)],
            "g": [rng.choice("uv") for _ in range(rows)],
            "who": [rng.randint(0, 20) for _ in range(rows)],
        }
    )
    asked: dict[str, Any] = {"width": "1", "unit": "who", "min_rows": 3}
    if not unit:
        asked = LIMITS | {"classes": {value: (name, "*") for value, name in CLASSES.items()}}
    if given:
        asked |= {"given": "g"}
    done = nl.release(table, sensitive="s", public="x", keep_order=True, **asked)
    return Example(table, done.table, json.loads(json.dumps(done.certificate.to_dict())))


ROWS = [partial(example, seed, given=seed % 3 == 0, unit=False) for seed in range(6)]
PERSONS = [partial(example, seed, given=seed % 2 == 0, unit=True) for seed in range(4)]


def true_risks(made: Example) -> dict[str, str]:
    """What the two tables reach, from the definitions."""
    secrets: list[float | None] = made.original["s"].to_pylist()
    known = made.original["g"].to_pylist() if made.certificate["columns"]["given"] else [""] * len(secrets)
    behind, before, who = defaultdict(list), defaultdict(list), defaultdict(set)
    for word, g, s, person in zip(
        made.released["x"].to_pylist(), known, secrets, made.original["who"].to_pylist(), strict=True
    ):
        behind[word, g].append(s)
        before[g].append(s)
        who[word, g].add(person)
    pairs = [(group, g, s) for (_, g), group in behind.items() for s in before[g]]
    q = {(i, s): Fraction(group.count(s), len(group)) for i, (group, _, s) in enumerate(pairs)}
    p = {(i, s): Fraction(before[g].count(s), len(before[g])) for i, (_, g, s) in enumerate(pairs)}
    ratios = [q[key] / p[key] for key in q]
    numbers = [[Fraction(s) for s in group if s is not None] for group in behind.values()]
    gain, least = max(ratios), min(ratios)
    values = sorted(set(secrets), key=lambda s: (s is not None, s or 0))
    enhanced = all(q[key] / p[key] - 1 <= -math.log(p[key]) + 1e-12 for key in q)
    found = {
        "largest_belief": max(q.values()),
        "pointwise_leakage": f"log2({gain})",
        "beta_likeness": gain - 1,
        "enhanced_beta_likeness": gain - 1 if enhanced else "no bound",
        "delta_disclosure": f"ln({max(gain, 1 / least)})" if least else "no bound",
        "t_closeness": max(_moved(group, secrets, values) for group in behind.values()),
        "width": min(max(own) - min(own) if own else Fraction(0) for own in numbers),
        "entropy_l_diversity": Fraction(math.floor(min(map(_effective, behind.values())) * 10**4), 10**4),
        "min_rows": min(map(len, who.values())),
        "min_classes": min(len({_class(s) for s in group}) for group in behind.values()),
    }
    return {name: str(value) for name, value in found.items()}


def _class(secret: float | None) -> str | None:
    """A missing value is a class of its own."""
    return None if secret is None else CLASSES[f"{secret:g}"]


def _effective(group: list[Any]) -> float:
    shares = [count / len(group) for count in Counter(group).values()]
    return math.exp(-sum(share * math.log(share) for share in shares)) + 1e-12


def _moved(group: list[Any], whole: list[Any], values: list[Any]) -> Fraction:
    area, gap = Fraction(0), Fraction(0)
    for value in values:
        gap += Fraction(group.count(value), len(group)) - Fraction(whole.count(value), len(whole))
        area += abs(gap)
    return area / (len(values) - 1)


@pytest.mark.parametrize("make", [*ROWS, *PERSONS])
def test_the_truth_is_claimed_and_holds(make: partial[Example], tmp_path: Path) -> None:
    made = make()
    true, claimed = true_risks(made), made.certificate["claim"]["risks"]
    assert claimed == {name: true[name] for name in claimed}
    assert made.certificate["version"] == 2
    assert verify(made.certificate, original=made.original, released=made.released).holds
    assert alone(made, tmp_path) == 0


def alone(made: Example, folder: Path) -> int:
    """The exit code of the single file."""
    pyarrow.csv.write_csv(made.original, folder / "original.csv")
    pyarrow.csv.write_csv(made.released, folder / "released.csv")
    (folder / "certificate.json").write_text(json.dumps(made.certificate), "utf-8")
    tables = ["--original", str(folder / "original.csv"), "--released", str(folder / "released.csv")]
    return script.main([str(folder / "certificate.json"), *tables])


Lie = Callable[[Json], str]
LIES: dict[str, Lie] = {}


def lie(function: Lie) -> Lie:
    LIES[function.__name__] = function
    return function


def _claim(name: str, value: str) -> Lie:
    def tell(certificate: Json) -> str:
        certificate["claim"]["risks"][name] = value
        return name

    return tell


for risk, better in {
    "largest_belief": "1/100",
    "pointwise_leakage": "log2(1)",
    "beta_likeness": "0",
    "enhanced_beta_likeness": "0",
    "delta_disclosure": "ln(1)",
    "entropy_l_diversity": "5",
    "t_closeness": "0",
    "width": "1000",
    "min_classes": "4",
}.items():
    LIES[f"less_{risk}"] = _claim(risk, better)


def _target(name: str, value: str) -> Lie:
    def tell(certificate: Json) -> str:
        certificate["target"][name] = value
        return "target"

    return tell


for risk, stricter in {
    "largest_belief": "1/100",
    "pointwise_leakage": "0",
    "beta_likeness": "0",
    "enhanced_beta_likeness": "0",
    "delta_disclosure": "1/1000",
    "entropy_l_diversity": "5",
    "t_closeness": "0",
    "width": "1000",
    "min_classes": "4",
}.items():
    LIES[f"stricter_{risk}"] = _target(risk, stricter)


@lie
def a_claim_left_out(certificate: Json) -> str:
    del certificate["claim"]["risks"]["largest_belief"]
    return "format"


@lie
def a_claim_that_was_not_asked_for(certificate: Json) -> str:
    del certificate["target"]["largest_belief"]
    return "format"


@lie
def values_without_an_order(certificate: Json) -> str:
    certificate["options"]["ordered"] = False
    return "t_closeness"


@lie
def values_of_no_class(certificate: Json) -> str:
    del certificate["options"]["classes"]["2"]
    return "min_classes"


@lie
def one_class_for_all(certificate: Json) -> str:
    certificate["options"]["classes"] = dict.fromkeys(CLASSES, "any")
    return "min_classes"


@lie
def the_first_version(certificate: Json) -> str:
    certificate["version"] = 1
    return "format"


@lie
def the_first_version_with_its_columns(certificate: Json) -> str:
    certificate["version"] = 1
    del certificate["columns"]["unit"]
    del certificate["claim"]["risks"]
    return "format"


@lie
def a_number_for_a_text(certificate: Json) -> str:
    certificate["claim"]["risks"]["width"] = 2
    return "format"


@lie
def an_order_that_is_none(certificate: Json) -> str:
    certificate["options"]["ordered"] = "yes"
    return "format"


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_risks_fails_and_is_named(name: str, tmp_path: Path) -> None:
    made = ROWS[list(LIES).index(name) % len(ROWS)]()
    forged = made._replace(certificate=copy.deepcopy(made.certificate))
    expected = LIES[name](forged.certificate)
    found = verify(forged.certificate, original=forged.original, released=forged.released)
    assert expected in {check.name for check in found.failed}
    assert alone(forged, tmp_path) == 1


def test_persons_are_not_rows(tmp_path: Path) -> None:
    """A person with many rows is one: other counts are refused, and whose rows they are is in the digest."""
    for made in [make() for make in PERSONS]:
        for changes in (
            {"claim": "99"},
            {"target": 30},
            {"table": made.original.set_column(3, "who", pa.array(range(len(made.original))))},
        ):
            forged = made._replace(certificate=copy.deepcopy(made.certificate))
            if "claim" in changes:
                forged.certificate["claim"]["risks"]["min_rows"] = changes["claim"]
            if "target" in changes:
                forged.certificate["target"]["min_rows"] = changes["target"]
            if "table" in changes:
                forged = forged._replace(original=changes["table"])
            assert not verify(forged.certificate, original=forged.original, released=forged.released).holds
            assert alone(forged, tmp_path) == 1
