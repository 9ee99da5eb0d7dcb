"""Components by Spark are those of the overlap partition, also when no edge may come to the driver."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from noiseless.ranges import JointRange, overlap_partition
from noiseless.ranges.spark_components import count_components
from noiseless.tables.spark_frames import cut
from spark_sessions import needs_spark, spark

pytestmark = needs_spark


def _pairs(x: list[int], y: list[int]) -> pa.Table:
    """Pairs whose values are in two columns on one side, missing where they are 0."""
    found = [None if value == 0 else value for value in x]
    return pa.table({"x1": pa.array(found, pa.int64()), "x2": [value % 2 for value in x], "y": y})


def _random(seed: int) -> tuple[list[int], list[int]]:
    numbers = np.random.default_rng(seed)
    return numbers.integers(0, 60, 70).tolist(), numbers.integers(0, 60, 70).tolist()


SHAPES = {
    "a path, the longest way for stars": ([*range(13), *range(12)], [*range(13), *range(1, 13)]),
    "one group": ([1, 2, 3, 4], [7, 7, 7, 7]),
    "nothing in common": ([1, 2, 3], [1, 2, 3]),
    "random": _random(1),
}


@pytest.mark.parametrize("most", [0, 10**6])
def test_components_are_counted_on_spark_and_here(most: int) -> None:
    """Of all shapes at once, each with values of its own: their numbers add up."""
    expected = [
        overlap_partition(JointRange.from_pairs(zip(*shape, strict=True))) for shape in SHAPES.values()
    ]
    x, y = (
        [value + 100 * place for place, shape in enumerate(SHAPES.values()) for value in shape[side]]
        for side in range(2)
    )
    frame = spark().createDataFrame(_pairs(x, y))
    assert count_components(frame, ["x1", "x2"], ["y"], most) == sum(each.count for each in expected)


def test_plans_are_cut_by_checkpoints_where_there_is_a_folder(tmp_path: Path) -> None:
    frame = spark().createDataFrame(pa.table({"x": [1, 2]}))
    assert cut(frame).count() == 2
    folder = tmp_path / "checkpoints"
    spark().sparkContext.setCheckpointDir(str(folder))  # there is no way back: later tests use it too
    assert sorted(map(tuple, cut(frame).collect())) == [(1,), (2,)]
    assert any(folder.iterdir())
