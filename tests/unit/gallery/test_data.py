"""The data sets of the gallery: real ones where they are, marked stand-ins elsewhere."""

from pathlib import Path

import numpy as np
import pytest

from noiseless.errors import SourceError
from noiseless.gallery.data import SETS, Data

NOTHING = Data(None)


def test_stand_ins_have_the_form_of_the_real_ones(data: Path) -> None:
    real = Data(data)
    assert NOTHING.meters().dtype == real.meters().dtype
    assert NOTHING.meters().ndim == real.meters().ndim
    assert set(NOTHING.redd()[1]) <= set(real.redd()[1])
    assert NOTHING.heart().schema.equals(real.heart().schema)
    assert NOTHING.adult().schema.equals(real.adult().schema)
    for name in ("taxi", "young-people"):
        shared = set(NOTHING.table(name).column_names)
        assert shared <= set(real.table(name).column_names)


def test_stand_ins_are_the_same_each_time() -> None:
    from noiseless.gallery import stand_ins

    assert np.array_equal(stand_ins.meters(), stand_ins.meters())
    assert stand_ins.taxi().equals(stand_ins.taxi())
    assert stand_ins.meters().min() > 0
    mains, circuits = stand_ins.redd()
    assert (mains >= sum(circuits.values())).all()


def test_facts_of_the_real_ones(data: Path) -> None:
    real = Data(data)
    heart = real.heart()
    assert len(heart) == 293
    pairs = set(zip(heart["age"].to_pylist(), heart["chol"].to_pylist(), strict=True))
    assert (len({age for age, _ in pairs}), len({chol for _, chol in pairs}), len(pairs)) == (38, 154, 281)
    meters = real.meters()
    assert meters.shape == (17_520, 87)
    assert np.isfinite(meters).all()
    assert meters.max() == pytest.approx(6.528)
    assert np.abs(meters * 1000 - np.rint(meters * 1000)).max() < 1e-9
    mains, circuits = real.redd()
    assert len(mains) == 525_757
    assert np.mean(sum(circuits.values()) <= mains + 50) > 0.99
    assert len(real.taxi()) == 149_777
    assert real.young_people()["Height"].null_count == 20
    assert real.adult().num_rows == 32_561
    assert "native-country" in real.adult().column_names
    assert real.adult()["sex"].to_pylist()[0] == "Male"


def test_shared_arrays_cannot_be_changed() -> None:
    for array in (NOTHING.meters(), NOTHING.redd()[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_folder_without_a_file_has_a_stand_in_for_it(tmp_path: Path) -> None:
    (tmp_path / "heart").mkdir()
    (tmp_path / SETS["heart"].path).write_text("28,1,2,130,132,0,2,185,0,0,?,?,?,0\n" * 2)
    some = Data(tmp_path)
    assert len(some.heart()) == 1
    assert some.heart()["slope"].to_pylist() == [None]
    assert not some.needing(["heart"]).synthetic
    assert [source.name for source in some.needing(["heart", "taxi"]).missing] == ["taxi"]
    assert some.needing(["heart", "taxi"]).synthetic
    assert len(some.taxi()) == len(NOTHING.taxi())


def test_a_figure_names_what_it_uses() -> None:
    with pytest.raises(ValueError, match="has to name it among what it needs"):
        NOTHING.needing(["heart"]).taxi()


@pytest.mark.parametrize("name", SETS)
def test_a_file_that_is_something_else_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / SETS[name].path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x00\x01 secret 17")
    if name in {"young-people", "adult"}:
        path.write_bytes(b"")
    with pytest.raises(SourceError, match="is not the file expected there") as error:
        Data(tmp_path).table(name)
    assert "secret" not in str(error.value)
    assert path.name in str(error.value)


def test_the_folder_is_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOISELESS_DATA", raising=False)
    assert Data.found().folder is None
    monkeypatch.setenv("NOISELESS_DATA", str(tmp_path))
    assert Data.found().folder == tmp_path
    monkeypatch.setenv("NOISELESS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match="is not a folder"):
        Data.found()


def test_gaps_of_meters_are_filled_with_the_reading_before(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from noiseless.gallery.data import meters

    times = 4000
    gaps = np.full(times, 0.5, np.float32)
    gaps[[0, 7]] = np.nan
    gaps[6] = 0.25
    bad = np.where(np.arange(times) < 10, np.nan, 1).astype(np.float32)
    path = str(tmp_path / "meters.parquet")
    pq.write_table(pa.table({"A": gaps, "B": bad, "ts": np.arange(times)}), path)
    found = meters(path)
    assert found.shape == (times, 1)
    assert found[[0, 1, 6, 7, 8], 0].tolist() == [0.5, 0.5, 0.25, 0.25, 0.5]
