import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certificate_examples import Made, make, random_case, write_files
from noiseless.cli.main import run
from noiseless.verification import SCHEMA, standalone_script


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str) -> Outcome:
        code = run(("verify", *arguments))
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def made() -> Made:
    return make(random_case(11))


@pytest.fixture
def files(made: Made, tmp_path: Path) -> list[str]:
    certificate, original, released = write_files(made, tmp_path)
    return [str(certificate), "--original", str(original), "--released", str(released)]


def test_a_certificate_that_holds(verify: Command, files: list[str]) -> None:
    done = verify(*files)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("The certificate holds: all 23 checks pass.\n")
    assert "  hidden " in done.out
    assert "Not checked, because no table can show it:" in done.out
    answer = verify(*files, "--format", "json")
    assert answer.code == 0
    assert answer.json["holds"] is True
    assert {frozenset(check) for check in answer.json["checks"]} == {
        frozenset({"name", "holds", "claimed", "found"})
    }


def test_a_certificate_that_does_not(verify: Command, made: Made, files: list[str]) -> None:
    made.certificate["claim"]["min_posterior"] += 1
    Path(files[0]).write_text(json.dumps(made.certificate), "utf-8")
    done = verify(*files)
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines()[0] == "The certificate DOES NOT HOLD: min_posterior."
    claimed = made.certificate["claim"]["min_posterior"]
    assert f"FAILS: claimed {claimed}, found {claimed - 1}" in done.out
    answer = verify(*files, "--format", "json")
    assert answer.code == 1
    assert [c["name"] for c in answer.json["checks"] if not c["holds"]] == ["min_posterior"]


def test_a_damaged_certificate_fails_its_format(verify: Command, made: Made, files: list[str]) -> None:
    del made.certificate["claim"]["cells"]
    Path(files[0]).write_text(json.dumps(made.certificate), "utf-8")
    done = verify(*files)
    assert (done.code, done.err) == (1, "")
    assert "claim has no cells" in done.out


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "not JSON",
        "[]",
        "{}",
        "[" * 200_000,
        '{"a":' * 200_000,
        '{"format": "noiseless-certificate", "version": 9}',
        '{"format": "noiseless-certificate", "format": 1}',
        "9" * 10_000,
    ],
)
@pytest.mark.parametrize("output", ["text", "json"])
def test_what_is_no_certificate_is_a_wrong_request(
    verify: Command, files: list[str], damage: str, output: str
) -> None:
    Path(files[0]).write_text(damage, "utf-8")
    done = verify(*files, "--format", output)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert "certificate" in done.err


def test_files_that_are_not_there_are_refused(verify: Command, files: list[str], tmp_path: Path) -> None:
    absent = str(tmp_path / "absent")
    for place in (0, 2, 4):
        wrong = [*files]
        wrong[place] = absent
        done = verify(*wrong)
        assert (done.code, done.out) == (2, "")
        assert "no such file" in done.err
    for short in (files[:1], files[:3], files[1:], []):
        assert verify(*short).code == 2


def test_tables_of_another_release_do_not_hold(verify: Command, files: list[str], tmp_path: Path) -> None:
    other = make(random_case(12))
    (tmp_path / "other").mkdir()
    _, original, released = map(str, write_files(other, tmp_path / "other"))
    done = verify(files[0], "--original", original, "--released", released)
    assert (done.code, done.err) == (1, "")


def test_no_sensitive_value_is_printed(verify: Command, made: Made, files: list[str]) -> None:
    for row in made.case.rows:
        row["secret"] = "very secret indeed"
    write_files(made, Path(files[0]).parent)
    for output in ("text", "json"):
        done = verify(*files, "--format", output)
        assert done.code == 1
        assert "very secret" not in done.out


def test_a_hostile_name_does_not_reach_the_terminal(verify: Command, made: Made, files: list[str]) -> None:
    made.certificate["columns"]["sensitive"] = ["\x1b[2Jgone"]
    made.certificate["stated"] = {"proof": "\x1b[31mred\nThe certificate holds"}
    Path(files[0]).write_text(json.dumps(made.certificate), "utf-8")
    done = verify(*files)
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "\nThe certificate holds" not in done.out


def test_the_single_file_is_written_out_and_runs(verify: Command, files: list[str], tmp_path: Path) -> None:
    out, schema = tmp_path / "check.py", tmp_path / "schema.json"
    done = verify("--write-standalone", str(out), "--write-schema", str(schema))
    assert (done.code, done.err) == (0, "")
    assert out.read_text("utf-8") == standalone_script()
    assert schema.read_bytes() == SCHEMA.read_bytes()
    ran = subprocess.run(
        [sys.executable, "-I", str(out), *files], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    answer = verify("--write-standalone", str(out), "--format", "json")
    assert answer.json == {"written": [str(out)]}
    assert verify(*files, "--write-standalone", str(out)).code == 2
    assert verify("--write-standalone", str(tmp_path / "absent" / "check.py")).code == 2


def test_help_has_an_example(verify: Command) -> None:
    done = verify("--help")
    assert done.code == 0
    assert "noiseless verify certificate.json" in done.out


def test_the_page_of_a_verification(verify: Command, files: list[str], tmp_path: Path) -> None:
    page = tmp_path / "checks.html"
    assert verify(*files, "--html", str(page)).code == 0
    whole = page.read_text("utf-8")
    assert "HOLDS" in whole
    assert whole.count("✓ holds") == 23
    certificate = Path(files[0])
    certificate.write_text(certificate.read_text().replace('"cells": ', '"cells": 1'))
    assert verify(*files, "--html", str(page)).code == 1
    assert "✗ fails" in page.read_text("utf-8")
    refused = verify(*files, "--html", files[2])
    assert refused.code == 2
