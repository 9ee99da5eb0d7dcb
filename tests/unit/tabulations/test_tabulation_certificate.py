import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noiseless.tabulations import Publication, Told
from noiseless.tabulations.audit import audit_tables
from noiseless.verification import standalone_script, verify_tables
from noiseless.verification.tabulation_claims import check_tables
from tabulation_examples import CASES, flat, forms_of, hierarchy, holes_case, publication_of, withheld


def written(publication: Publication, **asked: Any) -> dict[str, Any]:  # noqa: ANN401 - as audits take it
    """A certificate as it is read back from a file."""
    found: dict[str, Any] = json.loads(json.dumps(audit_tables(publication, **asked).certificate()))
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_golden_cases_are_certified(case: dict[str, Any]) -> None:
    publication = publication_of(case)
    assert verify_tables(written(publication, targets=forms_of(case)), publication).holds


def test_holes_are_proved() -> None:
    publication = holes_case()
    certificate = written(publication, targets={"x011": {"atom": ["x011"]}})
    assert verify_tables(certificate, publication).holds
    assert {(begin, end) for _, begin, end, _ in certificate["steps"] if begin == end} == {(1, 1), (3, 3)}


@pytest.mark.parametrize("width", [3, 9])
def test_hierarchies_are_certified(width: int) -> None:
    chance = np.random.default_rng(width)
    hidden = chance.random((9, 9)) < 0.4
    dimensions = [hierarchy("a", 9, width), hierarchy("b", 9, width)]
    publication = withheld(chance.integers(0, 12, (9, 9)), dimensions, hidden)
    assert verify_tables(written(publication), publication).holds


