"""A limit on the entropy of the sensitive values behind each answer: entropy l-diversity."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.exact import Rational, as_fraction
from noiseless.search.distribution_limits import in_loops, running_sums
from noiseless.search.entries import Entries, Reading
from noiseless.search.limits import EntryLimit
from noiseless.search.prefix_kernels import entropy_prefixes
from noiseless.search.problem import Problem
from noiseless.tables.kernels import add_by_code

_ROOM = 2**62


@dataclass(frozen=True, eq=False)
class EntropyLimit(EntryLimit):
    """Sensitive values behind each answer with an entropy of ln(l) at least: n^n >= l^n times all n_s^n_s.

    Attributes:
        least: l.
    """

    least: Fraction
    grows: ClassVar[bool] = False

    @classmethod
    def of(cls, problem: Problem, counts: IntArray, least: Rational) -> "EntropyLimit":
        """The limit of a problem, given how many rows each pair has."""
        return cls(Entries.of(problem, counts), as_fraction(least))

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        entries, least = self.entries, self.least
        whole = max(least.numerator, least.denominator) * int(entries.rows.sum()) < _ROOM
        if not in_loops(entries) or not whole:
            return super().prefixes(order, cells, starts)
        held, near = np.zeros(entries.many_secrets, np.int64), np.zeros(len(order), bool)
        more = entries.rows, least.numerator, least.denominator, held, near
        found = entries.run(entropy_prefixes, order, starts, *more)
        for place in np.flatnonzero(near).tolist():
            first = int(starts[np.searchsorted(starts, place, side="right") - 1])
            found[place] = has_entropy(self._counts(entries.behind(order[first : place + 1])[0]), least)
        return found

    def _counts(self, behind: IntArray) -> list[int]:
        """How many rows of some entries have each secret."""
        counts = add_by_code(
            self.entries.secrets[behind], self.entries.rows[behind], self.entries.many_secrets
        )
        return sorted(counts[counts > 0].tolist())

    def broken(self, reading: Reading) -> BoolArray:
        """Whether there is less: by tiny parts of n log2 n, and exactly where that is close."""
        inner, first = self.entries.by_secret(reading)
        rows = self.entries.rows[reading.entries]
        held, total = running_sums(rows[inner], first), reading.since(np.cumsum(rows))
        most = float(rows.sum())
        parts = 2.0 ** (60 - math.ceil(math.log2(most * math.log2(most + 2) + 2)))
        after, before = _parts(held, parts), _parts(held - rows[inner], parts)
        change, fresh = np.empty(len(inner), np.int64), np.zeros(len(inner), np.int64)
        change[inner] = after - before
        fresh[inner[first]] = 1
        own, many = reading.since(np.cumsum(change)), reading.since(np.cumsum(fresh))
        bits = math.log2(self.least) if self.least > 0 else -1e9
        missing = own - _parts(total, parts) + (total * bits * parts)
        slack = (many + 2) * 2.0 + (np.abs(own) + np.abs(total * bits * parts) + parts) * 2.0**-48
        found, near = missing > slack, np.abs(missing) <= slack
        each = total // many  # equal counts, which Σ n log2 n is least for, have their number as exp(entropy)
        even = near & (each * many == total) & (np.abs(own - many * _parts(each, parts)) <= slack)
        even &= parts > 8 * slack * total
        found[even] = many[even] * self.least.denominator < self.least.numerator
        for place in np.flatnonzero(near & ~even).tolist():
            behind = reading.entries[reading.heads[reading.answers[place]] : place + 1]
            found[place] = not has_entropy(self._counts(behind), self.least)
        return np.asarray(found)


def _parts(counts: IntArray, parts: float) -> IntArray:
    """N log2 n in tiny parts, about."""
    whole = counts.astype(np.float64)
    return np.asarray(whole * np.log2(np.maximum(whole, 1)) * parts).astype(np.int64)


def has_entropy(counts: Sequence[int], least: Fraction) -> bool:
    """Whether counts have an entropy of ln(l) at least: n^n >= l^n times all c^c, exactly."""
    n, digits = sum(counts), 60
    if least <= 1 or _is_entropy(counts, least):
        return True
    while True:
        with localcontext(prec=digits):
            own = sum((Decimal(c) * Decimal(c).ln() for c in counts), Decimal(0))
            room = Decimal(n).ln() - Decimal(least.numerator).ln() + Decimal(least.denominator).ln()
            spare = n * room - own
            if abs(spare) > n * Decimal(10) ** (-digits // 2):
                return bool(spare > 0)
        digits *= 2


def _is_entropy(counts: Sequence[int], least: Fraction) -> bool:
    """Whether n^n is l^n times all c^c, prime by prime: written out they have millions of digits."""
    from flint import fmpz

    n = sum(counts)
    powers = Counter[int]()
    for number, times in ((n, n), *((c, -c) for c in counts)):
        for prime, power in fmpz(number).factor():
            powers[int(prime)] += times * int(power)
    root = math.prod(Fraction(prime) ** (power // n) for prime, power in powers.items())
    return root == least and not any(power % n for power in powers.values())
