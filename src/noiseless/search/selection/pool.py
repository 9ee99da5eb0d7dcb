"""The partitions found for a wish: measured anew, and the best of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from noiseless.arrays import BoolArray
from noiseless.search.merging.cells import Cells
from noiseless.search.selection.measures import Measures, measure_read
from noiseless.search.selection.targets import Targets


@dataclass(frozen=True, eq=False)
class Found:
    """A partition, and what it is worth.

    Attributes:
        cells: the cells.
        hidden: which public values are suppressed.
        quality: what it gives away and keeps, counted from the cells.
        method: how it was found.
    """

    cells: Cells
    hidden: BoolArray
    quality: Measures
    method: str


@dataclass(eq=False)
class Pool:
    """What has been found for a wish.

    Attributes:
        targets: the limits.
        best: the best partition within them, if there is one.
    """

    targets: Targets
    best: Found | None = None
    _key: Any = field(default=None, repr=False)

    def add(self, labels: npt.ArrayLike | Cells, method: str, hidden: BoolArray | None = None) -> Found:
        """Measure a partition and keep it if it is within the limits and better than all before it."""
        cells = labels if isinstance(labels, Cells) else Cells.from_labels(labels)
        read, quality = measure_read(self.targets.problem, cells, hidden)
        found = Found(read.cells, read.hidden, quality, method)
        self.take(quality, lambda: found)
        return found

    def take(self, quality: Measures, make: Callable[[], Found]) -> None:
        """Keep what is measured already, if it is within the limits and better than all before it."""
        if self.targets.allow(quality):
            key = self.targets.key(quality)
            if self.best is None or key < self._key:
                self.best, self._key = make(), key
