import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from noiseless.errors import OutputError, RequestError
from noiseless.tables import open_table
from noiseless.tables.replacement import rewrite, rewritten


def doubled(batch: pa.RecordBatch) -> pa.RecordBatch:
    values = pc.multiply(batch.column("x").cast(pa.int64()), 2)
    return batch.set_column(batch.schema.get_field_index("x"), "x", values)


TYPES = {"x": pa.int64()}


def test_rows_keep_their_order_and_other_columns_their_types(tmp_path: Path) -> None:
    table = pa.table({"id": range(500_000), "x": range(500_000), "name": ["a, b"] * 500_000})
    pq.write_table(table, tmp_path / "in.parquet")
    rewrite(open_table(tmp_path / "in.parquet"), doubled, TYPES, tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column("id").equals(table.column("id"))
    assert found.column("x").to_pylist()[-3:] == [999_994, 999_996, 999_998]
    assert found.schema.field("name").type == pa.string()


def test_text_stays_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('id,x,note\n007,1,"a, b"\n1.50,2,\n')
    rewrite(open_table(tmp_path / "in.csv"), doubled, TYPES, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'id,x,note\n007,2,"a, b"\n1.50,4,\n'
    rewrite(open_table(tmp_path / "in.csv"), doubled, TYPES, tmp_path / "out.jsonl")
    assert '"x":2' in (tmp_path / "out.jsonl").read_text()


def test_frames_and_relations_in_memory() -> None:
    frame = pa.table({"x": [1, 2]})
    assert rewritten(open_table(frame), doubled, TYPES).to_pydict() == {"x": [2, 4]}
    relation = duckdb.connect().sql("SELECT 3 AS x")
    assert rewritten(open_table(relation), doubled, TYPES).to_pydict() == {"x": [6]}
    empty = pa.table({"x": pa.array([], pa.int32())})
    assert rewritten(open_table(empty), doubled, TYPES).schema.field("x").type == pa.int64()


def test_nothing_is_written_when_something_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")
    table = open_table(pa.table({"x": [1]}))

    def refuse(_: pa.RecordBatch | None = None) -> pa.RecordBatch:
        raise RequestError("no")

    with pytest.raises(RequestError, match="no"):
        rewrite(table, refuse, TYPES, out)
    with pytest.raises(RequestError, match="no"):
        rewrite(table, doubled, TYPES, out, refuse)
    with pytest.raises(OutputError, match="does not exist"):
        rewrite(table, doubled, TYPES, tmp_path / "nowhere" / "out.csv")
    with pytest.raises(RequestError, match="change the ending"):
        rewrite(table, doubled, TYPES, tmp_path / "out.xlsx")
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


MEMORY = """
import sys
from pathlib import Path
import pyarrow as pa
from noiseless.tables import open_table
from noiseless.tables.replacement import rewrite

def peak():
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM"))

def go(name):
    rewrite(open_table(f"{name}.parquet"), lambda batch: batch, {}, Path("out.parquet"))

go("small")
before = peak()
go("large")
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_a_large_table_takes_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    """100 MB more of numbers that nothing can compress go through, in order, in less than 70."""
    numbers = np.random.default_rng(0)
    kinds = pa.schema([("n", pa.int64()), *((name, pa.float64()) for name in "abcd")])
    for name, parts in (("small", 10), ("large", 35)):
        with pq.ParquetWriter(tmp_path / f"{name}.parquet", kinds) as writer:
            for part in range(parts):
                columns = [numbers.random(10**5) for _ in "abcd"]
                writer.write_table(pa.table([np.arange(10**5) + part * 10**5, *columns], schema=kinds))
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 70
    assert (
        pq.read_table(tmp_path / "out.parquet", columns=["n"])["n"].to_numpy() == np.arange(35 * 10**5)
    ).all()
