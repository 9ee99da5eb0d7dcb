"""ACRO's results folders: `fixtures/acro` was written by ACRO itself (`fixtures/make_acro.py`)."""

import json
import shutil
from pathlib import Path

import pytest

from noiseless.errors import NoiselessError
from noiseless.tabulations.reading import read_request

FOLDER = Path(__file__).parents[2] / "fixtures" / "acro"


def test_the_counts_of_a_session_are_one_publication() -> None:
    found = read_request(FOLDER)
    assert [table.name for table in found.publication.tables] == ["output_0", "output_1", "output_2"]
    assert [each.name for each in found.publication.classifications] == ["region", "illness", "sex"]
    assert found.notes == (
        "output_3: neither counts nor sums; left out",
        "output_4: another quantity, audited by itself (kind and value); left out",
        "output_0: 7 totals sum only the figures shown and say nothing more; left out",
    )


def test_sums_are_another_publication() -> None:
    found = read_request(FOLDER, kind="magnitude", value="cost")
    assert [table.name for table in found.publication.tables] == ["output_4"]
    assert found.publication.kind == "magnitude"
    with pytest.raises(NoiselessError, match="holds no table of sums"):
        read_request(FOLDER, kind="magnitude", value="pay")


def test_totals_are_kept_where_the_suppressed_cells_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "acro"
    shutil.copytree(FOLDER, folder)
    (folder / "output_0_0.csv").write_text(
        "region,asthma,flu,measles,All\nEast,22,14,11,47\nNorth,40,31,12,83\nSouth,28,19,4,51\nAll,90,64,27,181\n"
    )
    found = read_request(folder)
    assert "output_0: 1 cell that ACRO flags and calls suppressed can be read in the file" in found.notes
    assert len(found.publication.tables[0]) == 16


def test_outputs_that_are_not_to_be_released_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "acro"
    shutil.copytree(FOLDER, folder)
    file = folder / "results.json"
    results = json.loads(file.read_text())
    results["results"]["own-DONT_RELEASE"] = results["results"].pop("output_1")
    file.write_text(json.dumps(results))
    assert [table.name for table in read_request(folder).publication.tables] == ["output_0", "output_2"]


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoiselessError, match=r"has no results\.json"):
        read_request(tmp_path)
    (tmp_path / "results.json").write_text("[]")
    with pytest.raises(NoiselessError, match="no results file of ACRO"):
        read_request(tmp_path)
