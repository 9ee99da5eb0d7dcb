"""Frames go back in the kind they came in: pandas for pandas, polars for polars, and so on."""

from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from noiseless.tables.spark_frames import is_spark_frame

_EAGER = {"pandas", "polars", "modin", "cudf", "pyarrow"}


@dataclass(frozen=True, eq=False)
class FrameKind:
    """The kind of frame that a table came as; files and databases give Arrow tables.

    Attributes:
        name: of the library.
        lazy: whether rows are computed when they are asked for.
        wrapped: whether it came as a frame of narwhals.
        index: the rows' names, in pandas.
        session: that of Spark.
    """

    name: str = "pyarrow"
    lazy: bool = False
    wrapped: bool = False
    index: Any = None
    session: Any = None

    @classmethod
    def of(cls, frame: Any) -> "FrameKind":  # noqa: ANN401 - any frame
        """What kind of frame something is; Arrow, where we cannot make one of its kind.

        >>> FrameKind.of(pa.table({"age": [31]})).name
        'pyarrow'
        """
        if is_spark_frame(frame):
            return cls("pyspark", session=frame.sparkSession)
        if isinstance(frame, duckdb.DuckDBPyRelation):
            return cls("duckdb")
        import narwhals as nw

        wrapped = nw.from_native(frame, pass_through=True)
        if not isinstance(wrapped, nw.DataFrame | nw.LazyFrame) or wrapped.implementation.value not in _EAGER:
            return cls()
        lazy = isinstance(wrapped, nw.LazyFrame)
        index = getattr(wrapped.to_native(), "index", None)
        return cls(wrapped.implementation.value, lazy, wrapped is frame, index)

    def frame(self, table: pa.Table, *, in_order: bool = False) -> Any:  # noqa: ANN401 - any frame
        """A table as such a frame.

        Args:
            table: the rows.
            in_order: whether they are all rows of the original, in its order: pandas then keeps their index.
        """
        if self.name == "pyarrow" and not self.wrapped:
            return table
        import narwhals as nw

        if self.name == "pyspark":
            return self.session.createDataFrame(table)
        if self.name == "duckdb":
            return duckdb.from_arrow(table)
        made = nw.from_arrow(table, backend=nw.Implementation.from_backend(self.name))  # type: ignore[arg-type]
        native = made.lazy().to_native() if self.lazy else made.to_native()
        if in_order and self.index is not None and len(self.index) == table.num_rows:
            native.index = self.index
        return nw.from_native(native) if self.wrapped else native


def arrow_of(frame: Any) -> pa.Table | None:  # noqa: ANN401 - anything
    """A frame in memory as an Arrow table; None for what is none, or has names that are no texts.

    >>> arrow_of([[31], [52]]) is None
    True
    """
    import narwhals as nw

    wrapped = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(wrapped, nw.DataFrame) or not all(isinstance(name, str) for name in wrapped.columns):
        return None
    return wrapped.to_arrow()


ARROW = FrameKind()
"""What files and databases give."""
