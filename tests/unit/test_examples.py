"""The tables that examples work on are at hand."""

from pathlib import Path

import pytest

import noiseless as nl
from noiseless.errors import OutputError


def test_all_of_them_can_be_used_and_what_is_there_stays(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert nl.write_examples(folder) == nl.write_examples(str(folder))
    assert (
        nl.audit(folder / "patients-4-anonymous.csv", sensitive="illness", public=["age", "sex"]).rows == 40
    )
    with nl.Curator.open(folder / "patients.toml") as curator:
        assert curator.price("SELECT AVG(age) FROM patients").batch_bits == 1
    (folder / "patients.csv").write_text("mine\n")
    with pytest.raises(OutputError, match=r"patients\.csv: is another file; name another folder"):
        nl.write_examples(folder)
    assert (folder / "patients.csv").read_text() == "mine\n"


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        nl.write_examples(tmp_path / "file")


def test_an_example_that_is_not_there_says_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, open_it in (("patients.csv", nl.open_table), ("patients.toml", nl.Curator.open)):
        with pytest.raises(nl.NoiselessError, match=r"no such file; .*nl\.write_examples\(\)"):
            open_it(name)
    with pytest.raises(nl.NoiselessError, match="check the name and the folder"):
        nl.open_table("patient.csv")
