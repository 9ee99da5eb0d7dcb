"""Releases in parts, from files."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import noiseless as nl
from noiseless.errors import OutputError
from parts_examples import ROLES, people


def facts(manifest: Path) -> dict[str, Any]:
    told = json.loads(manifest.read_text("utf-8"))
    return {name: told[name] for name in told if name not in ("created", "tool")}


def test_parts_of_a_file(tmp_path: Path) -> None:
    """Twice the same; a crash leaves nothing that looks whole."""
    table = tmp_path / "people.parquet"
    pq.write_table(people(), table)
    made = [
        nl.release_parts(
            table, tmp_path / f"out{i}", certificates=tmp_path / f"in{i}", parts=3, **ROLES, min_rows=4
        )
        for i in range(2)
    ]
    assert made[0].parts == 3
    assert facts(made[0].manifest) == facts(made[1].manifest)
    for name in ("part-00000.parquet", "part-00002.parquet"):
        assert (made[0].out / name).read_bytes() == (made[1].out / name).read_bytes()
    assert nl.open_table(str(made[0].out)).count() == 300
    assert nl.verify(made[0].manifest, original=table, released=made[0].out).holds


def test_what_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def breaks(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nl.release_parts(
            people(),
            tmp_path / "out",
            certificates=tmp_path / "in",
            parts=4,
            progress=breaks,
            **ROLES,
            min_rows=4,
        )
    assert not list(tmp_path.iterdir())
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="is there already"):
        nl.release_parts(
            people(), tmp_path / "out", certificates=tmp_path / "in", parts=4, **ROLES, min_rows=4
        )
