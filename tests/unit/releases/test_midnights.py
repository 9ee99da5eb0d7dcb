"""Moments that are all midnights are days, wherever they come from."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.verification import script

PEOPLE = pd.DataFrame({"ill": list("abcdef"), "seen": pd.date_range("2020-01-01", periods=6)})


@pytest.mark.parametrize("ending", ["frame", "parquet", "xlsx", "csv"])
def test_midnights_are_days(ending: str, tmp_path: Path) -> None:
    source = tmp_path / f"people.{ending}"
    if ending == "parquet":
        PEOPLE.to_parquet(source)
    elif ending == "xlsx":
        PEOPLE.to_excel(source, index=False)
    elif ending == "csv":
        PEOPLE.to_csv(source, index=False, date_format="%Y-%m-%d %H:%M:%S")
    table = PEOPLE if ending == "frame" else source
    made = nl.release(table, sensitive="ill", public="seen", min_posterior=3)
    assert made.certificate["options"]["kinds"] == {"seen": "date"}
    assert len(set(made.table.column("seen").to_pylist())) == 2
    assert not made.warnings
    assert nl.verify(made.certificate, original=table, released=made.table).holds
    assert nl.verify(made.certificate, original=PEOPLE, released=made.table).holds


def test_the_single_file_takes_midnights_for_days(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("certificate.json", "people.csv", "released.csv")]
    PEOPLE.to_csv(names[1], index=False, date_format="%Y-%m-%d %H:%M:%S")
    made = nl.release(names[1], sensitive="ill", public="seen", min_posterior=3)
    made.certificate.write(names[0])
    made.table.to_pandas().to_csv(names[2], index=False)
    assert script.main([names[0], "--original", names[1], "--released", names[2]]) == 0


@pytest.mark.parametrize("options", [{"categorical": "seen"}, {"distance": "discrete"}])
def test_who_wants_categories_gets_them(options: dict[str, Any]) -> None:
    made = nl.release(PEOPLE, sensitive="ill", public="seen", min_posterior=3, **options)
    assert made.certificate["options"]["kinds"] == {"seen": "category"}
    assert "00:00:00" in made.table.column("seen").to_pylist()[0]
    assert nl.verify(made.certificate, original=PEOPLE, released=made.table).holds


def test_times_of_day_have_no_order_and_that_is_said() -> None:
    times = pa.table({"ill": list("abcdef"), "at": pa.array(range(6), pa.time32("s"))})
    made = nl.release(times, sensitive="ill", public="at", min_posterior=3)
    assert any("holds times of day and is taken as categories" in warning for warning in made.warnings)


def test_a_schema_proposes_days_for_midnights() -> None:
    summary = nl.open_table(PEOPLE).summarise(["seen"])[0]
    assert (summary.kind, str(summary.low), str(summary.high)) == ("date", "2020-01-01", "2020-01-06")
