"""Dates with times lie on a line: near ones are merged, at the least width, and both checkers agree."""

import copy
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noiseless as nl
from noiseless.verification import script

START = datetime.fromisoformat("1999-12-31 22:58")
FORMS = ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"]


def seen(chance: random.Random, count: int, step: timedelta = timedelta(minutes=1)) -> list[datetime]:
    """Different moments around two midnights, one of them of a leap year's."""
    return sorted(START + one * step for one in chance.sample(range(80_000), count))


def both_check(made: nl.Release, original: Path, tmp_path: Path) -> bool:
    """Whether both checkers take the certificate; they agree."""
    names = [str(tmp_path / name) for name in ("certificate.json", "released.csv")]
    made.certificate.write(names[0])
    made.table.to_pandas().to_csv(names[1], index=False)
    alone = script.main([names[0], "--original", str(original), "--released", names[1]]) == 0
    assert alone == nl.verify(names[0], original=original, released=names[1]).holds
    return alone


def partitions(things: list[int]) -> Iterator[list[list[int]]]:
    """All partitions of some things."""
    if not things:
        yield []
        return
    for rest in partitions(things[1:]):
        yield [things[:1], *rest]
        yield from ([*rest[:i], [things[0], *rest[i]], *rest[i + 1 :]] for i in range(len(rest)))


