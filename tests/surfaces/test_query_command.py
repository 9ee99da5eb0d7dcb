import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator_examples import ROWS, write_curator, write_rows
from noiseless.cli.main import run

MEAN = "SELECT AVG(kwh) FROM meters"


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def noiseless(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_curator(tmp_path, bits=2)


def test_a_batch_is_asked_and_told_as_json(noiseless: Command, path: Path) -> None:
    done = noiseless(
        "query", path, MEAN, "SELECT suburb, MAX(kwh) FROM meters GROUP BY suburb", "--format", "json"
    )
    assert (done.code, done.err) == (0, "")
    assert set(done.json) >= {"answers", "batch_bits", "spent", "remaining"}
    assert len(done.json["answers"]) == 4
    assert set(done.json["answers"][0]) >= {"sql", "value", "lower", "upper", "bits", "free"}
    assert done.json["answers"][0]["lower"] <= 4.4375 <= done.json["answers"][0]["upper"]
    assert done.json["answers"][1]["group"] == {"suburb": "north"}
    again = noiseless("query", path, MEAN, "--format", "json")
    assert (again.json["batch_bits"], again.json["answers"][0]["free"]) == (0, True)
    assert again.json["answers"][0]["value"] == done.json["answers"][0]["value"]


def test_a_batch_is_told_in_words(noiseless: Command, path: Path) -> None:
    done = noiseless("query", path, MEAN)
    assert done.code == 0
    assert done.out.startswith(
        "the answers cost 1.00 bits (reach); 1.00 bits are spent, 1.00 bits are left\n"
    )


def test_a_dry_run_charges_nothing(noiseless: Command, path: Path) -> None:
    for _ in range(3):
        done = noiseless("query", path, MEAN, "--dry-run", "--format", "json")
        assert (done.code, done.json["batch_bits"], done.json["spent"]) == (0, 1, 0)
        assert done.json["answers"][0]["value"] is None
    dear = noiseless(
        "query", path, "SELECT /*+ bits(3) */ SUM(kwh) FROM meters", "--dry-run", "--format", "json"
    )
    assert (dear.code, dear.json["allowed"]) == (1, False)


def test_each_statement_by_itself(noiseless: Command, path: Path) -> None:
    dear, wrong = "SELECT /*+ bits(3) */ SUM(kwh) FROM meters", "SELECT kwh FROM meters"
    done = noiseless("query", path, "--each", MEAN, dear, "SELECT MAX(kwh) FROM meters", "--format", "json")
    assert (done.code, done.err) == (1, "")
    first, refused, last = done.json["batches"]
    assert (first["spent"], refused["error"]["code"], last["spent"]) == (1, "budget", 2)
    assert refused["error"]["details"] == {"spent": 1, "asked": 3, "remaining": 1, "remaining_outputs": 2}
    told = noiseless("query", path, "--each", wrong, MEAN)
    assert told.code == 2
    assert told.out.startswith(f"{MEAN}: the answers cost nothing; 2.00 bits are spent")
    assert told.err.startswith(f"noiseless: {wrong}: ")
    said = noiseless("query", path, "--each", wrong, "--format", "json").json["batches"]
    assert (said[0]["sql"], said[0]["error"]["code"]) == (wrong, "bad_query")
    assert noiseless("query", path, "--each", MEAN).code == 0
    both = noiseless("query", path, "--each", "--dry-run", MEAN)
    assert (both.code, both.out) == (2, "")
    assert "--dry-run" in both.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_refusal_shows_spent_asked_and_remaining(noiseless: Command, path: Path, form: str) -> None:
    noiseless("query", path, MEAN)
    done = noiseless("query", path, "SELECT /*+ bits(2) */ MAX(kwh) FROM meters", "--format", form)
    assert done.code == 1
    if form == "text":
        assert done.out == ""
        assert "the batch costs 2.00 bits, 1.00 bits are spent and 1.00 bits are left" in done.err
        assert done.err.count("\n") == 1
    else:
        error = done.json["error"]
        assert error["code"] == "budget"
        assert error["details"] == {"spent": 1, "asked": 2, "remaining": 1, "remaining_outputs": 2}


def test_analysts_have_quotas(noiseless: Command, tmp_path: Path) -> None:
    path = write_curator(tmp_path, bits=4, budget="analyst_bits = 1")
    assert noiseless("query", path, MEAN, "--analyst", "ann").code == 0
    refused = noiseless("query", path, "SELECT MAX(kwh) FROM meters", "--analyst", "ann")
    assert (refused.code, "analyst 'ann'" in refused.err) == (1, True)
    assert noiseless("query", path, "SELECT MAX(kwh) FROM meters", "--analyst", "bob").code == 0


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT kwh FROM meters", "kwh"),
        ("SELECT AVG(kwhh) FROM meters", "kwhh"),
        ("DROP TABLE meters", "SELECT"),
        ("SELECT AVG(kwh) FROM other", "meters"),
    ],
)
def test_a_wrong_request_is_one_line(noiseless: Command, path: Path, sql: str, said: str) -> None:
    done = noiseless("query", path, sql)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_wrong_file_is_one_line(noiseless: Command, tmp_path: Path) -> None:
    done = noiseless("query", tmp_path / "none.toml", MEAN)
    assert (done.code, done.err.count("\n")) == (2, 1)
    path = write_curator(tmp_path)
    path.write_text(path.read_text().replace("query_bits", "quer_bits"))
    done = noiseless("query", path, MEAN)
    assert (done.code, "did you mean query_bits?" in done.err) == (2, True)


