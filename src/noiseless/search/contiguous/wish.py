"""What is asked of a release: a posterior, a leakage, a distortion or a size."""

from dataclasses import dataclass
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.search.contiguous.counting import check_posterior
from noiseless.search.contiguous.order import OrderedRange
from noiseless.search.contiguous.sweep import Loss


@dataclass(frozen=True)
class Wish:
    """What is asked for: a least posterior, or else a largest width."""

    posterior: int | None = None
    width: int = 0

    @classmethod
    def of(  # noqa: PLR0917 - passed on in order
        cls,
        line: OrderedRange,
        loss: Loss,
        posterior: int | None,
        leakage: Bits | Rational | None,
        distortion: Rational | None,
        largest_cell: int | None,
    ) -> "Wish":
        """From exactly one of the four.

        Raises:
            RequestError: none or several are given, or one that does not suit.
        """
        if sum(wish is not None for wish in (posterior, leakage, distortion, largest_cell)) != 1:
            raise RequestError("give one of posterior, leakage, distortion and largest_cell")
        if posterior is not None:
            check_posterior(line.joint, posterior)
            return cls(posterior)
        if leakage is not None:
            return cls(_least_posterior(line, leakage))
        if (distortion is None) == (loss == "distortion"):
            raise RequestError(
                "a distortion is bounded for loss='distortion', a largest_cell for 'resolution'"
            )
        if distortion is not None and distortion >= 0:
            return cls(None, min(int(2 * Fraction(distortion) / line.unit), line.span))
        if largest_cell is not None and largest_cell >= 1:
            return cls(None, min(largest_cell, len(line)) - 1)
        raise RequestError("a distortion is not negative, and a cell holds at least one value")


def _least_posterior(line: OrderedRange, leakage: Bits | Rational) -> int:
    """The smallest posterior that leaks no more: |S| / k <= 2^leakage, decided exactly."""
    low, high = 1, line.joint.size_x
    if not line.leakage(high) <= leakage:
        raise RequestError("a leakage is not negative")
    while low < high:
        middle = (low + high) // 2
        if line.leakage(middle) <= leakage:
            high = middle
        else:
            low = middle + 1
    return low
