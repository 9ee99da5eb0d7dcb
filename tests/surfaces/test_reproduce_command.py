"""`noiseless reproduce`: the figures as files, a page and JSON."""

import json
import re
from pathlib import Path

import pytest

from noiseless.cli.main import run
from noiseless.gallery import every_figure
from noiseless.gallery.data import SETS

KEYS = {
    *(
        "name",
        "file",
        "svg",
        "data",
        "paper",
        "title",
        "claim",
        "measured",
        "agrees",
        "reproduces",
        "synthetic",
    ),
    *("checks", "remarks", "missing"),
}


GALLERY = (Path(__file__).parents[2] / "docs" / "gallery.md").read_text("utf-8")


def test_the_documentation_has_every_key_and_every_figure() -> None:
    assert [key for key in (*KEYS, "needs", "folder", "page", "criterion") if f"`{key}`" not in GALLERY] == []
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| \d+ of \d+ \|$", GALLERY, re.MULTILINE)
    assert sorted(rows) == sorted(figure.name for figure in every_figure())


@pytest.fixture(autouse=True)
def _without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOISELESS_DATA", raising=False)


def test_json_names_files_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "gallery"
    assert run(["reproduce", "p1-fig5", "p4_fig1", "-o", str(out), "--jobs", "1", "--format", "json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert captured.err == ""
    assert [figure["name"] for figure in found["figures"]] == ["p1-fig5", "p4-fig1"]
    taxi, cells = found["figures"]
    assert set(taxi) == KEYS
    assert (taxi["synthetic"], cells["synthetic"]) == (True, False)
    assert taxi["missing"][0]["address"] == SETS["taxi"].address
    for figure in found["figures"]:
        assert figure["agrees"] == all(check["agrees"] for check in figure["checks"])
        assert {check["about"] for check in figure["checks"]} <= {"figure", "text", "ours"}
    assert (taxi["reproduces"], cells["reproduces"]) == (None, True)
    for figure in found["figures"]:
        for key in ("file", "svg", "data"):
            assert (out / figure[key]).is_file()
    assert "synthetic stand-in" in (out / found["page"]).read_text("utf-8")


def test_a_claim_that_does_not_hold_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "p4-level-sets", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "What does not hold" in printed
    assert "2 of 3 statements hold" in printed
    assert "0 of 0 pictures" not in printed
    assert str(tmp_path / "index.html") in printed


def test_text_says_what_to_fetch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "p1-fig5", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "synthetic stand-in" in printed
    assert f"{SETS['taxi'].path}: " in printed
    assert SETS["taxi"].address in printed
    assert "NOISELESS_DATA" in printed


def test_the_list_names_all_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[: len(every_figure())]] == [f.name for f in every_figure()]
    assert run(["reproduce", "--list", "p1-fig3", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["figures"]
    assert (found["name"], found["needs"], found["synthetic"]) == ("p1-fig3", ["meters"], True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["p1-fig33", "-o", "out"], "there is no figure 'p1-fig33'; did you mean 'p1-fig3'?"),
        (["p1-fig5"], "name a folder to write to, such as -o gallery"),
        (["p1-fig5", "-o", "file"], "cannot be made a folder"),
        (["p1-fig5", "-o", "out", "--jobs", "0"], "--jobs"),
    ],
)
def test_wrong_requests_are_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    assert run(["reproduce", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert said in captured.err
    assert not Path("out").exists()


def test_a_folder_of_data_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NOISELESS_DATA", str(tmp_path / "nowhere"))
    assert run(["reproduce", "p1-fig5", "-o", str(tmp_path)]) == 2
    assert "is not a folder; NOISELESS_DATA names the folder" in capsys.readouterr().err
