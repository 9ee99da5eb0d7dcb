"""The plugin of pytest, in projects of their own, as an installed package is found by it."""

import subprocess
import sys
from pathlib import Path

import pytest

TABLE = "ward,age\na,31\na,47\nb,52\nb,52\n"
TESTS = """
import pandas as pd
import pytest

FRAME = pd.read_csv("wards.csv")


def test_configured(assert_private):
    assert assert_private(FRAME).k_anonymity == 2


@pytest.mark.noiseless_policy({"min_posterior": 2})
def test_marked(assert_private):
    assert_private(FRAME, sensitive="age")


def test_called(assert_private):
    assert_private("wards.csv", {"homogeneous_groups": 0}, sensitive="age")
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "wards.csv").write_text(TABLE)
    (tmp_path / "test_release.py").write_text(TESTS)
    (tmp_path / "limits.toml").write_text('[columns]\nsensitive = "age"\n[limits]\nk_anonymity = 2\n')
    settings = '[tool.pytest.ini_options]\naddopts = "--strict-markers"\nnoiseless_policy = "limits.toml"\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    return tmp_path


def test_the_fixture_holds_tables_against_the_policy_that_is_nearest(project: Path) -> None:
    done = run(project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 1 passed" in done.stdout
    assert "fewest values left (age): at least 2 asked, 1 found" in done.stdout
    assert "homogeneous groups (age): at most 0 asked, 1 found" in done.stdout
    assert "Traceback" not in done.stdout
    assert "assertion.py" not in done.stdout


def test_without_a_policy_it_says_what_to_do(project: Path) -> None:
    (project / "pyproject.toml").unlink()
    done = run(project, "-k", "configured")
    assert "no policy is named; give one, or set noiseless_policy in pytest's configuration" in done.stdout


def test_it_loads_nothing_before_a_test_asks_for_it(project: Path) -> None:
    (project / "test_release.py").write_text(
        "import sys\n\n\ndef test_quick():\n    assert 'numpy' not in sys.modules\n"
        "    assert 'noiseless.integrations.assertion' not in sys.modules\n"
    )
    alone = ("--disable-plugin-autoload", "-p", "noiseless.integrations.pytest_plugin")
    done = run(project, *alone)
    assert done.returncode == 0, done.stdout
    assert "noiseless_policy(policy)" in run(project, *alone, "--markers").stdout
