"""What a partition gives away and keeps, counted from the table and from what its reader sees."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.measures import maximin
from noiseless.ranges import JointRange
from noiseless.releases.reading import ReadCells
from noiseless.releases.source import Source
from noiseless.releases.words import dense
from noiseless.search.merging import Length
from noiseless.tables.kernels import add_by_code


@dataclass(frozen=True, eq=False)
class Measured:
    """A partition of a table's public tuples, measured.

    An adversary sees the cell and the kept columns, and knows the given ones: an *answer*.

    Attributes:
        source: the table.
        read: the cells as they read.
    """

    source: Source
    read: ReadCells

    @cached_property
    def _answers(self) -> tuple[JointRange, IntArray, IntArray]:
        """[[S, answers]], the cell of each answer, and |[[S|a]]| of what is known with it."""
        source = self.source
        shown = source.shown_of_seen
        many = int(shown.max()) + 1
        keys = self.read.cell_of[source.public_of_seen] * many + shown
        codes = dense(keys)
        answers = np.zeros(int(codes.max()) + 1, np.int64)
        answers[codes] = np.arange(len(codes))  # an example of each answer
        return source.joint.merged(codes), keys[answers] // many, source.prior[answers]

    @property
    def joint(self) -> JointRange:
        """[[S, answers]]."""
        return self._answers[0]

    @cached_property
    def posteriors(self) -> IntArray:
        """How few sensitive values each cell leaves, whatever is kept or given with it."""
        joint, cells, _ = self._answers
        found = np.full(len(self.read), joint.size_x)
        np.minimum.at(found, cells, joint.posterior_sizes)
        return found

    @property
    def min_posterior(self) -> int:
        """How few sensitive values an answer leaves at least."""
        return int(self.joint.posterior_sizes.min())

    @property
    def max_posterior(self) -> int:
        """How many it leaves at most."""
        return int(self.joint.posterior_sizes.max())

    @cached_property
    def leakage(self) -> Bits:
        """L0(S -> (Xh, K)|A): the largest |[[S|a]]| / |[[S|xh, k, a]]|."""
        joint, _, prior = self._answers
        return largest_ratio(prior, joint.posterior_sizes)

    @cached_property
    def maximin(self) -> Bits:
        """I*(S; (Xh, K, A))."""
        return maximin(self.joint)

    @property
    def resolution(self) -> Bits:
        """U1 = log2 |X| / max |cell|; suppressed tuples are left out of both."""
        left = int((~self.read.hidden).sum())
        return Bits(Fraction(max(left, 1), max(self.read.largest, 1)))

    @property
    def distortion(self) -> Length:
        """-U2, to what is written."""
        return self.read.distortion

    @cached_property
    def rows_of_cells(self) -> IntArray:
        """How many rows each cell has."""
        return add_by_code(self.read.cell_of, self.source.public.counts, len(self.read))

    @property
    def suppressed_rows(self) -> int:
        """How many rows are suppressed."""
        gone = self.read.suppressed
        return 0 if gone is None else int(self.rows_of_cells[gone])

    @property
    def posterior_cell(self) -> int:
        """The first cell that leaves so few sensitive values."""
        return int(np.argmin(self.posteriors))


def largest_ratio(before: IntArray, after: IntArray) -> Bits:
    """The logarithm of the largest before / after: for each size after, only the largest before matters."""
    most = np.zeros(int(after.max()) + 1, np.int64)
    np.maximum.at(most, after, before)
    return Bits(max(Fraction(int(most[size]), int(size)) for size in np.flatnonzero(most)))


def length_text(length: Length) -> str:
    """A length as "p/q" or "sqrt(p/q)".

    >>> length_text(Length(2, root=True)), length_text(Length(Fraction(1, 2)))
    ('sqrt(2)', '1/2')
    """
    exact = length.rational
    return f"sqrt({length.value})" if exact is None else str(exact)
