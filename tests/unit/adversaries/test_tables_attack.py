"""Reconstruction from published tables: what is read, what is claimed in words, and proofs of it."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from noiseless.adversaries import tables
from noiseless.adversaries.tables import final_claims
from noiseless.cli.main import run
from noiseless.errors import RequestError
from noiseless.verification import verify_tables

BLOCK = pa.table(
    {
        "block": ["7", "7", "7", "7", "8", "8", "8"],
        "sex": ["f", "m", "m", "f", "f", "f", "m"],
        "age": ["30", "34", "34", "38", "30", "34", "30"],
        "illness": ["none", "flu", "flu", "none", "flu", "none", "none"],
    }
)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("block,f,m\n7,2,2\n8,2,1\n")
    (tmp_path / "b.csv").write_text("sex,flu,none\nf,0,4\nm,3,0\n")
    file = tmp_path / "census.toml"
    file.write_text(
        '[[table]]\nfile = "a.csv"\nrows = "block"\ncols = "sex"\n'
        '[[table]]\nfile = "b.csv"\nrows = "sex"\ncols = "illness"\n'
    )
    return file


def test_published_tables(spec: Path) -> None:
    """All men have flu and no woman has: the record of everybody is certain."""
    game = tables(spec, secret="illness")
    record, group = game.results
    assert (record.score, group.score) == (1.0, 1.0)
    assert (record.details["claims"], record.details["size_1"], record.details["size_2"]) == (4, 1, 3)


def test_claims_in_words_and_their_proofs(spec: Path) -> None:
    claims = final_claims(spec, secret="illness")
    said = list(claims.sentences())
    assert said[0] == "all 1 or more with block 8, sex m have illness flu"
    certificate = claims.certificate()
    assert verify_tables(certificate, claims.publication).holds
    groups = [claim for claim in certificate["claims"] if "group" in claim]
    assert {claim["group"]: claim["lower"] for claim in groups}["8, m, flu"] == 1


def test_the_command_reads_one_table_as_its_options_say(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for each figure, in another encoding: as `tables audit` reads it."""
    long = "sex;illness;n\nf;fièvre;0\nf;none;4\nm;fièvre;3\nm;none;0\n"
    (spec.parent / "long.csv").write_text(long, "latin-1")
    laid_out = ("--rows", "sex", "--cols", "illness", "--value", "n", "--encoding", "latin-1")
    said = ("--secret", "illness", "--show-values", "--certificate", "proofs.json")
    assert run(["attack", "tables", "long.csv", *laid_out, *said]) == 0
    assert "all 3 or more with sex m have illness fièvre" in capsys.readouterr().out
    assert run(["tables", "verify", "proofs.json", "long.csv", *laid_out]) == 0
    assert run(["attack", "tables", "long.csv", "--column", "sex", "--cols", "illness"]) == 2
    assert "--cols is about a published table" in capsys.readouterr().err


def test_the_command_writes_proofs_that_verify(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(spec), "--secret", "illness", "--certificate", "proofs.json", "--show-values"]
    assert run(["attack", "tables", *arguments]) == 0
    out = capsys.readouterr().out
    assert "the whole record of 7 of 7 people is certain" in out
    assert "all 1 or more with block 8, sex m have illness flu" in out
    assert run(["tables", "verify", "proofs.json", str(spec)]) == 0
    capsys.readouterr()
    assert run(["attack", "tables", str(spec), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "tables"


def test_more_dimensions_make_more_certain() -> None:
    game = tables(BLOCK, columns=["sex", "age", "illness"], by=["block"])
    scores = [score.score for score in game.results]
    assert scores == sorted(scores)
    assert scores[-1] == 1.0
    few = tables(BLOCK, columns=["sex", "age", "illness"], by=["block"], ways=1)
    assert [score.details["dimensions"] for score in few.results] == [2]


def test_wrong_requests(spec: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="for records"):
        tables(spec, ways=2)
    with pytest.raises(RequestError, match="no table has the secret"):
        tables(spec, secret="income")
    (tmp_path / "b.csv").write_text("sex,flu,none\nf,0,5\nm,3,0\n")
    with pytest.raises(RequestError, match="contradict each other"):
        tables(spec)


def test_no_time_claims_nothing_that_is_not_proved() -> None:
    game = tables(BLOCK, columns=["sex", "age", "illness"], ways=2, time_limit=0.0)
    assert not game.results[0].details["decided"]
