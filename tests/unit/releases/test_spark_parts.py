"""Tables of more combinations than come to this machine, on a real local Spark."""

from pathlib import Path

import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.tables.spark_table import SparkTable
from parts_examples import ROLES, people
from spark_sessions import needs_spark, spark

pytestmark = needs_spark


def test_parts_of_spark(tmp_path: Path) -> None:
    """Too many combinations for the driver: as many parts as fit, and true of the same rows elsewhere."""
    table, most = people(), 100
    frame = spark().createDataFrame(table)
    remote = SparkTable.of(frame, most=most)
    with pytest.raises(RequestError, match="in parts"):
        nl.release(remote, **ROLES, min_posterior=3)
    done = nl.release_parts(
        remote, tmp_path / "released", certificates=tmp_path / "certificates", **ROLES, min_posterior=3
    )
    assert done.parts >= 300 / most
    assert done.sensitive_values == 5
    assert spark().read.parquet(str(tmp_path / "released")).count() == 300
    for original in (remote, table):
        found = nl.verify(done.manifest, original=original, released=tmp_path / "released")
        assert found.failed == ()
    assert not nl.verify(
        done.manifest, original=SparkTable.of(frame.limit(299), most=most), released=done.out
    ).holds
