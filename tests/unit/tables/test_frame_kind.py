"""Frames come back in the kind they came in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.questions import Lattice

ROWS = {"age": [31, 35, 52, 47, 31, 60], "ill": ["flu", "cold", "flu", "asthma", "cold", "flu"]}
KINDS: dict[str, tuple[Callable[[], Any], type]] = {
    "pandas": (lambda: pd.DataFrame(ROWS), pd.DataFrame),
    "polars": (lambda: pl.DataFrame(ROWS), pl.DataFrame),
    "lazy polars": (lambda: pl.LazyFrame(ROWS), pl.LazyFrame),
    "pyarrow": (lambda: pa.table(ROWS), pa.Table),
    "narwhals": (lambda: nw.from_native(pd.DataFrame(ROWS)), nw.DataFrame),
    "lazy narwhals": (lambda: nw.from_native(pl.LazyFrame(ROWS)), nw.LazyFrame),
    "duckdb": (lambda: duckdb.from_arrow(pa.table(ROWS)), duckdb.DuckDBPyRelation),
}


def rows_of(frame: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any of the frames above
    frame = nw.to_native(frame, pass_through=True)
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        frame = frame.to_arrow_table()
    return list((frame.to_arrow() if isinstance(frame, pl.DataFrame) else frame).to_pylist())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_of_a_frame_is_such_a_frame(kind: str) -> None:
    make, expected = KINDS[kind]
    done = nl.release(make(), sensitive="ill", public="age", min_posterior=2)
    later = nl.apply_release(make(), done.certificate)
    blurred = nl.blur(make(), "age >= 40", max_change=5, bounds={"age": (0, 120)})
    quantized = nl.quantize(make(), nl.LocalQuantizer.finest(Lattice.of(0, 120, 1), reach=4, name="age"))
    for result in (done, later, blurred, quantized):
        assert isinstance(result.frame, expected)
        assert rows_of(result.frame) == result.to_arrow().to_pylist()
        assert isinstance(result.to_pandas(), pd.DataFrame)
        assert isinstance(result.to_polars(), pl.DataFrame)


def test_a_batch_is_a_table_and_a_dictionary_is_none() -> None:
    asked: dict[str, Any] = {"sensitive": "ill", "public": "age"}
    assert nl.audit(pa.RecordBatch.from_pydict(ROWS), **asked).rows == 6
    with pytest.raises(nl.NoiselessError, match="a dict is not a table; give a file name or a pandas"):
        nl.audit(ROWS, **asked)


def test_an_index_comes_back_with_rows_that_keep_their_order_and_never_with_a_release() -> None:
    frame = pd.DataFrame(ROWS, index=list("abcdef"))
    blurred = nl.blur(frame, "age >= 40", max_change=5, bounds={"age": (0, 120)})
    assert list(blurred.frame.index) == list("abcdef")
    done = nl.release(frame, sensitive="ill", public="age", min_posterior=2, keep_order=True)
    assert list(done.frame.index) == list(range(6))


def test_a_file_comes_back_as_arrow(tmp_path: Path) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / "people.csv", index=False)
    done = nl.release(tmp_path / "people.csv", sensitive="ill", public="age", min_posterior=2)
    assert isinstance(done.frame, pa.Table)
