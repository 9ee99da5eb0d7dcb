"""The hook of pre-commit and the action, in git projects of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
GOOD = "ward,age\na,31\na,47\nb,52\nb,60\n"
BAD = "ward,age\na,31\na,47\nb,52\nb,52\n"
POLICY = '[columns]\nsensitive = "age"\npublic = "ward"\n[limits]\nmin_posterior = 2\n'


def environment() -> dict[str, str]:
    """That of the tests, with the command on its path and no settings of git's but its own."""
    folder = str(Path(sys.executable).parent)
    own = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull}
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
        **own,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env=environment() | variables, capture_output=True, text=True, check=False
    )


def commit(folder: Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / f"data {name}.csv"  # with a blank, as names have them
        path.write_text(text)
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    for words in (["add", "-A"], [*who, "commit", "-q", "--no-verify", "-m", "data"]):
        done = run(folder, "git", *words)
        assert done.returncode == 0, done.stderr
    return run(folder, "git", "rev-parse", "HEAD").stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "limits.toml").write_text(POLICY)
    run(tmp_path, "git", "init", "-q")
    return tmp_path


def test_the_hook_audits_the_files_that_are_committed(project: Path) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text("utf-8"))
    local = {"repos": [{"repo": "local", "hooks": [hook | {"language": "system"}]}]}  # nothing is installed
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(local))
    commit(project, old=BAD)
    (project / "data new.csv").write_text(GOOD)
    run(project, "git", "add", "-A")
    done = run(project, "pre-commit", "run", PRE_COMMIT_HOME=str(project / ".cache"))
    assert done.returncode == 0, done.stdout + done.stderr
    (project / "data worse.csv").write_text(BAD)
    run(project, "git", "add", "-A")
    done = run(project, "pre-commit", "run", PRE_COMMIT_HOME=str(project / ".cache"))
    assert done.returncode == 1
    assert "data worse.csv: NOT PRIVATE" in done.stdout
    assert "FAILS: fewest values left (age): at least 2 asked, 1 found" in done.stdout
    assert "data old.csv" not in done.stdout


def test_the_manifest_of_hooks_is_one() -> None:
    done = run(ROOT, "pre-commit", "validate-manifest", str(HOOKS))
    assert done.returncode == 0, done.stdout


def audited(project: Path, base: str) -> subprocess.CompletedProcess[str]:
    """What the step of the action says: its script, with its inputs' defaults in its variables."""
    (step,) = [one for one in ACTION["runs"]["steps"] if one["name"] == "audit"]
    given = {name: entry["default"] for name, entry in ACTION["inputs"].items()} | {"base": base}
    inputs = {name: re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text) for name, text in step["env"].items()}
    variables = {name: given[found[1]] for name, found in inputs.items() if found}
    assert set(variables) == set(step["env"])
    return run(project, step["shell"], "-c", step["run"], **variables)


def test_the_action_audits_what_a_change_adds_or_alters(project: Path) -> None:
    before = commit(project, old=BAD, other=GOOD)
    assert audited(project, before).stdout == "No data file changed.\n"
    after = commit(project, other=GOOD + "a,99\n", new=GOOD)
    done = audited(project, before)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["data new.csv", "data other.csv"]
    commit(project, other=BAD)
    done = audited(project, after)
    assert done.returncode == 1
    assert "data other.csv: NOT PRIVATE" in done.stdout


def test_the_first_push_of_a_branch_audits_all(project: Path) -> None:
    commit(project, old=BAD)
    done = audited(project, "0" * 40)
    assert done.returncode == 1
    assert "data old.csv: NOT PRIVATE" in done.stdout


def test_a_table_that_cannot_be_audited_fails_the_action(project: Path) -> None:
    before = commit(project, old=GOOD)
    commit(project, other="height\n3\n")
    done = audited(project, before)
    assert done.returncode == 2
    assert "'age'" in done.stderr


def test_the_action_passes_inputs_by_variables_alone() -> None:
    """What is written into a script is run by it: a file's name in a pull request could be anything."""
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])
