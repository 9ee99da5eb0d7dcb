"""The macro of dbt, in a project that dbt-duckdb builds; what it finds is what an audit finds."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import noiseless as nl
from noiseless import integrations

PACKAGE = Path(integrations.__file__).parent / "dbt"
OWN = Path(sys.prefix) / "dbt" / "bin" / "dbt"
"""Where `make` installs it: dbt wants other versions of what our tools use."""
DBT = str(OWN) if OWN.is_file() else shutil.which("dbt")

TABLES = 6
SPELLED = 2
"""This many tables have groups with one value in two spellings."""
LIMITS: tuple[Mapping[str, Any], ...] = (
    {"min_posterior": 2},
    {"k_anonymity": 2},
    {"min_posterior": 2, "k_anonymity": 2},
    {"min_posterior": 3, "public": ["sex"]},
)


def people(seed: int) -> pd.DataFrame:
    """A small table with a missing value and spellings, that keeps some limits and breaks others."""
    draw = random.Random(seed)
    rows = 6 + 6 * seed
    spelled = pd.DataFrame(
        {
            "sex": [*"xxyyzz"],
            "ward": ["d"] * 6,
            "ill": ["41", "41.0", "caf\u00e9", "cafe\u0301", "a b", "a  b"],
        }
    )
    drawn = pd.DataFrame(
        {
            "sex": [draw.choice("fm") for _ in range(rows)],
            "ward": [draw.choice(["a", "b", None]) for _ in range(rows)],
            "ill": [draw.choice(["flu", "Flu ", "cold", "asthma", None]) for _ in range(rows)],
        }
    )
    return pd.concat([spelled, drawn], ignore_index=True) if seed < SPELLED else drawn


def private(name: str, **arguments: object) -> dict[str, Any]:
    return {"noiseless.private": {"name": name, "arguments": arguments}}


def dbt(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if DBT is None:
        pytest.skip("dbt is not installed; `make .venv/ready` puts it into .venv/dbt")
    quiet = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_PROFILES_DIR": str(project)}
    command = [DBT, "--no-use-colors", *words]
    return subprocess.run(command, cwd=project, env=quiet, capture_output=True, text=True, check=False)


def say(project: Path, tests: list[dict[str, Any]]) -> None:
    """What is tested of the seeds; JSON is YAML."""
    (project / "models" / "schema.yml").write_text(json.dumps({"version": 2, "seeds": tests}))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of dbt with the package, and no tests yet."""
    project = tmp_path_factory.mktemp("dbt")
    for folder in ("seeds", "models"):
        (project / folder).mkdir()
    for number in range(TABLES):
        people(number).to_csv(project / "seeds" / f"t{number}.csv", index=False)
    target = {"type": "duckdb", "path": "wards.duckdb", "threads": 1}
    files: dict[str, object] = {
        "dbt_project.yml": {"name": "wards", "version": "1.0", "config-version": 2, "profile": "wards"},
        "packages.yml": {"packages": [{"local": str(PACKAGE)}]},
        "profiles.yml": {"wards": {"target": "here", "outputs": {"here": target}}},
    }
    for name, content in files.items():
        (project / name).write_text(json.dumps(content))
    done = dbt(project, "deps")
    assert done.returncode == 0, done.stdout
    return project


@pytest.fixture(scope="module")
def results(project: Path) -> dict[str, tuple[str, int | None]]:
    """The status of every test of the project, and how many groups it found."""
    seeds: list[dict[str, Any]] = [
        {
            "name": f"t{n}",
            "data_tests": [
                private(f"t{n}_{i}", sensitive="ill", **limits) for i, limits in enumerate(LIMITS)
            ],
        }
        for n in range(TABLES)
    ]
    seeds[1]["columns"] = [{"name": "ill", "data_tests": [private("t1_column", **LIMITS[0])]}]
    say(project, seeds)
    done = dbt(project, "build")
    assert done.returncode == 1, done.stdout
    found = json.loads((project / "target" / "run_results.json").read_text())["results"]
    return {one["unique_id"].split(".")[2]: (one["status"], one["failures"]) for one in found}


def failing(table: pd.DataFrame, limits: Mapping[str, Any]) -> bool:
    """What an audit says."""
    public = limits.get("public", ["sex", "ward"])
    asked = {name: limit for name, limit in limits.items() if name != "public"}
    return not nl.Policy(limits=asked).check(nl.audit(table, sensitive="ill", public=public)).holds


def test_it_agrees_with_an_audit(results: dict[str, tuple[str, int | None]]) -> None:
    pairs = [(n, i, limits) for n in range(TABLES) for i, limits in enumerate(LIMITS)]
    expected = {f"t{n}_{i}": failing(people(n), limits) for n, i, limits in pairs}
    assert {name: results[name][0] == "fail" for name in expected} == expected
    assert set(expected.values()) == {True, False}


def test_a_column_can_carry_it(results: dict[str, tuple[str, int | None]]) -> None:
    assert results["t1_column"] == results["t1_0"]


def test_it_counts_the_groups_that_fail(results: dict[str, tuple[str, int | None]]) -> None:
    audit = nl.audit(people(0), sensitive="ill", public=["sex", "ward"])
    assert results["t0_0"] == ("fail", audit.homogeneous_groups)


def test_a_test_without_a_limit_is_an_error(project: Path) -> None:
    say(project, [{"name": "t0", "data_tests": [private("t0_unlimited", sensitive="ill")]}])
    assert "private: no limit is set; say min_posterior or k_anonymity" in dbt(project, "parse").stdout
