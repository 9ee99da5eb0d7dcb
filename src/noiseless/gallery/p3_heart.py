"""The heart data of [P3], shared by its figures: ages hidden behind cholesterol levels."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from noiseless.gallery.figure import Check
from noiseless.ranges import JointRange
from noiseless.search.merging import ColumnCodebook, Numbers
from noiseless.search.selection import Problem

if TYPE_CHECKING:
    from noiseless.gallery.data import Data

MISSING = -9
"""What the unprocessed file writes for a missing cholesterol level; it is one value like any other."""

FEW, COARSE = 60, 10
"""Of a stand-in so many rows are used, with levels in tens: it only shows that the figure can be made."""

PRINTED = (293, 38, 154, 281, 269)
"""Patients, ages, cholesterol levels, pairs of them, and pairs that appear once."""


@dataclass(frozen=True, eq=False)
class Heart:
    """The rows.

    Attributes:
        pairs: the age and the cholesterol level of each patient.
    """

    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, data: "Data") -> "Heart":
        """All patients, or some of a stand-in."""
        table = data.heart()
        rows, step = (table.slice(0, FEW), COARSE) if data.synthetic else (table, 1)
        levels = [
            MISSING if level is None else int(level) // step * step for level in rows["chol"].to_pylist()
        ]
        return cls(tuple(zip(map(int, rows["age"].to_pylist()), levels, strict=True)))

    @cached_property
    def joint(self) -> JointRange:
        """[[age, chol]], in the order of the file: ties of the algorithms go by it."""
        return JointRange.from_pairs(self.pairs)

    @cached_property
    def levels(self) -> Numbers:
        """The cholesterol levels in the order of the joint range."""
        return Numbers([int(level) for level in self.joint.y_labels or ()])

    @cached_property
    def midranges(self) -> ColumnCodebook:
        """What we release for a cell: the middle of its extremes."""
        return ColumnCodebook(self.levels)

    @cached_property
    def centroids(self) -> ColumnCodebook:
        """What [P3] releases: the mean."""
        return ColumnCodebook(self.levels, codeword="centroid")

    @cached_property
    def problem(self) -> Problem:
        """The joint range with midranges, and how many patients have each level."""
        counts = Counter(level for _, level in self.pairs)
        rows = np.array([counts[level] for level in self.joint.y_labels or ()])
        return Problem(self.joint, self.midranges, rows=rows)

    def described(self) -> Check:
        """Whether these are the paper's rows."""
        once = sum(times == 1 for times in Counter(self.pairs).values())
        joint = self.joint
        found = (len(self.pairs), joint.size_x, joint.size_y, len(joint), once)
        return Check(
            "293 patients with 38 ages, 154 cholesterol levels and 281 pairs of them, 269 of which "
            "appear once",
            "{} patients, {} ages, {} levels, {} pairs, {} of them once".format(*found),
            "the same five numbers",
            found == PRINTED,
        )


REMARKS = (
    (
        "A missing cholesterol level is one value like any other, as the paper's counts need; its number is "
        "-9, as in the unprocessed file. One row that is there twice counts once."
    ),
)
"""What a reader must know about the rows."""