def numbers(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - JSON
    """Where numbers stand in JSON."""
    if isinstance(part, dict | list):
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            yield from numbers(value, (*path, key))
    elif (isinstance(part, int) and not isinstance(part, bool)) or (
        isinstance(part, str) and part.removeprefix("-").isdigit()
    ):
        yield path


def forged(certificate: dict[str, Any], path: tuple[Any, ...], change: int) -> dict[str, Any]:
    other = copy.deepcopy(certificate)
    place = other
    for key in path[:-1]:
        place = place[key]
    value = place[path[-1]]
    place[path[-1]] = value + change if isinstance(value, int) else str(int(value) + change)
    return other


@pytest.mark.parametrize("name", ["g03", "g05", "g09", "holes"])
def test_every_number_that_is_forged_is_refused_or_claims_nothing_else(name: str) -> None:
    publication = holes_case() if name == "holes" else publication_of(CASES[name])
    targets = {"x011": {"atom": ["x011"]}} if name == "holes" else forms_of(CASES[name])
    certificate = written(publication, targets=targets)
    refused = 0
    for path in numbers(certificate):
        if path[0] == "publication" and name == "holes":
            continue
        for change in (1, -1):
            other = forged(certificate, path, change)
            holds = verify_tables(other, publication).holds
            refused += not holds
            if path[0] in {"claims", "publication"} and "atoms" not in path:
                assert not holds, path
            if holds and "atoms" not in path:  # another proof of the same claims
                assert {str(claim) for claim in other["claims"]} == {
                    str(claim) for claim in certificate["claims"]
                }
    assert refused


def test_claims_that_are_left_out_or_doubled_are_refused() -> None:
    publication = withheld(np.arange(9).reshape(3, 3), [flat("a", 3), flat("b", 3)], np.eye(3) < 1)
    certificate = written(publication)
    assert verify_tables(certificate, publication).holds
    del certificate["claims"][0]
    assert [check.name for check in verify_tables(certificate, publication).failed] == ["figures"]


def test_of_several_tables_names_say_which_is_which() -> None:
    publication = withheld(np.arange(9).reshape(3, 3), [flat("a", 3), flat("b", 3)], np.eye(3) < 1)
    both = publication.to_dict()
    both["tables"] = [both["tables"][0] | {"name": name} for name in ("one", "two")]
    both["tables"][1]["lower"] = [*both["tables"][1]["lower"][:-1], 99]
    swapped = {
        **both,
        "tables": [
            table | {"name": name} for table, name in zip(both["tables"], ("two", "one"), strict=True)
        ],
    }
    asked = {**written(publication), "publication": both}
    (same,), (other,) = (
        [each.holds for each in check_tables(asked, one).checks if each.name == "publication"]
        for one in (both, swapped)
    )
    assert (same, other) == (True, False)


def test_a_table_is_the_same_in_any_order_and_under_any_name() -> None:
    publication = withheld(np.arange(9).reshape(3, 3), [flat("a", 3), flat("b", 3)], np.eye(3) < 1)
    certificate, other = written(publication), json.loads(json.dumps(publication.to_dict()))
    (table,) = other["tables"]
    table["name"] = "renamed"
    for key in ("codes", "lower", "upper"):
        table[key].reverse()
    table["labels"][0].reverse()
    table["codes"] = [[len(table["labels"][0]) - 1 - row, column] for row, column in table["codes"]]
    assert check_tables(certificate, other).holds
    table["lower"][0] += 1
    assert not check_tables(certificate, other).holds
    table["lower"][0] -= 1
    for key in ("codes", "lower", "upper"):  # a figure that is there twice says more than once
        table[key].append(table[key][0])
    assert not check_tables(certificate, other).holds


def test_that_a_rule_is_broken_must_be_proved() -> None:
    """Fewer tables show less; that they do not show what a rule wants is no proof that it is excluded."""
    dimensions = [flat("a", 2), flat("b", 2)]
    publication = withheld(np.array([[4, 4], [4, 4]]), dimensions, np.ones((2, 2), bool))
    audit = audit_tables(publication, rules={"threshold": 5})
    certificate = json.loads(json.dumps(audit.certificate(public=False)))
    assert certificate["requirements"][0]["holds"]
    assert verify_tables(certificate, publication).holds
    certificate["witnesses"] = [[8, 0, 0, 8]]
    for claim, value in zip(certificate["claims"], certificate["witnesses"][0], strict=True):
        claim |= {"least": value, "most": value, "values": None}
    for wish, value in zip(certificate["requirements"], certificate["witnesses"][0], strict=True):
        wish["holds"] = True if value == 0 else None
    assert verify_tables(certificate, publication).holds
    certificate["requirements"][0]["holds"] = False
    assert not verify_tables(certificate, publication).holds


def test_a_contradiction_is_certified() -> None:
    rows = [(["a", "b"], Told.exact(1)), (["b", "c"], Told.exact(1)), (["a", "c"], Told.exact(1))]
    publication = Publication.of_rows(["a", "b", "c"], [(0, 9)] * 3, [*rows, (["a"], Told(0, 5))])
    certificate = written(publication)
    assert certificate["inconsistent"] == [0, 1, 2]
    assert verify_tables(certificate, publication).holds
    certificate["inconsistent"] = [0, 1]
    assert not verify_tables(certificate, publication).holds


@pytest.mark.parametrize(
    "line", [[[], 5, 9, ["-1", []]], [[], 5, None, ["-1", []]], [[], None, -1, ["1", []]]]
)
def test_a_sum_of_nothing_that_is_not_5_is_no_contradiction(line: list[Any]) -> None:
    publication = holes_case()
    lie = {**written(publication), "inconsistent": [0], "steps": [line]}
    parts = ("format", "public", "publication", "inconsistent", "steps")
    found = verify_tables({part: lie[part] for part in parts} | {"public": True}, publication)
    assert [check.name for check in found.failed] == ["contradiction"]


@pytest.mark.parametrize(
    "damage", [{}, [], None, {"format": "noiseless-tables/1"}, {"format": "noiseless-tables/1", "public": 1}]
)
def test_what_is_no_certificate_does_not_hold(damage: object) -> None:
    assert not verify_tables(damage, publication_of(CASES["g01"])).holds


def test_the_single_file_checks_it_without_this_package(tmp_path: Path) -> None:
    program, file = tmp_path / "check.py", tmp_path / "certificate.json"
    program.write_text(standalone_script(), "utf-8")
    certificate = written(publication_of(CASES["g07"]), targets=forms_of(CASES["g07"]))
    command = [sys.executable, "-I", "-S", str(program), str(file)]
    for change, code in ((0, 0), (1, 1)):
        certificate["claims"][0]["upper"] += change
        file.write_text(json.dumps(certificate), "utf-8")
        assert subprocess.run(command, capture_output=True, check=False).returncode == code
