"""What replies have in common: frames for programs."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class Framed:
    """Something that can be made a frame of."""

    def to_arrow(self) -> "pa.Table":
        """The frame in pyarrow."""
        raise NotImplementedError

    def to_pandas(self) -> Any:  # noqa: ANN401 - a pandas DataFrame
        """The frame in pandas, which must be installed."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - a polars DataFrame
        """The frame in polars, which must be installed."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())


def plain(value: object) -> Any:  # noqa: ANN401 - whatever a frame holds
    """A value as frames hold it."""
    return float(value) if isinstance(value, Decimal) else value