def test_a_changed_source_is_declared_by_its_owner(noiseless: Command, path: Path) -> None:
    noiseless("query", path, MEAN)
    write_rows(path.parent, (*ROWS[:-1], ("west", "7.5", "true", "oil")))
    done = noiseless("query", path, "SELECT MAX(kwh) FROM meters")
    assert (done.code, done.out) == (2, "")
    assert "noiseless dataset declare curator.toml" in done.err
    declared = noiseless("dataset", "declare", path, "--by", "office", "--format", "json")
    assert (declared.code, declared.json["version"], declared.json["new_version"]) == (0, 2, True)
    assert declared.json["spent"] == 1
    assert noiseless("query", path, "SELECT MAX(kwh) FROM meters", "--format", "json").json["spent"] == 2
    write_rows(path.parent, ROWS)
    anew = noiseless("dataset", "declare", path, "--start-anew")
    assert anew.out.startswith("version 3 of meters is declared\n8 rows in 3 public cells\n")
    assert "0.00 of 2.00 bits spent, 2.00 left" in anew.out
    again = noiseless("dataset", "declare", path)
    assert again.out.startswith("version 4 of meters is declared\n")


def test_other_budgets_are_recorded_and_the_version_stays(noiseless: Command, path: Path) -> None:
    noiseless("query", path, MEAN)
    path.write_text(path.read_text().replace("bits = 2", "bits = 3", 1))
    refused = noiseless("query", path, MEAN)
    assert refused.code == 2
    assert "noiseless dataset budget curator.toml" in refused.err
    done = noiseless("dataset", "budget", path, "--by", "office")
    assert done.out.startswith("version 1 of meters\n")
    assert "1.00 of 3.00 bits spent, 2.00 left" in done.out
    assert noiseless("query", path, MEAN, "--format", "json").json["batch_bits"] == 0


def test_a_dataset_is_shown_without_its_data(noiseless: Command, path: Path) -> None:
    noiseless("query", path, MEAN)
    (path.parent / "meters.csv").unlink()
    done = noiseless("dataset", "show", path, "--format", "json")
    assert done.code == 0
    assert (done.json["rows"], done.json["public_cells"], done.json["private"]) == (
        8,
        3,
        ["kwh", "solar", "heating"],
    )
    assert (done.json["spent"], done.json["remaining"], done.json["analysts"]) == (1, 1, {"local": 1})
    text = noiseless("dataset", "show", path)
    assert "  kwh: 0..10 in steps of 0.5 (21 values), private" in text.out


def test_exposure_goes_to_a_file_and_nowhere_else(noiseless: Command, path: Path) -> None:
    noiseless("query", path, MEAN)
    out = path.parent / "exposure.csv"
    done = noiseless("dataset", "exposure", path, "-o", out, "--format", "json")
    assert (done.code, done.json["classes"], done.json["questions"]) == (0, 8, 1)
    assert set(done.json) == {"classes", "questions", "file"}
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert out.read_text().splitlines()[0].replace('"', "").endswith("rows,outputs,bits,possible")
    wrong = noiseless("dataset", "exposure", path, "-o", path.parent / "exposure.xyz")
    assert wrong.code == 2


def test_a_release_is_charged_by_its_certificate(noiseless: Command, path: Path) -> None:
    certificate = path.parent / "certificate.json"
    columns = {"sensitive": ["heating"], "public": ["suburb"], "given": [], "keep": []}
    certificate.write_text(json.dumps({"columns": columns, "claim": {"cells": 2}}))
    done = noiseless("dataset", "release", path, certificate, "--format", "json")
    assert (done.code, done.json["outputs"], done.json["spent_outputs"]) == (0, 3, 3)
    assert noiseless("dataset", "release", path, certificate, "--fixed-cells", 2).code == 0
    columns["public"] = ["kwh"]
    certificate.write_text(json.dumps({"columns": columns, "claim": {"cells": 2}}))
    refused = noiseless("dataset", "release", path, certificate)
    assert (refused.code, refused.out) == (1, "")
    assert "1.59 bits are spent" in refused.err


def test_help_has_examples(noiseless: Command) -> None:
    assert "noiseless query meters.toml" in noiseless("query", "--help").out
    for name in ("declare", "show", "exposure", "release"):
        assert f"noiseless dataset {name}" in noiseless("dataset", name, "--help").out
