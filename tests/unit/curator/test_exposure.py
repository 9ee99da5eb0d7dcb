import json
import stat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.errors import OutputError

ASKED = (
    "SELECT AVG(kwh) FROM meters",
    "SELECT suburb, COUNT(*) FROM meters WHERE kwh > 5 GROUP BY suburb",
    "SELECT MEDIAN(kwh), MAX(kwh) FROM meters",
)


def test_nobody_is_exposed_before_anything_is_asked(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path)) as curator:
        found = curator.exposure()
    assert (found.questions, set(found.outputs.tolist())) == (0, {1})
    assert set(found.possible.tolist()) == {21 * 2 * 3}


def test_exposure_is_between_nothing_and_what_was_charged(tmp_path: Path) -> None:
    with Curator.open(write_curator(tmp_path)) as curator:
        reply = curator.ask(*ASKED)
        found = curator.exposure()
        assert 1 < max(found.outputs) <= reply.spent.outputs
        assert (found.possible >= 6).all()
        assert (found.possible < 126).any()
        assert found.to_arrow()["rows"].to_pylist() == [1] * 8
        assert "8 classes of rows to 6 questions" in repr(found)


def test_exposure_does_not_carry_over_to_a_new_version(tmp_path: Path) -> None:
    path = write_curator(tmp_path)
    with Curator.open(path) as curator:
        curator.ask(*ASKED)
        write_curator(tmp_path, rows=(("west", "1", "true", "gas"),) * 3)
        curator.declare_version()
        assert curator.exposure().questions == 0


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_it_is_written_for_the_owner_alone(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"exposure.{ending}"
    with Curator.open(write_curator(tmp_path)) as curator:
        curator.ask(*ASKED)
        found = curator.exposure()
        found.write(out)
        with pytest.raises(OutputError, match="change the ending"):
            found.write(tmp_path / "exposure.txt")
        text = json.dumps([entry.to_dict() for entry in curator.ledger.entries()])
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert "possible" not in text
    if ending == "parquet":
        assert pq.read_table(out).num_rows == 8
    else:
        assert "north" in out.read_text()


def test_ten_thousand_rows(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    size = 10**4
    table = pa.table(
        {
            "suburb": [f"s{number:03}" for number in random.integers(0, 100, size)],
            "kwh": random.integers(0, 10_001, size) / 1000,
            "solar": random.random(size) < 0.3,
        }
    )
    pq.write_table(table, tmp_path / "meters.parquet")
    suburbs = ", ".join(f'"s{number:03}"' for number in range(100))
    path = tmp_path / "curator.toml"
    path.write_text(
        f"""
        [dataset]
        name = "meters"
        source = "meters.parquet"
        [budget]
        bits = 14
        [columns.suburb]
        role = "public"
        categories = [{suburbs}]
        [columns.kwh]
        role = "private"
        bounds = [0, 10]
        step = 0.001
        [columns.solar]
        role = "private"
        type = "boolean"
        """
    )
    with Curator.open(path) as curator:
        curator.ask(*ASKED, "SELECT suburb, SUM(kwh) FROM meters WHERE solar GROUP BY suburb")
        found = curator.exposure()
        assert len(found) > 9 * 10**3
        assert 1 < found.outputs.max() <= 2**14
