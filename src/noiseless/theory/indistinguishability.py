"""Indistinguishability of linear queries, quantised or not, and the finest quantizer for a promise.

Measured in cells, [[c.x|x_i]] is a closed interval of length L = q - s that slides over [0, q], where
s = q S_i / R. It touches a run of floor(L) + 1 or floor(L) + 2 cells, and every run of these lengths occurs;
when L is a whole number the lengths are L + 1 and, at the upper end only, L. Two runs of u and v cells at the
two ends of the q cells differ in min(u + v, 2q - u - v) cells: the cells of both if they do not overlap, and
else those outside the overlap. The best choice of u and v gives, for q >= 2 and s > 0,

    min(floor(s) + ceil(s) - 1,  q,  2 ceil(q - s) + 2).

The first of the three is the smallest while S_i <= R/2. None of them falls as q grows: the sound q are
1, 2, ... up to a largest one. The record with the largest span S is the worst: the first term grows with S_i,
the second is the same for all, and where the third matters (S > R/2) all other spans together are R - S.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.amounts import floor_of_power
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, Rational
from noiseless.theory.chosen_pair import FiniteMechanism, compared_pairs
from noiseless.theory.hypothesis.privacy import Amount, Size, amount
from noiseless.theory.linear_query import LinearQuery, check_cells


@dataclass(frozen=True)
class Indistinguishability:
    """The largest symmetric difference of [[Y|x_i]] and [[Y|x_i']] over all i and all pairs, with a witness.

    A small one is a weak promise by itself: a mechanism with two outputs has at most 2, and may yet give the
    record away whatever comes out. `separated` says whether some pair of values is told apart by all outputs.

    Attributes:
        size: the count of the outputs in it, or its measure.
        counted: which of the two.
        separated: whether some pair of values shares no output at all.
        record: a record with a pair that attains `size`; None when no record can vary.
        value: one value of that pair.
        other: the other.
    """

    size: Size
    counted: bool
    separated: bool
    record: int | None = None
    value: Any = None
    other: Any = None

    @property
    def epsilon(self) -> Amount:
        """The smallest epsilon, exactly: log2 of a count or ln of a measure; minus infinity for size 0."""
        return amount(self.size, counted=self.counted)

    @property
    def whole_epsilon(self) -> int:
        """The smallest natural number that will do for epsilon, 0 included (for counts the paper wants one).

        >>> Indistinguishability(5, counted=True, separated=False).whole_epsilon
        3
        """
        if self.size == math.inf:
            raise RequestError("no epsilon is large enough for an infinite difference")
        epsilon = 0
        while not self.holds(epsilon):
            epsilon += 1
        return epsilon

    def holds(self, epsilon: Rational) -> bool:
        """Whether size <= 2^epsilon (counts) or exp(epsilon) (measures), decided exactly.

        >>> found = Indistinguishability(Fraction(5, 2), counted=False, separated=False)
        >>> found.holds(1), found.holds(Fraction(9, 10))
        (True, False)
        """
        if self.size <= 1 and epsilon >= 0:
            return True
        if self.size in (0, math.inf):
            return not self.size
        if self.counted:
            return Bits(Fraction(self.size)) <= epsilon
        return Nats(self.size) <= Fraction(epsilon)


def indistinguishability(mechanism: FiniteMechanism) -> Indistinguishability:
    """Definition 5 of [P2] for finite outputs, by enumeration.

    The most outputs that tell two values of one record apart, whatever the others are: the largest
    symmetric difference of [[Y|x_i]] and [[Y|x_i']].

    >>> found = indistinguishability(FiniteMechanism.of(sum, [(0, 1, 2)] * 3))
    >>> found.size, found.whole_epsilon, found.separated
    (4, 2, False)

    Inequalities:
        * `size <= 2^epsilon` is what epsilon-indistinguishable means, for counted outputs.
        * `size <= outputs`: with few outputs it is small by itself, which promises nothing
          (`separated`).
    """
    worst = compared_pairs(mechanism)
    if worst is None:
        return Indistinguishability(0, counted=True, separated=False)
    domain = mechanism.domains[worst.record]
    return Indistinguishability(
        worst.decided, True, worst.separated, worst.record, domain[worst.value], domain[worst.other]
    )


def linear_indistinguishability(query: LinearQuery, cells: int | None = None) -> Indistinguishability:
    """Definition 5 of [P2] for a linear query, exactly, with a pair of values that attains it.

    As it is, the answer differs on a set of measure 2 min(S_i, R - S_i). That is 0 for a single record, which
    the answer gives away completely: sets of measure 0 do not count in the definition (`separated` tells).
    Quantised, the worst record and pair are found in closed form (Theorem 5 of [P2], exact).

    >>> mean = LinearQuery.average(4, 0, 100)
    >>> linear_indistinguishability(mean).epsilon, linear_indistinguishability(mean, 11).size
    (Nats(50), 4)

    Args:
        query: the query.
        cells: into how many cells the answer is quantised; None when it is given as it is.

    Raises:
        RequestError: there is no cell.

    Inequalities:
        * `size <= exp(epsilon)` (as it is) or `2^epsilon` (in cells) is what epsilon-indistinguishable
          means.
        * `printed_cells <= largest_cells`: Theorem 5 of [P2] is sound, and allows fewer cells than
          there may be.
    """
    if cells is None:
        return _unquantised(query)
    check_cells(cells)
    if query.span == 0:
        return Indistinguishability(0, counted=True, separated=False)
    size = decided_cells(query.sensitivity, query.span, cells)
    record = query.spans.index(query.sensitivity)
    return Indistinguishability(size, True, _separates(query, cells), record, *_witness(query, record, cells))


def decided_cells(span: Fraction, whole: Fraction, cells: int) -> int:
    """The most cells that tell two values of a record apart which moves the answer by `span` out of `whole`.

    >>> [decided_cells(Fraction(1, 4), Fraction(1), cells) for cells in (3, 4, 5, 8, 11)]
    [0, 1, 2, 3, 4]
    """
    if cells == 1 or span == 0:
        return 0
    moved = cells * span / whole
    both_ends = math.floor(moved) + math.ceil(moved) - 1
    return min(both_ends, cells, 2 * math.ceil(cells - moved) + 2)


def largest_cells(
    query: LinearQuery, epsilon: Rational | None = None, *, outputs: int | None = None
) -> int | float:
    """The largest q for which the query on q cells is epsilon-indistinguishable; every smaller q is, too.

    For the average of n >= 2 records and a natural epsilon it is n (2^(epsilon-1) + 1) - 1.

    >>> mean = LinearQuery.average(10, 0, 1)
    >>> [largest_cells(mean, epsilon) for epsilon in (1, 2, 3)], largest_cells(mean, outputs=3)
    ([19, 29, 49], 20)

    Args:
        query: the query.
        epsilon: the budget in bits.
        outputs: instead, how many outputs may tell two values of a record apart: 2^epsilon.

    Returns:
        The number of cells; infinite when any number will do (constant queries, and a single record from
        1 bit on: there the definition promises nothing).

    Raises:
        RequestError: not exactly one of the two is given, or it is negative.
    """
    return most_cells(query.sensitivity, query.span, _allowed(epsilon, outputs))


def most_cells(span: Fraction, whole: Fraction, allowed: int) -> int | float:
    """The largest q for which `decided_cells` is at most `allowed`; it is for every smaller q, too.

    >>> most_cells(Fraction(1, 10), Fraction(1), 2)
    19
    """
    if span == 0:
        return math.inf
    half, odd = divmod(allowed, 2)  # one of the three terms must be at most `allowed`
    edges = (half + 1) * whole / span
    both_ends = math.floor(edges) if odd else math.ceil(edges) - 1
    runs: int | float = 0
    if half:
        runs = math.floor((half - 1) * whole / (whole - span)) if span < whole else math.inf
    return max(1, both_ends, allowed, runs)


def printed_cells(query: LinearQuery, epsilon: int) -> int | float:
    """max(1, (R/S)(2^(epsilon-1) - 1)), rounded down: the cells Theorem 5 of [P2] allows. Sound, but loose.

    >>> printed_cells(LinearQuery.average(10, 0, 1), 3)
    30
    """
    if epsilon < 0:
        raise RequestError("epsilon is a natural number")
    if query.sensitivity == 0:
        return math.inf
    return max(1, math.floor(query.span / query.sensitivity * (Fraction(2) ** (epsilon - 1) - 1)))


def _unquantised(query: LinearQuery) -> Indistinguishability:
    if query.span == 0:
        return Indistinguishability(Fraction(0), counted=False, separated=False)
    most, rest = query.sensitivity, query.span - query.sensitivity
    record = query.spans.index(most)
    return Indistinguishability(2 * min(most, rest), False, most > rest, record, *query.bounds[record])


def _witness(query: LinearQuery, record: int, cells: int) -> tuple[Fraction, Fraction]:
    """Two values of the record that attain `decided_cells`.

    The one run starts in the first cell and the other ends in the last; the longer one of either
    kind begins where the interval's far end just enters another cell.
    """
    width, span = query.span / cells, query.spans[record]
    length = (query.span - span) / width
    firsts = (Fraction(0), min(span, (math.ceil(length) - length) * width))
    lasts = (span, max(Fraction(0), span - width))
    pairs = [(query.value_at(record, a), query.value_at(record, b)) for a in firsts for b in lasts]
    return max(pairs, key=lambda pair: _difference(*(query.cells_given(record, x, cells) for x in pair)))


def _difference(one: range, two: range) -> int:
    """The size of the symmetric difference of two runs."""
    common = max(0, min(one.stop, two.stop) - max(one.start, two.start))
    return len(one) + len(two) - 2 * common


def _separates(query: LinearQuery, cells: int) -> bool:
    """Whether the runs of the most sensitive record at the two ends share no cell."""
    if cells == 1:
        return False
    moved = cells * query.sensitivity / query.span
    return min(math.floor(moved), cells - 1) > math.floor(cells - moved)


def _allowed(epsilon: Rational | None, outputs: int | None) -> int:
    """How many outputs may differ: the largest whole number that is at most 2^epsilon."""
    if (epsilon is None) == (outputs is None):
        raise RequestError("give either epsilon, in bits, or the number of outputs that may differ")
    given = epsilon if outputs is None else outputs
    if given is None or given < 0:
        raise RequestError("a budget is not negative")
    if epsilon is None:
        return int(given)
    return floor_of_power(Fraction(epsilon))
