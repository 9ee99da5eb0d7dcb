"""Columns before and after a release."""

from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from noiseless.studio.jobs import Desk
from noiseless.studio.spread import evenly, read_spans


def test_every_row_of_a_release_is_in_its_picture(tmp_path: Path) -> None:
    lines = "".join(
        f"{20 + i * 7 % 50},{'abcd'[i % 4]},{1950 + i % 40}-0{1 + i % 9}-11,{'xyz'[i % 3]}\n"
        for i in range(90)
    )
    (tmp_path / "people.csv").write_text("age,ward,born,illness\n" + lines)
    roles = {"age": "public", "ward": "public", "born": "public", "illness": "sensitive"}
    project = {"source": str(tmp_path / "people.csv"), "roles": roles, "limits": {"min_posterior": 3}}
    found = Desk(str(tmp_path)).do("release", {"project": project}, lambda *_: None)["columns"]
    age, ward, born = found
    for column in (age, born):
        assert sum(column["line"]["before"]) == 90
        assert sum(column["line"]["after"]) + column["line"]["elsewhere"] == pytest.approx(90)
    assert (age["line"]["low"], age["line"]["high"]) == ("20", "69")
    assert sorted(ward["before"]) == [22, 22, 23, 23]
    assert sum(one["rows"] for one in ward["values"]) == 90
    assert born["worst"].endswith("days")
    assert all(one["worst"] for one in found)


def test_rows_read_after_as_they_stand_in_the_released_table(tmp_path: Path) -> None:
    lines = "".join(f"{20 + i * 7 % 50},{'abcd'[i % 4]},{'xyz'[i % 3]}\n" for i in range(8))
    (tmp_path / "people.csv").write_text("age,ward,illness\n" + lines)
    (tmp_path / "work").mkdir()
    roles = {"age": "public", "ward": "public", "illness": "sensitive"}
    project = {"source": str(tmp_path / "people.csv"), "roles": roles, "limits": {"min_posterior": 2}}
    desk = Desk(str(tmp_path / "work"))
    found = desk.do("rows", {"project": project, "asked": project["limits"]}, lambda *_: None)
    assert found["columns"] == ["age", "ward"]
    assert [",".join(one["before"]) for one in found["rows"]] == [line[:-2] for line in lines.split()]
    files = desk.do("files", {"project": project}, lambda *_: None)["files"]
    released = (tmp_path / "work" / files / "released.csv").read_text().splitlines()[1:]
    assert sorted(",".join(one["after"]) for one in found["rows"]) == sorted(released)


def test_days_lie_on_a_line_as_numbers_do() -> None:
    month = pa.array(["2020-01-01 to 2020-01-31"])
    (low,), (high,) = read_spans(month)
    assert (low, high) == (date(2020, 1, 1).toordinal(), date(2020, 1, 31).toordinal())
    assert read_spans(pa.array(["2020", None])).tolist()[0] == pytest.approx(
        [2020, float("nan")], nan_ok=True
    )
    assert evenly(month, np.array([30]), low, high, 3)["after"] == pytest.approx([10, 10, 10])