def least_width(moments: list[datetime], ill: list[str], left: int) -> timedelta:
    """From the definition: of all partitions into cells with enough illnesses, the least largest width."""
    return min(
        max(moments[max(cell)] - moments[min(cell)] for cell in cells)
        for cells in partitions(list(range(len(moments))))
        if all(len({ill[one] for one in cell}) >= left for cell in cells)
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_the_widest_interval_is_as_narrow_as_can_be(seed: int, form: str, tmp_path: Path) -> None:
    chance, source = random.Random(f"{seed}{form}"), tmp_path / "people.csv"
    moments = seen(chance, 7)
    ill = ["a", "b", "c", *chance.choices("abc", k=4)]
    pd.DataFrame({"ill": ill, "seen": [m.strftime(form) for m in moments]}).to_csv(source, index=False)
    made = nl.release(source, sensitive="ill", public="seen", min_posterior=2)
    assert made.certificate["options"]["kinds"] == {"seen": "date"}
    assert made.optimal
    ends = [text.split(" to ") for text in made.table.column("seen").to_pylist()]
    widths = [datetime.fromisoformat(e[-1]) - datetime.fromisoformat(e[0]) for e in ends]
    assert max(widths) == least_width(moments, ill, 2)
    assert both_check(made, source, tmp_path)


def test_a_missing_moment_leaves_the_others_on_the_line(tmp_path: Path) -> None:
    """They were categories, of which a cell lists all, wherever a column of a text file had a blank."""
    source = tmp_path / "people.csv"
    times = ["", "", "2024-02-28 22:00", "2024-02-28 23:30", "2024-03-01 00:00", "2024-03-01 00:10"]
    pd.DataFrame({"ill": list("ababab"), "seen": times}).to_csv(source, index=False)
    made = nl.release(source, sensitive="ill", public="seen", min_posterior=2)
    assert made.certificate["options"]["kinds"] == {"seen": "date"}
    assert "2024-02-28 22:00 to 2024-02-28 23:30" in made.table.column("seen").to_pylist()
    assert both_check(made, source, tmp_path)


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("step", ["1h", "1s", "1ms", "1us", "1ns"])
def test_typed_moments_of_any_resolution_are_on_the_line(step: str, zone: str | None, tmp_path: Path) -> None:
    times = pd.Timestamp("2020-02-29 23:59:58", tz=zone) + pd.Timedelta(step) * pd.Series(
        [0, 1, 7, 8, 30, 31]
    )
    frame, source = pd.DataFrame({"ill": list("ababab"), "seen": times}), tmp_path / "people.parquet"
    frame.to_parquet(source)
    made = nl.release(frame, sensitive="ill", public="seen", min_posterior=2)
    assert not made.warnings
    assert len(set(made.table.column("seen").to_pylist())) == 3
    assert nl.verify(made.certificate, original=frame, released=made.table).holds
    assert nl.verify(made.certificate, original=source, released=made.table).holds


@pytest.mark.parametrize("codeword", ["interval", "midrange", "centroid", "medoid"])
@pytest.mark.parametrize(
    "options", [{}, {"span": {"seen": ("1999-12-01", "2001-12-31")}}, {"distance": "max"}]
)
def test_any_codeword_of_moments_beside_numbers_is_certified(
    codeword: Literal["interval", "midrange", "centroid", "medoid"], options: dict[str, Any], tmp_path: Path
) -> None:
    chance, source = random.Random(codeword), tmp_path / "people.csv"
    rows = {
        "seen": [str(one) for one in seen(chance, 30, timedelta(seconds=7))],
        "age": chance.choices(range(90), k=30),
    }
    pd.DataFrame({"ill": chance.choices("abc", k=30), **rows}).to_csv(source, index=False)
    made = nl.release(
        source, sensitive="ill", public=["seen", "age"], min_posterior=2, codeword=codeword, **options
    )
    assert made.certificate["options"]["kinds"]["seen"] == "date"
    assert both_check(made, source, tmp_path)


def test_a_forged_end_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    moments = [str(START + timedelta(hours=hour)) for hour in (0, 1, 5, 6)]
    pd.DataFrame({"ill": list("abab"), "seen": moments}).to_csv(source, index=False)
    made = nl.release(source, sensitive="ill", public="seen", min_posterior=2)
    narrow = copy.deepcopy(dict(made.certificate))
    narrow["partition"][0]["released"] = [f"{moments[0]} to {moments[0]}"]
    assert not nl.verify(narrow, original=source, released=made.table).holds
    nearer = copy.deepcopy(dict(made.certificate))
    nearer["claim"] = {**nearer["claim"], "distortion_exact": "1/96", "distortion": 1 / 96}
    assert not nl.verify(nearer, original=source, released=made.table).holds


@pytest.mark.parametrize(
    "odd", ["2020-01-01 24:00:00", "2020-02-30 10:00:00", "2020-01-01T10:00:00", "2020-01-01 10:00:00.50"]
)
def test_what_is_not_all_of_one_form_is_no_line(odd: str) -> None:
    texts = ["2020-01-01 10:00:00", "2020-01-02 10:00:00", odd, "2020-01-03 10:00:00"]
    frame = pd.DataFrame({"ill": list("abab"), "seen": texts})
    made = nl.release(frame, sensitive="ill", public="seen", min_posterior=2)
    assert made.certificate["options"]["kinds"] == {"seen": "category"}
    assert any("holds dates" in warning and "taken as categories" in warning for warning in made.warnings)


def test_later_rows_find_the_interval_that_holds_their_moment() -> None:
    frame = pd.DataFrame({"ill": list("abab"), "seen": pd.to_datetime([0, 3_600, 90_000, 93_600], unit="s")})
    made = nl.release(frame, sensitive="ill", public="seen", min_posterior=2)
    later = frame.assign(seen=pd.to_datetime([1_800, 3_600, 92_000, 93_600], unit="s"))
    applied = nl.apply_release(later, made.certificate)
    assert applied.table.column("seen").to_pylist() == made.table.column("seen").to_pylist()


@pytest.mark.parametrize("year", ["-0043", "-0001", "0000", "9999", "12024"])
@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us"), pa.timestamp("us", "UTC")])
@pytest.mark.parametrize("role", ["public", "sensitive"])
def test_years_of_any_size_are_written_alike(year: str, kind: pa.DataType, role: str, tmp_path: Path) -> None:
    """A release and its checker digest the same texts, also where a year has not four digits."""
    far = np.datetime64(f"{year}-03-15", "D").astype("datetime64[us]").astype(np.int64)
    near = np.datetime64("2001-01-02", "us").astype(np.int64)
    moments = pa.array([far, near, near + 86_400_000_000], pa.int64()).cast(pa.timestamp("us"))
    source = tmp_path / "people.parquet"
    pq.write_table(pa.table({"d": moments.cast(kind), "s": list("aba")}), source)
    public, sensitive = ("d", "s") if role == "public" else ("s", "d")
    odd = len(year) > 4
    if role == "public" and odd and kind == pa.date32():
        with pytest.raises(nl.NoiselessError, match="after 9999; take it as categories"):
            nl.release(source, sensitive=sensitive, public=public, min_posterior=2)
    categorical = ["d"] if role == "public" and odd else []
    made = nl.release(source, sensitive=sensitive, public=public, min_posterior=2, categorical=categorical)
    made.certificate.write(tmp_path / "certificate.json")
    assert nl.verify(tmp_path / "certificate.json", original=source, released=made.table).holds
